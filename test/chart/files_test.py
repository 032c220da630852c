#!/usr/bin/env python3
"""The chart's files say the same as each other, and as the program: values, schema, pages, metrics, version."""
import json
import re
import unittest

import yaml

from render import CHART, TOP, default_values, known_flags, kustomize, run, server

FREE = {"behavior", "podSecurityContext", "securityContext", "resources", "affinity", "strategy", "issuerRef", "defaults",
        "namespaceSelector", "objectSelector", "global"}


def schema_paths(node, path=()):
    """The values that the schema knows; those of free form, or without parts, as a whole."""
    if "properties" not in node or (path and path[-1] in FREE):
        yield ".".join(path)
        return
    for name, part in node["properties"].items():
        yield from schema_paths(part, (*path, name))


def known_metrics():
    """The names of metrics in the sources, those of histograms with their three series."""
    names = set()
    for path in (*(TOP / "src/server").glob("*.cc"), TOP / "src/cli/controller_metrics.cc"):
        text = path.read_text()
        names |= set(re.findall(r'"((?:fluxhook|process)_[a-z_]+)"', text))
        for name in re.findall(r'histogram\(registry, "([a-z_]+)"|family\(\s*"(\w+)",[^;]*?MetricType::Histogram', text):
            names |= {f"{''.join(name)}_{series}" for series in ("bucket", "sum", "count")}
    return names


def used_metrics(text):
    return set(re.findall(r"\b(?:fluxhook|process)_[a-z_]+\b", text))


class Files(unittest.TestCase):
    def test_the_readme_has_the_tables_of_values_yaml(self):
        done = run(TOP / "scripts/chart_docs.py", "--check")
        self.assertEqual(0, done.returncode, done.stderr)

    def test_schema_and_values_know_the_same_values(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.assertEqual({path for _, path, _, _ in default_values()}, set(schema_paths(schema)) - {"global"})

    def test_the_schema_closes_every_object_whose_parts_it_knows(self):
        def open_objects(node, path=()):
            if "properties" in node and node.get("additionalProperties") is not False:
                yield ".".join(path)
            for name, part in node.get("properties", {}).items():
                yield from open_objects(part, (*path, name))

        self.assertEqual([], list(open_objects(json.loads((CHART / "values.schema.json").read_text()))))

    def test_the_schemas_defaults_are_the_programs_flags(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        flags = {flag.removeprefix("--default-") for flag in known_flags() if flag.startswith("--default-")}
        self.assertEqual(flags, set(schema["properties"]["defaults"]["properties"]))

    def test_dashboard_and_alerts_ask_for_metrics_that_there_are(self):
        for path in ("dashboards/fluxhook.json", "alerts/fluxhook.yaml"):
            used = used_metrics((CHART / path).read_text())
            self.assertGreater(len(used), 3)
            self.assertEqual(set(), used - known_metrics(), path)

    def test_the_dashboard_shows_every_metric(self):
        series = {name for name in known_metrics() if name.startswith("fluxhook_")}
        histograms = {name.removesuffix("_bucket") for name in series if name.endswith("_bucket")}
        wanted = {name for name in series if not name.endswith(("_sum", "_count"))} - histograms
        self.assertEqual(set(), wanted - used_metrics((CHART / "dashboards/fluxhook.json").read_text()))

    def test_the_panels_of_the_dashboard_are_apart_from_each_other(self):
        panels = json.loads((CHART / "dashboards/fluxhook.json").read_text())["panels"]
        cells = [(x, y) for grid in (panel["gridPos"] for panel in panels)
                 for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])]
        self.assertEqual(len(cells), len(set(cells)))
        self.assertEqual(len(panels), len({panel["id"] for panel in panels}))
        self.assertLess(max(x for x, _ in cells), 24)

    def test_all_have_the_version_of_the_file_VERSION(self):
        version = (TOP / "VERSION").read_text().strip()
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertEqual((version, version), (chart["version"], chart["appVersion"]))
        self.assertEqual(f"fluxhook:{version}", server(kustomize("self-managed"))["image"])

    def test_the_chart_has_no_custom_resource_definitions(self):
        self.assertFalse((CHART / "crds").exists())
        self.assertNotIn("CustomResourceDefinition", "".join(path.read_text() for path in CHART.rglob("*.yaml")))


if __name__ == "__main__":
    unittest.main()
