#!/usr/bin/env python3
"""`fluxhook migrate`: what is printed, what is said, the report, and exit codes."""
import json
import pathlib
import tempfile
import unittest

import yaml

from command import fluxhook

MPIJOB = """apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {name}
spec:
  slotsPerWorker: 2
  mpiReplicaSpecs:
    Launcher:
      template: {{spec: {{containers: [{{name: l, image: "app:1", command: {command}}}]}}}}
    Worker:
      replicas: 2
      template: {{spec: {{containers: [{{name: w, image: "app:1"}}]}}}}
"""
FINE = MPIJOB.format(name="fine", command='[mpirun, app]')
OPEN = MPIJOB.format(name="open", command='[bash, -c, mpirun app]')
COMMAND = "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"


def migrate(*args, stdin=""):
    return fluxhook("migrate", *args, stdin=stdin)


class Migrate(unittest.TestCase):
    def test_exit_code_0_when_all_is_carried_or_told_and_1_when_there_is_something_to_decide(self):
        self.assertEqual(migrate("-", stdin=FINE).returncode, 0)
        done = migrate("-", stdin=OPEN)
        self.assertEqual(done.returncode, 1)
        column = OPEN.splitlines()[8].index("bash") + 1
        self.assertIn(f"<stdin>:9:{column}: decide: {COMMAND}[0]: bash is no mpirun", done.stderr)

    def test_what_can_be_migrated_is_printed_although_another_object_can_not(self):
        broken = ("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: x}\n"
                  "spec:\n  pytorchReplicaSpecs: {}\n")
        done = migrate("-", stdin=broken + "---\n" + FINE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(yaml.safe_load(done.stdout)["metadata"]["name"], "fine")
        self.assertIn("<stdin>:5:24: error: spec.pytorchReplicaSpecs: must have a Master or a Worker", done.stderr)

    def test_objects_of_other_kinds_are_passed_over_and_counted(self):
        done = migrate("-", stdin="---\n".join([SERVICE, FINE, SERVICE, "just: values\n"]))
        self.assertEqual((done.returncode, len(list(yaml.safe_load_all(done.stdout)))), (0, 1))
        self.assertIn("fluxhook: 1 object migrated, 3 others passed over: ", done.stderr)

    def test_an_input_with_nothing_to_migrate_is_no_answer(self):
        for text in (SERVICE, ""):
            with self.subTest(text):
                done = migrate("-", stdin=text)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nothing to migrate", migrate("-", stdin=SERVICE).stderr)
        self.assertIn("no input", migrate().stderr)

    def test_objects_that_no_CRD_would_take_are_errors_with_their_place(self):
        column = FINE.splitlines()[8].index("[mpirun") + 1
        for before, after, where in (
                ("kubeflow.org/v2beta1", "kubeflow.org/v7", "1:13: error: apiVersion: must be kubeflow.org/ with one"),
                ("  name: fine", "  labels: {}", "4:3: error: metadata: must have a name or a generateName"),
                ("  name: fine", "  name: fine\n  labels: {a: 1}", "5:11: error: metadata.labels: must be a map of"),
                ("slotsPerWorker: 2", "slotsPerWorker: two", "6:19: error: spec.slotsPerWorker: must be an integer"),
                ("slotsPerWorker: 2", "slotsPerWorker: 0", "6:19: error: spec.slotsPerWorker: must be above 0"),
                ("replicas: 2", "replicas: x", "11:17: error: spec.mpiReplicaSpecs.Worker.replicas: must be an integer"),
                ("Launcher", "Leader", "8:5: error: spec.mpiReplicaSpecs: must have a Launcher"),
                ("[mpirun, app]", "mpirun app", f"9:{column}: error: {COMMAND}: must be a list of strings"),
                ("containers: [{name: l", "pods: [{name: l",
                 "9:17: error: spec.mpiReplicaSpecs.Launcher.template: must be a pod template with containers")):
            with self.subTest(after):
                self.assertIn(before, FINE)
                done = migrate("-", stdin=FINE.replace(before, after, 1))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("<stdin>:" + where, done.stderr)

    def test_the_report_has_each_field_with_its_place_and_the_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            source, report = pathlib.Path(folder, "job.yaml"), pathlib.Path(folder, "report.json")
            source.write_text(SERVICE + "---\n" + OPEN)
            done = migrate("-t", "trainjob", "--report", str(report), str(source))
            told = json.loads(report.read_text())
        self.assertEqual(done.returncode, 1)
        [job] = told["objects"]
        self.assertEqual((job["file"], job["line"], job["kind"], job["name"]), (str(source), 5, "MPIJob", "open"))
        self.assertEqual([(made["kind"], made["name"]) for made in job["becomes"]],
                         [("TrainingRuntime", "open"), ("TrainJob", "open")])
        self.assertIn({"fate": "carried", "field": "spec.slotsPerWorker", "line": 10, "column": 3,
                       "text": "metadata.annotations[flux-framework.org/num-proc-per-node]"}, job["fields"])
        fates = [field["fate"] for field in job["fields"]]
        keys = ("migrated", "others", "unreadable", "carried", "decide")
        self.assertEqual({key: told["summary"][key] for key in keys},
                         {"migrated": 1, "others": 1, "unreadable": 0, "carried": fates.count("carried"),
                          "decide": fates.count("decide")})

    def test_a_report_that_can_not_be_written_is_an_error(self):
        for file, why in {"/no/such/folder/report.json": "No such file or directory", "/usr": "Is a directory",
                          "/dev/full": "No space left on device"}.items():
            done = migrate("--report", file, "-", stdin=FINE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"can't write {file}: {why}\n", done.stderr)
            self.assertEqual(bool(done.stdout), file == "/dev/full")  # what can be known is told first

    def test_a_report_never_goes_where_something_is_read_or_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "job.yaml")
            source.write_text(FINE)
            pathlib.Path(folder, "link.json").symlink_to(source)
            for name, path in (("job.yaml", "job.yaml"), ("./job.yaml", "."), ("link.json", "*.yaml")):
                with self.subTest(name):
                    done = fluxhook("migrate", "--report", name, path, cwd=folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(f"--report {name} is one of the inputs", done.stderr)
                    self.assertEqual(source.read_text(), FINE)
            done = fluxhook("migrate", "--report", "-", "job.yaml", cwd=folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--report takes a file: the result goes to standard output", done.stderr)
            self.assertFalse(pathlib.Path(folder, "-").exists())

    def test_two_results_with_one_name_are_to_be_decided(self):
        for target, kinds in (("jobset", ["JobSet"]), ("trainjob", ["TrainingRuntime", "TrainJob"])):
            done = migrate("-t", target, "-", stdin=FINE + "---\n" + FINE)
            self.assertEqual(done.returncode, 1)
            for kind in kinds:
                self.assertIn(f"<stdin>:17:9: decide: metadata.name: a second {kind} /fine; the first comes from "
                              "<stdin>:4:9. Give one", done.stderr)
        other = FINE.replace("name: fine", "name: fine\n  namespace: other", 1)
        self.assertEqual(migrate("-", stdin=FINE + "---\n" + other).returncode, 0)

    def test_what_the_webhook_would_deny_about_the_result_is_to_be_decided(self):
        done = migrate("-", stdin=FINE.replace("name: fine", "name: " + "long-" * 11 + "name"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"decide: the webhook denies the result: FH016 ")

    def test_help_fits_a_screen_and_has_two_examples(self):
        lines = migrate("--help").stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertEqual(sum(line.strip().startswith(("fluxhook migrate", "kubectl")) and "Usage" not in line
                             for line in lines), 2)


if __name__ == "__main__":
    unittest.main()
