#!/usr/bin/env python3
"""What validate counts, names and leaves out of its report."""
import json
import unittest

from command import fluxhook
from validate_test import BAD, GOOD, OTHER, Case


class Report(Case):
    def test_what_is_no_kubernetes_object_is_counted_apart(self):
        texts = ("- a list\n", "text\n", "7\n", "a: 1\n", "kind: JobSet\n", "apiVersion: v1\n",
                 "apiVersion: v1\nkind: List\nitems: {a: b}\n", "apiVersion: [v1]\nkind: Pod\n")
        for text in texts:
            for strict in ([], ["--strict"]):
                self.assertEqual(self.validate("-", *strict, stdin=text, code=0).stderr,
                                 "fluxhook: 0 JobSets judged, 1 not a Kubernetes object: 0 errors, 0 warnings\n", text)
        done = self.validate("-", "-o", "json", stdin="---\n".join((*texts, OTHER)), code=0)
        summary = json.loads(done.stdout)["summary"]
        self.assertEqual((summary["documents"], summary["others"], summary["notObjects"]), (len(texts) + 1, 1, len(texts)))
        self.assertIn(f"1 other object, {len(texts)} not Kubernetes objects:", done.stderr)

    def test_the_summary_tells_a_label_that_does_not_select_from_none(self):
        for value, code, errors in (('"yes"', 0, "0 errors, 1 warning"), ("true", 1, "1 error, 0 warnings"),
                                    ('"false"', 0, "0 errors, 0 warnings")):
            self.assertEqual(self.validate("-", stdin=GOOD.replace('"true"', value), code=code).stderr,
                             f"fluxhook: 0 JobSets judged, 1 with the label but not selected: {errors}\n")

    def test_output_has_its_bounds(self):
        done = self.validate("-", stdin=BAD.replace('"0"', '"' + 2_000_000 * "x" + '"'), code=1)
        self.assertLess(len(done.stdout), 1000)
        self.assertIn("xxx…", done.stdout)
        many = GOOD.replace("command: [a]", "command: [" + 250 * "1, " + "a]")
        done = self.validate("-", stdin=many, code=1)
        self.assertEqual(len(done.stdout.splitlines()), 300)
        self.assertEqual(done.stderr, "<stdin>:1:1: and 150 more\nfluxhook: 1 JobSet judged: 250 errors, 0 warnings\n")
        self.assertEqual(len(json.loads(self.validate("-", "-o", "json", stdin=many, code=1).stdout)["findings"]), 250)
        for command in ("mutate", "explain"):
            done = fluxhook(command, "-", stdin=many)
            self.assertEqual((done.stdout + done.stderr).count(" error FH023 "), 100)
            self.assertIn("<stdin>:1:1: and 150 more\n", done.stdout + done.stderr)

    def test_null_in_a_list(self):
        for null in ("null", "~", "!!null ''"):
            done = self.validate("-", stdin=GOOD.replace("command: [a]", f"command: [a, {null}]"), code=1)
            self.assertIn("<stdin>:9:", done.stdout)
            self.assertIn("error FH023 spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[1]: Invalid "
                          'value: "null": must be a string', done.stdout)
            self.validate("-", stdin=GOOD.replace("command: [a]", f"command: [a], args: {null}"), code=0)  # a field

    def test_github_names_what_can_not_be_read(self):
        broken, none = self.write("a,b.yaml", GOOD + "---\nb: [\n"), str(self.folder / "none.yaml")
        done = self.validate(broken, none, "-o", "github", code=2)
        first, second = done.stdout.splitlines()
        self.assertRegex(first, rf"^::error file={broken.replace(',', '%2C')},line=1[12],col=\d+::")
        self.assertEqual(second, f"::error file={none}::no such file or folder")

    def test_rules_are_named_in_any_case(self):
        for name in ("fh001", "Fh001", "NUM-PROC-PER-NODE"):
            self.validate("-", "--disable", name, stdin=BAD, code=0)
        self.validate("-", "--disable", "fh1", stdin=BAD, code=2)

    def test_a_misspelt_label(self):
        done = self.validate("-", stdin=GOOD.replace("/inject", "/injct"), code=0)
        self.assertIn("<stdin>:5:38: warning FH109 metadata.labels[flux-framework.org/injct]: Forbidden: is no label of "
                      "fluxhook; did you mean flux-framework.org/inject?", done.stdout)


if __name__ == "__main__":
    unittest.main()
