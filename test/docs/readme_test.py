#!/usr/bin/env python3
"""README.md: its manifest is the example, its difference what the program prints, its tests are there. All pictures."""
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ET

import commands
from commands import TOP

TEXT = (TOP / "README.md").read_text()
SVG = "{http://www.w3.org/2000/svg}"
# What a drawing says besides where things are, which depends on the fonts of whoever draws it.
SAID = ("class", "fill", "stroke", "stroke-dasharray", "font-family", "font-size")


def example():
    return "".join(line for line in (TOP / "examples/lammps.yaml").read_text().splitlines(True) if line[0] != "#")


def drawing(svg):
    """Elements in their order, with their text and looks, without places and sizes."""
    return [(node.tag.removeprefix(SVG), (node.text or "").strip(), [node.get(name) for name in SAID])
            for node in ET.fromstring(svg).iter()]


class Readme(unittest.TestCase):
    def test_the_manifest_is_the_example(self):
        for page in (TEXT, (TOP / "docs/tutorial.md").read_text()):
            self.assertEqual(next(commands.fences(page, "yaml"))[1], example())

    def test_the_difference_is_what_the_program_prints(self):
        [(_, told)] = commands.fences(TEXT, "diff")
        printed = subprocess.run([os.environ["FLUXHOOK"], "mutate", "-o", "diff", "examples/lammps.yaml"], cwd=TOP,
                                 capture_output=True, text=True, check=True).stdout
        self.assertEqual(told, printed)

    def test_each_row_of_the_comparison_names_a_test_that_is_there(self):
        table = TEXT.partition("## What it does that others do not")[2].partition("\n## ")[0]
        rows = re.findall(r"^\d+\. `(test/[\w/.]+): (.*)`$", table, re.M)
        self.assertEqual(len(rows), len(re.findall(r"^\|", table, re.M)) - 2, "a row without its test")
        self.assertGreater(len(rows), 8, "where is the table?")
        for file, name in rows:
            with self.subTest(f"{file}: {name}"):
                made = rf'(def {re.escape(name)}\(|TEST_CASE\("{re.escape(name)}")'
                self.assertRegex((TOP / file).read_text(), made)

    def test_each_picture_is_drawn_from_its_source(self):
        self.assertTrue(shutil.which("dot"), "graphviz is missing: scripts/setup --test installs it")
        names = sorted(source.stem for source in (TOP / "docs").glob("*.dot"))
        self.assertEqual(names, sorted(picture.stem for picture in (TOP / "docs").glob("*.svg")))
        for name in names:
            with self.subTest(name):
                drawn = subprocess.run(["dot", "-Tsvg", TOP / f"docs/{name}.dot"], capture_output=True, check=True).stdout
                self.assertEqual(drawing((TOP / f"docs/{name}.svg").read_bytes()), drawing(drawn),
                                 f"run dot -Tsvg docs/{name}.dot -o docs/{name}.svg")


if __name__ == "__main__":
    unittest.main()
