#!/usr/bin/env python3
"""`mutate -o diff` is a unified diff: patch(1) makes the mutated YAML of the plain one; colours only on a terminal."""
import os
import pathlib
import pty
import random
import re
import subprocess
import tempfile
import unittest

from command import BINARY, fluxhook
from jobsets import Maker

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def hold(self, text, *args):
        """The diff of a manifest, after patch(1) has agreed with it."""
        diff = fluxhook("mutate", "-o", "diff", *args, "-", stdin=text)
        after = fluxhook("mutate", "-o", "yaml", *args, "-", stdin=text)
        self.assertEqual((diff.returncode, after.returncode), (0, 0), diff.stderr)
        # the plain side: the same document as the writer lays it out
        before = fluxhook("mutate", "-o", "yaml", "--label", "none/none", "-", stdin=to_json(text))
        (self.folder / "x").write_text(before.stdout)
        subprocess.run(["patch", "-s", "x"], input=diff.stdout, text=True, check=True, cwd=self.folder, capture_output=True)
        self.assertEqual((self.folder / "x").read_text(), after.stdout)
        return diff.stdout

    def test_examples(self):
        for file in sorted((TOP / "examples").glob("*.yaml")):
            with self.subTest(file.name):
                diff = self.hold(file.read_text())
                self.assertRegex(diff.splitlines()[0], r"^--- <stdin>:\d+:1$")
                self.assertIn("\n+              - /etc/flux-config/entrypoint.sh\n", diff)

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

    def test_no_change_is_no_diff(self):
        self.assertEqual(fluxhook("mutate", "-o", "diff", "-", stdin="kind: ConfigMap\n").stdout, "")

    def terminal(self, **env):
        """What a terminal shows."""
        ours, theirs = pty.openpty()
        subprocess.run([BINARY, "mutate", "-o", "diff", str(TOP / "examples/lammps.yaml")], stdout=theirs, check=True,
                       stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **env})
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        return shown.decode().replace("\r\n", "\n")

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
