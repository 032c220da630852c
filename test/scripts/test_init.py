"""init.sh: the view's copy, whole or not at all."""
import os
import shutil
import signal
import stat

from harness import Pods, both, contains, equal, image, wait_for, write

OPT = "/opt/views/._view/hash"  # where spack's view really is; /opt/view leads there


def view_image(scratch, shell, pods, version="1"):
    """The root of a view image: spack's view of links into /opt/software, over SHELL's root."""
    root = f"{pods.run}/view-image-{version}"
    software = f"{root}/opt/software/flux-core-{version}"
    write(software + "/bin/flux", f"#!/bin/sh\necho {version}\n", 0o755)
    write(software + "/etc/flux/rc1.d/02-cron", "#!/bin/bash -e\nflux cron\n", 0o755)
    write(software + "/lib/a file, with spaces*", "data")
    write(software + "/.spack/log", "hidden")
    write(f"{root}/opt/software/.spack-db/index", version)
    os.makedirs(software + "/empty")
    os.symlink("../lib/nowhere", software + "/empty/dangling")
    os.utime(software + "/bin/flux", (1e9, 1e9))
    os.makedirs(root + OPT + "/bin")
    os.symlink(f"/opt/software/flux-core-{version}/bin/flux", root + OPT + "/bin/flux")
    os.symlink(f"/opt/software/flux-core-{version}/etc", root + OPT + "/etc")
    os.symlink("._view/hash", root + "/opt/views/view")
    os.symlink("/opt/views/view", root + "/opt/view")
    pods.options["APP"] = image(scratch, shell) + ":" + root
    return root


def new_pod(scratch, shell, **options):
    pods = Pods(scratch, size=1, SOFT="/mnt/software", **options)
    for folder in (pods.volume(0), f"{pods.run}/0/soft"):
        shutil.rmtree(folder)
        os.mkdir(folder)
        os.chmod(folder, 0o777)
    return pods, view_image(scratch, shell, pods)


def init(pods, environ=None):
    pods.start(command=("/bin/sh", "/etc/flux-config/init.sh"), environ=environ)
    return pods


def tree(folder):
    """{path: content, link or kind, and mode} of all below FOLDER."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            at = os.path.join(path, name)
            mode = os.lstat(at)
            if stat.S_ISLNK(mode.st_mode):
                found[os.path.relpath(at, folder)] = os.readlink(at)
            elif stat.S_ISREG(mode.st_mode):
                with open(at, encoding="utf-8") as file:
                    found[os.path.relpath(at, folder)] = (stat.S_IMODE(mode.st_mode), file.read())
            else:
                found[os.path.relpath(at, folder)] = stat.S_IMODE(mode.st_mode)
    return found


def copied(pods, root, version="1"):
    """Holds the volumes to what the image has, but for the one script that asks for bash."""
    wanted = tree(root + "/opt/software")
    cron = f"flux-core-{version}/etc/flux/rc1.d/02-cron"
    wanted[cron] = (0o755, "#!/bin/sh -e\nflux cron\n")
    equal("the software", tree(f"{pods.run}/0/soft"), wanted)
    equal("the view", tree(pods.volume(0) + "/view"), tree(root + OPT))
    names = set(os.listdir(pods.volume(0)))
    equal("what is in the volume", names, {"view", ".installed"})


@both
def case_init_copies_the_view_whole(scratch, shell):
    pods, root = new_pod(scratch, shell)
    init(pods).expect(0)
    copied(pods, root)


@both
def case_init_runs_as_any_user_on_a_read_only_root(scratch, shell):
    pods, root = new_pod(scratch, shell, USERSPEC="4242:4343", READONLY="1")
    init(pods).expect(0)
    copied(pods, root)
    equal("the owner", os.stat(f"{pods.run}/0/soft/flux-core-1").st_uid, 4242)


@both
def case_init_copies_once(scratch, shell):
    pods, root = new_pod(scratch, shell)
    init(pods).expect(0)
    write(f"{pods.run}/0/soft/flux-core-1/mine", "kept")
    init(pods).expect(0)
    equal("a file that was added", os.path.exists(f"{pods.run}/0/soft/flux-core-1/mine"), True)
    os.remove(f"{pods.run}/0/soft/flux-core-1/mine")
    copied(pods, root)


@both
def case_init_killed_in_mid_copy_is_done_again(scratch, shell):
    for user in ("0:0", "4242:4242"):
        pods, root = new_pod(scratch, shell, USERSPEC=user)
        # cp that hangs when half of the software is there; as a function it comes before busybox's own
        write(pods.shared + "/half", """
cp() {
    case $* in *software*) ;; *) command cp "$@"; return ;; esac
    mkdir /mnt/software/flux-core-1 /mnt/software/flux-core-1/bin && echo half >/mnt/software/flux-core-1/bin/flux
    echo stale >/mnt/software/.stale; chmod 555 /mnt/software/flux-core-1/bin /mnt/software/flux-core-1
    : >/mnt/flux/halfway
    while :; do sleep 1; done
}
. /etc/flux-config/init.sh
""")
        pods.start(command=("/bin/sh", "/shared/half"))
        wait_for("half of the copy", lambda at=pods.volume(0): os.path.exists(at + "/halfway"))
        pods.signal(0, signal.SIGKILL)
        pods.expect(137)
        equal("the mark", os.path.exists(pods.volume(0) + "/.installed"), False)
        os.remove(pods.volume(0) + "/halfway")
        init(pods).expect(0)
        copied(pods, root)


@both
def case_init_replaces_another_view(scratch, shell):
    pods, _ = new_pod(scratch, shell)
    init(pods).expect(0)
    root = view_image(scratch, shell, pods, "2")
    init(pods).expect(0)
    copied(pods, root, "2")


@both
def case_init_keeps_times_where_cp_can(scratch, shell):
    pods, _ = new_pod(scratch, shell)
    init(pods).expect(0)
    kept = os.stat(f"{pods.run}/0/soft/flux-core-1/bin/flux").st_mtime == 1e9
    equal("time kept", kept, shell == "dash")  # GNU cp; busybox has no such option


@both
def case_an_image_without_a_view_is_told_so(scratch, shell):
    pods, _ = new_pod(scratch, shell)
    pods.options["APP"] = image(scratch, shell)
    init(pods).expect(107)
    contains("the message", pods.log(0), "fluxhook: this image has no Flux at /opt/view/bin/flux")


@both
def case_a_copy_that_fails_is_told_so(scratch, shell):
    pods, root = new_pod(scratch, shell, USERSPEC="4242:4242")
    os.chmod(f"{root}/opt/software/flux-core-1/lib/a file, with spaces*", 0o600)
    init(pods).expect(108)
    contains("the message", pods.log(0), "fluxhook: the view's software could not be copied")
    equal("the mark", os.path.exists(pods.volume(0) + "/.installed"), False)
    os.chmod(pods.volume(0), 0o755)
    init(pods).expect(108)
    contains("the message", pods.log(0), "fluxhook: ")
