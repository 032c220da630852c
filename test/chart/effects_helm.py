#!/usr/bin/env python3
"""Every value of values.yaml changes what is rendered: none is dead."""
import unittest
from concurrent.futures import ThreadPoolExecutor

from render import chart, default_values

# Each value, something else than its default, and what it needs besides.
SCALED = {"autoscaling.enabled": True}
MANAGED = {"certManager.enabled": True}
GIVEN = {"tls.secretName": "given"}
CLIENTS = {"clientCA.configMap": "clients"}
POLICY = {"networkPolicy.enabled": True}
PEER = [{"podSelector": {}}]
PEM = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
MONITOR = {"metrics.serviceMonitor.enabled": True}
RULE = {"metrics.prometheusRule.enabled": True}
DASHBOARD = {"metrics.dashboard.enabled": True}
SELECTOR = {"matchLabels": {"a": "b"}}
EFFECTS = {
    "image.repository": ("other", {}),
    "image.tag": ("other", {}),
    "image.digest": ("sha256:" + "0" * 64, {}),
    "image.pullPolicy": ("Always", {}),
    "imagePullSecrets": ([{"name": "pull"}], {}),
    "replicaCount": (3, {}),
    "autoscaling.enabled": (True, {}),
    "autoscaling.minReplicas": (3, SCALED),
    "autoscaling.maxReplicas": (5, SCALED),
    "autoscaling.targetCPUUtilizationPercentage": (50, SCALED),
    "autoscaling.targetMemoryUtilizationPercentage": (50, SCALED),
    "autoscaling.behavior": ({"scaleDown": {"stabilizationWindowSeconds": 60}}, SCALED),
    "podDisruptionBudget.enabled": (False, {}),
    "podDisruptionBudget.minAvailable": (1, {}),
    "podDisruptionBudget.maxUnavailable": ("50%", {}),
    "strategy": ({"rollingUpdate": {"maxSurge": 2}}, {}),
    "fullnameOverride": ("a-hook", {}),
    "nameOverride": ("hook", {}),
    "commonLabels": ({"team": "hpc"}, {}),
    "serviceAccount.create": (False, {}),
    "serviceAccount.name": ("account", {}),
    "serviceAccount.annotations": ({"a": "b"}, {}),
    "rbac.create": (False, {}),
    "webhook.label": ("example.com/flux", {}),
    "webhook.failurePolicy": ("Ignore", {}),
    "webhook.timeoutSeconds": (10, {}),
    "webhook.reinvocationPolicy": ("Never", {}),
    "webhook.excludeNamespaces": (["a"], {}),
    "webhook.namespaceSelector": (SELECTOR, {}),
    "webhook.objectSelector": (SELECTOR, {}),
    "webhook.matchConditions": ([{"name": "a", "expression": "true"}], {}),
    "webhook.annotations": ({"a": "b"}, {}),
    "certManager.enabled": (True, {}),
    "certManager.issuerRef": ({"name": "ours"}, MANAGED),
    "certManager.duration": ("24h", MANAGED),
    "certManager.renewBefore": ("1h", MANAGED),
    "tls.secretName": ("given", {}),
    "tls.caBundle": (PEM, GIVEN),
    "clientCA.configMap": ("clients", {}),
    "clientCA.secret": ("clients", {}),
    "clientCA.key": ("ca.pem", CLIENTS),
    "clientCA.names": (["a"], CLIENTS),
    "controller.enabled": (False, {}),
    "controller.curveKeySecret": ("curve", {}),
    "controller.curveDerivation": ("uid", {}),
    "server.port": (10443, {}),
    "server.maxConnections": (1000000, {}),
    "server.threads": (2, {}),
    "server.drainTimeout": ("5s", {}),
    "log.level": ("debug", {}),
    "log.format": ("text", {}),
    "clusterDomain": ("cluster.example", {}),
    "defaults": ({"queue-policy": "easy"}, {}),
    "extraArgs": (["--default-pmi=pmix"], {}),
    "extraEnv": ([{"name": "A", "value": "b"}], {}),
    "extraVolumes": ([{"name": "v", "emptyDir": {}}], {}),
    "extraVolumeMounts": ([{"name": "v", "mountPath": "/v"}], {}),
    "resources": ({"limits": {"memory": "1Gi"}}, {}),
    "podSecurityContext": ({"runAsUser": 1000}, {}),
    "securityContext": ({"runAsUser": 1000}, {}),
    "terminationGracePeriodSeconds": (60, {}),
    "podAnnotations": ({"a": "b"}, {}),
    "podLabels": ({"a": "b"}, {}),
    "nodeSelector": ({"a": "b"}, {}),
    "tolerations": ([{"operator": "Exists"}], {}),
    "affinity": ({"nodeAffinity": {}}, {}),
    "topologySpreadConstraints": ([{"topologyKey": "rack"}], {}),
    "priorityClassName": ("system-cluster-critical", {}),
    "service.type": ("NodePort", {}),
    "service.annotations": ({"a": "b"}, {}),
    "service.ipFamilies": (["IPv6"], {}),
    "service.ipFamilyPolicy": ("PreferDualStack", {}),
    "networkPolicy.enabled": (True, {}),
    "networkPolicy.reviewsFrom": (PEER, POLICY),
    "networkPolicy.metricsFrom": (PEER, POLICY),
    "networkPolicy.apiServer": (PEER, POLICY),
    "networkPolicy.apiServerPorts": ([8443], POLICY),
    "metrics.enabled": (False, {}),
    "metrics.port": (9090, {}),
    "metrics.serviceMonitor.enabled": (True, {}),
    "metrics.serviceMonitor.interval": ("10s", MONITOR),
    "metrics.serviceMonitor.scrapeTimeout": ("5s", MONITOR),
    "metrics.serviceMonitor.labels": ({"a": "b"}, MONITOR),
    "metrics.prometheusRule.enabled": (True, {}),
    "metrics.prometheusRule.labels": ({"a": "b"}, RULE),
    "metrics.prometheusRule.runbookUrl": ("https://pages.example/runbook/", RULE),
    "metrics.dashboard.enabled": (True, {}),
    "metrics.dashboard.labels": ({"a": "b"}, DASHBOARD),
    "metrics.dashboard.annotations": ({"a": "b"}, DASHBOARD),
    "tests.enabled": (False, {}),
    "tests.namespace": ("team", {}),
}


class Effects(unittest.TestCase):
    def test_the_table_has_every_value(self):
        self.assertEqual({path for _, path, _, _ in default_values()}, set(EFFECTS))

    def test_every_value_has_an_effect(self):
        def dead(item):
            path, (value, needs) = item
            return path if chart(needs) == chart({**needs, path: value}) else None

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual([], [path for path in pool.map(dead, EFFECTS.items()) if path])

    def test_numbers_are_written_as_integers(self):
        found = chart({"server.maxConnections": 1000000, "terminationGracePeriodSeconds": 1000000})
        self.assertNotIn("e+06", str(found))


if __name__ == "__main__":
    unittest.main()
