#!/usr/bin/env python3
"""webhook-config/ renders, holds together, and names only flags that the program has; and the checks find faults."""
import copy
import unittest

from render import (COMMANDS_TO_COME, FLAGS_TO_COME, NAMESPACE, OVERLAYS, known_commands, known_flags, kustomize, of_kind,
                    only, server)
from sound import BUILT_IN, faults


class Overlays(unittest.TestCase):
    def test_each_overlay_holds_together(self):
        for overlay in sorted(path.name for path in OVERLAYS.iterdir()):
            with self.subTest(overlay):
                self.assertEqual([], list(faults(kustomize(overlay), NAMESPACE)))

    def test_only_cert_managers_overlay_needs_a_custom_resource(self):
        for overlay in ("self-managed", "high-availability"):
            self.assertLessEqual({each["apiVersion"] for each in kustomize(overlay)}, BUILT_IN)

    def test_the_namespace_lets_no_other_pod_in_than_a_restricted_one(self):
        labels = only(kustomize("self-managed"), "Namespace")["metadata"]["labels"]
        self.assertEqual("restricted", labels["pod-security.kubernetes.io/enforce"])

    def test_high_availability_has_two_pods_and_a_disruption_budget(self):
        found = kustomize("high-availability")
        self.assertEqual(2, only(found, "Deployment")["spec"]["replicas"])
        self.assertEqual(1, only(found, "PodDisruptionBudget")["spec"]["maxUnavailable"])

    def test_cert_manager_fills_in_the_ca_of_the_certificate_that_is_mounted(self):
        found = kustomize("cert-manager")
        certificate = of_kind(found, "Certificate")[1]
        self.assertEqual("fluxhook-serving", certificate["metadata"]["name"])
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
            self.assertEqual(f"{NAMESPACE}/fluxhook-serving",
                             only(found, kind)["metadata"]["annotations"]["cert-manager.io/inject-ca-from"])
        volume = only(found, "Deployment")["spec"]["template"]["spec"]["volumes"][0]
        self.assertEqual(certificate["spec"]["secretName"], volume["secret"]["secretName"])
        service = only(found, "Service")["metadata"]
        self.assertIn(f"{service['name']}.{service['namespace']}.svc", certificate["spec"]["dnsNames"])

    def test_what_is_still_to_come_is_not_there_yet(self):
        self.assertEqual(set(), FLAGS_TO_COME & known_flags())
        self.assertEqual(set(), COMMANDS_TO_COME & known_commands())


def pod(found):
    return only(found, "Deployment")["spec"]["template"]["spec"]


def webhook(found):
    return only(found, "MutatingWebhookConfiguration")["webhooks"][0]


# A change of sound manifests, and what must be said of it.
FAULTS = {
    "no flag of fluxhook serve": lambda o: server(o)["args"].append("--no-such-flag=1"),
    "no command of fluxhook": lambda o: server(o)["args"].__setitem__(0, "server"),
    "--threads is given twice": lambda o: server(o)["args"].append("--threads=1"),
    "not exactly one source": lambda o: server(o)["args"].append("--tls-cert=/certs/tls.crt"),
    "is on no volume": lambda o: server(o)["args"].append("--client-ca=/elsewhere/ca.crt"),
    "hostNetwork is true": lambda o: pod(o).update(hostNetwork=True),
    "is a hostPath": lambda o: pod(o).update(volumes=[{"name": "v", "hostPath": {"path": "/"}}]),
    "only a volume": lambda o: pod(o).update(volumes=[{"name": "v", "emptyDir": {}}]),
    "privileged": lambda o: server(o)["securityContext"].update(privileged=True),
    "allowPrivilegeEscalation": lambda o: server(o)["securityContext"].pop("allowPrivilegeEscalation"),
    "not dropped": lambda o: server(o)["securityContext"].pop("capabilities"),
    "are added": lambda o: server(o)["securityContext"]["capabilities"].update(add=["SYS_ADMIN"]),
    "runAsNonRoot": lambda o: pod(o)["securityContext"].pop("runAsNonRoot"),
    "runs as root": lambda o: pod(o)["securityContext"].update(runAsUser=0),
    "no seccomp": lambda o: pod(o)["securityContext"].pop("seccompProfile"),
    "a hostPort": lambda o: server(o)["ports"][0].update(hostPort=1),
    "file system is writable": lambda o: server(o)["securityContext"].pop("readOnlyRootFilesystem"),
    "resources are missing": lambda o: server(o).pop("resources"),
    "livenessProbe: no such port": lambda o: server(o)["livenessProbe"]["httpGet"].update(port="http"),
    "killed while they drain": lambda o: pod(o).update(terminationGracePeriodSeconds=10),
    "takes the wrong pods": lambda o: only(o, "Service")["spec"].update(selector={"app": "another"}),
    "Service: no such port": lambda o: server(o)["ports"].pop(),
    "sorts after jobset": lambda o: only(o, "MutatingWebhookConfiguration")["metadata"].update(name="webhook"),
    "calls another Service": lambda o: webhook(o)["clientConfig"]["service"].update(namespace="default"),
    "calls another port": lambda o: webhook(o)["clientConfig"]["service"].update(port=9443),
    "caBundle is no certificate": lambda o: webhook(o)["clientConfig"].update(caBundle=""),
    "own namespace isn't left out": lambda o: webhook(o)["namespaceSelector"]["matchExpressions"][0].update(values=[]),
    "another label": lambda o: webhook(o)["objectSelector"]["matchExpressions"][0].update(key="app"),
    "side effects": lambda o: webhook(o).update(sideEffects="Some"),
    "a wildcard": lambda o: only(o, "Role")["rules"][0].update(verbs=["*"]),
    "create on all Secrets": lambda o: only(o, "Role")["rules"][2].update(verbs=["create", "get"]),
    "ClusterRole: more than create": lambda o: only(o, "ClusterRole")["rules"][2].update(
        verbs=["get"], resourceNames=["x"]),
    "a role that isn't there": lambda o: only(o, "RoleBinding")["roleRef"].update(name="other"),
    "an account that isn't there": lambda o: only(o, "RoleBinding")["subjects"][0].update(name="other"),
    "a token is not mounted": lambda o: pod(o).update(automountServiceAccountToken=False),
    "Secret: content would be written over": lambda o: only(o, "Secret").update(data={"tls.crt": ""}),
    "what the server makes": lambda o: o.remove(only(o, "Lease")),
    "in namespace default": lambda o: only(o, "Service")["metadata"].update(namespace="default"),
    "ServiceAccount: namespace None": lambda o: only(o, "ServiceAccount")["metadata"].pop("namespace"),
    "twice": lambda o: o.append(copy.deepcopy(only(o, "ServiceAccount"))),
}


class Checks(unittest.TestCase):
    def test_each_check_finds_its_fault(self):
        sound = kustomize("high-availability")
        for words, change in FAULTS.items():
            with self.subTest(words):
                found = copy.deepcopy(sound)
                change(found)
                self.assertIn(words, "\n".join(faults(found, NAMESPACE)))


if __name__ == "__main__":
    unittest.main()
