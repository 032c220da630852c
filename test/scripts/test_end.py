"""How pods end: the job's exit status in every pod, signals, a lead or a follower that is gone."""
import os
import re
import signal

from harness import Failure, Pods, both, contains, equal, image, shells, wait_for

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


def touch(path):
    with open(path, "w", encoding="ascii"):
        pass


def running(scratch, shell, task="sleep", size=2, **options):
    """Pods whose task runs."""
    pods = Pods(scratch, size, APP=image(scratch, shell), **options).start("task", environ={"TASK": task})
    pods.wait_for_text(0, "task runs")
    wait_for("the task's pid", lambda: pods.recorded(0, "task"))
    wait_for("the followers' brokers", lambda: all(pods.recorded(i, "broker.argv") for i in range(size)))
    return pods


@both
def case_every_pod_has_the_jobs_exit_status(scratch, shell):
    for task, status in (("exit 0", 0), ("exit 3", 3), ("signal KILL", 137), ("signal SEGV", 139)):
        pods = Pods(scratch, 3, APP=image(scratch, shell)).start("task", environ={"TASK": task})
        pods.expect(status, status, status)


@both
def case_a_command_that_is_not_there_is_127(scratch, shell):
    Pods(scratch, APP=image(scratch, shell)).start("/no/such/program").expect(127, 127)


@both
def case_a_stopped_lead_cancels_the_job_and_lets_it_finish(scratch, shell):
    for number in SIGNALS:
        pods = running(scratch, shell)
        pods.signal(0, number)
        pods.expect(143, 143)  # the follower was told, though the task ended well
        equal("flux cancel", pods.argv(0, "cancel"), ["cancel", "--all"])
        equal("the task's checkpoint", pods.recorded(0, "checkpoint"), True)
        equal("how often it was cancelled", pods.read(0, "record/cancels"), "cancel\n")


@both
def case_a_job_that_is_on_its_way_is_cancelled_when_it_comes(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    touch(pods.shared + "/slow")
    pods.start("task", environ={"TASK": "sleep"})
    wait_for("flux run", lambda: pods.recorded(0, "run.argv"))
    pods.signal(0, signal.SIGTERM)
    wait_for("flux cancel", lambda: pods.recorded(0, "cancels"))
    os.remove(pods.shared + "/slow")
    pods.expect(143, 143)
    equal("the task's checkpoint", pods.recorded(0, "checkpoint"), True)


@both
def case_all_pods_stopped_at_once_let_the_job_finish(scratch, shell):
    pods = running(scratch, shell, size=3)
    for i in (2, 1, 0):
        pods.signal(i, signal.SIGTERM)
    pods.expect(143, 143, 143)
    equal("the task's checkpoint", pods.recorded(0, "checkpoint"), True)
    equal("a follower told flux to cancel", pods.recorded(1, "cancel.argv"), False)


@both
def case_a_lead_stopped_before_the_job_runs_is_143(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    touch(pods.shared + "/hold")  # no quorum yet
    pods.start("task")
    pods.wait_for_text(0, "broker of the lead")
    wait_for("the follower's broker", lambda: pods.recorded(1, "broker.argv"))
    pods.signal(0, signal.SIGTERM)
    pods.expect(143, 143)
    equal("a job was run", pods.recorded(0, "run.argv"), False)


@both
def case_a_job_that_does_not_stop_is_killed(scratch, shell):
    pods = running(scratch, shell, "stubborn", values={"GRACE": 1})
    pods.signal(0, signal.SIGTERM)
    pods.expect(143, 143)
    equal("flux cancel", pods.argv(0, "cancel"), ["cancel", "--all"])


@both
def case_brokers_that_do_not_stop_are_killed(scratch, shell):
    pods = running(scratch, shell, "stubborn", values={"GRACE": 1})
    touch(pods.shared + "/deaf")
    for i in (0, 1):
        pods.signal(i, signal.SIGTERM)
    pods.expect(143, 143)


@both
def case_a_follower_stopped_alone_is_143_and_waits_for_its_lead(scratch, shell):
    for number in SIGNALS:
        pods = running(scratch, shell)
        pods.signal(1, number)
        wait_for("the follower's question", lambda at=pods: at.recorded(1, "ping.argv"))
        equal("the question", pods.argv(1, "ping"), ["ping", "--rank=0", "--count=1", "broker"])
        equal("where it is asked", pods.env(1, "ping")["FLUX_URI"], "local:///mnt/flux/config/run/flux/local")
        with open(pods.volume(0) + "/record/task", encoding="ascii") as task:
            equal("the task runs on", task.read().strip().isdigit(), True)
        touch(pods.volume(0) + "/record/finish")
        pods.expect(0, 143)
        equal("its broker was stopped before the lead's end", pods.recorded(1, "term"), False)


@both
def case_a_stopped_follower_whose_lead_stays_is_killed_in_time(scratch, shell):
    pods = running(scratch, shell, values={"GRACE": 1})
    pods.signal(1, signal.SIGTERM)
    wait_for("the follower's end", lambda: os.path.exists(pods.run + "/1.rc"))
    touch(pods.volume(0) + "/record/finish")
    with open(pods.run + "/1.rc", encoding="ascii") as rc:
        equal("the follower's status", rc.read().strip(), "143")
    pods.kill()


@both
def case_a_stopped_follower_whose_lead_is_gone_ends(scratch, shell):
    pods = running(scratch, shell)
    touch(pods.shared + "/dead")
    pods.signal(0, signal.SIGKILL)
    pods.signal(1, signal.SIGTERM)
    pods.expect(137, 143)


@both
def case_an_interactive_instance_stops_with_143(scratch, shell):
    for number in SIGNALS:
        pods = Pods(scratch, variant="interactive", APP=image(scratch, shell)).start()
        pods.wait_for_text(0, "broker of the lead")
        wait_for("the follower's broker", lambda at=pods: at.recorded(1, "broker.argv"))
        pods.signal(0, number)
        pods.expect(143, 143)
        equal("flux exec", pods.argv(0, "exec")[:5], ["exec", "-r", "all", "/bin/sh", "-c"])


@both
def case_an_interactive_follower_stopped_alone_is_143(scratch, shell):
    pods = Pods(scratch, variant="interactive", values={"GRACE": 1, "INTERACTIVE": "true"}, APP=image(scratch, shell))
    pods.start()
    pods.wait_for_text(0, "broker of the lead")
    wait_for("the follower's broker", lambda: pods.recorded(1, "broker.argv"))
    pods.signal(1, signal.SIGTERM)
    wait_for("the follower's end", lambda: os.path.exists(pods.run + "/1.rc"))
    touch(pods.shared + "/end")
    pods.expect(0, 143)


@both
def case_a_follower_that_was_not_told_is_143(scratch, shell):
    pods = running(scratch, shell)
    touch(pods.shared + "/end")  # the follower's broker ends well
    wait_for("the follower's end", lambda: os.path.exists(pods.run + "/1.rc"))
    touch(pods.volume(0) + "/record/finish")
    equal("statuses", pods.wait()[1], 143)


@both
def case_a_second_signal_changes_nothing(scratch, shell):
    pods = running(scratch, shell)
    for number in SIGNALS * 20:  # many, so that one comes while another is being handled
        pods.signal(0, number)
    pods.expect(143, 143)
    equal("the task's checkpoint", pods.recorded(0, "checkpoint"), True)


@shells("dash")  # busybox has a sleep of its own
def case_a_follower_whose_lead_is_killed_gives_up(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    pods.fast_sleep()
    pods.start("task", environ={"TASK": "sleep"})
    pods.wait_for_text(0, "task runs")
    wait_for("the lead was seen", lambda: pods.recorded(1, "ping.argv"))
    touch(pods.shared + "/dead")
    pods.signal(0, signal.SIGKILL)
    pods.expect(137, 137)
    contains("the follower's message", pods.log(1), "fluxhook: js-node-0-0 does not answer")


@shells("dash")
def case_a_follower_waits_for_a_lead_that_is_late(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    pods.fast_sleep()
    touch(pods.shared + "/dead")  # as far as the follower can see
    touch(pods.shared + "/hold")
    pods.start("task", environ={"TASK": "exit 4"})
    wait_for("ten questions", lambda: len(waits(pods, 1)) > 10)
    os.remove(pods.shared + "/dead")
    os.remove(pods.shared + "/hold")
    pods.expect(4, 4)


def waits(pods, i):
    """What the scripts of pod I asked sleep for, but for the time limit of a question."""
    if not pods.recorded(i, "sleeps"):
        return []
    return [int(word) for word in re.findall(r"^([1-9]\d*)$", pods.read(i, "record/sleeps"), re.M) if word != "5"]


@shells("dash")
def case_followers_ask_by_chance_and_less_often_the_more_they_are(scratch, shell):
    # brokers, first waits and waits once the lead was seen: half to one and a half of 2 s, 20 s, or NODES / 50
    for nodes, first, later in ((2, (1, 2), (10, 29)), (1000, (10, 29), (10, 29)), (10000, (100, 299), (100, 299))):
        values = {"GROUPS": "js-node 1 10000", "NODES": nodes}
        pods = Pods(scratch, 4, values=values, APP=image(scratch, shell))
        pods.fast_sleep()
        pods.start("task", environ={"TASK": "sleep"})
        wait_for("four waits in each", lambda at=pods: all(len(waits(at, i)) >= 4 for i in (1, 2, 3)))
        pods.wait_for_text(0, "task runs")  # what comes sooner ends no job
        pods.signal(0, signal.SIGTERM)
        pods.wait()
        seen = [waits(pods, i) for i in (1, 2, 3)]
        for pod in seen:
            for wait, (low, high) in zip(pod, [first] + [later] * 3):
                if not low <= wait <= high:
                    raise Failure(f"{nodes} brokers: a follower waits {pod}, not {low} to {high} s")
        if nodes > 2 and len({tuple(pod[:4]) for pod in seen}) == 1:
            raise Failure(f"{nodes} brokers: all followers wait alike: {seen}")
