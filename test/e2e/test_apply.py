"""What clients send: apply, replace, edit, dry runs, generated names."""
import json

from harness import (completes, curve, expect, generation, get, items, jobset_of, kubectl, refused, running, until)
from objects import APP, INJECTED, jobset

WAYS = {"by kubectl apply": ["apply"], "by server-side apply": ["apply", "--server-side"],
        "by kubectl replace": ["replace"]}


def send(namespace, way, manifest):
    return kubectl(*WAYS.get(way, [way]), "--namespace", namespace, "--filename", "-", stdin=manifest)


def stays(namespace, name, act, what):
    """That `act` changes nothing but the metadata of the JobSet."""
    before = jobset_of(namespace, name)
    act()
    after = jobset_of(namespace, name)
    expect(after["metadata"]["generation"] == before["metadata"]["generation"], f"{what} moves the generation")
    expect(after["spec"] == before["spec"], f"{what} changes the spec")
    expect(after["metadata"]["annotations"][INJECTED] == before["metadata"]["annotations"][INJECTED],
           f"{what} changes the annotation {INJECTED}")


def edit(namespace, name, expression):
    """kubectl edit with sed as the editor."""
    kubectl("edit", "jobset", name, "--namespace", namespace, environment={"KUBE_EDITOR": f"sed -i {expression}"})


def case_a_manifest_applied_again_three_times_changes_nothing(namespace, way):
    manifest = jobset("again")
    send(namespace, "create" if way == "by kubectl replace" else way, manifest)
    running(namespace, "again", 2)
    for _ in range(3):
        stays(namespace, "again", lambda: send(namespace, way, manifest), f"the manifest {way}")


case_a_manifest_applied_again_three_times_changes_nothing.ways = list(WAYS)


def case_a_label_can_be_edited(namespace):
    manifest = jobset("edited", labels={"team": "blue"})
    send(namespace, "apply", manifest)
    stays(namespace, "edited", lambda: edit(namespace, "edited", "s/blue/red/"), "kubectl edit")
    expect(jobset_of(namespace, "edited")["metadata"]["labels"]["team"] == "red", "the label is not edited")
    stays(namespace, "edited", lambda: kubectl("label", "jobset", "edited", "more=yes", "--namespace", namespace),
          "kubectl label")


def case_a_changed_image_is_refused_by_JobSet_in_its_own_words(namespace):
    manifest = jobset("image")
    send(namespace, "apply", manifest)
    template = manifest["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["spec"]["containers"][0]["image"] = APP + "-2"
    said = refused("apply", "--namespace", namespace, "--filename", "-", stdin=manifest)
    expect("field is immutable" in said and "fluxhook" not in said, f"kubectl says: {said}")


def case_five_JobSets_with_generateName_get_five_names_and_run(namespace):
    names = {json.loads(kubectl("create", "--namespace", namespace, "--filename", "-", "--output", "json",
                                stdin=jobset("run-", ["true"], 1, generated=True)))["metadata"]["name"]
             for _ in range(5)}
    expect(len(names) == 5 and all(name.startswith("run-") for name in names), f"the names are {names}")
    for name in names:
        completes(namespace, name)


def case_a_dry_run_shows_the_injection_and_stores_nothing(namespace):
    shown = json.loads(kubectl("create", "--dry-run=server", "--output", "json", "--namespace", namespace, "--filename",
                               "-", stdin=jobset("dry")))
    expect(INJECTED in shown["metadata"]["annotations"], "the dry run shows no injection")
    expect(get(namespace, "jobset", "dry") is None, "the dry run stored the JobSet")
    expect(get(namespace, "configmap", "dry-flux-entrypoint") is None, "the dry run stored a ConfigMap")


def case_a_JobSet_created_again_under_its_name_gets_a_key_of_its_own(namespace):
    send(namespace, "create", jobset("twice", ["true"]))
    completes(namespace, "twice")
    first = curve(namespace, "twice")
    kubectl("delete", "jobset", "twice", "--namespace", namespace)
    send(namespace, "create", jobset("twice", ["true"]))
    completes(namespace, "twice")
    second = curve(namespace, "twice")
    expect(first[0] != second[0], "both have one key")
    uid = jobset_of(namespace, "twice")["metadata"]["uid"]
    for kind, name in (("secret", "twice-flux-curve"), ("configmap", "twice-flux-entrypoint")):
        owners = get(namespace, kind, name)["metadata"]["ownerReferences"]
        expect([owner["uid"] for owner in owners] == [uid], f"the {kind} belongs to {owners}")


def case_what_was_made_for_a_JobSet_goes_with_it(namespace):
    send(namespace, "create", jobset("gone"))
    running(namespace, "gone", 2)
    kubectl("delete", "jobset", "gone", "--namespace", namespace)
    until(lambda: not items(namespace, "secrets,pods"), "the end of the Secret and the pods")
    left = [found["metadata"]["name"] for found in items(namespace, "configmaps")]
    expect(left == ["kube-root-ca.crt"], f"the ConfigMaps {left} are left")


def case_two_JobSets_of_one_name_live_in_two_namespaces(namespace, other):
    for where in (namespace, other):
        send(where, "create", jobset("same", ["true"]))
    for where in (namespace, other):
        completes(where, "same")
    expect(curve(namespace, "same")[0] != curve(other, "same")[0], "both have one key")


def case_an_unlabelled_JobSet_is_left_alone(namespace):
    manifest = jobset("plain", ["true"])
    del manifest["metadata"]["labels"]
    send(namespace, "create", manifest)
    completes(namespace, "plain")
    expect(INJECTED not in jobset_of(namespace, "plain")["metadata"].get("annotations", {}), "it is injected")
    expect(generation(namespace, "plain") == 1, "its generation moves")


def case_a_wrong_setting_is_refused_with_the_field_and_what_would_be_right(namespace):
    said = refused("create", "--namespace", namespace, "--filename", "-", stdin=jobset(
        "wrong", annotations={"flux-framework.org/num-proc-per-node": "0"}))
    expect("metadata.annotations[flux-framework.org/num-proc-per-node]: Invalid value: \"0\"" in said and
           "must be greater than or equal to 1" in said, f"kubectl says: {said}")
