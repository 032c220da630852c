"""examples/ from kubectl apply to their output, with a real Flux. Their images can't be had without a network: scripts/e2e
--examples brings one with LAMMPS and mpi4py of Debian, under the names that the examples call."""
import re

import test_flux
import yaml
from harness import REAL, TOP, booted, completes, expect, get, inside, kubectl, until
from objects import APP
from test_apply import send
from test_pods import name_of


def containers(manifest):
    """Of a JobSet, or of a runtime of Trainer's; other documents have none."""
    spec = manifest.get("spec", {})
    if "template" in spec:
        spec = spec["template"]["spec"]
    for replicated in spec.get("replicatedJobs", []):
        yield from replicated["template"]["spec"]["template"]["spec"]["containers"]


def example(name, image):
    """Its documents, with an image that is here, and no more asked of the nodes than two have; the limits stay."""
    manifests = list(yaml.safe_load_all((TOP / "examples" / name).read_text(encoding="utf-8")))
    for container in (one for manifest in manifests for one in containers(manifest)):
        container["image"] = image
        container["resources"]["requests"] = {"cpu": "50m", "memory": "64Mi"}
        # more tasks than cores: one that polls takes the time of the one that it waits for
        container.setdefault("env", []).append({"name": "OMPI_MCA_mpi_yield_when_idle", "value": "1"})
    return manifests


def apply(namespace, name, image=None):
    for manifest in example(name, image or REAL[2]):
        send(namespace, "apply", manifest)


def output(namespace, name):
    """The log of the lead of an example's JobSet."""
    until(lambda: get(namespace, "jobset", name), f"JobSet {name} is made")
    return test_flux.output(namespace, name, 300)


def runs_lammps(said, tasks):
    """That it is one problem on so many tasks, and not one for each."""
    grids = re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", said)
    expect(len(grids) == 1, f"there are {len(grids)} simulations: {said}")
    x, y, z = map(int, grids[0])
    expect(x * y * z == tasks and "Total wall time" in said, f"LAMMPS says {said}")


def case_the_example_of_a_cluster_to_work_in_runs(namespace):
    apply(namespace, "interactive.yaml", APP)
    lead = name_of(booted(namespace, "flux-shell", 4)[0])
    said = inside(namespace, lead, "flux run -N4 -n4 ring.mpich").stdout
    expect("sum of 4 ranks: 6" in said, f"flux run says {said}")
    inside(namespace, lead, "flux shutdown")
    completes(namespace, "flux-shell")


def case_the_example_lammps_runs(namespace):
    apply(namespace, "lammps.yaml")
    runs_lammps(output(namespace, "lammps"), 8)


def case_the_example_mpi4py_runs(namespace):
    apply(namespace, "mpi4py.yaml")
    said = re.findall(r"I am process (\d) of 4 on (\S+)\.", output(namespace, "mpi4py"))
    expect(sorted(said) == [("0", "mpi4py-node-0-0"), ("1", "mpi4py-node-0-0"), ("2", "mpi4py-node-0-1"),
                            ("3", "mpi4py-node-0-1")], f"the processes are {said}")


def case_the_example_of_an_ensemble_runs(namespace):
    apply(namespace, "ensemble.yaml")
    said = re.findall(r"member (\d+) on (\S+)", output(namespace, "ensemble"))
    expect(sorted(int(member) for member, _ in said) == list(range(1, 17)), f"the members are {said}")
    expect({node for _, node in said} == {f"ensemble-node-0-{index}" for index in range(4)}, f"they ran on {said}")


def case_the_example_for_Kueue_runs(namespace):
    try:
        apply(namespace, "kueue.yaml")
        runs_lammps(output(namespace, "queued"), 4)
    finally:
        kubectl("delete", "clusterqueue/flux-queue", "resourceflavor/flux-nodes", "--wait=false", "--ignore-not-found")


def case_the_example_of_a_TrainJob_runs(namespace):
    apply(namespace, "trainjob.yaml")
    runs_lammps(output(namespace, "lammps-train"), 4)
