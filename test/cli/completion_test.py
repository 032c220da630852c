#!/usr/bin/env python3
"""Completion in real shells, at a terminal: what is typed, a tab, and what the shell then runs."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import unittest

from command import BINARY, fluxhook


def candidates(*words):
    """(words, N) of `fluxhook __complete`."""
    *lines, kind = fluxhook("__complete", *words).stdout.splitlines()
    return [line.split("\t")[0] for line in lines], int(kind.lstrip(":"))


def help_flags(*command):
    return sorted(set(re.findall(r"--[a-z][a-z-]*(?=[ ,\n])", fluxhook(*command, "--help").stdout.split("\nExample")[0])))


class Candidates(unittest.TestCase):
    def test_commands_are_those_of_the_help(self):
        words = re.findall(r"^  ([a-z]+)  ", fluxhook("--help").stdout, re.M)
        self.assertGreater(len(words), 6)
        self.assertEqual(candidates(""), (words, 4))
        self.assertEqual(candidates("val"), (["validate"], 4))
        self.assertEqual(candidates("certs", ""), (["issue", "secret", "ca-bundle"], 4))

    def test_flags_are_those_of_the_help(self):
        for command in ("serve", "validate", "mutate", "explain", "doctor", "replay"):
            found, kind = candidates(command, "--")
            self.assertEqual(kind, 4)
            for flag in help_flags(command):
                self.assertIn(flag, found, command)

    def test_values_of_a_flag(self):
        self.assertEqual(candidates("mutate", "-o", ""), (["yaml", "json", "patch", "diff"], 4))
        self.assertEqual(candidates("mutate", "--output=", ), (["--output=yaml", "--output=json", "--output=patch", "--output=diff"], 4))
        self.assertEqual(candidates("--log-format", "j"), (["json"], 4))
        self.assertEqual(candidates("completion", ""), (["bash", "zsh", "fish"], 4))
        self.assertIn("easy", candidates("validate", "--default-queue-policy", "")[0])

    def test_rules_also_behind_a_comma(self):
        self.assertEqual(candidates("validate", "--disable", "FH00")[0], [f"FH00{i}" for i in range(1, 10)])
        self.assertEqual(candidates("validate", "--disable", "FH001,FH109")[0], ["FH001,FH109"])

    def test_files_and_folders(self):
        self.assertEqual(candidates("validate", ""), (["yaml", "yml", "json"], 8))
        self.assertEqual(candidates("mutate", "--old", ""), ([], 0))
        self.assertEqual(candidates("replay", "--expect", ""), ([], 16))
        self.assertEqual(candidates("validate", "--", "-"), (["yaml", "yml", "json"], 8))
        self.assertEqual(candidates("validate", "--label", ""), ([], 4))


class Shells(unittest.TestCase):
    """Each line ends in a tab; what is run has to be the words."""

    LINES = {
        "fluxhook vali\t x": ["validate", "x"],
        "fluxhook validate -o gi\t x": ["validate", "-o", "github", "x"],
        "fluxhook mutate --output=pa\t x": ["mutate", "--output=patch", "x"],
        "fluxhook validate --warn\t x": ["validate", "--warnings-as-errors", "x"],
        "fluxhook validate man\tone\t": ["validate", "manifests/one.yaml"],
        "fluxhook certs iss\t --out em\t": ["certs", "issue", "--out", "empty/"],
        "fluxhook mutate --old no\t": ["mutate", "--old", "notes.txt"],
    }

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("manifests", "empty", "bin"):
            (self.folder / name).mkdir()
        for name in ("manifests/one.yaml", "manifests/one.md", "notes.txt"):
            (self.folder / name).touch()
        program = self.folder / "bin/fluxhook"
        program.write_text(f"#!/bin/sh\n[ \"$1\" != __complete ] || exec {BINARY} \"$@\"\n"
                           "printf '%s\\n' \"$@\" end >said.new\nmv said.new said\n")
        program.chmod(0o755)
        self.env = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder),
                    "TERM": "dumb", "INPUTRC": "/dev/null", "ZDOTDIR": str(self.folder)}
        self.env.pop("FPATH", None)

    def type(self, shell, start, lines):
        """What fluxhook was called with, a list of words a line, by a shell at a terminal."""
        main, terminal = pty.openpty()
        process = subprocess.Popen(shell, stdin=terminal, stdout=terminal, stderr=terminal, cwd=self.folder, env=self.env,
                                   start_new_session=True)
        os.close(terminal)
        shown = b""
        said = self.folder / "said"

        def wait(done):
            nonlocal shown
            while not done():
                if process.poll() is not None:
                    self.fail(f"{shell} ended: {shown.decode(errors='replace')}")
                if select.select([main], [], [], 0.02)[0]:
                    shown += os.read(main, 65536)

        try:
            os.write(main, start.encode() + b"\necho re''ady\n")
            wait(lambda: b"ready" in shown)
            found = []
            for line in lines:
                os.write(main, line.encode() + b"\n")
                wait(said.exists)
                found.append(said.read_text().split("\n")[:-2])
                said.unlink()
            return found
        finally:
            process.kill()
            process.wait()
            os.close(main)

    def check(self, shell, start):
        self.assertEqual(dict(zip(self.LINES, self.type(shell, start, self.LINES))), self.LINES)

    def script(self, shell, name):
        path = self.folder / name
        path.write_text(fluxhook("completion", shell).stdout)
        return path

    def test_bash_completes(self):
        self.check(["bash", "--norc", "--noprofile", "-i"], f"PS1=; source {self.script('bash', 'completion.bash')}")

    def test_zsh_completes_from_a_script_that_is_sourced(self):
        script = self.script("zsh", "completion.zsh")
        self.check(["zsh", "-f", "-i"], f"PS1=; setopt no_auto_remove_slash; autoload -U compinit; compinit -u; source {script}")

    def test_zsh_completes_from_its_folder_of_functions(self):
        (self.folder / "functions").mkdir()
        self.script("zsh", "functions/_fluxhook")
        self.check(["zsh", "-f", "-i"], f"PS1=; setopt no_auto_remove_slash; fpath=({self.folder}/functions $fpath); autoload -U compinit; compinit -u")

    def test_fish_completes(self):
        script = self.script("fish", "completion.fish")
        for line, words in self.LINES.items():
            typed, _, rest = line.partition("\t")
            if rest.strip("x\t "):
                continue  # two tabs: fish is asked one by one
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"], cwd=self.folder,
                                  env=self.env, capture_output=True, text=True, check=True)
            found = [row.split("\t")[0] for row in done.stdout.splitlines()]
            self.assertEqual(found, [words[len(typed.split()) - 2]], line)
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'fluxhook validate manifests/'"],
                              cwd=self.folder, env=self.env, capture_output=True, text=True, check=True)
        self.assertEqual([row.split("\t")[0] for row in done.stdout.splitlines()], ["manifests/one.yaml"])

    def test_kubectl_completes_its_plugin(self):
        for name in ("kubectl-fluxhook", "kubectl_complete-fluxhook"):
            shutil.copy(pathlib.Path(__file__).parents[2] / "packaging" / name, self.folder / "bin")
        (self.folder / "bin/fluxhook").unlink()
        (self.folder / "bin/fluxhook").symlink_to(BINARY)
        done = subprocess.run(["kubectl", "__complete", "fluxhook", "validate", "-o", "gi"], env=self.env,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines()[0].split("\t")[0], "github")
        done = subprocess.run(["kubectl", "fluxhook", "--version"], env=self.env, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, fluxhook("--version").stdout)


if __name__ == "__main__":
    unittest.main()
