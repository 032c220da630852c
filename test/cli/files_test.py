#!/usr/bin/env python3
"""`mutate --write` and `-o diff` on files of every kind: limits, JSON's layout, comments that go, names that patch(1) reads."""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

import yaml

from command import BINARY, fluxhook

JOBSET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: js
  labels:
    flux-framework.org/inject: "true"
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        template:
          spec:
            containers:
            - name: app
              image: app:1
              command:  # what runs
              - app  # w1
              - --deep  # w2
              # of the resources
              resources: {}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return str(path)


class Write(Case):
    def test_a_limit_on_the_size_of_files_is_told_and_leaves_nothing(self):
        text = JOBSET + "".join(f"# {i}\n" for i in range(400))
        file = self.write("big.yaml", text)
        limit = len(text) + 100
        done = subprocess.run([BINARY, "mutate", "--write", file], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(f"{file}: can't be replaced: File too large\n", done.stderr)
        self.assertEqual((os.listdir(self.folder), pathlib.Path(file).read_text()), (["big.yaml"], text))

    def test_comments_beside_a_command_go_with_it_and_are_counted(self):
        file = self.write("x.yaml", JOBSET)
        done = fluxhook("mutate", "--write", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{file}:1:1: warning: 2 comments are lost: they stand in what is replaced\n", done.stderr)
        text = pathlib.Path(file).read_text()
        self.assertIn("              command:  # what runs\n              - /bin/sh\n"
                      "              - /etc/flux-config/entrypoint.sh\n              # of the resources\n", text)
        self.assertNotRegex(text, r"# w\d")


class Json(Case):
    """Files as other programs lay them out."""

    def written(self, text, **env):
        file = self.write("x.json", text)
        done = fluxhook("mutate", "--write", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(file).read_bytes().decode(), done.stderr.replace(f"{file}: written\n", "").replace(file, "F")

    def test_the_layout_and_the_digits_stay(self):
        obj = {**yaml.safe_load(JOBSET), "x": [1, 2.5, {}, [], "é\n", None]}
        for style in ({"indent": 4}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}, {}, {"separators": (",", ":")},
                      {"indent": 1, "separators": (",", " : ")}):
            for end in ("", "\n"):
                with self.subTest(style, end=end):
                    text, said = self.written(json.dumps(obj, ensure_ascii=False, **style) + end)
                    self.assertEqual(said, "")
                    self.assertIn("initContainers", text)
                    self.assertEqual(text, json.dumps(json.loads(text), ensure_ascii=False, **style) + end)

    def test_numbers_keep_their_digits(self):
        obj = {"x": ["1.0", "1e3", "1.50", "-0.0", "123456789012345678901234567890"], **yaml.safe_load(JOBSET)}
        before = json.dumps(obj, indent=4)
        for digits in obj["x"]:
            before = before.replace(f'"{digits}"', digits)
        text, _ = self.written(before)
        self.assertIn(before[:before.index("]")], text)

    def test_a_layout_without_a_rule_is_told(self):
        text, said = self.written(json.dumps(yaml.safe_load(JOBSET), indent=4).replace('": {', '":   {', 1))
        self.assertEqual(said, "F:1:1: warning: laid out anew: its layout follows no rule that could be kept\n")
        self.assertEqual(text, json.dumps(json.loads(text), indent=2) + "\n")

    def test_yaml_readers_take_the_numbers_for_numbers(self):
        text = fluxhook("mutate", "-", stdin='{"kind": "A", "x": [1E5, 1.0, 1e-7, 2.5E-3]}').stdout
        self.assertEqual(yaml.safe_load(text)["x"], [1e5, 1, 1e-7, 2.5e-3])


class Names(Case):
    """patch(1) has the last word on the names in a diff."""

    def patched(self, name, *args, cwd=None):
        """What -o diff says of the file, after patch(1) made of it what --write makes."""
        file, wanted = self.write(name, JOBSET), self.write("wanted/x.yaml", JOBSET)
        fluxhook("mutate", "--write", wanted)
        diff = fluxhook("mutate", "-o", "diff", *args, cwd=cwd or self.folder)
        done = subprocess.run(["patch", "-p0"], input=diff.stdout.encode(), cwd=cwd or self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, (done, diff.stdout[:200]))
        self.assertEqual(pathlib.Path(file).read_text(), pathlib.Path(wanted).read_text())
        return diff.stdout.splitlines()[0]

    def test_a_file_below_is_named_from_here(self):
        here = os.path.realpath(self.folder)
        self.assertEqual(self.patched("a/x.yaml", here + "/a/x.yaml"), "--- a/x.yaml")
        self.assertEqual(self.patched("x.yaml", "a/../x.yaml"), "--- x.yaml")
        self.assertEqual(self.patched("a/b.yaml", "./a/b.yaml"), "--- ./a/b.yaml")
        os.symlink(here, here + "/link")
        self.assertEqual(self.patched("a/c d.yaml", here + "/link/a/c d.yaml"), "--- a/c d.yaml\t")

    def test_a_file_elsewhere_keeps_its_name(self):
        (self.folder / "sub").mkdir()
        diff = fluxhook("mutate", "-o", "diff", self.write("x.yaml", JOBSET), "../x.yaml", cwd=self.folder / "sub").stdout
        names = [line for line in diff.splitlines() if line.startswith("--- ")]
        self.assertEqual(names, [f"--- {self.folder}/x.yaml", "--- ../x.yaml"])

    def test_odd_names(self):
        for name in ("t\tb.yaml", 'q"q.yaml', "b\\b.yaml", " lead.yaml", "\x01.yaml", "\x7f.yaml", "é.yaml", "\u202e\tr.yaml"):
            with self.subTest(name):
                head = self.patched(name, name)
                self.assertTrue(head.isprintable() or head.endswith("\t"), head)
                # GNU diff names it likewise
                theirs = subprocess.run(["diff", "-u", name, "/dev/null"], cwd=self.folder, capture_output=True).stdout.decode()
                if '"' in head and not set("\u202e\x7f") & set(name) and name[0] != " ":
                    self.assertEqual(theirs.split("\t")[0], head)


class Pipes(Case):
    def test_a_pipe_that_is_named_is_read(self):
        done = subprocess.run(["bash", "-c", f"{BINARY} validate <(cat)"], input=JOBSET, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, "fluxhook: 1 JobSet judged: 0 errors, 0 warnings\n"))

    def test_one_in_a_folder_is_passed_over_with_a_warning(self):
        self.write("m/x.yaml", JOBSET)
        os.mkfifo(self.folder / "m/pipe.yaml")
        os.mkfifo(self.folder / "m/pipe.txt")
        what = "passed over: a pipe, socket or device is read only where it is named itself"
        done = fluxhook("validate", "m", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"m/pipe.yaml: warning: {what}\nfluxhook: 1 JobSet judged: 0 errors, 1 warning\n"))
        self.assertEqual(fluxhook("validate", "--warnings-as-errors", "m", cwd=self.folder).returncode, 1)
        self.assertEqual(json.loads(fluxhook("validate", "-o", "json", "m", cwd=self.folder).stdout)["notes"],
                         [{"file": "m/pipe.yaml", "line": 0, "column": 0, "message": what}])
        self.assertEqual(fluxhook("validate", "-o", "github", "m", cwd=self.folder).stdout, f"::warning file=m/pipe.yaml::{what}\n")
        self.assertIn(f"m/pipe.yaml: warning: {what}", fluxhook("mutate", "m", cwd=self.folder).stderr)


if __name__ == "__main__":
    unittest.main()
