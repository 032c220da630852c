#!/usr/bin/env python3
"""Findings with their places, formats, exit codes, and what the input may be."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import BINARY, fluxhook

GOOD = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: js
  labels: {flux-framework.org/inject: "true"}
spec:
  replicatedJobs:
  - name: node
    template: {spec: {template: {spec: {containers: [{name: a, image: a:1, command: [a]}]}}}}
"""
BAD = GOOD.replace("  labels:", '  annotations:\n    flux-framework.org/num-proc-per-node: "0"\n  labels:')
WARNS = GOOD.replace("spec:\n  rep", "spec:\n  network: {publishNotReadyAddresses: false}\n  rep")
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
FAULT = ("{}:6:43: error FH001 metadata.annotations[flux-framework.org/num-proc-per-node]: "
         'Invalid value: "0": must be greater than or equal to 1\n'
         '  6 |     flux-framework.org/num-proc-per-node: "0"\n'
         "    |                                           ^\n")


class Case(unittest.TestCase):
    TOP = pathlib.Path(__file__).resolve().parents[2]

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def validate(self, *args, code, stdin=""):
        done = fluxhook("validate", *args, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Findings(Case):
    def test_clean_input(self):
        done = self.validate("-", stdin=GOOD, code=0)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, "fluxhook: 1 JobSet judged: 0 errors, 0 warnings\n")

    def test_a_finding_says_where_and_what(self):
        file = self.write("bad.yaml", BAD)
        done = self.validate(file, code=1)
        self.assertEqual(done.stdout, FAULT.format(file))
        self.assertEqual(done.stderr, "fluxhook: 1 JobSet judged: 1 error, 0 warnings\n")

    def test_warnings_fail_only_when_asked(self):
        self.assertIn(":7:39: warning FH102 ", self.validate("-", stdin=WARNS, code=0).stdout)
        self.validate("-", "--warnings-as-errors", stdin=WARNS, code=1)
        self.assertEqual(self.validate("-", "--warnings-as-errors", "--disable", "FH102", stdin=WARNS, code=0).stdout, "")
        self.validate("--disable", "FH101,FH102", "-", "--warnings-as-errors", stdin=WARNS, code=0)  # a path may follow
        self.validate("-", "--disable", "num-proc-per-node", stdin=BAD, code=0)

    def test_every_format_has_the_same_exit_code(self):
        for text, code in ((GOOD, 0), (BAD, 1), (WARNS, 0), ("a: [", 2), ("", 2)):
            for output in ("text", "json", "sarif", "junit", "github"):
                self.validate("-", "-o", output, stdin=text, code=code)

    def test_json(self):
        file = self.write("bad.yaml", BAD + "---\n" + OTHER + "---\na: [\n")
        result = json.loads(self.validate(file, "-o", "json", code=2).stdout)
        self.assertEqual(result["findings"], [{
            "rule": "FH001", "name": "num-proc-per-node", "severity": "error", "file": file, "line": 6, "column": 43,
            "object": "js", "field": "metadata.annotations[flux-framework.org/num-proc-per-node]",
            "message": 'Invalid value: "0": must be greater than or equal to 1', "hint": ""}])
        self.assertEqual(result["summary"], {"documents": 2, "judged": 1, "unlabelled": 0, "unselected": 0, "others": 1,
                                             "notObjects": 0, "ignored": 0, "errors": 1, "warnings": 0})
        self.assertEqual(len(result["unreadable"]), 1)
        self.assertTrue(result["unreadable"][0]["where"].startswith(file + ":"))

    def test_github(self):
        file = self.write("a,b.yaml", BAD)
        done = self.validate(file, "-o", "github", code=1)
        escaped = file.replace(",", "%2C")
        self.assertEqual(done.stdout, f"::error file={escaped},line=6,col=43,title=FH001::FH001 metadata.annotations"
                                      "[flux-framework.org/num-proc-per-node]: Invalid value: \"0\": must be greater than "
                                      "or equal to 1\n")

    def test_all_faults_of_all_objects(self):
        text = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
            "- " + "\n  ".join(BAD.replace("name: js", f"name: js{i}").splitlines()) + "\n" for i in range(3))
        done = self.validate("-", stdin=text, code=1)
        self.assertEqual([line.split(":")[1] for line in done.stdout.splitlines()[::3]], ["9", "20", "31"])

    def test_places_in_json_flow_lists_and_anchors(self):
        flow = json.dumps(json.loads('{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"js",'
                                     '"labels":{"flux-framework.org/inject":"true"}},"spec":{"replicatedJobs":[{"name":'
                                     '"node","template":{"spec":{"template":{"spec":{"containers":[{"name":"a","args":'
                                     '["x"]}]}}}}}]}}'))
        done = self.validate("-", stdin=flow, code=1)
        column = flow.index('{"name": "a"') + 1
        self.assertIn(f"<stdin>:1:{column}: error FH012 ", done.stdout)
        anchored = BAD.replace("metadata:", "x: &a\n  flux-framework.org/log-level: loud\nmetadata:").replace(
            '  annotations:\n    flux-framework.org/num-proc-per-node: "0"', "  annotations: *a")
        self.assertIn("<stdin>:4:33: error FH003 ", self.validate("-", stdin=anchored, code=1).stdout)

    def test_a_word_that_kubectl_takes_for_a_boolean(self):
        done = self.validate("-", stdin=GOOD.replace("command: [a]", "command: [a, y]"), code=1)
        self.assertIn("must be a string; without quotes y, yes, on, n, no and off are booleans to kubectl", done.stdout)

    def test_a_label_without_quotes(self):
        done = self.validate("-", stdin=GOOD.replace('"true"', "true"), code=1)
        self.assertIn('<stdin>:5:39: error FH023 metadata.labels[flux-framework.org/inject]: Invalid value: "boolean": must '
                      "be a string; without quotes ", done.stdout)

    def test_other_kinds_and_unlabelled_jobsets_are_no_fault(self):
        unlabelled = GOOD.replace("flux-framework.org/inject", "example.org/inject")
        done = self.validate("-", stdin=f"{OTHER}---\n{unlabelled}", code=0)
        self.assertEqual(done.stderr,
                         "fluxhook: 0 JobSets judged, 1 without the label, 1 other object: 0 errors, 0 warnings\n")
        version = GOOD.replace("v1alpha2", "v1alpha1")
        self.assertIn("0 JobSets judged, 1 other object", self.validate("-", stdin=version, code=0).stderr)

    def test_a_label_on_what_is_no_jobset_is_a_warning(self):
        for old, new, says in (("kind: JobSet", "kind: Jobset", '"Jobset" of "jobset.x-k8s.io/v1alpha2": did you mean JobSet of'),
                               ("/v1alpha2", "/v1beta9", '"JobSet" of "jobset.x-k8s.io/v1beta9": did you mean JobSet of'),
                               ("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet", "apiVersion: batch/v1\nkind: Job",
                                '"Job" of "batch/v1": only JobSet of jobset.x-k8s.io/v1alpha2 is injected')):
            text = GOOD.replace(old, new)
            done = self.validate("-", stdin=text, code=0)
            self.assertIn("<stdin>:1:1: warning: the label flux-framework.org/inject has no effect on " + says, done.stderr)
            self.assertIn("1 other object: 0 errors, 1 warning", done.stderr)
            self.validate("-", "--warnings-as-errors", stdin=text, code=1)
            (note,) = json.loads(self.validate("-", "-o", "json", stdin=text, code=0).stdout)["notes"]
            self.assertEqual((note["file"], note["line"]), ("<stdin>", 1))
            self.assertIn(says, note["message"])
            self.assertIn("::warning file=<stdin>,line=1,col=1::", self.validate("-", "-o", "github", stdin=text, code=0).stdout)
            self.assertIn(says, fluxhook("mutate", "-", stdin=text).stderr)
            self.assertIn("<stdin>:1:1: warning: the label flux-framework.org/inject has no effect on " + says,
                          fluxhook("explain", "-", stdin=text).stderr)
            self.assertNotIn("warning:", self.validate("-", stdin=text.replace('"true"', '"false"'), code=0).stderr)
            self.assertNotIn("warning:", self.validate("-", "--label", "a/b", stdin=text, code=0).stderr)

    def test_strict_finds_settings_without_the_label(self):
        forgotten = BAD.replace("inject", "other")
        self.validate("-", stdin=forgotten, code=0)
        done = self.validate("-", "--strict", stdin=forgotten, code=1)
        self.assertIn("<stdin>:6:43: error FH106 metadata.annotations[flux-framework.org/num-proc-per-node]: Forbidden: "
                      "has no effect: the JobSet lacks the label flux-framework.org/inject", done.stdout)

    def test_the_label_of_another_server(self):
        self.validate("-", "--label", "example.org/other", stdin=BAD, code=0)

    def test_reviews_are_judged(self):
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "operation": "CREATE", "kind": {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
            "object": {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
                       "metadata": {"name": "js", "labels": {"flux-framework.org/inject": "true"}}, "spec": {}}}}
        self.assertIn("error FH005 spec.replicatedJobs", self.validate("-", stdin=json.dumps(review), code=1).stdout)
        review["request"]["operation"] = "DELETE"
        self.validate("-", stdin=json.dumps(review), code=0)


class Input(Case):
    def test_folders_and_several_paths(self):
        self.write("a/good.yaml", GOOD)
        self.write("a/b/bad.yml", BAD)
        self.write("a/.git/bad.yaml", BAD)
        self.write("a/readme.txt", BAD)
        other = self.write("other.json", '{"kind": "x"}')
        done = self.validate(str(self.folder / "a"), other, code=1)
        self.assertEqual(done.stdout, FAULT.format(self.folder / "a/b/bad.yml"))
        self.assertIn("2 JobSets judged, 1 not a Kubernetes object", done.stderr)

    def test_what_can_not_be_judged_is_no_green(self):
        file = self.write("good.yaml", GOOD)
        for args, says in (([str(self.folder / "none.yaml")], "none.yaml: error: no such file or folder"),
                           ([file, str(self.folder / "none.yaml")], "no such file or folder"),
                           ([self.write("broken.yaml", "a: [")], "broken.yaml:"),
                           ([self.write("empty.yaml", "# nothing\n")], "empty.yaml: error: no document in it"),
                           ([self.write("folder/readme.md", "x") and str(self.folder / "folder")], "no document in it"),
                           ([self.write("twice.yaml", "a: 1\na: 2\n")], "twice.yaml:2:1: error: the key \"a\""),
                           ([self.write("chart.yaml", "a:\n  {{- if .Values.x }}\n  b: 1\n  {{- end }}\n")], "looks like a Helm template"),
                           ([self.write("name.yaml", "a: {{ .Release.Name }}\n")], "looks like a Helm template"),
                           ([self.write("tab.yaml", "a:\n\tb: 1\n")], "a tab is no indentation in YAML"),
                           ([self.write("tab2.yaml", "a:\n  b: 1\n \tc: 1\n")], "a tab is no indentation in YAML"),
                           ([self.write("utf16.yaml", GOOD.encode("utf-16"))], "UTF-16"),
                           ([self.write("latin1.yaml", "a: \xe4".encode("latin1"))], "latin1.yaml:1:4: error: ")):
            self.assertIn(says, self.validate(*args, code=2).stderr)
        self.validate("--allow-empty", str(self.folder / "empty.yaml"), str(self.folder / "folder"), code=0)

    def test_what_can_not_be_read_is_told_once(self):
        done = self.validate("/proc/self/mem", code=2)  # opens, and then fails to be read
        self.assertEqual(done.stderr.count("can't be read"), 1)

    def test_input_without_end_is_cut_off(self):
        done = fluxhook("mutate", "/dev/zero")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/dev/zero: error: is larger than 64 MiB\n", done.stderr)
        self.assertIn("/dev/zero: is larger than 64 MiB", fluxhook("validate", "--config", "/dev/zero", "-").stderr)
        self.assertIn("is no regular file", fluxhook("mutate", "--companions", "--curve-key", "/dev/zero", "-").stderr)
        endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        done = subprocess.run([BINARY, "validate", "-"], stdin=endless.stdout, capture_output=True, text=True)
        endless.kill()
        endless.wait()
        endless.stdout.close()
        self.assertEqual(done.returncode, 2)
        self.assertIn("<stdin>: error: is larger than 64 MiB\n", done.stderr)

    def test_a_folder_that_can_not_be_read_hides_no_other(self):
        self.write("top/a/bad.yaml", BAD)
        self.write("top/b/hidden.yaml", BAD)
        self.write("top/c/d/bad.yaml", BAD)
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "top/b", 0)
        nobody = {"user": 65534} if os.geteuid() == 0 else {}
        done = subprocess.run([BINARY, "validate", str(self.folder / "top")], capture_output=True, text=True, **nobody)
        os.chmod(self.folder / "top/b", 0o755)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "".join(FAULT.format(self.folder / f"top/{sub}/bad.yaml") for sub in ("a", "c/d")))
        self.assertEqual(done.stderr.splitlines()[0], f"{self.folder}/top/b: error: Permission denied")

    def test_only_flags_that_there_are_are_named(self):
        empty = self.write("empty.yaml", "# nothing\n")
        for command, named in (("validate", True), ("mutate", False), ("explain", False)):
            done = fluxhook(command, empty)
            self.assertIn("empty.yaml: error: no document in it", done.stderr)
            self.assertEqual("--allow-empty" in done.stderr, named, command)

    def test_findings_do_not_hide_what_can_not_be_judged(self):
        done = self.validate("-", stdin=f"{BAD}---\na: [\n---\n{BAD}", code=2)
        self.assertEqual(done.stdout.count("FH001"), 2)

    def test_crlf_bom_and_marks_inside_values(self):
        self.validate("-", stdin="\ufeff" + BAD.replace("\n", "\r\n"), code=1)
        text = OTHER + "data:\n  key: |\n    -----BEGIN CERTIFICATE-----\n    ---\n    x\n---\n" + BAD
        done = self.validate("-", stdin=text, code=1)
        self.assertEqual(done.stdout.splitlines()[0], FAULT.replace(":6:", ":15:").format("<stdin>").splitlines()[0])

    def test_a_manifest_can_not_forge_lines(self):
        hostile = GOOD.replace("  labels:", '  annotations: {"flux-framework.org/x\\nevil.yaml:1:1: error": "\\e[31m"}\n  labels:')
        done = self.validate("-", stdin=hostile, code=1)
        self.assertEqual(done.stdout.count("\n"), 3)
        self.assertNotIn("\x1b", done.stdout)

    def test_bombs_are_refused(self):
        bomb = "a0: &a0 [x, x]\n" + "".join(
            f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))
        self.assertIn("aliases stand for more than", self.validate("-", stdin=bomb, code=2).stderr)
        self.assertIn("nested deeper", self.validate("-", stdin="[" * 100_000, code=2).stderr)
        self.assertIn("nested deeper", self.validate("-", stdin='{"a":' * 100_000, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
