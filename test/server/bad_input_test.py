#!/usr/bin/env python3
"""Each kind of bad input, one by one, over a real socket: a clear JSON error or a denial, and the server lives on."""
import copy
import json
import unittest

from webhook import REVIEW, Server, review_with


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def tearDown(self):
        status, _, review = self.server.review(REVIEW)
        self.assertEqual(status, 200)
        self.assertEqual(review["response"]["patchType"], "JSONPatch")

    def refused(self, answer, code, *words):
        status, headers, body = answer
        self.assertEqual(status, code)
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual((body["kind"], body["apiVersion"], body["status"]), ("Status", "v1", "Failure"))
        self.assertEqual(body["code"], code)
        for word in words:
            self.assertIn(word, body["message"])
        return body

    def denied(self, body, *words):
        status, _, review = self.server.review(body)
        self.assertEqual(status, 200)
        response = review["response"]
        self.assertEqual(response["uid"], json.loads(REVIEW)["request"]["uid"])
        self.assertIs(response["allowed"], False)
        self.assertNotIn("patch", response)
        for word in words:
            self.assertIn(word, response["status"]["message"])

    # The envelope

    def test_malformed_json_names_the_byte(self):
        for body, byte in ((b'{"a":', "byte 5"), (b"{]", "byte 1"), (b"nonsense", "byte"), (REVIEW + b"x", "byte"),
                           (REVIEW[:-10], "byte"), (b"\xef\xbb\xbf{}", "byte 0")):
            with self.subTest(body=body[:20]):
                self.refused(self.server.review(body), 400, byte)

    def test_empty_body(self):
        self.refused(self.server.review(b""), 400, "empty")

    def test_json_that_is_no_review(self):
        for body in (b"{}", b"[]", b"null", b"1", b'"text"', b'{"kind":"Pod","apiVersion":"v1"}',
                     b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
                     b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}',
                     b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"a"}}'):
            with self.subTest(body=body):
                self.refused(self.server.review(body), 400)

    def test_ten_thousand_levels_of_nesting(self):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            deep = opening * 10_000 + b"1" + closing * 10_000
            self.refused(self.server.review(deep), 400)
            self.refused(self.server.review(opening * 10_000), 400)
            inside = REVIEW.replace(b'"object":', b'"object":{"deep":' + deep + b'},"ignored":', 1)
            self.refused(self.server.review(inside), 400)

    def test_invalid_utf8(self):
        for bad in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc3"):
            with self.subTest(bad=bad):
                body = REVIEW.replace(b'"name":"lammps"', b'"name":"lam' + bad + b'ps"')
                self.assertTrue(body != REVIEW)
                self.refused(self.server.review(body), 400)

    def test_duplicate_keys(self):
        body = REVIEW.replace(b'"operation":', b'"operation":"DELETE","operation":', 1)
        self.assertTrue(body != REVIEW)
        self.refused(self.server.review(body), 400)

    # The object

    def test_numbers_beyond_int64(self):
        for number in ("9223372036854775808", "1e400", "-9223372036854775809", "184467440737095516160", "1.5"):
            with self.subTest(number=number):
                review = json.loads(REVIEW)
                review["request"]["object"]["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"] = 77777
                body = json.dumps(review).replace("77777", number).encode()
                status, _, answer = self.server.review(body)
                if status == 200:
                    self.assertIs(answer["response"]["allowed"], False)
                else:
                    self.assertEqual(status, 400)

    def test_wrong_types_in_every_field(self):
        """Each value of the JobSet in turn becomes one of another type: a denial or an unchanged answer, no crash."""
        original = json.loads(REVIEW)
        paths = []

        def walk(value, path):
            paths.append(path)
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, part in items:
                walk(part, (*path, key))

        walk(original["request"], ())
        paths = [path for path in paths if path and "managedFields" not in path]
        self.assertGreater(len(paths), 60)
        connection = self.server.connection()
        for path in paths:
            for wrong in (None, True, 7, "text", [], {}, [1], {"a": 1}):
                review = copy.deepcopy(original)
                parent = review["request"]
                for key in path[:-1]:
                    parent = parent[key]
                parent[path[-1]] = wrong
                connection.request("POST", "/mutate", json.dumps(review), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                body = json.loads(answer.read())
                with self.subTest(path=path, wrong=wrong):
                    self.assertIn(answer.status, (200, 400))
                    if answer.status == 200:
                        self.assertIn(body["response"]["allowed"], (True, False))
                        if not body["response"]["allowed"]:
                            self.assertTrue(body["response"]["status"]["message"])
        connection.close()

    def test_nul_in_a_name(self):
        status, _, answer = self.server.review(
            review_with(lambda jobset: jobset["metadata"].update(name="lam\0mps")))
        if status == 200:
            self.assertIs(answer["response"]["allowed"], False)
        else:
            self.refused((status, {"Content-Type": "application/json"}, answer), 400)
        lines = [line for line in self.server.lines if "\0" in line]
        self.assertEqual(lines, [])

    def test_denial_says_what_is_wrong(self):
        key = "flux-framework.org/num-proc-per-node"
        self.denied(review_with(lambda jobset: jobset["metadata"]["annotations"].update({key: "0"})), key, '"0"')

    # HTTP

    def test_wrong_content_type(self):
        for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/yaml"}, {},
                        {"Content-Type": "multipart/form-data; boundary=a"},
                        {"Content-Type": "application/x-www-form-urlencoded"}):
            with self.subTest(headers=headers):
                self.refused(self.server.ask("POST", "/mutate", REVIEW, headers), 415, "application/json")

    def test_content_encoding(self):
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        self.refused(self.server.ask("POST", "/mutate", b"\x1f\x8b", headers), 415)

    def test_over_8_mib(self):
        limit = 8 << 20
        self.refused(self.server.review(b"[" + b" " * (limit - 1)), 400)  # that much is read
        self.refused(self.server.review(b"[" + b" " * limit), 413, str(limit))
        # The refusal comes before the body.
        answer = self.server.raw(b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                                 b"Content-Length: 8388609\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "))
        self.assertIn(b"\r\nConnection: close\r\n", answer)

    def test_unknown_path(self):
        for path in ("/", "/mutate/", "/mutates", "/../mutate", "/..%2fmutate", "//mutate", "/metrics", "/%00"):
            with self.subTest(path=path):
                self.refused(self.server.ask("GET", path), 404)
                self.refused(self.server.review(REVIEW, path), 404)

    def test_wrong_method(self):
        for path, method, allowed in (("/mutate", "GET", "POST"), ("/validate", "PUT", "POST"),
                                      ("/mutate", "DELETE", "POST"), ("/mutate", "PATCH", "POST"),
                                      ("/readyz", "POST", "GET, HEAD"), ("/livez", "DELETE", "GET, HEAD"),
                                      ("/mutate", "OPTIONS", "POST")):
            with self.subTest(path=path, method=method):
                answer = self.server.ask(method, path, b"{}" if method in ("PUT", "PATCH", "POST") else None)
                self.refused(answer, 405, method)
                self.assertEqual(answer[1]["Allow"], allowed)

    def test_plain_http(self):
        import socket
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            while connection.recv(4096):
                pass

    # The log

    def test_log_holds_no_body_and_no_patch(self):
        secret = "s3cr3t-in-the-manifest"
        self.server.review(review_with(lambda jobset: jobset["metadata"]["annotations"].update(note=secret)))
        line = self.server.wait_for(" review uid=", after=len(self.server.lines) - 1)
        self.assertRegex(line, r"name=default/lammps operation=CREATE webhook=mutate verdict=patched ms=\d+\.\d+$")
        text = "\n".join(self.server.lines)
        self.assertNotIn(secret, text)
        self.assertNotIn("entrypoint", text)

    def test_log_lines_cannot_be_forged(self):
        review = json.loads(REVIEW)
        review["request"]["uid"] = "a\n2026-01-01T00:00:00.000Z info review uid=forged"
        review["request"]["name"] = review["request"]["object"]["metadata"]["name"] = "a\x1b[2J\r\nforged"
        before = len(self.server.lines)
        self.server.review(json.dumps(review).encode())
        self.server.review(REVIEW)
        self.server.wait_for("name=default/lammps", after=before)
        for line in self.server.lines[before:]:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warning|error) ")
            self.assertFalse(line.startswith("2026-01-01"))
            self.assertNotRegex(line, r"[\x00-\x1f]")

    def test_uid_of_a_mebibyte(self):
        review = json.loads(REVIEW)
        review["request"]["uid"] = "u" * (1 << 20)
        before = len(self.server.lines)
        status, _, answer = self.server.review(json.dumps(review).encode())
        self.assertIn(status, (200, 400))
        if status == 200:
            self.assertEqual(answer["response"]["uid"], review["request"]["uid"])
        self.server.review(REVIEW)
        self.server.wait_for("name=default/lammps", after=before)
        self.assertLess(max(map(len, self.server.lines[before:])), 2000)


if __name__ == "__main__":
    unittest.main()
