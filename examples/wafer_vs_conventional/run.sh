#!/bin/bash
# Wafer-scale against conventional platforms: the case study of ASTRA-sim 2.0 (ISPASS 2023), V-A.
#
#   usage: examples/wafer_vs_conventional/run.sh [OUTDIR]
#
# Prints the paper's Table IV beside Orrery's numbers, and a 1 GiB all-reduce on six platforms of 512
# NPUs with and without Themis (Fig. 9a), a training step of DLRM, GPT-3 and Transformer-1T on the same
# platforms, and the last two on up to 4096 NPUs (Fig. 9b); writes OUTDIR/table4.csv,
# fig9a_allreduce.csv, fig9a.csv and fig9b.csv, and plots as .svg. statements.sh says of each statement of the section what it is
# here, and over which range of samples, chunks and contention it is reached: OUTDIR/statements.csv. QUICK=1 leaves that out.
#
# One configuration for all rows of a lone all-reduce: 64 chunks, no latencies, one chunk-phase at a
# time in a dimension.
# Fig. 9b has the paper's model of a network, in which messages share the ports of their senders only
# (network.contention): groups there are parts of rings, whose messages pass each other's NPUs.
#
# Table IV: Ring(D1)_FC(8)_Ring(8)_Switch(D4), 1000_200_100_50 GiB/s of an NPU, baseline. Fig. 9a:
# inputs/platforms, Themis with the smallest chunk first.
#
# Training: Table III gives 16 and 128 model-parallel ranks, and 64 and 8 data-parallel ones, which is
# 1024 NPUs where Table II has 512; here the model-parallel ranks are kept, so that 32 and 4 share the
# batch. The paper gives no batch: every data-parallel rank works on one sample (of 2048 tokens). DLRM
# reduces its gradients in buckets of 25 MiB, as PyTorch does by default. Many collectives share the
# dimensions here, so that each takes a message of any chunk as soon as it is free.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/wafer_vs_conventional/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
printf 'workload: {generate: all_reduce, bytes: 1 GiB}\n' >"$work/all_reduce.yml"

# ---- Table IV ----

# dim1 dim4 npus, MiB of dimensions 1 to 4, us: the paper's
cat >"$work/paper" <<'END'
2 4 512 1024 896 112 12 4392.85
2 8 1024 1024 896 112 14 4392.85
2 16 2048 1024 896 112 15 4392.85
2 32 4096 1024 896 112 15.5 4392.85
4 4 1024 1536 448 56 6 2212.60
8 4 2048 1792 224 28 3 1753.48
16 4 4096 1920 112 14 1.5 1879.17
END
echo "shape,npus,quantity,paper,orrery" >"$out/table4.csv"
while read -r first last npus m1 m2 m3 m4 time; do
    shape=${first}_8_8_$last
    "$orrery" run --topology "Ring($first)_FC(8)_Ring(8)_Switch($last)" \
        --bandwidth '1000_200_100_50 GiB/s' --bandwidth-is npu "$work/all_reduce.yml" \
        --set system.algorithms.default=by_block --set system.chunks=64 --set system.dimension_service=phase --json "$work/result.json" >/dev/null
    awk -v OFS=, -v shape="$shape" -v npus="$npus" -v paper="$m1 $m2 $m3 $m4 $time" '
        BEGIN { split(paper, theirs, " ") }
        /^  "wall_ps":/ { us = ($2 + 0) / 1e6 }
        /^  "dims":/ { dims = 1 }
        dims && /^      "bytes":/ { d++; print shape, npus, "dim" d "_MiB", theirs[d], ($2 + 0) / npus / 1048576 }
        /^  \]/ { dims = 0 }
        END { printf "%s,%s,time_us,%s,%.2f\n", shape, npus, theirs[5], us }' "$work/result.json" \
        >>"$out/table4.csv"
done <"$work/paper"

echo "Table IV: MiB that an NPU sends on each dimension, and the time of a 1 GiB all-reduce in us"
printf '%-10s %6s  %-10s %10s %10s %9s\n' shape NPUs quantity paper orrery difference
awk -F, 'NR > 1 { printf "%-10s %6s  %-10s %10s %10s %8.2f %%\n", $1, $2, $3, $4, $5, 100 * ($5 - $4) / $4 }' \
    "$out/table4.csv"

# ---- Fig. 9a: the all-reduce ----

echo "platform,scheduler,time_us,times_of_wafer" >"$out/fig9a_allreduce.csv"
# time PLATFORM SCHEDULER: us
time_of() {
    local used=$2
    [[ $1 != w_1d* ]] || used=baseline # one dimension leaves nothing to schedule
    "$orrery" run "$root/inputs/platforms/$1.yml" "$work/all_reduce.yml" --set system.algorithms.default=by_block --set system.chunks=64 \
        --set system.dimension_service=phase --set system.port_order=smallest_first \
        --set "system.scheduler=$used" --json - | awk '/^  "wall_ps":/ { printf "%.2f", ($2 + 0) / 1e6 }'
}
# The wafer with the same bandwidth of an NPU.
for pair in w_1d_350:w_1d_350 w_1d_500:w_1d_500 w_1d_600:w_1d_600 w_2d:w_1d_500 conv_3d:w_1d_350 \
    conv_4d:w_1d_600; do
    wafer=$(time_of "${pair#*:}" baseline)
    for scheduler in baseline themis; do
        time=$(time_of "${pair%:*}" "$scheduler")
        awk -v OFS=, -v p="${pair%:*}" -v s="$scheduler" -v t="$time" -v w="$wafer" \
            'BEGIN { printf "%s,%s,%s,%.4f\n", p, s, t, t / w }' >>"$out/fig9a_allreduce.csv"
    done
done
echo
echo "Fig. 9a: a 1 GiB all-reduce on 512 NPUs; the last column is over W-1D with as much bandwidth"
printf '%-10s %-10s %12s %16s\n' platform scheduler 'time in us' 'times of W-1D'
awk -F, 'NR > 1 { printf "%-10s %-10s %12s %16s\n", $1, $2, $3, $4 }' "$out/fig9a_allreduce.csv"

# ---- Fig. 9: training ----

# step NAME SCHEDULER WORKLOAD RUN-OPTION...: a line NAME,WORKLOAD,SCHEDULER,total,compute,exposed (ms) and
# the utilization of each dimension.
step() {
    local name=$1 scheduler=$2 workload=$3 result
    shift 3
    local used=$scheduler
    [[ $name != w_1d* ]] || used=baseline # one dimension leaves nothing to schedule
    result=$(mktemp -p "$work")
    "$orrery" run "$@" --set system.algorithms.default=by_block --set system.chunks=64 \
        --set system.port_order=smallest_first --set "system.scheduler=$used" \
        --set 'compute={peak: 234 TFLOP/s}' --json "$result" >/dev/null
    awk -v name="$name,$workload,$scheduler" '
        /^  "wall_ps":/ { total = ($2 + 0) / 1e9 }
        /^  "dims":/ { dims = 1 }
        # Of the first class; the paper tells neither CPUs nor waiting apart.
        /"finish_ps":/ { classes++ }
        classes == 1 && /"(compute|cpu)_ps":/ { compute += ($2 + 0) / 1e9 }
        classes == 1 && /"(exposed_communication|waiting)_ps":/ && !dims { exposed += ($2 + 0) / 1e9 }
        dims && /^      "utilization":/ { use = use (use == "" ? "" : " ") sprintf("%.1f%%", 100 * $2) }
        END { printf "%s,%.3f,%.3f,%.3f,%s\n", name, total, compute, exposed, use }' "$result"
}
export -f step
export orrery work root

# The workloads: model-parallel ranks; the others share the batch.
plan() {
    case $1 in
    dlrm) echo dlrm_57m --set workload.training.bucket=25MiB ;;
    gpt3) echo gpt3_175b --set workload.parallel.tensor=16 ;;
    transformer_1t) echo transformer_1t --set workload.parallel.tensor=128 ;;
    esac
}
for workload in dlrm gpt3 transformer_1t; do
    for platform in w_1d_350 w_1d_500 w_1d_600 w_2d conv_3d conv_4d; do
        for scheduler in baseline themis; do
            echo "$platform $scheduler $workload $root/inputs/platforms/$platform.yml $(plan $workload)"
        done
    done
done >"$work/fig9a"
for workload in gpt3 transformer_1t; do
    for shape in Base-512:2:4 Conv-1024:2:8 Conv-2048:2:16 Conv-4096:2:32 W-1024:4:4 W-2048:8:4 W-4096:16:4; do
        IFS=: read -r name first last <<<"$shape"
        echo "$name baseline $workload $(plan $workload)" \
            "--topology Ring($first)_FC(8)_Ring(8)_Switch($last)" \
            "--bandwidth 1000_200_100_50GiB/s --bandwidth-is npu --set network.contention=senders"
    done
done >"$work/fig9b"
# all FILE: one line for each job of the file, in its order
all() {
    nl -ba -w1 -s' ' "$1" | xargs -P "$(nproc)" -d '\n' -I{} \
        bash -c 'read -r -a job <<<"$1"; step "${job[@]:1}" | sed "s/^/${job[0]},/"' _ {} | sort -n | cut -d, -f2-
}

{
    echo "platform,workload,scheduler,total_ms,compute_ms,exposed_communication_ms,utilization"
    all "$work/fig9a"
} >"$out/fig9a.csv"
{
    echo "platform,workload,scheduler,total_ms,compute_ms,exposed_communication_ms,utilization"
    all "$work/fig9b"
} >"$out/fig9b.csv"

show() {
    awk -F, 'NR == 1 { printf "%-10s %-15s %-10s %10s %10s %10s  %s\n", "platform", "workload", "scheduler",
                        "total ms", "compute", "exposed", "utilization by dimension"; next }
             { printf "%-10s %-15s %-10s %10s %10s %10s  %s\n", $1, $2, $3, $4, $5, $6, $7 }' "$1"
}
echo
echo "Fig. 9a: a training step on 512 NPUs, and what of it is compute and exposed communication"
show "$out/fig9a.csv"
echo
echo "The same over W-1D with as much bandwidth, with Themis"
awk -F, 'NR > 1 { t[$1, $2, $3] = $4 }
    END { split("dlrm gpt3 transformer_1t", w, " "); split("w_2d w_1d_500 conv_3d w_1d_350 conv_4d w_1d_600", p, " ")
          for (i = 1; i <= 3; i++) for (k = 1; k < 6; k += 2)
              printf "%-15s %-8s %.4f times %s\n", w[i], p[k],
                     t[p[k], w[i], "themis"] / t[p[k + 1], w[i], "baseline"], p[k + 1] }' "$out/fig9a.csv"
echo
echo "Fig. 9b: Base-512 is Ring(2)_FC(8)_Ring(8)_Switch(4); Conv grows the switch, W the wafer (dimension 1)."
echo "A step has a sample for each data-parallel rank, so that larger platforms do more in it."
show "$out/fig9b.csv"

# draw NAME KEY=VALUE...: lines SERIES,X,Y as OUTDIR/NAME.svg
draw() {
    local name=$1 settings=() setting
    shift
    for setting; do
        settings+=(-v "$setting")
    done
    awk -F, -f "$root/examples/figures/plot.awk" "${settings[@]}" >"$out/$name.svg"
}
awk -F, 'NR > 1 { print ($2 == "themis" ? "Themis" : $2) "," $1 "," $3 / 1000 }' "$out/fig9a_allreduce.csv" |
    draw fig9a_allreduce bars=1 from=0 "title=Fig. 9a: an all-reduce of 1 GiB on 512 NPUs" ylabel=ms
# Steps of the workloads differ by three decades: each is shown as a share of the slowest of its workload.
for figure in fig9a fig9b; do
    awk -F, 'NR > 1 { line[NR] = $0; slowest[$2] = $4 > slowest[$2] ? $4 : slowest[$2] }
        END { for (i = 2; i <= NR; i++) { split(line[i], f, ",")
              name = f[2] " " f[1] " " f[3]
              printf "compute,%s,%.6f\nexposed communication,%s,%.6f\n", name, f[5] / slowest[f[2]], name, f[6] / slowest[f[2]] } }' \
        "$out/$figure.csv" |
        draw "$figure" bars=1 from=0 "title=Fig. ${figure#fig}: training steps" "ylabel=over the slowest step of the workload"
done
echo
echo "plots: fig9a_allreduce.svg, fig9a.svg and fig9b.svg, beside the .csv files"
[ -z "${QUICK:-}" ] || exit 0
"$here/statements.sh" "$out"
. "$here/../figures/run_all.sh"
gather statements "figure,statement,paper,here,verdict,note" "$out"
