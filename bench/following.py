#!/usr/bin/env python3
"""following.py FLUXHOOK [JOBSETS]: what following that many JobSets [10000] takes a `fluxhook serve` in memory, above
one that follows none: suspended ones, some whose companions are there, and some whose companions it makes.

No cluster is needed: the API server is one of this script's, with lists in pages, watches that stay open, and creates.
Each JobSet has what the mutating webhook and an API server make of it, managedFields included.
"""
import copy
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TOP = pathlib.Path(__file__).resolve().parents[1]
LISTS = {"jobsets": "/apis/jobset.x-k8s.io/v1alpha2/jobsets", "configmaps": "/api/v1/configmaps"}


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self, code, text):
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if "watch" in query:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.connection.recv(1)  # until the client goes
            self.close_connection = True
            return
        for name, path in LISTS.items():
            if url.path == path:
                return self.page(getattr(self.server, name), query)
        found = re.fullmatch(r".*/namespaces/hpc/jobsets/js-(\d+)", url.path)
        if found and int(found[1]) < len(self.server.jobsets):
            return self.answer(200, self.server.jobsets[int(found[1])])
        self.answer(404, '{"kind":"Status","status":"Failure","reason":"NotFound","code":404}')

    def page(self, items, query):
        begin, size = int(query.get("continue", 0)), int(query.get("limit", 500))
        more = str(begin + size) if begin + size < len(items) else ""
        self.answer(200, f'{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"9","continue":"{more}"}},'
                         f'"items":[{",".join(items[begin:begin + size])}]}}')

    def take(self):
        made = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        made["metadata"].update(uid="00000000-0000-4000-8000-000000000000", resourceVersion="10")
        self.server.made += "flux-entrypoint" in made["metadata"]["name"]
        self.answer(201 if self.command == "POST" else 200, json.dumps(made))

    do_POST = do_PUT = take

    def log_message(self, *_):
        pass


def uid(number):
    return f"11111111-2222-4333-8444-{number:012d}"


def jobset(number, template, suspend):
    one = copy.deepcopy(template)
    one["metadata"].update(name=f"js-{number}", namespace="hpc", uid=uid(number), resourceVersion=str(number + 1),
                           creationTimestamp="2026-01-01T00:00:00Z", generation=1)
    one["spec"]["suspend"] = suspend
    return json.dumps(one)


def config_map(number):
    return json.dumps({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {
        "name": f"js-{number}-flux-entrypoint", "namespace": "hpc", "uid": f"m{uid(number)}", "resourceVersion": "5",
        "labels": {"app.kubernetes.io/managed-by": "fluxhook"},
        "annotations": {"flux-framework.org/jobset-uid": uid(number)}}})


def template_of(fluxhook):
    """The README's JobSet as it is stored."""
    text = (TOP / "examples/lammps.yaml").read_text(encoding="utf-8")
    made = subprocess.run([fluxhook, "mutate", "-o", "json", "-"], input=text, stdout=subprocess.PIPE, text=True,
                          check=True)
    template = json.loads(made.stdout)
    fields = {f"f:{i}": {"f:name": {}, "f:template": {"f:spec": {}}} for i in range(40)}
    template["metadata"]["managedFields"] = [{"manager": "kubectl", "operation": "Update", "fieldsV1": fields}]
    return template


def resident(fluxhook, jobsets, config_maps, makes):
    """KiB of a controller that has listed these, and made as many companions."""
    api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    api.daemon_threads, api.jobsets, api.configmaps, api.made = True, jobsets, config_maps, 0
    threading.Thread(target=api.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = pathlib.Path(folder, "kubeconfig")
        kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{api.server_address[1]}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "flux"}}]}))
        command = [fluxhook, "serve", "--tls-ephemeral", "--listen", "127.0.0.1:0", "--metrics-listen", "off",
                   "--controller", "on", "--kubeconfig", str(kubeconfig), "--curve-derivation", "uid"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            sizes = [0]
            while api.made < makes or len(sizes) < 5 or sizes[-1] != sizes[-4]:
                time.sleep(1)
                status = pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
                sizes.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]))
            server.terminate()
    api.shutdown()
    return sizes[-1]


def main():
    fluxhook, count = sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 10000
    template = template_of(fluxhook)
    suspended = [jobset(i, template, True) for i in range(count)]
    running = [jobset(i, template, False) for i in range(count)]
    print(f"a JobSet has {len(running[-1])} bytes")
    base = resident(fluxhook, [], [], 0)
    print(f"none: {base} KiB")
    for what, jobsets, maps, makes in (("suspended", suspended, [], 0),
                                       ("done", running, [config_map(i) for i in range(count)], 0),
                                       ("made", running, [], count)):
        size = resident(fluxhook, jobsets, maps, makes)
        print(f"{count} {what}: {size} KiB, {(size - base) / 1024:.1f} MiB more", flush=True)


if __name__ == "__main__":
    main()
