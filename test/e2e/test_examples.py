"""examples/ from kubectl apply to their output, with a real Flux. Their images can't be had without a network: scripts/e2e
--examples brings two with Debian's programs under the names that the examples call; the second has Flux too."""
import contextlib
import json
import re

import test_flux
import yaml
from harness import REAL, TOP, booted, completes, expect, get, inside, kubectl, pods, until
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
        few = {"cpu": "50m", "memory": "64Mi"}
        container["resources"]["requests"] = {**container["resources"]["limits"], **few}
        # more tasks than cores: one that polls takes the time of the one that it waits for
        container.setdefault("env", []).append({"name": "OMPI_MCA_mpi_yield_when_idle", "value": "1"})
    return manifests


def apply(namespace, name, image=2):
    """With the image of that number: 2 has what the examples run, 3 has Flux too."""
    for manifest in example(name, REAL[image]):
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
    apply(namespace, "interactive.yaml", 1)
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


def case_the_example_osu_measures_each_size(namespace):
    apply(namespace, "osu.yaml")
    said = output(namespace, "osu-latency")
    expect(said.count("# OSU MPI Latency Test") == 1, f"it is no one benchmark: {said}")
    sizes = [int(size) for size, _ in re.findall(r"^(\d+) +(\d+\.\d+)$", said, re.M)]
    expect(sizes == [1 << power for power in range(23)], f"it measures {sizes}: {said}")


def installs_nothing(namespace, name):
    for pod in pods(namespace, name):
        mounts = [mount["mountPath"] for mount in pod["spec"]["containers"][0]["volumeMounts"]]
        view = "initContainers" in pod["spec"] or "/opt/software" in mounts
        expect(not view, f"{name_of(pod)} gets a view: {mounts}")


def case_the_example_gromacs_runs_with_the_Flux_of_its_image(namespace):
    apply(namespace, "gromacs.yaml", 3)
    said = output(namespace, "gromacs")
    expect(said.count("Using 2 MPI processes") == 1 and "Performance:" in said, f"GROMACS says {said}")
    installs_nothing(namespace, "gromacs")


def case_the_example_of_an_image_with_Flux_runs(namespace):
    apply(namespace, "flux-in-image.yaml", 3)
    said = re.findall(r"task (\d) of job \S+ on flux-in-image-node-0-(\d)", output(namespace, "flux-in-image"))
    expect(sorted(said) == [("0", "0"), ("1", "0"), ("2", "1"), ("3", "1")], f"the tasks are {said}")
    installs_nothing(namespace, "flux-in-image")


def case_the_example_pytorch_adds_up_its_ranks(namespace):
    apply(namespace, "pytorch.yaml")
    said = re.findall(r"rank (\d) of 4: the ranks add up to (\d+)", output(namespace, "pytorch"))
    expect(sorted(said) == [(str(rank), "6") for rank in range(4)], f"the ranks are {said}")


def case_the_example_of_a_migrated_MPIJob_runs(namespace):
    apply(namespace, "mpijob-after.yaml")
    said = output(namespace, "pi")
    ranks = re.findall(r"Rank (\d) on host pi-node-0-(\d)", said)
    expect(sorted(ranks) == [("0", "0"), ("1", "1")] and said.count("Workers: 2") == 1, f"it is no world of two: {said}")
    expect(re.search(r"pi is approximately 3\.14\d", said), f"it computes no pi: {said}")


@contextlib.contextmanager
def gpus(count):
    """Each node has so many, by the word of its status: there is no device, nor a plugin for one."""
    def say(number):
        for node in ("node1", "node2"):
            kubectl("patch", "node", node, "--subresource=status", "--type=merge", "--patch",
                    json.dumps({"status": {kind: {"nvidia.com/gpu": number} for kind in ("capacity", "allocatable")}}))
    say(str(count))
    try:
        yield
    finally:
        say(None)


# In place of lmp_gpu, which a GPU is needed for: what it would find.
FINDS = """
echo "task $FLUX_TASK_RANK on $(uname -n) has GPU $CUDA_VISIBLE_DEVICES"
[ $FLUX_TASK_RANK != 0 ] || flux resource list --no-header --states=all --format='resources: {nnodes} {ncores} {ngpus}'
"""


def case_the_example_gpu_gives_each_task_one_of_its_nodes_GPUs(namespace):
    [manifest] = example("gpu.yaml", REAL[2])
    for container in containers(manifest):
        container.update(command=["sh", "-c", FINDS], args=[])
    with gpus(4):
        send(namespace, "apply", manifest)
        said = output(namespace, "lammps-gpu")
    expect("resources: 2 32 8" in said, f"the instance has others: {said}")
    found = re.findall(r"task (\d) on lammps-gpu-node-0-(\d) has GPU (\d+)$", said, re.M)
    expect(sorted(found) == [(str(task), str(task // 4), str(task % 4)) for task in range(8)], f"the tasks have {found}")
    nodes = sorted(pod["spec"]["nodeName"] for pod in pods(namespace, "lammps-gpu"))
    expect(nodes == ["node1", "node2"], f"the pods are on {nodes}, with four GPUs each")
