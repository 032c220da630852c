"""Pods for the tests: sandboxes with the scripts in them, a stand-in for Flux, and what it recorded."""
import base64
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

import render

HERE = os.path.dirname(os.path.realpath(__file__))
KEY = "gVrF?&Q7BUNtmu5KM91F/W#Y]SESpA^WTy{d*y&V"  # an arbitrary pair that belongs together
SECRET = "rc=DFn=PvUQ<aJECO{oRxL?=YLHPACATpyZg=0>K"
PATIENCE = 120  # seconds after which a test gives up on what should happen at once

# What the renderer gets for a JobSet "js" in namespace default with one replicatedJob "node" of two pods.
BATCH = {
    "LEAD": "js-node-0-0", "GROUPS": "js-node 1 2", "NODES": 2, "CORES": 1000, "GPU_AFFINITY": "off",
    "INTERACTIVE": "false", "VIEW": "true", "PMI": "auto", "RUN": ["-N2", "-n2"], "POD_ENV": [], "GRACE": 22,
    "CONNECT_TIMEOUT": "5s", "LOG_LEVEL": 4, "JOBSET": "js", "CURVE_SECRET": "js-flux-curve", "PUBLIC_KEY": KEY,
    "BIND": "tcp://eth0:%p", "CONNECT": "tcp://%h.js.default.svc.cluster.local:%p", "HOSTS": ["js-node-0-[0-1]"],
    "TOPO": "kary:0", "QUEUE_POLICY": "fcfs", "KILL_TIMEOUT": "15s", "NAME": "js", "PUBLIC": KEY, "SECRET": SECRET,
}  # fmt: skip
CONFIG_MAP = ["init.sh", "entrypoint.sh", "job.sh", "broker.toml"]


class Failure(Exception):
    """What a test found."""


def equal(what, seen, wanted):
    if seen != wanted:
        raise Failure(f"{what}:\n  seen   {seen!r}\n  wanted {wanted!r}")


def contains(what, text, part):
    if part not in text:
        raise Failure(f"{what} lacks {part!r}:\n{text}")


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"never happened: {what}")
        time.sleep(0.05)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    os.chmod(path, mode)


def busybox_root(folder):
    """A root with busybox and what it needs, no bash and no other program."""
    program = shutil.which("busybox") or "/bin/busybox"
    needed = re.findall(r"/\S+", subprocess.run(["ldd", program], capture_output=True, text=True).stdout)
    for path in needed:
        target = folder + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.realpath(path), target)
    os.makedirs(folder + "/bin", exist_ok=True)
    shutil.copy(program, folder + "/bin/busybox")
    for applet in subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if applet != "busybox":
            os.symlink("busybox", f"{folder}/bin/{applet}")
    os.symlink("/bin", folder + "/sbin")
    os.makedirs(folder + "/usr/bin")
    os.symlink("/bin/env", folder + "/usr/bin/env")
    return folder


def fluxhook_renders():
    return bool(os.environ.get("FLUXHOOK") or os.environ.get("FILES"))


def companions(fluxhook, folder):
    """What FLUXHOOK mutate --companions makes of jobsets/*.yaml, as FOLDER/<name>/<file>."""
    jobsets = HERE + "/jobsets"
    for name in sorted(os.listdir(jobsets)):
        text = subprocess.run([fluxhook, "mutate", "--companions", "--uid", "11111111-2222-3333-4444-555555555555",
                               "--curve-derivation", "uid", "-o", "json", f"{jobsets}/{name}"],
                              capture_output=True, text=True, check=True).stdout
        while text.strip():
            document, end = json.JSONDecoder().raw_decode(text.lstrip())
            text = text.lstrip()[end:]
            for file, content in {**document.get("data", {}), **document.get("stringData", {})}.items():
                if document["kind"] == "Secret" and file in document.get("data", {}):
                    content = base64.b64decode(content)
                write(f"{folder}/{name.removesuffix('.yaml')}/{file}", content)
    return folder


class Pods:
    """An instance's pods. `size` pods run entrypoint.sh with `args`; `values` replace the renderer's."""

    def __init__(self, scratch, size=2, values=None, variant="batch", host="js-node-0", **pods_options):
        self.run = tempfile.mkdtemp(dir=scratch)
        os.chmod(self.run, 0o755)
        self.size, self.host, self.options, self.process = size, host, pods_options, None
        self.files, self.curve, self.shared = (f"{self.run}/{name}" for name in ("files", "curve", "shared"))
        self.render({"NODES": size, "GROUPS": f"js-node 1 {size}", "RUN": [f"-N{size}", f"-n{size}"],
                     **(values or {})} if size != 2 or values else {}, variant)
        write(self.shared + "/size", f"{size}\n")
        os.chmod(self.shared, 0o777)
        self.path = "/mnt/flux/test:/usr/local/bin:/usr/bin:/bin"
        for i in range(size):
            self.install(i)

    def render(self, values, variant="batch"):
        """The ConfigMap and the Secret: rendered by fluxhook where FILES has them, else from the templates."""
        given = os.path.join(os.environ.get("FILES", ""), variant)
        if os.environ.get("FILES") and not values:
            shutil.copytree(given, self.files)
            os.makedirs(self.curve)
            shutil.move(self.files + "/curve.cert", self.curve)
            return
        everything = {**BATCH, **({"INTERACTIVE": "true"} if variant == "interactive" else {}), **values}
        for name in CONFIG_MAP:
            write(f"{self.files}/{name}", render.render(name, everything))
        write(self.curve + "/curve.cert", render.render("curve.cert", everything))

    def volume(self, i):
        return f"{self.run}/{i}/mnt"

    def install(self, i):
        """What init.sh leaves behind, with the stand-in for Flux, and the test's own programs."""
        volume = self.volume(i)
        for folder in ("record", "test", "view/lib/flux/shell/plugins", "view/etc/flux/shell/lua.d"):
            os.makedirs(f"{volume}/{folder}")
        os.makedirs(f"{self.run}/{i}/soft/flux/bin")
        shutil.copy(HERE + "/flux", f"{self.run}/{i}/soft/flux/bin/flux")
        os.symlink("/opt/software/flux/bin", volume + "/view/bin")
        shutil.copy(HERE + "/task", volume + "/test/task")
        write(volume + "/.installed", "1 1\n")
        for folder in ("", "/record"):
            os.chmod(volume + folder, 0o777)

    def start(self, *args, environ=None, command=("/bin/sh", "/etc/flux-config/entrypoint.sh")):
        words = {"PATH": self.path, **(environ or {})}
        write(self.run + "/environ", "".join(f"{name}={value}\0" for name, value in words.items()))
        options = {"RUN": self.run, "HOST": self.host, "FILES": self.files, "CURVE": self.curve,
                   "SHARED": self.shared, "ENVIRON": self.run + "/environ", **self.options}
        with open(self.run + "/pods.log", "wb") as log:
            self.process = subprocess.Popen([HERE + "/pods", str(self.size), *command, *args],
                                            env={**os.environ, **options}, stdout=log, stderr=log)
        return self

    def wait(self):
        """The pods' exit statuses."""
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure("pods still run: " + self.logs()) from None
        with open(self.run + "/pods.log", encoding="utf-8") as log:
            text = log.read()
        found = [int(rc) for rc in re.findall(r"^rank \d+ rc (\d+)$", text, re.M)]
        if len(found) != self.size:
            raise Failure("pods could not be made: " + text + self.logs())
        return found

    def expect(self, *wanted):
        """Waits, and holds the exit statuses to WANTED."""
        seen = self.wait()
        if seen != list(wanted):
            raise Failure(f"exit statuses: seen {seen}, wanted {list(wanted)}{self.logs()}")

    def kill(self):
        for i in range(self.size):
            self.signal(i, signal.SIGKILL)
        self.process.wait()

    def signal(self, i, number):
        try:
            with open(f"{self.run}/{i}.pid", encoding="ascii") as file:
                os.kill(int(file.read()), number)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def log(self, i):
        with open(f"{self.run}/{i}.log", encoding="utf-8", errors="replace") as log:
            return log.read()

    def logs(self):
        return "".join(f"\n[{i}] " + self.log(i) for i in range(self.size) if os.path.exists(f"{self.run}/{i}.log"))

    def wait_for_text(self, i, text):
        def seen():
            if self.process.poll() is not None and text not in self.log(i):
                raise Failure(f"pods ended without {text!r}: {self.logs()}")
            return os.path.exists(f"{self.run}/{i}.log") and text in self.log(i)
        wait_for(text, seen)

    def recorded(self, i, name):
        return os.path.exists(f"{self.volume(i)}/record/{name}")

    def argv(self, i, name):
        with open(f"{self.volume(i)}/record/{name}.argv", "rb") as file:
            return file.read().decode().split("\0")[:-1]

    def env(self, i, name):
        with open(f"{self.volume(i)}/record/{name}.env", "rb") as file:
            return dict(entry.split("=", 1) for entry in file.read().decode().split("\0")[:-1])

    def read(self, i, path):
        with open(f"{self.volume(i)}/{path}", encoding="utf-8") as file:
            return file.read()

    def fast_sleep(self):
        """Waits of the scripts (not of busybox, which has its own sleep) are recorded and take a hundredth; limits
        stay: the 5 s for an answer of the lead, and of the 10 s to tell the followers a fifth."""
        for i in range(self.size):
            write(self.volume(i) + "/test/sleep", '#!/bin/sh\necho "$1" >>/mnt/flux/record/sleeps\n'
                  'case $1 in 0.*|5) ;; 10) set -- 2 ;; *) set -- "0.$(printf %03d "$1")" ;; esac\nexec /bin/sleep "$1"\n', 0o755)


def elf(interpreter="/lib64/ld-linux-x86-64.so.2", machine=None):
    """This machine's `true` for another processor, or with another dynamic loader."""
    with open(os.path.realpath(shutil.which("true")), "rb") as file:
        image = bytearray(file.read())
    if machine is not None:
        struct.pack_into("<H", image, 18, machine)
    found = re.search(rb"/lib[^\0]*/ld-[^\0]+\0", bytes(image))
    if interpreter == "none":
        image[found.start():found.end()] = b"/lib/no-such-loader".ljust(found.end() - found.start(), b"\0")
    return bytes(image)


_lock = threading.Lock()


def image(scratch, shell):
    """The root of an application image whose /bin/sh is SHELL: Debian's own with dash, or one of busybox alone."""
    if shell == "dash":
        return "/"
    root = scratch + "/busybox-root"
    with _lock:
        return root if os.path.isdir(root) else busybox_root(root)


def shells(*names):
    """Runs a case once for each shell, named in its second argument."""
    def mark(function):
        function.shells = names
        return function
    return mark


both = shells("dash", "busybox")
