"""What a cluster can do to a controller at work. Each of these has fluxhook, and the cluster, for itself."""
import base64
import concurrent.futures
import json
import subprocess
import time

import fluxhook
from fluxhook import NAMESPACE, Load
from harness import STATE, TOP, completes, expect, get, in_box, items, kubectl, new_namespace, until
from objects import jobset, unschedulable
from test_webhook import alone, served


OURS = "app.kubernetes.io/managed-by=fluxhook"


def owners(namespace, kind, suffix):
    """{JobSet: uid of the owner} of the namespace's objects of that name."""
    return {found["metadata"]["name"].removesuffix(suffix): found["metadata"].get("ownerReferences", [{}])[0].get("uid")
            for found in items(namespace, kind) if found["metadata"]["name"].endswith(suffix)}


def lacking(namespace):
    """The JobSets without a ConfigMap and a Secret of their own."""
    jobsets = {found["metadata"]["name"]: found["metadata"]["uid"] for found in items(namespace, "jobsets")}
    maps = owners(namespace, "configmaps", "-flux-entrypoint")
    secrets = owners(namespace, "secrets", "-flux-curve")
    return [name for name, uid in jobsets.items() if not maps.get(name) == uid == secrets.get(name)]


def restart_api(*flags):
    result = subprocess.run([TOP / "test/e2e/cluster/restart-api", *flags], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"the API server can't be restarted: {result.stderr}")


def create_all(namespace, manifests):
    """Creates those that aren't there, again and again until they all are."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests})
    names = {manifest["metadata"]["name"] for manifest in manifests}

    def are_there():
        in_box("kubectl", "create", "--namespace", namespace, "--filename", "-", stdin=text)
        listed = in_box("kubectl", "get", "jobsets", "--namespace", namespace, "--output", "name")
        return names <= {line.partition("/")[2] for line in listed.stdout.split()}
    until(are_there, f"all {len(names)} JobSets are created", 180)


@alone
def case_an_API_server_that_is_killed_costs_no_JobSet_its_companions(namespace):
    before = {pod["metadata"]["uid"]: pod["status"]["containerStatuses"][0]["restartCount"]
              for pod in fluxhook.server_pods()}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        creating = pool.submit(create_all, namespace, [unschedulable(f"js-{i}") for i in range(60)])
        until(lambda: len(items(namespace, "configmaps", OURS)) > 5, "the first companions")
        restart_api()
        creating.result()
    until(lambda: not lacking(namespace), "all companions are there", 120)
    after = {pod["metadata"]["uid"]: pod["status"]["containerStatuses"][0]["restartCount"]
             for pod in fluxhook.server_pods()}
    expect(before == after, f"fluxhook's pods and their restarts were {before}, and are {after}")


@alone
def case_companions_are_made_where_owner_references_need_permission(namespace):
    restart_api("--enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
    try:
        until(lambda: in_box("kubectl", "create", "--namespace", namespace, "--filename", "-",
                             stdin=json.dumps(jobset("owned", ["true"]))).returncode == 0, "a create that is taken")
        completes(namespace, "owned")
        # the plugin is at work: somebody without the right to the owner's finalizers may not block its deletion
        kubectl("create", "role", "maps", "--verb", "create", "--resource", "configmaps", "--namespace", namespace)
        kubectl("create", "rolebinding", "maps", "--role", "maps", "--user", "somebody", "--namespace", namespace)
        uid = get(namespace, "jobset", "owned")["metadata"]["uid"]
        owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "owned", "uid": uid,
                 "blockOwnerDeletion": True}
        result = in_box("kubectl", "create", "--as", "somebody", "--namespace", namespace, "--filename", "-",
                        stdin=json.dumps({"apiVersion": "v1", "kind": "ConfigMap",
                                          "metadata": {"name": "theirs", "ownerReferences": [owner]}}))
        expect("cannot set blockOwnerDeletion" in result.stderr, f"kubectl says: {result.stderr}")
    finally:
        restart_api()


@alone
def case_JobSet_may_be_installed_after_fluxhook():
    kubectl("delete", "crd", "jobsets.jobset.x-k8s.io", "--timeout", "60s")
    try:
        kubectl("rollout", "restart", "deployment/fluxhook", "--namespace", NAMESPACE)
        fluxhook.rolled_out()

        def said():
            return [line for line in fluxhook.logs().splitlines() if "JobSet is not installed in this cluster" in line]
        until(said, "a word of it")
        time.sleep(15)
        expect(len(said()) == 1, f"it says so more than once: {said()}")
    finally:
        kubectl("apply", "--server-side", "--filename", str(STATE.parent / "manifests/jobset.yaml"))
        kubectl("rollout", "restart", "deployment/jobset-controller-manager", "--namespace", "jobset-system")
        kubectl("rollout", "status", "deployment/jobset-controller-manager", "--namespace", "jobset-system")
    namespace = new_namespace()
    until(lambda: in_box("kubectl", "create", "--namespace", namespace, "--filename", "-",
                         stdin=json.dumps(jobset("late", ["true"]))).returncode == 0, "a create that is taken")
    completes(namespace, "late", 180)
    kubectl("delete", "namespace", namespace, "--wait=false")


def inject():
    """What cert-manager's cainjector does: the CA of the Secret that the annotation leads to, into each webhook."""
    for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration"):
        def source(kind=kind):
            found = json.loads(kubectl("get", kind, "fluxhook", "--output", "json"))
            return found["metadata"].get("annotations", {}).get("cert-manager.io/inject-ca-from")
        expect(until(source, f"the annotation of {kind}") == f"{NAMESPACE}/fluxhook-serving", "it leads elsewhere")
        bundle = base64.b64encode((fluxhook.FILES / "ca.pem").read_bytes()).decode()
        kubectl("patch", kind, "fluxhook", "--type", "json", "--patch", json.dumps(
            [{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle}]))


def crd(kind, plural):
    """As much of cert-manager's as the chart needs to be installed."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.cert-manager.io"},
            "spec": {"group": "cert-manager.io", "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


@alone
def case_a_certificate_that_comes_as_cert_manager_makes_it_is_served_and_renewed(namespace):
    crds = {"apiVersion": "v1", "kind": "List", "items": [crd("Certificate", "certificates"), crd("Issuer", "issuers")]}
    kubectl("create", "--filename", "-", stdin=crds)
    try:
        kubectl("wait", "--for", "condition=Established", "crd/certificates.cert-manager.io",
                "crd/issuers.cert-manager.io")
        fluxhook.certificate("fluxhook-serving")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            injected = pool.submit(inject)
            with fluxhook.installed("--set", "certManager.enabled=true"):
                injected.result()
                asked = get(NAMESPACE, "certificates.cert-manager.io", "fluxhook-serving")["spec"]
                expect((asked["secretName"], f"fluxhook.{NAMESPACE}.svc" in asked["dnsNames"]) ==
                       ("fluxhook-serving", True), f"the Certificate is {asked}")
                old = served()
                with Load(namespace, json.dumps(jobset("load"))):
                    fluxhook.certificate("fluxhook-serving")
                    until(lambda: not old & served(), "all pods serve the new certificate", 150)
        kubectl("delete", "secret", "fluxhook-serving", "--namespace", NAMESPACE)
    finally:
        kubectl("delete", "--filename", "-", stdin=crds)
