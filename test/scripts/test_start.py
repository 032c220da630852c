"""What the lead and its followers start: words, environment, files and their modes."""
import os
import stat
import subprocess

from harness import Failure, Pods, both, contains, equal, image, wait_for

LEAD_OPTIONS = [
    "broker", "--config-path=/etc/flux-config", "-Srundir=/mnt/flux/config/run/flux",
    "-Slocal-uri=local:///mnt/flux/config/run/flux/local",
    "-Sconf.shell_pluginpath=/mnt/flux/view/lib/flux/shell/plugins",
    "-Sconf.shell_initrc=/mnt/flux/config/shell.lua", "-Stbon.connect_timeout=5s", "-Slog-stderr-level=4",
    "-Slog-stderr-mode=local",
]  # fmt: skip
FLUX = "/mnt/flux/view/bin/flux"
HOSTILE = ["two words", "", "*", "$(id)", "`id`", "a'b", 'a"b', "line\nline\n", "-N9", "--nodes=9", "--", ":::",
           "\\", "ünïcödé ƒ", "{0}", "{}", "%s", "~", "!x", "#x", " ", "\t", "&", ";", "|", ">x", ""]  # fmt: skip


@both
def case_a_command_reaches_the_task_word_for_word(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell)).start("task", *HOSTILE)
    pods.expect(0, 0)
    job = ["/bin/sh", "/etc/flux-config/job.sh", FLUX, "task", *HOSTILE]
    equal("the lead's broker", pods.argv(0, "broker"), LEAD_OPTIONS + job)
    equal("a follower's broker", pods.argv(1, "broker"), LEAD_OPTIONS)
    equal("flux run", pods.argv(0, "run"), ["run", "-N2", "-n2", "--", "task", *HOSTILE])
    equal("the task", pods.argv(0, "task")[1:], HOSTILE)


@both
def case_flux_before_0_66_gets_the_command_behind_env(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    with open(pods.volume(0) + "/record/version", "w", encoding="ascii") as version:
        version.write("0.58.0\n")
    pods.start("task", *HOSTILE).expect(0, 0)
    equal("flux run", pods.argv(0, "run"), ["run", "-N2", "-n2", "env", "--", "task", *HOSTILE])
    equal("the task", pods.argv(0, "task")[1:], HOSTILE)


@both
def case_braces_are_hidden_from_the_shell_of_flux(scratch, shell):
    words = [*HOSTILE, "{{id}}", "{{{{tmpdir}}}}", "it's {{name}}", "{'{{", "{{\n}}"]
    pods = Pods(scratch, APP=image(scratch, shell)).start("task", *words)
    pods.expect(0, 0)
    seen = pods.argv(0, "run")
    equal("flux run", seen[:6], ["run", "-N2", "-n2", "--", "/bin/sh", "-c"])
    if any("{{" in word for word in seen):
        raise Failure(f"Flux would replace braces in {seen}")
    equal("the task", pods.argv(0, "task")[1:], words)


@both
def case_a_command_that_starts_with_a_dash_is_a_command(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell))
    os.rename(pods.volume(0) + "/test/task", pods.volume(0) + "/test/-n7")
    pods.start("-n7", "-x").expect(0, 0)
    equal("flux run", pods.argv(0, "run"), ["run", "-N2", "-n2", "--", "-n7", "-x"])
    equal("the task", pods.argv(0, "task")[1:], ["-x"])


@both
def case_run_options_come_before_the_command(scratch, shell):
    options = ["-N2", "-n4", "-c2", "-g1", "-o", "pmi=it's", "--setattr=a=b c"]
    pods = Pods(scratch, values={"RUN": options}, APP=image(scratch, shell)).start("task", "x")
    pods.expect(0, 0)
    equal("flux run", pods.argv(0, "run"), ["run", *options, "--", "task", "x"])


@both
def case_an_interactive_lead_starts_no_program(scratch, shell):
    pods = Pods(scratch, variant="interactive", APP=image(scratch, shell)).start("task", "never run")
    pods.wait_for_text(0, "broker of the lead")
    source = '. "$1" && printf "%s\\n" "$FLUX_URI" "$fluxsocket" "$PATH"'
    seen = subprocess.run(["sh", "-c", source, "sh", pods.volume(0) + "/flux-view.sh"], env={"PATH": "/bin"},
                          capture_output=True, text=True, check=True).stdout.split("\n")
    socket = "local:///mnt/flux/config/run/flux/local"
    equal("flux-view.sh", seen, [socket, socket, "/bin:/mnt/flux/config/bin", ""])
    open(pods.shared + "/end", "w", encoding="ascii").close()  # flux shutdown
    pods.expect(0, 0)
    equal("the lead's broker", pods.argv(0, "broker"), LEAD_OPTIONS + ["-Sbroker.rc2_none=1"])
    equal("a follower's broker", pods.argv(1, "broker"), LEAD_OPTIONS)
    equal("the command was run", pods.recorded(0, "task.argv"), False)


@both
def case_hosts_with_another_name_are_told_to_flux(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell), NODENAME="worker").start("task")
    pods.expect(0, 0)
    for i in (0, 1):
        words = pods.argv(i, "broker")
        equal("the broker's name", [word for word in words if "hostname" in word], [f"-Shostname=js-node-0-{i}"])
        equal("FLUX_FAKE_HOSTNAME", pods.env(i, "broker").get("FLUX_FAKE_HOSTNAME"), f"js-node-0-{i}")


@both
def case_the_pods_own_name_is_not_told(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell)).start("task")
    pods.expect(0)
    equal("options", [word for word in pods.argv(0, "broker") if "hostname" in word], [])
    equal("FLUX_FAKE_HOSTNAME", pods.env(0, "broker").get("FLUX_FAKE_HOSTNAME"), None)


@both
def case_replicas_and_several_replicated_jobs_are_one_instance(scratch, shell):
    values = {"GROUPS": "js-driver 1 1\njs-node 12 3", "LEAD": "js-driver-0-0"}
    pods = Pods(scratch, size=3, host="js-node-11", values=values, APP=image(scratch, shell)).start("task")
    pods.wait_for_text(2, "")
    open(pods.shared + "/end", "w", encoding="ascii").close()
    pods.expect(143, 143, 143)  # followers that nobody told of a job's end
    for i in range(3):
        equal("a follower's broker", pods.argv(i, "broker"), LEAD_OPTIONS)


@both
def case_a_restricted_pod_runs(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell), USERSPEC="4242:4343", READONLY="1").start("task", "a b")
    pods.expect(0, 0)
    equal("the task", pods.argv(0, "task")[1:], ["a b"])
    for i in (0, 1):
        equal("TMPDIR", pods.env(i, "broker").get("TMPDIR"), "/mnt/flux/tmp")
        certificate = os.stat(pods.volume(i) + "/config/curve.cert")
        equal("the certificate's mode", stat.S_IMODE(certificate.st_mode), 0o600)
        equal("the certificate's owner", (certificate.st_uid, certificate.st_gid), (4242, 4343))
        with open(pods.curve + "/curve.cert", encoding="ascii") as given:
            equal("the certificate", pods.read(i, "config/curve.cert"), given.read())


@both
def case_a_writable_tmp_alone_is_not_enough_for_flux(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell), USERSPEC="4242:4343", READONLY="tmp").start("task")
    pods.expect(0, 0)
    equal("TMPDIR", pods.env(0, "broker").get("TMPDIR"), "/mnt/flux/tmp")  # 0.88 has its state in /var/tmp
    pods = Pods(scratch, APP=image(scratch, shell), READONLY="tmp").start("task", environ={"TMPDIR": "/dev/shm"})
    pods.expect(0, 0)
    equal("TMPDIR", pods.env(0, "broker").get("TMPDIR"), "/dev/shm")


@both
def case_the_broker_gets_nothing_that_can_break_it(scratch, shell):
    held = {name: "/users" for name in ("PYTHONPATH", "PYTHONHOME", "LUA_PATH", "LUA_CPATH", "MANPATH")}
    held["LD_LIBRARY_PATH"] = "/users/lib"
    pods = Pods(scratch, APP=image(scratch, shell)).start("task", environ={**held, "SHELL": "/no/such", "KEPT": "a\nb"})
    pods.expect(0, 0)
    for call in ("version", "broker", "run"):
        seen = pods.env(0, call)
        equal("of the user's", sorted(set(held) & set(seen)), [])
        equal("KEPT", seen.get("KEPT"), "a\nb")
    for call in ("broker", "run"):
        seen = pods.env(0, call)
        equal("SHELL", seen.get("SHELL"), "/bin/sh")
        equal("PATH", seen.get("PATH"), pods.path + ":/mnt/flux/config/bin")
        equal("modules", seen.get("FLUX_MODULE_PATH"), "/mnt/flux/view/lib/flux/modules")
        equal("modprobe", seen.get("FLUX_MODPROBE_PATH_APPEND"), "/mnt/flux/view/etc/flux/modprobe")
        equal("rc", seen.get("FLUX_RC_EXTRA"), "/mnt/flux/view/etc/flux")
        equal("TMPDIR", seen.get("TMPDIR"), None)


@both
def case_the_path_gains_flux_and_no_more(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell)).start("task")
    pods.expect(0)
    wanted = ["flux"] if shell == "dash" else ["bash", "flux"]  # Debian has its bash
    equal("what is new on PATH", sorted(os.listdir(pods.volume(0) + "/config/bin")), wanted)
    if shell == "busybox":
        said = "exec /mnt/flux/config/bin/bash -c 'echo a $1 >/mnt/flux/record/bash' bash b"
        pods.start(command=("/bin/sh", "-c", said)).expect(0)
        equal("bash", pods.read(0, "record/bash"), "a b\n")
    equal("flux", os.readlink(pods.volume(0) + "/config/bin/flux"), FLUX)


@both
def case_without_a_view_flux_is_the_images_own(scratch, shell):
    pods = Pods(scratch, values={"VIEW": "false"}, APP=image(scratch, shell))
    for i in (0, 1):
        os.rename(f"{pods.run}/{i}/soft/flux/bin/flux", pods.volume(i) + "/test/flux")
        os.remove(pods.volume(i) + "/.installed")
        os.remove(pods.volume(i) + "/view/bin")
    pods.start("task", environ={"PYTHONPATH": "/image/python", "LD_LIBRARY_PATH": "/image/lib"})
    pods.expect(0, 0)
    words = pods.argv(1, "broker")
    contains("the broker's options", words, "-Sconf.shell_pluginpath=/usr/lib/flux/shell_pluginpath")
    seen = pods.env(0, "broker")
    equal("PYTHONPATH", seen.get("PYTHONPATH"), "/image/python")
    equal("LD_LIBRARY_PATH", seen.get("LD_LIBRARY_PATH"), "/image/lib")
    equal("FLUX_MODULE_PATH", seen.get("FLUX_MODULE_PATH"), None)
    equal("links", [name for name in os.listdir(pods.volume(0) + "/config/bin") if name == "flux"], [])


@both
def case_a_volume_is_used_again(scratch, shell):
    pods = Pods(scratch, APP=image(scratch, shell)).start("task")
    pods.expect(0, 0)
    for name in os.listdir(pods.shared):
        if name != "size":
            os.remove(f"{pods.shared}/{name}")
    os.remove(pods.volume(1) + "/record/broker.argv")
    pods.start("task", "again", environ={"TASK": "sleep"})
    wait_for("the follower's broker", lambda: pods.recorded(1, "broker.argv"))
    open(pods.shared + "/end", "w", encoding="ascii").close()  # and what it was told before does not count
    wait_for("the follower's end", lambda: not os.path.exists(pods.run + "/1.pid"))
    open(pods.volume(0) + "/record/finish", "w", encoding="ascii").close()
    equal("the follower's status", pods.wait()[1], 143)
    equal("the task", pods.argv(0, "task")[1:], ["again"])


@both
def case_a_key_of_the_users_own_is_taken(scratch, shell):
    pods = Pods(scratch, size=1, values={"PUBLIC_KEY": "", "PUBLIC": "x" * 40}, APP=image(scratch, shell)).start("task")
    pods.expect(0)


@both
def case_every_key_of_z85_is_compared_as_it_is(scratch, shell):
    for key in (".-:+=^!/*?&<>()[]{}@%$#0123456789abcdefgh", "=$(id)&<>?*[a]{b}!#^/+:-.%@=0123456789AB"):
        values = {"PUBLIC_KEY": key[:40], "PUBLIC": key[:40]}
        pods = Pods(scratch, size=1, values=values, APP=image(scratch, shell)).start("task")
        pods.expect(0)


