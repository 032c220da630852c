"""JobSets that wait: suspended, queued by Kueue, or made by Trainer."""
import time

from harness import completes, expect, generation, get, jobset_of, kubectl, pods, running, until
from objects import APP, INJECTED, LABEL, QUEUED, jobset, queue, runtime, trainjob
from test_apply import edit, send, stays


def nothing_stored(namespace, name):
    expect(get(namespace, "configmap", f"{name}-flux-entrypoint") is None, f"a ConfigMap is stored for {name}")
    expect(get(namespace, "secret", f"{name}-flux-curve") is None, f"a Secret is stored for {name}")


def containers(namespace, name):
    template = jobset_of(namespace, name)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return template["containers"], template["initContainers"], template["volumes"]


def node_selector(namespace, name):
    template = jobset_of(namespace, name)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return template.get("nodeSelector")


def suspend(namespace, name, is_suspended):
    kubectl("patch", "jobset", name, "--namespace", namespace, "--type", "merge", "--patch",
            '{"spec": {"suspend": %s}}' % ("true" if is_suspended else "false"))


def admit(namespace, policy):
    kubectl("patch", "clusterqueue", namespace, "--type", "merge", "--patch",
            '{"spec": {"stopPolicy": "%s"}}' % policy)


def case_nothing_is_stored_for_a_suspended_JobSet_which_can_be_resumed_and_suspended(namespace):
    send(namespace, "create", jobset("asleep", spec={"suspend": True}))
    time.sleep(3)
    nothing_stored(namespace, "asleep")
    suspend(namespace, "asleep", False)
    running(namespace, "asleep", 2)
    suspend(namespace, "asleep", True)
    until(lambda: not pods(namespace, "asleep"), "the end of the suspended pods")
    suspend(namespace, "asleep", False)
    running(namespace, "asleep", 2)


def case_Kueue_admits_evicts_and_admits_again_and_the_containers_stay_as_they_are(namespace):
    kubectl("apply", "--filename", "-", stdin=queue(namespace))
    send(namespace, "create", jobset("queued", **QUEUED))
    until(lambda: jobset_of(namespace, "queued")["spec"].get("suspend"), "Kueue holds the JobSet")
    time.sleep(3)
    nothing_stored(namespace, "queued")
    first = containers(namespace, "queued")
    for _ in range(2):
        admit(namespace, "None")
        running(namespace, "queued", 2)
        expect(containers(namespace, "queued") == first, "the admission changes the containers")
        expect(node_selector(namespace, "queued") == {"kubernetes.io/os": "linux"}, "the flavor's label is missing")
        admit(namespace, "HoldAndDrain")
        until(lambda: not pods(namespace, "queued"), "the end of the evicted pods")
        expect(containers(namespace, "queued") == first, "the eviction changes the containers")
        until(lambda: not node_selector(namespace, "queued"), "the flavor's label is gone")


def case_a_queued_manifest_can_be_applied_and_edited_before_and_after_its_admission(namespace):
    kubectl("apply", "--filename", "-", stdin=queue(namespace))
    manifest = jobset("waits", **QUEUED)
    manifest["metadata"]["labels"]["team"] = "blue"
    send(namespace, "apply", manifest)
    until(lambda: jobset_of(namespace, "waits")["spec"].get("suspend"), "Kueue holds the JobSet")
    stays(namespace, "waits", lambda: send(namespace, "apply", manifest), "kubectl apply of the queued manifest")
    stays(namespace, "waits", lambda: edit(namespace, "waits", "s/blue/red/"), "the queued one's kubectl edit")
    admit(namespace, "None")
    running(namespace, "waits", 2)
    for way in ("by kubectl apply", "by kubectl replace"):
        stays(namespace, "waits", lambda way=way: send(namespace, way, manifest), f"the admitted manifest {way}")
    stays(namespace, "waits", lambda: edit(namespace, "waits", "s/blue/red/"), "the admitted one's kubectl edit")
    expect(len(running(namespace, "waits", 2)) == 2, "the pods don't run any more")


def resource_version(namespace, name):
    return jobset_of(namespace, name)["metadata"]["resourceVersion"]


def settled_version(namespace, name):
    """The version of a JobSet whose status says all that there is to say: five seconds without a change."""
    def settled():
        version = resource_version(namespace, name)
        time.sleep(5)
        return version == resource_version(namespace, name) and version
    return until(settled, f"JobSet {name} is not written for a while")


POD = {"containers": [{"name": "node", "image": APP, "command": ["sleep", "600"]}], "terminationGracePeriodSeconds": 12}


def case_a_TrainJob_over_a_labelled_runtime_runs_and_is_stable_for_a_minute(namespace):
    send(namespace, "create", runtime("flux", {"numNodes": 2}, POD, {LABEL: "true"}))
    send(namespace, "create", trainjob("train", "flux", {"numNodes": 2}))
    running(namespace, "train", 2)
    expect(INJECTED in jobset_of(namespace, "train")["metadata"]["annotations"], "the JobSet is not injected")
    before = generation(namespace, "train"), get(namespace, "trainjob", "train")["metadata"]["generation"]
    version = settled_version(namespace, "train")
    time.sleep(60)
    after = generation(namespace, "train"), get(namespace, "trainjob", "train")["metadata"]["generation"]
    expect(before == after, f"the generations of JobSet and TrainJob go from {before} to {after}")
    expect(version == resource_version(namespace, "train"), "somebody goes on writing the JobSet")


def case_a_TrainJob_runs_to_its_end(namespace):
    pod = {**POD, "containers": [{**POD["containers"][0], "command": ["echo", "trained"]}]}
    send(namespace, "create", runtime("flux", {"numNodes": 2}, pod, {LABEL: "true"}))
    send(namespace, "create", trainjob("done", "flux", {"numNodes": 2}))
    until(lambda: get(namespace, "jobset", "done"), "Trainer makes the JobSet")
    completes(namespace, "done")
    until(lambda: any(c["type"] == "Complete" and c["status"] == "True"
                      for c in get(namespace, "trainjob", "done").get("status", {}).get("conditions", [])),
          "the TrainJob is Complete")


def case_the_JobSets_of_Trainers_own_Flux_plugin_are_left_alone(namespace):
    policy = {"numNodes": 2, "flux": {"numProcPerNode": 1}}
    send(namespace, "create", runtime("own", policy, POD, {LABEL: "true"}))
    send(namespace, "create", trainjob("plugin", "own", {"numNodes": 2}))
    until(lambda: get(namespace, "jobset", "plugin"), "Trainer makes the JobSet")
    made = jobset_of(namespace, "plugin")
    expect(INJECTED not in made["metadata"].get("annotations", {}), "it is injected once more")
    _, installers, _ = containers(namespace, "plugin")
    expect(["ghcr.io" in i["image"] for i in installers if i["name"] == "flux-installer"] == [True],
           f"its init containers are {installers}")
    time.sleep(5)
    expect(get(namespace, "jobset", "plugin")["metadata"]["generation"] == made["metadata"]["generation"],
           "its generation moves")
