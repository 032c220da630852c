#!/usr/bin/env python3
"""Every setting has its row and its section in docs/settings.md, with its default and values that it takes and refuses."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import yaml

import pages

TEXT = pages.read("settings.md")
SETTINGS = {row["name"]: row for row in pages.facts()["settings"]}
SECTIONS = pages.sections(pages.sections(TEXT, 2)["Each setting"], 3)
CODE = re.compile(r"`([^`]*)`")
REFUSED = {"FH001", "FH003"}


def code(cell):
    """What stands in a cell as code; nothing where it says something in words."""
    found = re.fullmatch(CODE, cell)
    return found[1] if found else ""


def values(section, word):
    """The values after `Takes:` or `Refuses:`, which may wrap."""
    found = re.search(rf"{word}: (.*?)(?:\. [A-Z]|\.\n*\Z)", " ".join(section.split()))
    return re.findall(CODE, found[1]) if found else []


def server_defaults():
    """{flag: default} as `fluxhook serve --help` lists them."""
    text = subprocess.run([os.environ["FLUXHOOK"], "serve", "--help"], capture_output=True, text=True, check=True).stdout
    group = text.split("Defaults, as the server has them:")[1].split("\n\n")[0]
    return {flag: default for flag, default in re.findall(r"^  (--[a-z-]+)[^\[\n]*(?:\[(.*)\])?", group, re.M)}


class Settings(unittest.TestCase):
    def test_each_setting_has_a_row_with_its_default_and_variable(self):
        told = {}
        for name, default, variable, _ in pages.rows(TEXT.split("\n## ")[0], 4):
            name = re.fullmatch(r"\[(.*)\]\(#\1\)", name)[1]
            self.assertNotIn(name, told)
            told[name] = (code(default), code(variable))
        self.assertEqual(told, {name: (row["default"], row["env"]) for name, row in SETTINGS.items()})

    def test_each_setting_has_a_section_in_the_order_of_the_rows(self):
        rows = [name for name, *_ in pages.rows(TEXT.split("\n## ")[0], 4)]
        self.assertEqual([f"[{name}](#{name})" for name in SECTIONS], rows)

    def test_values_are_taken_and_refused_as_told(self):
        for name, section in SECTIONS.items():
            for word, expected in (("Takes", set()), ("Refuses", REFUSED)):
                told = values(section, word)
                self.assertTrue(told, f"{name}: {word}")
                for value in told:
                    with self.subTest(name, value=value):
                        found = pages.judged(pages.whole({"metadata": {"annotations": {f"flux-framework.org/{name}": value}}}))
                        self.assertEqual(bool(found & REFUSED), bool(expected), found)

    def test_examples_are_taken(self):
        for caption, example in pages.examples(TEXT.split("## The server's configuration")[0]):
            with self.subTest(example):
                self.assertEqual(pages.judged(pages.whole(example)), set())

    def test_the_servers_defaults_are_its_flags(self):
        configuration = pages.sections(TEXT, 2)["The server's configuration"]
        told = {code(flag): code(default) for flag, default, _ in pages.rows(configuration, 3)}
        self.assertEqual(told, server_defaults())
        [(_, file)] = pages.examples(configuration)
        self.assertLessEqual({f"--{key}" for key in file}, set(told))

    def test_the_configuration_file_is_one(self):
        [(_, file)] = pages.examples(pages.sections(TEXT, 2)["The server's configuration"])
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            yaml.safe_dump(file, config)
            config.flush()
            jobset = pages.injected(pages.base(), "--config", config.name)
        recorded = json.loads(jobset["metadata"]["annotations"]["flux-framework.org/injected"])["defaults"]
        self.assertEqual((recorded["network-device"], recorded["affinity"]), ("net1", "false"))


if __name__ == "__main__":
    unittest.main()
