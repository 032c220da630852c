#!/usr/bin/env python3
"""The site's table of contents has each page once, and the pages name files that are there."""
import re
import unittest
from pathlib import Path

import yaml

import commands

TOP = Path(__file__).parents[2]


class Loader(yaml.SafeLoader):
    """mkdocs.yml names Python functions by tags, which are not looked at here."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)
Loader.add_constructor("!relative", lambda loader, node: loader.construct_scalar(node))


def pages(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from pages(value) if isinstance(value, list) else [value]


class Site(unittest.TestCase):
    def setUp(self):
        self.config = yaml.load((TOP / "mkdocs.yml").read_text(), Loader)

    def test_each_page_of_docs_is_in_the_contents_once(self):
        named = [page for page in pages(self.config["nav"]) if page.startswith("docs/")]
        self.assertEqual(sorted(named), sorted(str(page.relative_to(TOP)) for page in (TOP / "docs").rglob("*.md")))

    def test_each_entry_of_the_contents_is_there(self):
        self.assertEqual([page for page in pages(self.config["nav"]) if not (TOP / page).is_file()], [])

    def test_each_path_that_a_page_names_as_code_is_there(self):
        folders = "test|src|include|scripts|docs|charts|templates|bench|webhook-config|packaging|cmake|examples"
        count = 0
        for page in commands.markdown():
            for path in re.findall(rf"`((?:{folders})/[^`\s:…<*]+)[`:]", page.read_text()):
                if not re.search("[A-Z]", path.removesuffix("README.md")):
                    count += 1
                    with self.subTest(page.name):
                        self.assertTrue((TOP / path).exists(), path)
        self.assertGreater(count, 50)

    def test_each_file_of_a_module_that_architecture_names_is_there(self):
        modules = "|".join(sorted(folder.name for folder in (TOP / "src").iterdir()))
        named = re.findall(rf"`((?:{modules})/\w+)(?:\.\w+)?`", (TOP / "docs/architecture.md").read_text())
        self.assertGreater(len(named), 30)
        for name in named:
            with self.subTest(name):
                self.assertTrue([*TOP.glob(f"src/{name}.*"), *TOP.glob(f"include/fluxhook/{name}.*")])

    def test_requirements_are_pinned_with_hashes(self):
        text = (TOP / "docs/requirements.txt").read_text()
        self.assertRegex(text, r"(?m)^mkdocs-material==")
        for package in re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n", "", text).strip()):
            self.assertRegex(package, r"^\S+==\S+ \\\n    --hash=sha256:")


if __name__ == "__main__":
    unittest.main()
