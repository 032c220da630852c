#!/usr/bin/env python3
"""Wrong values are refused with words that name them; every value has an effect; risky ones are warned of."""
import shutil
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from render import CHART, assignments, helm, objects, only

# Values that are wrong by themselves, and the value that the schema names.
WRONG = [
    ({"replicaCount": 0}, "replicaCount"),
    ({"replicaCount": "2"}, "replicaCount"),
    ({"replicacount": 2}, "replicacount"),
    ({"image.tag": "a b"}, "image/tag"),
    ({"image.digest": "sha256:12"}, "image/digest"),
    ({"image.pullPolicy": "Sometimes"}, "image/pullPolicy"),
    ({"image.name": "x"}, "image"),
    ({"webhook.failurePolicy": "fail"}, "webhook/failurePolicy"),
    ({"webhook.timeoutSeconds": 31}, "webhook/timeoutSeconds"),
    ({"webhook.label": "a/b/c"}, "webhook/label"),
    ({"webhook.matchConditions": [{"name": "x"}]}, "webhook/matchConditions/0"),
    ({"webhook.matchConditions": [{"name": "not-being-deleted", "expression": "true"}]}, "webhook/matchConditions/0"),
    ({"webhook.caBundle": "x"}, "webhook"),
    ({"tls.secretName": "x", "tls.caBundle": "LS0tLS1CRUdJTg=="}, "tls/caBundle"),
    ({"certManager.duration": "90 days"}, "certManager/duration"),
    ({"controller.curveDerivation": "name"}, "controller/curveDerivation"),
    ({"server.drainTimeout": "10"}, "server/drainTimeout"),
    ({"server.port": 443}, "server/port"),
    ({"log.level": "loud"}, "log/level"),
    ({"defaults": {"num-proc-per-node": 2}}, "defaults"),
    ({"defaults": {"queue-policy": "fifo"}}, "defaults/queue-policy"),
    ({"defaults": {"view-image": "a\n--tls-ephemeral"}}, "defaults/view-image"),
    ({"extraArgs": ["--kubeconfig", "/x"]}, "extraArgs/1"),
    ({"fullnameOverride": "1st"}, "fullnameOverride"),
    ({"service.ipFamilies": ["IPv5"]}, "service/ipFamilies/0"),
    ({"podDisruptionBudget.minAvailable": "half"}, "podDisruptionBudget/minAvailable"),
]
# Values that are right by themselves and can't work together, and what is said of them.
TOGETHER = [
    ({"fullnameOverride": "webhook"}, "the name webhook sorts after jobset"),
    ({"tests.namespace": "kube-system"}, "tests.namespace is kube-system, where no JobSet is looked at"),
    ({"tests.namespace": "fluxhook-system"}, "tests.namespace is fluxhook-system, where no JobSet is looked at"),
    ({"certManager.enabled": True, "tls.secretName": "x"}, "certManager.enabled and tls.secretName exclude"),
    ({"tls.caBundle": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"}, "tls.caBundle needs tls.secretName"),
    ({"certManager.issuerRef": {"name": "x"}}, "certManager.issuerRef needs certManager.enabled"),
    ({"clientCA.configMap": "a", "clientCA.secret": "b"}, "clientCA.configMap and clientCA.secret exclude"),
    ({"clientCA.names": ["a"]}, "clientCA.names needs clientCA.configMap or clientCA.secret"),
    ({"controller.curveKeySecret": "a", "controller.curveDerivation": "uid"}, "curveDerivation exclude each other"),
    ({"controller.enabled": False, "controller.curveKeySecret": "a"}, "need controller.enabled=true"),
    ({"server.drainTimeout": "30s"}, "terminationGracePeriodSeconds (30) must be longer than server.drainTimeout (30s)"),
    ({"server.drainTimeout": "1m"}, "terminationGracePeriodSeconds (30) must be longer"),
    ({"podDisruptionBudget.minAvailable": 1, "podDisruptionBudget.maxUnavailable": 1}, "maxUnavailable exclude each other"),
    ({"podDisruptionBudget.minAvailable": 2}, "minAvailable (2) must be less than the number of pods (2)"),
    ({"autoscaling.enabled": True, "autoscaling.minReplicas": 5}, "minReplicas (5) must not be more than"),
    ({"autoscaling.enabled": True, "autoscaling.targetCPUUtilizationPercentage": 0}, "needs targetCPUUtilizationPercentage or"),
    ({"autoscaling.enabled": True, "resources": {"requests": {"cpu": None}}}, "needs resources.requests.cpu"),
    ({"autoscaling.enabled": True, "autoscaling.targetMemoryUtilizationPercentage": 80,
      "resources": {"requests": {"memory": None}}}, "needs resources.requests.memory"),
    ({"metrics.enabled": False, "metrics.serviceMonitor.enabled": True}, "need metrics.enabled=true"),
    ({"metrics.port": 9443}, "metrics.port and server.port are both 9443"),
    ({"extraArgs": ["--threads=4"]}, "extraArgs repeats --threads"),
    ({"strategy.type": "Recreate"}, "strategy.rollingUpdate needs strategy.type=RollingUpdate"),
]
# Risky choices, and the warning in NOTES.txt.
RISKS = [
    ({"webhook.failurePolicy": "Ignore"}, "labelled JobSets are created without Flux"),
    ({"replicaCount": 1}, "there is one replica"),
    ({"podDisruptionBudget.enabled": False}, "a drain may take all pods at once"),
    ({"controller.curveDerivation": "uid"}, "can compute its curve certificate"),
    ({"controller.enabled": False}, "wait until somebody else creates"),
    ({"tls.secretName": "x"}, "tls.caBundle is empty"),
    ({"rbac.create": False}, "rbac.create is false"),
    ({"image.tag": "latest"}, "image.tag is latest"),
    ({"image.repository": "fluxhook"}, "that image must be on every node"),
]


def notes_chart(folder):
    """A copy of the chart that renders its notes as an object, since `helm template` doesn't show them."""
    copy = Path(folder) / "fluxhook"
    shutil.copytree(CHART, copy)
    (copy / "templates/NOTES.txt").rename(copy / "notes.tpl")
    (copy / "templates/notes.yaml").write_text('kind: Notes\nmetadata: {name: notes}\n'
                                               'text: {{ tpl (.Files.Get "notes.tpl") . | toJson }}\n')
    return copy


class Values(unittest.TestCase):
    def assert_refused(self, cases):
        for values, words in cases:
            with self.subTest(list(assignments(values))):
                done = helm(values)
                self.assertNotEqual(0, done.returncode)
                self.assertIn(words, done.stderr)

    def test_the_schema_refuses_wrong_values(self):
        self.assert_refused(WRONG)

    def test_values_that_cannot_work_together_are_refused(self):
        self.assert_refused(TOGETHER)

    def test_risky_choices_are_warned_of_and_others_are_not(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = notes_chart(folder)

            def warnings(values):
                done = helm({"image.repository": "registry.example/fluxhook", **values}, chart=copy)
                self.assertEqual(0, done.returncode, done.stderr)
                text = only(objects(done.stdout), "Notes")["text"]
                return [line for line in text.splitlines() if line.startswith("WARNING: ")]

            self.assertEqual([], warnings({}))
            for values, words in RISKS:
                with self.subTest(values):
                    found = warnings(values)
                    self.assertEqual(1, len(found), found)
                    self.assertIn(words, found[0])


if __name__ == "__main__":
    unittest.main()
