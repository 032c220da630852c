"""What the runners of cases share: an expectation that isn't met is a Fault, which shows the difference."""
import difflib
import json


class Fault(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Fault(what)


def equal(got, wanted, what):
    if got != wanted:
        lines = difflib.unified_diff(shown(wanted).splitlines(), shown(got).splitlines(), "wanted", "got", lineterm="")
        raise Fault(what + ":\n" + "\n".join(lines))


def shown(value):
    return value if isinstance(value, str) else json.dumps(value, indent=1, sort_keys=True)
