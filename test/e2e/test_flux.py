"""What only a real Flux shows: its tasks, its scheduler and MPI. Without scripts/e2e --view there are no such cases."""
import json
import re

from harness import booted, completes, ends, expect, inside, logs, pods
from objects import jobset
from test_apply import send
from test_pods import name_of

LIMIT = {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "100m"}}}
TASK = 'echo "task $FLUX_TASK_RANK of $FLUX_JOB_SIZE on $(uname -n)"'


def output(namespace, name, seconds=180):
    """The log of the lead of a JobSet that completes within so many seconds."""
    completes(namespace, name, seconds)
    return logs(namespace, name_of(pods(namespace, name)[0]))


def case_each_node_runs_its_tasks(namespace):
    send(namespace, "create", jobset("tasks", ["sh", "-c", TASK], annotations={
        "flux-framework.org/num-proc-per-node": "2"}))
    said = re.findall(r"task (\d) of 4 on (\S+)", output(namespace, "tasks"))
    expect(sorted(said) == [("0", "tasks-node-0-0"), ("1", "tasks-node-0-0"), ("2", "tasks-node-0-1"),
                            ("3", "tasks-node-0-1")], f"the tasks say {said}")


def case_one_failing_task_of_four_is_the_jobs_status(namespace):
    send(namespace, "create", jobset("one-of-four", ["sh", "-c", "exit $((FLUX_TASK_RANK == 3 ? 3 : 0))"], annotations={
        "flux-framework.org/num-proc-per-node": "2"}))
    expect(ends(namespace, "one-of-four") == "Failed", "it completes")


def case_MPI_is_one_world_over_two_nodes_with_a_CPU_each(namespace, mpi):
    send(namespace, "create", jobset("ring", [f"ring.{mpi}"], container={
        **LIMIT, "env": [{"name": "OMPI_MCA_btl", "value": "tcp,self"}]}))
    said = output(namespace, "ring")
    expect("sum of 2 ranks: 1" in said, f"it is no world of two: {said}")  # 0 + 1
    for rank in range(2):
        expect(f"rank {rank} on ring-node-0-{rank}" in said, f"the ranks are elsewhere: {said}")
    expect({"mpich": "MPICH", "openmpi": "Open MPI"}[mpi] in said, f"it is another library: {said}")


def case_MPI_is_one_world_of_two_tasks_on_each_of_four_nodes(namespace, mpi):
    send(namespace, "create", jobset("ring", [f"ring.{mpi}"], 4, annotations={
        "flux-framework.org/num-proc-per-node": "2"}))
    said = output(namespace, "ring")
    expect("sum of 8 ranks: 28" in said, f"it is no world of eight: {said}")  # 0 + 1 + … + 7
    expect(all(f"on ring-node-0-{node}\n" in said for node in range(4)), f"the ranks are elsewhere: {said}")


case_MPI_is_one_world_over_two_nodes_with_a_CPU_each.ways = ["mpich", "openmpi"]
case_MPI_is_one_world_of_two_tasks_on_each_of_four_nodes.ways = ["mpich", "openmpi"]


def case_Fluxion_schedules_with_the_policy_that_was_set(namespace):
    send(namespace, "create", jobset("easy", annotations={
        "flux-framework.org/queue-policy": "easy", "flux-framework.org/interactive": "true"}))
    lead = name_of(booted(namespace, "easy", 2)[0])
    modules = inside(namespace, lead, "flux module list").stdout
    expect("sched-fluxion-qmanager" in modules and "sched-simple" not in modules, f"the modules are {modules}")
    said = inside(namespace, lead, "flux module stats sched-fluxion-qmanager").stdout
    expect(json.loads(said)["queues"]["default"]["policy"] == "easy", f"the queue manager says {said}")


def case_an_interactive_cluster_shows_its_resources_and_runs_what_is_typed(namespace):
    send(namespace, "create", jobset("typed", annotations={"flux-framework.org/interactive": "true"}))
    lead = name_of(booted(namespace, "typed", 2)[0])
    said = inside(namespace, lead, "flux resource list --no-header --states=free --format='{nnodes} {ncores} {nodelist}'")
    expect(said.stdout.split() == ["2", "2", "typed-node-0-[0-1]"], f"flux resource list says {said}")
    for where in ("", "flux proxy $fluxsocket "):
        said = inside(namespace, lead, f"{where}flux run -N2 uname -n")
        expect(sorted(said.stdout.split()) == ["typed-node-0-0", "typed-node-0-1"], f"{where}flux run says {said}")
    inside(namespace, lead, "flux shutdown")
    completes(namespace, "typed")


def case_a_user_without_a_passwd_entry_can_start_programs_by_hand(namespace):
    send(namespace, "create", jobset("nobody", annotations={"flux-framework.org/interactive": "true"},
                                     container={"securityContext": {"runAsUser": 12345, "runAsNonRoot": True}}))
    lead = name_of(booted(namespace, "nobody", 2)[0])
    said = inside(namespace, lead, "flux run -N2 id -u")
    expect(said.stdout.split() == ["12345", "12345"], f"flux run says {said}")
