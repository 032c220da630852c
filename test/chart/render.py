"""Rendered manifests, and what the built program knows: for the tests of the chart and of webhook-config/."""
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import yaml

TOP = Path(__file__).parents[2]
CHART = TOP / "charts/fluxhook"
OVERLAYS = TOP / "webhook-config/overlays"
TOOLS = TOP / "build/tools"  # scripts/e2e-tools makes it
NAMESPACE = "fluxhook-system"
# What a later version of the program has: each goes from here with the test that says it is there.
FLAGS_TO_COME = set()
COMMANDS_TO_COME = set()


def run(*words, text=None):
    """Runs a program with `text` as its standard input."""
    return subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, check=False)


def objects(text):
    """The objects of a stream of YAML documents."""
    return [document for document in yaml.safe_load_all(text) if document]


def kustomize(overlay):
    done = run("kubectl", "kustomize", OVERLAYS / overlay)
    if done.returncode:
        raise AssertionError(f"{overlay}: {done.stderr}")
    return objects(done.stdout)


def default_values():
    """(section, path, default, about) of each value of the chart, as its README lists them."""
    sys.path.insert(0, str(TOP / "scripts"))
    from chart_docs import rows  # pylint: disable=import-outside-toplevel
    return list(rows((CHART / "values.yaml").read_text()))


def assignments(values):
    """helm's words for a dict {path: value}."""
    for path, value in values.items():
        yield from ("--set-json", f"{path}={json.dumps(value)}")


def helm(values, release="fluxhook", namespace=NAMESPACE, chart=CHART):
    """What `helm template` says: returncode, stdout, stderr."""
    return run(TOOLS / "helm", "template", release, chart, "--namespace", namespace, *assignments(values))


def chart(values, **where):
    """The objects that the chart renders with these values."""
    done = helm(values, **where)
    if done.returncode:
        raise AssertionError(f"{values}: {done.stderr}")
    return objects(done.stdout)


def program():
    return os.environ.get("FLUXHOOK", TOP / "build/debug/fluxhook")


@cache
def known_flags():
    """The flags that `fluxhook serve --help` lists, and the common ones."""
    return set(re.findall(r"--[a-z][a-z-]*", run(program(), "serve", "--help").stdout))


@cache
def known_commands():
    return set(re.findall(r"^  ([a-z]+)  ", run(program(), "--help").stdout, re.M))


def of_kind(found, *kinds):
    return [each for each in found if each["kind"] in kinds]


def only(found, kind):
    """The one object of that kind that is not there for helm test alone."""
    those = [each for each in of_kind(found, kind) if "helm.sh/hook" not in each["metadata"].get("annotations", {})]
    assert len(those) == 1, f"{len(those)} of {kind}"
    return those[0]


def pod_specs(found):
    """(name, labels, spec) of each pod and pod template."""
    for each in of_kind(found, "Pod"):
        yield each["metadata"]["name"], each["metadata"].get("labels", {}), each["spec"]
    for each in of_kind(found, "Deployment"):
        template = each["spec"]["template"]
        yield each["metadata"]["name"], template["metadata"]["labels"], template["spec"]


def server(found):
    """The container of the Deployment."""
    return only(found, "Deployment")["spec"]["template"]["spec"]["containers"][0]
