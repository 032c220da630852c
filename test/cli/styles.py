"""A value as YAML in a style made by chance: indents, flow and block, quotes, comments, blank lines, anchors."""
import json
import re

import yaml


class Stylist:
    def __init__(self, random):
        self.random = random
        self.step = random.choice([2, 2, 4])
        self.list_step = random.choice([0, 0, 2])
        self.comments = random.choice([0, 0.2, 0.6])
        self.blanks = random.choice([0, 0.1])
        self.flow = random.choice([0, 0.15, 0.5])
        self.json = random.random() < 0.3
        self.count = 0

    def some(self, chance):
        return self.random.random() < chance

    def document(self, value):
        head = self.random.choice(["", "---\n", "# c0\n---\n", "--- # c0\n", "# c0\n\n"])
        body = "".join(self.object(value, 0))
        if self.some(0.15) and not body.rstrip().endswith("|"):
            body = body.rstrip("\n") if not re.search(r"[|>][-+0-9]*[^\n]*\n[^\n]*\n*\Z", body) else body
        return head + body

    def comment(self):
        if not self.some(self.comments):
            return ""
        self.count += 1
        return f"  # c{self.count}"

    def lines_above(self, indent):
        if self.some(self.blanks):
            yield "\n"
        if self.some(self.comments / 2):
            self.count += 1
            yield " " * indent + f"# c{self.count}: x\n"

    def object(self, value, indent, started=False):
        for key, member in value.items():
            if not started:
                yield from self.lines_above(indent)
                yield " " * indent
            started = False
            yield self.scalar(key) + ":"
            yield from self.value(member, indent, False)

    def list(self, value, indent, started=False):
        for item in value:
            if not started:
                yield from self.lines_above(indent)
                yield " " * indent
            started = False
            yield "-"
            yield from self.value(item, indent, True)

    def value(self, value, indent, in_list):
        inner = indent + (2 if in_list else self.step)
        if not isinstance(value, (dict, list)) or not value or self.some(self.flow):
            yield " " + (self.block(value, indent) or self.in_flow(value) + self.comment() + "\n")
        elif in_list and self.some(0.8):
            yield " "
            yield from (self.object if isinstance(value, dict) else self.list)(value, inner, True)
        else:
            yield self.comment() + "\n"
            if isinstance(value, list) and not in_list:
                inner = indent + self.list_step
            yield from (self.object if isinstance(value, dict) else self.list)(value, inner)

    def in_flow(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.scalar(key)}: {self.in_flow(member)}" for key, member in value.items()) + self.comma(value) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.in_flow, value)) + self.comma(value) + "]"
        return self.scalar(value)

    def comma(self, value):
        return "," if value and self.some(0.1) else ""

    def block(self, value, indent):
        """A string of several lines as a block scalar; "" where it can't be one."""
        if not isinstance(value, str) or "\n" not in value.rstrip("\n") or not self.some(0.7):
            return ""
        if not re.fullmatch(r"[!-~][ -~\n]*[!-~]\n?", value):
            return ""
        chomp = "" if value.endswith("\n") else "-"
        lines = value.removesuffix("\n").split("\n")
        return f"|{chomp}{self.comment()}\n" + "".join(" " * (indent + 3) * bool(line) + line + "\n" for line in lines)

    def scalar(self, value):
        if not isinstance(value, str):
            return json.dumps(value)
        plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9./_-]*", value) and isinstance(yaml.safe_load(value), str) and value not in ("y", "n", "Y", "N")
        if plain and not self.json and self.some(0.8):
            return value
        if re.fullmatch(r"[ -~]*", value) and self.some(0.3):
            return "'" + value.replace("'", "''") + "'"
        return '"' + "".join(map(self.escaped, value)) + '"'

    def escaped(self, character):
        code = ord(character)
        if character in '"\\':
            return "\\" + character
        if code < 0x20 or 0x7f <= code < 0xa0:
            return f"\\x{code:02x}"
        if code in (0x2028, 0x2029, 0xfeff):
            return f"\\u{code:04x}"
        return character
