#!/usr/bin/env python3
"""Certificate files of a mounted Secret: swapped under load, broken, expired."""
import os
import pathlib
import signal
import ssl
import tempfile
import threading
import unittest

from webhook import REVIEW, Authority, MountedSecret, Server, openssl


def read(pair):
    return [pathlib.Path(file).read_bytes() for file in pair]


class Reload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.authority = Authority(folder.name)
        self.first = read(self.authority.issue("first"))
        self.second = read(self.authority.issue("second"))
        self.secret = MountedSecret(tempfile.mkdtemp(dir=folder.name))
        self.secret.publish(*self.first)
        self.server = Server("--tls-cert", self.secret.cert, "--tls-key", self.secret.key)
        self.server.ca = self.authority.cert
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def served(self):
        """The common name of the certificate that a new connection sees."""
        with self.server.tls() as connection:
            return dict(part[0] for part in connection.getpeercert()["subject"])["commonName"]

    def count(self, text):
        return sum(text in line for line in self.server.lines)

    def test_swap_under_load(self):
        """No handshake fails and no connection is disturbed, however often the link is swapped."""
        failures, done, stop = [], [0], threading.Event()

        def call_anew():
            while not stop.is_set():
                try:
                    status, _, _ = self.server.review(REVIEW)
                    done[0] += status == 200
                except OSError as error:
                    failures.append(error)

        def call_on_one_connection():
            connection = self.server.connection()
            while not stop.is_set():
                try:
                    connection.request("POST", "/mutate", REVIEW, {"Content-Type": "application/json"})
                    connection.getresponse().read()
                except OSError as error:
                    failures.append(error)
            connection.close()

        callers = [threading.Thread(target=call) for call in (call_anew, call_anew, call_on_one_connection)]
        for caller in callers:
            caller.start()
        try:
            for turn in range(1, 7):
                self.secret.publish(*(self.second if turn % 2 else self.first))
                self.server.wait_until(lambda turn=turn: self.count("certificate reloaded") >= turn)
                self.assertEqual(self.served(), "second" if turn % 2 else "first")
            for turn in range(200):  # faster than they are looked at
                self.secret.publish(*(self.second if turn % 2 else self.first))
            self.server.wait_until(lambda: self.served() == "second")
        finally:
            stop.set()
            for caller in callers:
                caller.join()
        self.assertEqual(failures, [])
        self.assertGreater(done[0], 0)
        self.assertEqual(self.count("refused"), 0)

    def test_sighup_reads_the_files_again(self):
        for turn in range(1, 3):  # although nothing has changed
            self.server.process.send_signal(signal.SIGHUP)
            self.server.wait_until(lambda turn=turn: self.count("certificate reloaded") == turn)
        self.assertEqual(self.count("reload: reading the certificate's files again"), 2)
        self.secret.publish(self.second[0], self.first[1])
        self.server.wait_until(lambda: self.count("certificate refused") >= 1)
        self.server.process.send_signal(signal.SIGHUP)
        self.server.wait_until(lambda: self.count("certificate refused") >= 2)
        self.assertEqual(self.served(), "first")
        self.assertEqual(self.server.review(REVIEW)[0], 200)
        self.assertEqual(self.server.stop(), 0)

    def test_sighup_leaves_an_ephemeral_certificate_alone(self):
        with Server("--tls-ephemeral", "--ca-out", f"{self.authority.folder}/ephemeral.pem") as server:
            server.ca = f"{self.authority.folder}/ephemeral.pem"
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("an ephemeral certificate has no files to read again")
            self.assertEqual(server.review(REVIEW)[0], 200)

    def test_a_connection_lives_on_through_a_swap(self):
        connection = self.server.connection()
        connection.request("GET", "/livez")
        connection.getresponse().read()
        socket = connection.sock
        self.secret.publish(*self.second)
        self.server.wait_for("certificate reloaded")
        connection.request("GET", "/livez")
        self.assertEqual(connection.getresponse().read(), b"ok\n")
        self.assertIs(connection.sock, socket)
        connection.close()

    def test_what_cannot_be_used_is_refused_once_and_the_old_one_is_served_on(self):
        other = read(Authority(self.authority.folder, "other").issue("third"))
        bad = {"mismatched": (self.second[0], self.first[1]), "half a certificate": (self.second[0][:200], self.second[1]),
               "half a key": (self.second[0], self.second[1][:60]), "empty": (b"", b""),
               "another's key": (self.first[0], other[1]), "swapped": self.first[::-1], "noise": (b"\0" * 999, b"x")}
        for turn, (what, pair) in enumerate(bad.items(), 1):
            with self.subTest(what):
                self.secret.publish(*pair)
                self.server.wait_until(lambda turn=turn: self.count("certificate refused") >= turn)
                self.assertEqual(self.served(), "first")
                self.assertEqual(self.server.ask("GET", "/readyz")[0], 200)
                self.server.wait_until(
                    lambda: self.server.metric("fluxhook_certificate_served_equals_disk") == 0)
        self.assertEqual(self.count("certificate refused"), len(bad))
        for line in self.server.lines:
            self.assertNotIn("BEGIN", line)
        self.secret.publish(*self.second)
        self.server.wait_until(lambda: self.served() == "second")
        self.server.wait_until(lambda: self.server.metric("fluxhook_certificate_served_equals_disk") == 1)
        self.assertEqual(self.count("certificate refused"), len(bad))

    def test_files_that_vanish_and_come_back(self):
        (self.secret.folder / "..data").unlink()
        self.server.wait_for("certificate refused")
        self.assertEqual(self.served(), "first")
        self.secret.publish(*self.second)
        self.server.wait_until(lambda: self.served() == "second")

    def test_a_pipe_in_the_files_place_is_refused_and_not_waited_for(self):
        (self.secret.folder / "pipes").mkdir()
        for name in ("tls.crt", "tls.key"):
            os.mkfifo(self.secret.folder / "pipes" / name)
        (self.secret.folder / "..data_tmp").symlink_to("pipes")
        (self.secret.folder / "..data_tmp").rename(self.secret.folder / "..data")
        self.assertIn("is no regular file", self.server.wait_for("certificate refused"))
        self.assertEqual(self.served(), "first")
        self.secret.publish(*self.second)
        self.server.wait_until(lambda: self.served() == "second")

    def test_an_expired_certificate_turns_readiness_off(self):
        expired = read(self.authority.issue("expired", not_after="20210101000000Z"))
        self.secret.publish(*expired)
        unchecked = ssl._create_unverified_context()

        def ready():
            return self.server.ask("GET", "/readyz", context=unchecked)

        self.server.wait_until(lambda: ready()[0] == 503)
        self.assertIn("expired", ready()[2]["message"])
        self.assertEqual(self.server.ask("GET", "/livez", context=unchecked)[0], 200)
        self.server.wait_until(lambda: self.server.metric("fluxhook_ready") == 0)
        self.assertEqual(self.server.metric("fluxhook_certificate_expiry_timestamp_seconds"), 1609459200)
        self.secret.publish(*self.second)
        self.server.wait_until(lambda: ready()[0] == 200)

    def test_an_intermediate_is_sent_along(self):
        folder = self.authority.folder
        name = f"{folder}/sub"
        request = openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj",
                          "/CN=sub", "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
                          "keyUsage=critical,keyCertSign", "-keyout", name + ".key")
        openssl("x509", "-req", "-CA", self.authority.cert, "-CAkey", self.authority.key, "-copy_extensions", "copy",
                "-days", "30", "-out", name + ".crt", input=request.stdout)
        sub = Authority.__new__(Authority)
        sub.folder, sub.cert, sub.key = folder, name + ".crt", name + ".key"
        leaf = read(sub.issue("under-sub"))
        self.secret.publish(leaf[0] + pathlib.Path(sub.cert).read_bytes(), leaf[1])
        self.server.wait_until(lambda: self.count("certificate reloaded") == 1)
        self.assertEqual(self.served(), "under-sub")

    def test_an_rsa_certificate(self):
        rsa = f"{self.authority.folder}/rsa"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "30", "-subj", "/CN=rsa", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", rsa + ".key", "-out", rsa + ".crt")
        self.secret.publish(*read((rsa + ".crt", rsa + ".key")))
        self.server.wait_until(lambda: self.count("certificate reloaded") == 1)
        context = self.server.context(ca=rsa + ".crt")
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context.minimum_version = context.maximum_version = version
            self.assertEqual(self.server.review(REVIEW, context=context)[0], 200)


if __name__ == "__main__":
    unittest.main()
