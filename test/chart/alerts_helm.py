#!/usr/bin/env python3
"""The PrometheusRule has the alerts of the chart's rule file, for the release's own job and namespace, with their runbook."""
import re
import subprocess
import tempfile
import unittest

import yaml

from render import CHART, TOP, chart, only

ON = {"metrics.prometheusRule.enabled": True}


def rules(values, **where):
    [group] = only(chart({**ON, **values}, **where), "PrometheusRule")["spec"]["groups"]
    return group["rules"]


class Alerts(unittest.TestCase):
    def setUp(self):
        [group] = yaml.safe_load((CHART / "alerts/fluxhook.yaml").read_text())["groups"]
        self.of_file = group["rules"]

    def test_by_default_they_are_those_of_the_file(self):
        self.assertEqual(self.of_file, rules({}))

    def test_they_ask_for_the_releases_own_job_and_namespace(self):
        found = rules({}, release="prod", namespace="hpc")
        self.assertEqual([rule["alert"] for rule in self.of_file], [rule["alert"] for rule in found])
        for rule in found:
            selectors = re.findall(r'job="([^"]*)", namespace="([^"]*)"', rule["expr"])
            self.assertEqual({("fluxhook-prod", "hpc")}, set(selectors), rule["alert"])

    def test_each_leads_to_its_section_of_the_runbook(self):
        headings = re.findall(r"^## (\w+)$", (TOP / "docs/runbook.md").read_text(), re.M)
        found = rules({"metrics.prometheusRule.runbookUrl": "https://pages.example/runbook/"})
        self.assertEqual({f"https://pages.example/runbook/#{heading.lower()}" for heading in headings},
                         {rule["annotations"]["runbook_url"] for rule in found})

    def test_promtool_takes_them(self):
        spec = only(chart(ON, release="prod"), "PrometheusRule")["spec"]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(spec, file)
            file.flush()
            done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
