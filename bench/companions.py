#!/usr/bin/env python3
"""companions.py [SUSPENDED [PEER]]: how soon a JobSet's ConfigMap, the later one of its companions, is there after the
JobSet was created, for JobSets one at a time and for 500 at once; and what following SUSPENDED more JobSets [0] takes
in memory. PEER is bench/peer, built: the same 500 for client-go, which makes objects of the same sizes for JobSets
without the label.

In a cluster that has fluxhook (`scripts/e2e --keep apply`), from the cluster's own namespaces:

    CGO_ENABLED=0 go -C bench/peer build -o "$PWD/build/peer" .
    KUBECONFIG=$PWD/build/e2e/cluster/admin.kubeconfig \\
      nsenter --target "$(cat build/e2e/cluster/box.pid)" --net --pid python3 bench/companions.py 3000 build/peer

No pod of these JobSets can be scheduled. They are deleted with their namespaces at the end.
"""
import base64
import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

PORT = 8011
AT_ONCE = 500
local = threading.local()


def ask(method, path, body=None):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection("127.0.0.1", PORT)
    local.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    response = local.connection.getresponse()
    text = response.read()
    if response.status >= 300:
        sys.exit(f"companions.py: {method} {path}: {response.status} {text[:300]!r}")
    return json.loads(text)


class Place:
    """A namespace of JobSets, and when each of them and its ConfigMap came."""

    def __init__(self, name, labels):
        self.path = f"/api/v1/namespaces/{name}"
        self.jobsets = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{name}/jobsets"
        self.labels, self.created, self.arrived = labels, {}, {}
        ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        threading.Thread(target=self.watch, daemon=True).start()
        time.sleep(1)

    def create(self, name, suspend=False):
        container = {"name": "main", "image": "localhost/app:e2e", "command": ["sleep", "9"]}
        pod = {"nodeSelector": {"bench": "nowhere"}, "containers": [container]}
        job = {"parallelism": 1, "completions": 1, "template": {"spec": pod}}
        ask("POST", self.jobsets, {
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": name, "labels": self.labels},
            "spec": {"suspend": suspend, "replicatedJobs": [{"name": "node", "template": {"spec": job}}]}})
        self.created[name] = time.monotonic()

    def watch(self):
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        connection.request("GET", self.path + "/configmaps?watch=true")
        response = connection.getresponse()
        with contextlib.suppress(OSError, http.client.HTTPException):  # when the proxy ends
            while line := response.readline():
                event = json.loads(line)
                if event["type"] == "ADDED":
                    name = event["object"]["metadata"]["name"].removesuffix("-flux-entrypoint")
                    self.arrived[name] = time.monotonic()

    def report(self, what, names):
        end = time.monotonic() + 120
        while time.monotonic() < end and not self.arrived.keys() >= set(names):
            time.sleep(0.05)
        times = sorted(max(0, self.arrived[name] - self.created[name]) * 1000 for name in names if name in self.arrived)
        middle, late, most = times[len(times) // 2], times[len(times) * 99 // 100], times[-1]
        print(f"{what}: {len(times)} of {len(names)} are there; median {middle:.0f} ms, 99 % {late:.0f} ms, "
              f"most {most:.0f} ms", flush=True)

    def storm(self, what):
        many = [f"many-{i}" for i in range(AT_ONCE)]
        begun = time.monotonic()
        with ThreadPoolExecutor(32) as pool:
            list(pool.map(self.create, many))
        print(f"{AT_ONCE} were created in {time.monotonic() - begun:.1f} s")
        self.report(f"{AT_ONCE} at once, {what}", many)
        with open("/proc/loadavg", encoding="ascii") as load:
            print(f"load: {load.read().split()[0]}", flush=True)


def resident():
    """KiB of each fluxhook serve that this PID namespace sees."""
    found = subprocess.run(["pgrep", "-f", "fluxhook serve"], capture_output=True, text=True, check=False).stdout
    sizes = []
    for pid in found.split():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii") as status:
            sizes += [int(line.split()[1]) for line in status if line.startswith("VmRSS")]
    return sizes


def measure(suspended):
    """Returns the sizes of a Secret and of a ConfigMap."""
    place = Place("bench-companions", {"flux-framework.org/inject": "true"})
    one = [f"one-{i}" for i in range(30)]
    for name in one:
        place.create(name)
        time.sleep(0.3)
    place.report("one at a time", one)
    place.storm("by fluxhook")
    print(f"resident: {resident()} KiB")
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda i: place.create(f"suspended-{i}", suspend=True), range(suspended)))
    if suspended:
        time.sleep(5)
        print(f"resident with {suspended} suspended ones more: {resident()} KiB")
    secret = ask("GET", f"{place.path}/secrets/one-0-flux-curve")["data"]
    files = ask("GET", f"{place.path}/configmaps/one-0-flux-entrypoint")["data"]
    return sum(len(base64.b64decode(text)) for text in secret.values()), sum(len(text) for text in files.values())


def compare(peer, sizes):
    place = Place("bench-peer", {})
    with subprocess.Popen([peer, "bench-peer", *map(str, sizes)]) as process:
        try:
            time.sleep(3)
            place.storm("by client-go")
        finally:
            process.kill()


def main():
    with subprocess.Popen(["kubectl", "proxy", f"--port={PORT}"], stdout=subprocess.DEVNULL) as proxy:
        try:
            time.sleep(2)
            sizes = measure(int(sys.argv[1]) if sys.argv[1:] else 0)
            if sys.argv[2:]:
                ask("DELETE", "/api/v1/namespaces/bench-companions")
                time.sleep(60)  # its end is no load any more
                compare(sys.argv[2], sizes)
                ask("DELETE", "/api/v1/namespaces/bench-peer")
            else:
                ask("DELETE", "/api/v1/namespaces/bench-companions")
        finally:
            proxy.kill()


if __name__ == "__main__":
    main()
