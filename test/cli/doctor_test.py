#!/usr/bin/env python3
"""`fluxhook doctor` against an API server that admits JobSets with fluxhook's own mutate."""
import base64
import json
import os
import pathlib
import tempfile
import unittest
import urllib.parse

from api_server import MUTATING, SECRET, VALIDATING
from command import fluxhook, kubectl
from doctor_cluster import (CERTIFICATE, CONTROLLER, DEPLOYMENT, JOBSETS, KEY_SECRET, LEASE, PODS, REVIEWS, Cluster, asked,
                            deployment, now)

FILES = ("--tls-cert=/certs/tls.crt", "--tls-key=/certs/tls.key")


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cluster = self.enterContext(Cluster(folder.name))
        self.folder = pathlib.Path(folder.name)

    def doctor(self, *args):
        """(exit code, {check: [(result, message, advice)]})"""
        done = fluxhook("doctor", "--kubeconfig", self.cluster.kubeconfig, "--namespace", "user", "-o", "json", *args)
        self.assertEqual(done.stderr, "")
        report = json.loads(done.stdout)
        self.assertEqual(report["healthy"], done.returncode == 0)
        found = {}
        for check in report["checks"]:
            found.setdefault(check["check"], []).append((check["result"], check["message"], check.get("advice", "")))
        return done.returncode, found

    def finds(self, check, result, *words):
        code, found = self.doctor()
        results = {line[0] for lines in found.values() for line in lines}
        self.assertEqual(code, 1 if "fail" in results else 0, found)
        lines = [" ".join(line[1:]) for line in found[check] if line[0] == result]
        for word in words:
            self.assertTrue(any(word in line for line in lines), found[check])

    def test_an_installation_in_order(self):
        code, found = self.doctor()
        self.assertEqual(code, 0)
        self.assertEqual({line[0] for lines in found.values() for line in lines}, {"ok"}, found)
        self.assertEqual(set(found), {"jobset", "webhooks", "order", "certificate", "pods", "injection", "controller",
                                      "key", "rights"})
        self.assertIn("2 ready", found["pods"][0][1])

    def test_nothing_is_changed(self):
        before = json.dumps(self.cluster.objects, sort_keys=True)
        self.doctor()
        self.assertEqual(json.dumps(self.cluster.objects, sort_keys=True), before)
        targets = [target for target in self.cluster.targets if target.startswith("POST")]
        self.assertEqual([target for target in targets if "dryRun=All" not in target and REVIEWS not in target], [])
        self.assertEqual(sum(JOBSETS + "/namespaces/user/jobsets" in target for target in targets), 2)

    def test_text(self):
        self.cluster.ready = []
        done = fluxhook("doctor", "--kubeconfig", self.cluster.kubeconfig)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ok    jobset: ", done.stdout)
        self.assertRegex(done.stdout, "fail  pods: Service flux/fluxhook has no pod that is ready\n      kubectl ")
        self.assertIn(JOBSETS + "/namespaces/flux/jobsets", " ".join(self.cluster.targets))  # the context's namespace

    def test_no_jobset(self):
        del self.cluster.objects[JOBSETS]
        self.finds("jobset", "fail", "not installed")
        self.finds("injection", "skip", "no JobSets")

    def test_configurations(self):
        sound_one = json.dumps(self.cluster.objects[MUTATING])
        for change, result, words in (
                (lambda hook: hook.update(failurePolicy="Ignore"), "warn", "failurePolicy is Ignore"),
                (lambda hook: hook.pop("objectSelector"), "warn", "for each JobSet"),
                (lambda hook: hook["objectSelector"]["matchExpressions"][0].update(key="x"), "fail", "does not ask for"),
                (lambda hook: hook["rules"][0].update(operations=["CREATE"]), "fail", "no rule for UPDATE"),
                (lambda hook: hook["rules"][0].update(resources=["jobs"]), "fail", "no rule for CREATE"),
                (lambda hook: hook["clientConfig"]["service"].update(path="/x"), "fail", "calls the path"),
        ):
            with self.subTest(words):
                self.cluster.put(MUTATING, json.loads(sound_one))
                change(self.cluster.hook(MUTATING))
                self.finds("webhooks", result, "MutatingWebhookConfiguration fluxhook", words)
        self.cluster.put(MUTATING, json.loads(sound_one))
        del self.cluster.objects[VALIDATING]
        self.finds("webhooks", "fail", "ValidatingWebhookConfiguration fluxhook is not there")

    def test_a_ca_bundle_that_is_missing_or_of_another_ca(self):
        bundle = self.cluster.hook(VALIDATING)["clientConfig"].pop("caBundle")
        self.finds("webhooks", "fail", "has no caBundle")
        self.cluster.hook(VALIDATING)["clientConfig"]["caBundle"] = bundle
        other = fluxhook("certs", "secret", "--name", "x", "--namespace", "flux", "--dns", "a").stdout
        self.cluster.hook(MUTATING)["clientConfig"]["caBundle"] = kubectl(other)["data"]["ca.crt"]
        self.finds("certificate", "fail", "MutatingWebhookConfiguration fluxhook does not trust")

    def test_a_certificate_that_ends_soon_or_can_t_be_read(self):
        self.cluster.objects[SECRET]["data"]["tls.crt"] = "bm9pc2U="
        self.finds("certificate", "fail", "no certificate in PEM")

    def test_no_secret_of_a_certificate(self):
        del self.cluster.objects[SECRET]
        self.finds("certificate", "warn", "Secret fluxhook-tls is missing", "within a minute")
        self.cluster.put(DEPLOYMENT, deployment(*FILES))
        self.finds("certificate", "skip", "not self-managed")
        del self.cluster.objects[DEPLOYMENT]
        self.finds("certificate", "skip", "there is no Secret fluxhook-tls")

    def test_what_another_way_to_run_it_has_left_is_not_judged(self):
        self.cluster.objects[SECRET]["data"]["tls.crt"] = "bm9pc2U="
        self.cluster.objects[LEASE]["spec"]["renewTime"] = now(-300)
        self.cluster.put(DEPLOYMENT, deployment(*FILES, "--controller=off"))
        self.finds("certificate", "skip", "not self-managed")
        self.finds("controller", "warn", "switched off by --controller off", "fluxhook mutate --companions")

    def test_the_order_of_webhooks(self):
        self.cluster.others.append("a-jobset-webhook")
        self.finds("order", "warn", "a-jobset-webhook sees a JobSet before fluxhook")

    def test_injection(self):
        self.cluster.injects = lambda obj: False
        self.finds("injection", "fail", "stored as it is", "namespaceSelector")
        self.cluster.injects = lambda obj: True
        self.finds("injection", "fail", "without the label is changed")
        for message, advice in (("failed calling webhook: tls: x509: certificate signed by unknown authority", "caBundle"),
                                ("failed calling webhook: no endpoints available for service", "no pod"),
                                ("failed calling webhook: context deadline exceeded", "firewall")):
            self.cluster.refuses = message
            self.finds("injection", "fail", message, advice)

    def test_no_firewall_is_blamed_while_no_pod_is_ready(self):
        self.cluster.ready = [False]
        for message in ("failed calling webhook: context deadline exceeded", "failed calling webhook: i/o timeout"):
            self.cluster.refuses = message
            self.finds("injection", "fail", message, "no pod of the server is ready")
            self.assertNotIn("firewall", json.dumps(self.doctor()))

    def test_a_rollout_that_is_stuck(self):
        running = {"containerStatuses": [{"name": "fluxhook", "ready": True, "state": {"running": {}}}]}

        def waits(reason, message=None, list_="containerStatuses"):
            state = {"reason": reason, **({"message": message} if message else {})}
            return {list_: [{"name": "fluxhook", "ready": False, "state": {"waiting": state}}]}
        unscheduled = {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                       "message": "0/1 nodes are available"}]}
        # The first: what a Deployment of one replica with maxSurge 1 says while the new pod never starts.
        for status, pod, words in (
                ({"replicas_wanted": 1, "replicas": 2}, waits("CrashLoopBackOff", "back-off 5m0s restarting"),
                 "1 wanted, 1 of the newest template, 1 of an older one, 1 ready; "
                 "pod fluxhook-1: CrashLoopBackOff: back-off 5m0s restarting"),
                ({"readyReplicas": 1}, waits("ContainerCreating"), "1 ready; pod fluxhook-1: ContainerCreating"),
                ({"readyReplicas": 1}, waits("ErrImagePull", "no such image", "initContainerStatuses"),
                 "fluxhook-1: ErrImagePull: no such image"),
                ({"readyReplicas": 1}, unscheduled, "fluxhook-1: Unschedulable: 0/1 nodes"),
                ({"updatedReplicas": 1}, running, "1 of the newest template"),
                ({"availableReplicas": 1}, running, "2 ready"),
                ({"observedGeneration": 2}, running, "not been acted on")):
            with self.subTest(words):
                self.cluster.pods = [running, pod]
                self.cluster.put(DEPLOYMENT, deployment("--tls-self-managed", **status))
                self.finds("pods", "ok", "2 ready")
                self.finds("pods", "warn", "Deployment flux/fluxhook: ", words, "kubectl --namespace flux get pods")
        asked_of = [urllib.parse.urlsplit(target.removeprefix("GET ")) for target in self.cluster.targets]
        self.assertEqual({query for url in asked_of if url.path == PODS
                          for query in urllib.parse.parse_qs(url.query)["labelSelector"]},
                         {"app.kubernetes.io/instance=fluxhook,app.kubernetes.io/name=fluxhook"})

    def test_a_rollout_where_pods_may_not_be_listed(self):
        self.cluster.put(DEPLOYMENT, deployment("--tls-self-managed", readyReplicas=1))
        self.cluster.fault = lambda method, path: 403 if path == PODS else None
        self.finds("pods", "warn", "2 wanted, 2 of the newest template, 0 of an older one, 1 ready kubectl")

    def test_the_lease(self):
        lease = self.cluster.objects[LEASE]["spec"]  # lasts 15 s
        # Between the ages that are tried and the limits of 15 s and 75 s are 25 s or more: no test depends on time.
        for holder, age, result, *words in (
                ("pod-1", -3600, "ok", "pod-1 leads: the Lease was renewed 0 s ago"),  # its clock is ahead
                ("pod-1", 45, "warn", "pod-1 held Lease flux/fluxhook, renewed it ", "lasts 15 s"),
                ("pod-1", 300, "fail", "is not renewed by anybody: the last time was 3", "Unauthorized",
                 "kubectl --namespace flux rollout restart deployment/fluxhook"),
                ("", 0, "warn", "has no holder", "rollout"),
                ("", 300, "fail", "is not renewed by anybody")):
            with self.subTest(holder=holder, age=age):
                lease.update(renewTime=now(-age), holderIdentity=holder)
                self.finds("controller", result, *words)
        del lease["renewTime"]
        self.finds("controller", "fail", "is not renewed by anybody")
        del self.cluster.objects[LEASE]
        self.finds("controller", "warn", "no controller has ever run")

    def test_the_master_keys_secret(self):
        self.finds("key", "ok", "Secret flux/fluxhook-curve-key holds a master key")
        for data, words in (({"key": base64.b64encode(b"x" * 31).decode()}, "data.key has 31 bytes"),
                            ({"key": base64.b64encode(b"x" * 33).decode()}, "data.key has 33 bytes"),
                            ({"key": ""}, "data.key has 0 bytes"), ({"other": "eA=="}, "has no data.key"),
                            (None, "has no data.key")):
            self.cluster.objects[KEY_SECRET]["data"] = data
            self.finds("key", "fail", words, "of 32 bytes is needed", "never overwrites it")
        del self.cluster.objects[KEY_SECRET]
        self.finds("key", "warn", "is missing: the leader works from memory", "your copy")
        self.cluster.fault = lambda method, path: 403 if path == KEY_SECRET else None
        self.finds("key", "skip", "Secret flux/fluxhook-curve-key, the master key, may not be read")

    def test_a_master_keys_secret_of_another_name_and_none(self):
        for args, result, words in ((("--curve-key-secret=mine",), "warn", "Secret flux/mine is missing"),
                                    ((), "ok", "fluxhook-curve-key"),
                                    (("--curve-key", "/key"), "skip", "no Secret holds the master key"),
                                    (("--curve-derivation=uid",), "skip", "no Secret holds the master key"),
                                    (("--controller=off",), "skip", "--controller off"),
                                    (("--config=/c.yaml",), "skip", "is not known"),
                                    (("--curve-key-secret=$(NAME)",), "skip", "is not known")):
            with self.subTest(args):
                self.cluster.put(DEPLOYMENT, deployment("--tls-self-managed", *args))
                self.finds("key", result, words)

    def test_a_right_that_is_missing(self):
        self.cluster.allows = lambda attributes: attributes["verb"] != "patch"
        self.finds("rights", "fail", "may not patch mutatingwebhookconfigurations/fluxhook", "RBAC")
        self.cluster.allows = lambda attributes: "namespace" in attributes  # the ClusterRole is deleted
        self.finds("rights", "fail", "may not get jobsets, list jobsets, ")

    def test_rights_are_those_that_the_arguments_need(self):
        for args, needed in (
                ((*FILES, "--controller=on"), CONTROLLER | {"get secrets/fluxhook-curve-key"}),
                ((*FILES,), CONTROLLER | {"get secrets/fluxhook-curve-key"}),  # auto, in a cluster
                ((*FILES, "--controller", "on", "--curve-key-secret", "mine"), CONTROLLER | {"get secrets/mine"}),
                ((*FILES, "--curve-key=/key"), CONTROLLER),
                ((*FILES, "--curve-derivation=uid"), CONTROLLER),
                (("--tls-self-managed", "--controller=off"), CERTIFICATE),
                (("--tls-self-managed", "--curve-key=/key"), CONTROLLER | CERTIFICATE),
                ((*FILES, "--controller=off"), set())):
            with self.subTest(args):
                self.cluster.put(DEPLOYMENT, deployment(*args))
                self.cluster.asked_for.clear()
                self.finds("rights", "ok", "may do all")
                self.assertEqual({asked(right) for right in self.cluster.asked_for}, needed)

    def test_rights_where_the_arguments_are_not_known(self):
        self.cluster.allows = lambda attributes: attributes["verb"] != "patch"
        for args in (None, ("--config=/etc/fluxhook.yaml",)):
            if args:
                self.cluster.put(DEPLOYMENT, deployment(*args))
            else:
                del self.cluster.objects[DEPLOYMENT]
            self.finds("rights", "warn", "may not patch mutatingwebhookconfigurations/fluxhook", "--tls-self-managed")

    def test_rights_are_those_of_the_deployments_service_account(self):
        account = "system:serviceaccount:flux:"
        for pod, name in (({"serviceAccountName": "other"}, "other"), ({}, "default")):
            self.cluster.put(DEPLOYMENT, {"metadata": {}, "spec": {"template": {"spec": pod}}})
            self.cluster.asked_about.clear()
            self.finds("rights", "ok", f"ServiceAccount flux/{name} may do all")
            self.assertEqual(self.cluster.asked_about, {account + name})
        self.cluster.fault = lambda method, path: 403 if path == DEPLOYMENT else None
        self.cluster.asked_about.clear()
        self.finds("rights", "ok", "ServiceAccount flux/fluxhook may do all")
        self.assertEqual(self.cluster.asked_about, {account + "fluxhook"})

    def test_a_user_who_may_only_create_jobsets(self):  # the pod of helm test
        self.cluster.fault = lambda method, path: 403 if "/jobsets" not in path and path not in (
            "/version", JOBSETS) else None
        code, found = self.doctor()
        self.assertEqual(code, 0, found)
        self.assertEqual({line[0] for line in found["injection"]}, {"ok"})
        self.assertEqual({check for check, lines in found.items() if lines[0][0] == "skip"},
                         {"webhooks", "order", "certificate", "pods", "controller", "key", "rights"})

    def test_a_user_who_may_not_create_jobsets(self):
        self.cluster.fault = lambda method, path: 403 if path.endswith("/jobsets") else None
        self.finds("injection", "skip", "Forbidden", "--namespace")

    def test_a_cluster_that_cannot_be_reached(self):
        config = self.folder / "kubeconfig"
        config.write_text(config.read_text().replace(f":{self.cluster.http.server_address[1]}", ":1"))
        done = fluxhook("doctor", "--kubeconfig", str(config))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1))
        self.assertEqual(fluxhook("doctor", "--kubeconfig", os.devnull + "/x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
