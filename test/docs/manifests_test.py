#!/usr/bin/env python3
"""Each piece of YAML in the pages is YAML; JobSets and runtimes pass `fluxhook validate --strict`, also in pieces."""
import copy
import json
import os
import re
import subprocess
import unittest

import yaml

import commands
import pages

JUDGED = {"JobSet", "TrainingRuntime", "ClusterTrainingRuntime", "TrainJob"}
OWN_TEST = {"docs/rules.md", "docs/settings.md"}  # whose pieces are wrong on purpose, or not a JobSet's
SPEC = {"replicatedJobs", "network", "successPolicy", "failurePolicy", "suspend", "ttlSecondsAfterFinished"}


def documents():
    """(page:line, page, text, documents) of each fence of YAML."""
    for page in commands.markdown():
        name = str(page.relative_to(commands.TOP))
        for line, text in commands.fences(page.read_text(), "yaml"):
            yield f"{name}:{line}", name, text, list(yaml.safe_load_all(text))


def is_piece(document):
    """Whether it is a part of a JobSet: its metadata, or some of its spec."""
    return (isinstance(document, dict) and set(document) <= {"metadata", "spec"} and document and
            set(document.get("spec", {})) <= SPEC)


def whole(piece):
    jobset = copy.deepcopy(pages.base())
    for key, value in piece.get("metadata", {}).items():
        jobset["metadata"].setdefault(key, {}).update(value)
    jobset["spec"] |= piece.get("spec", {})
    return jobset


def told_runs():
    """(page:line, manifest, the flux run line that the text behind it tells) of JobSets, where there is one."""
    for page in commands.markdown():
        text = page.read_text()
        for found in commands.FENCE.finditer(text):
            behind = re.search(r"`(flux run -N\d[^`…]*)", text[found.end():].split("\n```")[0])
            if found[2] == "yaml" and "kind: JobSet" in found[3] and behind:
                yield f"{page.name}:{text.count(chr(10), 0, found.start()) + 1}", found[3], " ".join(behind[1].split())


def judge(text):
    return subprocess.run([os.environ["FLUXHOOK"], "validate", "--strict", "--warnings-as-errors", "-"], input=text,
                          capture_output=True, text=True)


class Manifests(unittest.TestCase):
    def test_whole_manifests_are_right(self):
        count = 0
        for where, name, text, found in documents():
            kinds = {document.get("kind") for document in found if isinstance(document, dict)}
            if name not in OWN_TEST and kinds & JUDGED:
                count += 1
                with self.subTest(where):
                    done = judge(text)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(count, 4, "where are the manifests?")

    def test_pieces_of_a_JobSet_are_right_on_top_of_a_whole_one(self):
        count = 0
        for where, name, _, found in documents():
            if name not in OWN_TEST and len(found) == 1 and is_piece(found[0]):
                count += 1
                with self.subTest(where):
                    done = judge(json.dumps(whole(found[0])))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(count, 3, "where are the pieces?")

    def test_what_the_text_says_the_lead_runs_it_runs(self):
        told = list(told_runs())
        self.assertGreater(len(told), 2)
        for where, text, line in told:
            with self.subTest(where):
                done = subprocess.run([os.environ["FLUXHOOK"], "explain", "-"], input=text, capture_output=True, text=True)
                self.assertRegex(done.stdout, rf"runs +{re.escape(line)}")

    def test_a_wrong_one_is_found(self):
        piece = {"metadata": {"annotations": {"flux-framework.org/num-procs": "2"}}}
        self.assertEqual(judge(json.dumps(whole(piece))).returncode, 1)


if __name__ == "__main__":
    unittest.main()
