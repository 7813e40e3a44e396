#!/bin/bash
# How often, and by how much, Themis loses to the baseline: one all-reduce on random platforms of 1 to
# 4 dimensions of 2 to 32 NPUs (at most 1024 together), bandwidth ratios to 16, latencies to 2 us,
# 1 MB to 1 GB, smallest chunk first.
#
#   usage: bench/themis_random.sh [PLATFORMS [FILE.csv]]     default 1000
#
# Prints a Markdown table; the CSV has a line for each platform.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
count=${1:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
csv=${2:-$work/all.csv}

# A platform a line: notation bandwidths latencies bytes service; the same for the same number.
awk -v count="$count" 'BEGIN {
    srand(1)
    split("Ring FC Switch", block, " ")
    while (made < count) {
        dims = 1 + int(rand() * 4); npus = 1; shape = bandwidth = latency = ""
        for (d = 0; d < dims; d++) {
            n = 2 + int(rand() * 31); npus *= n
            join = d ? "_" : ""
            shape = shape join block[1 + int(rand() * 3)] "(" n ")"
            bandwidth = bandwidth join sprintf("%.3f", 25 * exp(rand() * log(16)))
            latency = latency (d ? "," : "") int(rand() * 2000) "ns"
        }
        if (npus > 1024)
            continue
        print shape, bandwidth, latency, int(1e6 * exp(rand() * log(1000))), made % 2 ? "phase" : "message"
        made++
    }
}' >"$work/platforms"

point() {
    local time=() scheduler schedulers="baseline themis best"
    [[ $1 == *_* ]] || schedulers="baseline baseline baseline" # nothing to schedule
    for scheduler in $schedulers; do
        time+=("$("$orrery" run --topology "$1" --bandwidth "$2 GB/s" --latency "$3" --bandwidth-is npu \
            --set "workload={generate: all_reduce, bytes: $4 B}" --set "system.dimension_service=$5" \
            --set system.algorithms.default=by_block --set system.port_order=smallest_first --set "system.scheduler=$scheduler" --json - |
            sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p')")
    done
    echo "$1,$2,\"$3\",$4,$5,${time[0]},${time[1]},${time[2]}"
}
export -f point
{
    echo "topology,gb_per_s,latency,bytes,service,baseline_ps,themis_ps,best_ps"
    xargs -P "$(nproc)" -L 1 bash -c 'point "$@"' point <"$work/platforms" | sort
} >"$csv"

# The last three fields; latencies hold commas.
awk -F, 'NR > 1 {
        service = $(NF - 3); n[service]++
        themis = $(NF - 1) / $(NF - 2)
        min = $(NF - 1) < $(NF - 2) ? $(NF - 1) : $(NF - 2)
        if (themis > 1.02) lost[service]++
        if (themis < 0.98) won[service]++
        if (themis > worst[service]) worst[service] = themis
        if ($NF / min > max[service]) max[service] = $NF / min
        sum[service] += log(themis)
    }
    END {
        print "| service | platforms | Themis loses > 2 % | worst | wins > 2 % | mean time of baseline | best over the better one, at most |"
        print "| --- | --- | --- | --- | --- | --- | --- |"
        for (s in n)
            printf "| %s | %d | %d | %.3f | %d | %.3f | %.4f |\n", s, n[s], lost[s], worst[s], won[s], exp(sum[s] / n[s]), max[s]
    }' "$csv"
