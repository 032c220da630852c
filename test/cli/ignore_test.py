#!/usr/bin/env python3
"""Comments that leave a finding out, and Trainer's runtimes."""
import json
import unittest

from command import fluxhook
from validate_test import BAD, GOOD, WARNS, Case

RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mpi
spec:
  mlPolicy:
    numNodes: 2
  template:
    metadata:
      labels:
        flux-framework.org/inject: "true"
      annotations:
        flux-framework.org/num-proc-per-node: "0"
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: a:1
                  args: [b]
"""


class Ignores(Case):
    def put(self, comment, above=None):
        """BAD with a comment at the end of the finding's line, or above it."""
        line = '    flux-framework.org/num-proc-per-node: "0"'
        return BAD.replace(line, (above + "\n" if above else "") + line + ("  " + comment if comment else ""))

    def test_at_the_end_of_the_line_or_alone_above_it(self):
        for text in (self.put("# fluxhook: ignore FH001 set by hand"), self.put("", "# fluxhook: ignore FH001 set by hand"),
                     self.put("#fluxhook:  ignore  num-proc-per-node  set by hand"),
                     self.put("", "    # fluxhook: ignore fh001,FH002 set by hand\n    # and more words").replace(",FH002", ""),
                     self.put("", "    # fluxhook: ignore FH001 one\n    # fluxhook: ignore FH001 two").replace("    # fluxhook: ignore FH001 two", "    # two")):
            for ends in ("\n", "\r\n"):
                done = self.validate("-", "--warnings-as-errors", stdin=text.replace("\n", ends), code=0)
                self.assertEqual((done.stdout, done.stderr),
                                 ("", "fluxhook: 1 JobSet judged, 1 finding ignored: 0 errors, 0 warnings\n"), text)
        result = json.loads(self.validate("-", "-o", "json", stdin=self.put("# fluxhook: ignore FH001 x"), code=0).stdout)
        self.assertEqual((result["findings"], result["summary"]["ignored"]), ([], 1))

    def test_blank_lines_and_other_comments_may_stand_between(self):
        mark = "    # fluxhook: ignore FH001 why"
        for above in (mark + "\n", mark + "\n  \n    # more\n\n# and more\n", "    # before\n" + mark + "\n\n    # fluxhook: ignore FH002 other"):
            for ends in ("\n", "\r\n"):
                done = self.validate("-", stdin=self.put("", above).replace("\n", ends), code=0)
                self.assertIn("1 finding ignored", done.stderr)
        self.validate("-", stdin=self.put("", mark + "\n    x: y\n"), code=1)  # that is the next line
        self.assertIn("nothing to ignore", self.validate("-", stdin=GOOD + mark + "\n\n# end\n", code=0).stderr)

    def test_it_is_for_one_rule_in_one_line(self):
        self.validate("-", stdin=self.put("# fluxhook: ignore FH002 why"), code=1)
        self.validate("-", stdin="# fluxhook: ignore FH001 why\n" + BAD, code=1)
        self.validate("-", stdin=self.put("# fluxhook: ignore FH001 why") + "---\n" + BAD, code=1)
        text = self.put("", "    x: '# fluxhook: ignore FH001 why'").replace("annotations:", "annotations:")
        self.validate("-", stdin=text, code=1)  # no comment

    def test_one_that_ignores_nothing_is_a_warning(self):
        text = GOOD.replace("name: js", "name: js  # fluxhook: ignore FH001 why")
        done = self.validate("-", stdin=text, code=0)
        self.assertIn("<stdin>:4:1: warning: nothing to ignore: no finding of FH001 in line 4\n", done.stderr)
        self.assertIn("0 errors, 1 warning", done.stderr)
        self.validate("-", "--warnings-as-errors", stdin=text, code=1)
        (note,) = json.loads(self.validate("-", "-o", "json", stdin=text, code=0).stdout)["notes"]
        self.assertEqual(note["line"], 4)

    def test_one_that_can_not_be_taken_is_a_fault(self):
        for comment, says in (("# fluxhook: ignore FH999 why", '"FH999" is no rule'), ("# fluxhook: ignore FH001", "a reason is missing"),
                              ("# fluxhook: ignore", '"" is no rule'), ("# fluxhook: ignroe this", '"this" is no rule'),
                              ("# fluxhook: ignore FH001, because", '"" is no rule')):
            done = self.validate("-", stdin=self.put(comment), code=2)
            self.assertIn(f"<stdin>:6:1: error: {says}", done.stderr)
            self.assertIn("error FH001", done.stdout)  # it hides nothing
            self.assertIn("fluxhook: 1 JobSet judged, 1 faulty ignore comment: 1 error, 0 warnings\n", done.stderr)
        for comment in ("# fluxhook: turns this into a cluster", "# see fluxhook: ignore", "# fluxhook is good"):
            self.assertNotIn("is no rule", self.validate("-", stdin=self.put(comment), code=1).stderr)

    def test_warnings_too(self):
        text = WARNS.replace("false}", "false}  # fluxhook: ignore FH102 no probes")
        self.assertIn("1 finding ignored", self.validate("-", "--warnings-as-errors", stdin=text, code=0).stderr)

    def test_the_server_does_not_know_them(self):
        self.assertEqual(fluxhook("mutate", "-", stdin=self.put("# fluxhook: ignore FH001 why")).returncode, 1)


class Runtimes(Case):
    def test_templates_are_judged(self):
        for kind in ("ClusterTrainingRuntime", "TrainingRuntime"):
            done = self.validate("-", stdin=RUNTIME.replace("ClusterTrainingRuntime", kind), code=1)
            lines = done.stdout.splitlines()
            self.assertIn("<stdin>:13:47: error FH001 spec.template.metadata.annotations[flux-framework.org/num-proc-per-node]: ",
                          lines[0])
            self.assertIn(" error FH012 spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].command: ",
                          done.stdout)
            self.assertIn("1 JobSet judged: 2 errors", done.stderr)
        (first, _) = json.loads(self.validate("-", "-o", "json", stdin=RUNTIME, code=1).stdout)["findings"]
        self.assertEqual((first["object"], first["line"]), ("ClusterTrainingRuntime mpi", 13))

    def test_without_the_label_it_is_counted(self):
        text = RUNTIME.replace('inject: "true"', 'x: "true"').replace("flux-framework.org/x", "example.org/x")
        self.assertIn("0 JobSets judged, 1 without the label", self.validate("-", stdin=text, code=0).stderr)
        for spec in ("spec: {}", "spec: {template: []}", "x: y"):
            text = f"apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {{name: a}}\n{spec}\n"
            self.assertIn("1 other object", self.validate("-", stdin=text, code=0).stderr)

    def test_a_label_where_it_has_no_effect(self):
        text = RUNTIME.replace("  name: mpi\n", '  name: mpi\n  labels: {flux-framework.org/inject: "true"}\n').replace(
            '"0"', '"1"').replace("args", "command")
        done = self.validate("-", stdin=text, code=0)
        self.assertIn("warning: the label flux-framework.org/inject has no effect on \"ClusterTrainingRuntime\"", done.stderr)
        self.assertIn("Trainer gives a JobSet the labels in spec.template.metadata of its runtime", done.stderr)

    def test_explained_and_not_mutated(self):
        good = RUNTIME.replace('"0"', '"2"').replace("args: [b]", "command: [b]")
        self.assertIn("JobSet of ClusterTrainingRuntime mpi", fluxhook("explain", "-", stdin=good).stdout)
        self.assertEqual(fluxhook("mutate", "-", stdin=good).stdout, good)

    def test_wrong_types_do_no_harm(self):
        for old, new in (("metadata:\n      labels:", "metadata: 7\n    x:\n      labels:"), ("  mlPolicy:", "  mlPolicy: {}\n  y:"),
                         ("      replicatedJobs:", "      replicatedJobs: 1\n      z:")):
            done = fluxhook("validate", "-", stdin=RUNTIME.replace(old, new))
            self.assertIn(done.returncode, (0, 1), done)


if __name__ == "__main__":
    unittest.main()
