"""fluxhook itself: while it is down, upgraded, restarted, and what it may do. Each of these has it for itself."""
import json
import time

import fluxhook
from fluxhook import NAMESPACE, Load
from harness import completes, curve, expect, get, in_box, jobset_of, kill, kubectl, pods, refused, running, until
from objects import INJECTED, jobset
from test_apply import send, stays


def alone(case):
    case.alone = True
    return case


@alone
def case_while_the_webhook_is_down_labelled_JobSets_are_refused_and_others_are_not(namespace):
    fluxhook.scale(0)
    try:
        said = refused("create", "--namespace", namespace, "--filename", "-", stdin=jobset("down"))
        expect("failed calling webhook" in said and "fluxhook" in said, f"kubectl says: {said}")
        other = jobset("other", ["true"])
        del other["metadata"]["labels"]
        send(namespace, "create", other)
    finally:
        fluxhook.scale(2)
    send(namespace, "create", jobset("up", ["true"]))
    completes(namespace, "up")


@alone
def case_what_was_created_while_the_controller_was_off_runs_when_it_is_on_again(namespace):
    with fluxhook.installed("--set", "controller.enabled=false"):
        send(namespace, "create", jobset("late", ["true"]))
        time.sleep(3)
        expect(curve(namespace, "late") is None, "somebody made its Secret")
    completes(namespace, "late", 240)


@alone
def case_an_upgrade_with_other_defaults_leaves_a_running_JobSet_as_it_is(namespace):
    manifest = jobset("runs")
    send(namespace, "apply", manifest)
    before = [pod["metadata"]["uid"] for pod in running(namespace, "runs", 2)]
    files = get(namespace, "configmap", "runs-flux-entrypoint")["data"]
    old = jobset_of(namespace, "runs")
    with fluxhook.installed("--set", "defaults.log-level=7"):
        new = jobset_of(namespace, "runs")
        expect((old["spec"], old["metadata"]["annotations"]) == (new["spec"], new["metadata"]["annotations"]),
               "the upgrade changes the JobSet")
        stays(namespace, "runs", lambda: send(namespace, "apply", manifest), "the manifest applied after the upgrade")
        time.sleep(5)
        expect([pod["metadata"]["uid"] for pod in running(namespace, "runs", 2)] == before, "its pods are others")
        expect(get(namespace, "configmap", "runs-flux-entrypoint")["data"] == files, "its files are others")
        send(namespace, "create", jobset("new"))
        expect('"log-level":"7"' in jobset_of(namespace, "new")["metadata"]["annotations"][INJECTED].replace(" ", ""),
               "a new JobSet doesn't have the new defaults")


def served():
    """The serial numbers of the certificates that the Service's pods serve, by some handshakes."""
    service = get(NAMESPACE, "service", "fluxhook")["spec"]["clusterIP"]
    found = set()
    for _ in range(8):
        command = f"openssl s_client -connect {service}:443 </dev/null 2>&1 | openssl x509 -noout -serial"
        result = in_box("sh", "-c", command)
        expect(result.returncode == 0, f"no handshake: {result.stderr}")
        found.add(result.stdout.strip())
    return found


@alone
def case_a_certificate_of_ones_own_that_is_renewed_is_served_and_no_review_fails(namespace):
    fluxhook.certificate()
    with fluxhook.installed(*fluxhook.given()):
        old = served()
        with Load(namespace, json.dumps(jobset("load"))):
            fluxhook.certificate()
            until(lambda: not old & served(), "all pods serve the new certificate", 150)
    kubectl("delete", "secret", "fluxhook-cert", "--namespace", NAMESPACE)


@alone
def case_a_pod_whose_certificate_callers_would_not_trust_is_not_ready_and_says_why(namespace):
    fluxhook.certificate()
    with fluxhook.installed(*fluxhook.given()):
        fluxhook.certificate(host="fluxhook.elsewhere.svc")
        kubectl("rollout", "restart", "deployment/fluxhook", "--namespace", NAMESPACE)
        until(lambda: "the certificate is not for fluxhook." in fluxhook.logs(), "the new pod's word of it")
        time.sleep(15)
        status = get(NAMESPACE, "deployment", "fluxhook")["status"]
        expect(status["updatedReplicas"] <= status["unavailableReplicas"], f"the new pod is ready: {status}")
        fluxhook.certificate()
        fluxhook.rolled_out()
        send(namespace, "create", jobset("trusted", ["true"]))
        completes(namespace, "trusted")
    kubectl("delete", "secret", "fluxhook-cert", "--namespace", NAMESPACE)


@alone
def case_a_new_CA_of_the_servers_own_is_trusted_before_it_is_used_and_no_review_fails(namespace):
    old = served()
    with Load(namespace, json.dumps(jobset("load"))):
        kubectl("delete", "secret", "fluxhook-tls", "--namespace", NAMESPACE)
        until(lambda: not old & served(), "all pods serve the new certificate", 240)


@alone
def case_helm_test_finds_the_installation_in_order():
    said = fluxhook.helm("test", "fluxhook", "--timeout", "2m")
    expect("Phase:          Succeeded" in said, f"helm test says {said}")


@alone
def case_a_rolling_restart_under_load_refuses_nobody(namespace):
    with Load(namespace, json.dumps(jobset("load"))):
        kubectl("rollout", "restart", "deployment/fluxhook", "--namespace", NAMESPACE)
        fluxhook.rolled_out()


@alone
def case_when_the_leader_is_killed_the_other_replica_goes_on(namespace):
    before = until(fluxhook.holder, "a leader")
    kill(NAMESPACE, fluxhook.leader())
    # the Service has the dead pod until its kubelet has seen it: who comes just then is refused, and tries again
    until(lambda: in_box("kubectl", "create", "--namespace", namespace, "--filename", "-",
                         stdin=json.dumps(jobset("after", ["true"]))).returncode == 0, "a create that is taken", 20)
    completes(namespace, "after", 180)
    expect(fluxhook.holder() != before, "the leader is the old one")
    fluxhook.rolled_out()


@alone
def case_without_its_permissions_the_server_says_which_one_is_missing(namespace):
    # a certificate of one's own: without a right to its Secret the server would never be ready
    fluxhook.certificate()
    with fluxhook.installed(*fluxhook.given(), "--set", "rbac.create=false"):
        send(namespace, "create", jobset("waits", ["true"]))
        said = until(lambda: [line for line in fluxhook.logs().splitlines() if "forbidden" in line], "a word of it")
        expect(all(f"system:serviceaccount:{NAMESPACE}:fluxhook" in line for line in said), f"the log says {said}")
    kubectl("delete", "secret", "fluxhook-cert", "--namespace", NAMESPACE)
    completes(namespace, "waits", 240)


@alone
def case_the_servers_account_can_create_Secrets_and_read_none_but_its_own(namespace):
    kubectl("create", "secret", "generic", "users", "--from-literal", "password=x", "--namespace", namespace)
    token = kubectl("create", "token", "fluxhook", "--namespace", NAMESPACE).strip()
    clusters = json.loads(kubectl("config", "view", "--raw", "--output", "json"))["clusters"]
    account = {"apiVersion": "v1", "kind": "Config", "clusters": clusters, "current-context": "account",
               "users": [{"name": "account", "user": {"token": token}}],
               "contexts": [{"name": "account", "context": {"cluster": clusters[0]["name"], "user": "account"}}]}
    path = fluxhook.FILES / "account.kubeconfig"
    path.write_text(json.dumps(account))
    as_account = ("--kubeconfig", str(path), "--namespace", namespace)
    for words in (["get", "secret", "users"], ["get", "secrets"], ["get", "secrets", "--all-namespaces"],
                  ["delete", "secret", "users"], ["create", "token", "default"], ["get", "pods"],
                  ["label", "secret", "users", "a=b"]):
        said = refused(*as_account, *words)
        expect("Forbidden" in said or "forbidden" in said, f"kubectl {' '.join(words)}: {said}")
    kubectl(*as_account, "get", "jobsets")
    kubectl(*as_account, "create", "secret", "generic", "new")


LEFT = {f"namespace/{NAMESPACE}", "secret/fluxhook-curve-key"}


@alone
def case_helm_uninstall_leaves_nothing_but_the_master_key(namespace):
    send(namespace, "create", jobset("runs"))
    running(namespace, "runs", 2)
    kinds = kubectl("api-resources", "--verbs", "list", "--output", "name").split()
    kinds = ",".join(kind for kind in kinds if not kind.startswith("events") and "visibility" not in kind)
    fluxhook.helm("uninstall", "fluxhook", "--wait")
    try:
        until(lambda: not fluxhook.server_pods(), "the end of its pods", 60)
        left = kubectl("get", kinds, "--all-namespaces", "--ignore-not-found", "--output", "name").split()
        left = {name for name in left if "fluxhook" in name} - LEFT
        expect(not left, f"there is still {sorted(left)}")
        expect(len(pods(namespace, "runs")) == 2, "a running JobSet has lost its pods")
        send(namespace, "create", jobset("without", ["true"]))
        expect(INJECTED not in jobset_of(namespace, "without")["metadata"].get("annotations", {}), "it is injected")
    finally:
        fluxhook.install()
    send(namespace, "create", jobset("again", ["true"]))
    completes(namespace, "again")
