#!/bin/sh
# The first thing to run: a data-parallel training step of a small network on a ring of 8 NPUs.
#
#   usage: examples/first_run/run.sh [OUTDIR]
#
# Writes the generated execution traces to OUTDIR (default: a temporary folder, removed at the
# end) and prints the simulated time of every NPU. ORRERY_BIN names another orrery than
# build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

if [ $# -ge 1 ]; then
    out=$1
    mkdir -p "$out"
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi

"$orrery" gen mlp --npus 8 --layers 4 --bytes "16 MiB" --batch 1024 --optimizer -o "$out/mlp"
"$orrery" run \
    --workload-configuration "$out/mlp" \
    --system-configuration "$root/inputs/astra/system.json" \
    --network-configuration "$root/inputs/astra/ring8.yml" \
    --remote-memory-configuration "$root/inputs/astra/memory.json"
