#!/usr/bin/env python3
"""`fluxhook serve`: flags, the configuration file, and what is said of those that can't be taken."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from webhook import REVIEW, Authority, Server, kubeconfig


def serve(*args):
    """(exit code, standard error) of a serve that is to fail."""
    for flag, value in (("--listen", "127.0.0.1:0"), ("--metrics-listen", "off")):
        if flag not in args and "--config" not in args:
            args += (flag, value)
    done = subprocess.run([os.environ["FLUXHOOK"], "serve", *args], capture_output=True, text=True, timeout=60)
    assert done.stdout == "", done.stdout
    return done.returncode, done.stderr


class Flags(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, args, *words):
        code, text = serve(*args)
        self.assertEqual(code, 2, text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.startswith("fluxhook: error: "), text)
        for word in words:
            self.assertIn(word, text)

    def config(self, text):
        file = self.folder / "config.yaml"
        file.write_text(text)
        return str(file)

    def test_flags_that_do_not_go_together(self):
        for args, words in (
                ([], ["a certificate is needed"]),
                (["--tls-cert", "a"], ["--tls-cert needs --tls-key"]),
                (["--tls-key", "a"], ["--tls-key needs --tls-cert"]),
                (["--tls-cert", "a", "--tls-key", "b", "--tls-ephemeral"], ["exclude each other"]),
                (["--tls-self-managed", "--tls-ephemeral"], ["exclude each other"]),
                (["--tls-cert", "a", "--tls-key", "b", "--ca-out", "c"], ["--ca-out needs --tls-ephemeral"]),
                (["--tls-ephemeral", "--client-name", "a"], ["--client-name needs --client-ca"]),
                (["--tls-ephemeral", "--nonsense"], ["--nonsense"]),
                (["--tls-ephemeral", "word"], ["word"]),
        ):
            with self.subTest(args=args):
                self.refused(args, *words)

    def test_values(self):
        for args, words in (
                (["--listen", "nine"], ["--listen", '"nine"', "HOST:PORT"]),
                (["--metrics-listen", ":x"], ["--metrics-listen", '":x"', "off"]),
                (["--threads", "many"], ["--threads", "many"]),
                (["--threads", "-1"], ["--threads", "-1"]),
                (["--max-connections", "0"], ["--max-connections"]),
                (["--drain-timeout", "soon"], ["--drain-timeout", '"soon"', "10s"]),
                (["--drain-timeout", "-1s"], ["--drain-timeout"]),
                (["--controller", "maybe"], ["--controller"]),
                (["--curve-derivation", "random"], ["--curve-derivation"]),
                (["--label", "a b"], ["--label", '"a b"']),
                (["--cluster-domain", "A_B"], ["--cluster-domain"]),
                (["--default-view-image", ""], ["--default-view-image"]),
                (["--default-network-device", "a-name-that-is-too-long"], ["--default-network-device"]),
                (["--default-queue-policy", "lifo"], ["--default-queue-policy", "fcfs"]),
        ):
            with self.subTest(args=args):
                self.refused(["--tls-ephemeral", *args], *words)

    def test_a_self_managed_certificate_needs_a_cluster(self):
        self.refused(["--tls-self-managed", "--kubeconfig", "/nonexistent/config"], "/nonexistent/config")
        self.refused(["--tls-self-managed", "--name", "A_b"], "--name", '"A_b"')

    def test_what_only_the_controller_has(self):
        for args in (["--kubeconfig", "a"], ["--context", "a"], ["--curve-key", "a"],
                     ["--curve-key-secret", "a"], ["--curve-derivation", "uid"]):
            with self.subTest(args=args):
                self.refused(["--tls-ephemeral", *args], args[0] + " needs --controller on: auto is off outside")
                self.refused(["--tls-ephemeral", "--controller", "off", *args], args[0] + " needs --controller on")

    def test_an_installation_has_its_names_without_a_controller(self):  # the chart gives them always
        with Server("--controller", "off", "--name", "a", "--namespace", "b") as server:
            self.assertIn("controller=off", server.wait_for("listening"))

    def test_controller_flags(self):
        on = ["--tls-ephemeral", "--controller", "on"]
        config = str(kubeconfig(self.folder, 1, "hpc"))  # nobody listens there
        self.refused([*on, "--kubeconfig", "/nonexistent"], "/nonexistent", "no such file")
        self.refused([*on, "--kubeconfig", config, "--context", "y"], '"y"', '"x"')
        self.refused([*on, "--curve-key", "a", "--curve-derivation", "uid"], "exclude each other")
        self.refused([*on, "--namespace", "A_B"], "--namespace", '"A_B"')
        self.refused([*on, "--kubeconfig", config, "--curve-key", "/nonexistent"], "/nonexistent", "can't be read")
        pipe = str(self.folder / "pipe")
        os.mkfifo(pipe)  # open() of it would wait for whoever writes
        self.refused([*on, "--kubeconfig", pipe], pipe, "is no regular file")
        self.refused([*on, "--kubeconfig", config, "--curve-key", pipe], pipe, "is no regular file")
        with Server("--controller", "on", "--kubeconfig", config) as server:
            server.wait_for("the Lease can't be had lease=hpc/fluxhook")
            status, _, _ = server.review(REVIEW)
            self.assertEqual(status, 200)
            self.assertEqual(server.metric("fluxhook_leader"), 0)
            self.assertEqual(server.stop(), 0)

    def test_files_that_cannot_be_used(self):
        authority = Authority(str(self.folder))
        cert, key = authority.issue("a")
        _, other = authority.issue("b")
        noise = self.folder / "noise"
        noise.write_text("noise")
        self.refused(["--tls-cert", "/nonexistent.crt", "--tls-key", key], "/nonexistent.crt", "No such file")
        self.refused(["--tls-cert", cert, "--tls-key", other], other, "is not the key of the certificate in " + cert)
        self.refused(["--tls-cert", str(noise), "--tls-key", key], str(noise), "no PEM certificate")
        self.refused(["--tls-cert", cert, "--tls-key", str(noise)], str(noise), "private key")
        self.refused(["--tls-cert", cert, "--tls-key", key, "--client-ca", str(noise)], str(noise))
        for nothing, named in ((os.devnull, os.devnull), ("", "--client-ca")):  # not "no CA": everyone would be let in
            self.refused(["--tls-cert", cert, "--tls-key", key, "--client-ca", nothing], named)
            self.refused(["--tls-ephemeral", "--client-ca", nothing], named)
        pipe = str(self.folder / "pipe")
        os.mkfifo(pipe)  # open() of it would wait for whoever writes
        self.refused(["--tls-cert", pipe, "--tls-key", key], pipe, "is no regular file")
        self.refused(["--tls-cert", cert, "--tls-key", pipe], pipe, "is no regular file")
        self.refused(["--tls-ephemeral", "--client-ca", pipe], pipe, "is no regular file")
        self.refused(["--tls-cert", str(self.folder), "--tls-key", key], str(self.folder), "is no regular file")
        self.refused(["--tls-cert", cert, "--tls-key", key, "--client-ca", cert, "--client-name", ""], "--client-name")
        self.refused(["--tls-ephemeral", "--ca-out", "/nonexistent/ca.pem"], "/nonexistent/ca.pem")
        with Server() as server:
            self.refused(["--tls-ephemeral", "--listen", f"127.0.0.1:{server.port}"], f"127.0.0.1:{server.port}",
                         "in use")

    def test_configuration_file(self):
        authority = Authority(str(self.folder))
        cert, key = authority.issue("a")
        file = self.config(f"# a comment\ntls-cert: {cert}\ntls-key: {key}\nthreads: 3\nlabel: example.org/flux\n"
                           f"client-ca: {authority.cert}\nclient-name: [a, b]\ndefault-queue-policy: easy\n"
                           "log-format: json\ndrain-timeout: 0s\nlisten: '127.0.0.1:1'\n")
        with Server("--config", file, "--tls-cert", cert) as server:  # --listen is on the command line
            self.assertNotEqual(server.port, 1)
            self.assertEqual(json.loads(server.lines[0])["level"], "info")
            server.ca = authority.cert
            context = server.context()
            context.load_cert_chain(cert, key)
            _, _, answer = server.review(REVIEW, context=context)
            self.assertNotIn("patch", answer["response"])  # it has another label
            review = json.loads(REVIEW)
            review["request"]["object"]["metadata"]["labels"]["example.org/flux"] = "true"
            _, _, answer = server.review(json.dumps(review).encode(), context=context)
            self.assertIn("patch", answer["response"])
            line = json.loads(server.wait_for('"verdict":"patched"'))
            self.assertEqual((line["message"], line["name"]), ("review", "default/lammps"))

    def test_configuration_file_with_faults(self):
        for text, words in (
                ("tls-ephemeral: true\ntreads: 3\n", [":2:1", '"treads"', "did you mean threads?"]),
                ("tls-ephemeral: true\nthreads: many\n", [":2:10", "many"]),
                ("tls-ephemeral: true\nthreads: [1, 2]\n", [":2:10", "threads"]),
                ("tls-ephemeral: true\nthreads:\n  a: b\n", [":3:", "threads"]),
                ("tls-ephemeral: true\nthreads:\n", ["threads"]),
                ("tls-ephemeral: true\nconfig: a\n", [":2:1", '"config"']),
                ("tls-ephemeral: true\nthreads: 1\nthreads: 2\n", ["threads"]),
                ("tls-ephemeral: true\nlisten: nine\n", [":2:9", '"nine"']),
                ("tls-ephemeral: true\ndefault-queue-policy: lifo\n", [":2:", "fcfs"]),
                ("- tls-ephemeral\n", [":1:1", "FLAG: VALUE"]),
                ("tls-ephemeral: [\n", ["config.yaml"]),
                ("tls-ephemeral: true\nca-out: x\ntls-self-managed: true\n", ["exclude each other"]),
        ):
            with self.subTest(text=text):
                file = self.config(text)
                self.refused(["--config", file], *words)
        self.refused(["--tls-ephemeral", "--config", "/nonexistent.yaml"], "/nonexistent.yaml")

    def test_listening_is_told_at_every_level(self):
        for level in ("trace", "debug", "info", "warn", "error", "off"):
            for form in ("text", "json"):
                with Server("--log-level", level, "--log-format", form) as server:  # waits for the line
                    line = server.wait_for("listening")
                    self.assertEqual(server.stop(), 0)
                    if level in ("warn", "error", "off"):
                        self.assertEqual(server.lines, [line])
                    if form == "json":
                        self.assertEqual(json.loads(line)["https"], f"127.0.0.1:{server.port}")

    def test_json_log(self):
        with Server("--log-format", "json") as server:
            server.review(REVIEW)
            line = json.loads(server.wait_for('"review"'))
            self.assertEqual(set(line), {"time", "level", "message", "uid", "name", "operation", "webhook", "verdict",
                                         "ms"})
            self.assertEqual(line["verdict"], "patched")

    def test_help_names_every_flag(self):
        done = subprocess.run([os.environ["FLUXHOOK"], "serve", "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for flag in ("--listen", "--metrics-listen", "--tls-cert", "--tls-key", "--tls-self-managed", "--tls-ephemeral",
                     "--ca-out", "--client-ca", "--client-name", "--controller", "--kubeconfig", "--context",
                     "--namespace", "--name", "--curve-key", "--curve-key-secret", "--curve-derivation", "--label",
                     "--cluster-domain", "--default-view-image", "--default-network-device", "--default-queue-policy",
                     "--max-connections", "--threads", "--drain-timeout", "--config"):
            self.assertIn(flag, done.stdout)


if __name__ == "__main__":
    unittest.main()
