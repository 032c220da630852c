#!/usr/bin/env python3
"""Idle, slow and many connections; the end under load; nothing that was accepted is lost."""
import http.client
import json
import signal
import socket
import threading
import unittest

from webhook import REVIEW, Server, ask, read_all


class Load(unittest.TestCase):
    def call_until(self, server, stop, answers, failures):
        """Calls over kept-alive connections until `stop`, and sorts what comes."""
        connection = None
        while not stop.is_set():
            connection = connection or server.connection()
            accepted = False
            try:
                connection.connect() if connection.sock is None else None
                accepted = True
                status, headers, body = ask(connection, "POST", "/mutate?timeout=30s", REVIEW,
                                            {"Content-Type": "application/json"})
                answers.append((status, headers.get("Connection"), body["response"]["patchType"]))
            except (OSError, http.client.HTTPException) as error:
                if accepted:
                    failures.append(error)
                else:
                    return  # nobody listens any more
                connection = None
            else:
                if headers.get("Connection") == "close":
                    connection.close()
                    connection = None

    def test_stopped_under_load(self):
        """Every request that was sent is answered; new connections are taken for a while; exit 0."""
        with Server("--drain-timeout", "6s") as server:
            stop, answers, failures = threading.Event(), [], []
            callers = [threading.Thread(target=self.call_until, args=(server, stop, answers, failures))
                       for _ in range(4)]
            for caller in callers:
                caller.start()
            server.wait_until(lambda: len(answers) > 200)
            server.process.send_signal(signal.SIGTERM)
            server.wait_for("stopping")
            seen = len(answers)
            server.wait_until(lambda: any(close == "close" for _, close, _ in answers[seen:]))
            self.assertEqual(server.ask("GET", "/readyz")[0], 503)
            self.assertEqual(server.ask("GET", "/livez")[0], 200)
            for caller in callers:
                caller.join()
            self.assertEqual(server.process.wait(), 0)
            self.assertEqual(failures, [])
            self.assertEqual({(status, kind) for status, _, kind in answers}, {(200, "JSONPatch")})

    def test_second_signal_ends_at_once(self):
        with Server("--drain-timeout", "10m") as server:
            server.process.send_signal(signal.SIGINT)
            server.wait_for("stopping")
            self.assertEqual(server.stop(signal.SIGTERM), 128 + signal.SIGTERM)

    def test_idle_connections_are_closed_at_the_end(self):
        with Server("--drain-timeout", "10s") as server:
            idle = [server.tls() for _ in range(50)]
            server.process.send_signal(signal.SIGTERM)
            for connection in idle:
                self.assertEqual(read_all(connection), b"")
                connection.close()
            server.wait_for("info stopped")
            self.assertEqual(server.process.wait(), 0)

    def test_200_idle_connections_and_slow_ones(self):
        with Server("--threads", "1") as server:
            idle = [server.connection() for _ in range(200)]
            for connection in idle:
                self.assertEqual(ask(connection, "GET", "/readyz")[0], 200)
            slow = []
            for start in (b"P", b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                          b"Content-Length: 9\r\n\r\n{"):
                for _ in range(100):
                    connection = server.tls()
                    connection.sendall(start)
                    slow.append(connection)
            for _ in range(100):
                connection = socket.create_connection(("127.0.0.1", server.port))
                connection.sendall(b"\x16")
                slow.append(connection)
            for _ in range(50):
                self.assertEqual(server.review(REVIEW)[0], 200)
            for connection in idle:
                self.assertEqual(ask(connection, "GET", "/readyz")[0], 200)
            self.assertEqual(server.metric("fluxhook_connections"), 501)  # and the scraper's own
            for connection in (*idle, *slow):
                connection.close()
            server.wait_until(lambda: server.metric("fluxhook_connections") == 1)

    def test_connections_have_a_limit(self):
        with Server("--max-connections", "5") as server:
            held = [server.tls() for _ in range(5)]
            with self.assertRaises(OSError):
                server.tls()
            self.assertEqual(server.metric("fluxhook_connections_refused_total"), 1)
            held.pop().close()
            server.wait_until(lambda: server.metric("fluxhook_connections") == 5)  # with the scraper's
            self.assertEqual(server.review(REVIEW)[0], 200)
            for connection in held:
                connection.close()

    def test_out_of_descriptors(self):
        """What can't be opened is closed at once, and nothing spins or hangs."""
        starved = Server()
        starved.command = ["prlimit", "--nofile=40:40", *starved.command]
        with starved as server:
            self.assertIn("open_files=40", server.wait_for("limit on open files"))
            held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
            for connection in held[50:]:
                self.assertEqual(read_all(connection), b"")
            for connection in held:
                connection.close()
            server.wait_until(lambda: server.metric("fluxhook_connections") == 1)
            self.assertGreaterEqual(server.metric("fluxhook_connections_refused_total"), 20)
            self.assertEqual(server.review(REVIEW)[0], 200)

    def test_metrics(self):
        with Server() as server:
            for path in ("/mutate", "/mutate", "/validate"):
                server.review(REVIEW, path)
            server.review(b"{")
            review = json.loads(REVIEW)
            review["request"]["operation"] = "MADE-UP"
            server.review(json.dumps(review).encode())
            metrics = http.client.HTTPConnection("127.0.0.1", server.metrics_port)
            self.addCleanup(metrics.close)
            status, headers, text = ask(metrics, "GET", "/metrics")
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
            for line in ('fluxhook_reviews_total{operation="CREATE",verdict="patched",webhook="mutate"} 2',
                         'fluxhook_admission_duration_seconds_count{operation="CREATE",verdict="patched",'
                         'webhook="mutate"} 2',
                         'fluxhook_requests_refused_total{code="400"} 2', "fluxhook_reviews_in_flight 0",
                         "fluxhook_review_queue_duration_seconds_count 5", "fluxhook_ready 1",
                         "fluxhook_certificate_served_equals_disk 1"):
                self.assertIn(line + "\n", text)
            self.assertNotIn("MADE-UP", text)
            self.assertIn('fluxhook_build_info{version="', text)
            for name in ("process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"):
                self.assertGreater(server.metric(name), 0)
            self.assertEqual(ask(metrics, "GET", "/mutate")[0], 404)
            self.assertEqual(ask(metrics, "DELETE", "/metrics")[0], 405)


if __name__ == "__main__":
    unittest.main()
