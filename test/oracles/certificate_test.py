"""The key pair and its certificate: derived by Python's hashlib, loaded and used by czmq, which derives the public
half from the secret one by itself."""
import hashlib
import os
import random
import re
import subprocess
import tempfile
import unittest
import uuid

import oracle

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(data):
    text = ""
    for at in range(0, len(data), 4):
        value = int.from_bytes(data[at:at + 4], "big")
        text += "".join(Z85[value // 85 ** power % 85] for power in (4, 3, 2, 1, 0))
    return text


def value(certificate, name):
    return re.search(r'^    %s = "(.*)"$' % name, certificate, re.MULTILINE)[1]


class Certificate(unittest.TestCase):
    def setUp(self):
        self.probe = oracle.Probe()
        self.addCleanup(self.probe.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def czmq(self, *paths):
        return subprocess.run([os.environ["CERTIFICATE"], *paths], capture_output=True, check=False, text=True,
                              cwd=self.folder)

    def test_python_derives_the_same_keys_and_czmq_talks_with_them(self):
        chance = random.Random(11)
        paths, wanted = [], []
        for i in range(10):
            uid = str(uuid.UUID(int=chance.getrandbits(128)))
            master = chance.randbytes(32)
            by_master = self.probe.ask("certificate", b"lammps-%d" % i, uid.encode(), master)[0].decode()
            by_uid = self.probe.ask("certificate", b"lammps-%d" % i, uid.encode())[0].decode()
            derived = hashlib.blake2b(b"fluxhook curve v1\0" + uid.encode(), key=master, digest_size=32).digest()
            self.assertEqual(value(by_master, "secret-key"), z85(derived))
            self.assertEqual(value(by_uid, "secret-key"), z85(hashlib.sha256(uid.encode()).digest()))
            for kind, text in ("master", by_master), ("uid", by_uid):
                paths.append(self.write("%s-%d.cert" % (kind, i), text))
                wanted.append("lammps-%d %s" % (i, value(text, "public-key")))
        result = self.czmq(*paths)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines(), wanted)

    def test_czmq_finds_a_public_key_of_another_pair(self):
        first, second = (self.probe.ask("certificate", b"js", uid)[0].decode() for uid in (b"a", b"b"))
        mixed = first.replace(value(first, "public-key"), value(second, "public-key"))
        result = self.czmq(self.write("mixed.cert", mixed))
        self.assertEqual(result.returncode, 1)
        self.assertIn("the public key is not the secret key's", result.stderr)

    def test_a_hostile_name_is_read_back_as_it_was_or_refused(self):
        read = 0
        for name in oracle.HOSTILE:
            with self.subTest(name=name[:80]):
                try:
                    text = self.probe.ask("certificate", name, b"uid")[0].decode()
                except oracle.Refused as refusal:
                    self.assertTrue(str(refusal).isprintable(), "a message of one line")
                    continue
                read += 1
                result = self.czmq(self.write("hostile.cert", text))
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(result.stdout, "%s %s\n" % (name.decode(), value(text, "public-key")))
        self.assertGreater(read, 20)


if __name__ == "__main__":
    unittest.main()
