"""JobSets made by chance, the same for the same seed: ordinary ones, odd ones, and ones that are denied."""
import copy
import json

HOSTILE = ["", " ", "a b", "it's", '"', "\\", "$(id)", "`id`", "*", "-n", "--", "two\nlines", "\ttab", "\r", "\u0000",
           "\u001b[31m", "ä", "\U0001f680", "yes", "y", "0x10", "1e3", "null", "~", "# no comment", "a: b", "- a", "{a", "@NAME@",
           "]]>", "%s", "é" * 40, "\u2028", "\ufeff", "---", "<<", "=", "1:30", "2001-01-01"]
SETTINGS = {"num-proc-per-node": ["1", "2", "8", "0", "x"], "view-image": ["none", "registry.example.org/v:1", "v", "BAD:"],
            "network-device": ["eth0", "ib0", "bad device"], "queue-policy": ["easy", "fair"],
            "interactive": ["true", "false"], "pmi": ["pmi2", "simple"], "run-options": ["-o verbose=1", "'a b' c", "'open"],
            "cores-per-task": ["1", "4"], "topology": ["kary:2", "star"], "connect-timeout": ["7s", "soon"],
            "log-level": ["0", "7", "8"], "curve-secret": ["own-curve"], "shm-size": ["1Gi", "big"],
            "affinity": ["true", "false"], "complete-on": ["all", "leader"], "unknown": ["x"]}


class Maker:
    def __init__(self, random):
        self.random = random

    def some(self, chance):
        return self.random.random() < chance

    def jobset(self):
        name = self.random.choice(["js", "a-long-name-of-a-jobset", "x" * self.random.randint(30, 63), "Bad_Name", "1js"]
                                  if self.some(0.3) else ["js", "lammps"])
        metadata = {"generateName": "gen-"} if self.some(0.15) else {"name": name}
        if self.some(0.9):
            metadata["labels"] = {"flux-framework.org/inject": "true" if self.some(0.95) else self.text(), "team": "a"}
        if self.some(0.6):
            metadata["annotations"] = self.annotations()
        if self.some(0.5):
            metadata["namespace"] = "hpc"
        spec = {"replicatedJobs": [self.replicated_job(index) for index in range(self.random.choice([1, 1, 1, 2, 3]))]}
        if self.some(0.3):
            spec["suspend"] = self.some(0.5)
        if self.some(0.4):
            spec["network"] = {key: value for key, value in
                               {"enableDNSHostnames": True, "publishNotReadyAddresses": self.some(0.7),
                                "subdomain": "net"}.items() if self.some(0.5)}
        return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}

    def annotations(self):
        chosen = {"example.org/a~b": self.text()}
        for setting, values in SETTINGS.items():
            if self.some(0.12):
                good = values[:-1] if len(values) > 1 and self.some(0.85) else values
                chosen["flux-framework.org/" + setting] = self.random.choice(good)
        if "flux-framework.org/unknown" in chosen and self.some(0.8):
            del chosen["flux-framework.org/unknown"]
        if self.some(0.3):
            chosen["flux-framework.org/replicated-jobs"] = self.random.choice(["node", "node,job1", "job1,node", "nope"])
        return chosen

    def replicated_job(self, index):
        spec = {"template": {"spec": self.pod()}}
        pods = self.random.randint(1, 4)
        spec.update(self.random.choice([{}, {"parallelism": pods}, {"completions": pods},
                                        {"parallelism": pods, "completions": pods},
                                        {"parallelism": pods, "completions": pods + 1} if self.some(0.2) else {}]))
        for key, value in (("completionMode", "Indexed"), ("backoffLimit", 2), ("successPolicy", {"rules": []})):
            if self.some(0.1):
                spec[key] = value
        job = {"name": "node" if index == 0 else f"job{index}", "template": {"spec": spec}}
        if self.some(0.3):
            job["replicas"] = self.random.randint(1, 3)
        if self.some(0.2):
            job["template"]["metadata"] = {"labels": {"a": "b"}}
        if self.some(0.2):
            spec["template"]["metadata"] = self.random.choice([{}, {"labels": {"app": "x"}}, {"annotations": {"x": self.text()}}])
        return job

    def pod(self):
        pod = {"containers": [self.container(name) for name in (["app"] if self.some(0.8) else ["node", "sidecar"])]}
        optional = {"initContainers": [] if self.some(0.2) else [{"name": "prepare", "image": "p:1"}],
                    "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}, {"name": "data", "emptyDir": {}}],
                    "affinity": self.random.choice([{}, {"podAntiAffinity": {}}, {"nodeAffinity": {"x": 1}}]),
                    "nodeSelector": {"kubernetes.io/arch": self.random.choice(["arm64", "amd64"])},
                    "hostNetwork": True, "restartPolicy": self.random.choice(["Never", "OnFailure"]),
                    "terminationGracePeriodSeconds": 60, "schedulingGates": [{"name": "g"}]}
        pod.update({key: value for key, value in optional.items() if self.some(0.2)})
        if self.some(0.05):
            pod["dnsPolicy"] = "Default"
        return pod

    def container(self, name):
        container = {"name": name, "image": "app:1"}
        if self.some(0.85):
            container["command"] = ["app"] + [self.text() for _ in range(self.random.randint(0, 3))]
        if self.some(0.4 if "command" in container else 0.1):
            container["args"] = [self.text() for _ in range(self.random.randint(0, 4))]
        if self.some(0.4):
            container["env"] = [{"name": "A", "value": self.text()},
                                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]
        if self.some(0.1):
            container.setdefault("env", []).append({"name": "FLUX_QUEUE_POLICY", "value": "hybrid"})
        if self.some(0.3):
            container["volumeMounts"] = [{"name": "shm", "mountPath": self.random.choice(["/dev/shm", "/dev/shm/", "/data"])}]
        if self.some(0.3):
            container["resources"] = {"limits": {"cpu": self.random.choice(["4", 2, "500m", "1.5", "x"] if self.some(0.2)
                                                                            else ["4", "8"])}}
            if self.some(0.2):
                container["resources"]["limits"]["nvidia.com/gpu"] = self.random.choice([4, "8", 3])
        if self.some(0.2):
            container["securityContext"] = {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
        return container

    def text(self):
        return self.random.choice(HOSTILE) if self.some(0.5) else f"word{self.random.randint(0, 99)}"

    def spoilt(self, obj):
        """The object with a value of another type somewhere."""
        obj = copy.deepcopy(obj)
        places = list(values(obj["spec"])) + list(values(obj["metadata"]))
        parent, key = self.random.choice(places)
        parent[key] = self.random.choice([None, 7, True, "text", [], {}, [1], {"a": 1}])
        return obj


def values(node):
    """(parent, key) of every value below a node."""
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []:
        yield node, key
        yield from values(node[key])


def stored(obj):
    """As the API server and JobSet's webhook keep a created object."""
    obj = copy.deepcopy(obj)
    obj["metadata"].update(uid="72f002e3-300c-456a-beab-f62e80900731", resourceVersion="17", generation=1, namespace="hpc")
    obj["spec"].setdefault("successPolicy", {"operator": "All"})
    obj["spec"].setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    for job in obj["spec"]["replicatedJobs"]:
        job.setdefault("replicas", 1)
        job.setdefault("groupName", "default")
    return obj


def client_side_apply(manifest, live):
    """JSON merge patch (RFC 7396) of the manifest: lists are replaced whole."""
    if not isinstance(manifest, dict):
        return copy.deepcopy(manifest)
    merged = dict(live) if isinstance(live, dict) else {}
    for key, value in manifest.items():
        merged[key] = client_side_apply(value, merged.get(key))
    return merged


def replaced(manifest, live):
    obj = copy.deepcopy(manifest)
    obj["metadata"].update(resourceVersion=live["metadata"]["resourceVersion"], namespace="hpc",
                           name=live["metadata"]["name"])
    return obj


def admitted(live):
    """What Kueue changes when it admits a JobSet: the five fields of each pod template."""
    obj = copy.deepcopy(live)
    obj["spec"]["suspend"] = False
    for job in obj["spec"]["replicatedJobs"]:
        template = job["template"]["spec"]["template"]
        metadata = template["metadata"] = template.get("metadata") or {}
        metadata["labels"] = {**(metadata.get("labels") or {}), "kueue.x-k8s.io/podset": job["name"]}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), "kueue.x-k8s.io/workload": "w"}
        pod = template["spec"]
        pod["nodeSelector"] = {**(pod.get("nodeSelector") or {}), "pool": "hpc"}
        pod["tolerations"] = [{"key": "pool", "operator": "Exists"}]
        pod["schedulingGates"] = [{"name": "kueue.x-k8s.io/topology"}]
        job["template"]["spec"].setdefault("template", template)
    return json.loads(json.dumps(obj))
