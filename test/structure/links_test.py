#!/usr/bin/env python3
"""Every relative link of the project's pages leads to a file, and to a heading where it names one."""
import re
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
INLINE = re.compile(r"`[^`\n]+`")


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-"))
    return found


def broken(page):
    """The links of a page that lead nowhere."""
    for target in LINK.findall(INLINE.sub("", CODE.sub("", page.read_text()))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name) if name else page
        if not other.exists() or (anchor and anchor not in anchors(other)):
            yield target


def pages():
    for page in sorted(TOP.rglob("*.md")):
        if page.relative_to(TOP).parts[0] != "build":
            yield page


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in pages():
            with self.subTest(str(page.relative_to(TOP))):
                self.assertEqual(list(broken(page)), [])

    def test_a_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "a.md"
            page.write_text("# A *title*\n[ok](a.md#a-title) [ok](#a-title) [web](https://host/x)\n"
                            "[gone](b.md) [gone](#b) `[code](d)`\n```\n[code](c.md)\n```\n")
            self.assertEqual(list(broken(page)), ["b.md", "#b"])


if __name__ == "__main__":
    unittest.main()
