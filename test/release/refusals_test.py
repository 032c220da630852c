#!/usr/bin/env python3
"""scripts/release refuses what is no release, in one line that says what would be right, before it installs or builds
anything; docs/releasing.md has each of these lines."""
import re
import shutil
import subprocess
import unittest

from checkout import CHART, ENVIRONMENT, TOP, Checkout

# It stands for all that comes after the refusals.
SETUP = 'echo "setup is called with $1" >&2\nexit 3'


def told():
    """The messages in the page's table; a `…` stands for what differs."""
    table = (TOP / "docs/releasing.md").read_text().partition("## What it refuses")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(.+?)` \|", table, re.M)


class Refusals(unittest.TestCase):
    def setUp(self):
        self.checkout = Checkout(self)
        self.top = self.checkout.top
        self.checkout.script("scripts/setup", SETUP)
        self.checkout.commit()

    def assert_refused(self, text, *words):
        self.assertEqual(self.checkout.release(*words), (1, f"release: error: {text}\n"))
        self.assert_told(text)

    def assert_told(self, text):
        patterns = (re.escape(message).replace("…", ".+") for message in told())
        self.assertTrue(any(re.fullmatch(pattern, text) for pattern in patterns), f"docs/releasing.md has no {text}")

    def assert_taken(self, *words):
        self.assertEqual(self.checkout.release(*words), (3, "setup is called with --release\n"))

    def committed(self, name, text):
        self.checkout.write(name, text)
        self.checkout.commit()

    def test_a_clean_tree_of_one_version_is_taken(self):
        self.assert_taken()
        self.assert_taken("--check")
        self.assert_taken(str(self.top.parent / "new"))

    def test_a_changed_file(self):
        self.checkout.write("VERSION", "1.2.3 \n")
        self.assert_refused("files differ from the commit (1), such as VERSION: commit them, or git stash -u")

    def test_a_file_that_git_does_not_know(self):
        self.checkout.write("notes", "")
        self.checkout.write("notes2", "")
        self.assert_refused("files differ from the commit (2), such as notes: commit them, or git stash -u")

    def test_no_checkout(self):
        shutil.rmtree(self.top / ".git")
        self.assert_refused("this is no git checkout: a release is made of a commit, so clone the repository")

    def test_a_folder_of_another_checkout(self):
        shutil.rmtree(self.top / ".git")
        subprocess.run(["git", "init", "--quiet", self.top.parent], env=ENVIRONMENT, check=True)
        self.assert_refused("this is no git checkout: a release is made of a commit, so clone the repository")

    def test_a_changelog_for_development(self):
        self.committed("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n")
        code, said = self.checkout.release()
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^release: error: CHANGELOG.md's top entry is \[Unreleased\], which is for development: "
                               r"name it \[1\.2\.3\] - \d{4}-\d\d-\d\d, and commit\n$")
        self.assert_told(said.removeprefix("release: error: ").strip())

    def test_a_changelog_of_another_version(self):
        self.committed("CHANGELOG.md", "# Changelog\n\n## [1.2.2] - 2026-01-01\n")
        self.assert_refused(
            "CHANGELOG.md's top entry is [1.2.2] - 2026-01-01, and VERSION is 1.2.3: make them the same, and commit")

    def test_a_changelog_without_a_day(self):
        self.committed("CHANGELOG.md", "# Changelog\n\n## [1.2.3]\n")
        self.assert_refused("CHANGELOG.md's top entry is [1.2.3]: it has to be [1.2.3] - YYYY-MM-DD, the day of the release")

    def test_a_changelog_without_entries(self):
        self.committed("CHANGELOG.md", "# Changelog\n")
        self.assert_refused("CHANGELOG.md has no entry: it begins with ## [1.2.3] - YYYY-MM-DD")

    def test_a_version_that_is_none(self):
        self.committed("VERSION", "next\n")
        self.assert_refused("VERSION is next: it has to be MAJOR.MINOR.PATCH")

    def test_a_chart_of_another_version(self):
        for field in ("version", "appVersion"):
            self.committed("charts/fluxhook/Chart.yaml", CHART.replace(f"\n{field}: 1.2.3", f"\n{field}: 1.2.2"))
            self.assert_refused(
                f"charts/fluxhook/Chart.yaml has {field} 1.2.2, and VERSION is 1.2.3: make them the same, and commit")

    def test_a_tag_of_another_commit(self):
        first = self.checkout.git("rev-parse", "HEAD")
        self.checkout.git("tag", "--annotate", "--message", "1.2.3", "v1.2.3")
        self.assert_taken()
        self.checkout.commit()
        second = self.checkout.git("rev-parse", "HEAD")
        self.assert_refused(
            f"the tag v1.2.3 is {first[:12]}, not this commit, {second[:12]}: git checkout v1.2.3, or raise VERSION")

    def test_a_folder_that_is_not_empty(self):
        old = self.top.parent / "old"
        old.mkdir()
        self.assert_taken(str(old))
        (old / "precious").touch()
        self.assert_refused(f"{old} is not empty: name a new folder", str(old))
        self.assertTrue((old / "precious").exists())

    def test_words_that_it_does_not_know(self):
        self.assert_refused("unknown option --chekc: there is --check", "--chekc")
        self.assert_refused("it takes a folder, or --check", "--check", "more")

    def test_each_message_of_the_page_is_the_scripts(self):
        text = (TOP / "scripts/release").read_text()
        self.assertGreater(len(told()), 10)
        for message in told():
            self.assertIn(max(message.split("…"), key=len), text)


if __name__ == "__main__":
    unittest.main()
