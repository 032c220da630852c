"""Two replicas of fluxhook under load, which have between them every metric: one manages its own certificate, the other one
leads and makes the companions of JobSets that keep coming."""
import json
import socket
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test/server"))
from api_server import ApiServer  # noqa: E402
import controller_test  # noqa: E402
from controller_test import JOBSET, Api  # noqa: E402
from webhook import REVIEW, Server, ask  # noqa: E402
import http.client  # noqa: E402

SETTING = b'"flux-framework.org/num-proc-per-node":"%d"'
DENIED = REVIEW.replace(SETTING % 2, SETTING % 0, 1)
assert DENIED != REVIEW


class ComingJobSets(Api):
    """controller_test's API server; its watch tells of a new JobSet five times a second."""

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if "watch=true" not in query or not path.endswith("/jobsets"):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        number = 1
        while not self.server.ended.wait(0.2):
            number += 1
            jobset = {**JOBSET, "metadata": {**JOBSET["metadata"], "name": f"js-{number}", "resourceVersion": str(number),
                                             "uid": f"11111111-2222-3333-4444-{number:012}"}}
            line = json.dumps({"type": "ADDED", "object": jobset}).encode() + b"\n"
            try:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            except OSError:
                return


class Cluster(controller_test.Cluster):
    def __init__(self, folder):
        super().__init__(folder, handler=ComingJobSets)
        self.http.ended = threading.Event()

    def __exit__(self, *exit_of):
        self.http.ended.set()
        super().__exit__(*exit_of)


class Servers:
    """`with Servers() as servers:`; servers.replicas is {pod: Server}."""

    def __enter__(self):
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            trusted = stack.enter_context(ApiServer(folder))
            self_managed = stack.enter_context(Server("--tls-self-managed", "--kubeconfig", trusted.kubeconfig))
            other = stack.enter_context(tempfile.TemporaryDirectory())
            cluster = stack.enter_context(Cluster(other))
            leading = stack.enter_context(Server("--controller", "on", "--kubeconfig", str(cluster.kubeconfig),
                                                 "--curve-derivation", "uid"))
            self.replicas = {"fluxhook-0": self_managed, "fluxhook-1": leading}
            leading.wait_for("companions created")
            self_managed.wait_until(lambda: self_managed.metric("fluxhook_certificate_served_equals_bundle") == 1)
            self.ended = threading.Event()
            load = threading.Thread(target=self._load, args=(leading,))
            load.start()
            stack.callback(load.join)
            stack.callback(self.ended.set)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _load(self, server):
        """Reviews of each kind, and requests and handshakes that fail, ten times a second."""
        while not self.ended.wait(0.1):
            for path in ("/mutate", "/validate"):
                server.review(REVIEW, path)
                server.review(DENIED, path)
            server.review(b"{")
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(b"no handshake")

    def texts(self):
        """What /metrics of each replica says."""
        for server in self.replicas.values():
            connection = http.client.HTTPConnection("127.0.0.1", server.metrics_port)
            try:
                yield ask(connection, "GET", "/metrics")[2]
            finally:
                connection.close()
