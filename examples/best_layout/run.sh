#!/bin/sh
# The best layout of LLaMA 2 70B on 64 to 256 H100 for one batch: which degrees pay, how much of the speed is kept, and what
# the training of 2 trillion tokens takes.
#
#   usage: examples/best_layout/run.sh [OUTDIR]
#
# Prints a line for each size. Writes all layouts that were simulated as CSV to OUTDIR (default: a temporary folder, removed at
# the end). ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}

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

printf '%5s  %-34s %10s %16s %8s %10s\n' GPUs 'best layout' 'step (s)' 'tokens/s a GPU' days 'million $'
for gpus in 64 128 256; do
    "$orrery" plan llm hgx_h100_256 llama2_70b --npus $gpus --set workload.training.batch=512 --best 5 \
        --tokens 2e12 --price '2.5 $/h' --csv "$out/$gpus.csv" >/dev/null
    awk -F, -v gpus=$gpus 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR == 2 { printf "%5d  %-34s %10.3f %16.1f %8.1f %10.2f\n", gpus, $column["layout"], $column["simulated_ps"] / 1e12,
            $column["tokens_per_s"] / gpus, $column["days"], $column["cost"] / 1e6 }' "$out/$gpus.csv"
done
