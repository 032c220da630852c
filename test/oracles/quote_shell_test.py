"""Quoted words and split words, read by real shells."""
import random
import unittest

import oracle


class QuoteShell(unittest.TestCase):
    def setUp(self):
        self.probe = oracle.Probe()
        self.addCleanup(self.probe.close)

    def test_a_quoted_word_is_read_back_as_it_was(self):
        values = [value for value in oracle.HOSTILE if b"\0" not in value] + [oracle.ALL_BYTES]
        words = b" ".join(self.probe.ask("shell", value)[0] for value in values)
        for name, shell in oracle.shells().items():
            with self.subTest(name):
                self.assertEqual(oracle.evaluate(shell, words), values)

    def test_a_nul_is_refused(self):
        with self.assertRaises(oracle.Refused):
            self.probe.ask("shell", b"a\0b")

    def test_words_are_split_where_a_shell_splits_them(self):
        chance = random.Random(7)
        pieces = [b"a", b"b", b" ", b"\t", b"'", b"'", b'"', b'"', b"\\", b"\\\\", b"'x y'", b'"x y"', b"\\ ",
                  b"'*'", b"-N1", b"\xc3\xa9"]  # no newline, and nothing that a shell would expand
        split, refused = 0, 0
        for _ in range(600):
            text = b"".join(chance.choice(pieces) for _ in range(chance.randrange(1, 12)))
            try:
                ours = self.probe.ask("words", text)
                split += 1
            except oracle.Refused as fault:
                if "backslash" in str(fault):
                    continue  # POSIX leaves open what eval makes of it
                ours = None
                refused += 1
            script = b"set -f\neval \"set -- $TEXT\"\nfor word; do printf '%s\\0' \"$word\"; done\n"
            for name, shell in oracle.shells().items():
                output = oracle.run_shell(shell, script, text, check=False)
                theirs = None if output is None else oracle.arguments(output)
                self.assertEqual(ours, theirs, (name, text))
        self.assertGreater(split, 100)
        self.assertGreater(refused, 100)


if __name__ == "__main__":
    unittest.main()
