"""A Kubernetes API server of a few objects, over HTTPS: get, create, replace and patch, with resourceVersions.

`with ApiServer(folder) as cluster:`; objects are called by their paths. JSON patches are python3-jsonpatch's.
"""
import base64
import http.server
import json
import os
import ssl
import threading

import jsonpatch
import yaml

from webhook import Authority, InThread

HOOKS = "/apis/admissionregistration.k8s.io/v1/"
MUTATING = HOOKS + "mutatingwebhookconfigurations/fluxhook"
VALIDATING = HOOKS + "validatingwebhookconfigurations/fluxhook"
SECRET = "/api/v1/namespaces/flux/secrets/fluxhook-tls"
TOKEN = "token-of-the-server"
REASONS = {403: "Forbidden", 404: "NotFound", 409: "Conflict", 422: "Invalid", 500: "InternalError"}


def configuration(kind, webhooks=2):
    """Webhooks that call the Service flux/fluxhook, without a caBundle."""
    service = {"namespace": "flux", "name": "fluxhook", "path": "/"}
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "fluxhook"},
            "webhooks": [{"name": f"{number}.flux-framework.org", "clientConfig": {"service": service}}
                         for number in range(webhooks)]}


class ApiServer(InThread):
    def __init__(self, folder):
        self.lock = threading.Lock()
        self.version = 0
        self.objects = {}
        self.calls = []  # "METHOD PATH"
        self.targets = []  # likewise, with the query
        self.fault = lambda method, path: None  # an HTTP status instead of doing it
        self.put(MUTATING, configuration("MutatingWebhookConfiguration"))
        self.put(VALIDATING, configuration("ValidatingWebhookConfiguration", 1))
        authority = Authority(folder, "cluster-ca")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("api", "IP:127.0.0.1"))
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.http.daemon_threads = True
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.kubeconfig = os.path.join(folder, "kubeconfig")
        url = f"https://127.0.0.1:{self.http.server_address[1]}"
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                            "clusters": [{"name": "c", "cluster": {"server": url, "certificate-authority":
                                                                   authority.cert}}],
                            "users": [{"name": "u", "user": {"token": TOKEN}}],
                            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u",
                                                                   "namespace": "flux"}}]}, file)

    def put(self, path, obj):
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        self.objects[path] = obj
        return obj

    def secret(self, key):
        return base64.b64decode(self.objects[SECRET]["data"][key])

    def bundles(self, path):
        """The caBundle of each webhook, decoded."""
        return [base64.b64decode(hook["clientConfig"].get("caBundle", "")) for hook in self.objects[path]["webhooks"]]

    def answer(self, method, path, body):
        """(HTTP status, object)"""
        self.calls.append(f"{method} {path}")
        status = self.fault(method, path)
        if status:
            return status, {}
        if method == "POST":
            path += "/" + body["metadata"]["name"]
            return (409, {"reason": "AlreadyExists"}) if path in self.objects else (201, self.put(path, body))
        if path not in self.objects:
            return 404, {}
        there = self.objects[path]
        if method == "PUT":
            if body["metadata"].get("resourceVersion") != there["metadata"]["resourceVersion"]:
                return 409, {}
            return 200, self.put(path, body)
        if method == "PATCH":
            try:
                return 200, self.put(path, jsonpatch.apply_patch(there, body))
            except jsonpatch.JsonPatchException:
                return 422, {}
        return 200, there

    def handler(self):
        cluster = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # an answer is one packet: nobody waits for the client's delayed ACK

            def handle_expect_100(self):
                super().handle_expect_100()
                self.wfile.flush()
                return True

            def do(self):
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                with cluster.lock:
                    cluster.targets.append(f"{self.command} {self.path}")
                    status, obj = cluster.answer(self.command, self.path.split("?")[0], body)
                if status >= 400:
                    reason = obj.get("reason", REASONS[status])
                    obj = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status,
                           "reason": reason, "message": obj.get("message", f"{self.command}: {reason}")}
                data = json.dumps(obj).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do

            def log_message(self, *_):
                pass

        return Handler
