#!/bin/bash
# Operators of one's own in a pipeline with ZeRO-1 and recomputation, against the time by hand.
#
#   usage: examples/own_operators/run.sh [OUTDIR]
#
# A layer takes f forwards and b backwards (job.yml); a stage has two layers, F = 2 f, and with
# recomputation B = 2 (f + b). GPipe runs m micro-batches through p stages in (m + p - 1) (F + B), and
# 2 (p - 1) messages c between stages lie in front of the first and behind the last. ZeRO-1 gathers
# the first layer's weights before it starts (g), reduces its gradients when all else is done (r),
# and updates them (u).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/own_operators/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

by_hand() {
    awk -v p="$1" -v recomputes="$2" 'BEGIN {
        peak = 100e12; port = 100e9; latency = 2e-6; m = 16 / (8 / p)
        tokens = 1024; width = 4096
        product = 2 * tokens * width * width; sum = tokens * width
        f = (8e9 + product + sum) / peak; b = (16e9 + 2 * product + sum) / peak
        of_stage = 8 / p; F = of_stage * f; B = of_stage * (b + recomputes * f)
        c = 2 * tokens * width / port + latency
        ranks = 8 / p; weights = 16777216 + width * width + width
        g = 2 * weights * (ranks - 1) / ranks / port + latency
        r = 4 * weights * (ranks - 1) / ranks / port + latency
        u = weights / ranks / peak
        printf "%.3f\n", 1e3 * (g + (m + p - 1) * (F + B) + 2 * (p - 1) * c + r + u)
    }'
}

printf '%-8s %-10s %14s %14s %18s\n' stages recompute 'by hand, ms' 'simulated, ms' 'activations, MiB'
for recompute in none full; do
    time=$("$orrery" run "$here/platform.yml" "$here/job.yml" --set workload.training.recompute=$recompute --json - |
        awk '/^  "wall_ps":/ { printf "%.3f\n", $2 / 1e9 }')
    kept=$("$orrery" gen "$here/job.yml" --npus 8 --set workload.training.recompute=$recompute |
        awk '/^stage 0/ { print $9; exit }')
    printf '%-8s %-10s %14s %14s %18s\n' 4 $recompute "$(by_hand 4 "$([ $recompute = full ] && echo 1 || echo 0)")" \
        "$time" "$kept"
done
