#!/usr/bin/env python3
"""Makes inputs to begin with out of what the repository has already: seeds.py FOLDER writes FOLDER/TARGET/*."""
import json
import pathlib
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = TOP / "test/golden"
MOST = 16384  # bytes of a seed: larger ones slow the fuzzer down and show no more


def review(target, old=None):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "7900a454-50e1-4425-8b5c-32eb42f44bb5", "operation": "UPDATE" if old else "CREATE",
        "kind": {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
        "namespace": "default", "name": target["metadata"].get("name", ""), "object": target, "oldObject": old}}


def load(path):
    return yaml.safe_load(path.read_text())


def golden_reviews():
    """(name, review) of each golden case."""
    for case in sorted(GOLDEN.iterdir()):
        if (case / "review.json").exists():
            yield case.name, json.loads((case / "review.json").read_text())
        elif (case / "input.yaml").exists():
            old = load(case / "old.yaml") if (case / "old.yaml").exists() else None
            yield case.name, review(load(case / "input.yaml"), old)
            if (case / "output.yaml").exists():
                yield case.name + "-output", review(load(case / "output.yaml"), old)


def seeds():
    """(target, name, text)"""
    for name, one in golden_reviews():
        yield "review", name, json.dumps(one, separators=(",", ":"))
    manifests = [*GOLDEN.glob("*/input.yaml"), *(TOP / "examples").glob("*.yaml"), *TOP.glob("test/migrate/cases/*/input.yaml")]
    for path in sorted(manifests):
        yield "manifest", f"{path.parent.name}-{path.name}", path.read_text()


def main(folder):
    written = 0
    for target, name, text in seeds():
        if len(text.encode()) > MOST:
            continue
        path = folder / target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        written += 1
    assert written > 50, f"only {written} seeds: where have the golden cases gone?"


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
