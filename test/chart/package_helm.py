#!/usr/bin/env python3
"""helm takes the package that packaging/chart makes, and it is the one that helm makes itself."""
import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import yaml

from render import CHART, TOOLS, TOP, helm, run

HELM = TOOLS / "helm"


def files(package):
    """{path: bytes}; helm writes Chart.yaml anew, so of that it is what it says."""
    with tarfile.open(package) as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    return found | {"fluxhook/Chart.yaml": yaml.safe_load(found["fluxhook/Chart.yaml"])}


class Package(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.package = self.folder / "ours.tgz"
        subprocess.run([TOP / "packaging/chart", self.package], check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})

    def test_it_has_what_helms_own_has(self):
        done = run(HELM, "package", CHART, "--destination", self.folder)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        [theirs] = self.folder.glob("fluxhook-*.tgz")
        self.assertEqual(files(theirs), files(self.package))

    def test_helm_lints_it(self):
        done = run(HELM, "lint", "--strict", self.package)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_it_renders_as_the_folder_does(self):
        ours, folder = helm({}, chart=self.package), helm({})
        self.assertEqual((0, folder.stdout), (ours.returncode, ours.stdout))


if __name__ == "__main__":
    unittest.main()
