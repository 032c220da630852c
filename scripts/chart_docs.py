#!/usr/bin/env python3
"""Writes the tables of values into charts/fluxhook/README.md, from the comments of values.yaml.

chart_docs.py           writes them
chart_docs.py --check   exits with 1 if they are not up to date
"""
import json
import re
import sys
from pathlib import Path

import yaml

CHART = Path(__file__).parents[1] / "charts/fluxhook"
BEGIN = "<!-- values: written by scripts/chart_docs.py from the comments of values.yaml -->"
END = "<!-- end of values -->"
KEY = re.compile(r"( *)([A-Za-z][\w-]*):(?: |$)")


def value_at(values, path):
    for name in path:
        values = values[name]
    return values


def rows(text):
    """(section, path, default, about) of each value: a key with a comment, or without keys below it."""
    values, section, about, path = yaml.safe_load(text), "", "", []
    described = None  # depth of a key whose comment speaks for all that is below it
    for line in text.splitlines():
        comment = line.strip().removeprefix("#").strip() if line.lstrip().startswith("#") else None
        if comment is not None:
            if comment.startswith("== "):
                section, about = comment[3:], ""
            elif comment.startswith("-- "):
                about = comment[3:]
            elif about:
                about += " " + comment
            continue
        found = KEY.match(line)
        if not found:
            about = ""
            continue
        depth = len(found[1]) // 2
        path = path[:depth] + [found[2]]
        if described is not None and depth > described:
            continue
        value, described = value_at(values, path), None
        if about or not (isinstance(value, dict) and value):
            yield section, ".".join(path), value, about
            described = depth
        about = ""


def tables(text):
    lines, last = [], None
    for section, path, value, about in rows(text):
        if section != last:
            lines += ["", f"### {section}", "", "| value | default | what it is |", "|---|---|---|"]
            last = section
        default = json.dumps(value, ensure_ascii=False)
        lines.append(f"| `{path}` | `{default}` | {about} |".replace("|  |", "| |"))
    return "\n".join(lines[1:])


def with_tables(readme, text):
    head, rest = readme.split(BEGIN)
    return f"{head}{BEGIN}\n\n{tables(text)}\n\n{END}{rest.split(END)[1]}"


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit("chart_docs.py: error: it takes nothing, or --check")
    page = CHART / "README.md"
    new = with_tables(page.read_text(), (CHART / "values.yaml").read_text())
    if arguments:
        if new != page.read_text():
            sys.exit(f"chart_docs.py: error: {page.name} of the chart is out of date: call scripts/chart_docs.py")
    else:
        page.write_text(new)


if __name__ == "__main__":
    main(sys.argv[1:])
