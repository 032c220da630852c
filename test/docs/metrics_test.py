#!/usr/bin/env python3
"""docs/metrics.md has each metric of two running replicas, with its type and its labels, and no other."""
import re
import sys
import unittest
from pathlib import Path

import pages

sys.path.insert(0, str(Path(__file__).parents[1] / "metrics"))
from servers import Servers  # noqa: E402

TABLES = ("Reviews", "Connections and certificates", "Controller", "Process")


def told():
    """{metric: (type, labels)} of the page."""
    sections = pages.sections(pages.read("metrics.md"), 2)
    found = {}
    for section in TABLES:
        for metric, kind, labels, about in pages.rows(sections[section], 4):
            if metric == "metric":
                continue
            name = metric.strip("`")
            assert name not in found and about, metric
            found[name] = (kind, frozenset(re.findall(r"`(\w+)`", labels)))
    return found


def exposed(text):
    """{metric: (type, labels)} of what a server says; a histogram's `le` is not told."""
    found = {}
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M):
        series = re.findall(rf"^{name}(?:_bucket|_sum|_count)?(?:{{(.*)}})? ", text, re.M)
        labels = [frozenset(re.findall(r'(\w+)="', each)) - {"le"} for each in series]
        assert len(set(labels)) == 1, f"{name}: {set(labels)}"
        found[name] = (kind, labels[0])
    return found


class Page(unittest.TestCase):
    maxDiff = None

    def test_metrics_with_types_and_labels(self):
        with Servers() as servers:
            found = {}
            for text in servers.texts():
                for name, fact in exposed(text).items():
                    self.assertEqual(found.setdefault(name, fact), fact, name)
        self.assertEqual(told(), found)
        self.assertGreater(len(found), 25)

    def test_reasons_are_those_of_the_controller(self):
        source = (Path(__file__).parents[2] / "src/companion/fault.cc").read_text()
        reasons = set(re.findall(r'"([a-z-]+)"sv', source)) - {"none"}
        text = pages.sections(pages.read("metrics.md"), 2)["Controller"].split("|")[0]
        self.assertEqual(reasons, set(re.findall("`([a-z-]+)`", text)) - {"reason", "auto"})


if __name__ == "__main__":
    unittest.main()
