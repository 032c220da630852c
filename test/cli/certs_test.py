#!/usr/bin/env python3
"""`fluxhook certs`: what OpenSSL's command line and kubectl make of its files, Secrets and caBundles."""
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from api_server import MUTATING, VALIDATING, ApiServer
from command import fluxhook, kubectl

FILES = {"ca.crt": 0o644, "ca.key": 0o600, "tls.crt": 0o644, "tls.key": 0o600}


def openssl(*args, data=None):
    done = subprocess.run(["openssl", *args], capture_output=True, input=data, check=False)
    return done.stdout.decode() if done.returncode == 0 else "FAILED: " + done.stderr.decode()


class Certs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "certs"

    def done(self, *args, code=0, **options):
        done = fluxhook("certs", *args, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def refused(self, args, *words, code=2):
        done = self.done(*args, code=code)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def issue(self, *args, code=0):
        return self.done("issue", "--dns", "fluxhook.flux.svc", "--out", str(self.out), *args, code=code)

    def read(self):
        return {path.name: path.read_bytes() for path in self.out.iterdir()}

    def verified(self, name="fluxhook.flux.svc"):
        return openssl("verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", str(self.out / "ca.crt"),
                       "-verify_hostname", name, str(self.out / "tls.crt"))


class Issue(Certs):
    def test_four_files_that_openssl_verifies(self):
        self.assertEqual(self.issue("--dns", "10.0.0.1", "--dns", "b.example").stdout, "")
        self.assertEqual({path.name: path.stat().st_mode & 0o777 for path in self.out.iterdir()}, FILES)
        for name in ("fluxhook.flux.svc", "b.example"):
            self.assertTrue(self.verified(name).endswith("tls.crt: OK\n"), self.verified(name))
        self.assertIn("FAILED", self.verified("c.example"))
        text = openssl("x509", "-in", str(self.out / "tls.crt"), "-noout", "-ext", "subjectAltName")
        self.assertIn("DNS:fluxhook.flux.svc, IP Address:10.0.0.1, DNS:b.example", text)
        public = openssl("pkey", "-in", str(self.out / "tls.key"), "-pubout")
        self.assertEqual(openssl("x509", "-in", str(self.out / "tls.crt"), "-noout", "-pubkey"), public)

    def test_lifetimes(self):
        self.issue("--days", "30", "--ca-days", "60")
        for name, days in (("tls.crt", 30), ("ca.crt", 60)):
            file = str(self.out / name)
            end = ["x509", "-in", file, "-noout", "-checkend"]
            self.assertEqual(openssl(*end, str((days * 24 - 1) * 3600)), "Certificate will not expire\n")
            self.assertIn("FAILED", openssl(*end, str((days * 24 + 1) * 3600)))

    def test_again_keeps_the_ca_and_renews_the_rest(self):
        self.issue()
        before = self.read()
        done = self.issue()
        after = self.read()
        self.assertIn("the CA that was there", done.stderr)
        self.assertEqual({name for name in FILES if before[name] != after[name]}, {"tls.crt", "tls.key"})
        self.assertTrue(self.verified().endswith("OK\n"))
        self.refused(["issue", "--dns", "a", "--out", str(self.out), "--ca-days", "9"], "--ca-days", "kept")

    def test_many_at_once_agree_on_one_ca(self):
        command = [os.environ["FLUXHOOK"], "certs", "issue", "--dns", "fluxhook.flux.svc", "--out", str(self.out)]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(12)]
        said = [one.communicate()[1] for one in running]
        self.assertEqual([one.returncode for one in running], [0] * 12, said)
        self.assertEqual(sum("a new CA" in text for text in said), 1, said)
        self.assertTrue(self.verified().endswith("OK\n"))
        for name in ("ca", "tls"):
            public = openssl("pkey", "-in", str(self.out / f"{name}.key"), "-pubout")
            self.assertEqual(openssl("x509", "-in", str(self.out / f"{name}.crt"), "-noout", "-pubkey"), public)

    def test_what_is_there_is_not_overwritten(self):
        self.issue()
        for gone, words in ((["ca.key"], ["ca.crt without its ca.key"]), (["ca.crt"], ["tls.crt is there, and no CA"])):
            for name in gone:
                (self.out / name).unlink()
            before = self.read()
            self.refused(["issue", "--dns", "a", "--out", str(self.out)], *words)
            self.assertEqual(self.read(), before)

    def test_a_ca_that_can_issue_nothing(self):
        self.issue()
        good = self.read()
        unusable = "its CA can't be used"
        for name, data, words in (("ca.key", good["tls.key"], [unusable, "does not belong"]),
                                  ("ca.crt", b"noise", [unusable, "certificate"]), ("ca.key", b"", ["ca.key", "is empty"])):
            with self.subTest(name=name, data=data[:9]):
                (self.out / name).write_bytes(data)
                self.refused(["issue", "--dns", "a", "--out", str(self.out)], *words)
                (self.out / name).write_bytes(good[name])
        for name in ("crt", "key"):
            (self.out / f"ca.{name}").write_bytes(good[f"tls.{name}"])
        self.refused(["issue", "--dns", "a", "--out", str(self.out)], "is no certificate of a CA")

    def test_wrong_flags(self):
        out = ["--out", str(self.out)]
        self.refused(["issue", *out], "--dns is needed")
        self.refused(["issue", "--dns", "a"], "--out is needed")
        self.refused(["issue", "--dns", "a b", *out], '"a b"', "DNS name")
        self.refused(["issue", "--dns", "a", "--days", "0", *out], "--days")
        self.refused(["issue", "--dns", "a", "--out", "/dev/null/x"], "/dev/null/x")
        self.assertFalse(self.out.exists())
        self.refused([], "a command is missing: see fluxhook certs --help")
        self.refused(["isue"], "unknown command isue: did you mean issue?")

    def test_a_configuration_file(self):
        config = self.folder / "c.yaml"
        config.write_text(f"dns: [a.example, b.example]\nout: {self.out}\ntls-self-managed: true\n")
        self.done("issue", "--config", str(config))
        self.assertTrue(self.verified("b.example").endswith("OK\n"))

    def test_the_server_takes_them(self):
        from webhook import REVIEW, Server
        self.done("issue", "--dns", "localhost", "--out", str(self.out))
        with Server("--tls-cert", str(self.out / "tls.crt"), "--tls-key", str(self.out / "tls.key")) as server:
            server.ca = str(self.out / "ca.crt")
            self.assertEqual(server.review(REVIEW)[0], 200)


class Secret(Certs):
    def test_from_a_folder(self):
        self.issue()
        files = self.read()
        for more, keys in (([], FILES.keys() - {"ca.key"}), (["--with-ca-key"], FILES.keys())):
            text = self.done("secret", "--name", "s", "--namespace", "flux", "--from", str(self.out), *more).stdout
            secret = kubectl(text)
            self.assertEqual((secret["kind"], secret["type"], secret["metadata"]["name"], secret["metadata"]["namespace"]),
                             ("Secret", "kubernetes.io/tls", "s", "flux"))
            self.assertEqual({key: base64.b64decode(value) for key, value in secret["data"].items()},
                             {key: files[key] for key in keys})

    def test_anew(self):
        text = self.done("secret", "--name", "s", "--namespace", "flux", "--dns", "a.example", "--days", "9").stdout
        data = {key: base64.b64decode(value) for key, value in kubectl(text)["data"].items()}
        self.assertNotIn("ca.key", data)
        self.out.mkdir()
        for name, value in data.items():
            (self.out / name).write_bytes(value)
        self.assertTrue(self.verified("a.example").endswith("OK\n"))

    def test_wrong_flags(self):
        name = ["secret", "--name", "s", "--namespace", "flux"]
        self.refused(["secret", "--namespace", "flux", "--dns", "a"], "--name is needed")
        self.refused(["secret", "--name", "s", "--dns", "a"], "--namespace is needed")
        self.refused(["secret", "--name", "A_B", "--dns", "a"], "--name")
        self.refused(name, "--from is needed")
        self.refused([*name, "--from", "x", "--dns", "a"], "exclude each other")
        self.refused([*name, "--from", "x", "--days", "3"], "need --dns")
        self.refused([*name, "--dns", "a", "--context", "x"], "need --create")
        self.refused([*name, "--from", str(self.out)], str(self.out))
        self.issue()
        (self.out / "tls.key").write_bytes(self.read()["ca.key"])
        self.refused([*name, "--from", str(self.out)], "does not belong")

    def test_created_in_the_cluster(self):
        with ApiServer(str(self.folder)) as cluster:
            args = ["secret", "--name", "s", "--namespace", "flux", "--dns", "a", "--create", "--kubeconfig",
                    cluster.kubeconfig]
            self.assertEqual(self.done(*args).stdout, "")
            self.assertEqual(cluster.objects["/api/v1/namespaces/flux/secrets/s"]["type"], "kubernetes.io/tls")
            self.refused(args, "AlreadyExists")


class CaBundle(Certs):
    def setUp(self):
        super().setUp()
        self.issue()
        self.ca = str(self.out / "ca.crt")

    def test_printed(self):
        printed = self.done("ca-bundle", "--ca", self.ca).stdout
        self.assertEqual(base64.b64decode(printed, validate=False), self.read()["ca.crt"])
        self.assertEqual(printed.count("\n"), 1)

    def test_a_key_beside_the_certificate_stays_where_it_is(self):
        both = self.folder / "both.pem"
        both.write_bytes(self.read()["ca.key"] + self.read()["ca.crt"])
        self.assertEqual(base64.b64decode(self.done("ca-bundle", "--ca", str(both)).stdout), self.read()["ca.crt"])
        self.refused(["ca-bundle", "--ca", str(self.out / "ca.key")], "ca.key", "no certificate")

    def test_patched(self):
        with ApiServer(str(self.folder)) as cluster:
            args = ["ca-bundle", "--ca", self.ca, "--patch", "--kubeconfig", cluster.kubeconfig]
            self.assertEqual(self.done(*args).stderr.count("caBundle written"), 2)
            for path in (MUTATING, VALIDATING):
                self.assertEqual(set(cluster.bundles(path)), {self.read()["ca.crt"]})
            self.assertEqual(self.done(*args).stderr.count("has this caBundle already"), 2)
            self.refused([*args, "--name", "other"], "NotFound")
            cluster.fault = lambda method, path: 403
            self.refused(args, "Forbidden")

    def test_another_writer_between_read_and_patch(self):
        with ApiServer(str(self.folder)) as cluster:
            def fault(method, path):
                if method == "PATCH" and len([call for call in cluster.calls if call.startswith("PATCH")]) == 1:
                    cluster.put(path, json.loads(json.dumps(cluster.objects[path])))

            cluster.fault = fault
            self.done("ca-bundle", "--ca", self.ca, "--patch", "--kubeconfig", cluster.kubeconfig)
            self.assertEqual(set(cluster.bundles(MUTATING)), {self.read()["ca.crt"]})

    def test_a_cluster_that_cannot_be_reached(self):
        with ApiServer(str(self.folder)) as cluster:
            kubeconfig = cluster.kubeconfig
        self.refused(["ca-bundle", "--ca", self.ca, "--patch", "--kubeconfig", kubeconfig], code=3)
        self.refused(["ca-bundle", "--ca", self.ca, "--patch", "--kubeconfig", "/nonexistent"], "/nonexistent")

    def test_wrong_flags(self):
        self.refused(["ca-bundle"], "--ca is needed")
        self.refused(["ca-bundle", "--ca", self.ca, "--name", "x"], "--name needs --patch")
        self.refused(["ca-bundle", "--ca", self.ca, "--kubeconfig", "x"], "need --patch")
        self.refused(["ca-bundle", "--ca", os.devnull], os.devnull)


if __name__ == "__main__":
    unittest.main()
