#!/usr/bin/env python3
"""packaging/chart: the chart's files and no others, in the same bytes wherever and whenever it is packed."""
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TIME = 1700000000


class Chart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def copy(self, name):
        top = self.folder / name
        shutil.copytree(TOP / "charts", top / "charts")
        for file in ("packaging/chart", "scripts/lib.sh"):
            (top / file).parent.mkdir(parents=True)
            shutil.copy(TOP / file, top / file)
        return top

    def packed(self, top, **environment):
        file = top / "chart.tgz"
        subprocess.run([top / "packaging/chart", file], check=True,
                       env=os.environ | {"SOURCE_DATE_EPOCH": str(TIME)} | environment)
        return file

    def test_two_folders_make_the_same_bytes(self):
        first, second = self.copy("one"), self.copy("another-folder")
        for path in (second / "charts").rglob("*"):
            os.utime(path, (0, 0))
            path.chmod(0o700 if path.is_dir() else 0o600)
        one = self.packed(first).read_bytes()
        self.assertEqual(one, self.packed(second, TZ="Asia/Tokyo", LC_ALL="C").read_bytes())
        (second / "charts/fluxhook/values.yaml").write_text("")
        self.assertNotEqual(one, self.packed(second).read_bytes())

    def test_it_has_the_charts_files_and_not_those_of_helmignore(self):
        top = self.copy("one")
        chart = top / "charts/fluxhook"
        wanted = {f"fluxhook/{path.relative_to(chart)}": path.read_bytes() for path in chart.rglob("*")
                  if path.is_file() and path.name != ".helmignore"}
        for name in (".git/config", ".swp", "values.yaml.orig", "templates/x.tmp", "README.md.1"):
            (chart / name).parent.mkdir(exist_ok=True)
            (chart / name).write_text("not of the chart")
        with tarfile.open(self.packed(top)) as archive:
            self.assertEqual(wanted, {member.name: archive.extractfile(member).read() for member in archive})
            members = archive.getmembers()
        self.assertGreater(len(wanted), 20)
        self.assertEqual("fluxhook/Chart.yaml", members[0].name)
        self.assertEqual({(TIME, 0, 0, 0o644)}, {(one.mtime, one.uid, one.gid, one.mode) for one in members})


if __name__ == "__main__":
    unittest.main()
