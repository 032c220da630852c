#!/usr/bin/env python3
"""`fluxhook doctor` against an API server that admits JobSets with fluxhook's own mutate."""
import datetime
import json
import os
import pathlib
import tempfile
import unittest

import jsonpatch
import yaml

from api_server import HOOKS, MUTATING, SECRET, VALIDATING, ApiServer, configuration
from command import fluxhook, kubectl

LABEL = "flux-framework.org/inject"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/flux/leases/fluxhook"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/flux/endpointslices"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def now(seconds=0):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def sound(kind, path):
    """A configuration as webhook-config/ has it."""
    obj = configuration(kind, 1)
    hook = obj["webhooks"][0]
    hook["clientConfig"]["service"]["path"] = path
    hook.update({"failurePolicy": "Fail", "rules": [{"apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["v1alpha2"],
                                                     "operations": ["CREATE", "UPDATE"], "resources": ["jobsets"]}],
                 "objectSelector": {"matchExpressions": [{"key": LABEL, "operator": "In", "values": ["true"]}]}})
    return obj


class Cluster(ApiServer):
    """An installation that is in order; `injects` and `allows` are what a test changes."""

    def __init__(self, folder):
        super().__init__(folder)
        self.injects = lambda obj: LABEL in obj["metadata"].get("labels", {})
        self.allows = lambda attributes: True
        self.refuses = None  # a message
        self.stored = []
        self.put("/version", {"metadata": {}, "gitVersion": "v1.34.0"})
        self.put(JOBSETS, {"metadata": {}, "kind": "APIResourceList"})
        made = fluxhook("certs", "secret", "--name", "fluxhook-tls", "--namespace", "flux", "--dns",
                        "fluxhook.flux.svc", "--with-ca-key").stdout
        self.put(SECRET, yaml.safe_load(made))
        for kind, path, where in (("MutatingWebhookConfiguration", MUTATING, "/mutate"),
                                  ("ValidatingWebhookConfiguration", VALIDATING, "/validate")):
            self.put(path, sound(kind, where))
            self.hook(path)["clientConfig"]["caBundle"] = self.objects[SECRET]["data"]["ca.crt"]
        self.others = ["jobset-mutating-webhook-configuration", "kueue"]
        self.put(LEASE, {"metadata": {}, "spec": {"holderIdentity": "pod-1", "leaseDurationSeconds": 15,
                                                  "renewTime": now()}})
        self.ready = [True, True, False]

    def hook(self, path):
        return self.objects[path]["webhooks"][0]

    def answer(self, method, path, body):
        status = self.fault(method, path)
        if status:
            return status, {}
        if method == "GET" and path == HOOKS + "mutatingwebhookconfigurations":
            others = [{"metadata": {"name": name, "resourceVersion": "1"},
                       "webhooks": [{"rules": [{"apiGroups": ["jobset.x-k8s.io"]}]}]} for name in self.others]
            return 200, {"kind": "List", "metadata": {}, "items": [self.objects[MUTATING], *others]}
        if method == "GET" and path == SLICES:
            ends = [{"conditions": {"ready": ready}} for ready in self.ready]
            return 200, {"kind": "EndpointSliceList", "metadata": {"resourceVersion": "1"},
                         "items": [{"metadata": {"name": "a", "namespace": "flux", "resourceVersion": "1"},
                                    "endpoints": ends}]}
        if method == "POST" and path == REVIEWS:
            return 201, {"status": {"allowed": self.allows(body["spec"]["resourceAttributes"])}}
        if method == "POST" and path.endswith("/jobsets"):
            return self.create(body)
        return super().answer(method, path, body)

    def create(self, obj):
        if self.refuses:
            return 500, {"message": self.refuses}
        if not self.injects(obj):
            return 201, obj
        obj["metadata"].setdefault("labels", {})[LABEL] = "true"
        done = fluxhook("mutate", "-o", "patch", "-", stdin=json.dumps(obj))
        assert done.returncode == 0, done.stderr
        return 201, jsonpatch.apply_patch(obj, json.loads(done.stdout))


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
                                      "rights"})
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
        del self.cluster.objects[SECRET]
        self.finds("certificate", "skip", "not self-managed")

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

    def test_the_lease(self):
        self.cluster.objects[LEASE]["spec"]["renewTime"] = now(-300)
        self.finds("controller", "fail", "not renewed")
        self.cluster.objects[LEASE]["spec"].update(renewTime=now(), holderIdentity="")
        self.finds("controller", "fail", "not renewed")
        del self.cluster.objects[LEASE]
        self.finds("controller", "warn", "no controller has ever run")

    def test_rights_of_the_server(self):
        self.cluster.allows = lambda attributes: attributes["verb"] != "patch"
        self.finds("rights", "warn", "may not patch mutatingwebhookconfigurations/fluxhook")

    def test_a_user_who_may_only_create_jobsets(self):  # the pod of helm test
        self.cluster.fault = lambda method, path: 403 if "/jobsets" not in path and path not in (
            "/version", JOBSETS) else None
        code, found = self.doctor()
        self.assertEqual(code, 0, found)
        self.assertEqual({line[0] for line in found["injection"]}, {"ok"})
        self.assertEqual({check for check, lines in found.items() if lines[0][0] == "skip"},
                         {"webhooks", "order", "certificate", "pods", "controller", "rights"})

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
