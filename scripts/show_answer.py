#!/usr/bin/env python3
"""Shows what an AdmissionReview's answer makes of its object: show_answer.py REVIEW.json ANSWER.json

Applies the patch with python3-jsonpatch, as an API server would with its own, and prints a unified diff of the
manifest, coloured on a terminal (FORCE_COLOR: always, NO_COLOR: never), and the names of the companions.
"""
import base64
import difflib
import json
import os
import sys

import jsonpatch
import yaml

COLORS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}
BOLD, RESET = "\033[1m", "\033[0m"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# Keys in the order in which manifests are written; the others follow by name.
FIRST = ["apiVersion", "kind", "metadata", "spec", "name", "image", "command", "args", "env"]


def colored():
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def ordered(value):
    """The value with the keys of its objects in one order, so that a diff shows what differs and no more."""
    if isinstance(value, list):
        return [ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value, key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key))
    return {key: ordered(value[key]) for key in keys}


def manifest(jobset):
    """The object as its user writes it: without what kubectl and the API server keep for themselves."""
    jobset = json.loads(json.dumps(jobset))
    jobset["metadata"].pop("managedFields", None)
    jobset["metadata"].get("annotations", {}).pop(LAST_APPLIED, None)
    return yaml.safe_dump(ordered(jobset), sort_keys=False, width=110).splitlines()


def companions(jobset):
    """The ConfigMap and the Secret that the patched pods mount."""
    names = set()
    for job in jobset["spec"]["replicatedJobs"]:
        for volume in job["template"]["spec"]["template"]["spec"].get("volumes", []):
            if volume["name"] == "flux-entrypoint":
                names.add(("ConfigMap", volume["configMap"]["name"], "the scripts and broker.toml"))
            if volume["name"] == "flux-curve":
                names.add(("Secret", volume["secret"]["secretName"], "the brokers' certificate"))
    return sorted(names)


def main(review_file, answer_file):
    with open(review_file, encoding="utf-8") as file:
        request = json.load(file)["request"]
    with open(answer_file, encoding="utf-8") as file:
        response = json.load(file)["response"]
    if response["uid"] != request["uid"]:
        sys.exit(f"the answer is for {response['uid']}, the review was {request['uid']}")
    if not response["allowed"]:
        sys.exit("denied: " + response["status"]["message"])
    if response.get("patchType") != "JSONPatch":
        sys.exit("allowed without a patch: nothing was injected")
    patch = json.loads(base64.b64decode(response["patch"], validate=True))
    patched = jsonpatch.apply_patch(request["object"], patch)

    color = colored()
    name = f"jobset/{request['name']}"
    for line in difflib.unified_diff(manifest(request["object"]), manifest(patched), f"{name} (as applied)",
                                     f"{name} (as stored)", lineterm=""):
        start = COLORS.get(line[0], "") if color else ""
        print(start + line + (RESET if start else ""))
    print(f"\n{len(patch)} operations. The pods mount:")
    for kind, companion, what in companions(patched):
        print(f"  {kind:9} {BOLD if color else ''}{companion}{RESET if color else ''}  ({what})")


if __name__ == "__main__":
    main(*sys.argv[1:])
