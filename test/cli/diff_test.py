#!/usr/bin/env python3
"""`mutate -o diff` is a unified diff: patch(1) makes of a file what --write would; colours only on a terminal."""
import os
import pathlib
import pty
import random
import re
import subprocess
import tempfile
import unittest

from command import BINARY, fluxhook, shown_on
from jobsets import Maker

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def hold(self, text, *args):
        """The diff of a manifest, after patch(1) has agreed with it."""
        for name in ("a b.yaml", "written.yaml"):
            (self.folder / name).write_bytes(text.encode())
        diff = fluxhook("mutate", "-o", "diff", *args, "a b.yaml", cwd=self.folder)
        written = fluxhook("mutate", "--write", *args, "written.yaml", cwd=self.folder)
        self.assertEqual((diff.returncode, written.returncode), (0, 0), diff.stderr)
        subprocess.run(["patch", "-s", "-p0", "--binary"], input=diff.stdout.encode(), check=True, cwd=self.folder,
                       capture_output=True)
        self.assertEqual((self.folder / "a b.yaml").read_bytes(), (self.folder / "written.yaml").read_bytes())
        self.assertEqual(diff.stderr.replace("a b.yaml", "written.yaml") + "written.yaml: written\n", written.stderr)
        return diff.stdout

    def test_examples(self):
        for file in sorted((TOP / "examples").glob("*.yaml")):
            if "kind: JobSet" not in file.read_text():  # what Trainer or migrate makes one of
                continue
            with self.subTest(file.name):
                diff = self.hold(file.read_text())
                self.assertEqual(diff.splitlines()[:2], ["--- a b.yaml\t", "+++ a b.yaml\t"])
                self.assertRegex(diff, r"\n\+ .*/etc/flux-config/entrypoint.sh")

    def test_several_documents_comments_and_line_ends(self):
        one = (TOP / "examples/lammps.yaml").read_text()
        kept = "# first\n---\n# kept\nkind: ConfigMap # also kept\n"
        for text in (f"{kept}---\n{one}", f"{one}---\n{one}---\n# nothing\n", one.rstrip("\n"), one.replace("\n", "\r\n"),
                     f"\ufeff{one}", to_json(one), to_json(one).replace("\n", "")):
            with self.subTest(text[:30]):
                self.hold(text)

    def test_what_is_lost_is_told(self):
        one = (TOP / "examples/lammps.yaml").read_text()
        line = one[:one.index("apiVersion")].count("\n") + 1
        diff = fluxhook("mutate", "-o", "diff", "-", stdin=one)
        self.assertEqual(diff.stderr, "")
        self.assertEqual(diff.stdout.splitlines()[0], "--- <stdin>")
        inside = re.sub(r"\[lmp, (.*)\]", r"\n              # the program\n              - lmp  # 1\n              - a\n              - b", one)
        diff = fluxhook("mutate", "-o", "diff", "-", stdin=inside)
        self.assertEqual(diff.stderr, f"<stdin>:{line}:1: warning: 1 comment is lost: it stands in what is replaced\n")
        anchored = one.replace("command: [", "command: [&x ").replace("resources:", "workingDir: *x\n              resources:")
        diff = fluxhook("mutate", "-o", "diff", "-", stdin=anchored)
        self.assertEqual(diff.stderr, f"<stdin>:{line}:1: warning: laid out anew, since it can't be changed where it stands; "
                                      f"{line - 1} comments are lost\n")

    def test_half_a_file_has_no_diff(self):
        diff = fluxhook("mutate", "-o", "diff", "-", stdin=(TOP / "examples/lammps.yaml").read_text() + "---\na: [\n")
        self.assertEqual((diff.returncode, diff.stdout), (2, ""))
        self.assertIn("<stdin>: no diff: not all of it could be mutated", diff.stderr)

    def test_generated(self):
        maker = Maker(random.Random(7))
        changed = 0
        for _ in range(60):
            text = yaml.safe_dump(maker.jobset(), sort_keys=False, default_flow_style=True)
            done = fluxhook("mutate", "-o", "diff", "-", stdin=text)
            if done.returncode == 0 and done.stdout:
                self.hold(text)
                changed += 1
        self.assertGreater(changed, 10)

    def test_many_replicated_jobs(self):
        job = "  - {name: j%d, template: {spec: {template: {spec: {containers: [{name: a, image: a, command: [a]}]}}}}}\n"
        names = ",".join(f"j{i}" for i in range(200))
        self.hold("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: js\n  labels: "
                  "{flux-framework.org/inject: 'true'}\n  annotations:\n    flux-framework.org/replicated-jobs: " + names +
                  "\nspec:\n  replicatedJobs:\n" + "".join(job % i for i in range(200)))

    def test_no_change_is_no_diff_and_says_why(self):
        jobset = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec: {replicatedJobs: []}\n"
        for text, why in {"kind: ConfigMap\n": "fluxhook: note: nothing changes: there is no JobSet here\n",
                          jobset: "<stdin>:1:1: note: not changed: it has no label flux-framework.org/inject\n"}.items():
            done = fluxhook("mutate", "-o", "diff", "-", stdin=text)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", why))

    def terminal(self, **env):
        """What a terminal shows."""
        ours, theirs = pty.openpty()
        subprocess.run([BINARY, "mutate", "-o", "diff", str(TOP / "examples/lammps.yaml")], stdout=theirs, check=True,
                       stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **env})
        os.close(theirs)
        return shown_on(ours).replace("\r\n", "\n")

    def test_colours(self):
        plain = fluxhook("mutate", "-o", "diff", str(TOP / "examples/lammps.yaml")).stdout
        self.assertNotIn("\x1b", plain)
        shown = self.terminal()
        self.assertIn("\x1b[32m+    flux-framework.org/injected:", shown)
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", shown), plain)
        self.assertEqual(self.terminal(NO_COLOR="1"), plain)
        self.assertEqual(self.terminal(TERM="dumb"), plain)


def to_json(text):
    return fluxhook("mutate", "-o", "json", "--label", "none/none", "-", stdin=text).stdout


if __name__ == "__main__":
    unittest.main()
