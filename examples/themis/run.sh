#!/bin/bash
# The Themis paper's all-reduces (ISCA 2022): six topologies of 1024 NPUs, 100 to 1000 MiB, with the
# baseline, Themis and first in first out, Themis and smallest chunk first.
#
#   usage: examples/themis/run.sh [OUTDIR]
#
# Prints a table and writes OUTDIR/fig8.csv (times), fig11.csv (utilization of the bandwidth) and
# fig10.csv (utilization by chunks), with plots as .svg. The paper's points stand
# beside them where ORRERY_SHARED has them. STEP=N runs every N-th size only.
#
# Topologies, bandwidths (Gbit/s of an NPU in a dimension, over 8, as GiB/s) and latencies of a step
# are those of the paper's Table 2; a step through a switch is two hops. Its rules: 64 chunks, one
# chunk-phase at a time in a dimension, latency at the end, smallest input first.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
data=${ORRERY_SHARED:-$here/../../../shared}/data/themis
if [ ! -x "$orrery" ]; then
    echo "examples/themis/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
root=$(cd "$here/../.." && pwd)
step=${STEP:-1}

# name, notation, GiB/s, latency of a hop
cat >"$work/topologies" <<'END'
2D-SW_SW|Switch(16)_Switch(64)|150_100|350ns,850ns
3D-SW_SW_SW_homo|Switch(16)_Switch(8)_Switch(8)|100_100_100|350ns,350ns,850ns
3D-SW_SW_SW_hetero|Switch(16)_Switch(8)_Switch(8)|200_100_50|350ns,350ns,850ns
3D-FC_Ring_SW|FC(8)_Ring(16)_Switch(8)|175_100_50|700ns,700ns,850ns
4D-Ring_SW_SW_SW|Ring(4)_Switch(4)_Switch(8)_Switch(8)|250_200_100_50|20ns,350ns,350ns,850ns
4D-Ring_FC_Ring_SW|Ring(4)_FC(8)_Ring(4)_Switch(8)|375_175_150_100|20ns,700ns,700ns,850ns
END
printf 'workload: {generate: all_reduce, bytes: 100 MiB}\n' >"$work/all_reduce.yml"

# point NAME SCHEDULER MIB CHUNKS: one line NAME,SCHEDULER,MIB,CHUNKS,us,percent
point() {
    IFS='|' read -r _ notation bandwidth latency < <(grep "^$1|" "$work/topologies")
    local scheduler=themis order=age
    [ "$2" != Baseline ] || scheduler=baseline
    [ "$2" != Themis+SCF ] || order=smallest_input_first
    "$orrery" run --topology "$notation" --bandwidth "$bandwidth GiB/s" --bandwidth-is npu \
        --latency "$latency" "$work/all_reduce.yml" --set "workload.bytes=${3}MiB" \
        --set system.algorithms.default=by_block --set "system.chunks=$4" --set "system.scheduler=$scheduler" \
        --set "system.port_order=$order" --set system.dimension_service=phase --json - |
        awk -v name="$1" -v scheduler="$2" -v mib="$3" -v chunks="$4" -v bandwidth="$bandwidth" '
            /^  "wall_ps":/ { ps = $2 + 0 }
            END {
                for (n = split(bandwidth, each, "_"); n > 0; n--)
                    sum += each[n]
                # bytes that an NPU has to send, over what it could in that time
                util = 100 * 2 * mib / 1024 * (1 - 1 / 1024) / (ps * 1e-12 * sum)
                printf "%s,%s,%d,%d,%.2f,%.2f\n", name, scheduler, mib, chunks, ps / 1e6, util
            }'
}
export -f point
export orrery work

schedulers="Baseline Themis+FIFO Themis+SCF"
cut -d'|' -f1 "$work/topologies" | while read -r name; do
    for scheduler in $schedulers; do
        for mib in $(seq 100 $((50 * step)) 1000); do
            echo "$name $scheduler $mib 64"
        done
    done
done >"$work/points"
for name in 3D-SW_SW_SW_hetero 4D-Ring_FC_Ring_SW; do
    for scheduler in $schedulers; do
        for chunks in 4 8 16 32 64 128 256 512; do
            echo "$name $scheduler 50 $chunks"
        done
    done
done >"$work/points10"
run() {
    xargs -P "$(nproc)" -L 1 bash -c 'point "$@"' point <"$1" | sort -t, -k1,2 -k3,3n -k4,4n
}
run "$work/points" >"$work/results"
run "$work/points10" >"$work/results10"

# with_paper FILE COLUMNS KEYCOLUMN VALUECOLUMN DATAFILE DATAVALUE: adds the paper's value, or nothing
with_paper() {
    awk -F, -v OFS=, -v key="$3" -v value="$4" -v theirs="$5" -v scale="$6" -v file="$data/$2" '
        BEGIN { while ((getline <file) > 0) if (n++) paper[$1 OFS $2 OFS int($3 * scale + 0.5)] = $theirs }
        { print $1, $2, $key, $value, paper[$1 OFS $2 OFS $key] }' "$1"
}
{ echo "topology,scheduler,size_mib,orrery_us,paper_us"
  with_paper "$work/results" themis_fig8_allreduce_time.csv 3 5 5 1000; } >"$out/fig8.csv"
{ echo "topology,scheduler,size_mib,orrery_percent,paper_percent"
  with_paper "$work/results" themis_fig11_util.csv 3 6 4 1000; } >"$out/fig11.csv"
{ echo "topology,scheduler,chunks,orrery_percent,paper_percent"
  with_paper "$work/results10" themis_fig10_chunks.csv 4 6 4 1; } >"$out/fig10.csv"

# ---- what a person sees ----

echo "all-reduce of 1000 MiB on 1024 NPUs, times in us; paper: Themis (ISCA 2022), Fig. 8"
printf '%-20s %-11s %12s %12s\n' topology scheduler orrery paper
awk -F, '$3 == 1000 { printf "%-20s %-11s %12.1f %12s\n", $1, $2, $4, $5 == "" ? "-" : $5 }' "$out/fig8.csv"
echo
echo "mean utilization of the bandwidth over all sizes and topologies, in percent; paper: Fig. 11"
printf '%-20s %12s %12s\n' scheduler orrery paper
for each in "Baseline 56.3" "Themis+FIFO 87.7" "Themis+SCF 95.1"; do
    awk -F, -v name="${each% *}" -v paper="${each#* }" '
        $2 == name { sum += $4; count++ }
        END { printf "%-20s %12.1f %12s\n", name, sum / count, paper }' "$out/fig11.csv"
done
echo
echo "difference of times from the paper, over the points that are here"
for scheduler in $schedulers; do
    awk -F, -v name="$scheduler" '$2 == name && $5 > 0 {
            d = 100 * ($4 - $5) / $5; print d < 0 ? -d : d }' "$out/fig8.csv" | sort -n |
        awk -v name="$scheduler" '{ d[NR] = $1 }
            END { if (NR) printf "%-20s %4d points, median %.2f %%, largest %.2f %%\n", name, NR,
                                 d[int((NR + 1) / 2)], d[NR]
                  else printf "%-20s no points of the paper here: there is no %s\n", name, data }' data="$data" -
done

# ---- plots ----

# The mean over topologies, by scheduler.
for figure in 'fig8:size of the all-reduce, MiB:time, us' 'fig11:size of the all-reduce, MiB:use of the bandwidth, %' \
    'fig10:chunks:use of the bandwidth, %'; do
    IFS=: read -r name x y <<<"$figure"
    awk -F, 'NR > 1 { if (!(($2, $3) in n)) order[++count] = $2 "," $3; n[$2, $3]++; sum[$2, $3] += $4 }
        END { for (i = 1; i <= count; i++) { split(order[i], f, ","); print order[i] "," sum[f[1], f[2]] / n[f[1], f[2]] } }' \
        "$out/$name.csv" | sort -t, -k1,1 -k2,2n |
        awk -F, -f "$root/examples/figures/plot.awk" -v "title=Themis, Fig. ${name#fig}, mean of all topologies" -v "xlabel=$x" \
            -v "ylabel=$y" -v logx=1 >"$out/$name.svg"
done
echo
echo "plots: fig8, fig10 and fig11 as .svg, beside the .csv files"
