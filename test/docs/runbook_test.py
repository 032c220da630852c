#!/usr/bin/env python3
"""docs/runbook.md has a section for each alert of the chart: how urgent it is, after what time, and the metrics it is about."""
import re
import unittest
from pathlib import Path

import yaml

import pages

ALERTS = Path(__file__).parents[2] / "charts/fluxhook/alerts/fluxhook.yaml"
UNITS = {"m": "min", "h": "h"}


class Page(unittest.TestCase):
    def setUp(self):
        [group] = yaml.safe_load(ALERTS.read_text())["groups"]
        self.rules = {rule["alert"]: rule for rule in group["rules"]}
        self.sections = pages.sections(pages.read("runbook.md"), 2)

    def test_each_alert_has_its_section(self):
        self.assertEqual(set(self.rules), set(self.sections))

    def test_a_section_begins_with_how_urgent_it_is_and_after_what_time(self):
        for name, rule in self.rules.items():
            begins = rule["labels"]["severity"]
            if "for" in rule:
                begins += f", after {rule['for'][:-1]} {UNITS[rule['for'][-1]]}"
            self.assertTrue(self.sections[name].strip().startswith(begins + ":"), name)

    def test_a_section_names_the_alerts_metrics(self):
        for name, rule in self.rules.items():
            metrics = {metric.removesuffix("_bucket") for metric in
                       re.findall(r"\b(?:fluxhook|process)_\w+", rule["expr"])}
            self.assertTrue(metrics)
            self.assertEqual(set(), metrics - set(re.findall(r"`(\w+)`", self.sections[name])), name)

    def test_metrics_that_it_names_are_there(self):
        told = set(re.findall(r"`((?:fluxhook|process)_\w+)`", pages.read("metrics.md")))
        self.assertEqual(set(), set(re.findall(r"`((?:fluxhook|process)_\w+)`", pages.read("runbook.md"))) - told)


if __name__ == "__main__":
    unittest.main()
