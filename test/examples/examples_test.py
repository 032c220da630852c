#!/usr/bin/env python3
"""The examples pass `validate --strict`, README.md lists them, and the recorded review is of lammps.yaml."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import yaml

import make_review

EXAMPLES = Path(__file__).parents[2] / "examples"
LABEL = "flux-framework.org/inject"
TO_MIGRATE = "mpijob-before.yaml"


def fluxhook(*words):
    return subprocess.run([os.environ["FLUXHOOK"], *words], cwd=EXAMPLES, capture_output=True, text=True)


def jobsets(file):
    """The JobSets of a file: whole ones, and those in runtimes of Kubeflow Trainer."""
    for document in yaml.safe_load_all(file.read_text()):
        if document["kind"] == "JobSet":
            yield document
        elif document["kind"].endswith("TrainingRuntime"):
            yield document["spec"]["template"]


def containers(jobset):
    for job in jobset["spec"]["replicatedJobs"]:
        yield from job["template"]["spec"]["template"]["spec"]["containers"]


class Examples(unittest.TestCase):
    def setUp(self):
        self.files = sorted(EXAMPLES.glob("*.yaml"))
        self.assertGreater(len(self.files), 10)

    def test_each_has_one_labelled_jobset(self):
        for file in self.files:
            if file.name != TO_MIGRATE:
                with self.subTest(file.name):
                    [jobset] = jobsets(file)
                    self.assertEqual(jobset["metadata"]["labels"][LABEL], "true")

    def test_each_passes_strict_validation_and_is_injected(self):
        for file in self.files:
            with self.subTest(file.name):
                done = fluxhook("validate", "--strict", "--warnings-as-errors", file.name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                if file.name != TO_MIGRATE:
                    explained = fluxhook("explain", file.name).stdout
                    self.assertIn("becomes a Flux cluster", explained)

    def test_each_says_in_three_lines_or_more_what_it_shows(self):
        for file in self.files:
            with self.subTest(file.name):
                said = re.match(r"(#.*\n){3,}", file.read_text())
                self.assertTrue(said, "a comment of three lines at its top")

    def test_commands_and_env_are_strings(self):  # on, y and 1 are not, unless they are quoted
        for file in self.files:
            for jobset in jobsets(file):
                for container in containers(jobset):
                    words = container.get("command", []) + container.get("args", [])
                    words += [variable["value"] for variable in container.get("env", [])]
                    for word in words:
                        self.assertIsInstance(word, str, f"{file.name}: {word!r}")

    def test_images_have_a_registry_and_a_tag(self):
        for file in self.files:
            for jobset in jobsets(file):
                for container in containers(jobset):
                    self.assertRegex(container["image"], r"^(ghcr|docker)\.io/[\w./-]+:[\w.-]+$")

    def test_readme_lists_them_all(self):
        readme = (EXAMPLES / "README.md").read_text()
        rows = re.findall(r"^\| \[(.*?)\]\(\1\) \| [^|]+ \| [^|]+ \|$", readme, re.M)
        self.assertEqual(sorted(rows), [file.name for file in self.files])

    def test_the_migrated_mpijob_is_what_migrate_prints(self):
        after = re.sub(r"\A(#.*\n)+", "", (EXAMPLES / "mpijob-after.yaml").read_text())
        done = fluxhook("migrate", TO_MIGRATE)
        self.assertEqual((done.returncode, done.stdout), (0, after), done.stderr)

    def test_the_review_is_of_lammps_yaml(self):
        recorded = json.loads((EXAMPLES / "lammps.review.json").read_text())
        made = make_review.review(yaml.safe_load((EXAMPLES / "lammps.yaml").read_text()))
        self.assertEqual(recorded, made, "run test/examples/make_review.py examples/lammps.yaml > examples/lammps.review.json")


if __name__ == "__main__":
    unittest.main()
