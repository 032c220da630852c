#!/usr/bin/env python3
"""docs/migrate.md's example becomes what the page shows, and it names the words of a report."""
import os
import re
import subprocess
import unittest

import pages

TEXT = pages.read("migrate.md")


class Page(unittest.TestCase):
    def test_the_example_becomes_what_is_shown(self):
        source, wanted = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.M | re.S)
        done = subprocess.run([os.environ["FLUXHOOK"], "migrate", "-"], input=source, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)

    def test_the_words_of_a_report_are_the_programs(self):
        words = [row[0] for row in pages.rows(pages.sections(TEXT, 2)["What is said"], 2) if row[0].isalpha()]
        source = (pages.DOCS.parent / "src/migrate/migration.cc").read_text()
        made = re.findall(r'"(\w+)"', re.search(r"kWords\{(.*?)\}", source)[1])
        self.assertEqual(["carried", *[word for word in words if word != "word"]], made)


if __name__ == "__main__":
    unittest.main()
