#!/bin/bash
# Folding: wall time, peak memory, events and classes of symmetric jobs from 64 to 1,048,576 NPUs, with
# every NPU simulated for comparison where that is feasible.
#
#   usage: bench/fold.sh [FILE.csv]
#
# Prints a Markdown table and the exponent of the time in the number of NPUs (least squares in logarithms);
# writes FILE.csv as case,npus,fold,wall_s,rss_kb,events,classes. ORRERY_BIN names another orrery than
# build/release/bin/orrery. Needs GNU time (Debian: time).
set -euo pipefail
if [ ! -x /usr/bin/time ]; then
    echo "bench/fold.sh: there is no /usr/bin/time; install the package time" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
csv=${1:-$work/fold.csv}
echo "case,npus,fold,wall_s,rss_kb,events,classes" >"$csv"

# measure CASE NPUS FOLD ARGUMENT...
measure() {
    local case=$1 npus=$2 fold=$3 begin end classes
    shift 3
    begin=$(date +%s%N)
    /usr/bin/time -f %M -o "$work/rss" "$orrery" run "$@" --fold "$fold" --json "$work/result.json" >"$work/out"
    end=$(date +%s%N)
    classes=$("$orrery" run "$@" --fold "$fold" --explain-fold | sed -n 's/.* in \([0-9]*\) class.*/\1/p')
    awk -v OFS=, -v c="$case" -v n="$npus" -v f="$fold" -v ns="$((end - begin))" -v rss="$(cat "$work/rss")" \
        -v classes="$classes" '/^  "events":/ { print c, n, f, sprintf("%.3f", ns / 1e9), rss, $2 + 0, classes }' \
        "$work/result.json" | tee -a "$csv" |
        awk -F, '{ printf "| %-18s | %8d | %-4s | %9.3f | %8.1f | %11d | %8d |\n", $1, $2, $3, $4, $5 / 1024, $6, $7 }'
}

echo "| case | NPUs | fold | wall, s | MiB | events | classes |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for bytes in 1MiB 1GiB; do
    for torus in 64:4,4,4 512:8,8,8 4096:16,16,16 32768:32,32,32 1048576:32,32,32,32; do
        npus=${torus%%:*}
        notation=Ring\($(sed 's/,/)_Ring(/g' <<<"${torus#*:}")\)
        for fold in auto off; do
            [ $fold = auto ] || [ "$npus" -le 4096 ] || continue
            measure "all-reduce $bytes" "$npus" $fold --topology "$notation" --bandwidth 50GB/s --latency 500ns \
                --set "workload={generate: all_reduce, bytes: $bytes}" --set system.algorithms.default=by_block --set system.chunks=64
        done
    done
done
cat >"$work/gpt3.yml" <<'END'
include: gpt3_175b
workload: {parallel: {tensor: 8, pipeline: 16, order: tp-pp-dp}}
END
for data in 1 8 64 512 8192; do
    for fold in auto off; do
        [ $fold = auto ] || [ $data -le 8 ] || continue
        measure "GPT-3 iteration" $((128 * data)) $fold --topology "Switch(8)_Switch(16)_Switch($data)" \
            --bandwidth '300_50_25GB/s' --latency 1us "$work/gpt3.yml" --set 'compute={peak: 312 TFLOP/s}' \
            --set memory.local.bandwidth=2TB/s --set workload.training.batch=$((16 * data)) --set system.algorithms.default=by_block --set system.chunks=4
    done
done
for side in 8 32 64 256; do
    for fold in auto off; do
        [ $fold = auto ] || [ $side -le 32 ] || continue
        measure "DLRM all-to-all" $((side * side)) $fold --topology "Switch($side)_Switch($side)" \
            --bandwidth '300_50GB/s' --latency 1us dlrm_57m --set workload.dlrm.tables=$((side * side)) \
            --set 'compute={peak: 312 TFLOP/s}' --set memory.local.bandwidth=2TB/s --set system.algorithms.default=by_block --set system.chunks=4
    done
done

echo
awk -F, 'NR > 1 { k = $1 " fold " $3; x = log($2); y = log($4); n[k]++; sx[k] += x; sy[k] += y; sxx[k] += x * x; sxy[k] += x * y }
    END { for (k in n) if (n[k] > 1) printf "time ~ NPUs^%.2f  %s\n",
              (n[k] * sxy[k] - sx[k] * sy[k]) / (n[k] * sxx[k] - sx[k] ^ 2), k }' "$csv" | sort -k3
