#!/usr/bin/env python3
"""A source with any value in any place is migrated or refused in words, and what is printed can be read again."""
import copy
import json
import pathlib
import unittest

import yaml

from command import fluxhook

CASES = pathlib.Path(__file__).resolve().parent / "cases"
VALUES = [None, "x", "", 7, -1, True, [], {}, [7], [None], [{}], {"a": 7}, {"a": {"b": []}}, [[{"name": 7}]]]


def places(value, path=()):
    """The paths of all values below one."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield (*path, key)
        yield from places(below, (*path, key))


def mangled(document):
    for path in places(document):
        for value in VALUES:
            changed = copy.deepcopy(document)
            node = changed
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            yield changed


class Mangled(unittest.TestCase):
    def test_any_value_in_any_place(self):
        for case in sorted(CASES.iterdir()):
            for document in yaml.safe_load_all((case / "input.yaml").read_text()):
                stream = "\n".join(json.dumps(one) for one in mangled(document))
                # A TrainJob is a JobSet first, so this goes through all of the code.
                with self.subTest(case.name):
                    done = fluxhook("migrate", "-t", "trainjob", "-o", "json", "-", stdin=stream)
                    self.assertIn(done.returncode, (1, 2), done.stderr[-2000:])
                    self.assertNotIn("fluxhook: error: ", done.stderr.replace("fluxhook: error: nothing to", ""))
                    again = fluxhook("validate", "--allow-empty", "-o", "json", "-", stdin=done.stdout)
                    self.assertEqual(json.loads(again.stdout)["unreadable"], [])


if __name__ == "__main__":
    unittest.main()
