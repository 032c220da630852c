#!/usr/bin/env python3
"""scripts/release makes its files of the commit alone, with the commit's time; --check finds a file that differs.

What makes the packages, the image and the bills is a stand-in here.
"""
import hashlib
import tarfile
import unittest

from checkout import Checkout

PARTS = {
    "scripts/setup": "true",
    "scripts/package": 'mkdir -p build/package/out && cd build/package/out && echo "at $SOURCE_DATE_EPOCH" >fluxhook.deb\n'
                       'echo x >fluxhook-linux.tar.gz',
    "packaging/status": "printf 'Package: fluxhook\\nDepends: libc6 (= 2.41)\\n\\n'",
    "packaging/sbom": 'cp "$2" "$3"',
    "packaging/chart": 'cat VERSION >"$1"',
    "packaging/image": 'echo "$REVISION" >"$1"; echo image >"$2"',
}
FILES = {"fluxhook.deb", "fluxhook-linux.tar.gz", "fluxhook-1.2.3.tar.gz", "fluxhook-1.2.3.tgz",
         "fluxhook-1.2.3-packages.spdx.json", "fluxhook-1.2.3-image.spdx.json"}


class Files(unittest.TestCase):
    def setUp(self):
        self.checkout = Checkout(self)
        for name, text in PARTS.items():
            self.checkout.script(name, text)
        self.checkout.commit()
        self.folder = self.checkout.top / "build/dist"

    def changed(self, name, text):
        self.checkout.script(name, text)
        self.checkout.commit()

    def test_they_are_of_the_commit(self):
        code, said = self.checkout.release()
        self.assertEqual(0, code, said)
        made = {path.name: path for path in self.folder.iterdir()}
        [image] = [name for name in made if "-image-" in name]
        self.assertEqual(FILES | {image, "SHA256SUMS"}, set(made))
        self.assertEqual(f"at {self.checkout.git('log', '-1', '--format=%ct')}\n", made["fluxhook.deb"].read_text())
        self.assertEqual(self.checkout.git("rev-parse", "HEAD") + "\n", made[image].read_text())
        bill = made["fluxhook-1.2.3-packages.spdx.json"].read_text()
        self.assertRegex(bill, r"(?s)^Package: fluxhook\n.*\n\nPackage: libc6\n")

    def test_the_sources_are_what_git_knows(self):
        self.checkout.write("build/left-over", "of yesterday")
        self.assertEqual(0, self.checkout.release()[0])
        with tarfile.open(self.folder / "fluxhook-1.2.3.tar.gz") as archive:
            names = {member.name for member in archive if member.isfile()}
            self.assertEqual({0o755}, {member.mode & 0o777 for member in archive if member.name.endswith("scripts/release")})
        self.assertEqual({f"fluxhook-1.2.3/{name}" for name in self.checkout.git("ls-files").splitlines()}, names)

    def test_the_checksums_are_of_all_of_them(self):
        (self.folder / "old").mkdir(parents=True)  # of an earlier one
        self.assertEqual(0, self.checkout.release()[0])
        sums = dict(line.split("  ")[::-1] for line in (self.folder / "SHA256SUMS").read_text().splitlines())
        others = [path for path in self.folder.iterdir() if path.name != "SHA256SUMS"]
        self.assertEqual({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in others}, sums)

    def test_another_folder(self):
        folder = self.checkout.top.parent / "release"
        self.assertEqual(0, self.checkout.release(str(folder))[0])
        self.assertTrue((folder / "fluxhook.deb").exists())
        self.assertFalse(self.folder.exists())

    def test_check_takes_what_is_the_same(self):
        code, said = self.checkout.release("--check")
        self.assertEqual(0, code, said)
        self.assertRegex(said, r"release: done: two builds of [0-9a-f]{12} from two folders made the same 7 files\n$")
        self.assertFalse(self.folder.exists())

    def test_check_names_what_differs(self):
        self.checkout.script("../bin/diffoscope", 'cat "$3" "$4" >"$2"\nexit 1')
        self.changed("packaging/chart", 'pwd >"$1"')
        code, said = self.checkout.release("--check")
        self.assertEqual(1, code)
        self.assertEqual("release: what differs in fluxhook-1.2.3.tgz: build/fluxhook-1.2.3.tgz.diff\n"
                         "release: error: two builds differ in fluxhook-1.2.3.tgz\n", said)
        one, other = (self.checkout.top / "build/fluxhook-1.2.3.tgz.diff").read_text().splitlines()
        self.assertNotEqual(one, other)

    def test_a_part_that_fails_ends_it(self):
        for part in ("scripts/package", "packaging/status", "packaging/sbom", "packaging/chart", "packaging/image"):
            self.changed(part, "exit 1")
            self.assertNotEqual(0, self.checkout.release()[0], part)
            self.assertFalse((self.folder / "SHA256SUMS").exists(), part)
            self.changed(part, PARTS[part])


if __name__ == "__main__":
    unittest.main()
