#!/usr/bin/env python3
"""What independent TLS peers see: OpenSSL's s_client, curl, and python's ssl."""
import os
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from webhook import REVIEW, Authority, Server, openssl


def s_client(server, *args):
    """The output of OpenSSL's client and whether the handshake succeeded."""
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", *args], input=b"",
                          capture_output=True)
    text = (done.stdout + done.stderr).decode(errors="replace")
    return text, "Cipher is (NONE)" not in text and done.returncode == 0


class Ephemeral(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def test_tls_1_2_and_1_3_are_taken(self):
        for flag, version in (("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")):
            text, good = s_client(self.server, flag, "-CAfile", self.server.ca, "-verify_return_error")
            self.assertTrue(good, text)
            self.assertIn(version, text)
            self.assertIn("Verify return code: 0 (ok)", text)
        with self.server.tls() as connection:
            self.assertEqual(connection.version(), "TLSv1.3")

    def test_older_versions_are_refused(self):
        for flag in ("-tls1", "-tls1_1"):
            text, good = s_client(self.server, flag, "-cipher", "ALL:@SECLEVEL=0")
            self.assertFalse(good, text)
            self.assertIn("alert protocol version", text)

    def test_only_aead_suites_with_forward_secrecy(self):
        for suite in ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
                      "ECDHE-ECDSA-CHACHA20-POLY1305"):
            text, good = s_client(self.server, "-tls1_2", "-cipher", suite)
            self.assertTrue(good, text)
        for suite in ("ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
                      "ECDHE-ECDSA-AES128-CCM", "AES128-GCM-SHA256", "NULL", "eNULL", "aNULL", "ECDHE-ECDSA-CAMELLIA128-SHA256"):
            text, good = s_client(self.server, "-tls1_2", "-cipher", suite + ":@SECLEVEL=0")
            self.assertFalse(good, suite + text)
        for suite in ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"):
            text, good = s_client(self.server, "-tls1_3", "-ciphersuites", suite)
            self.assertTrue(good, text)
            self.assertIn(suite, text)
        text, good = s_client(self.server, "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_8_SHA256")
        self.assertFalse(good, text)

    def test_renegotiation_and_resumption_are_not_offered(self):
        text, _ = s_client(self.server, "-tls1_2")
        self.assertIn("Secure Renegotiation IS supported", text)  # the extension that guards against the attack
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", "-tls1_2"],
                              input=b"R\n", capture_output=True)
        self.assertIn(b"no renegotiation", done.stderr)
        self.assertNotIn("TLS session ticket:", text)
        self.assertNotIn("Post-Handshake New Session Ticket", s_client(self.server, "-tls1_3")[0])

    def test_alpn(self):
        text, good = s_client(self.server, "-alpn", "h2,http/1.1")
        self.assertTrue(good)
        self.assertIn("ALPN protocol: http/1.1", text)
        text, good = s_client(self.server, "-alpn", "h2")
        self.assertTrue(good)
        self.assertIn("No ALPN negotiated", text)

    def test_no_client_certificate_is_asked_for(self):
        self.assertIn("No client certificate CA names sent", s_client(self.server)[0])

    def test_sni_of_a_service_does_not_matter(self):
        text, good = s_client(self.server, "-servername", "fluxhook.default.svc")
        self.assertTrue(good, text)

    def test_names_of_the_ephemeral_certificate(self):
        for name in ("localhost", "127.0.0.1", "::1"):
            with self.server.tls(name=name) as connection:
                self.assertEqual(connection.getpeercert()["subject"][0][0], ("commonName", "fluxhook"))
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.server.tls(name="example.org")
        text = openssl("x509", "-in", self.server.ca, "-noout", "-text").stdout.decode()
        self.assertIn("CA:TRUE, pathlen:0", text)
        self.assertIn("NIST CURVE: P-256", text)
        self.assertEqual(os.stat(self.server.ca).st_mode & 0o777, 0o644)

    def test_ephemeral_chain_by_openssl(self):
        leaf = os.path.join(self.server.folder.name, "leaf.pem")
        with open(leaf, "w") as file, self.server.tls() as connection:
            file.write(ssl.DER_cert_to_PEM_cert(connection.getpeercert(True)))
        openssl("verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", self.server.ca, leaf)

    def test_curl(self):
        for extra in (["--tlsv1.3"], ["--tls-max", "1.2"], ["--http2"], ["--expect100-timeout", "600", "-H",
                                                                      "Expect: 100-continue"]):
            done = subprocess.run(
                ["curl", "-sS", "--cacert", self.server.ca, *extra, "-H", "Content-Type: application/json",
                 "--data-binary", "@-", "-w", "%{http_code} %{http_version}",
                 f"https://localhost:{self.server.port}/mutate?timeout=10s"], input=REVIEW, capture_output=True)
            self.assertEqual(done.stderr, b"")
            self.assertTrue(done.stdout.endswith(b"200 1.1"), done.stdout[-100:])
            self.assertIn(b'"patchType":"JSONPatch"', done.stdout)


class ClientCertificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name)
        cls.other = Authority(folder.name, "other")
        cls.by_cn = cls.authority.issue("apiserver", "DNS:unrelated.example.org")
        cls.by_san = cls.authority.issue("someone", "DNS:apiserver")
        cls.stranger = cls.authority.issue("stranger", "DNS:stranger,DNS:*")
        cls.foreign = cls.other.issue("apiserver2", "DNS:apiserver")
        cls.expired = cls.authority.issue("apiserver3", "DNS:apiserver", not_after="20210101000000Z")

    def context(self, server, pair=None, version=ssl.TLSVersion.TLSv1_3):
        context = server.context()
        context.minimum_version = context.maximum_version = version
        if pair:
            context.load_cert_chain(*pair)
        return context

    def test_required_for_reviews_and_not_for_probes(self):
        with Server("--client-ca", self.authority.cert) as server:
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                nobody = self.context(server, version=version)
                self.assertEqual(server.ask("GET", "/livez", context=nobody)[0], 200)
                self.assertEqual(server.ask("GET", "/readyz", context=nobody)[0], 200)
                status, _, body = server.review(REVIEW, context=nobody)
                self.assertEqual(status, 401)
                self.assertEqual(body["reason"], "Unauthorized")
                for pair in (self.by_cn, self.by_san, self.stranger):  # any name will do
                    known = self.context(server, pair, version)
                    self.assertEqual(server.review(REVIEW, context=known)[0], 200)
            text, _ = s_client(server)
            self.assertIn("Acceptable client certificate CA names", text)
            self.assertIn("CN=ca", text)

    def test_certificates_of_another_ca_or_time_are_refused(self):
        with Server("--client-ca", self.authority.cert) as server:
            for pair in (self.foreign, self.expired):
                for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                    with self.assertRaises((ssl.SSLError, ConnectionError)):
                        server.review(REVIEW, context=self.context(server, pair, version))
            self.assertGreaterEqual(server.metric("fluxhook_tls_handshakes_failed_total"), 4)

    def test_failures_are_logged_with_peer_and_reason(self):
        """At most one a second, with the number of those before it: a server for each, so that none is held back."""
        def plain(server):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
                connection.recv(1000)
                return connection.getsockname()[1]

        def distrustful(server):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                port = connection.getsockname()[1]
                with self.assertRaises(ssl.SSLCertVerificationError):
                    server.context(ca=self.other.cert).wrap_socket(connection, server_hostname="localhost")
                return port

        def expired(server):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                server.review(REVIEW, context=self.context(server, self.expired))
            return r"\d+"

        for peer, reason in ((plain, "http request"), (distrustful, "tlsv1 alert unknown ca"),
                             (expired, "certificate verify failed: certificate has expired")):
            with Server("--client-ca", self.authority.cert, "--log-level", "warn") as server:
                port = peer(server)
                line = server.wait_for("TLS handshake failed")
                self.assertRegex(line, rf' warning? TLS handshake failed remote=127\.0\.0\.1:{port} reason="{reason}" failures=1$')
                begun = time.monotonic()
                for _ in range(30):
                    plain(server)
                self.assertEqual(server.metric("fluxhook_tls_handshakes_failed_total"), 31)
                with socket.create_connection(("127.0.0.1", server.port)):
                    pass  # a probe that only connects is no failure
                server.stop()
                lines = [line for line in server.lines if "handshake" in line]
                self.assertLessEqual(len(lines), 2 + time.monotonic() - begun)
                self.assertLessEqual(sum(int(line.rsplit("=", 1)[1]) for line in lines), 31)

    def test_names(self):
        with Server("--client-ca", self.authority.cert, "--client-name", "apiserver", "--client-name", "b") as server:
            for pair in (self.by_cn, self.by_san):
                self.assertEqual(server.review(REVIEW, context=self.context(server, pair))[0], 200)
            status, _, body = server.review(REVIEW, context=self.context(server, self.stranger))
            self.assertEqual(status, 403)
            self.assertEqual(body["reason"], "Forbidden")
            self.assertEqual(server.ask("GET", "/livez", context=self.context(server, self.stranger))[0], 200)


if __name__ == "__main__":
    unittest.main()
