#!/usr/bin/env python3
"""What `fluxhook mutate` prints is what python3-jsonpatch makes of the server's patch; mutate(mutate(x)) = mutate(x)."""
import json
import pathlib
import random
import tempfile
import unittest

from command import ONE_IN, fluxhook, patch_of, patched, review
from jobsets import Maker, admitted, client_side_apply, replaced, stored
from webhook import Server, ask

SEED = 20250101
COUNT = 150 // ONE_IN
UID = "6f2e1d3c-0b5a-4d8e-9c7f-1a2b3c4d5e6f"


class Property(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())
        cls.connection = cls.server.connection()
        cls.addClassCleanup(cls.connection.close)
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.maker = Maker(random.Random(SEED))

    def ask(self, obj, old=None, path="/mutate"):
        body = json.dumps(review(obj, UID, old))
        status, _, answer = ask(self.connection, "POST", path, body, {"Content-Type": "application/json"})
        self.assertEqual(status, 200, answer)
        return answer

    def mutate(self, obj, old=None):
        """(exit code, mutated object or None, stderr) of the command line."""
        args = []
        if old:
            (self.folder / "old.json").write_text(json.dumps(old))
            args = ["--old", str(self.folder / "old.json")]
        done = fluxhook("mutate", "-o", "json", "--uid", UID, *args, "-", stdin=json.dumps(obj))
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def validated(self, obj, old, response):
        """What is denied live is what `validate` denies, for the same reasons."""
        done = fluxhook("validate", "-o", "json", "-", stdin=json.dumps(review(obj, UID, old)))
        self.assertEqual(done.returncode, 0 if response["allowed"] else 1, done.stderr)
        found = {severity: [one["field"] for one in json.loads(done.stdout)["findings"] if one["severity"] == severity]
                 for severity in ("error", "warning")}
        causes = response["status"]["details"]["causes"] if not response["allowed"] else []
        self.assertEqual([cause["field"] for cause in causes], found["error"])
        if response["allowed"]:
            self.assertEqual(len(response.get("warnings", [])), len(found["warning"]))

    def both(self, obj, old=None):
        """Holds command and server to one another; the mutated object, or None when it is denied."""
        answer = self.ask(obj, old)
        code, printed, said = self.mutate(obj, old)
        self.validated(obj, old, answer["response"])
        if not answer["response"]["allowed"]:
            self.assertEqual((code, printed), (1, None), said)
            causes = answer["response"]["status"]["details"]["causes"]
            self.assertEqual(len(causes), said.count(": error FH"), said)
            return None
        self.assertEqual(code, 0, said)
        self.assertEqual(len(answer["response"].get("warnings", [])), said.count(": warning FH"), said)
        wanted = patched(obj, answer)
        self.assertEqual(printed, wanted)
        return wanted

    def test_create(self):
        outcomes = {"mutated": 0, "denied": 0, "unchanged": 0}
        for _ in range(COUNT):
            obj = self.maker.jobset()
            with self.subTest(obj=json.dumps(obj)):
                mutated = self.both(obj)
                outcomes["denied" if mutated is None else "unchanged" if mutated == obj else "mutated"] += 1
                if mutated is not None:
                    self.assertEqual(patch_of(self.ask(mutated)), [], "mutate(mutate(x)) = mutate(x)")
                    self.assertEqual(self.mutate(mutated)[1], mutated)
                    self.assertTrue(self.ask(mutated, path="/validate")["response"]["allowed"])
        for outcome, count in outcomes.items():  # the maker makes all kinds
            self.assertGreater(count, COUNT // 30, (outcome, outcomes))

    def test_wrong_types(self):
        for _ in range(COUNT):
            obj = self.maker.spoilt(self.maker.jobset())
            labels = obj["metadata"].get("labels")
            if isinstance(labels, dict) and not isinstance(labels.get("flux-framework.org/inject", ""), str):
                continue  # an API server does not get as far as asking a webhook
            with self.subTest(obj=json.dumps(obj)):
                mutated = self.both(obj)
                if mutated is not None:
                    self.assertEqual(patch_of(self.ask(mutated)), [])

    def test_update(self):
        updates = 0
        for _ in range(COUNT):
            obj = self.maker.jobset()
            mutated = self.both(obj)
            if mutated is None or mutated == obj:
                continue
            live = stored(mutated)
            forms = {"client-side": client_side_apply(obj, live), "replace": replaced(obj, live),
                     "admitted": admitted(live), "again on admitted": client_side_apply(obj, admitted(live)),
                     "nothing": live}
            for form, new in forms.items():
                old = admitted(live) if form == "again on admitted" else live
                with self.subTest(form=form, obj=json.dumps(obj)):
                    restored = self.both(new, old)
                    self.assertIsNotNone(restored)
                    self.assertEqual(patch_of(self.ask(restored, old)), [], "the second time nothing is left to do")
                    if form in ("admitted", "nothing"):
                        self.assertEqual(restored, new)
                    updates += 1
        self.assertGreater(updates, COUNT)


if __name__ == "__main__":
    unittest.main()
