"""An installation of fluxhook in an API server that admits JobSets with fluxhook's own mutate, for `fluxhook doctor`."""
import base64
import datetime
import json
import os

import jsonpatch
import yaml

from api_server import HOOKS, MUTATING, SECRET, VALIDATING, ApiServer, configuration
from command import fluxhook

LABEL = "flux-framework.org/inject"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/flux/leases/fluxhook"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/flux/endpointslices"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2"
DEPLOYMENT = "/apis/apps/v1/namespaces/flux/deployments/fluxhook"
KEY_SECRET = "/api/v1/namespaces/flux/secrets/fluxhook-curve-key"
PODS = "/api/v1/namespaces/flux/pods"
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


def deployment(*args, **status):
    """As the chart makes it, of two replicas that are ready."""
    replicas = status.pop("replicas_wanted", 2)
    labels = {"app.kubernetes.io/name": "fluxhook", "app.kubernetes.io/instance": "fluxhook"}
    return {"metadata": {"generation": 3},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"spec": {"serviceAccountName": "fluxhook", "containers": [
                         {"name": "sidecar", "args": ["--tls-self-managed"]},
                         {"name": "fluxhook", "args": ["serve", "--name=fluxhook", *args]}]}}},
            "status": {"observedGeneration": 3, "replicas": replicas, "updatedReplicas": replicas,
                       "readyReplicas": replicas, "availableReplicas": replicas, **status}}


def asked(attributes):
    """A right as `kubectl auth can-i` would write it."""
    name = "/" + attributes["name"] if "name" in attributes else ""
    return f"{attributes['verb']} {attributes['resource']}{name}"


CONTROLLER = {"get jobsets", "list jobsets", "watch jobsets", "create configmaps", "list configmaps", "watch configmaps",
              "delete configmaps", "create secrets", "create events", "create leases", "get leases/fluxhook",
              "update leases/fluxhook", "get mutatingwebhookconfigurations/fluxhook",
              "get validatingwebhookconfigurations/fluxhook"}
CERTIFICATE = {"create secrets", "get secrets/fluxhook-tls", "update secrets/fluxhook-tls"} | {
    f"{verb} {kind}webhookconfigurations/fluxhook" for verb in ("get", "patch") for kind in ("mutating", "validating")}


class Cluster(ApiServer):
    """An installation that is in order; `injects` and `allows` are what a test changes."""

    def __init__(self, folder):
        super().__init__(folder)
        self.injects = lambda obj: LABEL in obj["metadata"].get("labels", {})
        self.allows = lambda attributes: True
        self.refuses = None  # a message
        self.asked_about = set()  # users
        self.asked_for = []  # rights
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
        self.put(DEPLOYMENT, deployment("--tls-self-managed", "--controller=on", "--curve-key-secret=fluxhook-curve-key"))
        self.put(KEY_SECRET, {"metadata": {}, "data": {"key": base64.b64encode(os.urandom(32)).decode()}})
        self.pods = []  # their status
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
        if method == "GET" and path == PODS:
            return 200, {"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [
                {"metadata": {"name": f"fluxhook-{number}", "namespace": "flux", "resourceVersion": "1"},
                 "status": status} for number, status in enumerate(self.pods)]}
        if method == "POST" and path == REVIEWS:
            self.asked_about.add(body["spec"]["user"])
            self.asked_for.append(body["spec"]["resourceAttributes"])
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
