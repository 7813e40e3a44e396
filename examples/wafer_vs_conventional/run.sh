#!/bin/bash
# Wafer-scale against conventional platforms, the collective half of ASTRA-sim 2.0 (ISPASS 2023), V-A.
#
#   usage: examples/wafer_vs_conventional/run.sh [OUTDIR]
#
# Prints the paper's Table IV beside Orrery's numbers, and a 1 GiB all-reduce on six platforms of 512
# NPUs with and without Themis (Fig. 9a); writes OUTDIR/table4.csv and fig9a_allreduce.csv, and a plot
# where gnuplot is installed.
#
# One configuration for all rows: 64 chunks, no latencies, one chunk-phase at a time in a dimension.
# Table IV: Ring(D1)_FC(8)_Ring(8)_Switch(D4), 1000_200_100_50 GiB/s of an NPU, baseline. Fig. 9a:
# inputs/platforms, Themis with the smallest chunk first.
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
        --set system.chunks=64 --set system.dimension_service=phase --json "$work/result.json" >/dev/null
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
    "$orrery" run "$root/inputs/platforms/$1.yml" "$work/all_reduce.yml" --set system.chunks=64 \
        --set system.dimension_service=phase --set system.port_order=smallest_first \
        --set "system.scheduler=$2" --json - | awk '/^  "wall_ps":/ { printf "%.2f", ($2 + 0) / 1e6 }'
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

if command -v gnuplot >/dev/null; then
    for terminal in svg pdf; do
        gnuplot 2>"$work/gnuplot" <<END || cat "$work/gnuplot" >&2
set terminal $([ "$terminal" = svg ] && echo svg size 800,500 || echo pdfcairo)
set output "$out/fig9a_allreduce.$terminal"
set datafile separator ","
set style data histograms
set style fill solid 0.8
set ylabel "all-reduce of 1 GiB, ms"
set yrange [0:*]
plot "< grep ,baseline, $out/fig9a_allreduce.csv" using (\$3 / 1000):xtic(1) title "baseline", \
     "< grep ,themis, $out/fig9a_allreduce.csv" using (\$3 / 1000) title "Themis"
END
    done
    echo
    echo "plot: fig9a_allreduce.svg and .pdf, beside the .csv files"
fi
