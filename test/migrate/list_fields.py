#!/usr/bin/env python3
"""Lists the fields of a kind as `PATH TYPE`, one a line: list_fields.py KIND VERSION FILE

FILE is a CustomResourceDefinition, or, where there is none with a schema, a Go file with the type KINDSpec. Pod
templates, resources and metrics are one field: they are taken or left as a whole. fields/README.md says which
files the lists beside it are made from.
"""
import re
import sys

import yaml

WHOLE = {"template": "template", "resources": "resources"}
GO = {"int32": "integer", "int64": "integer", "string": "string", "bool": "boolean",
      "corev1.PodTemplateSpec": "template", "common.CleanPodPolicy": "string"}


def walk(schema, path):
    name = path.rsplit(".", 1)[-1]
    kind = schema.get("type", "any")
    if name in WHOLE:
        yield path, WHOLE[name]
    elif schema.get("properties"):
        for key, value in schema["properties"].items():
            yield from walk(value, f"{path}.{key}" if path else key)
    elif kind == "array" and name != "metrics":
        yield from walk(schema["items"], path + "[]")
    elif isinstance(schema.get("additionalProperties"), dict):
        items = schema["additionalProperties"]
        if items.get("properties"):
            yield from walk(items, path + "{}")
        else:
            yield path, "map of " + items.get("type", "quantity")
    else:
        yield path, "list" if kind == "array" else "one of " + " ".join(schema["enum"]) if "enum" in schema else kind


def crd_fields(text, kind, version):
    for document in yaml.safe_load_all(text):
        if document and document["kind"] == "CustomResourceDefinition" and document["spec"]["names"]["kind"] == kind:
            for one in document["spec"]["versions"]:
                if one["name"] == version:
                    yield from walk(one["schema"]["openAPIV3Schema"], "")


def go_fields(text, kind):
    body = re.search(rf"^type {kind}Spec struct \{{(.*?)^\}}", text, re.M | re.S)[1]
    for go_type, name in re.findall(r'^\s+\w+\s+(\S+)\s+`json:"(\w+)', body, re.M):
        go_type = go_type.lstrip("*")
        if go_type.endswith("ReplicaSpec"):
            yield from ((f"spec.{name}{{}}.{key}", one) for key, one in
                        (("replicas", "integer"), ("restartPolicy", "string"), ("template", "template")))
        elif go_type != "common.RunPolicy":  # its fields are in the versions that have a schema
            yield f"spec.{name}", GO.get(go_type, "string")


def main():
    kind, version, file = sys.argv[1:]
    with open(file) as opened:
        text = opened.read()
    for path, type_ in go_fields(text, kind) if file.endswith(".go") else crd_fields(text, kind, version):
        print(path, type_)


if __name__ == "__main__":
    main()
