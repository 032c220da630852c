#!/usr/bin/env python3
"""`mutate` keeps what its user has written: written/ holds manifests as people and tools write them, and what may change of each."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import jsonpatch
import yaml

from command import ONE_IN, fluxhook
from jobsets import Maker
from styles import Stylist

CASES = sorted((pathlib.Path(__file__).parent / "written").glob("*.yaml"))
# Lines of the input that may change: those of command and args, in flow style, and those in which nothing becomes something.
# Of those that are comments only as many may go as is said.
MAY_CHANGE = re.compile(r".*(command|args|[\[\]{}~*]| ,|null|!!)|\s*- |[^:#]*$|\s*#")


def mutate(text, *args, code=0):
    done = fluxhook("mutate", *args, "-", stdin=text)
    assert done.returncode == code, done
    return done


def objects(document):
    return document["items"] if document.get("kind") == "List" else [document]


def wanted(text):
    """The documents after the patches, by python3-jsonpatch."""
    documents = [json.loads(json.dumps(document)) for document in yaml.safe_load_all(text) if document is not None]
    patches = json.loads(mutate(text, "-o", "patch").stdout)
    if sum(one["kind"] == "JobSet" for document in documents for one in objects(document)) == 1:
        patches = [{"patch": patches}]
    for document in documents:
        for i, one in enumerate(objects(document)):
            if one["kind"] == "JobSet":
                new = jsonpatch.apply_patch(one, patches.pop(0)["patch"])
                one.clear()
                one.update(new)
    assert not patches
    return documents


class Written(unittest.TestCase):
    def check(self, text):
        """The YAML, after it was found to mean what the patch says, and to be what the input was besides."""
        done = mutate(text)
        self.assertNotIn("laid out anew", done.stderr)
        self.assertEqual([one for one in yaml.safe_load_all(done.stdout) if one is not None], wanted(text))
        after = iter(done.stdout.splitlines())
        for line in text.splitlines():
            if not MAY_CHANGE.match(line):
                self.assertIn(line, after, "every other line stays, in its order")
        return done

    def test_manifests(self):
        self.assertGreaterEqual(len(CASES), 20)
        for case in CASES:
            with self.subTest(case.name):
                text = case.read_text()
                self.check(text)
                diff = mutate(text, "-o", "diff")
                self.assertEqual(diff.stdout, case.with_suffix(".diff").read_text())

    def test_nothing_stray(self):
        self.assertEqual({case.stem for case in CASES},
                         {path.stem for path in (pathlib.Path(__file__).parent / "written").iterdir()})

    def test_line_ends_and_marks(self):
        for case in CASES:
            text = case.read_text()
            plain = self.files(text)
            with self.subTest(case.name):
                self.assertEqual(self.files(text.replace("\n", "\r\n")), plain.replace("\n", "\r\n"))
                self.assertEqual(self.files("\ufeff" + text), "\ufeff" + plain)
                if list(yaml.safe_load_all(text.rstrip("\n"))) == list(yaml.safe_load_all(text)):  # no block scalar's end
                    self.assertEqual(self.files(text.rstrip("\n")).rstrip("\n"), plain.rstrip("\n"))

    def files(self, text):
        """What --write makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "x.yaml")
            file.write_bytes(text.encode())
            done = fluxhook("mutate", "--write", str(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("laid out anew", done.stderr)
            return file.read_bytes().decode()

    def test_comments_between_documents_stay(self):
        other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}   # kept\n"
        jobset = (CASES[0].parent / "unicode.yaml").read_text()
        self.assertTrue(mutate(f"# licence\n---\n{jobset}").stdout.startswith("# licence\n---\n# Größe"))
        text = self.files(f"\ufeff# licence\r\n---\r\n{other}---\n{jobset}---\n# end\n")
        self.assertTrue(text.startswith(f"\ufeff# licence\r\n---\r\n{other}---\n# Größe"))
        self.assertTrue(text.endswith("---\n# end\n"))

    def test_a_second_time_changes_nothing(self):
        for case in CASES:
            once = self.files(case.read_text())
            self.assertEqual(mutate(once, "-o", "diff").stdout, "", case.name)

    def test_generated(self):
        """JobSets by chance, written by chance in every style there is."""
        chance = random.Random(20240229)
        maker = Maker(chance)
        changed = 0
        while changed < 150 // ONE_IN:
            obj = maker.jobset()
            if mutate_code(obj) != 0:
                continue
            changed += 1
            text = Stylist(chance).document(obj)
            with self.subTest(text=text):
                self.assertEqual(json.dumps(yaml.safe_load(text)), json.dumps(obj), "the stylist")
                done = self.check(text)
                comments = re.findall(r"# c\d+", done.stdout)
                self.assertEqual(len(re.findall(r"# c\d+", text)) - len(comments), lost(done.stderr))


def mutate_code(obj):
    return fluxhook("mutate", "-o", "json", "-", stdin=json.dumps(obj)).returncode


def lost(said):
    found = re.search(r"(\d+) comments? (is|are) lost", said)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:  # look at each of them
        for path in CASES:
            path.with_suffix(".diff").write_text(mutate(path.read_text(), "-o", "diff").stdout)
    else:
        unittest.main()
