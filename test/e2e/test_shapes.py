"""JobSets of other shapes than one replicatedJob of two pods, and other policies, that run to their end."""
import copy

from harness import (completes, ends, expect, inside, items, kubectl, lead_says, logs, pods, running, until)
from objects import jobset
from test_apply import send
from test_pods import RUNS, exit_code, name_of

SPREAD = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
    "topologyKey": "kubernetes.io/hostname",
    "labelSelector": {"matchLabels": {"jobset.sigs.k8s.io/jobset-name": "hosts"}}}]}}


def hosts_file(namespace, pod):
    """The hosts in the configuration of a pod's broker."""
    return inside(namespace, pod, "grep '^hosts' /etc/flux-config/broker.toml").stdout


def case_two_replicatedJobs_are_one_instance(namespace):
    manifest = jobset("pair", RUNS, annotations={"flux-framework.org/replicated-jobs": "node,others"})
    both = manifest["spec"]["replicatedJobs"]
    both.append({**copy.deepcopy(both[0]), "name": "others"})
    send(namespace, "create", manifest)
    lead_says(namespace, "pair", "running in /")
    found = running(namespace, "pair", 4)
    hosts = hosts_file(namespace, name_of(found[0]))
    expect("pair-node-0-[0-1]" in hosts and "pair-others-0-[0-1]" in hosts, f"the hosts are {hosts}")


def case_replicas_of_a_replicatedJob_are_one_instance(namespace):
    manifest = jobset("twins", RUNS)
    manifest["spec"]["replicatedJobs"][0]["replicas"] = 2
    send(namespace, "create", manifest)
    # index 0 is in both Jobs
    until(lambda: any("running in /" in logs(namespace, name_of(pod)) for pod in pods(namespace, "twins")),
          "the lead says that the job runs")
    expect(len({pod["metadata"]["labels"]["job-name"] for pod in running(namespace, "twins", 4)}) == 2,
           "it has not two Jobs")


def case_the_leads_success_completes_the_JobSet(namespace):
    send(namespace, "create", jobset("leads", ["true"], annotations={"flux-framework.org/complete-on": "leader"}))
    completes(namespace, "leads")


def case_pods_that_restart_on_failure_run(namespace):
    manifest = jobset("stubborn", ["echo", "it ran"], pod={"restartPolicy": "OnFailure"})
    manifest["spec"]["replicatedJobs"][0]["template"]["spec"]["backoffLimit"] = 6
    send(namespace, "create", manifest)
    completes(namespace, "stubborn", 240)
    expect("it ran" in logs(namespace, name_of(pods(namespace, "stubborn")[0])), "the lead's log lacks the output")


def case_tasks_of_deleted_pods_have_the_time_for_a_checkpoint(namespace):
    task = "trap 'sleep 15; echo checkpoint written; exit 0' TERM; echo running in $PWD; while :; do sleep 0.2; done"
    send(namespace, "create", jobset("saves", ["sh", "-c", task], pod={"terminationGracePeriodSeconds": 40}))
    lead_says(namespace, "saves", "running in /")
    both = running(namespace, "saves", 2)
    kubectl("delete", "pods", "--all", "--wait=false", "--namespace", namespace)
    said = kubectl("logs", "--follow", name_of(both[0]), "--namespace", namespace)
    expect("checkpoint written" in said, f"the lead says {said}")
    expect(ends(namespace, "saves") == "Failed", "it completes")
    expect(not items(namespace, "jobs")[0]["status"].get("succeeded"), "an index counts as succeeded")


def case_pods_run_in_their_nodes_network(namespace):
    send(namespace, "create", jobset("hosts", ["echo", "it ran"], pod={
        "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet", "affinity": SPREAD}))
    end = ends(namespace, "hosts")
    expect(end == "Completed", f"it ends as {end}: {[exit_code(pod) for pod in pods(namespace, 'hosts')]}")
    expect("it ran" in logs(namespace, name_of(pods(namespace, "hosts")[0])), "the lead's log lacks the output")


case_pods_run_in_their_nodes_network.alone = True  # their port is the node's
