#!/usr/bin/env python3
"""Runs the cases beside it (README.md says what they are); --update rewrites the expectations."""
import argparse
import json
import pathlib
import sys

import yaml

from expectation import Fault, check, equal
from command import fluxhook, kubectl

TOP = pathlib.Path(__file__).resolve().parent / "cases"
FILES = {"input.yaml", "jobset.yaml", "trainjob.yaml", "notes.txt"}
LABEL = "flux-framework.org/inject"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"


def migrate(folder, target, *more):
    return fluxhook("migrate", "-t", target, *more, "input.yaml", cwd=folder)


def trained(runtime, job):
    """The JobSet that Trainer makes of a TrainJob and its runtime, as far as it matters: pkg/runtime of Trainer."""
    jobset = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": dict(job["metadata"]),
              "spec": json.loads(json.dumps(runtime["spec"]["template"]["spec"]))}
    for key in ("labels", "annotations"):
        jobset["metadata"][key] = runtime["spec"]["template"]["metadata"].get(key, {})
    trainer = job["spec"]["trainer"]
    for replicated in jobset["spec"]["replicatedJobs"]:
        if replicated["template"].get("metadata", {}).get("labels", {}).get(ANCESTOR) != "trainer":
            continue
        spec = replicated["template"]["spec"]
        spec["parallelism"] = spec["completions"] = trainer["numNodes"]
        for container in spec["template"]["spec"]["containers"]:
            if container["name"] == "node" and "command" in trainer:
                container["command"] = trainer["command"]
            if container["name"] == "node" and "env" in trainer:
                names = {entry["name"] for entry in trainer["env"]}
                container["env"] = [one for one in container["env"] if one["name"] not in names] + trainer["env"]
    return jobset


def jobsets_of(text, target):
    documents = list(yaml.safe_load_all(text))
    if target == "jobset":
        check(all(one["kind"] == "JobSet" for one in documents), "something else than JobSets")
        return documents
    pairs = list(zip(documents[::2], documents[1::2]))
    check(len(documents) == 2 * len(pairs), "a TrainJob without a runtime")
    for runtime, job in pairs:
        check(job["spec"]["runtimeRef"] == {"apiGroup": "trainer.kubeflow.org", "kind": runtime["kind"],
                                            "name": runtime["metadata"]["name"]}, "the TrainJob is of another runtime")
    return [trained(*pair) for pair in pairs]


def validated(text, target, has_denials):
    """The result passes the webhook's rules, unless a note says that it doesn't."""
    for jobset in jobsets_of(text, target):
        check(jobset["metadata"]["labels"].get(LABEL) == "true", "the label is missing")
        done = fluxhook("validate", "-", stdin=json.dumps(jobset))
        check(done.returncode == (1 if has_denials else 0), "validate: " + done.stdout + done.stderr)


def run(folder):
    """What the case comes to: the content of its files."""
    names = {path.name for path in folder.iterdir()}
    check(names <= FILES and "input.yaml" in names, f"files: {sorted(names)}")
    results, notes = {}, ""
    for target in ("jobset", "trainjob"):
        done = migrate(folder, target)
        code = 1 if ": decide: " in done.stderr else 0
        check(done.returncode == code, f"exit code {done.returncode}: {done.stderr}")
        results[target + ".yaml"] = done.stdout
        notes = notes or done.stderr
        as_json = migrate(folder, target, "-o", "json")
        equal(as_json.stderr, done.stderr, "what is said with -o json")
        documents = list(yaml.safe_load_all(done.stdout))
        check(documents == read_jsons(as_json.stdout), "JSON and YAML differ")
        for document, text in zip(documents, done.stdout.split("---\n")):
            check(kubectl(text) == document, "kubectl reads something else")
        validated(done.stdout, target, ": the webhook denies" in done.stderr)
    results["notes.txt"] = notes
    return results


def read_jsons(text):
    documents, decoder = [], json.JSONDecoder()
    while text.strip():
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:].lstrip()
    return documents


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write what comes out as the expectation")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    folders = sorted(path for path in TOP.iterdir() if not options.case or path.name in options.case)
    faults = 0
    for folder in folders:
        try:
            results = run(folder)
            for name, text in results.items():
                if options.update:
                    (folder / name).write_text(text)
                check((folder / name).exists(), f"{name} is missing: --update writes it")
                equal(text, (folder / name).read_text(), name)
        except Fault as fault:
            faults += 1
            print(f"{folder.name}: {fault}\n")
    print(f"{len(folders)} cases, {faults} failed")
    return 1 if faults or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
