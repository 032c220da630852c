#!/usr/bin/env python3
"""Writes docs/flags.md from what `fluxhook COMMAND --help` prints: scripts/flags_docs.py FLUXHOOK [--print]."""
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/flags.md"
HEAD = """# Commands and flags

Written by `scripts/flags_docs.py` from `fluxhook COMMAND --help`; don't edit it. What the commands do is in
[command-line.md](command-line.md), [server.md](server.md), [certificates.md](certificates.md) and [migrate.md](migrate.md).
"""


def help_of(program, *command):
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def subcommands(text):
    """The names in the list of subcommands."""
    found = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", found[1], re.M) if found else []


def sections(program, *command):
    text = help_of(program, *command)
    title = " ".join(["fluxhook", *command])
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    short = re.sub(r"\n{3,}", "\n\n", lines)
    yield f"## {title}\n\n```text\n{short}\n```\n"
    for name in subcommands(text):
        yield from sections(program, *command, name)


def page(program):
    return HEAD + "\n" + "\n".join(sections(program))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: scripts/flags_docs.py FLUXHOOK [--print]")
    if "--print" in sys.argv:
        print(page(sys.argv[1]), end="")
    else:
        PAGE.write_text(page(sys.argv[1]))
