"""fluxhook in the cluster: installed by its chart, with the image that scripts/e2e loaded."""
import contextlib
import os
import subprocess
import time

from harness import CONFIG, REAL, STATE, TOP, Failure, expect, get, in_box, items, kubectl, until

NAMESPACE = "fluxhook-system"
HELM = TOP / "build/tools/helm"
FILES = STATE / "fluxhook"
COMMON = ["--set", f"defaults.view-image={REAL[0] if REAL else 'localhost/flux-view:e2e'}"]


def helm(*words):
    result = in_box(str(HELM), *words, "--namespace", NAMESPACE)
    expect(result.returncode == 0, f"helm {' '.join(words)}: {result.stderr.strip()}")
    return result.stdout


def openssl(*words):
    result = subprocess.run(["openssl", *words], capture_output=True, text=True, cwd=FILES, check=False)
    expect(result.returncode == 0, f"openssl {' '.join(words)}: {result.stderr}")


def certificate(name="fluxhook-cert", host=f"fluxhook.{NAMESPACE}.svc"):
    """A new certificate for a host, of a CA that stays, in the Secret `name`."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    if not (FILES / "ca.pem").exists():
        openssl("req", "-x509", *curve, "-days", "3650", "-subj", "/CN=fluxhook-ca", "-keyout", "ca.key", "-out",
                "ca.pem")
    openssl("req", "-x509", *curve, "-days", "365", "-subj", "/CN=fluxhook", "-addext",
            f"subjectAltName=DNS:{host}", "-addext", "basicConstraints=critical,CA:FALSE",
            "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "tls.key", "-out", "tls.crt")
    secret = kubectl("create", "secret", "tls", name, "--dry-run=client", "--output", "json",
                     "--cert", str(FILES / "tls.crt"), "--key", str(FILES / "tls.key"))
    kubectl("apply", "--namespace", NAMESPACE, "--filename", "-", stdin=secret)


def given():
    """Values for the certificate of certificate()."""
    return ["--set", "tls.secretName=fluxhook-cert", "--set-file", f"tls.caBundle={FILES}/ca.pem"]


def install(*values):
    """Installs fluxhook, or changes it to just these values, and waits until all of its pods are new."""
    FILES.mkdir(exist_ok=True)
    helm("upgrade", "--install", "--create-namespace", "fluxhook", str(TOP / "charts/fluxhook"), *COMMON, *values)
    rolled_out()


@contextlib.contextmanager
def installed(*values):
    """With these values inside of its block, and without them again after it."""
    try:
        install(*values)
        yield
    finally:
        install()


def rolled_out():
    kubectl("rollout", "status", "deployment/fluxhook", "--namespace", NAMESPACE, "--timeout", "120s")
    until(lambda: len(server_pods()) == get(NAMESPACE, "deployment", "fluxhook")["spec"]["replicas"],
          "the end of fluxhook's old pods")


def server_pods():
    return items(NAMESPACE, "pods", "app.kubernetes.io/name=fluxhook")


def scale(replicas):
    kubectl("scale", "deployment/fluxhook", "--replicas", str(replicas), "--namespace", NAMESPACE)
    rolled_out()


def holder():
    """Who has the Lease; empty: nobody."""
    lease = get(NAMESPACE, "lease", "fluxhook")
    return ((lease or {}).get("spec") or {}).get("holderIdentity") or ""


def leader():
    """The pod that has the Lease."""
    return next(p["metadata"]["name"] for p in server_pods() if holder().startswith(p["metadata"]["name"]))


def logs():
    return in_box("kubectl", "logs", "--namespace", NAMESPACE, "--selector", "app.kubernetes.io/name=fluxhook",
                  "--prefix", "--tail", "60").stdout


class Load:
    """Creates a JobSet again and again, as dry runs, as long as its block lasts."""

    def __init__(self, namespace, manifest, at_least=10):
        self.command = [str(TOP / "test/e2e/create-loop"), namespace, str(FILES / "load.json"),
                        str(FILES / "stop")]
        (FILES / "load.json").write_text(manifest)
        self.at_least = at_least

    def __enter__(self):
        (FILES / "stop").unlink(missing_ok=True)
        pid = (STATE / "box.pid").read_text().strip()
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["nsenter", "--target", pid, "--net", "--", *self.command], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **CONFIG})
        time.sleep(2)
        return self

    def __exit__(self, kind, value, trace):
        time.sleep(2)
        (FILES / "stop").touch()
        lines = self.process.communicate(timeout=60)[0].splitlines()
        failed = [line for line in lines if line != "ok"]
        if kind is None and failed:
            raise Failure(f"{len(failed)} of {len(lines)} creates fail: {failed[0]}")
        if kind is None and len(lines) < self.at_least:
            raise Failure(f"only {len(lines)} creates were tried")
