#!/usr/bin/env python3
"""`fluxhook serve --tls-self-managed` against an API server: made, trusted, shared, put right, waited for."""
import json
import pathlib
import ssl
import subprocess
import tempfile
import unittest

from api_server import MUTATING, SECRET, VALIDATING, ApiServer, configuration
from webhook import REVIEW, Server, openssl

NAMES = ("fluxhook.flux.svc", "fluxhook.flux.svc.cluster.local", "fluxhook.flux", "fluxhook")


class SelfManaged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cluster = self.enterContext(ApiServer(folder.name))

    def server(self, *args):
        return Server("--tls-self-managed", "--kubeconfig", self.cluster.kubeconfig, *args)

    def wait_until_ready(self, server):
        server.wait_until(lambda: server.readiness()[0] == 200)

    def trusting(self, path=MUTATING):
        """As the API server trusts: by the caBundle alone."""
        return ssl.create_default_context(cadata=self.cluster.bundles(path)[0].decode())

    def served(self, server, context=None, name=NAMES[0]):
        """The certificate that a client gets which checks it against the caBundle and the Service's name."""
        with server.tls(context=context or self.trusting(), name=name) as connection:
            return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True))

    def test_it_is_made_and_trusted_before_the_server_is_ready(self):
        with self.server() as server:
            self.wait_until_ready(server)
            for path in (MUTATING, VALIDATING):
                self.assertEqual(set(self.cluster.bundles(path)), {self.cluster.secret("ca.crt")})
                for name in NAMES:
                    self.assertEqual(self.served(server, self.trusting(path), name).encode(),
                                     self.cluster.secret("tls.crt"))
            with server.tls(context=self.trusting(), name=NAMES[0]) as connection:
                head = f"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(REVIEW)}\r\n\r\n"
                connection.sendall(head.encode() + REVIEW)
                self.assertIn(b"200 OK", connection.recv(65536))
            server.wait_until(lambda: server.metric("fluxhook_certificate_served_equals_bundle") == 1)
            (self.folder / "leaf").write_bytes(self.cluster.secret("tls.crt"))
            end = openssl("x509", "-in", str(self.folder / "leaf"), "-noout", "-enddate", text=True).stdout
            self.assertEqual(server.metric("fluxhook_certificate_expiry_timestamp_seconds"),
                             ssl.cert_time_to_seconds(end.strip().removeprefix("notAfter=")))
            self.assertEqual(server.stop(), 0)
            for line in server.lines:
                self.assertNotIn("BEGIN", line)

    def test_openssl_s_client_is_content(self):
        with self.server() as server:
            self.wait_until_ready(server)
            (self.folder / "ca").write_bytes(self.cluster.bundles(MUTATING)[0])
            said = openssl("s_client", "-connect", f"127.0.0.1:{server.port}", "-CAfile", str(self.folder / "ca"),
                           "-servername", NAMES[0], "-verify_hostname", NAMES[0], "-verify_return_error", "-x509_strict",
                           stdin=subprocess.DEVNULL, text=True).stdout
            self.assertIn("Verify return code: 0 (ok)", said)

    def test_two_replicas_serve_the_same_one(self):
        with self.server() as one, self.server() as two:
            self.wait_until_ready(one)
            self.wait_until_ready(two)
            self.assertEqual(self.served(one), self.served(two))
            self.assertEqual(sum(call.startswith("POST") for call in self.cluster.calls) >= 1, True)

    def test_a_cluster_that_is_away_is_waited_for(self):
        self.cluster.fault = lambda method, path: 500
        with self.server() as server:
            server.wait_until(lambda: "can't be read" in server.readiness()[1])
            self.assertEqual(server.readiness()[0], 503)
            self.assertEqual(server.metric("fluxhook_ready"), 0)
            self.assertEqual(server.metric("fluxhook_certificate_served_equals_bundle"), 0)
            self.cluster.fault = lambda method, path: None
            self.wait_until_ready(server)

    def test_nobody_to_be_reached_at_all(self):
        config = pathlib.Path(self.cluster.kubeconfig)
        config.write_text(config.read_text().replace(f":{self.cluster.http.server_address[1]}", ":1"))
        with self.server() as server:
            server.wait_until(lambda: "https://127.0.0.1:1/" in server.readiness()[1])
            self.assertEqual(server.stop(), 0)

    def test_a_configuration_that_comes_later(self):
        later = self.cluster.objects.pop(VALIDATING)
        with self.server() as server:
            server.wait_until(lambda: "ValidatingWebhookConfiguration fluxhook is not there" in server.readiness()[1])
            with self.cluster.lock:
                self.cluster.put(VALIDATING, later)
            self.wait_until_ready(server)

    def test_what_somebody_overwrites_is_put_right_at_the_next_look(self):
        with self.server() as server:
            self.wait_until_ready(server)
            with self.cluster.lock:
                self.cluster.put(MUTATING, configuration("MutatingWebhookConfiguration"))
            server.process.send_signal(1)  # SIGHUP: now, and not in a minute
            server.wait_for("the caBundle was changed by somebody else: put right")
            self.assertEqual(set(self.cluster.bundles(MUTATING)), {self.cluster.secret("ca.crt")})

    def test_a_broken_secret_is_made_anew_and_nobody_loses_trust(self):
        with self.server() as server:
            self.wait_until_ready(server)
            first = self.served(server)
            with self.cluster.lock:
                secret = json.loads(json.dumps(self.cluster.objects[SECRET]))
                secret["data"].update({"ca.key": "", "tls.crt": "bm9pc2U="})
                self.cluster.put(SECRET, secret)
            server.process.send_signal(1)
            server.wait_until(lambda: self.served(server) != first)  # each time checked against the caBundle
            self.assertEqual(self.cluster.bundles(MUTATING)[0].count(b"BEGIN"), 2)
            self.assertEqual(server.readiness()[0], 200)

    def test_without_permission_it_says_which(self):
        self.cluster.fault = lambda method, path: 403 if method == "PATCH" else None
        with self.server() as server:
            line = server.wait_for("its caBundle can't be written")
            self.assertIn("Forbidden", line)
            server.wait_until(lambda: "Forbidden" in server.readiness()[1])

    def test_names_and_namespace_are_those_of_the_flags(self):
        for path in (MUTATING, VALIDATING):
            obj = self.cluster.objects.pop(path)
            for hook in obj["webhooks"]:
                hook["clientConfig"]["service"] = {"name": "hook", "namespace": "other"}
            self.cluster.put(path.replace("fluxhook", "hook"), obj)
        with self.server("--name", "hook", "--namespace", "other", "--cluster-domain", "example.org") as server:
            self.wait_until_ready(server)
            self.assertIn("/api/v1/namespaces/other/secrets/hook-tls", self.cluster.objects)
            context = self.trusting(MUTATING.replace("fluxhook", "hook"))
            self.served(server, context, "hook.other.svc.example.org")


if __name__ == "__main__":
    unittest.main()
