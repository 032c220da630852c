#!/usr/bin/env python3
"""Each command in the pages is one: its subcommand, its flags, its values of the chart and its files are there."""
import functools
import json
import os
import re
import subprocess
import unittest

import commands
from commands import TOP

FLUXHOOK = os.environ["FLUXHOOK"]
HELM = {"install", "upgrade", "uninstall", "rollback", "test", "template", "lint"}
HELM_FLAGS = {"--namespace", "--create-namespace", "--set", "--set-file", "--reset-then-reuse-values", "--take-ownership"}
RUN = {"validate", "mutate", "explain", "migrate"}
COMMON = {"-h", "--help", "--version", "--config", "--log-level", "--log-format"}


@functools.cache
def help_of(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def kubectl_options():
    return subprocess.run(["kubectl", "options"], capture_output=True, text=True, check=True).stdout


def flags(words):
    """(flag, the word behind it) of the words before a `--`."""
    words = words[:words.index("--")] if "--" in words else words
    for word, behind in zip(words, [*words[1:], ""]):
        if re.fullmatch(r"-[a-z]{2,}", word):  # several short ones: -it
            yield from ((f"-{letter}", "") for letter in word[1:])
        elif re.fullmatch(r"--?[A-Za-z][\w-]*(=.*)?", word):
            yield word.partition("=")[0], word.partition("=")[2] or behind


def fluxhook_fault(words):
    """What is wrong with a fluxhook command, or nothing."""
    command = [FLUXHOOK]
    while words and re.search(rf"^  {re.escape(words[0])} ", help_of(*command).partition("Subcommands:")[2], re.M):
        command.append(words.pop(0))
    if len(command) == 1 and words and words[0] not in ("COMMAND", *COMMON):
        return f"fluxhook has no command {words[0]}"
    if words and words[0] == "COMMAND":
        return ""
    text = help_of(*command)
    for flag, value in flags(words):
        row = re.search(rf"^  (?:-\w,)?{re.escape(flag)}(?:,--[\w-]+)?(?: (\S+))?", text, re.M)
        if not row and flag not in COMMON:
            return f"{' '.join(command[1:])} has no flag {flag}"
        if row and row[1] and re.fullmatch(r"[a-z]+(\|[a-z]+)+", row[1]) and value not in row[1].split("|"):
            return f"{flag} takes {row[1]}, not {value}"
    gone = [word for word in words if re.match(r"(examples|charts|templates)/", word) and not (TOP / word).exists()]
    return f"there is no {gone[0]}" if gone else ""


def chart_fault(key):
    """Whether the chart has a value of this name: as values.schema.json, whose open objects take any."""
    schema = json.loads((TOP / "charts/fluxhook/values.schema.json").read_text())
    at = schema
    for part in re.sub(r"\[\d+\]", ".[]", key).split("."):
        while "$ref" in at:
            at = functools.reduce(lambda node, name: node[name], at["$ref"].lstrip("#/").split("/"), schema)
        at = at.get("items", {}) if part == "[]" else at.get("properties", {}).get(
            part, {} if at.get("additionalProperties", True) is not False else None)
        if at is None:
            return f"the chart has no value {key}"
    return ""


def helm_fault(words):
    if words[0].startswith("-"):
        words = words[2:] + words[:2]
    if words[0] not in HELM:
        return f"helm has no command {words[0]} that is used here"
    for flag, value in flags(words):
        if flag not in HELM_FLAGS:
            return f"helm {words[0]} has no flag {flag} that is used here"
        if flag.startswith("--set") and (fault := chart_fault(value.partition("=")[0])):
            return fault
    return "" if all((TOP / word).exists() for word in words if word.startswith("charts/")) else "there is no such chart"


def kubectl_fault(words):
    words = [word for word, before in zip(words, ["", *words]) if before not in ("--namespace", "--context")]
    command = ["kubectl"]
    if words[0] == "fluxhook":
        return ""
    for word in (word for word in words if not word.startswith("-")):
        if len(command) > 1 and not re.search(rf"^  {re.escape(word)} ", help_of(*command), re.M):
            break
        command.append(word)
    text = help_of(*command)
    if " ".join(command) not in text:
        return f"kubectl has no command {words[0]}"
    for flag, _ in flags(words):
        if not re.search(rf"(^|\s){re.escape(flag)}(=|,| )", text + kubectl_options()):
            return f"{' '.join(command)} has no flag {flag}"
    return ""


def script_fault(name, words):
    if not os.access(TOP / name, os.X_OK):
        return f"there is no {name}"
    text = (TOP / name).read_text() + (TOP / "test/e2e/run").read_text()
    gone = [flag for flag, _ in flags(words) if flag.startswith("--") and flag not in text and flag != "--check"]
    return f"{name} has no flag {gone[0]}" if gone else ""


def fault(words):
    name, *rest = words
    return {"fluxhook": fluxhook_fault, "helm": helm_fault, "kubectl": kubectl_fault}.get(
        name, functools.partial(script_fault, name))(list(rest))


class Commands(unittest.TestCase):
    def test_each_command_is_one(self):
        count = 0
        for page, line, words in commands.commands():
            if len(words) > 1 or words[0].startswith("scripts/"):
                count += 1
                with self.subTest(f"{page}:{line}: {' '.join(words)}"):
                    self.assertEqual(fault(words), "")
        self.assertGreater(count, 150, "where are the commands?")

    def test_commands_on_files_of_this_checkout_succeed(self):
        count = 0
        for page, line, (name, *words) in commands.commands():
            paths = [word for word in words[1:] if word.startswith("examples/")]
            if name == "fluxhook" and words[0] in RUN and paths and not {"--write", "--report", "--uid"} & set(words):
                count += 1
                with self.subTest(f"{page}:{line}: fluxhook {' '.join(words)}"):
                    done = subprocess.run([FLUXHOOK, *words], cwd=TOP, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(count, 3, "where are the commands?")

    def test_faults_are_found(self):
        for line, wanted in (("fluxhook valdate x", "no command"), ("fluxhook validate --strikt x", "no flag"),
                             ("fluxhook mutate -o xml x", "takes"), ("fluxhook explain examples/none.yaml", "there is no"),
                             ("fluxhook certs issue --dnss x", "no flag"), ("helm instal x", "no command"),
                             ("helm install x --set image.repo=x", "no value"), ("kubectl aply -f x", "no command"),
                             ("kubectl apply --fillename x", "no flag"), ("scripts/none", "there is no"),
                             ("scripts/e2e --keeep", "no flag")):
            [words] = commands.split(line)
            with self.subTest(line):
                self.assertIn(wanted, fault(words))


class Scripts(unittest.TestCase):
    def test_each_tells_its_use(self):
        scripts = [file for file in sorted((TOP / "scripts").iterdir()) if not file.suffix]
        self.assertGreater(len(scripts), 10)
        for script in scripts:
            with self.subTest(script.name):
                head = [line[2:].rstrip() for line in script.read_text().partition("\n. ")[0].splitlines()[1:]
                        if line[:1] == "#"]
                done = subprocess.run([script, "--help"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr, done.stdout.splitlines()), (0, "", head))


if __name__ == "__main__":
    unittest.main()
