"""Names, annotations and variables that would like to break out of the pods' files: each file is read by its own
language and must say exactly the value, or the value is refused."""
import json
import os
import re
import tomllib
import unittest

import oracle

PLACEHOLDER = re.compile(rb"@([A-Z_]+)@")

# The fields that a user can set, and where they stand in the files.
FIELDS = ["jobset", "namespace", "subdomain", "domain", "job", "env", "device", "policy", "pmi", "run", "timeout",
          "topology", "curve", "key"]


def template(name):
    with open(os.path.join(os.environ["TEMPLATES"], name), "rb") as file:
        return file.read()


def values(name, text):
    """{placeholder: what stands for it in the rendered TEXT of templates/NAME}; TEXT is else the template's."""
    parts = PLACEHOLDER.split(template(name))
    pattern = b"(.*?)".join(re.escape(part) for part in parts[::2])
    match = re.fullmatch(pattern, text, re.DOTALL)
    assert match, name + " is not the template with values in it"
    return list(zip(parts[1::2], match.groups()))


class Hostile(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.probe = oracle.Probe()
        self.addCleanup(self.probe.close)

    def files(self, **fields):
        words = [word for name, value in fields.items() for word in (name.encode(), value)]
        texts = self.probe.ask("files", *words)
        return dict(zip([name.decode() for name in texts[::2]], texts[1::2]))

    def words(self, expected):
        """What the placeholders of the scripts must mean."""
        jobset = expected.get("jobset", b"js")
        name = jobset + b"-" + expected.get("job", b"node")
        return {
            b"LEAD": [name + b"-0-0"],
            b"GROUPS": [name + b" 1 1"],
            b"NODES": [b"1"],
            b"CORES": [b"1"],
            b"GPU_AFFINITY": [b"off"],
            b"INTERACTIVE": [b"false"],
            b"VIEW": [b"true"],
            b"PMI": [expected.get("pmi", b"auto")],
            b"POD_ENV": [expected.get("env", b"POD_IP")],
            b"GRACE": [b"22"],
            b"CONNECT_TIMEOUT": [expected.get("timeout", b"5s")],
            b"LOG_LEVEL": [b"4"],
            b"JOBSET": [jobset],
            b"CURVE_SECRET": [expected.get("curve") or jobset + b"-flux-curve"],
            b"PUBLIC_KEY": [expected.get("key", b"")],
            b"RUN": [b"-N1", b"-n1"] + self.probe.ask("words", expected.get("run", b"")),
        }

    def check_scripts(self, files, fields):
        found, wanted = [], self.words(fields)
        for name in ["entrypoint.sh", "job.sh"]:
            oracle.run_shell(oracle.shells()["dash"] + ["-n"], files[name])
            found += values(name, files[name])
        # An argument in between tells the values apart.
        line = b" ".join(word + b" --" for _, word in found)
        for name, shell in oracle.shells().items():
            with self.subTest(shell=name):
                meant = oracle.evaluate(shell, line)
                self.assertEqual(meant, [part for key, _ in found for part in wanted[key] + [b"--"]])

    def check_broker(self, text, fields):
        read = tomllib.loads(text.decode())
        get = {key: value.decode() for key, value in fields.items()}
        host = get.get("jobset", "js") + "-" + get.get("job", "node") + "-0-0"
        service = ".".join([get.get("subdomain", "js"), get.get("namespace", "ns"), "svc",
                            get.get("domain", "cluster.local")])
        wanted = tomllib.loads(PLACEHOLDER.sub(b"0", template("broker.toml")).decode())
        wanted["bootstrap"] |= {
            "default_bind": "tcp://" + get.get("device", "eth0").replace("%", "%%") + ":%p",
            "default_connect": "tcp://%h." + service + ":%p",
            "hosts": [{"host": host}],
        }
        wanted["tbon"]["topo"] = get.get("topology") or "kary:0"
        wanted["sched-fluxion-qmanager"]["queue-policy"] = get.get("policy", "fcfs")
        wanted["exec"]["kill-timeout"] = "15s"
        self.assertEqual(read, wanted)

    def check_files(self, files, fields):
        self.assertEqual(sorted(files), ["R", "broker.toml", "entrypoint.sh", "init.sh", "job.sh"])
        self.assertEqual(files["init.sh"], template("init.sh"))
        self.check_scripts(files, fields)
        self.check_broker(files["broker.toml"], fields)
        host = (fields.get("jobset", b"js") + b"-" + fields.get("job", b"node") + b"-0-0").decode()
        self.assertEqual(json.loads(files["R"])["execution"]["nodelist"], [host])

    def test_plain_values_are_in_the_files(self):
        self.check_files(self.files(), {})

    def test_a_hostile_value_is_read_back_as_it_was_or_refused(self):
        read = {field: [] for field in FIELDS}
        for field in FIELDS:
            for value in oracle.HOSTILE:
                with self.subTest(field=field, value=value[:80]):
                    try:
                        files = self.files(**{field: value})
                    except oracle.Refused as refusal:
                        self.assertTrue(str(refusal).isprintable(), "a message of one line")
                        continue
                    read[field].append(value)
                    self.check_files(files, {field: value})
        # What only has a meaning to Flux is handed on; what brokers find each other by must be a name.
        for field in ["device", "policy", "pmi", "timeout", "topology", "curve"]:
            self.assertGreater(len(read[field]), 60, field)
        for field in ["jobset", "job", "namespace", "subdomain", "domain"]:
            for value in read[field]:
                self.assertRegex(value, rb"^[-a-z0-9]*\Z", field)

    def test_what_a_file_cannot_hold_is_refused(self):
        for field in FIELDS:
            for value in [b"a\0b", b"\xff", b"\xed\xa0\x80"]:
                with self.subTest(field=field, value=value), self.assertRaises(oracle.Refused):
                    self.files(**{field: value})


if __name__ == "__main__":
    unittest.main()
