#!/usr/bin/env python3
"""Common flags, unknown words, exit codes, configuration files."""
import pathlib
import socket
import subprocess
import tempfile
import unittest

from command import BINARY, fluxhook

TOP = pathlib.Path(__file__).resolve().parents[2]
JOBSET = str(TOP / "examples/lammps.yaml")
COMMANDS = ["serve", "validate", "mutate", "explain", "migrate", "certs", "doctor", "replay", "completion"]


class Frame(unittest.TestCase):
    def fails(self, *args, code=2, says, **options):
        done = fluxhook(*args, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(says, done.stderr)

    def test_version_is_the_one_of_the_file(self):
        version = (TOP / "VERSION").read_text().strip()
        for flags in (["--version"], ["mutate", "--version"]):
            done = fluxhook(*flags)
            self.assertEqual((done.returncode, done.stdout), (0, f"fluxhook {version}\n"), flags)

    def test_help_goes_to_stdout(self):
        done = fluxhook("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for command in COMMANDS:
            self.assertRegex(done.stdout, rf"\n  {command} ")
        for command in COMMANDS:
            for flag in ("--help", "-h"):
                done = fluxhook(command, flag)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.count(f"  fluxhook {command}") + done.stdout.count(f"| fluxhook {command}"),
                                 2, "two examples")

    def test_help_and_version_are_words_too(self):
        for words, flags in {("help",): ("--help",), ("help", "certs", "issue"): ("certs", "issue", "--help"),
                             ("version",): ("--version",)}.items():
            self.assertEqual(fluxhook(*words).stdout, fluxhook(*flags).stdout)
            self.assertEqual(fluxhook(*words).returncode, 0)
        for words in (("help", "nosuch"), ("help", "certs", "nosuch")):
            self.fails(*words, says="unknown command nosuch")

    def test_help_fits_a_screen(self):
        for command in ("validate", "mutate", "explain"):
            lines = fluxhook(command, "--help").stdout.splitlines()
            self.assertLessEqual(len(lines), 40, command)
            self.assertLessEqual(max(map(len, lines)), 100, command)
        for command in ("certs", "doctor", "migrate", "replay", "completion", "serve"):
            self.assertLessEqual(len(fluxhook(command, "--help").stdout.splitlines()), 52, command)

    def test_a_message_is_one_write(self):
        """Those of two commands at once don't mix: over a socket of packets each write is a packet of its own."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs, tempfile.TemporaryDirectory() as folder:
            for i in range(3):
                pathlib.Path(folder, f"{i}.yaml").write_text(pathlib.Path(JOBSET).read_text())
            done = subprocess.run([BINARY, "mutate", "--write", folder, "none"], stderr=theirs, stdout=subprocess.PIPE)
            theirs.close()
            packets = list(iter(lambda: ours.recv(65536), b""))
        self.assertEqual(done.returncode, 2)
        self.assertGreaterEqual(len(packets), 4)
        for packet in packets:
            self.assertEqual((packet.count(b"\n"), packet[-1:]), (1, b"\n"), packet)

    def test_help_says_whose_log_and_when_a_cluster_counts(self):
        text = " ".join(fluxhook("--help").stdout.split())
        self.assertIn("3, of a command that asks a cluster or a server: it could not be reached", text)
        for flag in ("--log-level", "--log-format"):
            self.assertRegex(text, flag + r" [^-]*[sS]erve's log")

    def test_unknown_words_are_errors(self):
        self.fails(says="a command is missing")
        self.fails("mutat", says="unknown command mutat: did you mean mutate?")
        self.fails("convert", says="unknown command convert")
        self.fails("--colour", says="unknown flag --colour")
        for words in (("-o", "json", "validate", JOBSET), ("--output=json", "validate", JOBSET), ("--strict", "validate", JOBSET)):
            flag = words[0].partition("=")[0]
            self.fails(*words, says=f"{flag} is a flag of validate: it comes after the command")
        self.fails("-o", "json", says="-o is a flag of commands: it comes after the command")
        self.fails("validate", "--curve-key", "x", JOBSET, says="not expected")  # mutate's
        for command in COMMANDS:
            self.fails(command, "--colour", says="--colour")

    def test_values_that_flags_do_not_take(self):
        self.fails("validate", "-o", "xml", JOBSET, says="xml")
        self.fails("validate", "--disable", "FH999", JOBSET, says='"FH999" is no rule')
        self.fails("validate", "--label", "a b", JOBSET, says="--label")
        self.fails("validate", "--cluster-domain", "Cluster", JOBSET, says="--cluster-domain")
        self.fails("validate", "--default-queue-policy", "fair", JOBSET, says='"fcfs", "easy", "conservative", "hybrid"')
        self.fails("validate", "--default-view-image", "UPPER", JOBSET, says="--default-view-image")
        self.fails("validate", "--log-level", "loud", JOBSET, says="--log-level")

    def test_common_flags_stand_before_and_behind_the_command(self):
        for args in (["--log-format", "json", "validate", JOBSET], ["validate", "--log-format", "json", JOBSET]):
            self.assertEqual(fluxhook(*args).returncode, 0)

    def test_a_configuration_file_is_named_before_and_behind_the_command(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("label: example.org/flux\nlog-format: json\n")
            file.flush()
            for args in (["--config", file.name, "explain", JOBSET], ["explain", "--config", file.name, JOBSET],
                         [f"--config={file.name}", "explain", JOBSET]):
                self.assertIn("it has no label example.org/flux", fluxhook(*args).stdout, args)
        self.fails("validate", "--config", "", JOBSET, says="must name a file")

    def test_a_flag_with_an_empty_value_takes_no_other_word(self):
        self.fails("validate", "--label=", JOBSET, says='--label: Invalid value: ""')
        self.fails("validate", "--log-level=", JOBSET, says="--log-level")
        self.fails("--log-level=", "validate", JOBSET, says="--log-level")
        self.fails("mutate", "--uid=", JOBSET, says='--uid: ""')
        for args in (["--default-topology="], ["--default-topology", ""], ["--default-shm-size="]):
            done = fluxhook("explain", *args, JOBSET)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "topology +not set")
        self.fails("validate", "--", "--label=", says="--label=: error: no such file")
        for flag in ("--strict", "--allow-empty"):
            self.fails("validate", flag + "=", JOBSET, says=f"{flag}=: {flag} takes no value")
        self.fails("mutate", "--write=", JOBSET, says="--write takes no value")
        self.fails("serve", "--tls-ephemeral=", says="--tls-ephemeral takes no value")

    def test_output_that_can_not_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = fluxhook("mutate", JOBSET, stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("can't write to stdout", done.stderr)

    def test_no_input_is_no_answer(self):
        for command in ("validate", "mutate", "explain"):
            self.fails(command, says="no input")


class Configuration(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_with(self, text, *args, command="explain"):
        file = self.folder / "config.yaml"
        file.write_text(text)
        return file, fluxhook(command, "--config", str(file), *args, JOBSET)

    def test_keys_are_the_long_flags(self):
        _, done = self.run_with("default-queue-policy: easy\ndefault-log-level: 6\ndefault-affinity: false\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("queue-policy      easy  (server)", "log-level         6  (server)", "affinity          false  (server)"):
            self.assertIn(line, done.stdout)

    def test_the_command_line_goes_before_the_file(self):
        _, done = self.run_with("default-queue-policy: easy\n", "--default-queue-policy", "hybrid")
        self.assertIn("queue-policy      hybrid", done.stdout)

    def test_a_servers_file_serves_the_other_commands(self):
        _, done = self.run_with("listen: :443\ntls-cert: /certs/tls.crt\nlabel: example.org/flux\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it has no label example.org/flux", done.stdout)

    def test_other_commands_values_are_checked(self):
        for text, where, says in (("threads: many\n", ":1:10", "many"), ("listen: nine\n", ":1:9", "HOST:PORT"),
                                  ("tls-ephemeral: maybe\n", ":1:16", 'tls-ephemeral: "maybe": must be true or false'),
                                  ("tls-ephemeral: 2\n", ":1:16", "must be true or false"),
                                  ("tls-ephemeral: [true, false]\n", ":1:16", "takes one value"),
                                  ("drain-timeout: 10\n", ":1:16", "must be a duration"),
                                  ("metrics-listen: no\n", ":1:17", '"no"'), ("strict: 1.5\n", ":1:9", "must be true or false")):
            file, done = self.run_with(text)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(f"{file}{where}", done.stderr)
            self.assertIn(says, done.stderr)

    def test_words_that_yaml_takes_for_booleans_are_what_they_are_written_as(self):
        for text in ("metrics-listen: off\n", "controller: on\n", "# é\n---\n# c\ncontroller: on # é\nmetrics-listen: off\n",
                     "{é: 1}".replace("é: 1", "controller: off, metrics-listen: off"), "tls-ephemeral: yes\n",
                     "{client-name: é, metrics-listen: off}\n", "tls-ephemeral: True\n", "tls-ephemeral: Off\n",
                     '{"tls-ephemeral": true, "threads": 2}\n',
                     'tls-ephemeral: "yes"\n', "tls-ephemeral: on\n", "default-affinity: off\n", "max-connections: 1e3\n"):
            _, done = self.run_with(text)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "affinity" in text:
                self.assertIn("affinity          false  (server)", done.stdout)
        _, done = self.run_with("default-network-device: on\n")
        self.assertIn("network-device    on  (server)", done.stdout)

    def test_faults_name_the_line(self):
        for text, where, says in (("label: a/b\n\nlabell: a\n", ":3:1", '"labell" is no flag'),
                                  ("default-queue-policy: fair\n", ":1:23", "fair"),
                                  ("default-queue-policy: [easy, fcfs]\n", ":1:23", "takes one value"),
                                  ("output: {a: b}\n", ":1:9", "must be a value"),
                                  ("- label\n", ":1:1", "must be one object"),
                                  ("label: a\nlabel: b\n", ":2:1", "a second time"),
                                  ("label: 'a\n", ":", "found unexpected end of stream")):
            file, done = self.run_with(text)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(f"{file}{where}", done.stderr)
            self.assertIn(says, done.stderr)

    def test_a_file_that_is_not_there(self):
        done = fluxhook("validate", "--config", "/nonexistent/x.yaml", JOBSET)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent/x.yaml", done.stderr)


if __name__ == "__main__":
    unittest.main()
