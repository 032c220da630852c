#!/usr/bin/env python3
"""Every rule has its row and its section in docs/rules.md, whose examples it, and no other rule, denies or takes."""
import re
import unittest

import pages

TEXT = pages.read("rules.md")
SECTIONS = pages.sections(TEXT, 2)
RULES = pages.facts()["rules"]


def cases(section):
    """(wanted, JobSet, the one it is an update of, asked webhook) of a section's examples."""
    old = None
    for caption, example in pages.examples(section):
        found = re.match(r"(Wrong|Right)(?:, (.*))?:$|(then updated to):$", caption)
        if not found:
            raise ValueError(f"what kind of example is this? {caption!r}")
        jobset = pages.whole(example)
        if found[3]:
            yield wanted, jobset, old, "mutating"
            old = None
            continue
        if old:
            raise ValueError(f"an example that is not updated: {old}")
        wanted, how = found[1], found[2] or ""
        if how == "created as":
            old = pages.injected(jobset)
        elif how.startswith("created while fluxhook was not there"):
            old = jobset
        else:
            yield wanted, jobset, None, "validating" if how == "at the validating webhook" else "mutating"


class Rules(unittest.TestCase):
    def test_each_rule_has_a_row_in_their_order(self):
        rows = list(pages.rows(TEXT.split("\n## ")[0], 3))
        self.assertEqual(rows, [[f"[{rule['id']}](#{rule['id'].lower()}-{rule['name']})", rule["severity"], rule["title"]]
                                for rule in RULES])

    def test_each_rule_has_a_section_in_their_order(self):
        self.assertEqual(list(SECTIONS), [f"{rule['id']} {rule['name']}" for rule in RULES])

    def test_each_section_begins_with_the_severity(self):
        for rule, section in zip(RULES, SECTIONS.values()):
            with self.subTest(rule["id"]):
                self.assertRegex(section.lstrip(), rf"^{rule['severity'].capitalize()}[.,] ")

    def test_the_base_of_the_examples_is_right(self):
        self.assertEqual(pages.judged(pages.base()), set())
        self.assertEqual(pages.validated(pages.injected(pages.base())), set())

    def test_wrong_examples_break_just_their_rule_and_right_ones_none(self):
        for rule, section in zip(RULES, SECTIONS.values()):
            seen = []
            for wanted, jobset, old, webhook in cases(section):
                with self.subTest(rule["id"], example=wanted):
                    found = pages.judged(jobset, old) if webhook == "mutating" else pages.validated(jobset)
                    self.assertEqual(found, {rule["id"]} if wanted == "Wrong" else set())
                seen.append(wanted)
            with self.subTest(rule["id"]):
                self.assertEqual(sorted(seen), ["Right", "Wrong"])

    def test_right_examples_pass_the_validating_webhook_once_they_are_injected(self):
        for rule, section in zip(RULES, SECTIONS.values()):
            for wanted, jobset, old, _ in cases(section):
                if wanted == "Right" and not old:
                    with self.subTest(rule["id"]):
                        self.assertEqual(pages.validated(pages.injected(jobset)), set())


if __name__ == "__main__":
    unittest.main()
