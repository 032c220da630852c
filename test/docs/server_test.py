#!/usr/bin/env python3
"""docs/server.md has each endpoint and status code of the running server, and no other."""
import http.client
import re
import sys
import unittest
from pathlib import Path

import pages

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))
from webhook import REVIEW, Server  # noqa: E402

SECTIONS = pages.sections(pages.read("server.md"), 2)
CODE = re.compile(r"`([^`]*)`")


def rows(section):
    """The cells of a section's tables, without their heads."""
    for table in re.findall(r"(?:^\|.*\|\n)+", SECTIONS[section], re.M):
        yield from ([cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:])


class Page(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def test_endpoints(self):
        self.assertEqual([row[0] for row in rows("Endpoints")],
                         ["`/mutate`", "`/validate`", "`/livez`", "`/healthz`", "`/readyz`", "`/metrics`"])
        for path, methods, _ in rows("Endpoints"):
            path = CODE.fullmatch(path)[1]
            with self.subTest(path):
                if path == "/metrics":
                    self.assertIn("fluxhook_ready 1\n", self.metrics())
                elif methods == "POST":
                    self.assertEqual(self.server.review(REVIEW, path)[0], 200)
                else:
                    self.assertEqual(self.server.ask("GET", path)[0], 200)
                    self.assertEqual(self.server.ask("POST", path, b"{}")[1]["Allow"], methods)

    def test_status_codes(self):
        source = (Path(__file__).parents[2] / "src/server/status.cc").read_text()
        told = [code for row in rows("Status codes") for code in re.findall(r"\d+", row[0])]
        self.assertEqual(sorted(set(told) - {"200"}), sorted(set(re.findall(r"Code\{(\d\d\d),", source))))
        self.assertEqual(len(told), len(set(told)))

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.metrics_port)
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()


if __name__ == "__main__":
    unittest.main()
