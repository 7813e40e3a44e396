#!/bin/sh
# How much of a training job's time is useful if its machines fail: Llama 3's 54 days on 16,384 GPUs (419
# failures), and the failure rate of a cluster of A100s (6.5 in 1000 node-days) at growing sizes.
#
#   usage: examples/goodput/run.sh [OUTDIR]
#
# Prints the first job's time by what it is spent on, and a line for each size. Writes CSV to OUTDIR (default: a
# temporary folder, removed at the end). ORRERY_BIN names another orrery than build/release/bin/orrery.
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

# 54 d x 16,384 GPUs / 419 failures: 50,677 GPU-hours
"$orrery" plan goodput --gpus 16384 --mtbf-gpu '50677 h' --days 54 --checkpoint '5 s' --restart '5 min' --step '7.5 s' \
    --step-tokens 16.8e6 --csv "$out/llama3.csv"

printf '\n%8s  %9s  %9s  %6s  %9s\n' GPUs 'MTBF (h)' 'tau (min)' ETTR simulated
for gpus in 1024 4096 16384 65536 131072; do
    "$orrery" plan goodput --gpus $gpus --mtbf-node '153.846 d' --checkpoint '10 s' --restart '5 min' --csv "$out/$gpus.csv" \
        >"$out/$gpus.txt"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR == 2 { printf "%8d  %9.3f  %9.2f  %6.3f  %9.3f\n", $column["gpus"], $column["mtbf_s"] / 3600,
            $column["interval_s"] / 60, $column["ettr"], $column["simulated_ettr"] }' "$out/$gpus.csv"
done
