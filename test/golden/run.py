#!/usr/bin/env python3
"""Runs the golden cases beside it (README.md says what their files are); --update rewrites the expectations."""
import argparse
import contextlib
import json
import pathlib
import re
import shlex
import sys
import tempfile

import yaml

from expectation import Fault, check, equal
from command import fluxhook, kubectl, patch_of, patched, review
from webhook import Server

TOP = pathlib.Path(__file__).resolve().parent
INPUTS = {"input.yaml", "review.json", "old.yaml", "args"}
EXPECTED = {"patch.json", "output.yaml", "explain.json", "warnings.txt", "denial.txt", "validating.txt"}
UID = "00000000-0000-0000-0000-000000000000"  # what `mutate` takes for the request's without --uid


def without_empty(value):
    """As the API server compares after typing: nothing, null and empty are the same."""
    if isinstance(value, dict):
        members = {key: without_empty(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member not in (None, {}, [])}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


class Case:
    def __init__(self, folder):
        self.folder = folder
        names = {path.name for path in folder.iterdir()}
        check(names <= INPUTS | EXPECTED, f"unknown files: {sorted(names - INPUTS - EXPECTED)}")
        check(len(names & {"input.yaml", "review.json"}) == 1, "there must be one of input.yaml and review.json")
        self.is_review = "review.json" in names
        self.input = "review.json" if self.is_review else "input.yaml"
        self.is_create = not self.is_review and "old.yaml" not in names
        self.args = shlex.split(self.text("args"))
        self.request = self.read_request(names)
        self.expected = {name: self.text(name) for name in names & EXPECTED}

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def read_request(self, names):
        if self.is_review:
            return json.loads(self.text("review.json"))
        old = yaml.safe_load(self.text("old.yaml")) if "old.yaml" in names else None
        return review(yaml.safe_load(self.text("input.yaml")), UID, old)

    def mutate(self, output):
        old = ["--old", "old.yaml"] if (self.folder / "old.yaml").exists() else []
        return fluxhook("mutate", "-o", output, *old, *self.args, self.input, cwd=self.folder)

    def run(self, server):
        """What the case comes to: the content of its expected files."""
        patch = self.mutate("patch")
        server_answer = self.ask(server, self.request, "/mutate")
        results = {}
        if patch.returncode == 0:
            results["patch.json"] = patch.stdout
            results["output.yaml"] = self.allowed(server, json.loads(patch.stdout), server_answer)
        else:
            equal(patch.returncode, 1, "exit code: " + patch.stderr)
            equal(patch.stdout, "" if self.is_review else "[]\n", "output of a denial")
            self.denied(server_answer, patch.stderr)
        if patch.stderr:
            results["warnings.txt" if patch.returncode == 0 else "denial.txt"] = patch.stderr
        if self.is_create and patch.returncode == 0:
            results["explain.json"] = self.explained()
        if "validating.txt" in self.expected:
            answer = self.ask(server, self.request, "/validate")["response"]
            results["validating.txt"] = answer.get("status", {}).get("message", "allowed") + "\n"
        return results

    def ask(self, server, body, path):
        status, _, answer = server.review(json.dumps(body), path)
        equal(status, 200, f"{path}: {answer}")
        return answer

    def allowed(self, server, patch, answer):
        """The YAML of the mutated object, after every reader of it agrees; none for a subresource."""
        check(answer["response"]["allowed"], f"the server denies: {answer}")
        equal(patch_of(answer), patch, "the server's patch")
        request = self.request["request"]
        wanted = patched(request["object"], answer)
        self.again(server, wanted)
        if self.folder.name.startswith("reapply-"):
            equal(without_empty(wanted["spec"]), without_empty(request["oldObject"]["spec"]), "the spec")
        if request.get("subResource"):
            return ""
        text = self.printed(request)
        equal(yaml.safe_load(text), wanted, "PyYAML's reading of the YAML")
        equal(kubectl(text), wanted, "kubectl's reading of the YAML")
        return text

    def printed(self, request):
        """What `mutate` prints for the object itself; for a review its objects go to files first."""
        if not self.is_review:
            return self.mutate("yaml").stdout
        with tempfile.TemporaryDirectory() as folder:
            old = []
            if request["oldObject"]:
                pathlib.Path(folder, "old.json").write_text(json.dumps(request["oldObject"]))
                old = ["--old", folder + "/old.json"]
            done = fluxhook("mutate", "--uid", request["uid"], *old, *self.args, "-", stdin=json.dumps(request["object"]))
        equal(done.returncode, 0, "exit code: " + done.stderr)
        return done.stdout

    def explained(self):
        """What becomes of it: without the settings and changes, which the patch holds."""
        done = fluxhook("explain", "-o", "json", *self.args, self.input, cwd=self.folder)
        explained = json.loads(done.stdout)
        equal(len(explained), 1, "the number of explained objects")
        kept = ("injected", "reason", "members", "lead", "hosts", "run", "R")
        return json.dumps({key: explained[0][key] for key in kept if key in explained[0]}, indent=1) + "\n"

    def again(self, server, wanted):
        """mutate(mutate(x)) = mutate(x), and the validating webhook lets it pass."""
        request = {**self.request, "request": {**self.request["request"], "object": wanted}}
        equal(patch_of(self.ask(server, request, "/mutate")), [], "the patch of the mutated object")
        answer = self.ask(server, request, "/validate")
        check(answer["response"]["allowed"], f"the validating webhook denies the mutated object: {answer}")

    def denied(self, answer, said):
        """What the command says line by line is what the server says in its causes."""
        response = answer["response"]
        check(not response["allowed"], "the server allows it")
        causes = response["status"]["details"]["causes"]
        errors = [line for line in said.splitlines() if ": error FH" in line]
        equal(len(causes), len(errors), "the number of causes")
        for cause, line in zip(causes, errors):
            message, rule = re.fullmatch(r"(.*?)(?: \((FH\d{3})\))?", cause["message"]).groups()
            check(f" {rule or 'FH'}" in line and f" {cause['field']}: {message}" in line, f"{cause} is not in {line!r}")


def run(folder, shared, update):
    case = Case(folder)
    with contextlib.ExitStack() as stack:
        results = case.run(stack.enter_context(Server(*case.args)) if case.args else shared)
    results = {name: text for name, text in results.items() if text}
    if update:
        for name in case.expected.keys() - results.keys():
            (folder / name).unlink()
        for name, text in results.items():
            (folder / name).write_text(text)
        return
    check(case.expected, "there is no expectation: --update writes it")
    equal(sorted(case.expected), sorted(results), "files")
    for name, text in results.items():
        equal(text, case.expected[name], name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write what comes out as the expectation")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    folders = sorted(path for path in TOP.iterdir() if path.is_dir() and path.name != "__pycache__")
    if options.case:
        folders = [folder for folder in folders if folder.name in options.case]
    check(folders, "there are no cases")
    strays = [path.name for path in TOP.iterdir()
              if path.is_file() and path.name not in {"README.md", "run.py", "CMakeLists.txt"}]
    check(not strays, f"files that are no cases: {strays}")
    faults = 0
    with Server() as shared:
        for folder in folders:
            try:
                run(folder, shared, options.update)
            except Fault as fault:
                faults += 1
                print(f"{folder.name}: {fault}\n")
    print(f"{len(folders)} cases, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
