"""The pages' sections, tables and examples, and the program that judges the examples."""
import copy
import json
import os
import re
import subprocess
from pathlib import Path

import yaml

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def read(page):
    return (DOCS / page).read_text()


def sections(text, level):
    """{heading: text below it} of the headings of this level."""
    parts = re.split(rf"^{'#' * level} (.*)$", text, flags=re.M)[1:]
    assert len(set(parts[::2])) == len(parts[::2]), "a heading twice"
    return dict(zip(parts[::2], parts[1::2]))


def rows(text, columns):
    """The cells of every table's row with so many columns, without its head."""
    for row in re.findall(r"^\|(?! rule| annotation| flag|-)(.*)\|$", text, re.M):
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) == columns:
            yield cells


def examples(text):
    """(the paragraph before it, the example) of every fence that is YAML."""
    for found in FENCE.finditer(text):
        assert found[1] == "yaml", f"an example that is no YAML: {found[0]}"
        before = text[:found.start()].rstrip().split("\n\n")[-1]
        yield " ".join(before.split()), yaml.safe_load(found[2])


def base():
    """The JobSet that all examples go on top of: the only one of rules.md before its first section."""
    [(_, jobset)] = examples(read("rules.md").split("\n## ")[0])
    return jobset


def whole(example):
    """An example's metadata goes on top of the base's, its spec takes the place of the base's."""
    assert set(example) <= {"metadata", "spec"}, example
    jobset = copy.deepcopy(base())
    for key, value in example.get("metadata", {}).items():
        if isinstance(value, dict):
            jobset["metadata"].setdefault(key, {}).update(value)
        else:
            jobset["metadata"][key] = value
    jobset["spec"] = example.get("spec", jobset["spec"])
    return jobset


def review(jobset, old=None):
    request = {
        "uid": "7900a454-50e1-4425-8b5c-32eb42f44bb5",
        "kind": {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
        "name": jobset["metadata"]["name"], "namespace": "default",
        "operation": "UPDATE" if old else "CREATE", "object": jobset, "oldObject": old,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def run(program, *args, given=None):
    """(exit code, stdout as JSON); the programs' names are in the environment."""
    done = subprocess.run([os.environ[program], *args], input=json.dumps(given), capture_output=True, text=True)
    assert done.stdout, f"{program} {args}: {done.stderr}"
    return done.returncode, json.loads(done.stdout)


def facts():
    return run("FACTS")[1]


def judged(jobset, old=None):
    """The rules that the mutating webhook finds broken."""
    code, result = run("FLUXHOOK", "validate", "-o", "json", "-", given=review(jobset, old))
    found = {finding["rule"] for finding in result["findings"]}
    assert code == (result["summary"]["errors"] > 0) and not result["unreadable"], result
    return found


def injected(jobset, *flags):
    """What the mutating webhook makes of it."""
    return run("FLUXHOOK", "mutate", "-o", "json", *flags, "-", given=jobset)[1]


def validated(jobset):
    """The rules that the validating webhook finds broken."""
    response = run("FACTS", "validate", given=review(jobset))[1]["response"]
    return set() if response["allowed"] else set(re.findall(r"FH\d{3}", response["status"]["message"]))
