"""A small checkout of version 1.2.3 that scripts/release can be called in: what it calls is a stand-in, in a moment done."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CHART = "name: fluxhook\nversion: 1.2.3\nappVersion: 1.2.3\n"
CHANGELOG = "# Changelog\n\n## [1.2.3] - 2026-01-31\n\n## [1.2.2] - 2026-01-01\n"
# Nothing of the caller's: neither its repository, when git runs the tests, nor its configuration.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


class Checkout:
    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve() / "checkout"
        for name in ("scripts/release", "scripts/lib.sh"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        self.write("VERSION", "1.2.3\n")
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("charts/fluxhook/Chart.yaml", CHART)
        self.write(".gitignore", "/build/\n")

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def script(self, name, text):
        self.write(name, f"#!/bin/bash\n{text}\n")
        (self.top / name).chmod(0o755)

    def git(self, *words):
        name = ("-c", "user.name=a", "-c", "user.email=a@localhost")
        return subprocess.run(["git", "-C", self.top, *name, *words], env=ENVIRONMENT, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self):
        if not (self.top / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change", "--allow-empty")

    def release(self, *words):
        """(exit code, what it says) of scripts/release; programs in bin/ beside the checkout come before the system's."""
        environment = ENVIRONMENT | {"PATH": f"{self.top.parent}/bin:{os.environ['PATH']}"}
        done = subprocess.run([self.top / "scripts/release", *words], env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr
