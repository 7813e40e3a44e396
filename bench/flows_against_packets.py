#!/usr/bin/env python3
"""Flows and windows against packets, on random collectives and random fabrics.

usage: bench/flows_against_packets.py [CASES [SEED [FILE.csv]]]

Runs each case three times: by max-min flows, by windows, and packet by packet through first-come-
first-served links (network.backend: congestion with a packet of 8 KiB). Every pair's message takes
the same path in all three (ECMP by its key). Prints, for each kind of collective, the
median and the worst difference to packets, and each case that is more than 10 % off with its cause
as far as it can be told from the case. ORRERY_BIN names another orrery than build/release/bin/orrery.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
orrery = os.environ.get("ORRERY_BIN", os.path.join(here, "../build/release/bin/orrery"))

FABRICS = [
    ("fat-tree:4", [16]), ("fat-tree:8", [32, 64, 128]), ("fat-tree:8,4", [32, 64]),
    ("ideal-switch", [8, 16, 32]), ("full-mesh", [8, 16]), ("torus:4x4", [16]),
    ("torus:4x8", [32]), ("hypercube", [16, 32]), ("circulant:1,5", [16, 24]),
    ("expander:4", [16, 32]), ("clusters:4,4", [16]),
]
PATTERNS = [
    ("all_to_all", "direct"), ("all_to_all", "pairwise"), ("all_gather", "direct"),
    ("reduce_scatter", "direct"), ("all_reduce", "direct"), ("all_reduce", "ring"),
    ("all_reduce", "halving_doubling"), ("all_gather", "ring"),
]
WAYS = {
    "flows": {"backend": "flow"},
    "windows": {"backend": "flow", "shares": "windows", "packet": "8 KiB"},
    "packets": {"backend": "congestion", "packet": "8 KiB"},
}


def draw(rng):
    fabric, sizes = rng.choice(FABRICS)
    npus = rng.choice(sizes)
    kind, algorithm = rng.choice(PATTERNS)
    # A message: 64 to 512 KiB, so that packets are many, and whole ones in all three ways.
    chunks = rng.choice([1, 4])
    step = rng.choice([64, 128, 256, 512]) * 1024 * chunks
    part = step if kind == "all_gather" else step * npus
    return {"fabric": fabric, "npus": npus, "kind": kind, "algorithm": algorithm, "bytes": part,
            "gbit": rng.choice([100, 200, 400]), "chunks": chunks}


def run(case, way, folder):
    job = {
        "network": dict({"graph": {"npus": case["npus"], "fabric": case["fabric"],
                                   "bandwidth": "%d Gb/s" % case["gbit"], "latency": "1 us"}},
                        **WAYS[way]),
        "system": {"chunks": case["chunks"], "algorithms": {case["kind"]: case["algorithm"]}},
        "workload": {"generate": case["kind"], "bytes": "%d B" % case["bytes"]},
    }
    path, out = os.path.join(folder, "job.yml"), os.path.join(folder, "out.json")
    with open(path, "w") as file:
        json.dump(job, file)  # JSON is YAML
    done = subprocess.run([orrery, "run", path, "--json", out], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s" % (case, done.stderr))
    with open(out) as file:
        return json.load(file)["wall_ps"]


def cause_of(case):
    """Why flows and packets differ in such a case (docs/models.md, section 4)."""
    if case["algorithm"] == "direct":
        return "packets leave peer by peer, flows share all paths from the start"
    return "behind their own link flows share alike; in queues the oldest and the first are on time"


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            case = draw(rng)
            for way in WAYS:
                case[way] = run(case, way, folder)
            for way in ("flows", "windows"):
                case[way + "_off"] = 100 * (case[way] / case["packets"] - 1)
            rows.append(case)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", newline="") as file:
            table = csv.DictWriter(file, fieldnames=list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    show(rows)


def line(name, rows):
    off = {way: [abs(row[way + "_off"]) for row in rows] for way in ("flows", "windows")}
    print("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% |" % (
        name, len(rows), median(off["flows"]), max(off["flows"]), median(off["windows"]),
        max(off["windows"])))


def show(rows):
    print("| collective | cases | flows, median | worst | windows, median | worst |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind, algorithm in PATTERNS:
        chosen = [r for r in rows if (r["kind"], r["algorithm"]) == (kind, algorithm)]
        if chosen:
            line("%s, %s" % (kind, algorithm), chosen)
    line("all", rows)
    print()
    for row in rows:
        if max(abs(row["flows_off"]), abs(row["windows_off"])) > 10:
            print("%s %d, %s %s, %d B in %d, %d Gb/s: flows %+.1f %%, windows %+.1f %% (%s)" % (
                row["fabric"], row["npus"], row["kind"], row["algorithm"], row["bytes"],
                row["chunks"], row["gbit"], row["flows_off"], row["windows_off"], cause_of(row)))


if __name__ == "__main__":
    main()
