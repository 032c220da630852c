"""A running `fluxhook serve` and peers of it, for the tests of this folder.

The binary is $FLUXHOOK. Peers are independent of it: python's ssl, sockets, OpenSSL's and curl's command lines.
Waits end when what is waited for comes; ctest ends a test that hangs.
"""
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
REVIEW = json.dumps(json.loads((TOP / "examples/lammps.review.json").read_text()), separators=(",", ":")).encode()


class Server:
    """`with Server("--tls-ephemeral") as server:`; args replace the ephemeral certificate when they name one."""

    def __init__(self, *args, env=None):
        self.folder = tempfile.TemporaryDirectory()
        self.ca = os.path.join(self.folder.name, "ca.pem")
        if not any(arg.startswith("--tls-") for arg in args):
            args += ("--tls-ephemeral", "--ca-out", self.ca)
        if "--drain-timeout" not in args:
            args += ("--drain-timeout", "0s")
        self.command = [os.environ["FLUXHOOK"], "serve", "--listen", "127.0.0.1:0", "--metrics-listen",
                        "127.0.0.1:0", *args]
        self.env = {**os.environ, **(env or {})}
        self.lines = []

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=self.env)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        try:
            line = self.wait_for("listening")
            self.port, self.metrics_port = (int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)", line))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, text, after=0):
        """The first log line that contains the text."""
        while True:
            for line in self.lines[after:]:
                if text in line:
                    return line
            if self.process.poll() is not None and not self.reader.is_alive():
                raise AssertionError(f"the server ended ({self.process.returncode}): {self.lines}")
            time.sleep(0.01)

    def stop(self, signal=15):
        """Ends it and returns its exit code."""
        self.process.send_signal(signal)
        code = self.process.wait()
        self.reader.join()
        return code

    def tls(self, **options):
        """A TLS socket to it, of a client that checks the server's certificate."""
        context = options.pop("context", None) or self.context()
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.port)),
                                   server_hostname=options.pop("name", "localhost"))

    def context(self, ca=None):
        return ssl.create_default_context(cafile=ca or self.ca)

    def connection(self, context=None):
        connection = http.client.HTTPSConnection("localhost", self.port, context=context or self.context())
        connection._create_connection = lambda address, *args: socket.create_connection(("127.0.0.1", address[1]), *args)
        return connection

    def ask(self, method, path, body=None, headers=None, context=None):
        """(status, headers, parsed JSON or text) of one request over its own connection."""
        connection = self.connection(context)
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def readiness(self):
        """(status, text) as a kubelet asks: it checks no certificate."""
        status, _, answer = self.ask("GET", "/readyz", context=ssl._create_unverified_context())
        return status, answer["message"] if status != 200 else answer

    def review(self, body, path="/mutate", **options):
        return self.ask("POST", path, body, {"Content-Type": "application/json"}, **options)

    def raw(self, request):
        """Everything that comes back for these bytes, until the server ends the connection."""
        with self.tls() as connection:
            connection.sendall(request)
            return read_all(connection)

    def metric(self, name):
        """Sum of the series of that name."""
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port)
        _, _, text = ask(connection, "GET", "/metrics")
        connection.close()
        values = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M)
        return sum(float(value) for value in values) if values else None

    def wait_until(self, condition):
        while not condition():
            assert self.process.poll() is None, self.lines
            time.sleep(0.02)


def ask(connection, method, path, body=None, headers=None):
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    data = answer.read()
    is_json = answer.headers.get("Content-Type", "") == "application/json"
    return answer.status, answer.headers, json.loads(data) if is_json else data.decode()


def read_all(connection):
    data = b""
    try:
        while part := connection.recv(65536):
            data += part
    except (ConnectionResetError, ssl.SSLEOFError):
        pass
    return data


def openssl(*args, **options):
    return subprocess.run(["openssl", *args], check=True, capture_output=True, **options)


def review_with(change):
    """The recorded review, its JobSet changed."""
    review = json.loads(REVIEW)
    change(review["request"]["object"])
    return json.dumps(review).encode()


def kubeconfig(folder, port, namespace="flux"):
    """A file in the folder that leads to the API server at this port."""
    path = pathlib.Path(folder, "kubeconfig")
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": namespace}}]}))
    return path


class InThread:
    """A server, `self.http`, that answers in a thread of its own while the `with` lasts."""

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


class Authority:
    """A CA made with OpenSSL's command line."""

    def __init__(self, folder, name="ca"):
        self.folder = folder
        self.cert = os.path.join(folder, f"{name}.crt")
        self.key = os.path.join(folder, f"{name}.key")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30",
                "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self.key,
                "-out", self.cert)

    def issue(self, name, san="DNS:localhost", not_after=None):
        """(cert, key) files of a leaf, valid until `not_after` (YYYYMMDDHHMMSSZ; a month when None)."""
        base = os.path.join(self.folder, name)
        request = openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc",
                          "-subj", f"/CN={name}", "-addext", f"subjectAltName={san}", "-keyout", base + ".key")
        times = (["-not_before", "20200101000000Z", "-not_after", not_after] if not_after else ["-days", "30"])
        openssl("x509", "-req", "-CA", self.cert, "-CAkey", self.key, "-copy_extensions", "copy", *times,
                "-out", base + ".crt", input=request.stdout)
        return base + ".crt", base + ".key"


class MountedSecret:
    """A folder as the kubelet mounts a Secret: files are links to ..data, which is swapped as a whole."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    @property
    def cert(self):
        return str(self.folder / "tls.crt")

    @property
    def key(self):
        return str(self.folder / "tls.key")

    def publish(self, cert, key):
        """`cert` and `key` are bytes."""
        self.count += 1
        version = self.folder / f"..v{self.count}"
        version.mkdir()
        (version / "tls.crt").write_bytes(cert)
        (version / "tls.key").write_bytes(key)
        (self.folder / "..data_tmp").symlink_to(version.name)
        (self.folder / "..data_tmp").rename(self.folder / "..data")
        for name in ("tls.crt", "tls.key"):
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(f"..data/{name}")
