"""What stops a pod before its broker starts: its own exit status, and words that say what to do."""
import os
import struct

from harness import KEY, Pods, both, contains, elf, equal, image, write


def refused(pods, status, *words, environ=None):
    """Runs a pod that must not start its broker, and ends with STATUS and a message with WORDS in it."""
    pods.start("task", environ=environ).expect(*[status] * pods.size)
    message = pods.log(0)
    contains("the message", message, "fluxhook: ")
    for word in words:
        contains("the message", message, word)
    equal("a broker was started", pods.recorded(0, "broker.argv"), False)


@both
def case_a_pod_without_its_jobs_name_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    refused(pods, 100, "FLUXHOOK_JOB", "job-name", environ={"FLUXHOOK_JOB": ""})


@both
def case_a_pod_without_an_index_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    refused(pods, 100, "JOB_COMPLETION_INDEX", "Indexed", environ={"JOB_COMPLETION_INDEX": ""})


@both
def case_a_pod_that_is_none_of_the_hosts_is_refused(scratch, shell):
    for host, groups in (("js-node-0", "other 1 1"), ("js-node-1", "js-node 1 1"), ("js-node-x", "js-node 1 1"),
                         ("js-node-0-0", "js-node 1 1"), ("node-0", "js-node 1 1"), ("js-nod-0", "js-node 1 1")):
        pods = Pods(scratch, size=1, host=host, values={"GROUPS": groups}, APP=image(scratch, shell))
        refused(pods, 101, f"{host}-0 is not among the hosts", groups, "recreate the JobSet")


@both
def case_an_index_beyond_the_hosts_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, values={"GROUPS": "js-node 1 4"}, APP=image(scratch, shell))
    refused(pods, 101, "js-node-0-4 is not among the hosts", environ={"JOB_COMPLETION_INDEX": "4"})


@both
def case_a_pod_without_the_view_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    os.remove(pods.volume(0) + "/.installed")
    refused(pods, 102, "no Flux view in /mnt/flux", "flux-installer")


@both
def case_a_view_whose_software_is_elsewhere_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    os.rename(f"{pods.run}/0/soft/flux", f"{pods.run}/0/soft/elsewhere")
    refused(pods, 102, "/mnt/flux/view/bin/flux", "/opt/software")


@both
def case_an_image_without_flux_and_without_a_view_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, values={"VIEW": "false"}, APP=image(scratch, shell))
    refused(pods, 102, "view-image is none", "no flux on the PATH")


@both
def case_a_view_for_another_processor_is_refused_unrun(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    other = 183 if struct.unpack_from("<H", elf(), 18)[0] != 183 else 62  # AArch64, else x86-64
    write(f"{pods.run}/0/soft/flux/bin/flux", elf(machine=other), 0o755)
    refused(pods, 103, "another processor", "view-image")


@both
def case_a_view_for_another_c_library_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    write(f"{pods.run}/0/soft/flux/bin/flux", elf("none"), 0o755)
    refused(pods, 103, "C library", "musl", "not found")


@both
def case_a_view_that_does_not_start_says_why(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    write(f"{pods.run}/0/soft/flux/bin/flux", "#!/bin/sh\necho libc.so.6: version GLIBC_2.99 not found >&2\nexit 1\n",
          0o755)
    refused(pods, 103, "too old", "GLIBC_2.99 not found")


@both
def case_a_pod_without_a_certificate_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    os.remove(pods.curve + "/curve.cert")
    refused(pods, 104, "/curve/curve.cert", "js-flux-curve")


@both
def case_a_certificate_that_cannot_be_read_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell), USERSPEC="4242:4242")
    os.chmod(pods.curve + "/curve.cert", 0o400)
    refused(pods, 104, "uid 4242 cannot read it")


@both
def case_a_certificate_without_a_key_is_refused(scratch, shell):
    for text in ("", "metadata\n    name = \"js\"\ncurve\n    secret-key = \"x\"\n"):
        for key in ("", KEY):
            pods = Pods(scratch, size=1, values={"PUBLIC_KEY": key}, APP=image(scratch, shell))
            write(pods.curve + "/curve.cert", text)
            refused(pods, 104, "no public-key", "js-flux-curve")


@both
def case_anothers_certificate_is_refused(scratch, shell):
    for other in (KEY.swapcase(), "*" * 40, "", KEY[:-1], KEY + "x"):
        values = {"PUBLIC": other, "JOBSET": "js", "CURVE_SECRET": "js-flux-curve"}
        pods = Pods(scratch, size=1, values=values, APP=image(scratch, shell))
        refused(pods, 105, "js-flux-curve", "earlier JobSet named js", "Delete the Secret")
        equal("the certificate was copied", os.path.exists(pods.volume(0) + "/config/curve.cert"), False)


@both
def case_a_volume_that_cannot_be_written_is_refused(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell), USERSPEC="4242:4242")
    write(pods.volume(0) + "/config", "in the way")
    refused(pods, 106, "/mnt/flux cannot be written by uid 4242")


@both
def case_the_reason_is_also_the_termination_message(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell), USERSPEC="4242:4242", READONLY="1")
    os.remove(pods.curve + "/curve.cert")
    script = "/bin/sh /etc/flux-config/entrypoint.sh; cat /dev/termination-log >/mnt/flux/record/termination"
    pods.start(command=("/bin/sh", "-c", script)).wait()
    contains("the termination message", pods.read(0, "record/termination"), "fluxhook: /curve/curve.cert is missing")
