#!/usr/bin/env python3
"""Large input, globs, and greens that would be false (those of other validators, as their issues tell)."""
import json
import os
import pathlib
import pty
import resource
import subprocess
import sys
import unittest

from command import BINARY, fluxhook, shown_on
from validate_test import BAD, FAULT, GOOD, OTHER, Case


def peak(text, *args):
    """(exit code, stderr, most memory in MiB) of a command that reads `text`."""
    code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(done.returncode)")
    # AddressSanitizer keeps what is freed; other programs don't know the variable
    options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1")))
    done = subprocess.run([sys.executable, "-c", code, BINARY, *args, "-"], input=text.encode(), stderr=subprocess.PIPE,
                          env=os.environ | {"ASAN_OPTIONS": options})
    lines = done.stderr.decode().splitlines()
    return done.returncode, "\n".join(lines[:-1]), int(lines[-1]) / 1024


class Large(Case):
    def test_many_documents_take_the_memory_of_one(self):
        for document in (OTHER + "---\n", json.dumps({"apiVersion": "v1", "kind": "ConfigMap"}) + "\n", GOOD + "---\n"):
            few, many = (peak(document * count, "validate") for count in (100, 100_000 if document != GOOD + "---\n" else 10_000))
            self.assertEqual((few[0], many[0]), (0, 0), many[1])
            self.assertLess(many[2] - few[2], 20 + 1e-6 * len(document) * 100_000 * (document[0] == "{"), document)

    def test_a_document_has_a_bound(self):
        for text in ("[" + "a," * 8_000_000, "a: [" + "1, " * 4_000_000 + "]", '{"a": [' + "1," * 4_000_000 + "1]}"):
            code, said, memory = peak(text, "validate")
            self.assertEqual(code, 2)
            self.assertIn("a document may have 2000000 values", said)
            self.assertLess(memory, 1500)

    def test_progress_is_for_terminals(self):
        slow = "import time, sys; time.sleep(1.5); sys.stdout.write('a: 1\\n---\\nb: 1\\n')"
        for terminal in (True, False):
            ours, theirs = pty.openpty()
            source = subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE)
            stderr = theirs if terminal else subprocess.PIPE
            done = subprocess.run([BINARY, "validate", "-"], stdin=source.stdout, stderr=stderr, stdout=subprocess.DEVNULL)
            source.stdout.close()
            source.wait()
            os.close(theirs)
            shown = shown_on(ours)
            said = shown if terminal else done.stderr.decode()
            self.assertEqual("of 1 files" in said, terminal, said)
            self.assertTrue(said.rstrip().endswith("0 errors, 0 warnings"))


class Globs(Case):
    def test_a_quoted_glob(self):
        self.write("m/a.yaml", BAD)
        self.write("m/b.yaml", GOOD)
        self.write("m/.c.yaml", BAD)
        self.write("m/sub/d.yml", BAD)
        for pattern, files in (("m/*.yaml", ["a"]), ("*/[ab].yaml", ["a"]), ("m/?.yaml", ["a"]), ("m/*", ["a", "sub/d"])):
            done = fluxhook("validate", pattern, cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            wanted = "".join(FAULT.format("m/" + name + (".yml" if "/" in name else ".yaml")) for name in files)
            self.assertEqual(done.stdout, wanted, pattern)
        done = fluxhook("validate", "m/*.json", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("m/*.json: error: no file or folder matches", done.stderr)

    def test_a_file_of_such_a_name_goes_first(self):
        self.write("[a].yaml", BAD)
        self.write("a.yaml", GOOD)
        self.assertEqual(fluxhook("validate", "[a].yaml", cwd=self.folder).stdout, FAULT.format("[a].yaml"))


class FalseGreens(Case):
    """Each of them is an issue of another validator."""

    def test_findings_fail_in_every_format(self):  # istio#35054
        for output in ("text", "json", "sarif", "junit", "github"):
            self.validate("-o", output, "-", stdin=BAD, code=1)

    def test_input_that_does_not_parse(self):  # kube-linter#272
        for output in ("text", "json", "sarif", "junit", "github"):
            self.validate("-o", output, "-", stdin=GOOD + "---\na: b: c\n", code=2)

    def test_no_input_at_all(self):  # kubeconform#27, #230
        for text in ("", "\n\n", "# nothing\n", "---\n---\n", "\ufeff", "null\n"):
            for output in ("text", "json", "sarif", "junit", "github"):
                self.validate("-o", output, "-", stdin=text, code=2)
        os.mkdir(self.folder / "empty")
        self.validate(str(self.folder / "empty"), code=2)

    def test_duplicate_keys_without_strict(self):  # kubeconform#121
        self.assertIn("a second time", self.validate("-", stdin=GOOD + "kind: JobSet\n", code=2).stderr)

    def test_lines_are_those_of_the_file(self):  # kubeconform#207, kube-linter's SARIF
        text = OTHER + "---\n" + OTHER + "---\n" + BAD
        self.assertIn("<stdin>:14:43: ", self.validate("-", stdin=text, code=1).stdout)
        run = json.loads(self.validate("-o", "sarif", "-", stdin=text, code=1).stdout)["runs"][0]
        self.assertEqual(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 14)

    def test_dashes_in_values_are_no_marks(self):  # kube-score#49
        text = BAD.replace("metadata:", "x: |\n  -----BEGIN CERTIFICATE-----\n  ---\nmetadata:")
        self.assertIn("1 JobSet judged", self.validate("-", stdin=text, code=1).stderr)

    def test_encodings(self):  # conftest#406
        self.validate("-", stdin="\ufeff" + BAD.replace("\n", "\r\n"), code=1)
        self.validate(self.write("utf16.yaml", BAD.encode("utf-16")), code=2)

    def test_words_that_are_booleans(self):  # kubernetes#34146
        self.validate("-", stdin=GOOD.replace("command: [a]", "command: [a, on]"), code=1)

    def test_output_onto_the_input(self):  # istio#36470
        file = self.write("x.yaml", GOOD)
        with open(file, "a") as onto:
            done = fluxhook("mutate", file, stdout=onto)
        self.assertEqual(done.returncode, 2)
        self.assertIn("x.yaml: error: is where the output goes", done.stderr)
        self.assertEqual(pathlib.Path(file).read_text(), GOOD)

    def test_large_integers_keep_their_digits(self):
        text = GOOD.replace("metadata:", "x: 123456789012345678901234567890\ny: 9007199254740993\nmetadata:")
        for args in ([], ["-o", "json"]):
            printed = fluxhook("mutate", *args, "-", stdin=text).stdout
            self.assertIn("123456789012345678901234567890", printed)
            self.assertIn("9007199254740993", printed)

    def test_a_second_document_is_not_passed_over(self):
        self.validate("-", stdin=OTHER + "...\n" + BAD, code=2)


if __name__ == "__main__":
    unittest.main()
