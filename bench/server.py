#!/usr/bin/env python3
"""fluxhook's server beside the same injection on controller-runtime (bench/peer/webhook), in one run.

    bench/server.py FLUXHOOK PEER FOLDER [--seconds N] [--rounds N] [--only CONNECTIONS]

wrk asks each server in turn, round after round, on the same cores, over TLS 1.3: 2 KiB and 64 KiB reviews, 1 to 200
connections that are kept, and a connection for each review. Of the rounds it tells the median. FOLDER gets
server.json and server.svg; standard output, the table. Before that it holds the answers to one another: each patch,
applied to the review's JobSet, must come to the same object.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import jsonpatch

import review
import wrk

SIZES = (2, 64)  # KiB
CONNECTIONS = (1, 4, 16, 64, 200)
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server that runs: its name, its URL, and what the kernel counts of it."""

    def __init__(self, name, url, process):
        self.name, self.url, self.process = name, url, process

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", folder / "tls.key", "-out", folder / "tls.crt", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)


def ask(server, folder, body):
    trust = ssl.create_default_context(cafile=folder / "tls.crt")
    request = urllib.request.Request(server.url, body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, context=trust, timeout=10) as answer:
        return json.load(answer)["response"]


def wait_for(server, folder, body):
    for _ in range(200):
        with contextlib.suppress(OSError):
            return ask(server, folder, body)
        time.sleep(0.05)
    sys.exit(f"server.py: {server.name} does not answer")


def without_empty(value):
    """An object without what a typed round trip adds to it or drops from it: empty objects and null."""
    if isinstance(value, dict):
        inside = {key: without_empty(one) for key, one in value.items()}
        return {key: one for key, one in inside.items() if one not in ({}, None)}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


def outcome(response, body):
    patch = json.loads(base64.b64decode(response["patch"]))
    jobset = jsonpatch.apply_patch(json.loads(body)["request"]["object"], patch)
    jobset["metadata"]["annotations"].pop("flux-framework.org/injected")
    jobset.pop("status", None)  # a typed round trip adds one
    return without_empty(jobset)


@contextlib.contextmanager
def servers(args, folder):
    log = open(folder / "log", "wb")
    fluxhook = subprocess.Popen([args.fluxhook, "serve", "--listen", "127.0.0.1:9443", "--metrics-listen", "off", "--controller",
                                 "off", "--tls-cert", folder / "tls.crt", "--tls-key", folder / "tls.key"],
                                stdout=log, stderr=log)
    peer = subprocess.Popen([args.peer, "127.0.0.1:9444", folder], stdout=log, stderr=log)
    try:
        yield [Server("fluxhook", "https://127.0.0.1:9443/mutate?timeout=10s", fluxhook),
               Server("controller-runtime", "https://127.0.0.1:9444/typed?timeout=10s", peer),
               Server("controller-runtime, tuned", "https://127.0.0.1:9444/tuned?timeout=10s", peer)]
    finally:
        for process in (fluxhook, peer):
            process.terminate()
            process.wait()
        log.close()


def load(server, file, connections, close, seconds):
    """One run of wrk: reviews per second, times in ms, processor time for a review in µs, MiB resident at its end."""
    before, began = server.processor_seconds(), time.monotonic()
    told = wrk.run(server.url, seconds, connections, close, file)
    took, used = time.monotonic() - began, server.processor_seconds() - before
    if told["not_200"] or told["socket_errors"] and not close:
        sys.exit(f"server.py: {server.name}: not all was answered: {told}")
    return {"per_second": told["requests"] / (told["duration"] / 1e6), "p50": told["p50"] / 1000, "p99": told["p99"] / 1000,
            "p999": told["p999"] / 1000, "cpu": used / max(1, told["requests"]) * 1e6, "resident": wrk.resident(server.process),
            "busy": used / took}


def measure(args, folder):
    files = {size: folder / f"review-{size}k.json" for size in SIZES}
    for size, file in files.items():
        file.write_text(review.sized(size))
    certificate(folder)
    rows = []
    with servers(args, folder) as all_:
        for size, file in files.items():
            body = file.read_text()
            outcomes = [outcome(wait_for(server, folder, body), body) for server in all_]
            if any(one != outcomes[0] for one in outcomes):
                sys.exit("server.py: the servers' patches do not come to the same object")
            loads = [(connections, False) for connections in args.only or CONNECTIONS] + [(16, True)]
            for connections, close in loads:
                runs = {server.name: [] for server in all_}
                for _ in range(args.rounds):
                    for server in all_:
                        runs[server.name].append(load(server, file, connections, close, args.seconds))
                for name, figures in runs.items():
                    rows.append({"server": name, "kib": size, "connections": connections, "kept": not close} |
                                {key: statistics.median(run[key] for run in figures) for key in figures[0]})
                    print(f"server.py: {rows[-1]}", file=sys.stderr)
    return rows


def table(rows):
    print("| review | connections | server | reviews/s | p50 ms | p99 ms | p99.9 ms | CPU µs a review | MiB resident | "
          "reviews/s, fluxhook to it | p99, fluxhook's to its |\n|" + "---|" * 11)
    for row in rows:
        ours = next(one for one in rows if one["server"] == "fluxhook" and
                    all(one[key] == row[key] for key in ("kib", "connections", "kept")))
        kept = row["connections"] if row["kept"] else f"{row['connections']}, new each time"
        print(f"| {row['kib']} KiB | {kept} | {row['server']} | {row['per_second']:,.0f} | {row['p50']:.2f} | {row['p99']:.2f} | "
              f"{row['p999']:.2f} | {row['cpu']:.1f} | {row['resident']:.1f} | {ours['per_second'] / row['per_second']:.1f} | "
              f"{ours['p99'] / row['p99']:.2f} |")


def plot(rows, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(2, len(SIZES), figsize=(5 * len(SIZES), 7), squeeze=False)
    for column, size in enumerate(SIZES):
        for line, (key, title) in enumerate((("per_second", "reviews per second"), ("p99", "p99, ms"))):
            axis = axes[line][column]
            for name in dict.fromkeys(row["server"] for row in rows):
                of = [row for row in rows if row["server"] == name and row["kib"] == size and row["kept"]]
                axis.plot([row["connections"] for row in of], [row[key] for row in of], marker="o", label=name)
            axis.set(title=f"{title}, {size} KiB", xlabel="connections", xscale="log", yscale="log")
            axis.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("fluxhook", type=pathlib.Path)
    arguments.add_argument("peer", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--seconds", type=int, default=5)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", type=int, action="append", metavar="CONNECTIONS")
    args = arguments.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(args, pathlib.Path(folder))
    (args.folder / "server.json").write_text(json.dumps(rows, indent=1) + "\n")
    table(rows)
    plot(rows, args.folder / "server.svg")


if __name__ == "__main__":
    main()
