#!/usr/bin/env python3
"""`fluxhook serve` with certificate files and a cluster: ready only when the webhook configurations vouch for them."""
import base64
import json
import pathlib
import tempfile
import unittest

from api_server import MUTATING, VALIDATING, ApiServer
from webhook import Authority, MountedSecret, Server

NAME = "fluxhook.flux.svc"


class Observed(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.cluster = self.enterContext(ApiServer(folder))
        self.folder = pathlib.Path(folder)
        self.authority, self.other = Authority(folder, "ours"), Authority(folder, "theirs")
        self.secret = MountedSecret(tempfile.mkdtemp(dir=folder))
        self.publish(self.authority, NAME)

    def publish(self, authority, name):
        cert, key = authority.issue("leaf", f"DNS:{name}")
        self.secret.publish(pathlib.Path(cert).read_bytes(), pathlib.Path(key).read_bytes())

    def trust(self, authority, paths=(MUTATING, VALIDATING)):
        """As `kubectl patch` does it."""
        bundle = base64.b64encode(pathlib.Path(authority.cert).read_bytes()).decode()
        for path in paths:
            with self.cluster.lock:
                obj = json.loads(json.dumps(self.cluster.objects[path]))
                for hook in obj["webhooks"]:
                    hook["clientConfig"]["caBundle"] = bundle
                self.cluster.put(path, obj)

    def server(self, *args):
        return Server("--tls-cert", self.secret.cert, "--tls-key", self.secret.key, "--controller", "on", "--curve-derivation",
                      "uid", "--kubeconfig", self.cluster.kubeconfig, *args)

    def wait_for_doubt(self, server, text):
        server.wait_until(lambda: text in server.readiness()[1])
        self.assertEqual(server.readiness()[0], 503)
        server.wait_until(lambda: server.metric("fluxhook_certificate_served_equals_bundle") == 0)

    def wait_until_trusted(self, server):
        server.wait_until(lambda: server.readiness()[0] == 200)
        server.wait_until(lambda: server.metric("fluxhook_certificate_served_equals_bundle") == 1)

    def test_trusted_by_both_it_is_ready_and_nothing_is_written(self):
        self.trust(self.authority)
        with self.server() as server:
            self.wait_until_trusted(server)
            self.assertEqual([call for call in self.cluster.calls if "webhookconfigurations" in call
                              and not call.startswith("GET")], [])

    def test_another_ca_is_doubted_until_it_is_put_right(self):
        self.trust(self.other)
        with self.server() as server:
            self.wait_for_doubt(server, "the caBundle does not vouch for the certificate")
            self.trust(self.authority)
            server.process.send_signal(1)  # SIGHUP: now, and not in ten seconds
            self.wait_until_trusted(server)

    def test_one_configuration_alone_is_not_enough(self):
        self.trust(self.authority, [MUTATING])
        self.trust(self.other, [VALIDATING])
        with self.server() as server:
            self.wait_for_doubt(server, "ValidatingWebhookConfiguration fluxhook, webhook 0.flux-framework.org: ")

    def test_a_certificate_for_another_name_is_doubted(self):
        self.publish(self.authority, "fluxhook.other.svc")
        self.trust(self.authority)
        with self.server() as server:
            self.wait_for_doubt(server, f"the certificate is not for {NAME}")

    def test_files_that_are_swapped_are_judged_anew(self):
        self.trust(self.authority)
        with self.server() as server:
            self.wait_until_trusted(server)
            self.publish(self.other, NAME)
            server.wait_for("certificate reloaded")
            server.process.send_signal(1)
            self.wait_for_doubt(server, "the caBundle does not vouch for the certificate")

    def test_what_may_not_be_read_leaves_it_ready_and_is_told(self):
        self.cluster.fault = lambda method, path: 403 if "webhookconfigurations" in path else None
        with self.server() as server:
            server.wait_until(lambda: server.readiness()[0] == 200)
            self.assertIn("Forbidden", server.wait_for("whether it vouches for the certificate is not known"))
            self.assertIsNone(server.metric("fluxhook_certificate_served_equals_bundle"))

    def test_without_a_cluster_nobody_is_asked(self):
        with Server("--tls-cert", self.secret.cert, "--tls-key", self.secret.key) as server:
            server.wait_until(lambda: server.readiness()[0] == 200)
            self.assertEqual(self.cluster.calls, [])


if __name__ == "__main__":
    unittest.main()
