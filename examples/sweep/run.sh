#!/bin/sh
# A design space: 400 GB/s an NPU, split between two dimensions in 13 ways, under two schedulers.
#
#   usage: examples/sweep/run.sh [OUTDIR]
#
# Prints the fastest points and, for each scheduler, those that none beats in both time and cost; writes all
# 26 to OUTDIR/split.csv, split.jsonl and split.json, and draws them as split.svg. Then layouts of a model by the
# dollars of its training (dollars.yml).
# Interrupted and started again with the same OUTDIR it goes on where it was. ORRERY_BIN names another orrery
# than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work}
mkdir -p "$out"
"$orrery" sweep "$here/split.yml" --best time --top 5 --output "$out/split" --json "$out/split.json" --plot "$out/split.svg"
"$orrery" sweep "$here/dollars.yml" --top 3 --output "$out/dollars"
