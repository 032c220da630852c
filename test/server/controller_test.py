#!/usr/bin/env python3
"""`fluxhook serve --controller on` against an API server of python's own."""
import http.server
import json
import signal
import tempfile
import unittest

from webhook import InThread, Server, kubeconfig

UID = "11111111-2222-3333-4444-555555555555"
# docs/adr/0002-key-derivation.md: the public curve key of this uid by itself
PUBLIC = ")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ"
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/hpc/jobsets"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/flux/leases/fluxhook"
JOBSET = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
          "metadata": {"name": "js", "namespace": "hpc", "uid": UID, "resourceVersion": "1",
                       "labels": {"flux-framework.org/inject": "true"},
                       "annotations": {"flux-framework.org/injected": '{"defaults":{},"set":{},"version":"0.1.0"}'}},
          "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {"parallelism": 2, "completions": 2, "template": {
              "spec": {"containers": [{"name": "app", "command": ["/bin/sh", "/etc/flux-config/entrypoint.sh"]}]}}}}}]}}


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, body):
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def object(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def do_GET(self):
        path, _, query = self.path.partition("?")
        objects = self.server.objects
        if "watch=true" in query:  # nothing happens, until the client goes
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.connection.recv(1)
            self.close_connection = True
        elif path in objects:
            self.answer(200, objects[path])
        elif path.endswith("/jobsets"):
            self.answer(200, {"kind": "JobSetList", "metadata": {"resourceVersion": "1"}, "items": [JOBSET]})
        elif path.endswith("/configmaps"):
            self.answer(200, {"kind": "ConfigMapList", "metadata": {"resourceVersion": "1"}, "items": []})
        else:
            self.answer(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404})

    def do_POST(self):
        made = self.object()
        made["metadata"].update(uid="u", resourceVersion="2")
        self.server.objects[self.path.partition("?")[0] + "/" + made["metadata"]["name"]] = made
        self.answer(201, made)

    def do_PUT(self):
        self.server.objects[self.path.partition("?")[0]] = made = self.object()
        self.answer(200, made)

    def log_message(self, *_):
        pass


class Cluster(InThread):
    """An API server that has `objects`, {path: object}, with its kubeconfig in the folder."""

    def __init__(self, folder, objects=None, handler=Api):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True
        self.http.objects = self.objects = objects or {}
        self.kubeconfig = kubeconfig(folder, self.http.server_address[1])


class Controller(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.api = self.enterContext(Cluster(folder, {f"{JOBSETS}/js": JOBSET}))

    def serve(self, *args):
        return Server("--controller", "on", "--kubeconfig", str(self.api.kubeconfig), *args)

    def test_companions_come_and_the_lease_is_released(self):
        with self.serve("--curve-derivation", "uid") as server:
            server.wait_for("whoever can read a JobSet can join")
            server.wait_for("companions created jobset=hpc/js")
            secret = self.api.objects["/api/v1/namespaces/hpc/secrets/js-flux-curve"]
            files = self.api.objects["/api/v1/namespaces/hpc/configmaps/js-flux-entrypoint"]
            self.assertIn("curve.cert", secret["data"])
            self.assertIn(PUBLIC, files["data"]["entrypoint.sh"])
            self.assertEqual(server.metric("fluxhook_leader"), 1)
            self.assertEqual(server.metric("fluxhook_companions_created_total"), 2)
            self.assertEqual(server.metric("fluxhook_companion_duration_seconds_count"), 1)
            self.assertNotEqual(self.api.objects[LEASE]["spec"]["holderIdentity"], "")
            self.assertEqual(server.stop(signal.SIGTERM), 0)
            self.assertEqual(self.api.objects[LEASE]["spec"]["holderIdentity"], "")

    def test_a_master_key_is_made_and_never_logged(self):
        with self.serve("--name", "other") as server:
            server.wait_for("companions created jobset=hpc/js")
            key = self.api.objects["/api/v1/namespaces/flux/secrets/other-curve-key"]["data"]["key"]
            self.assertEqual(len(key), 44)
            self.assertNotIn(key, "\n".join(server.lines))
            self.assertIn("/apis/coordination.k8s.io/v1/namespaces/flux/leases/other", self.api.objects)


if __name__ == "__main__":
    unittest.main()
