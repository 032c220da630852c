#!/usr/bin/env python3
"""What a migration can't know, or does in another way, is told with its place: the operators' behaviour is as their
documentation and code have it, kubelet's expansion of $(NAME) as Kubernetes' reference has it."""
import json
import tempfile
import unittest

import yaml

from command import fluxhook

TORCH = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: job}
spec:
  pytorchReplicaSpecs:
    Master: {template: {spec: {containers: [{name: pytorch, image: "app:1", command: [train]}]}}}
    Worker: {template: {spec: {containers: [{name: pytorch, image: "app:1", command: [train]}]}}}
"""
MPI = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: job}
spec:
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, image: "app:1", command: [mpirun, app]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: "app:1", command: [/usr/sbin/sshd, -De]}]}}}
"""
MINI = """
apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata: {name: job}
spec: {size: 2, tasks: 2, containers: [{image: "app:1", command: app}]}
"""


class Job:
    """A source that a test changes, and what becomes of it."""

    def __init__(self, text):
        self.source = yaml.safe_load(text)
        self.spec = self.source["spec"]

    def pod(self, replica):
        [replicas] = [value for key, value in self.spec.items() if key.endswith("ReplicaSpecs")]
        return replicas[replica]["template"]["spec"]

    def main(self, replica):
        return self.pod(replica)["containers"][0]

    def migrate(self, target="jobset"):
        with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
            self.done = fluxhook("migrate", "-t", target, "-o", "json", "--report", report.name, "-",
                                 stdin=json.dumps(self.source))
            [told] = json.load(report)["objects"]
        self.fields = told["fields"]
        return self

    def jobset(self):
        return json.loads(self.done.stdout)

    def container(self):
        return self.jobset()["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]

    def env(self):
        return {entry["name"]: entry.get("value") for entry in self.container().get("env", [])}

    def told(self, fate):
        return {field["field"]: field["text"] for field in self.fields if field["fate"] == fate}


MASTER = "spec.pytorchReplicaSpecs.Master.template.spec"
LAUNCHER = "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0]"
WORKER = "spec.mpiReplicaSpecs.Worker.template.spec.containers[0]"


class PyTorchJob(unittest.TestCase):
    def test_a_command_that_only_the_image_has_is_to_be_decided(self):
        for key in ("command", "args"):
            job = Job(TORCH)
            for name in ("Master", "Worker"):
                del job.main(name)["command"]
                if key == "args":
                    job.main(name)["args"] = ["--epochs=1"]
            with self.subTest(key):
                decide = job.migrate().told("decide")
                self.assertIn("image", decide[f"{MASTER}.containers[0]"])
                self.assertEqual(job.done.returncode, 1)

    def test_what_only_the_master_has_is_to_be_decided(self):
        main = {"env": [{"name": "A", "value": "1"}], "resources": {"limits": {"nvidia.com/gpu": 1}}, "args": ["-v"],
                "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
        pod = {"initContainers": [{"name": "i", "image": "i:1"}], "nodeSelector": {"disk": "fast"},
               "volumes": [{"name": "v", "emptyDir": {}}]}
        job = Job(TORCH)
        job.main("Master").update(main)
        job.pod("Master").update(pod)
        job.pod("Master")["containers"].append({"name": "side", "image": "side:1"})
        job.spec["pytorchReplicaSpecs"]["Master"]["template"]["metadata"] = {"labels": {"role": "first"}}
        decide = job.migrate().told("decide")
        wanted = {f"{MASTER}.containers[0].{key}" for key in main} | {f"{MASTER}.{key}" for key in pod}
        wanted |= {f"{MASTER}.containers[1]", MASTER.removesuffix(".spec") + ".metadata.labels"}
        self.assertEqual(set(decide), wanted)

    def test_what_both_have_alike_is_no_question(self):
        self.assertEqual(Job(TORCH).migrate().told("decide"), {})


class MPIJob(unittest.TestCase):
    def launched(self, *command, env=(), workers_env=(), **more):
        """A job whose launcher has this command and these variables, migrated."""
        job = Job(MPI)
        job.main("Launcher").update(command=list(command), env=list(env), **more)
        job.main("Worker")["env"] = list(workers_env)
        return job.migrate()

    def test_a_probe_of_a_worker_that_asks_for_sshd_or_its_port_goes(self):
        for probe in ({"exec": {"command": ["pgrep", "sshd"]}}, {"exec": {"command": ["pidof", "/usr/sbin/sshd"]}},
                      {"exec": {"command": ["cat", "/var/run/sshd.pid"]}},
                      {"exec": {"command": ["sh", "-c", "nc -z localhost 2222"]}},
                      {"exec": {"command": ["nc", "-z", "localhost", "22"]}}, {"tcpSocket": {"port": 2222}},
                      {"tcpSocket": {"port": "shell"}}, {"tcpSocket": {"port": 2022}}):
            job = Job(MPI)
            job.main("Worker").update(readinessProbe=probe, command=["/usr/sbin/sshd", "-De", "-p", "2022"],
                                      ports=[{"name": "shell", "containerPort": 2022}])
            with self.subTest(probe):
                self.assertIn("sshd", job.migrate().told("dropped")[f"{WORKER}.readinessProbe"])
                self.assertNotIn("readinessProbe", job.container())
                self.assertEqual(job.done.returncode, 0)

    def test_another_probe_of_a_worker_is_to_be_decided(self):
        for probe in ({"exec": {"command": ["cat", "/tmp/ready"]}}, {"tcpSocket": {"port": 8080}},
                      {"exec": {"command": ["nc", "-z", "localhost", "22222"]}}):
            job = Job(MPI)
            job.main("Worker")["livenessProbe"] = probe
            with self.subTest(probe):
                self.assertIn(f"{WORKER}.livenessProbe", job.migrate().told("decide"))
                self.assertEqual(job.container()["livenessProbe"], probe)

    def test_a_reference_in_the_command_is_the_launchers_value(self):
        job = self.launched("mpirun", "-x", "P=$(Q)", "-wdir", "/data/$(Q)", "app", "$(Q)/in", "$$(Q)", "$(NONE)",
                            env=[{"name": "Q", "value": "mine"}], workers_env=[{"name": "Q", "value": "theirs"}])
        self.assertEqual(job.container()["command"], ["app", "mine/in", "$$(Q)", "$(NONE)"])
        self.assertEqual(job.env(), {"Q": "theirs", "P": "mine"})
        self.assertEqual(job.container()["workingDir"], "/data/mine")
        self.assertEqual(job.told("decide"), {})

    def test_a_reference_to_what_the_pods_have_alike_stays(self):
        job = self.launched("mpirun", "app", "$(Q)", env=[{"name": "Q", "value": "mine"}])
        self.assertEqual((job.container()["command"], job.env()), (["app", "$(Q)"], {"Q": "mine"}))

    def test_a_reference_to_a_value_of_the_launcher_that_is_no_literal_is_to_be_decided(self):
        key = {"secretKeyRef": {"name": "s", "key": "k"}}
        for entry in ({"name": "Q", "valueFrom": key}, {"name": "Q", "value": "$(OTHER)"}):
            job = self.launched("mpirun", "-x", "P=$(Q)", "app", "$(Q)", env=[entry],
                                workers_env=[{"name": "Q", "value": "theirs"}])
            with self.subTest(entry):
                self.assertEqual(set(job.told("decide")), {f"{LAUNCHER}.command[1]", f"{LAUNCHER}.command[4]"})

    def test_a_launchers_variable_that_refers_to_another_one_keeps_its_value(self):
        job = self.launched("mpirun", "app", workers_env=[{"name": "Q", "value": "theirs"}],
                            env=[{"name": "Q", "value": "mine"}, {"name": "P", "value": "a$(Q)"}])
        self.assertEqual(job.env(), {"Q": "theirs", "P": "amine"})

    def test_a_reference_that_only_the_worker_has_is_to_be_decided(self):
        job = self.launched("mpirun", "app", "$(Q)", workers_env=[{"name": "Q", "value": "theirs"}])
        self.assertEqual(set(job.told("decide")), {f"{LAUNCHER}.command[2]"})

    def test_the_launchers_working_directory_is_that_of_the_tasks(self):
        job = Job(MPI)
        job.main("Launcher")["workingDir"] = "/launcher"
        job.main("Worker")["workingDir"] = "/worker"
        self.assertIn(f"{LAUNCHER}.workingDir", job.migrate().told("changed"))
        self.assertEqual(job.container()["workingDir"], "/launcher")
        job.main("Launcher")["command"] = ["mpirun", "-wdir", "/told", "app"]
        self.assertIn(f"{LAUNCHER}.workingDir", job.migrate().told("dropped"))
        self.assertEqual(job.container()["workingDir"], "/told")

    def test_a_working_directory_that_only_the_worker_has_is_told(self):
        job = Job(MPI)
        job.main("Worker")["workingDir"] = "/worker"
        self.assertIn(f"{WORKER}.workingDir", job.migrate().told("changed"))
        self.assertEqual(job.container()["workingDir"], "/worker")

    def test_mpiruns_own_variables_in_the_program_are_to_be_decided(self):
        for name, flux in (("OMPI_COMM_WORLD_RANK", "FLUX_TASK_RANK"), ("PMIX_RANK", "FLUX_TASK_RANK"),
                           ("OMPI_COMM_WORLD_LOCAL_RANK", "FLUX_TASK_LOCAL_ID"),
                           ("MPI_LOCALRANKID", "FLUX_TASK_LOCAL_ID"), ("OMPI_COMM_WORLD_SIZE", "FLUX_JOB_SIZE"),
                           ("HYDRA_BSTRAP_LOCALHOST", "FLUX_TASK_RANK")):
            job = self.launched("mpirun", "bash", "-c", f"./a --rank=${{{name}}}")
            with self.subTest(name):
                text = job.told("decide")[f"{LAUNCHER}.command[3]"]
                self.assertTrue(name in text and flux in text, text)
        # RFC 13: a PMI-1 server gives its clients these, so flux run does.
        self.assertEqual(self.launched("mpirun", "app", "$PMI_RANK/$PMI_SIZE").told("decide"), {})

    def test_an_exported_variable_that_the_launcher_does_not_set_is_told(self):
        job = self.launched("mpirun", "-x", "SET", "-x", "UNSET", "app", env=[{"name": "SET", "value": "1"}])
        self.assertEqual([field for field, text in job.told("dropped").items() if "UNSET: " in text],
                         [f"{LAUNCHER}.command[3]"])
        self.assertEqual(job.env(), {"SET": "1"})

    def test_an_empty_program_is_no_program(self):
        self.assertIn("empty", self.launched("mpirun", "", "./a").told("decide")[f"{LAUNCHER}.command[0]"])


class Values(unittest.TestCase):
    def test_a_value_that_the_result_can_not_take_is_left_out_and_to_be_decided(self):
        for text, path, value, right in (
                (MPI, "spec.runPolicy.backoffLimit", -1, "an integer from 0 to 2147483647, is -1"),
                (MPI, "spec.runPolicy.backoffLimit", "x", 'an integer from 0 to 2147483647, is "x"'),
                (MPI, "spec.runPolicy.ttlSecondsAfterFinished", "x", 'an integer from 0 to 2147483647, is "x"'),
                (MPI, "spec.runPolicy.ttlSecondsAfterFinished", 2147483648, "to 2147483647, is 2147483648"),
                (MPI, "spec.runPolicy.activeDeadlineSeconds", 1.5, "an integer from 0 to 9223372036854775807, is 1.5"),
                (MPI, "spec.runPolicy.suspend", "yes", 'true or false, is "yes"'),
                (TORCH, "spec.runPolicy.schedulingPolicy.priorityClass", 7, "a string, is 7"),
                (TORCH, "spec.elasticPolicy.maxRestarts", -1, "an integer from 0 to 2147483647, is -1"),
                (MINI, "spec.deadlineSeconds", -1, "an integer from 0 to"),
                (MINI, "spec.backoffLimit", 3000000000, "an integer from 0 to 2147483647, is 3000000000"),
                (MINI, "spec.pod.tolerations", {"a": "b"}, "a list, is an object")):
            job = Job(text)
            node = job.source
            for key in path.split(".")[:-1]:
                node = node.setdefault(key, {})
            without = json.dumps(job.migrate().jobset()) if "elastic" not in path else None
            node[path.split(".")[-1]] = value
            with self.subTest(path, value=value):
                self.assertIn(right, job.migrate().told("decide")[path])
                self.assertEqual(job.done.returncode, 1)
                if without:
                    self.assertEqual(json.dumps(job.jobset()), without)

    def test_a_number_of_pods_that_can_not_be_is_an_error(self):
        for value in (-1, 2147483648, "2"):
            job = Job(MPI)
            job.spec["mpiReplicaSpecs"]["Worker"]["replicas"] = value
            done = fluxhook("migrate", "-", stdin=json.dumps(job.source))
            with self.subTest(value):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("Worker.replicas: must be an integer from 0 to 2147483647, is " + json.dumps(value),
                              done.stderr)

    def test_a_setting_that_the_source_has_itself_in_another_way_is_to_be_decided(self):
        key = "flux-framework.org/num-proc-per-node"
        job = Job(MPI)
        job.spec["slotsPerWorker"] = 2
        for value, wanted in (("7", {f"metadata.annotations[{key}]"}), ("2", set())):
            job.source["metadata"]["annotations"] = {key: value}
            with self.subTest(value):
                decide = job.migrate().told("decide")
                self.assertEqual(set(decide), wanted)
                self.assertTrue(all('"7"' in text and '"2"' in text for text in decide.values()))
                self.assertEqual(job.jobset()["metadata"]["annotations"][key], "2")
                self.assertFalse(set(job.told("carried")) & wanted)

    def test_a_label_that_keeps_the_webhook_away_is_to_be_decided(self):
        key = "flux-framework.org/inject"
        for value, wanted in (("false", {f"metadata.labels[{key}]"}), ("true", set())):
            job = Job(MPI)
            job.source["metadata"]["labels"] = {key: value}
            self.assertEqual(set(job.migrate().told("decide")), wanted)
            self.assertEqual(job.jobset()["metadata"]["labels"][key], "true")
        job = Job(MINI)
        job.spec["jobLabels"] = {key: "false", "a": "b"}
        self.assertEqual(set(job.migrate().told("decide")), {f"spec.jobLabels[{key}]"})
        self.assertEqual(job.jobset()["metadata"]["labels"], {key: "true", "a": "b"})

    def test_an_empty_directory_is_told_with_where_it_is_and_the_medium_that_counts(self):
        job = Job(MINI)
        volume = {"emptyDir": True, "emptyDirMedium": "Memory", "path": "/scratch"}
        job.spec["containers"][0]["volumes"] = {"v": volume}
        dropped, field = job.migrate().told("dropped"), "spec.containers[0].volumes.v"
        self.assertEqual(job.container()["volumeMounts"], [{"name": "v", "mountPath": "/dev/shm"}])
        self.assertTrue('"memory"' in dropped[f"{field}.emptyDirMedium"] and "/dev/shm" in dropped[f"{field}.path"])
        volume["emptyDir"] = "Memory"
        self.assertRegex(job.migrate().told("decide")[f"{field}.emptyDir"], 'must be true or false, is "Memory".*/dev/shm')


class TrainJob(unittest.TestCase):
    def test_a_runtime_has_nothing_of_its_one_job_s_name_and_size(self):
        job = Job(TORCH)
        job.source["metadata"]["name"] = "unlikely-name"
        job.spec["elasticPolicy"] = {"rdzvPort": 29400}
        done = fluxhook("migrate", "-t", "trainjob", "-", stdin=json.dumps(job.source))
        runtime, trained = yaml.safe_load_all(done.stdout)
        self.assertNotIn("unlikely-name", json.dumps(runtime["spec"]))
        self.assertNotIn("WORLD_SIZE", json.dumps(runtime["spec"]))
        self.assertEqual(trained["spec"]["trainer"]["env"], [{"name": "WORLD_SIZE", "value": "2"}])


if __name__ == "__main__":
    unittest.main()
