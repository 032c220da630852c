"""The manifests that the scenarios apply."""
from harness import REAL

LABEL = "flux-framework.org/inject"
INJECTED = "flux-framework.org/injected"
APP = REAL[1] if REAL else "localhost/app:e2e"


def jobset(name, command=("sleep", "600"), pods=2, **more):
    """A labelled JobSet of one replicatedJob: `labels`, `annotations` and `spec` add to it, `pod` to the pods' spec and
    `container` to the container; generated: `name` is the generateName."""
    container = {"name": "main", "image": APP, "command": list(command), **more.get("container", {})}
    pod = {"terminationGracePeriodSeconds": 12, "containers": [container], **more.get("pod", {})}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"generateName" if more.get("generated") else "name": name,
                     "labels": {LABEL: "true", **more.get("labels", {})}, "annotations": more.get("annotations", {})},
        "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {
            "parallelism": pods, "completions": pods, "template": {"spec": pod}}}}], **more.get("spec", {})},
    }


def unschedulable(name):
    """One that runs nowhere: companions alone are wanted of it."""
    return jobset(name, pods=1, pod={"nodeSelector": {"e2e": "nowhere"}})


RESTRICTED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
              "runAsUser": 12345, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}


def queue(namespace, cpus=10):
    """Kueue's objects for a namespace, with its queue `user`; pods that it admits get a nodeSelector."""
    return {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": namespace},
         "spec": {"nodeLabels": {"kubernetes.io/os": "linux"}}},
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": namespace},
         "spec": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                  "stopPolicy": "Hold", "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                      {"name": namespace, "resources": [{"name": "cpu", "nominalQuota": cpus}]}]}]}},
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue",
         "metadata": {"name": "user", "namespace": namespace}, "spec": {"clusterQueue": namespace}},
    ]}


QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "user"}, "container": {"resources": {"requests": {"cpu": "50m"}}}}


def runtime(name, policy, pod, labels):
    """A TrainingRuntime of Trainer, whose JobSets have the labels."""
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": name},
            "spec": {"mlPolicy": policy, "template": {"metadata": {"labels": labels}, "spec": {"replicatedJobs": [
                {"name": "node", "template": {
                    "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                    "spec": {"template": {"spec": pod}}}}]}}}}


def trainjob(name, runtime_name, trainer):
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": name},
            "spec": {"runtimeRef": {"kind": "TrainingRuntime", "name": runtime_name}, "trainer": trainer}}
