#!/usr/bin/env python3
"""`fluxhook migrate` says of every field of every kind what becomes of it; what it calls carried makes a difference.

The fields are those of the published types (fields/README.md). Each is set, alone, on a small object of its kind.
"""
import copy
import json
import pathlib
import re
import tempfile
import unittest

from command import ONE_IN, fluxhook

TOP = pathlib.Path(__file__).resolve().parent
GROUPS = {"MPIJob": "kubeflow.org", "PyTorchJob": "kubeflow.org", "MiniCluster": "flux-framework.org"}

# Where any text or number won't do.
VALUES = {
    "managedBy": "kueue.x-k8s.io/multikueue", "restartPolicy": "Never", "nprocPerNode": "3", "connectTimeout": "9s",
    "queuePolicy": "easy", "topology": "kary:2", "logLevel": 6, "optionFlags": "-o cpu-affinity=off",
    "mainContainer": "second", "curveCertSecret": "curve", "imagePullPolicy": "Always", "dnsPolicy": "Default",
    "imagePullSecret": "pull", "emptyDirMedium": "memory", "headlessName": "net", "workingDir": "/tmp",
}


def container(name, *command):
    return {"name": name, "image": "registry.example/app:1", "command": list(command)}


def template(*containers):
    return {"spec": {"containers": list(containers)}}


def base(kind, version):
    spec = {}
    if kind == "MPIJob" and version == "v1alpha1":
        spec = {"template": template(container("first", "mpirun", "app"), container("second", "mpirun", "other"))}
    elif kind == "MPIJob":
        launcher = template(container("first", "mpirun", "app"), container("second", "mpirun", "other"))
        worker = template(container("first"), container("second"))
        spec = {"mpiReplicaSpecs": {"Launcher": {"template": launcher}, "Worker": {"replicas": 2, "template": worker}}}
    elif kind == "PyTorchJob":
        spec = {"pytorchReplicaSpecs": {"Master": {"template": template(container("pytorch", "torchrun", "a.py"))},
                                        "Worker": {"template": template(container("pytorch", "torchrun", "a.py"))}}}
    elif kind == "MiniCluster":
        spec = {"containers": [{"image": "registry.example/app:1", "command": "app"}]}
    return {"apiVersion": f"{GROUPS[kind]}/{version}", "kind": kind, "metadata": {"name": "job"}, "spec": spec}


def sample(path, type_):
    name = re.split(r"[.{}\[\]]+", path.rstrip("[]{}"))[-1]
    if type_.startswith("one of "):
        return type_.split()[-1]
    if name in VALUES and type_ in ("string", "integer"):
        return VALUES[name]
    pods = template(container("first", "mpirun", "changed"), container("pytorch", "torchrun", "changed"))
    return {"string": "some-text", "integer": 3, "boolean": True, "object": {"key": "value"},
            "list": [{"type": "Pods"}], "template": pods, "map of string": {"key": "value"},
            "map of quantity": {"cpu": 3}, "map of array": {"key": ["a", "b"]},
            "resources": {"limits": {"cpu": 3}}}[type_]


def beside(path):
    """What a field needs beside it to have a meaning, as the operators' own validation asks for it."""
    spec = {}
    if re.match(r"spec\.(gpus|processingUnits)PerNode$", path):
        spec[path.split(".")[1].removesuffix("PerNode")] = 12
    if path == "spec.processingResourceType":
        spec["processingUnits"] = 12
    return spec


def volume_kind(path):
    """The fields of a volume that make it one of the kind to which another one belongs."""
    return {"items": {"configMapName": "map"}, "emptyDirMedium": {"emptyDir": True},
            "emptyDirSizeLimit": {"emptyDir": True},
            "csiDriverAttributes": {"csiDriver": "driver"}}.get(path.rsplit(".", 1)[-1], {"claimName": "claim"})


def keys_of(path):
    """[(key, kind of what is below it)] of spec.a[].b{}.c"""
    return [(re.sub(r"\W", "", part), part[-2:] if part.endswith(("[]", "{}")) else "") for part in path.split(".")]


def put(node, path, value, replica):
    """Sets the field at a path in a document; returns the document before the field itself was set, as a copy, and the
    field as reports call it."""
    field, keys, document = "", keys_of(path), node
    for i, (key, below) in enumerate(keys):
        last = i == len(keys) - 1
        field += ("." if field else "") + key
        if last and not below:
            before = copy.deepcopy(document)
            node[key] = value
            return before, field
        if below == "[]":
            items = node.setdefault(key, [])
            if last:
                before = copy.deepcopy(document)
                items.append(value)
                return before, field
            if not items:
                items.append({"name": "side", "image": "registry.example/side:1"} if key == "services" else {})
            node, field = items[0], field + "[0]"
        elif below == "{}":
            entry = replica if key.endswith("ReplicaSpecs") else "x"
            first = volume_kind(path) if "olumes" in key and len(keys) > 3 else {}
            node = node.setdefault(key, {}).setdefault(entry, dict(first))
            field += "." + entry
        else:
            node = node.setdefault(key, {})
    raise AssertionError(path)


def migrated(document, target):
    """(what it becomes, the notes) of a document."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        done = fluxhook("migrate", "-t", target, "-o", "json", "--report", report.name, "-", stdin=json.dumps(document))
        if done.returncode not in (0, 1):
            raise AssertionError(done.stderr)
        [told] = json.load(report)["objects"]
    return done.stdout, told["fields"]


def is_about(note, field):
    """Whether a note is of the field, of one that it is part of, or of a part of it."""
    return any(long == short or (long.startswith(short) and long[len(short)] in ".[")
               for long, short in ((note, field), (field, note)) if len(long) >= len(short))


class Fields(unittest.TestCase):
    def check(self, kind, version, path, type_, replica, target):
        document = base(kind, version)
        document["spec"].update(beside(path))
        if path.startswith("status"):
            document["status"] = {}
        before, field = put(document, path, sample(path, type_), replica)
        with_it, notes = migrated(document, target)
        found = [note for note in notes if is_about(note["field"], field)]
        self.assertTrue(found, "nothing is said of it")
        self.assertFalse([note for note in found if "does not know" in note["text"]], "it is not known")
        if any(note["fate"] == "carried" for note in found):
            changes = with_it != migrated(before, target)[0]
            self.assertTrue(changes, "it is said to be carried over, and changes nothing")

    def test_every_field_is_carried_or_told(self):
        lists = sorted((TOP / "fields").glob("*.txt"))
        self.assertEqual(len(lists), 7)
        for file in lists:
            kind, version = file.stem.split("-")
            for line in file.read_text().splitlines()[::ONE_IN]:
                path, type_ = line.split(" ", 1)
                if path in ("apiVersion", "kind", "metadata"):
                    continue
                for replica in ("Launcher" if kind == "MPIJob" else "Master", "Worker"):
                    for target in ("jobset", "trainjob"):
                        with self.subTest(f"{kind} {version} {path}", replica=replica, target=target):
                            self.check(kind, version, path, type_, replica, target)
                    if "ReplicaSpecs" not in path:
                        break

    def test_a_field_that_no_version_has_is_told_as_unknown(self):
        for kind, version in (("MPIJob", "v2beta1"), ("PyTorchJob", "v1"), ("MiniCluster", "v1alpha2")):
            document = base(kind, version)
            document["spec"]["unheardOf"] = {"deep": [1]}
            document["metadata"]["colour"] = "blue"
            with self.subTest(kind):
                _, notes = migrated(document, "jobset")
                self.assertEqual([note["field"] for note in notes if "does not know" in note["text"]],
                                 ["metadata.colour", "spec.unheardOf"])

    def test_metadata_is_carried_but_for_what_servers_set(self):
        document = base("MPIJob", "v2beta1")
        document["metadata"] = {"name": "job", "namespace": "ns", "labels": {"a": "b"}, "annotations": {
            "c": "d", "kubectl.kubernetes.io/last-applied-configuration": "{}"}, "uid": "1", "resourceVersion": "2",
            "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [], "finalizers": ["x/y"],
            "ownerReferences": [{"uid": "4"}]}
        out, notes = migrated(document, "jobset")
        metadata = json.loads(out)["metadata"]
        self.assertEqual({key: metadata[key] for key in ("name", "namespace")}, {"name": "job", "namespace": "ns"})
        self.assertEqual(metadata["labels"]["a"], "b")
        self.assertEqual(metadata["annotations"]["c"], "d")
        self.assertEqual(set(metadata), {"name", "namespace", "labels", "annotations"})
        self.assertNotIn("last-applied", out)
        told = {note["field"] for note in notes if note["fate"] != "carried"}
        servers = set(document["metadata"]) - {"name", "namespace", "labels", "annotations"}
        self.assertLessEqual({f"metadata.{key}" for key in servers}, told)


if __name__ == "__main__":
    unittest.main()
