#!/usr/bin/env python3
"""`fluxhook replay` against `fluxhook serve`, and against a server of python's own that answers what a test says."""
import base64
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

from answering import REVIEW, UID, Answering, answer
from command import BINARY, fluxhook, shown_on
from webhook import TOP, Authority, Server

REVIEWS = sorted((TOP / "test/golden").glob("*/review.json"))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def answered(self, *answers, args=(), code, **options):
        """Replays the example to a server that answers so."""
        texts = [one if isinstance(one, tuple) else (200, one if isinstance(one, str) else json.dumps(one))
                 for one in answers]
        with Answering(self.folder, *texts, **options) as server:
            done = fluxhook("replay", str(REVIEW), "--server", server.url, "--ca", server.ca, "--tls-server-name",
                            "hook.example.svc", *args)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done, server.requests


class Serve(Case):
    """The real server."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def replay(self, *args, path="", **options):
        return fluxhook("replay", *map(str, args), "--server", f"https://localhost:{self.server.port}{path}", "--ca",
                        self.server.ca, **options)

    def recorded(self):
        """Copies of the recorded reviews with the answers that mutate gives."""
        for folder in ("reviews", "expect"):
            (self.folder / folder / "deep").mkdir(parents=True)
        for path in REVIEWS:
            name = f"deep/{path.parent.name}.json"
            shutil.copy(path, self.folder / "reviews" / name)
            made = fluxhook("mutate", "-o", "json", str(path))
            (self.folder / "expect" / name).write_text(made.stdout)
        return self.folder / "reviews", self.folder / "expect"

    def test_recorded_reviews_are_answered_as_mutate_answers_them(self):
        reviews, expect = self.recorded()
        self.assertGreater(len(REVIEWS), 5)
        done = self.replay(reviews, "--expect", expect, "-n", 3, "-c", 4, "-o", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        report = json.loads(done.stdout)
        self.assertEqual((report["reviews"], report["requests"], report["connections"], report["different"]),
                         (len(REVIEWS), 3 * len(REVIEWS), 4, 0))
        allowed = [json.loads((expect / "deep" / f"{path.parent.name}.json").read_text())["response"]["allowed"]
                   for path in REVIEWS]
        self.assertEqual(report["denied"], 3 * allowed.count(False))
        self.assertEqual(report["allowed"] + report["patched"], 3 * allowed.count(True))

    def test_the_server_is_sent_every_review_as_often_as_asked(self):
        before = self.server.metric("fluxhook_reviews_total")
        done = self.replay(REVIEW, "-n", 250, "-c", 5)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.server.metric("fluxhook_reviews_total") - (before or 0), 250)
        self.assertIn("1 review, 250 requests over 5 connections", done.stdout)
        self.assertIn("patched 250", done.stdout)

    def test_a_changed_expectation_is_shown_with_its_place_in_the_patch(self):
        reviews, expect = self.recorded()
        name = "deep/kubectl-apply.json"
        wanted = json.loads((expect / name).read_text())
        patch = json.loads(base64.b64decode(wanted["response"]["patch"]))
        patch[0]["path"] += "x"
        wanted["response"]["patch"] = base64.b64encode(json.dumps(patch).encode()).decode()
        (expect / name).write_text(json.dumps(wanted))
        done = self.replay(reviews, "--expect", expect, "-n", 2)
        self.assertEqual(done.returncode, 1, done.stderr)
        line = next(line for line in done.stdout.splitlines() if "expected" in line)
        self.assertRegex(line, rf"^{re.escape(str(reviews / name))}:1:1: answer /response/patch/0/path: expected ")
        self.assertIn(f'expected "{patch[0]["path"]}", got "{patch[0]["path"][:-1]}"', line)
        self.assertIn(f"{2 * len(REVIEWS) - 2} as expected, 2 not", done.stdout)

    def test_a_patch_may_be_expected_decoded_and_in_any_layout(self):
        wanted = json.loads(fluxhook("mutate", "-o", "json", str(REVIEW)).stdout)
        wanted["response"]["patch"] = json.loads(base64.b64decode(wanted["response"]["patch"]))
        (self.folder / REVIEW.name).write_text(json.dumps(wanted, indent=4, sort_keys=True))
        self.assertEqual(self.replay(REVIEW, "--expect", self.folder).returncode, 0)

    def test_the_urls_path_says_which_webhook(self):
        done = self.replay(REVIEW, path="/validate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("denied 1", done.stdout)  # not injected yet: FH022
        done = self.replay(REVIEW, path="/nothing")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("expected HTTP 200, got HTTP 404", done.stdout)

    def test_times_are_told_to_the_microsecond(self):
        text = self.replay(REVIEW, "-n", 20, "-o", "json").stdout
        report = json.loads(text)
        for value in (*report["latencyMilliseconds"].values(), report["requestsPerSecond"]):
            self.assertEqual(value, round(value, 3))
        self.assertEqual(report["seconds"], round(report["seconds"], 6))
        self.assertIn("1 review, 1 request over 1 connection in", self.replay(REVIEW).stdout)

    def test_latencies_are_in_order_and_below_the_whole_time(self):
        report = json.loads(self.replay(REVIEW, "-n", 200, "-o", "json").stdout)
        latency = report["latencyMilliseconds"]
        self.assertEqual(list(latency), ["p50", "p90", "p99", "p99.9", "max"])
        self.assertEqual(sorted(latency.values()), list(latency.values()))
        self.assertGreater(latency["p50"], 0)
        self.assertLess(latency["max"], report["seconds"] * 1000)
        self.assertAlmostEqual(report["requestsPerSecond"], 200 / report["seconds"], places=3)

    def test_reviews_come_from_stdin_and_several_in_a_file(self):
        done = self.replay("-", stdin=REVIEW.read_text() + "\n" + REVIEWS[0].read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 reviews, 2 requests", done.stdout)


class Answers(Case):
    """What a server may answer, and what not."""

    def test_what_is_sent_is_what_an_api_server_sends(self):
        _, requests = self.answered(answer(), code=0, args=("--timeout", "7"))
        path, content_type, body = requests[0]
        self.assertRegex(path, r"^/mutate\?timeout=7(s|000ms)$")
        self.assertEqual((content_type, body), ("application/json", json.loads(REVIEW.read_text())))

    def test_an_answer_that_an_api_server_would_not_take_is_a_difference(self):
        for wrong, says in ((answer(uid="other"), f'/response/uid: expected "{UID}", got "other"'),
                            ({**answer(), "apiVersion": "v1"}, '/apiVersion: expected "admission.k8s.io/v1", got "v1"'),
                            ({**answer(), "kind": "Review"}, '/kind: expected "AdmissionReview"'),
                            (answer(allowed="yes"), '/response/allowed: expected true or false, got "yes"'),
                            ({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}, "/response/uid"),
                            (answer(patch="W10="), '/response/patchType: expected "JSONPatch", got nothing'),
                            (answer(patch="{{", patchType="JSONPatch"), "/response/patch: expected a JSON Patch in base64"),
                            (answer(patch="e30=", patchType="JSONPatch"), "/response/patch: expected a JSON Patch"),
                            ("[]", "/kind"), ("{", 'answer: expected JSON, got "{"'), ("", "expected JSON"),
                            ((500, "oh"), "expected HTTP 200, got HTTP 500"), ((302, ""), "got HTTP 302"),
                            ((429, "later"), "got HTTP 429")):
            done, _ = self.answered(wrong, code=1)
            self.assertIn(says, done.stdout)
            self.assertIn("no good answer 1", done.stdout)

    def test_a_server_that_answers_differently_later_is_found_out(self):
        done, requests = self.answered(answer(), answer(), answer(uid="other"), args=("-n", "5"), code=1)
        self.assertEqual(len(requests), 5)
        self.assertIn('got "other"', done.stdout)
        self.assertIn("allowed 2, patched 0, denied 0, no good answer 3", done.stdout)

    def test_a_connection_that_breaks_is_made_again_once_and_told(self):
        good = (200, json.dumps(answer()))
        done, requests = self.answered(good, (None, ""), good, args=("-n", "3"), code=0)
        self.assertEqual(len(requests), 4)
        self.assertIn("1 sent again over a new connection", done.stdout)
        done, _ = self.answered(good, (None, ""), args=("-n", "3"), code=3)
        self.assertEqual(done.stdout, "")
        self.assertIn("the connection broke", done.stderr)

    def test_all_places_that_differ_are_told(self):
        (self.folder / REVIEW.name).write_text(json.dumps(answer(warnings=["a", "b"], allowed=False)))
        done, _ = self.answered(answer(warnings=["a", "c", "d"]), args=("--expect", str(self.folder)), code=1)
        for says in ("/response/allowed: expected false, got true", '/response/warnings/1: expected "b", got "c"',
                     'expected nothing, got "d"'):
            self.assertIn(says, done.stdout)

        done, _ = self.answered(answer(uid="\x1b[2Jx"), code=1)
        self.assertNotIn("\x1b", done.stdout, "it would move the terminal's cursor")

    def test_work_of_more_than_a_second_is_told_on_a_terminal_and_not_in_a_pipe(self):
        main, terminal = pty.openpty()
        with Answering(self.folder, (200, json.dumps(answer())), delay=0.5) as server:
            args = ["replay", str(REVIEW), "-n", "5", "--server", server.url, "--ca", server.ca, "--tls-server-name",
                    "hook.example.svc"]
            done = subprocess.run([BINARY, *args], stdout=subprocess.PIPE, stderr=terminal, check=True)
            os.close(terminal)
            shown = shown_on(main)
            self.assertRegex(shown, r"^\rreplay: [1-4] of 5 requests")
            self.assertTrue(shown.endswith("\r\x1b[K"), shown)
            self.assertNotIn(b"replay:", done.stdout)
            self.assertEqual(fluxhook(*args).stderr, "")


class Reaching(Case):
    """TLS, and servers that are not there."""

    def test_a_server_that_is_not_there(self):
        done = fluxhook("replay", str(REVIEW), "--server", "https://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("https://127.0.0.1:1/mutate: no connection", done.stderr)

    def test_certificates_are_checked(self):
        with Answering(self.folder, (200, json.dumps(answer()))) as server:
            args = ("replay", str(REVIEW), "--server", server.url)
            for more, says in ((("--ca", server.ca), "is for DNS:hook.example.svc, not for"),
                               (("--tls-server-name", "hook.example.svc"), ": --ca names its CA, where the system does not trust it")):
                done = fluxhook(*args, *more)
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertIn(says, done.stderr)
            self.assertEqual(server.requests, [])
        self.answered(answer(), not_after="20210101000000Z", code=3)

    def test_a_client_certificate_is_shown(self):
        clients = Authority(str(self.folder), "clients")
        cert, key = clients.issue("api-server")
        self.answered(answer(), client_ca=clients.cert, args=("--cert", cert, "--key", key), code=0)
        self.answered(answer(), client_ca=clients.cert, code=3)


class Usage(Case):
    def fails(self, *args, says, code=2):
        done = fluxhook("replay", *map(str, args))
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(says, done.stderr)

    def test_flags_that_can_not_be_taken(self):
        url = ("--server", "https://127.0.0.1:1")
        self.fails(REVIEW, says="--server is needed")
        self.fails(*url, says="no input")
        for wrong in ("http://localhost:1", "localhost:1", "https://a@localhost", "https://localhost/mutate?x=y", "https://"):
            self.fails(REVIEW, "--server", wrong, says="--server")
        self.fails(REVIEW, *url, "-n", "0", says="--times")
        self.fails(REVIEW, *url, "-c", "x", says="--connections")
        self.fails(REVIEW, *url, "--timeout", "31", says="--timeout")
        self.fails(REVIEW, *url, "--cert", REVIEW, says="--cert and --key need each other")
        self.fails(REVIEW, *url, "--ca", REVIEW, says="has no certificate")
        self.fails(REVIEW, *url, "--ca", self.folder / "none", says=f"{self.folder}/none: can't be read: No such file")

    def test_input_that_is_no_review(self):
        url = ("--server", "https://127.0.0.1:1")
        for text, says in (("{}", ":1:1: error: is no AdmissionReview of admission.k8s.io/v1"),
                           (json.dumps(answer()), ":1:1: error: has no request with a uid"), ("{", "error"), ("", "no document")):
            (self.folder / "x.json").write_text(text)
            self.fails(REVIEW, self.folder, *url, says=f"{self.folder}/x.json" if text else str(self.folder))
            self.fails(REVIEW, self.folder, *url, says=says)

    def test_expected_answers_have_to_be_there_for_every_review(self):
        url = ("--server", "https://127.0.0.1:1", "--expect", self.folder)
        self.fails(REVIEW, *url, says=f"{self.folder}/{REVIEW.name}: error: no such file")
        expected = self.folder / REVIEW.name
        expected.write_text(json.dumps(answer()) * 2)
        self.fails(REVIEW, *url, says=f"{expected}: error: has 2 answers, and {REVIEW} has 1 reviews")
        expected.write_text(REVIEW.read_text())
        self.fails(REVIEW, *url, says=f"{expected}:1:1: error: is no AdmissionReview with a response")
        expected.write_text(json.dumps(answer()))
        (self.folder / "other").mkdir()
        shutil.copy(REVIEW, self.folder / "other")
        self.fails(REVIEW, self.folder / "other" / REVIEW.name, *url, says="give the folder above them")


if __name__ == "__main__":
    unittest.main()
