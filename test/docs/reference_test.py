#!/usr/bin/env python3
"""docs/flags.md is what --help prints, and the table of rights in docs/reference.md is what the manifests give."""
import os
import subprocess
import sys
import unittest

import yaml

import pages

TOP = pages.DOCS.parent
sys.path.insert(0, str(TOP / "scripts"))
import flags_docs  # noqa: E402

NAME = "fluxhook"


def manifests():
    """What the overlay with all of the server's own tasks makes."""
    made = subprocess.run(["kubectl", "kustomize", TOP / "webhook-config/overlays/self-managed"], capture_output=True,
                          text=True, check=True).stdout
    return list(yaml.safe_load_all(made))


def given():
    """(scope, group, resource, name, verbs) of each right, as in the table."""
    for role in manifests():
        if role["kind"] in ("ClusterRole", "Role"):
            for rule in role["rules"]:
                names = ",".join(rule.get("resourceNames", ["any"])).replace(NAME, "NAME", 1)
                yield ("cluster" if role["kind"] == "ClusterRole" else "namespace",
                       ", ".join(group or "core" for group in rule["apiGroups"]), ", ".join(rule["resources"]), names,
                       ", ".join(rule["verbs"]))


class Reference(unittest.TestCase):
    maxDiff = None

    def test_the_flags_are_those_of_help(self):
        self.assertEqual(flags_docs.PAGE.read_text(), flags_docs.page(os.environ["FLUXHOOK"]),
                         "run scripts/flags_docs.py FLUXHOOK")

    def test_the_rights_are_those_of_the_manifests(self):
        table = pages.sections(pages.read("reference.md"), 2)["RBAC"]
        told = [tuple(row[:5]) for row in pages.rows(table, 6)][1:]
        self.assertEqual(sorted(told), sorted(given()))


if __name__ == "__main__":
    unittest.main()
