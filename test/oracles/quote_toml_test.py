"""Quoted strings, read by Python's tomllib."""
import tomllib
import unittest

import oracle


class QuoteToml(unittest.TestCase):
    def setUp(self):
        self.probe = oracle.Probe()
        self.addCleanup(self.probe.close)

    def test_a_quoted_string_is_read_back_as_it_was_or_refused(self):
        every = [chr(code).encode() for code in range(1, 0x400)] + ["\u2028\uffff\U0010ffff".encode()]
        for value in oracle.HOSTILE + every:
            with self.subTest(value=value[:80]):
                try:
                    text = value.decode()
                    plain = "\0" not in text
                except UnicodeDecodeError:
                    plain = False
                if plain:
                    quoted = self.probe.ask("toml", value)[0].decode()
                    read = tomllib.loads("before = 1\nvalue = [" + quoted + "]\nafter = 2\n")
                    self.assertEqual(read, {"before": 1, "value": [text], "after": 2})
                else:
                    with self.assertRaises(oracle.Refused):
                        self.probe.ask("toml", value)


if __name__ == "__main__":
    unittest.main()
