#!/bin/bash
# Which 3D-parallel layout trains GPT-3 175B fastest on 1024 GPUs, and what would help it most?
#
#   usage: examples/design_space/run.sh [OUTDIR]
#
# Sweeps tensor and pipeline degrees, micro-batches and recomputation on A100s and H100s (a100.yml,
# h100.yml: platforms are 128 nodes of 8 behind NVSwitches, one InfiniBand adapter for each GPU, with
# the efficiency curves of inputs/compute). Prints the ten best layouts of each with what `orrery whatif`
# says would save most, and writes OUTDIR/a100.csv, h100.csv (all points, also as a100.json and h100.json), best.csv and
# MFU by memory for each tensor degree as a100.svg and h100.svg. QUICK=1 takes an eighth of the samples of a step.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/design_space/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
plot() { # plot GPU: MFU by memory of its points as SVG
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["status"] == "ok" { print "tensor " $at["workload.parallel.tensor"] "," $at["memory_bytes"] / 2^30 "," 100 * $at["model_flops_utilization"] }' "$out/$1.csv" |
        awk -F, -v points=1 -v from=0 -v title="GPT-3 175B on 1024 ${1^^}s" -v xlabel="memory of a GPU, GiB" -v ylabel="MFU, %" \
            -f "$root/examples/figures/plot.awk" >"$out/$1.svg"
}
samples=1536
if [ -n "${QUICK:-}" ]; then
    samples=192
    for file in "$here"/*.yml; do
        sed "s/1536/$samples/g" "$file" >"$work/${file##*/}"
    done
    here=$work
fi

# why GPU TENSOR PIPELINE MICRO_BATCH RECOMPUTE: the change that saves most, and how much
why() {
    "$orrery" whatif "$here/$1_1024.yml" "$here/gpt3.yml" --set "workload.parallel.tensor=$2" \
        --set "workload.parallel.pipeline=$3" --set "workload.training.micro_batch=$4" \
        --set "workload.training.recompute=$5" |
        awk '/^what if/ { getline; n = split($0, f, /  +/); sub(/^ */, "", f[4]); print f[1] " (-" f[4] ")"; exit }'
}

echo "gpu,tensor,pipeline,data,micro_batch,recompute,time_s,mfu_percent,helps_most" >"$out/best.csv"
for gpu in a100 h100; do
    "$orrery" sweep "$here/$gpu.yml" --output "$out/$gpu" --json "$out/$gpu.json" --restart --progress never >"$work/$gpu.txt" 2>&1 ||
        { cat "$work/$gpu.txt" >&2; exit 1; }
    plot "$gpu"
    echo "GPT-3 175B on 1024 ${gpu^^}s, $samples samples a step: $(sed -n 's/^\([0-9]* points, [0-9]* failed\).*/\1/p' \
        "$work/$gpu.txt") (they do not fit into 80 GB); the ten best:"
    printf '%7s %9s %5s %12s %10s %10s %6s  %s\n' tensor pipeline data micro-batch recompute time MFU 'helps most'
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["status"] == "ok" { print $at["wall_s"] "," $2 "," $3 "," $4 "," $5 "," $at["model_flops_utilization"] }' "$out/$gpu.csv" |
        sort -n | head -10 |
        while IFS=, read -r time tensor pipeline micro recompute mfu; do
            helps=$(why "$gpu" "$tensor" "$pipeline" "$micro" "$recompute")
            data=$((1024 / tensor / pipeline))
            percent=$(awk -v m="$mfu" 'BEGIN { printf "%.1f", 100 * m }')
            printf '%7s %9s %5s %12s %10s %8.3f s %5s%%  %s\n' "$tensor" "$pipeline" "$data" "$micro" \
                "$recompute" "$time" "$percent" "$helps"
            echo "$gpu,$tensor,$pipeline,$data,$micro,$recompute,$time,$percent,$helps" >>"$out/best.csv"
        done
    echo
done
