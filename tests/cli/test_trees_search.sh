#!/bin/sh
# `trees: search` runs the trees that `orrery topo trees` shows, on fabrics of several dimensions too: a run takes what the
# shown parents take on one dimension of all NPUs, and shares as many links.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

cat >trees.py <<'END'
import json, os, re, subprocess, sys

ORRERY = os.environ["ORRERY_BIN"]
FABRICS = [("torus:4x4", 16), ("torus:2x4", 8), ("torus:3x5", 15), ("hypercube", 16), ("full-mesh", 6), ("circulant:1,5", 16), ("dgx1", 8)]

def orrery(*arguments):
    return subprocess.run([ORRERY, *arguments], capture_output=True, text=True)

def platform(fabric, npus, system, topology=""):
    return (f'network: {{graph: {{npus: {npus}, fabric: "{fabric}", bandwidth: 22.3 GB/s, latency: 0 ns}}, message_overhead: 7 us, '
            f'backend: congestion{topology}}}\nsystem: {{algorithms: {{all_reduce: trees}}, {system}, phased: false, chunks: 50}}\n'
            f'workload: {{generate: all_reduce, bytes: 64 MiB}}\n')

def run(text):
    open("p.yml", "w").write(text)
    ran = orrery("run", "p.yml", "--json", "run.json")
    if ran.returncode != 0:
        return ran.stderr, 0
    shared = re.search(r"share links, (\d+) times", ran.stderr)
    return json.load(open("run.json"))["wall_ps"], int(shared[1]) if shared else 0

failures = 0
def expect(what, found, wanted):
    global failures
    if found != wanted:
        print(f"{what}: {found}, expected {wanted}", file=sys.stderr)
        failures += 1

for fabric, npus in FABRICS:
    shown = json.loads(orrery("topo", "trees", fabric, "--npus", str(npus), "--json", "-").stdout)
    parents = ", ".join('"' + " ".join("-" if p is None or p < 0 else str(p) for p in tree["parents"]) + '"' for tree in shown["trees"])
    given = run(platform(fabric, npus, f"trees: [{parents}]", f", topology: Switch({npus})"))
    searched = run(platform(fabric, npus, "trees: search"))
    expect(f"{fabric}, against the trees that are shown", searched, given)
    expect(f"{fabric}, conflicts", searched[1], shown["conflicts"])
    # The command shows the platform's trees, from the file itself.
    own = json.loads(orrery("topo", "trees", "p.yml", "--json", "-").stdout)
    expect(f"{fabric}, shown of the platform", [tree["parents"] for tree in own["trees"]], [tree["parents"] for tree in shown["trees"]])

# 4 hops up and 4 down, 25 chunks a tree, no link twice.
expect("torus:4x4", run(platform("torus:4x4", 16, "trees: search"))[0] // 10**6, 2149)

# Dimensions that are named keep their trees, and the command shows those of the first.
open("p.yml", "w").write(platform("torus:4x4", 16, "trees: search", ", topology: Ring(4)_Ring(4)"))
expect("two dimensions", json.loads(orrery("topo", "trees", "p.yml", "--json", "-").stdout)["trees"][0]["parents"].__len__(), 4)
sys.exit(failures != 0)
END
python3 trees.py
