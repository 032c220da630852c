#!/usr/bin/env python3
"""Each alert of the chart fires on the series that it is for and is quiet on others: by promtool's rule tests."""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

TOP = Path(__file__).resolve().parents[2]
ALERTS = TOP / "charts/fluxhook/alerts/fluxhook.yaml"
# {alert: series, a minute at which it fires, one at which it doesn't, its labels, what its texts' templates become}.
# Values are promtool's: "0+6x20" grows by 6 a minute for 20 minutes, "120x20" stays.
CASES = {
    "FluxhookNotReady": ({'fluxhook_ready{pod="a"}': "0x9 1x9", 'fluxhook_ready{pod="b"}': "0x19"}, 5, 15),
    "FluxhookReplicaNotReady": ({'fluxhook_ready{pod="a"}': "0x19 1x9", 'fluxhook_ready{pod="b"}': "1x29"}, 18, 25,
                                {"pod": "a", "job": "fluxhook", "namespace": "fluxhook-system"}, {"$labels.pod": "a"}),
    "FluxhookInternalErrors": ({'fluxhook_requests_refused_total{code="500"}': "0x5 1x30",
                                'fluxhook_requests_refused_total{code="429"}': "0+9x40"}, 8, 30),
    "FluxhookOverloaded": ({'fluxhook_requests_refused_total{code="429"}': "0+6x20 120x20",
                            'fluxhook_requests_refused_total{code="400"}': "0+9x40"}, 15, 38, {},
                           {"$value | humanize": "100m"}),
    "FluxhookSlow": ({'fluxhook_admission_duration_seconds_bucket{le="1"}': "0x20 0+60x30",
                      'fluxhook_admission_duration_seconds_bucket{le="2.5"}': "0+60x50",
                      'fluxhook_admission_duration_seconds_bucket{le="+Inf"}': "0+60x50"}, 19, 40, {},
                     {"$value | humanizeDuration": "2.485s"}),
    "FluxhookRefusesCallers": ({'fluxhook_requests_refused_total{code="403"}': "0+6x20 120x20",
                                'fluxhook_requests_refused_total{code="404"}': "0+9x40"}, 18, 38),
    "FluxhookMalformedRequests": ({'fluxhook_requests_refused_total{code="400"}': "0+6x30 180x20",
                                   'fluxhook_requests_refused_total{code="503"}': "0+9x50"}, 25, 45,
                                  {"code": "400"}, {"$labels.code": "400"}),
    "FluxhookHandshakesFail": ({"fluxhook_tls_handshakes_failed_total": "0+6x20 120x20"}, 18, 38),
    "FluxhookConnectionsRefused": ({"fluxhook_connections_refused_total": "0+6x20 120x20"}, 15, 38),
    "FluxhookDescriptorsRunOut": ({'process_open_fds{pod="a"}': "90x20 70x20", 'process_max_fds{pod="a"}': "100x40",
                                   'process_open_fds{pod="b"}': "90x40", 'process_max_fds{pod="b"}': "900x40"}, 15, 30),
    "FluxhookCertificateExpires": ({"fluxhook_certificate_expiry_timestamp_seconds": "691200x120 86400x180"}, 240, 100, {},
                                   {"$value | humanizeDuration": "20h 0m 0s"}),
    "FluxhookCertificateNotReloaded": ({'fluxhook_certificate_served_equals_disk{pod="a"}': "0x20 1x20",
                                        'fluxhook_certificate_served_equals_disk{pod="b"}': "1x40"}, 15, 30),
    "FluxhookCertificateNotTrusted": ({'fluxhook_certificate_served_equals_bundle{pod="a"}': "0x20 1x20",
                                       'fluxhook_certificate_served_equals_bundle{pod="b"}': "1x40"}, 15, 30),
    "FluxhookNoLeader": ({'fluxhook_leader{pod="a"}': "0x10 1x20", 'fluxhook_leader{pod="b"}': "0x30"}, 8, 20),
    "FluxhookCompanionsFail": ({'fluxhook_companion_errors_total{reason="forbidden"}': "0+1x30 30x30",
                                'fluxhook_companion_errors_total{reason="quota"}': "0+1x60"}, 28, 55,
                               {"reason": "forbidden"}, {"$labels.reason": "forbidden"}),
    "FluxhookCompanionsSlow": ({'fluxhook_companion_duration_seconds_bucket{le="5"}': "0x40 0+60x40",
                                'fluxhook_companion_duration_seconds_bucket{le="10"}': "0+60x80",
                                'fluxhook_companion_duration_seconds_bucket{le="+Inf"}': "0+60x80"}, 38, 78, {},
                               {"$value | humanizeDuration": "7.5s"}),
    "FluxhookWatchesFail": ({"fluxhook_watch_faults_total": "0+1x60 60x60"}, 50, 110),
}


def rules():
    [group] = yaml.safe_load(ALERTS.read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def ours(series):
    """The series, of the job and namespace of the file's own selectors."""
    name, _, labels = series.rstrip("}").partition("{")
    return name + "{" + ", ".join(filter(None, [labels, 'job="fluxhook", namespace="fluxhook-system"'])) + "}"


def filled(text, says):
    return re.sub(r"\{\{ (.*?) \}\}", lambda found: says[found[1]], text)


def rule_test(name, series, fires, quiet, labels=None, says=None):
    """One entry of promtool's file of tests."""
    rule = rules()[name]
    expected = {"exp_labels": {**rule["labels"], **(labels or {})},
                "exp_annotations": {key: filled(text, says or {}) for key, text in rule["annotations"].items()}}
    return {"interval": "1m", "name": name,
            "input_series": [{"series": ours(key), "values": values} for key, values in series.items()],
            "alert_rule_test": [{"eval_time": f"{fires}m", "alertname": name, "exp_alerts": [expected]},
                                {"eval_time": f"{quiet}m", "alertname": name, "exp_alerts": []}]}


class Alerts(unittest.TestCase):
    def promtool(self, tests):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}, file)
            file.flush()
            return subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True)

    def test_promtool_finds_the_rules_sound(self):
        done = subprocess.run(["promtool", "check", "rules", "--lint-fatal", ALERTS], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn(f"SUCCESS: {len(rules())} rules found", done.stdout)

    def test_every_alert_has_its_case(self):
        self.assertEqual(set(CASES), set(rules()))

    def test_every_alert_fires_when_it_should_and_is_quiet_when_it_should(self):
        done = self.promtool([rule_test(name, *case) for name, case in CASES.items()])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_a_fluxhook_that_is_not_there_at_all_is_not_ready(self):
        test = rule_test("FluxhookNotReady", {"up": "0x30"}, 5, 1)
        done = self.promtool([test])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_a_case_that_does_not_hold_is_found(self):
        series, fires, *_ = CASES["FluxhookNoLeader"]
        self.assertIn("FAILED", self.promtool([rule_test("FluxhookNoLeader", series, fires, fires)]).stderr)

    def test_every_alert_asks_for_this_release_alone_and_says_how_urgent_it_is(self):
        for name, rule in rules().items():
            with self.subTest(name):
                selectors = re.findall(r"\b(?:fluxhook|process)_\w+(\{[^}]*\})?", rule["expr"])
                self.assertTrue(selectors)
                for selector in selectors:
                    self.assertIn('job="fluxhook", namespace="fluxhook-system"', selector)
                self.assertIn(rule["labels"]["severity"], ("critical", "warning"))
                self.assertTrue(name.startswith("Fluxhook"))
                self.assertTrue(rule["annotations"]["summary"])


if __name__ == "__main__":
    unittest.main()
