#!/bin/sh
# Jobs on a fat-tree that they share, beside the same jobs with a network each, as patch panels make
# them: of a plan, and a circulant.
#
#   usage: examples/sharded_cluster/run.sh [OUTDIR]
#
# Plans dlrm.yml, runs the jobs of jobs.yml in three ways side by side, prints the table and writes
# results.json and iterations.csv to OUTDIR (default: a temporary directory). ORRERY_BIN names another
# orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
out=${1:-}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
[ -n "$out" ] || out=$(mktemp -d)
mkdir -p "$out"
orrery=$(cd "$(dirname "$orrery")" && pwd)/$(basename "$orrery")
cp "$here/jobs.yml" "$here/vgg.yml" "$out"
cd "$out"
mkdir -p plans

"$orrery" plan topoopt "$here/dlrm.yml" -o plans/dlrm --progress never >plan.txt 2>said || {
    cat said >&2
    exit 1
}

# Each server has four interfaces of 25 Gb/s, or one to the tree: as fast, or as fast as all four.
sharded='cluster.network=sharded,jobs[1].fabric=circulant:1,5'
"$orrery" run --cluster jobs.yml --json results.json --csv iterations.csv \
    --compare "own networks:$sharded" --compare 'wide tree:cluster.link_bandwidth=100 Gb/s'
