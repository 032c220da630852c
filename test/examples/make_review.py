#!/usr/bin/env python3
"""The AdmissionReview that `kubectl apply` of a new JobSet makes an API server send: make_review.py FILE.yaml

kubectl adds last-applied-configuration, the API server managedFields and the CRD's one default. Only uids and
times are made up, and always the same.
"""
import json
import sys

import yaml

KEYED = {"replicatedJobs", "containers", "initContainers", "volumes", "env"}  # list-maps by name
GVK = {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"}
GVR = {"group": "jobset.x-k8s.io", "version": "v1alpha2", "resource": "jobsets"}


def go_json(value):
    """JSON as Go's encoder writes it: keys sorted, compact, safe for HTML."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for char in "&<>":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def fields(value, key=""):
    """FieldsV1 of a value: which leaves its manager owns."""
    if isinstance(value, list) and key in KEYED:
        named = {f"k:{go_json({'name': item['name']})}": {".": {}, **fields(item)} for item in value}
        return {".": {}, **dict(sorted(named.items()))}
    if not isinstance(value, dict) or not value:
        return {}
    return {f"f:{name}": in_object(name, part) for name, part in sorted(value.items())}


def in_object(name, part):
    found = fields(part, name)
    return {".": {}, **found} if isinstance(part, dict) and found else found


def stored(manifest):
    """The object as the API server hands it to admission."""
    given = json.loads(json.dumps(manifest))
    given["metadata"].setdefault("namespace", "default")
    given["metadata"].setdefault("annotations", {})
    annotations = given["metadata"]["annotations"]
    last_applied = go_json(given) + "\n"
    annotations["kubectl.kubernetes.io/last-applied-configuration"] = last_applied
    for job in given["spec"]["replicatedJobs"]:
        job.setdefault("groupName", "default")
        job.setdefault("replicas", 1)
    owned = {part: {name: value for name, value in given[part].items() if name not in ("name", "namespace")}
             for part in ("metadata", "spec")}
    managed = {
        "apiVersion": given["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": fields(owned["metadata"]), "f:spec": in_object("spec", owned["spec"])},
        "manager": "kubectl-client-side-apply",
        "operation": "Update",
        "time": "2026-01-01T00:00:00Z",
    }
    given["metadata"]["managedFields"] = [managed]
    return json.loads(json.dumps(given, sort_keys=True))


def review(manifest):
    made = stored(manifest)
    return {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "11111111-2222-3333-4444-555555555555",
            "kind": GVK,
            "resource": GVR,
            "requestKind": GVK,
            "requestResource": GVR,
            "name": made["metadata"]["name"],
            "namespace": made["metadata"]["namespace"],
            "operation": "CREATE",
            "userInfo": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
            "object": made,
            "oldObject": None,
            "dryRun": False,
            "options": {
                "kind": "CreateOptions",
                "apiVersion": "meta.k8s.io/v1",
                "fieldManager": "kubectl-client-side-apply",
                "fieldValidation": "Strict",
            },
        },
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump(review(yaml.safe_load(file)), sys.stdout, indent=2, ensure_ascii=False)
    print()
