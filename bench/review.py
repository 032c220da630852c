#!/usr/bin/env python3
"""review.py FOLDER: writes review-<N>k.json, reviews of CREATE as an API server sends them for `kubectl apply`.

Half of a review is managedFields and last-applied-configuration. The smallest is one replicatedJob; larger ones
have more env variables in the container, and from 512 KiB on more replicatedJobs.
"""
import json
import sys
from pathlib import Path

SIZES = (2, 32, 512, 3072)  # KiB


def container(variables):
    return {"name": "node", "image": "ghcr.io/example/lammps:2024", "command": ["lmp", "-in", "in.reaxff", "-nocite"],
            "resources": {"limits": {"cpu": "4", "memory": "8Gi"}},
            "env": [{"name": f"VARIABLE_{i}", "value": f"value number {i} of this job"} for i in range(variables)]}


def jobset(jobs, variables):
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "lammps", "namespace": "default",
                         "labels": {"flux-framework.org/inject": "true"},
                         "annotations": {"flux-framework.org/replicated-jobs": "node-0"}},
            "spec": {"replicatedJobs": [
                {"name": f"node-{j}", "replicas": 1, "template": {"spec": {
                    "parallelism": 4, "completions": 4, "backoffLimit": 0,
                    "template": {"spec": {"restartPolicy": "Never", "containers": [container(variables)]}}}}}
                for j in range(jobs)]}}


def fields(value):
    """managedFields' form of a value: a tree of the fields that its manager owns."""
    if isinstance(value, dict):
        return {"f:" + k: fields(v) for k, v in value.items()} | {".": {}}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {"k:" + json.dumps({"name": v["name"]}, separators=(",", ":")): fields(v) for v in value} | {".": {}}
    return {}


def review(jobs, variables):
    manifest = jobset(jobs, variables)
    applied = json.dumps(manifest, separators=(",", ":")) + "\n"
    manifest["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = applied
    manifest["metadata"]["managedFields"] = [{
        "apiVersion": manifest["apiVersion"], "fieldsType": "FieldsV1", "fieldsV1": fields(jobset(jobs, variables)),
        "manager": "kubectl-client-side-apply", "operation": "Update", "time": "2026-01-01T00:00:00Z"}]
    kind = {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"}
    resource = {"group": "jobset.x-k8s.io", "version": "v1alpha2", "resource": "jobsets"}
    request = {"uid": "7900a454-50e1-4425-8b5c-32eb42f44bb5", "kind": kind, "resource": resource,
               "requestKind": kind, "requestResource": resource, "name": "lammps", "namespace": "default",
               "operation": "CREATE",
               "userInfo": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
               "object": manifest, "oldObject": None, "dryRun": False,
               "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1",
                           "fieldManager": "kubectl-client-side-apply", "fieldValidation": "Strict"}}
    return json.dumps({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request},
                      separators=(",", ":"))


def sized(kibibytes):
    """The review whose size is nearest above kibibytes; the smallest one is what it is (2.8 KB)."""
    jobs = max(1, kibibytes // 64)
    variables = 0
    while len(review(jobs, variables)) < kibibytes * 1024:
        missing = kibibytes * 1024 - len(review(jobs, variables))
        variables += max(1, missing // (jobs * 260))
    return review(jobs, variables)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        (folder / f"review-{size}k.json").write_text(sized(size))


if __name__ == "__main__":
    main()
