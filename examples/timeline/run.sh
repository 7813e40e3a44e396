#!/bin/sh
# A timeline of a pipeline: eight micro-batches of 32 MiB go through four NPUs, each a stage of 2 TFLOP.
#
#   usage: examples/timeline/run.sh [OUTDIR]
#
# Writes OUTDIR/timeline.json.gz (default: the current folder), which https://ui.perfetto.dev opens, and
# results.json. ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

out=${1:-.}
mkdir -p "$out"

"$orrery" run "$here/pipeline.yml" --timeline "$out/timeline.json.gz" --json "$out/results.json" --per-npu
echo "open $out/timeline.json.gz in https://ui.perfetto.dev"
