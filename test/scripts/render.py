"""Renders templates/ as templates/README.md says, for tests that run without fluxhook's own rendering."""
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TEMPLATES = os.path.join(ROOT, "templates")
KINDS = {"word", "words", "number", "enum", "string", "array"}


def shell(value):
    return "'" + str(value).replace("'", "'\\''") + "'"


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join("{ host = %s }" % toml(host) for host in value) + "]"
    return json.dumps(value, ensure_ascii=False)  # a basic string, for what is printable


QUOTE = {
    "word": shell,
    "words": lambda values: " ".join(map(shell, values)),
    "number": lambda value: str(int(value)),
    "enum": str,
    "array": toml,
}


def table():
    """{(file, placeholder): kind} of the table in README.md; a file of "*.sh" kinds has string values in TOML, ZPL."""
    rows = {}
    with open(os.path.join(TEMPLATES, "README.md"), encoding="utf-8") as page:
        for line in page:
            row = re.match(r"\| `@([A-Z_]+)@` \| ([a-z.]+) \| ([a-z]+) \|", line)
            if row:
                rows[row[2], row[1]] = row[3]
    return rows


def render(name, values):
    """The text of templates/NAME with VALUES in its placeholders."""
    kinds = table()
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as template:
        text = template.read()

    def value(match):
        kind = kinds[name, match[1]]
        if kind == "string":
            return toml(values[match[1]]) if name.endswith(".toml") else '"%s"' % values[match[1]]
        return QUOTE[kind](values[match[1]])

    return re.sub(r"@([A-Z_]+)@", value, text)


def placeholders(name):
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as template:
        return set(re.findall(r"@([A-Z_]+)@", template.read()))
