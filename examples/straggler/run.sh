#!/bin/sh
# What one slow GPU, or noise on all of them, costs a data-parallel job on 64 GPUs: every all-reduce
# waits for the slowest.
#
#   usage: examples/straggler/run.sh
#
# Prints the job's time on the healthy cluster, with one GPU that takes 1.5 x as long, and with 10 %
# jitter. ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

for case in healthy straggler jitter; do
    printf '%s: ' "$case"
    "$orrery" run "$here/$case.yml" "$root/inputs/workloads/mlp_data_parallel.yml" \
        --set workload.batch=4096 | head -1
done
