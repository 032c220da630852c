#!/usr/bin/env python3
"""The chart holds together in every combination of its switches."""
import itertools
import unittest
from concurrent.futures import ThreadPoolExecutor

import render
from render import CHART, NAMESPACE, OVERLAYS, TOOLS, helm, objects, of_kind, only, run
from sound import BUILT_IN, faults, needs_api

PEM = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
SWITCHES = [
    [{}, {"certManager.enabled": True},
     {"certManager.enabled": True, "certManager.issuerRef": {"name": "ours", "kind": "ClusterIssuer"}},
     {"tls.secretName": "given"}, {"tls.secretName": "given", "tls.caBundle": PEM}],
    [{}, {"replicaCount": 1}, {"autoscaling.enabled": True}, {"autoscaling.enabled": True, "autoscaling.minReplicas": 1}],
    [{}, {"networkPolicy.enabled": True}],
    [{}, {"metrics.enabled": False},
     {"metrics.serviceMonitor.enabled": True, "metrics.prometheusRule.enabled": True, "metrics.dashboard.enabled": True}],
    [{}, {"controller.enabled": False}, {"controller.curveDerivation": "uid"}],
]
# Each by itself, with what the others are by default.
ALONE = [
    {"podDisruptionBudget.minAvailable": "50%"},
    {"podDisruptionBudget.enabled": False},
    {"clientCA.configMap": "clients", "clientCA.names": ["a", "b"]},
    {"clientCA.secret": "clients", "certManager.enabled": True},
    {"extraVolumes": [{"name": "v", "emptyDir": {}}], "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}]},
    {"extraArgs": ["--default-pmi=pmix"], "defaults": {"view-image": "none", "log-level": 7, "affinity": False}},
    {"server.drainTimeout": "1500ms", "terminationGracePeriodSeconds": 3},
    {"webhook.label": "example.com/flux", "webhook.excludeNamespaces": []},
    {"commonLabels": {"app.kubernetes.io/name": "other", "team": "hpc"}, "podLabels": {"app.kubernetes.io/instance": "x"}},
    {"nameOverride": "hook", "fullnameOverride": "a-hook"},
    # Words that YAML takes for something else.
    {"nameOverride": "no", "fullnameOverride": "false", "serviceAccount.name": "on", "priorityClassName": "y",
     "webhook.label": "n", "webhook.excludeNamespaces": ["1"], "tls.secretName": "null", "clientCA.secret": "1",
     "controller.curveKeySecret": "0x1"},
    {"webhook.objectSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]},
     "webhook.namespaceSelector": {"matchExpressions": [{"key": "c", "operator": "Exists"}]}},
]
WHERE = [("fluxhook", NAMESPACE), ("prod", "default"), ("fluxhook-2", "1"), ("a.b-" + "x" * 49, "n"), ("1", "null")]


def merged(parts):
    return {path: value for part in parts for path, value in part.items()}


def expected_faults(values, found):
    """What must be true of the objects because of the values; yields what isn't."""
    kinds = {each["kind"] for each in found if "helm.sh/hook" not in each["metadata"].get("annotations", {})}
    scaled = values.get("autoscaling.enabled", False)
    pods = values.get("autoscaling.minReplicas", 2) if scaled else values.get("replicaCount", 2)
    wanted = {
        "HorizontalPodAutoscaler": scaled,
        "PodDisruptionBudget": pods > 1 and values.get("podDisruptionBudget.enabled", True),
        "NetworkPolicy": values.get("networkPolicy.enabled", False),
        "ServiceMonitor": values.get("metrics.serviceMonitor.enabled", False),
        "PrometheusRule": values.get("metrics.prometheusRule.enabled", False),
        "ConfigMap": values.get("metrics.dashboard.enabled", False),
        "Certificate": values.get("certManager.enabled", False),
        "Issuer": values.get("certManager.enabled", False) and "certManager.issuerRef" not in values,
        "ClusterRole": needs_api(found),
    }
    for kind, there in wanted.items():
        if (kind in kinds) != there:
            yield f"{kind} is {'' if kind in kinds else 'not '}there"
    if ("replicas" in only(found, "Deployment")["spec"]) == scaled:
        yield "the Deployment and the autoscaler both set replicas, or neither does"
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        client = only(found, kind)["webhooks"][0]["clientConfig"]
        if ("caBundle" in client) != ("tls.caBundle" in values):
            yield f"{kind}: caBundle"
    for each in of_kind(found, "Certificate"):
        if len(each["spec"].get("commonName", "")) > 64:  # RFC 5280, ub-common-name
            yield "a commonName that cert-manager refuses"
    if not needs_api(found) and any(each["spec"]["egress"] for each in of_kind(found, "NetworkPolicy")):
        yield "a way out that isn't needed"
    custom = {each["apiVersion"] for each in found} - BUILT_IN
    if custom and not any("certManager" in path or "Monitor" in path for path in values):
        yield f"custom resources {custom}"


def type_faults(text):
    """What an API server would not take: unknown, misspelt or repeated fields, and wrong types."""
    done = run(TOOLS / "strict", "cert-manager.io", "monitoring.coreos.com", text=text)
    return done.stderr.splitlines() if done.returncode else []


def judge(case):
    values, release, namespace = case
    done = helm(values, release=release, namespace=namespace)
    if done.returncode:
        return [f"{values} {release}: {done.stderr}"]
    found = objects(done.stdout)
    return [f"{values} {release}: {fault}" for fault in
            [*faults(found, namespace), *expected_faults(values, found), *type_faults(done.stdout)]]


class Combinations(unittest.TestCase):
    def judge_all(self, cases):
        render.known_flags(), render.known_commands()
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual([], [fault for found in pool.map(judge, cases) for fault in found])

    def test_every_combination_of_the_switches_holds_together(self):
        cases = [(merged(parts), *WHERE[0]) for parts in itertools.product(*SWITCHES)]
        self.assertEqual(360, len(cases))
        self.judge_all(cases)

    def test_every_other_value_holds_together(self):
        self.judge_all([(values, *WHERE[0]) for values in ALONE])

    def test_every_release_name_and_namespace_holds_together(self):
        values = {"metrics.dashboard.enabled": True, "certManager.enabled": True}
        self.judge_all([(values, *where) for where in WHERE])

    def test_kubernetes_own_types_take_the_overlays_too(self):
        for overlay in OVERLAYS.iterdir():
            self.assertEqual([], type_faults(run("kubectl", "kustomize", overlay).stdout), overlay.name)

    def test_kubernetes_own_types_refuse_a_misspelt_field(self):
        text = helm({}).stdout.replace("periodSeconds", "periodseconds")
        self.assertIn('unknown field "spec.template.spec.containers[0].livenessProbe.periodseconds"',
                      "".join(type_faults(text)))

    def test_helm_lint_finds_nothing(self):
        done = run(TOOLS / "helm", "lint", "--strict", CHART)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
