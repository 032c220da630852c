#!/usr/bin/env python3
"""The server under load for long: memory, descriptors, what others' idle and slow connections cost, faults from outside.

    soak_test.py            the short form, which ctest runs
    SOAK=long soak_test.py  the long one: 10 million reviews, 2,000 idle connections; its figures are in docs/reliability.md

wrk is the load. Figures go to standard output, a line of JSON each.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test/server"), str(TOP / "bench")]
import wrk as bench_wrk  # noqa: E402
from webhook import REVIEW, Authority, MountedSecret, Server, ask, kubeconfig  # noqa: E402
from wrk import resident  # noqa: E402

LONG = os.environ.get("SOAK") == "long"
REVIEWS = 10_000_000 if LONG else 40_000
IDLE, SLOW = (2000, 500) if LONG else (300, 90)
SWAPS = 200 if LONG else 20
SECONDS = 10 if LONG else 2


def tell(**figures):
    print(json.dumps(figures), flush=True)


def wrk(server, seconds, connections=16, timeout="10s", **options):
    """What wrk counted in so many seconds."""
    return bench_wrk.run(f"https://127.0.0.1:{server.port}/mutate?timeout={timeout}", seconds, connections, **options)


def descriptors(server):
    return server.metric("process_open_fds")  # /proc/PID/fd is root's alone, since the process may not be dumped


class Soak(unittest.TestCase):
    def test_memory_and_descriptors_stay_as_they_are(self):
        with Server() as server:
            before = descriptors(server)
            wrk(server, SECONDS)  # all threads have run, all buffers are there
            done, halves = 0, []
            for half in (1, 2):
                while done < half * REVIEWS / 2:
                    told = wrk(server, 60 if LONG else SECONDS)
                    self.assertEqual((told["not_200"], told["socket_errors"]), (0, 0))
                    done += told["requests"]
                halves.append(resident(server.process))
            tell(reviews=done, resident_after_half=halves[0], resident_at_end=halves[1], descriptors=before)
            server.wait_until(lambda: descriptors(server) == before)
            self.assertLess(halves[1], 1.01 * halves[0] if LONG else halves[0] + 2)  # a few reviews say nothing of a percent

    def test_idle_and_slow_connections_disturb_nobody(self):
        with Server() as server:
            alone = [wrk(server, SECONDS) for _ in range(3)]
            connections = [server.connection() for _ in range(IDLE)]
            for connection in connections:
                self.assertEqual(ask(connection, "GET", "/livez")[0], 200)
            slow = self.slow(server)
            stop = threading.Event()
            dripping = threading.Thread(target=self.drip, args=(slow, stop))
            dripping.start()
            beside = [wrk(server, SECONDS) for _ in range(3)]
            stop.set()
            dripping.join()
            open_, threads = descriptors(server), len(os.listdir(f"/proc/{server.process.pid}/task"))
            p99 = [sorted(one["p99"] for one in runs)[1] / 1000 for runs in (alone, beside)]
            tell(idle=IDLE, slow=len(slow), p99_alone=p99[0], p99_beside=p99[1], descriptors=open_, threads=threads,
                 resident=resident(server.process))
            self.assertEqual(sum(one["not_200"] + one["socket_errors"] for one in alone + beside), 0)
            self.assertLess(open_, IDLE + len(slow) + 100)
            self.assertLess(threads, 40)
            for connection in (*connections, *(one for one, _ in slow)):
                connection.close()
            server.wait_until(lambda: server.metric("fluxhook_connections") == 1)

    def slow(self, server):
        """[(socket, what it sends byte for byte)]: in the handshake, in the head, in the body; and readers that don't read."""
        head = b"POST /mutate?timeout=30s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REVIEW)
        kinds = []
        for _ in range(SLOW // 3):
            raw = socket.create_connection(("127.0.0.1", server.port))
            raw.sendall(b"\x16\x03\x01")
            kinds.append((raw, b"\x02" * 100))
            kinds.append((server.tls(), head))
            body = server.tls()
            body.sendall(head)
            kinds.append((body, REVIEW[:-1]))
        for _ in range(SLOW // 10):
            lazy = server.tls()
            lazy.sendall((head + REVIEW) * 3)
            kinds.append((lazy, b""))
        return kinds

    def drip(self, slow, stop):
        at = 0
        while not stop.wait(1):
            for connection, text in slow:
                try:
                    connection.sendall(text[at:at + 1])
                except OSError:
                    pass  # past its limit of time
            at += 1

    def test_certificates_swapped_under_load_fail_no_handshake(self):
        with tempfile.TemporaryDirectory() as folder:
            authority = Authority(folder)
            pairs = [tuple(pathlib.Path(file).read_bytes() for file in authority.issue(name)) for name in ("one", "two")]
            secret = MountedSecret(tempfile.mkdtemp(dir=folder))
            secret.publish(*pairs[0])
            with Server("--tls-cert", secret.cert, "--tls-key", secret.key) as server:
                server.ca = authority.cert
                stop, told = threading.Event(), []

                def load():
                    while not stop.is_set():
                        told.append(wrk(server, SECONDS, close=True))

                caller = threading.Thread(target=load)
                caller.start()
                for i in range(SWAPS):
                    secret.publish(*pairs[(i + 1) % 2])
                    server.process.send_signal(signal.SIGHUP)
                    time.sleep(0.05)
                stop.set()
                caller.join()
                failed = server.metric("fluxhook_tls_handshakes_failed_total")
                tell(swaps=SWAPS, connections=sum(one["requests"] for one in told), failed_handshakes=failed)
                self.assertEqual(failed, 0)
                self.assertEqual(sum(one["not_200"] for one in told), 0)

    def test_more_than_can_be_answered_in_time_is_refused(self):
        """One thread, and more large reviews than it can decide within their deadline: 429s, and no connection breaks."""
        with Server("--threads", "1") as server:
            file = pathlib.Path(server.folder.name) / "large.json"
            review = json.loads(REVIEW)
            review["request"]["object"]["metadata"]["annotations"]["x"] = "a " * 3_000_000
            file.write_text(json.dumps(review))
            alone = wrk(server, 1, connections=1, file=file)["p50"] / 1000  # ms: a deadline that suits any machine
            told = wrk(server, SECONDS, connections=64, file=file, timeout=f"{1 + int(2 * alone)}ms")
            shed = server.metric("fluxhook_reviews_shed_total")
            refused = server.metric("fluxhook_requests_refused_total")
            tell(alone_ms=alone, calls=told["requests"], not_200=told["not_200"], slowest_ms=told["most"] / 1000, refused=refused,
                 shed=shed, waited=server.metric("fluxhook_review_queue_duration_seconds_count"))
            self.assertGreater(told["not_200"], 0)
            self.assertGreaterEqual(refused, told["not_200"])
            self.assertGreater(shed, 0)
            self.assertEqual(told["socket_errors"], 0)
            self.assertEqual(server.review(REVIEW)[0], 200)


class Faults(unittest.TestCase):
    def test_logs_to_a_full_disk_lose_no_review(self):
        host = f"127.{os.getpid() % 250 + 2}.{os.getpid() // 250 % 250}.2"
        with open("/dev/full", "w") as log:
            server = subprocess.Popen([os.environ["FLUXHOOK"], "serve", "--listen", f"{host}:0", "--metrics-listen", "off",
                                       "--tls-ephemeral"], stderr=log, stdout=log)
            try:
                port = listening_port(server, host)
                connection = ssl._create_unverified_context().wrap_socket(socket.create_connection((host, port)))
                connection.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
                self.assertIn(b"200 OK", connection.recv(65536))
                connection.close()
            finally:
                server.terminate()
                self.assertEqual(server.wait(), 0)

    def test_out_of_memory_costs_requests_and_not_the_server(self):
        """As much memory of its own as it has, and a megabyte: what does not fit is given up, the rest answered, and it drains."""
        review = json.loads(REVIEW)
        review["request"]["object"]["metadata"]["annotations"]["x"] = "a " * 3_000_000
        large = json.dumps(review).encode()
        with Server() as server:
            self.assertEqual(server.review(REVIEW)[0], 200)
            limit = memory(server.process, "VmData") + 2**20
            subprocess.run(["prlimit", "--pid", str(server.process.pid), f"--data={limit}"], check=True)
            with self.assertRaises((ConnectionError, ssl.SSLError, http.client.HTTPException)):
                server.review(large)
            self.assertIn("std::bad_alloc", server.wait_for("given up"))
            self.assertEqual(server.review(REVIEW)[0], 200)
            self.assertEqual(server.stop(), 0)

    def test_an_api_server_whose_name_is_not_found_costs_the_controller_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            config = kubeconfig(folder, 1)
            host = "x" * 64 + ".example"  # a label that no name server is asked for: RFC 1035 allows 63
            config.write_text(config.read_text().replace("127.0.0.1", host))
            with Server("--controller", "on", "--curve-derivation", "uid", "--kubeconfig", str(config)) as server:
                self.assertIn(host, server.wait_for("the Lease can't be had"))
                self.assertEqual(server.review(REVIEW)[0], 200)
                self.assertEqual(server.readiness()[0], 200)
                self.assertEqual(server.stop(), 0)

    def test_killed_and_started_again_at_its_address(self):
        with Server() as server:
            address = f"127.0.0.1:{server.port}"
            server.process.kill()
            server.process.wait()
            again = Server()
            again.command[again.command.index("--listen") + 1] = address
            with again:
                self.assertEqual(again.review(REVIEW)[0], 200)

    def test_two_servers_at_one_address(self):
        with Server() as server:
            done = subprocess.run([*server.command[:2], "--listen", f"127.0.0.1:{server.port}", "--metrics-listen", "off",
                                   "--tls-ephemeral"], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"127.0.0.1:{server.port}", done.stderr)
            self.assertIn("in use", done.stderr)
            self.assertEqual(server.review(REVIEW)[0], 200)

    def test_a_clock_that_is_a_year_off(self):
        """The certificate is not valid yet, or not any more: not ready, and it says why; reviews are answered all the same."""
        [library] = map(str, pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        with tempfile.TemporaryDirectory() as folder:
            cert, key = Authority(folder).issue("leaf")
            for offset, says in (("+3y", "expired"), ("-1y", "not valid")):
                server = Server("--tls-cert", cert, "--tls-key", key, env={
                    "LD_PRELOAD": library, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
                with server:
                    status, text = server.readiness()
                    self.assertEqual(status, 503, text)
                    self.assertIn(says, text)


def memory(process, field):
    """Bytes of a process, by /proc/PID/status."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB$", text, re.M)[1]) * 1024


def listening_port(process, host):
    """The port of a process that can't say it, and listens at a host of its own: from the kernel's table of sockets."""
    address = b"".join(int(part).to_bytes() for part in reversed(host.split("."))).hex().upper()
    while True:
        assert process.poll() is None
        found = re.findall(rf"^ *\d+: {address}:([0-9A-F]+) \S+ 0A ", pathlib.Path("/proc/net/tcp").read_text(), re.M)
        if found:
            return int(found[0], 16)
        time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
