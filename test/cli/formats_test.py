#!/usr/bin/env python3
"""validate's reports for other programs: SARIF and JUnit by the rules of their schemas, and excerpts for people."""
import json
import re
import unittest
import urllib.parse
import xml.etree.ElementTree as ET

from command import fluxhook
from validate_test import BAD, GOOD, OTHER, WARNS, Case

# Of the SARIF 2.1.0 schema, of which every object is closed: {object: {property: what it is}}; `!` is required.
TEXT, NUMBER, URI, BOOL = str, int, "uri", bool
LEVEL = {"none", "note", "warning", "error"}
SARIF = {
    "log": {"$schema": TEXT, "!version": {"2.1.0"}, "!runs": ["run"]},
    "run": {"!tool": "tool", "invocations": ["invocation"], "results": ["result"],
            "columnKind": {"utf16CodeUnits", "unicodeCodePoints"}},
    "tool": {"!driver": "toolComponent"},
    "toolComponent": {"!name": TEXT, "version": TEXT, "semanticVersion": TEXT, "informationUri": URI,
                      "rules": ["reportingDescriptor"]},
    "reportingDescriptor": {"!id": TEXT, "name": TEXT, "shortDescription": "multiformatMessageString",
                            "fullDescription": "multiformatMessageString", "help": "multiformatMessageString",
                            "helpUri": URI, "defaultConfiguration": "reportingConfiguration"},
    "multiformatMessageString": {"!text": TEXT, "markdown": TEXT},
    "reportingConfiguration": {"level": LEVEL},
    "invocation": {"!executionSuccessful": BOOL, "toolExecutionNotifications": ["notification"]},
    "notification": {"!message": "message", "level": LEVEL, "locations": ["location"]},
    "message": {"text": TEXT},
    "result": {"ruleId": TEXT, "ruleIndex": NUMBER, "level": LEVEL, "!message": "message", "locations": ["location"]},
    "location": {"physicalLocation": "physicalLocation", "logicalLocations": ["logicalLocation"]},
    "physicalLocation": {"!artifactLocation": "artifactLocation", "region": "region"},
    "artifactLocation": {"uri": URI},
    "region": {"startLine": NUMBER, "startColumn": NUMBER},
    "logicalLocation": {"name": TEXT, "kind": TEXT},
}


def hold(value, kind, path="$"):
    """Raises where a value is not what the schema says."""
    if isinstance(kind, list):
        assert isinstance(value, list), path
        for index, item in enumerate(value):
            hold(item, kind[0], f"{path}[{index}]")
    elif kind == URI:
        assert re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=:@/-]*(%[0-9A-F]{2}[A-Za-z0-9._~!$&'()*+,;=:@/-]*)*", value), (path, value)
    elif isinstance(kind, str):
        schema = {name.lstrip("!"): (name[0] == "!", of) for name, of in SARIF[kind].items()}
        assert value.keys() <= schema.keys(), (path, value.keys() - schema.keys())
        for name, (required, of) in schema.items():
            assert not required or name in value, (path, name)
            if name in value:
                hold(value[name], of, f"{path}.{name}")
    elif isinstance(kind, set):
        assert value in kind, (path, value)
    else:
        assert type(value) is kind and (kind is not int or path.endswith("ruleIndex") or value >= 1), (path, value)


class Sarif(Case):
    def sarif(self, *args, code, **options):
        done = fluxhook("validate", "-o", "sarif", *args, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        log = json.loads(done.stdout)
        hold(log, "log")
        (run,) = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        return run

    def test_results_have_their_place_and_rule(self):
        self.write("sub/a b,ü.yaml", OTHER + "---\n" + BAD)
        run = self.sarif("sub", code=1, cwd=self.folder)
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("FH001", "error"))
        self.assertIn('Invalid value: "0": must be greater than or equal to 1', result["message"]["text"])
        (place,) = result["locations"]
        physical = place["physicalLocation"]
        self.assertEqual(urllib.parse.unquote(physical["artifactLocation"]["uri"]), "sub/a b,ü.yaml")
        self.assertEqual(physical["region"], {"startLine": 10, "startColumn": 43})
        self.assertEqual(place["logicalLocations"][0]["name"], "js")

    def test_paths_are_relative_where_they_can_be(self):
        file = self.write("x/bad.yaml", BAD)
        for path, uri in ((file, "x/bad.yaml"), ("./x/bad.yaml", "x/bad.yaml"), ("x//../x/bad.yaml", "x/bad.yaml")):
            (result,) = self.sarif(path, code=1, cwd=self.folder)["results"]
            self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], uri)
        (result,) = self.sarif(file, code=1, cwd="/")["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], file[1:])
        (result,) = self.sarif(file, code=1, cwd="/usr")["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file://" + file)

    def test_every_rule_is_described(self):
        rules = self.sarif("-", code=0, stdin=GOOD)["tool"]["driver"]["rules"]
        pages = (Case.TOP / "docs/rules.md").read_text()
        self.assertEqual([rule["id"] for rule in rules], re.findall(r"^\| \[(FH\d+)\]", pages, re.M))
        for rule in rules:
            anchor = re.search(r"docs/rules\.md#(\S+)$", rule["help"]["text"])[1]
            self.assertIn(f"(#{anchor})", pages)

    def test_what_can_not_be_judged_is_no_success(self):
        run = self.sarif("-", code=2, stdin=BAD + "---\na: [\n")
        self.assertEqual(len(run["results"]), 1)
        (invocation,) = run["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        (notification,) = invocation["toolExecutionNotifications"]
        self.assertEqual(notification["level"], "error")
        self.assertIn("startLine", notification["locations"][0]["physicalLocation"]["region"])
        self.assertTrue(self.sarif("-", code=1, stdin=BAD)["invocations"][0]["executionSuccessful"])

    def test_hostile_texts(self):
        hostile = GOOD.replace("  labels:", '  annotations: {"flux-framework.org/x\\n\\e[31m": "\\0"}\n  labels:')
        (result,) = self.sarif("-", code=1, stdin=hostile)["results"]
        self.assertNotIn("\x1b", result["message"]["text"])


class Junit(Case):
    def junit(self, *args, code, stdin=""):
        """{test case: [(element, text)]} after the counts were found right."""
        root = ET.fromstring(self.validate("-o", "junit", *args, code=code, stdin=stdin).stdout)
        (suite,) = root
        self.assertEqual((root.tag, suite.tag, suite.get("name")), ("testsuites", "testsuite", "fluxhook"))
        cases = {}
        for case in suite:
            self.assertEqual((case.tag, set(case.keys())), ("testcase", {"classname", "name"}))
            self.assertLessEqual(len([child for child in case if child.tag != "system-out"]), 1)
            self.assertTrue(all(child.tag == "system-out" or child.keys() == ["type", "message"] for child in case))
            cases[case.get("classname"), case.get("name")] = [(child.tag, child.text) for child in case]
        for element in (root, suite):
            for count, tag in (("tests", None), ("failures", "failure"), ("errors", "error")):
                found = [case for case in cases.values() if tag is None or tag in dict(case)]
                self.assertEqual(int(element.get(count)), len(found), count)
        return cases

    def test_a_jobset_is_a_test_case(self):
        text = "---\n".join((GOOD, BAD.replace("name: js", "name: bad"), WARNS.replace("name: js", "name: warns"), OTHER))
        cases = self.junit("-", code=1, stdin=text)
        self.assertEqual(cases["<stdin>", "js"], [])
        ((tag, said),) = cases["<stdin>", "bad"]
        self.assertEqual(tag, "failure")
        self.assertIn("<stdin>:16:43: FH001 metadata.annotations", said)
        self.assertEqual([tag for tag, _ in cases["<stdin>", "warns"]], ["system-out"])
        self.assertEqual(len(cases), 3)
        self.assertEqual([tag for tag, _ in self.junit("-", "--warnings-as-errors", code=1, stdin=WARNS)["<stdin>", "js"]],
                         ["failure"])

    def test_what_can_not_be_read_is_an_error(self):
        file = self.write("broken.yaml", "a: [\n")
        cases = self.junit(file, code=2)
        self.assertEqual([tag for tag, _ in cases[file, "can be judged"]], ["error"])
        self.assertEqual(self.junit("--allow-empty", self.write("empty.yaml", ""), code=0), {})

    def test_hostile_texts(self):
        hostile = GOOD.replace("  labels:", '  annotations: {"flux-framework.org/<&\\"\\n\\e": "]]>"}\n  labels:')
        (((_, said),),) = self.junit("-", code=1, stdin=hostile).values()
        self.assertIn('<&"\\n\\x1b', said)


class Excerpts(Case):
    def shown(self, text):
        lines = self.validate("-", stdin=text, code=1).stdout.splitlines()
        self.assertEqual(len(lines), 3, lines)
        caret = lines[2].index("^")
        return lines[1], lines[1][caret:]

    def test_the_line_and_a_caret(self):
        line, rest = self.shown(BAD)
        self.assertEqual((line, rest), ('  6 |     flux-framework.org/num-proc-per-node: "0"', '"0"'))

    def test_in_anchors_flow_lists_and_items(self):
        anchored = BAD.replace("metadata:", "x: &a\n  flux-framework.org/log-level: loud\nmetadata:").replace(
            '  annotations:\n    flux-framework.org/num-proc-per-node: "0"', "  annotations: *a")
        self.assertEqual(self.shown(anchored)[1], "loud")
        wrong = GOOD.replace("command: [a]", "command: [é, 1]")
        self.assertTrue(self.shown(wrong)[1].startswith("1]}"))
        item = "apiVersion: v1\nkind: List\nitems:\n- " + "\n  ".join(BAD.splitlines()) + "\n"
        self.assertEqual(self.shown(item)[1], '"0"')

    def test_long_lines_are_cut(self):
        wrong = GOOD.replace("command: [a]", "command: [" + "é, " * 5000 + "1, " + "b, " * 5000 + "]")
        line, rest = self.shown(wrong)
        self.assertTrue(rest.startswith("1, b"))
        self.assertLess(len(line), 110)
        self.assertTrue(line.endswith("…"))

    def test_no_text_moves_the_cursor(self):
        text = self.validate("-", code=1, stdin=BAD.replace('"0"', '"0\u202e\t" # \u202e\u200f')).stdout
        self.assertNotIn("\u202e", text)
        self.assertNotIn("\u200f", text)

    def test_what_can_not_be_read(self):
        for text, line in (("a: 1\nb: [c\nd: e: f\n", "d: e: f"), ('{"a": 1, "b" 2}', '{"a": 1, "b" 2}'), ("a: 1\na: 2", "a: 2"),
                           ("a: 1\r\na: 2\r\n", "a: 2")):
            said = self.validate("-", stdin=text, code=2).stderr
            self.assertRegex(said, re.escape(f" | {line}\n") + r" +\| +\^\n")


if __name__ == "__main__":
    unittest.main()
