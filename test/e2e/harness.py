"""What the scenarios share: kubectl as a user would call it, waiting, and namespaces of their own."""
import json
import os
import pathlib
import secrets
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
STATE = TOP / "build/e2e/cluster"
CONFIG = {"KUBECONFIG": str(STATE / "admin.kubeconfig"), "KUBECACHEDIR": str(STATE / "kubecache")}
# The images of a real Flux view and of the jobs for it, which scripts/e2e loaded; none: a stand-in is in its place.
REAL = (STATE / "real").read_text(encoding="utf-8").split() if (STATE / "real").exists() else []
INDEX = "batch.kubernetes.io/job-completion-index"


class Failure(Exception):
    """A test's expectation that isn't met."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def in_box(*words, stdin=None, environment=None, timeout=180):
    """Runs a command in the cluster's network: its result, with both outputs as text."""
    pid = (STATE / "box.pid").read_text().strip()
    return subprocess.run(["nsenter", "--target", pid, "--net", "--", *words], input=stdin, text=True, timeout=timeout,
                          capture_output=True, env={**os.environ, **CONFIG, **(environment or {})}, check=False)


def kubectl(*words, stdin=None, **options):
    """kubectl's output; a failure of it is the test's. When a controller was faster with its write, it does it again, as
    the API server asks for."""
    if isinstance(stdin, (dict, list)):
        stdin = json.dumps(stdin)
    for _ in range(5):
        result = in_box("kubectl", *words, stdin=stdin, **options)
        if "please apply your changes to the latest version" not in result.stderr:
            break
    expect(result.returncode == 0, f"kubectl {' '.join(words)}: {result.stderr.strip()}")
    return result.stdout


def kill(namespace, pod):
    """Ends a pod's first container by SIGKILL, behind the kubelet's back."""
    found = get(namespace, "pod", pod)
    container = found["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
    node = found["spec"]["nodeName"].removeprefix("node")
    result = subprocess.run([TOP / "test/e2e/cluster/on-node", node, "ctr", "--namespace", "k8s.io", "tasks", "kill",
                             "--signal", "SIGKILL", container], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"{pod} can't be killed: {result.stderr}")


def refused(*words, stdin=None):
    """What kubectl says of a command that must fail."""
    if isinstance(stdin, (dict, list)):
        stdin = json.dumps(stdin)
    result = in_box("kubectl", *words, stdin=stdin)
    expect(result.returncode != 0, f"kubectl {' '.join(words)} succeeds: {result.stdout.strip()}")
    return result.stderr


def get(namespace, kind, name):
    """An object; None where there is none."""
    found = kubectl("get", kind, name, "--namespace", namespace, "--output", "json", "--ignore-not-found")
    return json.loads(found) if found.strip() else None


def items(namespace, kind, selector=""):
    """The objects of a kind, or those of them that have the labels of the selector."""
    found = kubectl("get", kind, "--namespace", namespace, "--output", "json", "--selector", selector)
    return json.loads(found)["items"]


def until(condition, what, seconds=90):
    """The condition's value, once it is true. A real Flux takes three times as long to copy and to start."""
    seconds *= 3 if REAL else 1
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"not after {seconds} s: {what}")
        time.sleep(0.5)


def new_namespace(**labels):
    name = f"e2e-{secrets.token_hex(3)}"
    kubectl("create", "--filename", "-", stdin={
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    # pods need it, and the controller manager makes it a moment later
    until(lambda: get(name, "serviceaccount", "default"), f"the service account of namespace {name}")
    return name


def jobset_of(namespace, name):
    found = get(namespace, "jobset", name)
    expect(found, f"JobSet {name} is not there")
    return found


def generation(namespace, name):
    return jobset_of(namespace, name)["metadata"]["generation"]


def has_condition(namespace, name, kind):
    conditions = jobset_of(namespace, name).get("status", {}).get("conditions", [])
    return any(c["type"] == kind and c["status"] == "True" for c in conditions)


def ends(namespace, name, seconds=120):
    """The condition with which the JobSet ends: Completed or Failed."""
    return until(lambda: next((kind for kind in ("Completed", "Failed") if has_condition(namespace, name, kind)), None),
                 f"an end of JobSet {name}", seconds)


def completes(namespace, name, seconds=120):
    end = ends(namespace, name, seconds)
    expect(end == "Completed", f"JobSet {name} ends as {end}")


def pods(namespace, name):
    """The JobSet's pods, the lead first."""
    found = items(namespace, "pods", f"jobset.sigs.k8s.io/jobset-name={name}")
    return sorted(found, key=lambda pod: int(pod["metadata"]["annotations"][INDEX]))


def running(namespace, name, count):
    """The JobSet's pods, once all `count` run."""
    def all_run():
        found = pods(namespace, name)
        return len(found) == count and all(p["status"]["phase"] == "Running" for p in found) and found
    return until(all_run, f"{count} running pods of JobSet {name}")


def logs(namespace, pod):
    result = in_box("kubectl", "logs", "--namespace", namespace, pod)
    return result.stdout + result.stderr


def lead_says(namespace, name, text, seconds=90):
    """Waits until the lead's log has the text; the log."""
    def found():
        all_of_them = pods(namespace, name)
        log = logs(namespace, all_of_them[0]["metadata"]["name"]) if all_of_them else ""
        return log if text in log else None
    return until(found, f"the lead of JobSet {name} says {text!r}", seconds)


def inside(namespace, pod, command):
    """A command of sh in a pod, with Flux on its PATH: its result."""
    return in_box("kubectl", "exec", pod, "--namespace", namespace, "--", "sh", "-c",
                  f"[ ! -e /mnt/flux/flux-view.sh ] || . /mnt/flux/flux-view.sh; {command}")


def booted(namespace, name, size):
    """Waits until all brokers of the JobSet are there; the pods."""
    found = running(namespace, name, size)
    lead = found[0]["metadata"]["name"]
    if REAL:
        online = "flux resource list --no-header --states=up --format={nnodes}"  # each joins the overlay network before
        until(lambda: inside(namespace, lead, online).stdout.split() == [str(size)], f"{size} brokers are online")
    else:
        lead_says(namespace, name, f"stand-in: quorum of {size}")
    return found


def events(namespace, kind, name):
    """The Warnings about an object, as "REASON: MESSAGE"."""
    return [f"{event['reason']}: {event.get('message')}" for event in items(namespace, "events")
            if event["type"] == "Warning" and event["involvedObject"]["kind"] == kind and
            event["involvedObject"]["name"] == name]


def curve(namespace, name):
    """The public key in the JobSet's certificate, and the uid of the Secret's owner; None before there is one."""
    secret = get(namespace, "secret", f"{name}-flux-curve")
    return secret and (secret["data"]["curve.cert"], secret["metadata"]["ownerReferences"][0]["uid"])


def artefacts(namespace):
    """What there is to see in a namespace, for whoever reads of a failure."""
    texts = []
    for words in (["get", "jobsets,jobs,pods,configmaps,secrets", "--output", "wide"], ["describe", "jobsets"],
                  ["get", "events", "--sort-by", ".lastTimestamp"], ["describe", "pods"]):
        result = in_box("kubectl", *words, "--namespace", namespace)
        texts.append(f"--- kubectl {' '.join(words)}\n{result.stdout[-6000:]}{result.stderr}")
    for pod in items(namespace, "pods"):
        name = pod["metadata"]["name"]
        result = in_box("kubectl", "logs", name, "--all-containers", "--tail", "40", "--namespace", namespace)
        texts.append(f"--- logs of {name}\n{result.stdout}{result.stderr}")
    return "\n".join(texts)
