#!/usr/bin/env python3
"""companions.py [SUSPENDED]: how soon a JobSet's ConfigMap, the later one of its companions, is there after the JobSet
was created, for JobSets one at a time and for 500 at once; and what following SUSPENDED more JobSets [0] takes in
memory.

In a cluster that has fluxhook (`scripts/e2e --keep apply`), from the cluster's own namespaces:

    KUBECONFIG=$PWD/build/e2e/cluster/admin.kubeconfig \\
      nsenter --target "$(cat build/e2e/cluster/box.pid)" --net --pid python3 bench/companions.py 3000

No pod of these JobSets can be scheduled. They are deleted with their namespace at the end.
"""
import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

NAMESPACE = "bench-companions"
JOBSETS = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{NAMESPACE}/jobsets"
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
PORT = 8011
local = threading.local()
created, arrived = {}, {}


def ask(method, path, body=None):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection("127.0.0.1", PORT)
    local.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    response = local.connection.getresponse()
    text = response.read()
    if response.status >= 300:
        sys.exit(f"companions.py: {method} {path}: {response.status} {text[:300]!r}")


def create(name, suspend=False):
    container = {"name": "main", "image": "localhost/app:e2e", "command": ["sleep", "9"]}
    pod = {"nodeSelector": {"bench": "nowhere"}, "containers": [container]}
    job = {"parallelism": 1, "completions": 1, "template": {"spec": pod}}
    ask("POST", JOBSETS, {
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"name": name, "labels": {"flux-framework.org/inject": "true"}},
        "spec": {"suspend": suspend, "replicatedJobs": [{"name": "node", "template": {"spec": job}}]}})
    created[name] = time.monotonic()


def watch():
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    connection.request("GET", CONFIG_MAPS + "?watch=true")
    response = connection.getresponse()
    while line := response.readline():
        event = json.loads(line)
        if event["type"] == "ADDED":
            arrived[event["object"]["metadata"]["name"].removesuffix("-flux-entrypoint")] = time.monotonic()


def report(what, names):
    end = time.monotonic() + 120
    while time.monotonic() < end and not arrived.keys() >= set(names):
        time.sleep(0.05)
    times = sorted(max(0, arrived[name] - created[name]) * 1000 for name in names if name in arrived)
    middle, most = times[len(times) // 2], times[-1]
    print(f"{what}: {len(times)} of {len(names)} are there; median {middle:.0f} ms, most {most:.0f} ms", flush=True)


def resident():
    """KiB of each fluxhook serve that this PID namespace sees."""
    found = subprocess.run(["pgrep", "-f", "fluxhook serve"], capture_output=True, text=True, check=False).stdout
    sizes = []
    for pid in found.split():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii") as status:
            sizes += [int(line.split()[1]) for line in status if line.startswith("VmRSS")]
    return sizes


def measure(suspended):
    ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    threading.Thread(target=watch, daemon=True).start()
    time.sleep(1)
    one = [f"one-{i}" for i in range(30)]
    for name in one:
        create(name)
        time.sleep(0.3)
    report("one at a time", one)
    many = [f"many-{i}" for i in range(500)]
    begun = time.monotonic()
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(create, many))
    print(f"500 were created in {time.monotonic() - begun:.1f} s")
    report("500 at once", many)
    print(f"resident: {resident()} KiB")
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda i: create(f"suspended-{i}", suspend=True), range(suspended)))
    time.sleep(5)
    print(f"resident with {suspended} suspended ones more: {resident()} KiB")


def main():
    with subprocess.Popen(["kubectl", "proxy", f"--port={PORT}"], stdout=subprocess.DEVNULL) as proxy:
        try:
            time.sleep(2)
            measure(int(sys.argv[1]) if sys.argv[1:] else 0)
        finally:
            ask("DELETE", f"/api/v1/namespaces/{NAMESPACE}")
            proxy.kill()


if __name__ == "__main__":
    main()
