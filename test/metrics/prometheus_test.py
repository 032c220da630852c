#!/usr/bin/env python3
"""A real Prometheus reads two replicas: the metrics are sound, each panel of the dashboard has data, each alert is asked for."""
import json
import math
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

from servers import TOP, Servers

CHART = TOP / "charts/fluxhook"
JOB, NAMESPACE = "fluxhook", "fluxhook-system"


class Prometheus:
    """`with Prometheus(replicas) as prometheus:` reads them twice a second, and has the chart's alerts."""

    def __init__(self, replicas):
        self.folder = tempfile.TemporaryDirectory()
        targets = [{"targets": [f"127.0.0.1:{server.metrics_port}"], "labels": {"namespace": NAMESPACE, "pod": pod}}
                   for pod, server in replicas.items()]
        config = {"global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
                  "rule_files": [str(CHART / "alerts/fluxhook.yaml")],
                  "scrape_configs": [{"job_name": JOB, "static_configs": targets}]}
        Path(self.folder.name, "prometheus.yml").write_text(yaml.safe_dump(config))
        self.lines = []

    def __enter__(self):
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder.name}/prometheus.yml", f"--storage.tsdb.path={self.folder.name}/data",
             "--web.listen-address=127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = None
        for line in self.process.stderr:
            self.lines.append(line)
            address = re.search(r'msg="Listening on" address=(\S+)', line) or address
            if "Server is ready to receive web requests" in line:
                break
        else:
            self.__exit__()
            raise AssertionError("".join(self.lines))
        self.address = address[1]
        self.reader = threading.Thread(target=self.lines.extend, args=(self.process.stderr,))
        self.reader.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        if hasattr(self, "reader"):
            self.reader.join()
        self.process.stderr.close()
        self.folder.cleanup()

    def ask(self, path, **query):
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
            return json.load(answer)["data"]

    def values(self, query):
        """The numbers that a query returns now."""
        return [float(series["value"][1]) for series in self.ask("query", query=query)["result"]]

    def wait_for(self, condition):
        while not condition():
            assert self.process.poll() is None, self.lines
            time.sleep(0.1)


def dashboard():
    return json.loads((CHART / "dashboards/fluxhook.json").read_text())


def as_grafana_asks(query):
    """With the dashboard's variables: all jobs and namespaces, and an interval that holds several scrapes."""
    query = query.replace("$__rate_interval", "5s").replace("$job", ".+").replace("$namespace", ".+")
    assert "$" not in query, query
    return query


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = cls.enterClassContext(Servers())
        cls.prometheus = cls.enterClassContext(Prometheus(cls.servers.replicas))

    def test_promtool_finds_the_metrics_sound(self):
        for text in self.servers.texts():
            done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))

    def test_promtool_finds_a_metric_that_is_not_named_as_usual(self):
        done = subprocess.run(["promtool", "check", "metrics"], input="# TYPE a_milliseconds counter\na_milliseconds 1\n",
                              capture_output=True, text=True)
        self.assertNotEqual(0, done.returncode)

    def test_every_replica_is_read_without_an_error(self):
        self.prometheus.wait_for(lambda: [(target["health"], target["lastError"]) for target in self.prometheus.ask(
            "targets")["activeTargets"]] == [("up", "")] * 2)
        self.assertEqual([], [line for line in self.prometheus.lines if "level=error" in line or "level=warn" in line])

    def test_prometheus_counts_what_the_servers_count(self):
        query = 'sum(fluxhook_reviews_total{webhook="mutate", operation="CREATE", verdict="denied"})'
        self.prometheus.wait_for(lambda: self.prometheus.values(query) > [5])
        seen = self.prometheus.values(query)[0]
        self.assertLessEqual(seen, sum(float(value) for text in self.servers.texts() for value in re.findall(
            r'^fluxhook_reviews_total{operation="CREATE",verdict="denied",webhook="mutate"} (\d+)', text, re.M)))

    def test_every_query_of_the_dashboard_returns_data(self):
        queries = [(panel["title"], target["expr"]) for panel in dashboard()["panels"] for target in panel["targets"]]
        self.assertGreater(len(queries), 20)
        for title, query in queries:
            asked = as_grafana_asks(query)
            with self.subTest(title, query=asked):
                self.prometheus.wait_for(lambda: any(not math.isnan(value) for value in self.prometheus.values(asked)))

    def test_the_variables_of_the_dashboard_have_values(self):
        for name, wanted in (("namespace", [NAMESPACE]), ("job", [JOB])):
            [variable] = [each for each in dashboard()["templating"]["list"] if each["name"] == name]
            selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]).groups()
            self.prometheus.wait_for(lambda: self.prometheus.ask(
                f"label/{label}/values", **{"match[]": as_grafana_asks(selector)}) == wanted)

    def test_every_alert_is_asked_for_and_only_those_of_this_load_are_on(self):
        def all_asked():
            [group] = self.prometheus.ask("rules")["groups"]
            return group["rules"] if all(rule["health"] != "unknown" for rule in group["rules"]) else None

        self.prometheus.wait_for(lambda: self.prometheus.values("sum(up)") == [2])
        self.prometheus.wait_for(all_asked)
        found = all_asked()
        self.assertEqual(len(yaml.safe_load((CHART / "alerts/fluxhook.yaml").read_text())["groups"][0]["rules"]), len(found))
        self.assertEqual({"ok"}, {rule["health"] for rule in found}, found)

        def waiting():  # those without a leader, certificate or pod are over once each replica has been read
            return {rule["name"] for rule in all_asked() or [] if rule["state"] != "inactive"}

        self.prometheus.wait_for(lambda: waiting() == {"FluxhookMalformedRequests", "FluxhookHandshakesFail"})


if __name__ == "__main__":
    unittest.main()
