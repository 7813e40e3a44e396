#!/bin/sh
# A day of jobs on a ring of 64 GPUs, each of which needs neighbours around it (SiP-ML, section 3.3): how
# long they wait for a block although enough GPUs are free, and what a switch in front of the ring gives.
#
#   usage: examples/ring_jobs/run.sh [OUTDIR]
#
# Runs jobs.yml with cluster.ring_ocs false and true side by side, with queue: fifo and backfill; prints for each
# what all jobs are like, and writes the tables, JSON and CSV to OUTDIR (default: a temporary directory).
# ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
out=${1:-}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
if [ -z "$out" ]; then
    out=$(mktemp -d)
fi
mkdir -p "$out"
orrery=$(cd "$(dirname "$orrery")" && pwd)/$(basename "$orrery")
cp "$here"/*.yml "$out"
cd "$out"

for queue in fifo backfill; do
    "$orrery" run --cluster jobs.yml --set "cluster.queue=$queue" --compare 'any GPUs: cluster.ring_ocs=true' \
        --json "$queue.json" --csv "$queue.csv" >"$queue.txt"
    echo "$queue:"
    sed -n '/^all /,$p' "$queue.txt"
    echo
done
