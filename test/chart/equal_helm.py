#!/usr/bin/env python3
"""The chart and webhook-config/ are the same objects."""
import unittest

from render import chart, kustomize

OWN_LABELS = {"app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"}
OVERLAYS = {
    "self-managed": {"replicaCount": 1},
    "cert-manager": {"replicaCount": 1, "certManager.enabled": True},
    "high-availability": {},
}


def plain(value):
    """Without the labels that only one of the two sets, and lists whose order says nothing sorted."""
    if isinstance(value, dict):
        result = {key: plain(item) for key, item in value.items()}
        if "labels" in result:
            result["labels"] = {key: text for key, text in result["labels"].items() if key not in OWN_LABELS}
        for key in ("args", "rules", "values"):
            if key in result:
                result[key] = sorted(result[key], key=str)
        return result
    return [plain(item) for item in value] if isinstance(value, list) else value


def by_identity(found):
    """{(kind, name): object}, without the Namespace, which helm makes, and the objects of helm test."""
    return {(each["kind"], each["metadata"]["name"]): plain(each) for each in found
            if each["kind"] != "Namespace" and "helm.sh/hook" not in each["metadata"].get("annotations", {})}


class Equal(unittest.TestCase):
    maxDiff = None

    def test_each_overlay_is_what_the_chart_renders(self):
        for overlay, values in OVERLAYS.items():
            with self.subTest(overlay):
                self.assertEqual(by_identity(kustomize(overlay)), by_identity(chart(values)))


if __name__ == "__main__":
    unittest.main()
