#!/usr/bin/env python3
"""Documents mean the same to fluxhook and to kubectl when they are read, and to kubectl and PyYAML when they are written."""
import itertools
import json
import random
import subprocess
import textwrap
import unittest

import yaml

from command import fluxhook, kubectl
from jobsets import HOSTILE

HEAD = "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\n"

SCALARS = """y Y yes Yes YES n no On off True FALSE yEs yess ~ null Null nULL 0x1F 0o14 0b101 0777 09 0o8 00 -01 +0x1 -0b11
    0x 0_7 1_000 1__0 5_ _5 +1 -0 1e3 1E3 1e+3 1e 1.0 1. .5 -.5 +.5 .1e2 0.1 1e5 1e400 0x1.8p1 1E+21 1e-7 9223372036854775807
    1.0e-444 -2e-324 5e-324 -9223372036854775808 1:30 1:30:45 2001-12-14 2001-12-14T21:59:43Z = . 10.0.0.1 500m "yes" '1' "" '' "a\\tb" "\\x41\\u00e9"
    'it''s' a#b a:b http://x:1 -c --flag @ 5s 4Gi e1 .e1 -.e1 +e 0.0 -0.0 1.5e3 100000000000000000000000.5 0B1 0O7 0X1f""".split()
SCALARS += ["!!str 5", '!!int "5"', "!!float 5", '!!float "1e3"', '!!bool "yes"', '!!null ""', "!!str", "! 5", "!foo bar",
            "!!timestamp 2001-01-01", "a b", "a, b", "a #b", "[a, ]", "{a: 1}", "{? a}", "[a: b]", "[y, 1, ~]", "{yes: 1, 1: 2}",
            "&x a", "|\n  a\n   b\n\n  c\n", ">\n  a\n  b\n\n  c\n", "|-\n  a\n", "|+\n  a\n\n", "|2\n   a\n", '"a\n  b"',
            "a\n  b", "'a\n\n  b'", '"a\\\n  b"', "\n- a\n- b", "\n  b: 1\n  c:\n  - d"]
SCALARS += ["9" * 400, "-" + "9" * 400]  # beyond a double
SCALARS = [scalar for scalar in SCALARS if scalar != "@"]  # refused by both, see below

# Both refuse, or both take.
TEXTS = ["a: b: c", 'a: "x" y', "[a b", "{a: 1 b: 2}", "a:\n  b: 1\n c: 2", "a: 1\n  b: 2", "- a\nb: 1", "a: 1\n- b", "a:\n\tb: 1",
         "a:\tb", "a: [1,2", 'a: "x', "a: {b: 1}}", "a: ]", "a: *x", "a: &x 1\nb: *x", "a: &x [*x]", "? a\n: b", "a: |\n  x\n y: 1",
         "a: @x", "a: `x", "a: %x", "a: - b", "-a", "a:b", "a:", "a: [, a]", "a: {,}", "{a, b: c}", "[a: b]", "a: b\na",
         'a: "b"#c', "a: &x b: 1", "a: !x", 'a: "\\q"', "a: 'b'c", "key: |3-\n    x", "a: |x\n y",
         "a: x\x01", 'a: "\x07"', "a: ,b", "a: -", "a: ?", "a: .inf", "a: !!int x", "<<: {b: 1}", "<<: 5", "a: {<<: {b: 1}, b: 2}",
         "~: 1", "? [a]\n: b", "a: \"\\ud83d\\ude00\"", "a: 1\n...\n", "a: >-\n x\n", "a: 'x\n  y'", "\"a\": 1", "a : 1",
         "a: [\n1\n]", "a: {b: 1,\nc: 2}", "{b: 1}: c"]


def read(text):
    """(whether it is taken, the document)"""
    done = fluxhook("mutate", "-o", "json", "-", stdin=text)
    assert done.returncode in (0, 2), done
    return done.returncode == 0, json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def kubectl_takes(text):
    done = subprocess.run(["kubectl", "label", "--local", "-f", "-", "-o", "json", "a=b"], input=text.encode(), capture_output=True)
    return done.returncode == 0


def canonical(value):
    """Tells true from 1 and 1 from 1.0, which == does not."""
    return json.dumps(value, sort_keys=True)


class Reading(unittest.TestCase):
    def test_scalars(self):
        text = HEAD + "".join(f"v{index}: {scalar}\n" for index, scalar in enumerate(SCALARS))
        ours, theirs = read(text)[1], kubectl(text)
        self.assertEqual(len(ours), len(SCALARS) + 3)
        for index, scalar in enumerate(SCALARS):
            with self.subTest(scalar):
                self.assertEqual(canonical(ours[f"v{index}"]), canonical(theirs[f"v{index}"]))

    def test_keys(self):
        keys = ["yes", "1", "1.5", "1e3", "0x1f", "2001-01-01", '"1e4"', "a b", "-c", "1:30", "&k anchored", "!!str 7"]
        text = HEAD + "v:\n" + "".join(f"  {key}: x\n" for key in keys)
        self.assertEqual(sorted(read(text)[1]["v"]), sorted(kubectl(text)["v"]))

    def test_both_take_or_refuse(self):
        for fragment in TEXTS:
            with self.subTest(fragment):
                text = HEAD + "v:\n" + textwrap.indent(fragment, "  ") + "\n"
                self.assertEqual(read(text)[0], kubectl_takes(text))

    def test_stricter_than_kubectl(self):
        for fragment in ("a: 1\na: 2", "{a: 1, a: 2}", "{a: 1, <<: {a: 2}}", "!!binary aGk=", "a: [b:]", "a: {b:}"):
            text = HEAD + "v:\n" + textwrap.indent(fragment, "  ") + "\n"
            self.assertTrue(kubectl_takes(text), fragment)
            self.assertFalse(read(text)[0], fragment)

    def test_an_anchor_that_is_given_again(self):
        for fragment in ("a: &x 1\nb: &x 2\nc: *x", "a: &x {b: &x 1, c: *x}\nd: *x", "a: &x {b: &x {c: 1}}\nd: *x",
                         "a: &x [&x [1], *x]\nb: *x"):
            text = HEAD + "v:\n" + textwrap.indent(fragment, "  ") + "\n"
            self.assertEqual(read(text)[1], kubectl(text), fragment)

    def test_line_ends(self):
        for end in ("\n", "\r\n", "\r"):
            text = (HEAD + 'v: |\n  a\n  b\nw: "x\n  y"\nz: \'1\n\n  2\'\n').replace("\n", end)
            self.assertEqual(read(text)[1], kubectl(text))
        self.assertEqual(read("\ufeff" + HEAD)[1], kubectl("\ufeff" + HEAD))


class Writing(unittest.TestCase):
    def hold(self, value):
        """Writes a value as YAML and has both readers read it."""
        thing = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "x"}, "v": value}
        done = fluxhook("mutate", "-o", "yaml", "-", stdin=json.dumps(thing))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(yaml.safe_load(done.stdout), thing)
        self.assertEqual(kubectl(done.stdout), thing)
        self.assertEqual(read(done.stdout)[1], thing)

    def test_hostile_texts(self):
        texts = [text for text in HOSTILE if "\0" not in text] + SCALARS + TEXTS + ["a\nb\n", "\n", " a\n b", "a\n\n\n", "\ta\nb", "a\n \nb",
                 "a \nb", "x" * 3000, "k: |\n  x\n", "\n\na", "0o17", "1_0.5", "190:20:30.15", "12e03", "0b1_0", "!!str", "&a", "*a"]
        self.hold({"values": texts, "keys": {text: {"in": [text, [text]]} for text in texts}, "nested": [[[texts]]]})

    def test_all_short_texts(self):
        pieces = ["a", " ", "\n", ":", "#", "-", "'", '"', "\\", "{", "|", "y", "1", ".", "ä"]
        self.hold(["".join(text) for length in (1, 2, 3) for text in itertools.product(pieces, repeat=length)])

    def test_random_texts(self):
        chance = random.Random(1)
        characters = [chr(code) for code in [*range(32, 127), 9, 10, 13, 0x85, 0xa0, 0xe4, 0x2028, 0x2029, 0xfeff, 0xfffd, 0x1f680]]
        self.hold(["".join(chance.choices(characters, k=chance.randint(0, 30))) for _ in range(2000)])

    def test_numbers(self):
        self.hold([0, -1, 2**53 + 1, 2**63 - 1, -2**63, 0.5, 1e30, 1e-7, -1.5e300, True, False, None, [], {}, [[]], {"a": {}}])


if __name__ == "__main__":
    unittest.main()
