"""What `fluxhook migrate` makes, which test/migrate/cases holds the program to, in a cluster."""
import json

import yaml

from harness import TOP, completes, expect, get, jobset_of, kubectl, pods, until
from objects import APP, INJECTED

CASES = TOP / "test/migrate/cases"
RENDEZVOUS = "rank 0 of 2, learns-node-0-0.learns:23456, node 0 of 2"


def made(case, target, namespace):
    """The documents that a case becomes, for a namespace."""
    text = (CASES / case / f"{target}.yaml").read_text().replace("localhost/app:e2e", APP)  # it may be another
    documents = list(yaml.safe_load_all(text))
    for document in documents:
        document["metadata"]["namespace"] = namespace
    return documents


def create(namespace, document, *more):
    return kubectl("create", "--namespace", namespace, "--validate=strict", *more, "--filename", "-",
                   stdin=json.dumps(document))


def case_the_API_server_JobSet_and_Trainer_take_all_that_migrate_makes(namespace):
    for folder in sorted(CASES.iterdir()):
        for jobset in made(folder.name, "jobset", namespace):
            create(namespace, jobset, "--dry-run=server")
        documents = made(folder.name, "trainjob", namespace)
        for runtime, job in zip(documents[::2], documents[1::2]):
            create(namespace, runtime)  # a TrainJob has to have one
            create(namespace, job, "--dry-run=server")
            kubectl("delete", "trainingruntime", runtime["metadata"]["name"], "--namespace", namespace)


def said(namespace, name):
    """What the lead's log has."""
    lead = pods(namespace, name)[0]
    return kubectl("logs", lead["metadata"]["name"], "--namespace", namespace)


def case_a_migrated_MPIJob_runs_to_its_end_as_a_JobSet(namespace):
    [jobset] = made("runs-mpi", "jobset", namespace)
    create(namespace, jobset)
    completes(namespace, "says-hello")
    expect(INJECTED in jobset_of(namespace, "says-hello")["metadata"]["annotations"], "it is not injected")
    expect("hello all of you" in said(namespace, "says-hello"), "its output is missing")


def case_a_migrated_PyTorchJob_runs_to_its_end_as_a_JobSet(namespace):
    [jobset] = made("runs-torch", "jobset", namespace)
    create(namespace, jobset)
    completes(namespace, "learns")
    expect(RENDEZVOUS in said(namespace, "learns"), "the rendezvous is another")


def case_migrated_jobs_run_to_their_end_as_TrainJobs(namespace):
    for case, name, line in (("runs-mpi", "says-hello", "hello all of you"),
                             ("runs-torch", "learns", RENDEZVOUS)):
        for document in made(case, "trainjob", namespace):
            create(namespace, document)
        until(lambda name=name: get(namespace, "jobset", name), "Trainer makes the JobSet")
        completes(namespace, name)
        expect(INJECTED in jobset_of(namespace, name)["metadata"]["annotations"], f"{name} is not injected")
        expect(line in said(namespace, name), f"{name}: {said(namespace, name)}")
        until(lambda name=name: any(one["type"] == "Complete" and one["status"] == "True" for one in
                                    get(namespace, "trainjob", name).get("status", {}).get("conditions", [])),
              "the TrainJob is Complete")
