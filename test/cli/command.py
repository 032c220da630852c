"""The fluxhook binary ($FLUXHOOK) as a command, and independent readers of what it prints."""
import base64
import json
import os
import subprocess
import typing

import jsonpatch

BINARY = os.path.abspath(os.environ["FLUXHOOK"])

# Of cases by the hundred only one in so many is tried: 1 everywhere but under a sanitizer, where a process takes ten times as
# long to start (scripts/sanitize).
ONE_IN = int(os.environ.get("FLUXHOOK_TEST_ONE_IN", "1"))


class Done(typing.NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def fluxhook(*args, stdin="", stdout=subprocess.PIPE, cwd=None, env=None):
    """What `fluxhook ARG…` ended with, its streams byte for byte."""
    done = subprocess.run([BINARY, *args], input=stdin.encode(), stdout=stdout, stderr=subprocess.PIPE, cwd=cwd,
                          env={**os.environ, **(env or {})})
    return Done(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def shown_on(terminal):
    """All that was written to a pseudo terminal, whose other end everybody has closed; it is closed too. A single read
    may return less."""
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    return shown.decode()


def kubectl(text):
    """What kubectl reads from a manifest, as JSON; it goes past no server."""
    done = subprocess.run(["kubectl", "label", "--local", "-f", "-", "-o", "json", "--show-managed-fields",
                           "test.example.org/read=yes"],
                          input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    read = json.loads(done.stdout)
    del read["metadata"]["labels"]["test.example.org/read"]
    if not read["metadata"]["labels"]:
        del read["metadata"]["labels"]
    return read


def review(obj, uid, old=None, name_space=None):
    """The AdmissionReview that an API server makes of a JobSet."""
    kind = {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"}
    metadata = obj.get("metadata") if isinstance(obj.get("metadata"), dict) else {}
    request = {"uid": uid, "kind": kind, "resource": {"group": "jobset.x-k8s.io", "version": "v1alpha2",
                                                      "resource": "jobsets"},
               "name": metadata.get("name", ""), "namespace": name_space or metadata.get("namespace", "default"),
               "operation": "UPDATE" if old else "CREATE", "object": obj, "oldObject": old}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def patch_of(answer):
    """The operations in an answer; none: []."""
    response = answer["response"]
    return json.loads(base64.b64decode(response["patch"])) if "patch" in response else []


def patched(obj, answer):
    """The object after the answer's patch, applied by python3-jsonpatch."""
    return jsonpatch.apply_patch(obj, patch_of(answer))
