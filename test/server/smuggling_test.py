#!/usr/bin/env python3
"""Requests whose end two readers could see at different places: refused, and what follows is never a request."""
import re
import unittest

from webhook import REVIEW, Server

HOST = b"Host: a\r\nContent-Type: application/json\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"


class Smuggling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def refused_alone(self, request, code=400):
        answer = self.server.raw(request)
        self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % code), answer[:200])
        self.assertEqual(len(re.findall(rb"HTTP/1\.1 \d", answer)), 1, answer)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        self.assertNotIn(b"hidden", answer)

    def test_cl_te(self):
        body = b"0\r\n\r\n" + HIDDEN
        self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n" % len(body) +
                           b"Transfer-Encoding: chunked\r\n\r\n" + body)

    def test_te_cl(self):
        chunk = b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n0\r\n\r\n"
        self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST +
                           b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunk)

    def test_te_te(self):
        for field in (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                      b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding:\tchunked\r\n",
                      b"TRANSFER-ENCODING: chunked\r\n", b"Transfer-Encoding: identity\r\n"):
            self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + field + b"\r\n0\r\n\r\n" + HIDDEN, 411)

    def test_hidden_transfer_encoding(self):
        for field in (b"Transfer-Encoding : chunked\r\n", b" Transfer-Encoding: chunked\r\n",
                      b"X: y\r\n Transfer-Encoding: chunked\r\n", b"X: y\rTransfer-Encoding: chunked\r\n",
                      b"X: y\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding\x00: chunked\r\n"):
            self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n" + field +
                               b"\r\n{}" + HIDDEN)

    def test_lengths(self):
        for lengths in (b"Content-Length: 2\r\nContent-Length: 2\r\n", b"Content-Length: 2\r\nContent-Length: 40\r\n",
                        b"Content-Length: 2, 2\r\n", b"Content-Length: -2\r\n", b"Content-Length: +2\r\n",
                        b"Content-Length: 2 0\r\n", b"Content-Length: 0x2\r\n", b"Content-Length: 2\x0b\r\n",
                        b"Content-Length: \r\n", b"Content-Length: two\r\n", b"Content-Length:\xa02\r\n"):
            with self.subTest(lengths=lengths):
                self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + lengths + b"\r\n{}" + HIDDEN)
        for length in (b"99999999999999999999", b"18446744073709551618", b"9223372036854775808", b"8388609"):
            self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + b"Content-Length: " + length + b"\r\n\r\n{}" +
                               HIDDEN, 413)

    def test_no_length(self):
        self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + b"\r\n" + HIDDEN, 411)

    def test_body_of_a_get(self):
        self.refused_alone(b"GET /livez HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN)

    def test_bare_line_feeds(self):
        self.refused_alone(b"GET /livez HTTP/1.1\nHost: a\n\n" + HIDDEN)
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\n\r\n" + HIDDEN)
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\r\n\n" + HIDDEN)
        self.refused_alone(b"\r\n" + HIDDEN)

    def test_folded_field(self):
        self.refused_alone(b"POST /mutate HTTP/1.1\r\n" + HOST + b"Content-Length:\r\n 2\r\n\r\n{}" + HIDDEN)

    def test_oversized_heads(self):
        self.refused_alone(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414)
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 9000 + b"\r\n\r\n", 431)
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431)
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\r\n" + (b"X: " + b"a" * 7000 + b"\r\n") * 3 + b"\r\n", 431)

    def test_http2_preface(self):
        self.refused_alone(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)

    def test_http_1_0_is_answered_and_other_versions_are_told_what_is(self):
        answer = self.server.raw(b"GET /livez HTTP/1.0\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        for version in (b"HTTP/0.9", b"HTTP/1.2", b"HTTP/2"):
            answer = self.server.raw(b"GET /livez " + version + b"\r\nHost: a\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 505 "), answer)
            self.assertIn(b"only HTTP/1.1 and HTTP/1.0 are spoken here", answer)

    def test_targets(self):
        for target in (b"*", b"https://localhost/mutate", b"localhost:443", b"/a\tb", b"/a\x01", b"/\xc3\xa4"):
            self.refused_alone(b"GET " + target + b" HTTP/1.1\r\nHost: a\r\n\r\n")
        self.refused_alone(b"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n")

    def test_two_hosts_or_none(self):
        self.refused_alone(b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        self.refused_alone(b"GET /livez HTTP/1.1\r\n\r\n")

    def test_websocket_upgrade_is_not_followed(self):
        answer = self.server.raw(b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"
                                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer)

    def test_good_pipeline(self):
        request = (b"POST /mutate HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(REVIEW) + REVIEW)
        last = b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        answer = self.server.raw(request * 30 + last)
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 31)
        self.assertTrue(answer.endswith(b"\r\n\r\nok\n"))


if __name__ == "__main__":
    unittest.main()
