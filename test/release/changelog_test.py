#!/usr/bin/env python3
"""CHANGELOG.md's top entry is of the version in VERSION, or [Unreleased]; below it are its ancestors, each with its day."""
import re
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def faults(text, version):
    entries = re.findall(r"^## (.*)$", text, re.M)
    if not entries:
        return ["it has no entry"]
    released = entries[1:] if entries[0] == "[Unreleased]" else entries
    found = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)", entry) for entry in released]
    listed = [f"{entry} is not [MAJOR.MINOR.PATCH] - YYYY-MM-DD" for entry, match in zip(released, found) if not match]
    numbers = [tuple(map(int, match.groups()[:3])) for match in found if match]
    days = [match[4] for match in found if match]
    if numbers != sorted(set(numbers), reverse=True) or days != sorted(days, reverse=True):
        listed.append("its entries are not newest first")
    own = tuple(map(int, version.split(".")))
    if numbers and (own < numbers[0] if released != entries else own != numbers[0]):
        listed.append(f"its newest entry is {released[0]}, and VERSION is {version}")
    return listed


class Changelog(unittest.TestCase):
    def test_it_agrees_with_VERSION(self):
        self.assertEqual([], faults((TOP / "CHANGELOG.md").read_text(), (TOP / "VERSION").read_text().strip()))

    def test_what_is_right_is_taken(self):
        for text in ("## [Unreleased]\n", "## [1.10.0] - 2026-02-01\n## [1.9.0] - 2026-01-01\n",
                     "## [Unreleased]\n## [1.9.0] - 2026-01-01\n", "## [Unreleased]\n## [1.10.0] - 2026-01-01\n"):
            self.assertEqual([], faults(text, "1.10.0"), text)

    def test_what_is_wrong_is_found(self):
        for text in ("", "## [1.9.0] - 2026-01-01\n", "## [1.10.0]\n", "## 1.10.0 - 2026-01-01\n", "## [1.11.0] - 2026-01-01\n",
                     "## [Unreleased]\n## [1.11.0] - 2026-01-01\n", "## [1.10.0] - 2026-01-01\n## [1.10.0] - 2026-01-01\n",
                     "## [1.10.0] - 2026-01-01\n## [Unreleased]\n", "## [1.10.0] - 2025-01-01\n## [1.9.0] - 2026-01-01\n"):
            self.assertNotEqual([], faults(text, "1.10.0"), text)


if __name__ == "__main__":
    unittest.main()
