#!/usr/bin/env python3
"""The examples are labelled JobSets that README.md lists, and the recorded review is of lammps.yaml."""
import json
import unittest
from pathlib import Path

import yaml

import make_review

EXAMPLES = Path(__file__).parents[2] / "examples"


class Examples(unittest.TestCase):
    def setUp(self):
        self.files = sorted(EXAMPLES.glob("*.yaml"))
        self.assertTrue(self.files)

    def test_each_is_a_labelled_jobset(self):
        for file in self.files:
            with self.subTest(file.name):
                jobset = yaml.safe_load(file.read_text())
                self.assertEqual((jobset["apiVersion"], jobset["kind"]), ("jobset.x-k8s.io/v1alpha2", "JobSet"))
                self.assertEqual(jobset["metadata"]["labels"]["flux-framework.org/inject"], "true")

    def test_commands_and_env_are_strings(self):  # on, y and 1 are not, unless they are quoted
        for file in self.files:
            for job in yaml.safe_load(file.read_text())["spec"]["replicatedJobs"]:
                for container in job["template"]["spec"]["template"]["spec"]["containers"]:
                    words = container.get("command", []) + container.get("args", [])
                    words += [variable["value"] for variable in container.get("env", [])]
                    for word in words:
                        self.assertIsInstance(word, str, f"{file.name}: {word!r}")

    def test_readme_lists_them_all(self):
        readme = (EXAMPLES / "README.md").read_text()
        for file in self.files:
            self.assertIn(f"[{file.name}]({file.name})", readme)

    def test_the_review_is_of_lammps_yaml(self):
        recorded = json.loads((EXAMPLES / "lammps.review.json").read_text())
        made = make_review.review(yaml.safe_load((EXAMPLES / "lammps.yaml").read_text()))
        self.assertEqual(recorded, made, "run test/examples/make_review.py examples/lammps.yaml > examples/lammps.review.json")


if __name__ == "__main__":
    unittest.main()
