#!/usr/bin/env python3
"""packaging/sbom takes no bill that lacks what fluxhook is linked with, or that spdx-tools refuses.

debsbom and spdx-tools themselves are stand-ins here, which do as they are told: scripts/release runs the real ones.
"""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
STATUS = """Package: libc6
Version: 2.41-12

Package: fluxhook
Version: 1.2.3
Depends: libc6 (= 2.41-12), libyaml-0-2 (= 0.2.5-2)
Static-Built-Using: rapidjson (= 1.1.0)
"""
PARTS = {"libc6": "2.41-12", "libyaml-0-2": "0.2.5-2", "rapidjson": "1.1.0", "fluxhook": "1.2.3"}
DEBSBOM = '#!/bin/sh\nfor word in "$@"; do [ "$last" != --out ] || cp "$BILL" "$word"; last=$word; done\n'
VALIDATOR = '#!/bin/sh\necho "the validator speaks"\nexit "$JUDGED"\n'


class Bill(unittest.TestCase):
    def bill(self, parts, status=STATUS, judged=0):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for tool, text in (("debsbom", DEBSBOM), ("pyspdxtools", VALIDATOR)):
                (folder / tool).write_text(text)
                (folder / tool).chmod(0o755)
            (folder / "status").write_text(status)
            (folder / "bill").write_text(json.dumps(
                {"packages": [{"name": part, "versionInfo": version} for part, version in parts.items()]}))
            done = subprocess.run(
                [TOP / "packaging/sbom", "fluxhook-x", folder / "status", folder / "x.spdx.json"], capture_output=True, text=True,
                env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "1",
                                  "BILL": str(folder / "bill"), "JUDGED": str(judged)})
            return done.returncode, done.stderr.replace(f"{folder}/", "")

    def test_a_bill_with_all_is_taken(self):
        self.assertEqual((0, ""), self.bill(PARTS))

    def test_what_is_missing_is_named(self):
        for part in ("libc6", "libyaml-0-2", "rapidjson"):
            others = {name: version for name, version in PARTS.items() if name != part}
            self.assertEqual((1, f"sbom: error: x.spdx.json lacks what fluxhook is linked with: {part} {PARTS[part]}\n"),
                             self.bill(others))

    def test_another_version_is_missing_too(self):
        self.assertEqual((1, "sbom: error: x.spdx.json lacks what fluxhook is linked with: libc6 2.41-12\n"),
                         self.bill(PARTS | {"libc6": "2.41-11"}))

    def test_the_validator_has_the_last_word(self):
        self.assertEqual((1, "the validator speaks\nsbom: error: x.spdx.json is not valid SPDX: see above\n"),
                         self.bill(PARTS, judged=1))

    def test_a_status_without_fluxhook_is_refused(self):
        self.assertEqual((1, "sbom: error: status has no entry of fluxhook that says what it is linked with\n"),
                         self.bill(PARTS, status=STATUS.replace("fluxhook", "other")))


if __name__ == "__main__":
    unittest.main()
