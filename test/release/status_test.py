#!/usr/bin/env python3
"""packaging/status names the packages of the libraries that the program is linked with, and of those compiled into it."""
import os
import re
import subprocess
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def entry():
    text = said(TOP / "packaging/status", os.environ["BUILD"])
    return dict(line.split(": ", 1) for line in text.strip().splitlines())


def versions(field):
    return dict(re.fullmatch(r"(\S+) \(= (\S+)\)", part).groups() for part in field.split(", "))


class Status(unittest.TestCase):
    def test_each_library_that_the_program_asks_for_is_of_a_package_that_it_depends_on(self):
        depends = versions(entry()["Depends"])
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-dW", os.environ["FLUXHOOK"]))
        self.assertGreater(len(needed), 8)
        files = set(re.findall(r"/\S+", "".join(said("dpkg-query", "-L", name) for name in depends)))
        for library in needed:
            self.assertTrue(any(file.endswith(f"/{library}") for file in files), f"{library} is of none of {sorted(depends)}")

    def test_its_versions_are_those_that_are_installed(self):
        for name, version in versions(entry()["Depends"]).items():
            self.assertEqual(version, said("dpkg-query", "-W", "-f", "${Version}", name))

    def test_libraries_that_are_headers_alone_are_built_in(self):
        packages = {"cli11": "libcli11-dev", "nlohmann-json3": "nlohmann-json3-dev", "rapidjson": "rapidjson-dev"}
        for package in packages.values():  # why these three: they bring nothing to link with
            self.assertNotRegex(said("dpkg-query", "-L", package), r"\.(so|a)\n")
        self.assertEqual(versions(entry()["Static-Built-Using"]), {
            source: said("dpkg-query", "-W", "-f", "${source:Version}", package) for source, package in packages.items()})

    def test_it_is_of_the_version_in_VERSION(self):
        self.assertEqual(("fluxhook", (TOP / "VERSION").read_text().strip()), (entry()["Package"], entry()["Version"]))

    def test_a_folder_with_no_build_is_an_error(self):
        done = subprocess.run([TOP / "packaging/status", "/nowhere"], capture_output=True, text=True)
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, "^status: error: ")


if __name__ == "__main__":
    unittest.main()
