#!/usr/bin/env python3
"""The manual pages: mandoc finds nothing wrong with them, and they have what --help says."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from command import fluxhook


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        done = fluxhook("__man", str(cls.folder))
        assert done == (0, "", ""), done

    def shown(self, name):
        """A page as a reader sees it, without line breaks."""
        done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=200", self.folder / f"{name}.1"], capture_output=True,
                              text=True, check=True)
        return " ".join(re.sub(r".\x08", "", done.stdout).split())

    def test_there_is_one_for_each_command(self):
        commands = re.findall(r"^  ([a-z]+)  ", fluxhook("--help").stdout, re.M)
        for command in commands:
            self.assertTrue((self.folder / f"fluxhook-{command}.1").exists(), command)
        for name in ("fluxhook", "fluxhook-certs-issue", "fluxhook-certs-ca-bundle"):
            self.assertTrue((self.folder / f"{name}.1").exists(), name)

    def test_mandoc_has_nothing_to_say_of_them(self):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", *self.folder.glob("*.1")], capture_output=True, text=True)
        # A page has no date, so that a build can be repeated; examples may be long.
        lines = [line for line in (done.stdout + done.stderr).splitlines()
                 if "missing date" not in line and "input text line longer than 80 bytes" not in line]
        self.assertEqual(lines, [])

    def test_they_have_every_flag_and_every_example_of_the_help(self):
        for command in ("serve", "validate", "mutate", "explain", "doctor", "replay", "completion"):
            text = fluxhook(command, "--help").stdout
            shown = self.shown(f"fluxhook-{command}")
            flags = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M))
            self.assertIn("--help", flags)
            for flag in flags:
                self.assertIn(flag, shown, command)
            examples = text.split("Examples:\n")[1].split("\nCommon")[0]
            for line in examples.splitlines():
                if line.startswith("  "):
                    self.assertIn(" ".join(line.split()), shown)

    def test_the_references_between_them_lead_somewhere(self):
        for page in self.folder.glob("*.1"):
            for name in re.findall(r"\bfluxhook[a-z-]*(?=\(1\))", self.shown(page.stem)):
                self.assertTrue((self.folder / f"{name}.1").exists(), f"{page.name}: {name}")


if __name__ == "__main__":
    unittest.main()
