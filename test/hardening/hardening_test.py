#!/usr/bin/env python3
"""The built program is hardened, each of our files was compiled so, and packaging/hardened finds a program that isn't."""
import json
import os
import pathlib
import platform
import shlex
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
X86 = platform.machine() == "x86_64"
# It has all that is looked for: a large frame, an array that is written to, a call of the C library with a known size.
SOURCE = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char text[100000];
  snprintf(text, (size_t)argc * 9, "%s", argv[0]);
  strcpy(text, argv[argc - 1]);
  return puts(text);
}
"""
ALL = ["-O2", "-D_FORTIFY_SOURCE=3", "-fPIE", "-pie", "-Wl,-z,relro,-z,now", "-fstack-protector-strong",
       "-fstack-clash-protection", "-fcf-protection=full" if X86 else "-mbranch-protection=standard"]
# {what is changed: a word of the line that says so}
CHANGES = {"-no-pie -fno-PIE": "PIE", "-Wl,-z,lazy": "BIND_NOW", "-Wl,-z,norelro": "RELRO", "-Wl,-rpath,/tmp": "RPATH",
           "-Wl,-z,execstack": "a stack that can't be run", "-fno-stack-protector": "-fstack-protector-strong",
           "-U_FORTIFY_SOURCE": "_FORTIFY_SOURCE",
           "-static -Wl,--omagic,--defsym=__ehdr_start=0 -no-pie -fno-PIE": "the separation of what is writable"}
if X86:
    CHANGES |= {"-fno-stack-clash-protection": "-fstack-clash-protection", "-fcf-protection=none": "-fcf-protection"}


def hardened(*words):
    done = subprocess.run([TOP / "packaging/hardened", *words], capture_output=True, text=True)
    return done.returncode, done.stderr


class Hardening(unittest.TestCase):
    def test_the_program_is_hardened(self):
        self.assertEqual((0, ""), hardened(*os.environ["RELEASE"].split(), os.environ["FLUXHOOK"]))

    def test_each_of_our_files_is_compiled_so(self):
        commands = json.loads(pathlib.Path(os.environ["BUILD"], "compile_commands.json").read_text())
        ours = [entry for entry in commands if "fluxhook" in entry["command"]]
        self.assertGreater(len(ours), 20)
        for entry in ours:
            words = shlex.split(entry["command"])
            for flag in ("-fstack-protector-strong", "-fstack-clash-protection", ALL[-1]):
                self.assertIn(flag, words, entry["file"])

    def test_what_lacks_it_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "main.c")
            source.write_text(SOURCE)
            program = pathlib.Path(folder, "main")

            def build(*flags):
                subprocess.run(["cc", "-w", *ALL, *flags, source, "-o", program], check=True)
                return hardened("--release", program)

            self.assertEqual((0, ""), build())
            for change, word in CHANGES.items():
                with self.subTest(change):
                    code, told = build(*change.split())
                    self.assertEqual(1, code)
                    self.assertIn(f"it lacks {word}" if "RPATH" not in word else "without RPATH", told)

    def test_a_file_that_is_no_program_is_told(self):
        code, told = hardened(__file__)
        self.assertEqual(1, code)
        self.assertIn("hardened: error: readelf", told)


if __name__ == "__main__":
    unittest.main()
