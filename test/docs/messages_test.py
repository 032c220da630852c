#!/usr/bin/env python3
"""Every message of the sources and of the pods' scripts stands in docs/messages.md."""
import re
import tempfile
import unittest
from pathlib import Path

import messages
import pages

TEXT = pages.read("messages.md")
FLAGS = " ".join(pages.read("flags.md").split())

# What looks like a message and is none, by why.
NOT_TOLD = {
    "text/plain; charset=utf-8": "a content type", "text/plain; version=0.0.4; charset=utf-8": "a content type",
    "Connection: close": "HTTP", "fluxhook curve v1\0": "what a key is derived from",
    "404 page not found": "an API server's words, looked for", "exceeded quota": "likewise",
    "denied the request": "likewise", "no endpoints available": "likewise", "deadline exceeded": "likewise",
    "connection refused": "likewise", "admission webhook": "likewise", "not found": "likewise",
    "fluxhook ephemeral CA": "a certificate's name",
}


def spans(text):
    """All code spans of the page, and what stands between them in a row, as one text each."""
    found = re.findall(r"``(.+?)``(?!`)|`([^`]+)`", text.replace("\n", " "))
    return [double or single for double, single in found]


def told(pattern, page=" \n ".join(spans(TEXT)).replace("{}", "…"), plain=" ".join(TEXT.replace("`", "").split())):
    return pattern in page or pattern in plain


def is_help(pattern):
    return pattern in FLAGS


def of_scripts():
    """The messages of the pods' scripts, with what is put in as `…`."""
    for name in ("entrypoint.sh", "init.sh"):
        text = (messages.TOP / "templates" / name).read_text().replace("\\\n", "")
        for code, message in re.findall(r'die (\d+) "(.*?)"(?!\w)', text):
            yield code, re.sub(r" +", " ", re.sub(r"\$\(.*?\)|\$\w+|\$\{.*?\}", "…", message)).strip()


class Messages(unittest.TestCase):
    maxDiff = None

    def test_every_message_of_the_sources_is_in_the_page(self):
        found = messages.all_of()
        self.assertGreater(len(found), 500, "where are the messages?")
        missing = [f"{where}: {text!r}" for text, where in found.items()
                   if text not in NOT_TOLD and not told(text) and not is_help(text)]
        self.assertEqual(missing, [], "give each a row in docs/messages.md, with its cause and cure")

    def test_nothing_is_excepted_that_is_not_there(self):
        self.assertEqual(set(NOT_TOLD) - set(messages.all_of()), set())

    def test_every_message_of_the_scripts_is_in_the_page_with_its_code(self):
        rows = [" ".join(row.split()) for row in TEXT.splitlines() if row.startswith("| 10")]
        found = list(of_scripts())
        self.assertEqual({code for code, _ in found}, {str(code) for code in range(100, 109)})
        for code, message in found:
            with self.subTest(message):
                self.assertTrue([row for row in rows if row.startswith(f"| {code} ") and message in row], message)

    def test_every_reason_of_an_event_is_in_the_page(self):
        source = (messages.TOP / "src/companion/fault.cc").read_text()
        reasons = re.findall(r'return "([A-Z]\w+)";', source)
        self.assertGreater(len(reasons), 5)
        events = pages.sections(TEXT, 2)["Events of a JobSet"]
        for page in (events, pages.read("troubleshooting.md")):
            self.assertEqual([reason for reason in reasons if f"`{reason}`" not in page], [])

    def test_messages_that_troubleshooting_quotes_are_the_programs(self):
        sections = pages.sections(pages.read("troubleshooting.md"), 2)
        made = " ".join([*messages.all_of(), *(message for _, message in of_scripts()),
                         (messages.TOP / "templates/entrypoint.sh").read_text()])
        for section, column in (("Pods end at once", 1), ("fluxhook isn't ready", 0)):
            quoted = [span for row in re.findall(r"^\|(?!-)(.*)\|$", sections[section], re.M)[1:]
                      for span in spans(row.split("|")[column])]
            self.assertGreater(len(quoted), 4)
            for span in quoted:
                for part in re.split("…", span.removeprefix("fluxhook: ")):
                    with self.subTest(span):
                        self.assertIn(part.strip(), made)

    def test_every_table_has_a_cause_and_a_cure_in_each_row(self):
        for row in re.findall(r"^\|(?!-)(.*)\|$", TEXT, re.M):
            cells = [cell.strip() for cell in row.split("|")]
            self.assertTrue(all(cells), row)

    def test_a_message_without_a_row_is_found(self):
        with tempfile.TemporaryDirectory(dir=messages.TOP / "src") as folder:
            source = Path(folder) / "new.cc"
            source.write_text('auto f() { return fail("x", "is neither " /* or */ "this nor that: " + g()); }\n'
                              '// fail("no message at all")\nconst char c = \'"\';\n'
                              'h = add_option("--x", y, "a description of it");\n')
            self.assertEqual([text for _, text in messages.of(source)], ["is neither", "this nor that"])
        self.assertFalse(told("is neither this nor that"))


if __name__ == "__main__":
    unittest.main()
