#!/usr/bin/env python3
"""Fails every allocation of 30 commands, one in each run, and counts how they end.

    usage: bench/out_of_memory.py [--every N] [--at-most N] [--jobs N] [--only WORD] [--on] [--verbose]

A run is right if it ends as without the failure, with the same output and files, or with status 1, "out of memory" on
standard error, nothing on standard output and no file that was not there. Of several traces some may be there, each whole;
the results of a sweep are, which goes on with them, and points of it may have failed by that. --every N fails each N-th allocation
only, --at-most N as many of each command, --on all behind it too, --only takes the commands that have the word. ORRERY_BIN names another orrery than
build/release/bin/orrery, ORRERY_FAIL_ALLOCATION another shim than that of its build (tests/cli/fail_allocation.c)."""
import argparse
import collections
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("ORRERY_SOURCE_DIR", os.path.dirname(HERE))
ORRERY = os.path.abspath(os.environ.get("ORRERY_BIN", os.path.join(SOURCE, "build/release/bin/orrery")))
SHIM = os.environ.get("ORRERY_FAIL_ALLOCATION",
                      os.path.join(os.path.dirname(ORRERY), "../lib/fail_allocation.so"))

FILES = {
    "mlp.yml": "network: {topology: Switch(4), bandwidth: 50 GB/s, latency: 1 us}\n"
               "compute: {peak: 100 TFLOP/s}\nworkload: {generate: mlp, layers: 2, bytes: 1 MB}\n",
    "ring.yml": "network: {topology: Ring(2)_Ring(4), dims: [{bandwidth: 1 GB/s}, {bandwidth: 0.5 GB/s}]}\n"
                "workload: {generate: all_reduce, bytes: 1 MB}\n",
    "graph.yml": "network: {graph: {npus: 8, fabric: 'circulant:1,3', bandwidth: 10 GB/s, latency: 1 us}}\n"
                 "workload: {generate: all_reduce, bytes: 1 MB}\n",
    "sweep.yml": "sweep:\n  platform: ring.yml\n  axes: {system.chunks: [1, 2]}\n  where: time_s < 1 s\n"
                 "  front: [time_s, cost]\n",
    "model.yml": "model:\n  batch: 4\n  operators:\n    - data: {name: t, shape: [8]}\n    - dense: {out: 4}\n",
    "config.json": '{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, '
                   '"intermediate_size": 128, "vocab_size": 1000}\n',
    "times.csv": "collective,bytes,npus,time_us\nall_reduce,1000000,8,1500\nall_reduce,2000000,8,2900\n",
}

COMMANDS = """
--version
run --help
run mlp.yml
run mlp.yml --json -
run mlp.yml --json r.json --csv r.csv
run ring.yml --per-npu --csv -
run ring.yml --why
run ring.yml --timeline t.json
run ring.yml --report r.html
run graph.yml --json -
run ring.yml --set system.scheduler=themis --explain
run dgx1_v100 all_reduce_1gb
whatif ring.yml
whatif ring.yml --json w.json
failures graph.yml --sample 1 --jobs 1
diff result.json result.json
bench-collective ring.yml --min 1MiB --max 1MiB --jobs 1 --csv -
sweep sweep.yml -o s --jobs 1 --json -
schedule zb-h1 --stages 2 --micro-batches 4 --json -
plan goodput --gpus 1024 --mtbf-gpu 50000h --checkpoint 30 --restart 300 --runs 2
topo show graph.yml
topo show torus:2x2 --npus 4
gen all_reduce --npus 2 --bytes 1MiB -o g
gen mlp --npus 2 --layers 2 --bytes 1MB --batch 4 -o m
trace info t.0.et
trace stats t.0.et
convert text --help
import config.json
import config.json -o job.yml
model show model.yml
schema keys
schema platform
completion bash
report result.json -o page.html
"""


def prepare(folder):
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for command in ("gen all_reduce --npus 2 --bytes 1MiB -o t", "run mlp.yml --json result.json"):
        subprocess.run([ORRERY, *shlex.split(command)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def contents(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Command:
    """A command line, how it ends without a failure, and its number of allocations."""

    def __init__(self, words, base):
        self.words, self.base = words, base
        count = tempfile.NamedTemporaryFile()
        status, out, _, files = self.run({"ORRERY_FAIL_COUNT": count.name})
        self.status, self.out, self.files = status, out, files
        with open(count.name) as file:
            self.allocations = int(file.read() or 0)
        if status != 0:
            sys.exit(f"orrery {' '.join(words)}: status {status} without a failure")

    def run(self, environment):
        with tempfile.TemporaryDirectory() as work:
            folder = os.path.join(work, "here")
            shutil.copytree(self.base, folder)
            try:
                ended = subprocess.run([ORRERY, *self.words], cwd=folder, capture_output=True, timeout=60,
                                       env={**os.environ, **environment, "LD_PRELOAD": os.path.abspath(SHIM)})
            except subprocess.TimeoutExpired:
                return None, b"", b"", {}
            return ended.returncode, ended.stdout, ended.stderr, contents(folder)

    def verdict(self, at, on):
        status, out, said, files = self.run({"ORRERY_FAIL_AT": str(at), "ORRERY_FAIL_ON": "1" if on else "0"})
        if status is None:
            return "hangs", said
        if status < 0 or status >= 128:
            return "signal", said
        if status == 0 and self.words[0] == "sweep" and b'"error": "out of memory"' in out:
            return "point failed", said
        if status == self.status:
            return ("right" if (out, files) == (self.out, self.files) else "status 0, other output"), out + said
        if status != 1:
            return f"status {status}", said
        if b"out of memory" not in said:
            return "status 1, not said", said
        if out:
            return "status 1, but output", out
        before = contents(self.base)
        written = {name for name in files if name not in before}
        if self.words[0] == "sweep":
            written = {name for name in written if not name.startswith("s.")}
        whole = len(self.files) - len(before) > 1 and all(files[name] == self.files.get(name) for name in written)
        return ("out of memory" if not written else "some traces" if whole and self.words[0] == "gen" else
                "status 1, but files"), repr(sorted(written)).encode()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--at-most", type=int, default=sys.maxsize)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--on", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    good = {"right", "out of memory", "point failed", "some traces"}
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        base = os.path.join(work, "base")
        os.mkdir(base)
        prepare(base)
        for line in COMMANDS.strip().split("\n"):
            if arguments.only not in line:
                continue
            command = Command(shlex.split(line), base)
            step = max(arguments.every, -(-command.allocations // arguments.at_most))
            numbers = range(command.allocations, 0, -step)
            verdicts = list(pool.map(lambda at, of=command: of.verdict(at, arguments.on), numbers))
            counts = collections.Counter(verdict for verdict, _ in verdicts)
            total += counts
            print(f"{command.allocations:6} {line[:60]:60} " +
                  ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common()), flush=True)
            for at, (verdict, said) in zip(numbers, verdicts):
                if verdict not in good and arguments.verbose:
                    print(f"       {at}: {verdict}: {said[-300:].decode(errors='replace')}")
    print("all: " + ", ".join(f"{number} {verdict}" for verdict, number in total.most_common()))
    return 0 if set(total) <= good else 1


if __name__ == "__main__":
    sys.exit(main())
