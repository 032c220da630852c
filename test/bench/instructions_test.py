#!/usr/bin/env python3
"""bench/instructions.py tells a regression of more than 10 %, and nothing else, in words that say what to do."""
import json
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import instructions  # noqa: E402


class Instructions(unittest.TestCase):
    def faults(self, kept, counted):
        return list(instructions.faults({"decide/2": kept}, {"decide/2": counted}))

    def test_within_ten_percent_nothing_is_said(self):
        for counted in (100_000, 90_000, 110_000):
            self.assertEqual([], self.faults(100_000, counted))

    def test_a_regression_is_told_with_both_numbers(self):
        [fault] = self.faults(100_000, 115_001)
        self.assertIn("decide/2 takes 115,001 instructions, 15% more than the 100,000 that are kept", fault)

    def test_a_gain_is_to_be_kept(self):
        [fault] = self.faults(100_000, 80_000)
        self.assertIn("20% fewer", fault)
        self.assertIn("--keep", fault)

    def test_a_number_without_its_other_side_is_told(self):
        self.assertIn("there is no number of it", "".join(instructions.faults({}, {"decide/2": 1})))
        self.assertIn("nobody counts it", "".join(instructions.faults({"decide/9": 1}, {})))

    def test_each_benchmark_has_its_number(self):
        self.assertEqual(set(instructions.BENCHMARKS), set(json.loads((BENCH / "instructions.json").read_text())))


if __name__ == "__main__":
    unittest.main()
