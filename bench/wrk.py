"""wrk as the load of bench/server.py and test/soak, and what a server that is asked has resident."""
import json
import os
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]


def run(url, seconds, connections, close=False, file=TOP / "examples/lammps.review.json"):
    """What bench/review.lua tells of so many seconds; no request is given up before a minute is over."""
    environment = os.environ | {"REVIEW": str(file)} | ({"CLOSE": "1"} if close else {})
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s",
                           TOP / "bench/review.lua", url], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def resident(process):
    """MiB of a process."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
