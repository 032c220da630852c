#!/usr/bin/env python3
"""`fluxhook explain`: why a JobSet is or isn't injected, its instance, each setting's source, each change's reason."""
import json
import pathlib
import tempfile
import unittest

import yaml

from command import fluxhook

TOP = pathlib.Path(__file__).resolve().parents[2]
JOBSET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: js
  namespace: hpc
  labels: {flux-framework.org/inject: "true"}
  annotations:
    flux-framework.org/num-proc-per-node: "2"
    flux-framework.org/run-options: -o verbose=1
spec:
  replicatedJobs:
  - name: node
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template:
          spec:
            containers:
            - name: a
              image: a:1
              command: [app, "two words", "it's"]
              env:
              - {name: FLUX_NETWORK_DEVICE, value: ib0}
              resources:
                limits: {cpu: "8", nvidia.com/gpu: 4}
"""


def explain(*args, stdin=JOBSET, code=0):
    done = fluxhook("explain", *args, "-", stdin=stdin)
    assert done.returncode == code, done
    return done


class Explain(unittest.TestCase):
    def test_json(self):
        (explained,) = json.loads(explain("-o", "json", "--default-queue-policy", "easy").stdout)
        self.assertEqual((explained["file"], explained["line"], explained["object"], explained["injected"]),
                         ("<stdin>", 1, "hpc/js", True))
        self.assertEqual(explained["members"], [{"replicatedJob": "node", "container": "a", "replicas": 2, "pods": 3}])
        self.assertEqual((explained["lead"], explained["hosts"]), ("js-node-0-0", ["js-node-0-[0-2],js-node-1-[0-2]"]))
        self.assertEqual(explained["run"], ["flux", "run", "-N6", "-n12", "-c4", "-g2", "-o", "gpu-affinity=per-task",
                                            "-o", "verbose=1", "app", "two words", "it's"])
        self.assertEqual(explained["R"]["execution"]["R_lite"], [{"rank": "0-5", "children": {"core": "0-7", "gpu": "0-3"}}])
        settings = {setting["name"]: (setting["value"], setting["from"]) for setting in explained["settings"]}
        self.assertEqual(settings["num-proc-per-node"], ("2", "annotation"))
        self.assertEqual(settings["network-device"], ("ib0", "env FLUX_NETWORK_DEVICE"))
        self.assertEqual(settings["queue-policy"], ("easy", "server"))
        self.assertEqual(settings["log-level"], ("4", "default"))
        self.assertEqual(len(settings), 17)

    def test_every_change_has_a_reason_and_is_in_the_patch(self):
        (explained,) = json.loads(explain("-o", "json").stdout)
        patch = json.loads(fluxhook("mutate", "-o", "patch", "-", stdin=JOBSET).stdout)
        paths = {change["path"] for change in explained["changes"]}
        for operation in patch:
            self.assertIn(operation["path"], paths)
        for change in explained["changes"]:
            self.assertTrue(change["why"])
            self.assertTrue(change["source"])
            self.assertTrue(any(change["path"].startswith(operation["path"]) for operation in patch), change["path"])

    def test_a_change_names_the_rule_that_guards_its_place(self):
        (explained,) = json.loads(explain("-o", "json").stdout)
        rules = {change["path"].rsplit("/template", 1)[-1]: change["rule"] for change in explained["changes"]}
        for path, broken in (("/spec/completionMode", ("completions: 3", "completionMode: NonIndexed\n        completions: 3")),
                             ("/spec/network/enableDNSHostnames", ("spec:", "spec:\n  network: {enableDNSHostnames: false}"))):
            found = json.loads(fluxhook("validate", "-o", "json", "-", stdin=JOBSET.replace(*broken, 1)).stdout)
            self.assertIn(rules[path], [finding["rule"] for finding in found["findings"]], path)
        self.assertIsNone(rules["/spec/backoffLimit"])

    def test_text(self):
        text = explain().stdout
        for line in ("<stdin>:1:1: JobSet hpc/js",
                     'becomes a Flux cluster: its label flux-framework.org/inject: "true" selects it',
                     "replicatedJob     node, container a, pods 2 × 3", "brokers           6, the lead is js-node-0-0",
                     "hosts             js-node-0-[0-2],js-node-1-[0-2]", "each has          8 cores, 4 GPUs in R",
                     'R                 {"execution":{"R_lite":[{"children":{"core":"0-7","gpu":"0-3"},"rank":"0-5"}],',
                     "runs              flux run -N6 -n12 -c4 -g2 -o gpu-affinity=per-task -o verbose=1 app 'two words' 'it'\\''s'",
                     "num-proc-per-node 2  (annotation)", "network-device    ib0  (env FLUX_NETWORK_DEVICE)",
                     "replace /spec/replicatedJobs/0/template/spec/template/spec/containers/0/command",
                     "because: a broker's rank is its pod's index (KEP-2214; FH013)",
                     "because: one failed broker fails the Job"):
            self.assertIn(line, text)

    def test_why_not(self):
        for stdin, says, code in (
                (JOBSET.replace("inject:", "other:"), "it has no label flux-framework.org/inject", 0),
                (JOBSET.replace('"true"', '"false"'), 'its label flux-framework.org/inject: "false" does not select it', 0),
                (JOBSET.replace("  name: js", '  name: js\n  deletionTimestamp: "2026-01-01T00:00:00Z"'), "being deleted", 0),
                (JOBSET.replace("completions: 3", "completions: 4"), "it is denied: see the findings", 1)):
            done = explain(stdin=stdin, code=code)
            self.assertIn("is left as it is: ", done.stdout)
            self.assertIn(says, done.stdout)
            (explained,) = json.loads(explain("-o", "json", stdin=stdin, code=code).stdout)
            self.assertFalse(explained["injected"])
            self.assertIn(says, explained["reason"])

    def test_findings_have_their_places(self):
        broken = JOBSET.replace("completions: 3", "completions: 4")
        (explained,) = json.loads(explain("-o", "json", stdin=broken, code=1).stdout)
        self.assertEqual([(one["rule"], one["severity"], one["line"], one["column"]) for one in explained["findings"]],
                         [("FH014", "error", 17, 22)])

    def test_its_own_output(self):
        mutated = fluxhook("mutate", "-", stdin=JOBSET).stdout
        (explained,) = json.loads(explain("-o", "json", stdin=mutated).stdout)
        self.assertEqual(explained["reason"], "it is already injected, and nothing has to change")
        self.assertEqual(explained["changes"], [])
        self.assertEqual(explained["run"], json.loads(explain("-o", "json").stdout)[0]["run"])

    def test_an_interactive_cluster_runs_nothing(self):
        interactive = JOBSET.replace("  annotations:\n", '  annotations:\n    flux-framework.org/interactive: "true"\n')
        self.assertIn("nothing by itself: an interactive cluster", explain(stdin=interactive).stdout)

    def test_other_kinds_get_a_note(self):
        done = explain("-o", "json", stdin=f"apiVersion: v1\nkind: ConfigMap\n---\ntext\n---\n{JOBSET}")
        self.assertEqual(len(json.loads(done.stdout)), 1)
        self.assertIn("<stdin>:1:1: note: ConfigMap of v1: only JobSets of jobset.x-k8s.io/v1alpha2 are injected", done.stderr)
        self.assertIn("<stdin>:4:1: note: not a Kubernetes object", done.stderr)

    def test_no_text_moves_the_cursor(self):
        """Neither values and keys of a manifest nor a file's name; not in a finding, a note or a fault either."""
        esc = "\\e]0;owned\\a\\e[2J\\r\\n\\x9b1A\\u202e"
        denied = JOBSET.replace("name: js", f'name: "{esc}"').replace("name: a\n", f'name: "a{esc}"\n')
        run = JOBSET.replace('"two words"', f'"{esc}"')
        other = JOBSET.replace("kind: JobSet", f'kind: "{esc}"')
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for number, (text, code) in enumerate(((denied, 1), (run, 0), (other, 0), (JOBSET + "\x01", 2), ("", 2))):
            file = folder / f"{number}\x1b[31m\n\x9b.yaml"
            file.write_text(text)
            for command in (["explain"], ["validate"], ["validate", "-o", "github"], ["mutate"], ["mutate", "-o", "diff"]):
                done = fluxhook(*command, str(file))
                self.assertIn(done.returncode, (code, 0), done)
                marks = "" if command[0] == "mutate" else "\u202e"  # YAML may hold them
                for line in (done.stdout + done.stderr).split("\n"):
                    self.assertNotRegex(line, f"[\x00-\x1f\x7f-\x9f{marks}]", command)
                    self.assertNotRegex(line, r"^\x9b|^\.yaml")
        self.assertIn(r"\x1b[2J\r\n", fluxhook("explain", str(next(folder.glob("1*")))).stdout)
        for args in (["mutate\x1b[2J"], ["validate", "--disable", "\x1b[2J", "x"], ["validate", "--colour\x1b[2J"]):
            self.assertNotIn("\x1b", fluxhook(*args).stderr)

    def test_examples_are_explained(self):
        done = fluxhook("explain", "-o", "json", str(TOP / "examples"))
        self.assertEqual(done.returncode, 0, done.stderr)
        documents = [document for file in (TOP / "examples").glob("*.yaml") for document in yaml.safe_load_all(file.read_text())]
        wanted = {document["metadata"]["name"] for document in documents if document["kind"] == "JobSet"}
        explained = json.loads(done.stdout)
        self.assertTrue(wanted <= {one["object"].split("/")[-1] for one in explained})
        self.assertTrue(all(one["injected"] for one in explained))


if __name__ == "__main__":
    unittest.main()
