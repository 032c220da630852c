#!/usr/bin/env python3
"""instructions.py BENCH_DECIDE [--keep]: how many instructions a review costs, by callgrind, beside instructions.json.

Instructions and not time: the same program on the same review takes the same number, however busy the machine is. More than 10 %
above a kept number is a regression; more than 10 % below fails too, since the new number is to be kept. --keep writes them.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).with_suffix(".json")
SHARE = 0.10
FEW, MANY = 10, 60  # runs; the difference leaves out what the first one costs
# What is counted of each benchmark of bench/decide.cc.
COUNTED = {"decide": "fluxhook::admission::review*", "parse": "(anonymous namespace)::parse(benchmark*"}
BENCHMARKS = ("decide/2", "decide/32", "decide/512", "parse/2", "parse/32", "parse/512")


def total(program, benchmark, runs):
    """The instructions of so many runs."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             f"--toggle-collect={COUNTED[benchmark.partition('/')[0]]}", program, f"--benchmark_filter=^{benchmark}$",
             f"--benchmark_min_time={runs}x"], capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found or found[1] == "0" or re.search("ERROR", done.stdout):
        sys.exit(f"instructions: error: callgrind has counted nothing of {benchmark}:\n{done.stderr}{done.stdout}")
    return int(found[1])


def per_run(program, benchmark):
    return round((total(program, benchmark, MANY) - total(program, benchmark, FEW)) / (MANY - FEW))


def faults(kept, counted):
    """A sentence for each number that is too far from the one that is kept."""
    for benchmark, now in counted.items():
        before = kept.get(benchmark)
        if before is None:
            yield f"{benchmark}: there is no number of it: keep {now} with --keep"
        elif now > before * (1 + SHARE):
            yield (f"{benchmark} takes {now:,} instructions, {now / before - 1:.0%} more than the {before:,} that are kept: "
                   "find out what costs them, or keep them with --keep and say why")
        elif now < before * (1 - SHARE):
            yield (f"{benchmark} takes {now:,} instructions, {1 - now / before:.0%} fewer than the {before:,} that are kept: "
                   "keep them with --keep")
    for benchmark in kept.keys() - counted.keys():
        yield f"{benchmark}: its number is kept, and nobody counts it"


def main(words):
    keep = "--keep" in words
    programs = [word for word in words if word != "--keep"]
    if len(programs) != 1 or programs[0].startswith("-"):
        sys.exit(__doc__)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    counted = {}
    for benchmark in BENCHMARKS:
        counted[benchmark] = per_run(programs[0], benchmark)
        beside = f" ({counted[benchmark] / kept[benchmark] - 1:+.1%})" if benchmark in kept else ""
        print(f"{benchmark}: {counted[benchmark]:,} instructions{beside}", flush=True)
    if keep:
        KEPT.write_text(json.dumps(counted, indent=2) + "\n")
        return 0
    found = list(faults(kept, counted))
    for fault in found:
        print(f"instructions: error: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
