#!/usr/bin/env python3
"""What a webhook adds to the create of a JobSet, through a real API server: fluxhook, and the same injection on
controller-runtime (bench/peer/webhook), beside JobSets that no webhook but JobSet's own looks at; in one run.

    bench/admission.py FLUXHOOK PEER [--creates N] [--callers N]

where the cluster's API server runs, with the rights of its administrator ($KUBECONFIG), and both webhooks beside it on the
same cores. `scripts/e2e --keep apply` leaves such a cluster up:

    KUBECONFIG=$PWD/build/e2e/cluster/admin.kubeconfig \\
      nsenter --target "$(cat build/e2e/cluster/box.pid)" --net --pid bench/admission.py build/demo/fluxhook build/bench/webhook

Each caller creates a JobSet of each kind in turn, in an order by chance, as a dry run: nothing is stored. They are in
kube-system, where an installed fluxhook is not called. Prints a table; times are those of the callers, in ms.
"""
import argparse
import base64
import contextlib
import copy
import http.client
import json
import pathlib
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import yaml

import server

TOP = pathlib.Path(__file__).resolve().parents[1]
KIND, LABEL = "bench-admission", "flux-framework.org/inject"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/kube-system/jobsets?dryRun=All"
HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
NONE = "none"


class Cluster:
    """The API server of the current context, asked with its client certificate; a connection for each thread."""

    def __init__(self, folder):
        shown = subprocess.run(["kubectl", "config", "view", "--minify", "--raw", "--flatten", "-o", "json"], check=True,
                               capture_output=True, text=True).stdout
        config = json.loads(shown)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.address = urllib.parse.urlsplit(cluster["server"])
        self.trust = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        for name in ("client-certificate-data", "client-key-data"):
            (folder / name).write_bytes(base64.b64decode(user[name]))
        self.trust.load_cert_chain(folder / "client-certificate-data", folder / "client-key-data")
        self.own = threading.local()

    def ask(self, method, path, body=None):
        if not hasattr(self.own, "connection"):
            self.own.connection = http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.trust)
        self.own.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = self.own.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"admission.py: {method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)


def name_of(webhook):
    return webhook.name.replace(", ", "-")


def configuration(webhook, certificate):
    rule = {"apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["v1alpha2"], "operations": ["CREATE"], "resources": ["jobsets"]}
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": f"a-{KIND}-{name_of(webhook)}"},
            "webhooks": [{"name": "bench.flux-framework.org", "rules": [rule], "sideEffects": "None",
                          "admissionReviewVersions": ["v1"], "failurePolicy": "Fail", "timeoutSeconds": 10,
                          "objectSelector": {"matchLabels": {KIND: name_of(webhook)}},
                          "clientConfig": {"url": webhook.url.partition("?")[0],
                                           "caBundle": base64.b64encode(certificate).decode()}}]}


def jobset(kind):
    """examples/lammps.yaml, which the webhook of this kind looks at."""
    made = yaml.safe_load((TOP / "examples/lammps.yaml").read_text())
    made["metadata"]["labels"] = {LABEL: "true", KIND: kind}
    made["metadata"].pop("namespace", None)
    return made


@contextlib.contextmanager
def configured(cluster, webhooks, certificate):
    """The webhooks are called, each for JobSets of its kind."""
    made = [cluster.ask("POST", HOOKS, configuration(one, certificate))["metadata"]["name"] for one in webhooks]
    try:
        for webhook in webhooks:
            while "flux-framework.org/injected" not in json.dumps(cluster.ask("POST", JOBSETS, jobset(name_of(webhook)))):
                time.sleep(0.2)
        yield
    finally:
        for name in made:
            cluster.ask("DELETE", f"{HOOKS}/{name}")


def create(cluster, kinds, times, rounds):
    """One caller: so many rounds of one create for each kind."""
    objects = {kind: jobset(kind) for kind in kinds}
    for number in range(rounds):
        for kind in random.sample(kinds, len(kinds)):
            one = copy.deepcopy(objects[kind])
            one["metadata"]["name"] = f"bench-{threading.get_ident() % 100000}-{number}"
            begun = time.monotonic()
            cluster.ask("POST", JOBSETS, one)
            times[kind].append((time.monotonic() - begun) * 1000)


def measure(cluster, kinds, callers, creates):
    times = {kind: [] for kind in kinds}
    create(cluster, kinds, {kind: [] for kind in kinds}, 20)  # connections and caches are there
    with ThreadPoolExecutor(callers) as pool:
        for done in [pool.submit(create, cluster, kinds, times, creates // callers) for _ in range(callers)]:
            done.result()
    return times


def tell(callers, times):
    figures = {kind: (statistics.median(all_), statistics.quantiles(all_, n=100)[98]) for kind, all_ in times.items()}
    for kind, (p50, p99) in figures.items():
        print(f"| {callers} | {kind} | {len(times[kind])} | {p50:.1f} | {p99:.1f} | {p50 - figures[NONE][0]:+.1f} | "
              f"{p99 - figures[NONE][1]:+.1f} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("fluxhook", type=pathlib.Path)
    arguments.add_argument("peer", type=pathlib.Path)
    arguments.add_argument("--creates", type=int, default=1000, help="of each kind [1000]")
    arguments.add_argument("--callers", type=int, action="append", help="at the same time; may be given again [1 and 8]")
    args = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        cluster = Cluster(folder)
        server.certificate(folder)
        webhooks = stack.enter_context(server.servers(args, folder))
        for webhook in webhooks:
            server.wait_for(webhook, folder, (TOP / "examples/lammps.review.json").read_text())
        stack.enter_context(configured(cluster, webhooks, (folder / "tls.crt").read_bytes()))
        print("| callers | webhook | creates | p50 | p99 | p50 added | p99 added |\n|" + "---|" * 7)
        for callers in args.callers or (1, 8):
            tell(callers, measure(cluster, [NONE, *map(name_of, webhooks)], callers, args.creates))


if __name__ == "__main__":
    main()
