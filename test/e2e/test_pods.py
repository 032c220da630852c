"""Injected pods that run: Flux, or the stand-in for it, boots over two nodes, and a job's end is the JobSet's."""
from harness import (REAL, booted, completes, ends, events, expect, get, has_condition, inside, items, kill, kubectl,
                     lead_says, logs, new_namespace, pods, refused, running, until)
from objects import APP, RESTRICTED, jobset
from test_apply import send

NEVER_READY = {"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 1}}


def name_of(pod):
    return pod["metadata"]["name"]


def exit_code(pod):
    state = pod["status"]["containerStatuses"][0]["state"]
    return state.get("terminated", {}).get("exitCode")


RUNS = ["sh", "-c", "echo running in $PWD; exec sleep 600"]  # says "running in /" once it does


def fails_after(namespace, name, act):
    """That the JobSet ends as Failed after `act`, with no pod that counts as succeeded."""
    send(namespace, "create", jobset(name, RUNS))
    lead_says(namespace, name, "running in /")
    act(running(namespace, name, 2))
    end = ends(namespace, name)
    jobs = items(namespace, "jobs")
    expect(end == "Failed", f"the JobSet ends as {end}")
    expect(not any(job["status"].get("succeeded") for job in jobs), "an index counts as succeeded")
    until(lambda: all(p["status"]["phase"] in ("Failed", "Succeeded") for p in pods(namespace, name)),
          "the end of all pods", 40)


def case_a_Flux_instance_boots_over_two_nodes_before_any_pod_is_ready(namespace):
    send(namespace, "create", jobset("boots", RUNS, container=NEVER_READY))
    log = lead_says(namespace, "boots", "running in /")
    booted(namespace, "boots", 2)
    if not REAL:
        expect("rank 1 is boots-node-0-1.boots." in log and "<nil>" in log, f"the lead says {log}")
    both = running(namespace, "boots", 2)
    expect(len({pod["spec"]["nodeName"] for pod in both}) == 2, "both pods are on one node")
    expect(not any(c["ready"] for pod in both for c in pod["status"]["containerStatuses"]), "a pod is ready")


def case_a_job_over_four_brokers_ends_well(namespace):
    send(namespace, "create", jobset("four", ["echo", "the job runs"], 4))
    completes(namespace, "four")
    expect("the job runs" in logs(namespace, name_of(pods(namespace, "four")[0])), "the lead's log lacks the output")


def case_dev_shm_is_writable_and_the_views_folders_are_there(namespace):
    command = "echo kept >/dev/shm/file && cat /dev/shm/file && ls /mnt/flux/flux-view.sh"
    send(namespace, "create", jobset("shm", ["sh", "-c", command]))
    completes(namespace, "shm")
    expect("kept" in logs(namespace, name_of(pods(namespace, "shm")[0])), "/dev/shm took nothing")


def case_the_command_arrives_word_by_word(namespace):
    words = ["it's", 'a "word"', "$HOME", "`id`", "{{id}}", "*", "", "two\nlines", "é", "-n", "--", "\\", ";", "a  b"]
    send(namespace, "create", jobset("words", ["printf", "<%s>", *words], 1))
    completes(namespace, "words")
    log = logs(namespace, name_of(pods(namespace, "words")[0]))
    expect("".join(f"<{word}>" for word in words) in log, f"the job got {log}")


# Kubernetes makes one $ of two.
STATUSES = {"3": "exit 3", "139 of SIGSEGV": "kill -SEGV $$$$", "143 of SIGTERM": "kill -TERM $$$$",
            "127 of a missing program": "exec no-such-program"}


def case_the_jobs_exit_status_is_the_pods_and_fails_the_JobSet(namespace, status):
    send(namespace, "create", jobset("status", ["sh", "-c", STATUSES[status]]))
    expect(ends(namespace, "status") == "Failed", "it completes")
    codes = [exit_code(pod) for pod in pods(namespace, "status")]
    expect(int(status.split()[0]) in codes and 0 not in codes, f"the pods end with {codes}")
    expect(items(namespace, "jobs")[0]["status"].get("succeeded") is None, "an index counts as succeeded")


case_the_jobs_exit_status_is_the_pods_and_fails_the_JobSet.ways = list(STATUSES)


def case_a_task_that_takes_too_much_memory_fails_the_job(namespace):
    send(namespace, "create", jobset("greedy", ["tail", "/dev/zero"],
                                     container={"resources": {"limits": {"memory": "64Mi"}}}))
    expect(ends(namespace, "greedy") == "Failed", "it completes")
    codes = [exit_code(pod) for pod in pods(namespace, "greedy")]
    expect(137 in codes and 0 not in codes, f"the pods end with {codes}")


def case_a_ConfigMap_of_somebody_elses_is_left_alone_and_an_Event_says_so(namespace):
    name = "taken-flux-entrypoint"
    kubectl("create", "configmap", name, "--from-literal", "mine=yes", "--namespace", namespace)
    send(namespace, "create", jobset("taken", ["true"]))
    until(lambda: any(name in text for text in events(namespace, "JobSet", "taken")), f"an Event that names {name}")
    expect(get(namespace, "configmap", name)["data"] == {"mine": "yes"}, "the ConfigMap is changed")


def case_a_Secret_of_somebody_elses_is_left_alone_and_the_pods_say_what_to_do(namespace):
    name = "stolen-flux-curve"
    certificate = 'curve.cert=metadata\n    name = "x"\ncurve\n    public-key = "%s"\n' % ("a" * 40)
    kubectl("create", "secret", "generic", name, "--from-literal", certificate, "--namespace", namespace)
    send(namespace, "create", jobset("stolen", ["true"]))
    until(lambda: any(name in text for text in events(namespace, "JobSet", "stolen")), f"an Event that names {name}")
    expect(ends(namespace, "stolen") == "Failed", "it completes")
    said = [pod["status"]["containerStatuses"][0]["state"]["terminated"] for pod in pods(namespace, "stolen")]
    expect(any(end["exitCode"] == 105 and f"the Secret {name} holds another" in end["message"] for end in said),
           f"the pods end with {said}")
    expect("ownerReferences" not in get(namespace, "secret", name)["metadata"], "the Secret is taken over")


def case_an_Event_says_that_the_namespaces_quota_is_used_up(namespace):
    kubectl("create", "quota", "none", "--hard", "count/secrets=0", "--namespace", namespace)
    until(lambda: get(namespace, "resourcequota", "none").get("status", {}).get("used"), "the quota counts")
    send(namespace, "create", jobset("poor", ["true"]))
    until(lambda: any("quota" in text for text in events(namespace, "JobSet", "poor")), "an Event that names the quota")


def case_a_deleted_pod_fails_the_job(namespace, role):
    fails_after(namespace, "deleted", lambda both: kubectl(
        "delete", "pod", name_of(both[ROLES.index(role)]), "--namespace", namespace))


def case_a_killed_broker_fails_the_job(namespace, role):
    fails_after(namespace, "broker", lambda both: kubectl(
        "exec", name_of(both[ROLES.index(role)]), "--namespace", namespace, "--", "sh", "-c",
        "(sleep 1; kill -KILL $(ps | awk '/[b]roker --config/ { print $1 }')) >/dev/null 2>&1 &"))  # when kubectl has left


def case_a_killed_pod_fails_the_job(namespace, role):
    fails_after(namespace, "killed", lambda both: kill(namespace, name_of(both[ROLES.index(role)])))


ROLES = ["the lead", "a follower"]
case_a_deleted_pod_fails_the_job.ways = ROLES
case_a_killed_broker_fails_the_job.ways = ROLES
case_a_killed_pod_fails_the_job.ways = ROLES


def case_a_pod_that_is_deleted_before_all_are_there_does_not_count_as_succeeded(namespace):
    manifest = jobset("early", pods=2, pod={"nodeSelector": {"kubernetes.io/hostname": "node1"}, "affinity": {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": {"jobset.sigs.k8s.io/jobset-name": "early"}}}]}}})
    send(namespace, "create", manifest)  # the second pod has no node to run on
    alone = until(lambda: [p for p in pods(namespace, "early") if p["status"]["phase"] == "Running"], "one pod")
    until(lambda: inside(namespace, name_of(alone[0]), "test -S /mnt/flux/config/run/flux/local").returncode == 0,
          "its broker")
    kubectl("delete", "pod", name_of(alone[0]), "--namespace", namespace)
    expect(ends(namespace, "early") == "Failed", "it completes")
    expect(not items(namespace, "jobs")[0]["status"].get("succeeded"), "an index counts as succeeded")


def case_a_drained_node_fails_the_job(namespace):
    node = "node2"
    try:
        def act(both):
            expect({pod["spec"]["nodeName"] for pod in both} == {"node1", "node2"}, "both pods are on one node")
            kubectl("drain", node, "--force", "--delete-emptydir-data", "--ignore-daemonsets", "--timeout", "60s",
                    "--pod-selector", "jobset.sigs.k8s.io/jobset-name=drained")
        fails_after(namespace, "drained", act)
    finally:
        kubectl("uncordon", node)


case_a_drained_node_fails_the_job.alone = True


def case_the_second_attempt_of_a_JobSet_is_clean(namespace):
    attempt = {"name": "ATTEMPT", "valueFrom": {"fieldRef": {
        "fieldPath": "metadata.labels['jobset.sigs.k8s.io/restart-attempt']"}}}
    send(namespace, "create", jobset("second", ["sh", "-c", "exit $((3 - 3 * ATTEMPT))"], container={"env": [attempt]},
                                     spec={"failurePolicy": {"maxRestarts": 1}}))
    completes(namespace, "second", 180)
    expect(get(namespace, "jobset", "second")["status"]["restarts"] == 1, "it was not restarted once")


def case_pods_run_in_a_namespace_with_restricted_Pod_Security():
    namespace = new_namespace(**{"pod-security.kubernetes.io/enforce": "restricted"})
    send(namespace, "create", jobset("restricted", ["id", "-u"], container={"securityContext": RESTRICTED}))
    completes(namespace, "restricted")
    expect("12345" in logs(namespace, name_of(pods(namespace, "restricted")[0])), "the job has another user")
    kubectl("delete", "namespace", namespace, "--wait=false")


def case_pods_run_with_an_fsGroup_as_any_user(namespace):
    send(namespace, "create", jobset("group", ["id"], container={"securityContext": RESTRICTED},
                                     pod={"securityContext": {"fsGroup": 4711}}))
    completes(namespace, "group")


def case_an_interactive_cluster_runs_a_job_by_hand_and_ends_by_flux_shutdown(namespace):
    manifest = jobset("by-hand", annotations={"flux-framework.org/interactive": "true"})
    send(namespace, "create", manifest)
    lead = name_of(booted(namespace, "by-hand", 2)[0])
    said = inside(namespace, lead, "flux run -n1 -- echo by hand")
    expect("by hand" in said.stdout, f"flux run says {said}")
    inside(namespace, lead, "flux shutdown")
    completes(namespace, "by-hand")


HOSTILE = ["x", "a--b", "flux", "lead-0", "node-0-0", "n" * 40]
REFUSED = ["0", "1-2", "a.b", "n" * 60, "UPPER", "-a"]


def case_hostile_names_run_or_are_refused(namespace):
    for name in HOSTILE:
        send(namespace, "create", jobset(name, ["true"]))
    for name in HOSTILE:
        completes(namespace, name, 240)
    for name in REFUSED:
        said = refused("create", "--namespace", namespace, "--filename", "-", stdin=jobset(name, ["true"]))
        expect(name in said, f"kubectl says of {name}: {said}")


def case_the_main_container_is_the_users_image(namespace):
    send(namespace, "create", jobset("mine", ["true"]))
    completes(namespace, "mine")
    spec = pods(namespace, "mine")[0]["spec"]
    expect([c["image"] for c in spec["containers"]] == [APP], "the image is another one")
    expect([c["name"] for c in spec["initContainers"]] == ["flux-installer"], "the init containers are others")
    expect(has_condition(namespace, "mine", "Completed"), "it isn't completed")
