#!/usr/bin/env python3
"""How fast `fluxhook validate` is over a folder of JobSets, beside kubeconform on the same files in the same run.

    bench/validate.py [FLUXHOOK] [--runs N]      FLUXHOOK: build/release/fluxhook

Makes 1,000 and 10,000 files of one JobSet each, and times both programs in turn: wall time, user and system time, the
most memory of the process. The ratio of wall times, fluxhook's to kubeconform's, is of the fastest run of each. Then
one file, from start to exit. Needs Go: kubeconform is built from its module (bench/peer/kubeconform), its schema of
JobSet made from the CustomResourceDefinition in JobSet's module; it checks types alone, fluxhook the webhook's rules.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import yaml

TOP = pathlib.Path(__file__).resolve().parents[1]
PEER = TOP / "bench/peer/kubeconform"
COUNTS = (1000, 10000)
VIEW = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"

JOBSET = """# Job {number} of a sweep.
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: lammps-{number}
  namespace: hpc
  labels:
    app.kubernetes.io/name: lammps
    app.kubernetes.io/instance: "{number}"
    flux-framework.org/inject: "true"
  annotations:
    flux-framework.org/view-image: {view}
    flux-framework.org/num-proc-per-node: "{tasks}"
spec:
  failurePolicy:
    maxRestarts: 2
  replicatedJobs:
  - name: node
    replicas: 1
    template:
      spec:
        backoffLimit: 0
        completionMode: Indexed
        parallelism: {pods}
        completions: {pods}
        template:
          metadata:
            labels:
              app.kubernetes.io/name: lammps
          spec:
            restartPolicy: Never
            nodeSelector:
              node.kubernetes.io/instance-type: hpc7g.16xlarge
            tolerations:
            - key: hpc
              operator: Exists
              effect: NoSchedule
            containers:
            - name: lammps
              image: ghcr.io/converged-computing/metric-lammps:2024.1
              workingDir: /opt/lammps/examples/reaxff/HNS
              command: [lmp, -v, x, "{pods}", -v, "y", "2", -v, z, "2", -in, in.reaxff.hns, -nocite]
              env:
              - name: OMP_NUM_THREADS
                value: "1"
              - name: UCX_TLS
                value: tcp,self,sm  # no InfiniBand here
              resources:
                requests: &size
                  cpu: "{tasks}"
                  memory: 8Gi
                limits: *size
              volumeMounts:
              - name: data
                mountPath: /data
            volumes:
            - name: data
              persistentVolumeClaim:
                claimName: lammps-{number}
"""


def make_files(folder, count):
    for number in range(count):
        path = folder / f"{number // 100:03}" / f"jobset-{number}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(JOBSET.format(number=number, view=VIEW, tasks=2 ** (number % 5), pods=2 + number % 30))


def schema_of(value):
    """A schema of OpenAPI v3 as JSON Schema has it."""
    if isinstance(value, list):
        return [schema_of(item) for item in value]
    if not isinstance(value, dict):
        return value
    schema = {key: schema_of(item) for key, item in value.items()}
    if schema.pop("x-kubernetes-int-or-string", False):
        schema.pop("type", None)
        schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    return schema


def build_peer(folder):
    """kubeconform, and the folder of its schemas."""
    binary = TOP / "build/bench/kubeconform"
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "-C", PEER, "build", "-trimpath", "-ldflags", "-s -w", "-o", binary,
                    "github.com/yannh/kubeconform/cmd/kubeconform"], check=True, env={**os.environ, "CGO_ENABLED": "0"})
    module = json.loads(subprocess.run(["go", "-C", TOP / "test/e2e/modules/jobset", "mod", "download", "-json",
                                        "sigs.k8s.io/jobset"], check=True, capture_output=True, text=True).stdout)
    crd = yaml.safe_load((pathlib.Path(module["Dir"]) / "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml").read_text())
    version = next(one for one in crd["spec"]["versions"] if one["name"] == "v1alpha2")
    (folder / "jobset-v1alpha2.json").write_text(json.dumps(schema_of(version["schema"]["openAPIV3Schema"])))
    return [str(binary), "-strict", "-summary", "-n", str(os.cpu_count()),
            "-schema-location", str(folder / "{{ .ResourceKind }}-{{ .ResourceAPIVersion }}.json")]


def run(command):
    """(wall, CPU) seconds and the most KiB of memory; a program that finds something ends the benchmark."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            sys.exit(f"{command[0]} ended with {process.returncode}: {output.read(2000).decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def compare(programs, target, runs):
    """Runs the programs in turn; prints a line each."""
    taken = {name: [] for name in programs}
    for _ in range(runs):
        for name, command in programs.items():
            taken[name].append(run([*command, str(target)]))
    for name, figures in taken.items():
        wall, cpu, memory = (sorted(column) for column in zip(*figures))
        print(f"  {name:12} {wall[0] * 1000:9.1f} ms at best, {statistics.median(wall) * 1000:9.1f} in the middle; "
              f"CPU {cpu[0] * 1000:9.1f} ms; {memory[-1] / 1024:6.1f} MiB")
    ours, theirs = (min(wall for wall, *_ in taken[name]) for name in programs)
    print(f"  ratio        {ours / theirs:9.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fluxhook", nargs="?", default=str(TOP / "build/release/fluxhook"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = {"fluxhook": [args.fluxhook, "validate"], "kubeconform": build_peer(folder)}
        for count in COUNTS:
            make_files(folder / str(count), count)
            print(f"{count} files, {args.runs} runs; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            compare(programs, folder / str(count), args.runs)
        print("one file, from start to exit")
        compare(programs, folder / str(COUNTS[0]) / "000/jobset-0.yaml", 10 * args.runs)


if __name__ == "__main__":
    main()
