#!/usr/bin/env python3
"""No key, certificate's key or patch in what the program says: logs, metrics, answers, arguments, core dumps."""
import base64
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import tempfile
import unittest

from api_server import SECRET, TOKEN, ApiServer
from controller_test import UID, Cluster
from webhook import REVIEW, TOP, Authority, Server, ask

# docs/adr/0002-key-derivation.md: the keys of this master key and uid.
MASTER = bytes(range(32))
CURVE_SECRET = b"rc=DFn=PvUQ<aJECO{oRxL?=YLHPACATpyZg=0>K"
CURVE_PUBLIC = b"gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V"
NOBODY = 65534


def forms(secret):
    """A secret in the forms in which it could be written."""
    plain = [secret, base64.b64encode(secret), secret.hex().encode(), secret.hex().upper().encode(),
             json.dumps(secret.decode("latin-1")).strip('"').encode()]
    # As part of a longer text in base64: the middle of each of the three ways in which it can lie there.
    inside = [base64.b64encode(b"x" * shift + secret + b"xx")[4:-8] for shift in range(3)]
    return [form for form in plain + inside if len(form) >= 16]


def pem_key(path):
    """The private key's own bytes, of a PEM file."""
    text = pathlib.Path(path).read_text().splitlines()
    return base64.b64decode("".join(text[1:-1]))


def found(secrets, text):
    return [name for name, secret in secrets.items() if any(form in text for form in forms(secret))]


class Secrets(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.key = pathlib.Path(self.folder, "curve.key")
        self.key.write_bytes(MASTER)

    def said_by(self, server):
        """All that it has told anybody, with what it is asked here."""
        told = []
        for path, body in (("/mutate", b"{"), ("/mutate", REVIEW[:-9]), ("/nowhere", REVIEW), ("/validate", b"[]")):
            status, _, answer = server.review(body, path)
            self.assertGreaterEqual(status, 400)
            told.append(json.dumps(answer).encode())
        metrics = http.client.HTTPConnection("127.0.0.1", server.metrics_port)
        told.append(ask(metrics, "GET", "/metrics")[2].encode())
        metrics.close()
        told.append(pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes())
        self.assertEqual(server.stop(), 0)
        told.append("\n".join(server.lines).encode())
        return b"\n".join(told)

    def test_the_search_finds_what_it_looks_for(self):
        for text in (b"key=" + CURVE_SECRET, b"x" + base64.b64encode(b"a" + CURVE_SECRET + b"b"), CURVE_SECRET.hex().encode()):
            self.assertEqual(["curve"], found({"curve": CURVE_SECRET}, text))
        self.assertEqual([], found({"curve": CURVE_SECRET}, CURVE_PUBLIC))

    def test_server_with_files(self):
        cert, tls_key = Authority(self.folder).issue("fluxhook")
        with Cluster(self.folder) as cluster:
            with Server("--controller", "on", "--kubeconfig", str(cluster.kubeconfig), "--tls-cert", cert, "--tls-key", tls_key,
                        "--curve-key", str(self.key), "--log-level", "trace") as server:
                server.ca = os.path.join(self.folder, "ca.crt")
                server.wait_for("companions created jobset=hpc/js")
                patched = server.review(REVIEW)[2]
                patch = patched["response"]["patch"].encode()
                pathlib.Path(tls_key).write_text("no key")  # and one that can't be read
                server.process.send_signal(1)
                server.wait_for("certificate refused")
                pathlib.Path(tls_key).unlink()
                said = self.said_by(server)
            made = {path: json.dumps(each).encode() for path, each in cluster.objects.items()}
        secrets = {"master key": MASTER, "curve secret": CURVE_SECRET}
        self.assertEqual({"/api/v1/namespaces/hpc/secrets/js-flux-curve": ["curve secret"]},  # where it belongs
                         {path: found(secrets, text) for path, text in made.items() if found(secrets, text)})
        self.assertIn(CURVE_PUBLIC.decode(), cluster.objects[
            "/api/v1/namespaces/hpc/configmaps/js-flux-entrypoint"]["data"]["entrypoint.sh"])
        self.assertEqual([], found(secrets, said))
        for text in (patch[:64], b"PRIVATE KEY", b"BEGIN CERTIFICATE"):
            self.assertFalse(text in said, text)

    def test_the_key_of_files_is_not_told(self):
        cert, tls_key = Authority(self.folder).issue("fluxhook")
        secrets = {"TLS key": pem_key(tls_key)}
        with Server("--tls-cert", cert, "--tls-key", tls_key, "--log-level", "trace") as server:
            server.ca = os.path.join(self.folder, "ca.crt")
            self.assertEqual([], found(secrets, self.said_by(server)))
        done = subprocess.run([os.environ["FLUXHOOK"], "serve", "--tls-cert", tls_key, "--tls-key", cert], capture_output=True)
        self.assertEqual(done.returncode, 2)  # the two are exchanged
        self.assertEqual([], found(secrets, done.stdout + done.stderr))
        self.assertNotIn(pathlib.Path(tls_key).read_text().splitlines()[1].encode(), done.stdout + done.stderr)

    def test_server_with_a_certificate_of_its_own(self):
        with ApiServer(self.folder) as cluster:
            with Server("--tls-self-managed", "--kubeconfig", cluster.kubeconfig, "--log-level", "trace") as server:
                server.wait_until(lambda: server.metric("fluxhook_certificate_served_equals_bundle") == 1)
                server.context = ssl._create_unverified_context  # the certificate is for the Service's name
                said = self.said_by(server)
            keys = {name: cluster.secret(name) for name in cluster.objects[SECRET]["data"] if name.endswith("key")}
        self.assertGreaterEqual(len(keys), 2)
        secrets = {name: base64.b64decode(b"".join(pem.splitlines()[1:-1])) for name, pem in keys.items()}
        self.assertEqual([], found(secrets, said))
        self.assertFalse(TOKEN.encode() in said or b"PRIVATE KEY" in said)

    def test_command_line(self):
        """`mutate --companions` shows the Secret on standard output, which is what it is for; nothing else has the key."""
        examples = TOP / "examples/lammps.yaml"
        words = [os.environ["FLUXHOOK"], "mutate", "--companions", "--uid", UID, "--log-level", "trace", "--curve-key"]
        done = subprocess.run([*words, self.key, examples], capture_output=True)
        self.assertEqual(0, done.returncode, done.stderr)
        secrets = {"master key": MASTER, "curve secret": CURVE_SECRET}
        self.assertEqual(["curve secret"], found(secrets, done.stdout))
        self.assertEqual([], found(secrets, done.stderr))
        for wrong in (MASTER + b"x", MASTER[:31], base64.b64encode(MASTER) + b"!"):  # a key that can't be used is not shown
            self.key.write_bytes(wrong)
            done = subprocess.run([*words, self.key, examples], capture_output=True)
            self.assertEqual(2, done.returncode)
            self.assertEqual([], found({"key": wrong}, done.stdout + done.stderr))
            self.assertIn(str(self.key).encode(), done.stderr)


class CoreDumps(unittest.TestCase):
    def test_the_process_may_not_be_dumped(self):
        """Then its files in /proc are root's (proc(5), ptrace(2)), whoever runs it, and the kernel writes no core of it."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(folder, 0o755)
        program = pathlib.Path(folder, "fluxhook")
        program.write_bytes(pathlib.Path(os.environ["FLUXHOOK"]).read_bytes())
        program.chmod(0o755)
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        mine = NOBODY if user else os.geteuid()
        serve = [program, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--tls-ephemeral",
                 "--controller", "off"]
        for command, owner in ((serve, 0), (["sleep", "1000"], mine)):
            process = subprocess.Popen(command, stderr=subprocess.PIPE, **user)
            try:
                if owner == 0:
                    line = process.stderr.readline().decode()
                    while "listening" not in line:
                        self.assertTrue(line)
                        line = process.stderr.readline().decode()
                else:
                    self.wait_for_exec(process, b"sleep")
                self.assertEqual(owner, os.stat(f"/proc/{process.pid}/environ").st_uid)
                if owner == 0:
                    self.assertGreater(self.open_files(line), 3)  # itself it can still look at
            finally:
                process.kill()
                process.communicate()

    def wait_for_exec(self, process, name):
        while pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")[0] != name:
            pass

    def open_files(self, listening):
        port = int(listening.split("metrics=")[1].split()[0].rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        text = ask(connection, "GET", "/metrics")[2]
        connection.close()
        return float(text.split("\nprocess_open_fds ")[1].split()[0])


if __name__ == "__main__":
    unittest.main()
