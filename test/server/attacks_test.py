#!/usr/bin/env python3
"""Attacks that a caller or a manifest can try: each is denied or refused in words, with bounded work, and the server lives on.

Requests with two ends are in smuggling_test.py, TLS in tls_test.py, malformed input in bad_input_test.py.
"""
import base64
import gzip
import json
import re
import threading
import unittest
import zlib
from pathlib import Path

from webhook import REVIEW, Server, ask, read_all, review_with

PREFIX = "flux-framework.org/"
MIB = 1 << 20
UID = json.loads(REVIEW)["request"]["uid"].encode()
# Texts that are syntax to a shell, TOML, YAML, ZPL, JSON, a regular expression, a format, a template, a path or a terminal.
SYNTAX = ["$(touch /tmp/x)", "`id`", "a; rm -rf /", "a' || 'b", 'a"\n[section]\nx = "', "a\n- b: c", "&anchor *alias", "!!python/object:x",
          "curve\n    secret-key = x", '{"a": 1}', ".*", "^(a+)+$", "n.de", "%s%n%x", "{{ .Values.x }}", "@NAME@", "../../etc/passwd",
          "/dev/stdin", "\x1b]0;x\x07", "a\r\nX: y", "~", "null", "-rf", "--", "\u202enode", "no\u0000de"]

# Of these, what is right in a place, whatever it is elsewhere: JobSet puts a replicatedJob's name behind its own, and a network
# interface may be called nearly anything.
RIGHT = {"metadata.name": {"null"}, "spec.network.subdomain": {"null"}, "spec.replicatedJobs[0].name": {"null", "-rf", "--"},
         "network-device": {"null", "-rf", "--", "n.de", "@NAME@"}}


def with_annotations(annotations):
    return review_with(lambda jobset: jobset["metadata"].update(annotations=annotations))


def job(jobset):
    return jobset["spec"]["replicatedJobs"][0]


def pod(jobset):
    return job(jobset)["template"]["spec"]["template"]["spec"]


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def tearDown(self):
        self.assertEqual("JSONPatch", self.server.review(REVIEW)[2]["response"]["patchType"])

    def most_memory(self):
        """MiB, the most that it ever had."""
        return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.server.process.pid}/status").read_text())[1]) / 1024

    def denied(self, body, *words):
        """The denial's message, of an answer that is short whatever was asked."""
        status, _, answer = self.server.review(body)
        self.assertEqual(200, status, answer)
        self.assertIs(answer["response"]["allowed"], False)
        self.assertEqual(422, answer["response"]["status"]["code"])
        self.assertLess(len(json.dumps(answer)), 64 * 1024)
        message = answer["response"]["status"]["message"]
        for word in words:
            self.assertIn(word, message)
        return message

    def decided(self, body):
        """The response to a review that may be allowed or denied, but is answered."""
        status, _, answer = self.server.review(body)
        self.assertEqual(200, status, answer)
        return answer["response"]

    # HTTP

    def test_decompression_bombs_are_refused_before_they_are_read(self):
        bombs = {"gzip": gzip.compress(bytes(32 * MIB)), "deflate": zlib.compress(bytes(32 * MIB)), "br": b"\x5b" * 100,
                 "zstd": b"\x28\xb5\x2f\xfd" * 100, "gzip, gzip": gzip.compress(gzip.compress(bytes(32 * MIB))),
                 "x-made-up": REVIEW, "identity, gzip": gzip.compress(bytes(32 * MIB))}
        before = self.most_memory()
        for encoding, bomb in bombs.items():
            with self.subTest(encoding):
                head = (f"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: {encoding}\r\n"
                        f"Content-Length: {len(bomb)}\r\n\r\n").encode()
                answer = self.server.raw(head)  # its body isn't waited for
                self.assertTrue(answer.startswith(b"HTTP/1.1 415 "), answer[:100])
                self.assertIn(b"must not be encoded", answer)
                self.assertIn(b"\r\nConnection: close\r\n", answer)
        self.assertLess(self.most_memory(), before + 16)

    def test_a_pipeline_ends_with_its_first_fault(self):
        good = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
        for bad in (b"GET /livez HTTP/1.1\r\n\r\n", b"POST /mutate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00" * 20, b"\r\n\r\n"):
            with self.subTest(bad=bad):
                answer = self.server.raw(good * 3 + bad + good * 3)
                codes = re.findall(rb"HTTP/1\.1 (\d+) ", answer)
                self.assertEqual([b"200"] * 3, codes[:3])
                self.assertEqual(4, len(codes), codes)
                self.assertIn(codes[3][:1], b"45")

    def test_hundreds_of_requests_in_one_go_are_answered_in_order(self):
        whole = b""
        for number in range(500):
            body = REVIEW.replace(UID, b"uid-%d" % number)
            whole += (b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        with self.server.tls() as connection:
            sender = threading.Thread(target=connection.sendall, args=(whole + b"GET /livez HTTP/1.0\r\n\r\n",))
            sender.start()
            answer = read_all(connection)
            sender.join()
        self.assertEqual([b"uid-%d" % number for number in range(500)], re.findall(rb'"uid":"(uid-\d+)"', answer))
        self.assertTrue(answer.endswith(b"\r\n\r\nok\n"))

    def test_an_upgrade_to_http2_is_not_followed(self):
        answer = self.server.raw(b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n"
                                 b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer)

    def test_paths_that_lead_elsewhere(self):
        for path in ("/mutate/../livez", "/%6dutate", "/mutate%00", "/./mutate", "/mutate;x", "/..%5c..%5cetc%5cpasswd",
                     "/livez/..;/metrics", "/%2e%2e/%2e%2e/etc/passwd", "/static/../../../etc/passwd"):
            with self.subTest(path):
                answer = self.server.raw(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
                self.assertRegex(answer[:20], rb"^HTTP/1\.1 (404|405|400) ")
                self.assertNotIn(b"root:", answer)

    # Sizes

    def test_nesting_below_an_annotation(self):
        for levels in (1, 50, 95):
            value = "1"
            for _ in range(levels):
                value = {"a": value}
            message = self.denied(with_annotations({PREFIX + "num-proc-per-node": value}), "num-proc-per-node")
            self.assertIn("must be a string", message)
            self.assertNotIn('"a"', message)
        body = with_annotations({"x": "HERE"}).replace(b'"HERE"', b'{"a":' * 100000 + b"1" + b"}" * 100000)
        status, _, answer = self.server.review(body)
        self.assertEqual(400, status)
        self.assertIn("nested more than 100 levels deep", answer["message"])

    def test_a_hundred_thousand_annotations(self):
        self.assertIs(self.decided(with_annotations({f"example.com/a{i}": "x" * 40 for i in range(100_000)}))["allowed"], True)
        self.denied(with_annotations({f"{PREFIX}a{i}": "x" for i in range(100_000)}), "is no setting of fluxhook")

    def test_a_hundred_thousand_names_in_a_setting(self):
        names = ",".join(f"j{i}" for i in range(100_000))
        self.denied(with_annotations({PREFIX + "replicated-jobs": names}), "Not found: \"j0\"", 'the JobSet has "')
        self.denied(with_annotations({PREFIX + "injected": json.dumps({"defaults": {"replicated-jobs": names}, "set": {}, "version": "0"})}))

        def change(jobset):
            jobset["metadata"]["annotations"] = {PREFIX + "replicated-jobs": ",".join(f"x{i}" for i in range(30_000))}
            jobset["spec"]["replicatedJobs"] = [{**job(jobset), "name": f"j{i}"} for i in range(2000)]
        before = self.most_memory()
        self.denied(review_with(change), "Not found: \"x0\"", "and 1980 more")
        self.assertLess(self.most_memory(), before + 64)  # each name with a list of those there would be 500 MiB

    def test_long_values_are_shortened_in_the_denial(self):
        for name in ("num-proc-per-node", "run-options", "view-image", "replicated-jobs", "x" * MIB):
            self.denied(with_annotations({PREFIX + name: "'" + "9" * MIB}))
        self.denied(review_with(lambda jobset: pod(jobset)["containers"][0].update(resources={"limits": {"cpu": "9" * MIB}})), "limits[cpu]")

    def test_a_uid_of_a_mebibyte_comes_back_whole_and_alone(self):
        body = json.loads(REVIEW)
        body["request"]["uid"] = "u" * MIB
        response = self.decided(json.dumps(body).encode())
        self.assertEqual(body["request"]["uid"], response["uid"])
        self.assertLess(len(json.dumps(response)), MIB + 64 * 1024)

    # Numbers

    def test_numbers_whose_products_overflow(self):
        most = 2**31 - 1
        for replicas, parallelism, tasks, jobs in ((most, most, "1", 1), (most, 1, str(most), 1), (65536, 65536, "65536", 1),
                                                   (most, most, str(most), 16), (46341, 46341, "2", 1)):
            def change(jobset):
                job(jobset)["replicas"] = replicas
                job(jobset)["template"]["spec"].update(parallelism=parallelism, completions=parallelism)
                jobset["spec"]["replicatedJobs"] = [{**job(jobset), "name": f"node-{i}"} for i in range(jobs)]
                jobset["metadata"]["annotations"] = {
                    PREFIX + "num-proc-per-node": tasks, PREFIX + "replicated-jobs": ",".join(f"node-{i}" for i in range(jobs))}
            with self.subTest(replicas=replicas, parallelism=parallelism, jobs=jobs):
                message = self.denied(review_with(change), "must have no more than 100000 pods in a Flux instance")
                told = int(re.search(r'spec.replicatedJobs: Invalid value: (\d+)', message)[1])
                self.assertEqual(told, min(jobs * replicas * parallelism, 2**63 - 1))

    def test_a_million_replicas_are_denied_without_being_counted_out(self):
        before = self.most_memory()
        for replicas, parallelism in ((1_000_000, 1), (1, 1_000_000), (1000, 1000)):
            def change(jobset):
                job(jobset)["replicas"] = replicas
                job(jobset)["template"]["spec"].update(parallelism=parallelism, completions=parallelism)
            for path in ("/mutate", "/validate"):
                status, _, answer = self.server.review(review_with(change), path)
                self.assertEqual((200, False), (status, answer["response"]["allowed"]))
                self.assertIn("Invalid value: 1000000: must have no more than 100000 pods", answer["response"]["status"]["message"])
                self.assertLess(len(json.dumps(answer)), 4096)
        self.assertLess(self.most_memory(), before + 8)  # a list of a million hosts would be 30 MiB

    # Syntax

    def test_names_that_are_syntax_are_denied_and_quoted(self):
        places = {"metadata.name": lambda text: lambda jobset: jobset["metadata"].update(name=text),
                  "spec.replicatedJobs[0].name": lambda text: lambda jobset: job(jobset).update(name=text),
                  "spec.network.subdomain": lambda text: lambda jobset: jobset["spec"].update(network={"subdomain": text}),
                  "network-device": lambda text: lambda jobset: jobset["metadata"]["annotations"].update(
                      {PREFIX + "network-device": text})}
        for place, change in places.items():
            for text in SYNTAX:
                if text in RIGHT.get(place, ()):
                    self.assertIs(self.decided(review_with(change(text)))["allowed"], True)
                    continue
                with self.subTest(place, text=text):
                    message = self.denied(review_with(change(text)), place)
                    self.assertNotRegex(message, r"[\x00-\x09\x0b-\x1f\x7f\u202e]")

    def test_annotations_that_name_something_are_compared_and_not_matched(self):
        for text in SYNTAX:
            for setting in ("replicated-jobs", "container"):
                with self.subTest(setting, text=text):
                    self.denied(with_annotations({PREFIX + setting: text}), PREFIX + setting)

    def test_commands_that_are_syntax_are_passed_on_as_they_are(self):
        texts = [text for text in SYNTAX if "\0" not in text]
        response = self.decided(review_with(lambda jobset: pod(jobset)["containers"][0].update(command=texts[:1], args=texts[1:])))
        self.assertIs(response["allowed"], True)
        patch = json.loads(base64.b64decode(response["patch"]))
        args = next(operation["value"] for operation in patch if operation["path"].endswith("/containers/0/args"))
        self.assertEqual(texts, args)


class Deadlines(unittest.TestCase):
    def test_a_saturated_server_refuses_at_once_what_it_cannot_answer_in_time(self):
        """Large reviews keep the one thread busy; the others are answered, or told to come back, over the same connection."""
        large = with_annotations({f"example.com/a{i}": "x" * 200 for i in range(10_000)})
        with Server("--threads", "1") as server:
            stop = threading.Event()

            def saturate():
                connection = server.connection()
                while not stop.is_set():
                    self.assertEqual(200, ask(connection, "POST", "/mutate?timeout=30s", large, {"Content-Type": "application/json"})[0])
                connection.close()

            busy = [threading.Thread(target=saturate) for _ in range(6)]
            for each in busy:
                each.start()
            codes = []
            connection = server.connection()
            while codes.count(429) < 20:  # of those whose time is up before the one before them is decided
                status, headers, body = ask(connection, "POST", "/mutate?timeout=1ms", REVIEW, {"Content-Type": "application/json"})
                self.assertIn(status, (200, 429))
                codes.append(status)
                if status == 429:
                    self.assertEqual(("1", None), (headers["Retry-After"], headers["Connection"]))
                    self.assertEqual("TooManyRequests", body["reason"])
            connection.close()
            stop.set()
            for each in busy:
                each.join()
            self.assertEqual(codes.count(429), server.metric("fluxhook_reviews_shed_total"))
            self.assertGreater(server.metric("fluxhook_review_queue_duration_seconds_sum"), 0)
            self.assertEqual(0, server.metric("fluxhook_reviews_in_flight"))


if __name__ == "__main__":
    unittest.main()
