#!/usr/bin/env python3
"""`fluxhook mutate`: output formats, companions, UPDATE, writing files."""
import base64
import json
import os
import pathlib
import re
import stat
import tempfile
import tomllib
import unittest

import jsonpatch
import yaml

from command import fluxhook, kubectl

UID = "11111111-2222-3333-4444-555555555555"
# docs/adr/0002-key-derivation.md: the curve keys of this uid, with the master key 00 01 … 1f, and from the uid alone
MASTER = ("gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V", "rc=DFn=PvUQ<aJECO{oRxL?=YLHPACATpyZg=0>K")
BY_UID = (")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ", "w]Ey!S-}N<@&e2A!1<VdmY-hIY%a3a6e.h!*-zqI")
JOBSET = """# a comment
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: js
  namespace: hpc
  labels: {flux-framework.org/inject: "true"}
spec:
  replicatedJobs:
  - name: node
    template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: a, image: a:1, command: [a]}]}}}}
"""
OTHER = "# kept, as it is\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}   # also kept\ndata:\n    key: 'yes'\n"
DENIED = JOBSET.replace("completions: 2", "completions: 3").replace("name: js", "name: denied")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def mutate(self, *args, stdin="", code=0):
        done = fluxhook("mutate", *args, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Output(Case):
    def test_one_jobset_is_one_patch(self):
        patch = json.loads(self.mutate("-o", "patch", "-", stdin=JOBSET).stdout)
        mutated = json.loads(self.mutate("-o", "json", "-", stdin=JOBSET).stdout)
        self.assertEqual(jsonpatch.apply_patch(yaml.safe_load(JOBSET), patch), mutated)

    def test_several_jobsets_are_a_list_of_patches(self):
        file = self.write("x.yaml", f"{JOBSET}---\n{OTHER}---\n{JOBSET.replace('name: js', 'name: two')}")
        patches = json.loads(self.mutate("-o", "patch", file).stdout)
        self.assertEqual([(one["file"], one["line"], one["name"]) for one in patches],
                         [(file, 2, "hpc/js"), (file, 21, "hpc/two")])
        self.assertEqual(patches[0]["patch"], json.loads(self.mutate("-o", "patch", "-", stdin=JOBSET).stdout))
        self.assertEqual(json.loads(self.mutate("-o", "patch", "-", stdin=OTHER).stdout), [])

    def test_documents_of_other_kinds_stay_as_they_are_written(self):
        unlabelled = JOBSET.replace("inject", "other")
        done = self.mutate("-", stdin=f"{OTHER}---\n{unlabelled}--- # next\n{JOBSET}---\n{OTHER}")
        self.assertTrue(done.stdout.startswith(f"{OTHER}---\n{unlabelled}--- # next\n# a comment\napiVersion"), done.stdout)
        self.assertTrue(done.stdout.endswith(f"---\n{OTHER}"), done.stdout)

    def test_json_documents_follow_one_another(self):
        text = self.mutate("-o", "json", "-", stdin=f"{OTHER}---\n{JOBSET}").stdout
        decoder, found = json.JSONDecoder(), []
        while text.strip():
            value, end = decoder.raw_decode(text)
            found.append(value["kind"])
            text = text[end:].lstrip()
        self.assertEqual(found, ["ConfigMap", "JobSet"])

    def test_lists_stay_lists(self):
        items = [yaml.safe_load(OTHER), yaml.safe_load(JOBSET)]
        done = self.mutate("-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        mutated = yaml.safe_load(done.stdout)
        self.assertEqual([item["kind"] for item in mutated["items"]], ["ConfigMap", "JobSet"])
        self.assertEqual(mutated["items"][0], items[0])
        self.assertEqual(mutated["items"][1], yaml.safe_load(self.mutate("-", stdin=JOBSET).stdout))

    def test_a_denial_is_not_printed(self):
        done = self.mutate("-", stdin=f"{OTHER}---\n{DENIED}---\n{JOBSET}", code=1)
        self.assertEqual([doc["kind"] for doc in yaml.safe_load_all(done.stdout)], ["ConfigMap", "JobSet"])
        self.assertNotIn("denied", done.stdout)
        self.assertRegex(done.stderr, r"^<stdin>:18:\d+: error FH014 spec\.replicatedJobs\[0\]\.template\.spec\.completions: ")

    def test_a_review_is_answered(self):
        for text, allowed in ((JOBSET, True), (DENIED, False)):
            review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": UID, "kind": {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
                "operation": "CREATE", "object": yaml.safe_load(text)}}
            answer = json.loads(self.mutate("-o", "json", "-", stdin=json.dumps(review), code=0 if allowed else 1).stdout)
            self.assertEqual((answer["kind"], answer["response"]["uid"], answer["response"]["allowed"]),
                             ("AdmissionReview", UID, allowed))
            if allowed:
                patch = self.mutate("-o", "patch", "-", stdin=json.dumps(review)).stdout
                self.assertEqual(json.loads(patch), json.loads(base64.b64decode(answer["response"]["patch"])))
        broken = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {}})
        self.assertIn("<stdin>:1:1: error: request.uid", self.mutate("-", stdin=broken, code=2).stderr)

    def test_generate_name_follows_the_uid(self):
        text = JOBSET.replace("name: js", "generateName: js-")
        first, again, other = (json.loads(self.mutate("-o", "json", "--uid", uid, "-", stdin=text).stdout)["metadata"]["name"]
                               for uid in (UID, UID, UID.replace("1", "6")))
        self.assertRegex(first, r"^js-[bcdfghjklmnpqrstvwxz2456789]{5}$")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertIn("note: a server derives the name", self.mutate("-", stdin=text).stderr)


class Uid(Case):
    def test_a_uid_is_one_as_the_server_makes_it(self):
        for uid in ("", "u", UID[:-1], UID + "0", UID.replace("-", ""), "{" + UID + "}", UID.replace("1", "g"),
                    UID.replace("1", "A"), UID.replace("1", "１"), UID.replace("-", "\x1b")):
            done = self.mutate("--uid", uid, "-", stdin=JOBSET, code=2)
            self.assertIn("must be a uid such as 11111111-2222-3333-4444-555555555555", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class Companions(Case):
    def companions(self, *args, stdin=JOBSET):
        documents = list(yaml.safe_load_all(self.mutate("--companions", *args, "-", stdin=stdin).stdout))
        return {doc["kind"]: doc for doc in documents}

    def check_secret(self, keys, *args):
        found = self.companions("--uid", UID, *args)
        public, secret = keys
        certificate = base64.b64decode(found["Secret"]["data"]["curve.cert"]).decode()
        self.assertIn(f'public-key = "{public}"', certificate)
        self.assertIn(f'secret-key = "{secret}"', certificate)
        self.assertIn(public, found["ConfigMap"]["data"]["entrypoint.sh"])
        self.assertNotIn(secret, json.dumps(found["ConfigMap"]))
        for kind, name in (("ConfigMap", "js-flux-entrypoint"), ("Secret", "js-flux-curve")):
            companion = found[kind]
            self.assertTrue(companion["immutable"])
            self.assertEqual((companion["metadata"]["name"], companion["metadata"]["namespace"]), (name, "hpc"))
            self.assertEqual(companion["metadata"]["ownerReferences"], [{
                "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "js", "uid": UID, "controller": True,
                "blockOwnerDeletion": False}])

    def test_with_a_master_key(self):
        self.check_secret(MASTER, "--curve-key", self.write("key", bytes(range(32))))

    def test_from_the_uid_alone(self):
        self.check_secret(BY_UID, "--curve-derivation", "uid")

    def test_the_files_are_the_instances(self):
        data = self.companions("--cluster-domain", "example.org")["ConfigMap"]["data"]
        self.assertEqual(sorted(data), ["R", "broker.toml", "entrypoint.sh", "init.sh", "job.sh"])
        self.assertEqual(json.loads(data["R"])["execution"]["nodelist"], ["js-node-0-[0-1]"])
        bootstrap = tomllib.loads(data["broker.toml"])["bootstrap"]
        self.assertEqual(bootstrap["hosts"], [{"host": "js-node-0-[0-1]"}])
        self.assertIn(".js.hpc.svc.example.org:", bootstrap["default_connect"])

    def test_why_there_is_no_secret(self):
        for args, says in ((["--uid", UID], "it is derived from a key (--curve-key, or --curve-derivation uid)"),
                           ([], "it is derived from the JobSet's uid (--uid)"),
                           (["--curve-derivation", "uid"], "it is derived from the JobSet's uid (--uid)")):
            done = self.mutate("--companions", *args, "-", stdin=JOBSET)
            text = done.stdout
            self.assertRegex(done.stderr, "(?m)^fluxhook: note: Secret js-flux-curve is missing here.*" + re.escape(says))
            self.assertNotIn("kind: Secret", text)
            self.assertRegex(text, r"\n# Secret js-flux-curve is missing here.*")
            self.assertIn(says, text)
        own = JOBSET.replace("  labels:", "  annotations: {flux-framework.org/curve-secret: mine}\n  labels:")
        text = self.mutate("--companions", "--uid", UID, "--curve-derivation", "uid", "-", stdin=own).stdout
        self.assertIn("\n# Secret mine is not made here: it is the one that curve-secret names.\n", text)
        done = self.mutate("-o", "json", "--companions", "-", stdin=JOBSET)
        self.assertIn("note: Secret js-flux-curve is missing here", done.stderr)

    def test_the_objects_own_uid_counts(self):
        stored = JOBSET.replace("  name: js\n", f'  name: js\n  uid: "{UID}"\n')
        self.assertIn("Secret", self.companions("--curve-derivation", "uid", stdin=stored))

    def test_kubectl_reads_them(self):
        text = self.mutate("--companions", "--uid", UID, "--curve-derivation", "uid", "-", stdin=JOBSET).stdout
        for part, document in zip(text.split("\n---\n"), yaml.safe_load_all(text)):
            self.assertEqual(kubectl(part), document)

    def test_none_for_other_kinds(self):
        self.assertEqual(self.mutate("--companions", "-", stdin=OTHER).stdout, OTHER)

    def test_keys_that_are_none(self):
        short = self.write("key", b"short\n")
        self.assertIn("has 6 bytes: a master key has 32", self.mutate("--companions", "--curve-key", short, "-", code=2).stderr)
        self.assertIn("can't be read", self.mutate("--companions", "--curve-key", "/nonexistent", "-", code=2).stderr)


class Update(Case):
    def test_the_manifest_again_puts_back_what_was_injected(self):
        live = yaml.safe_load(self.mutate("-", stdin=JOBSET).stdout)
        live["metadata"]["uid"] = UID
        old = self.write("old.json", json.dumps(live))
        again = json.loads(self.mutate("-o", "json", "--old", old, "-", stdin=JOBSET).stdout)
        self.assertEqual(again["spec"], live["spec"])

    def test_never_injects_for_the_first_time(self):
        old = self.write("old.yaml", JOBSET.replace("inject", "other"))
        self.assertIn(" error FH021 ", self.mutate("--old", old, "-", stdin=JOBSET, code=1).stderr)

    def test_the_old_one_is_found_by_name(self):
        old = self.write("old.yaml", OTHER + "---\n" + JOBSET.replace("name: js", "name: other"))
        self.assertIn(f"{old} has no JobSet of this name", self.mutate("--old", old, "-", stdin=JOBSET, code=2).stderr)
        both = self.write("both.yaml", JOBSET.replace("namespace: hpc", "namespace: x") + "---\n" + JOBSET)
        self.assertIn(" warning FH108 ", self.mutate("--old", both, "-", stdin=JOBSET).stderr)
        self.assertIn("has no JobSet", self.mutate("--old", self.write("c.yaml", OTHER), "-", stdin=JOBSET, code=2).stderr)


class Write(Case):
    def test_files_are_changed_and_keep_their_form(self):
        one = self.write("one.yaml", f"{OTHER}---\n{JOBSET}")
        two = self.write("two.json", json.dumps(yaml.safe_load(JOBSET)))
        os.chmod(one, 0o640)
        done = self.mutate("--write", str(self.folder))
        self.assertEqual(done.stdout, "")
        text = pathlib.Path(one).read_text()
        self.assertTrue(text.startswith(OTHER + "---\n"))
        wanted = yaml.safe_load(self.mutate("-", stdin=JOBSET).stdout)
        self.assertEqual(list(yaml.safe_load_all(text))[1], wanted)
        self.assertEqual(json.loads(pathlib.Path(two).read_text()), wanted)
        self.assertEqual(os.stat(one).st_mode & 0o777, 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["one.yaml", "two.json"])
        self.assertIn(f"{one}: written", done.stderr)
        again = self.mutate("--write", str(self.folder)).stderr  # nothing left to do
        self.assertEqual(again.count("note: not changed: it is already injected, and nothing has to change\n"), 2)
        self.assertEqual(again.count("\n"), 2)

    def test_what_could_not_be_read_or_is_denied_is_not_written(self):
        for rest, code in ((f"{JOBSET}---\na: [\n", 2), (f"{JOBSET}---\n{DENIED}", 1)):
            file = self.write("x.yaml", rest)
            done = self.mutate("--write", file, code=code)
            self.assertIn(f"{file}: not written", done.stderr)
            self.assertEqual(pathlib.Path(file).read_text(), rest)

    def test_links_stay_links(self):
        target = self.write("target.yaml", JOBSET)
        link = self.folder / "link.yaml"
        link.symlink_to("target.yaml")
        self.mutate("--write", str(link))
        self.assertTrue(link.is_symlink())
        self.assertIn("flux-installer", pathlib.Path(target).read_text())

    def test_write_refuses_what_is_no_file_and_does_not_wait_for_it(self):
        pipe = str(self.folder / "pipe.yaml")
        os.mkfifo(pipe)
        for path in (pipe, os.devnull, "/dev/stdin"):
            self.assertIn(f"{path} is no regular file", self.mutate("--write", path, stdin=JOBSET, code=2).stderr)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_write_keeps_owner_and_mode(self):
        file = self.write("x.yaml", JOBSET)
        os.chown(file, 1234, 2345)
        os.chmod(file, 0o640)
        self.mutate("--write", file)
        status = os.stat(file)
        self.assertEqual((status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)), (1234, 2345, 0o640))
        self.assertIn("flux-installer", pathlib.Path(file).read_text())

    def test_a_uid_is_for_one_jobset(self):
        one, two = self.write("one.yaml", JOBSET), self.write("two.yaml", JOBSET.replace("name: js", "name: two"))
        other = self.write("other.yaml", OTHER + "---\n" + JOBSET.replace("flux-framework.org/inject", "a/b"))
        done = self.mutate("--companions", "--uid", UID, "--curve-derivation", "uid", one, two, code=2)
        self.assertIn(f"{two}:2:1: error: --uid is for one JobSet", done.stderr)
        self.assertNotIn("two-flux", done.stdout)
        self.mutate("--companions", "--uid", UID, "--curve-derivation", "uid", other, one, other)

    def test_reviews_are_not_written(self):
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": UID}}
        file = self.write("review.json", json.dumps(review))
        self.mutate("--write", file, code=2)
        self.assertEqual(json.loads(pathlib.Path(file).read_text()), review)


class Flags(Case):
    def test_flags_that_others_make_meaningless(self):
        key = self.write("key", bytes(32))
        for args in (["--write", "-"], ["--write", "-o", "patch", "x"], ["--write", "-o", "diff", "x"],
                     ["--write", "--companions", "x"], ["--companions", "-o", "patch", "-"], ["--companions", "-o", "diff", "-"],
                     ["--curve-key", key, "-"], ["--curve-derivation", "uid", "-"],
                     ["--companions", "--curve-key", key, "--curve-derivation", "uid", "-"],
                     ["--companions", "--curve-derivation", "other", "-"]):
            done = self.mutate(*args, stdin=JOBSET, code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn("fluxhook: error: --", done.stderr)


if __name__ == "__main__":
    unittest.main()
