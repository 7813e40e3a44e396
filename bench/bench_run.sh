#!/bin/bash
# Measures simulated messages per second of wall time: all-reduce on Ring(k)^3, see README.md.
#
#   usage: bench/bench_run.sh [CASE...]     cases: 4096-s4 4096-s64 13824-s4 4096-own; default all
#
# 4096-own uses Orrery's rules, with every NPU simulated; the others the rules of the ASTRA-sim simulator.
# ORRERY_BIN names another orrery than build/release/bin/orrery. Prints a Markdown table.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../tests/cli/bad_input/trace.sh"
here="$here/../tests/cli" # where trace.sh looks for its awk program

# all_reduce BYTES
all_reduce() {
    trace "$work/all_reduce.et" <<END
node 1 7 all-reduce
int comm_type 0
int comm_size $1
END
}

# platform K SPLITS
platform() {
    cat >"$work/network.yml" <<END
topology: [ Ring, Ring, Ring ]
npus_count: [ $1, $1, $1 ]
bandwidth: [ 50.0, 50.0, 50.0 ]
latency: [ 500.0, 500.0, 500.0 ]
END
    cat >"$work/system.json" <<END
{
    "scheduling-policy": "LIFO",
    "collective-optimization": "localBWAware",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 1,
    "preferred-dataset-splits": $2,
    "all-reduce-implementation": ["ring", "ring", "ring"],
    "local-mem-bw": 1600
}
END
}

# Runs the command with the output to $work/out, and prints its wall seconds and its peak of
# resident memory in MiB; from /proc, where GNU time is not installed.
measure() {
    local start end peak=0 now pid
    start=$(date +%s.%N)
    "$@" >"$work/out" &
    pid=$!
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) &&
        [ -n "$now" ]; do
        peak=$now
        sleep 0.02
    done
    wait "$pid"
    end=$(date +%s.%N)
    awk -v a="$start" -v b="$end" -v kb="$peak" 'BEGIN { printf "%.2f %.0f", b - a, kb / 1024 }'
}

# report NAME NPUS SECONDS PEAK REFERENCE: a row, of the run whose output is in $work/out.
report() {
    local messages time
    messages=$(sed -n 's/^\([0-9]*\) messages,.*/\1/p' "$work/out")
    time=$(sed -n 's/^job time \(.*\) on .*/\1/p' "$work/out")
    awk -v name="$1" -v npus="$2" -v messages="$messages" -v seconds="$3" -v peak="$4" -v time="$time" \
        -v reference="$5" 'BEGIN {
            printf "| %s | %d | %s | %d | %.2f | %.1f million | %d | %s |\n", name, npus, time,
                messages, seconds, messages / seconds / 1e6, peak, reference }'
}

# row NAME K BYTES SPLITS REFERENCE
row() {
    local seconds peak
    all_reduce "$3"
    platform "$2" "$4"
    read -r seconds peak < <(measure "$orrery" run --workload-configuration "$work/all_reduce.et" \
        --system-configuration "$work/system.json" --network-configuration "$work/network.yml" &&
        echo)
    report "$1" "$(($2 * $2 * $2))" "$seconds" "$peak" "$5"
}

# own_row NAME K BYTES CHUNKS
own_row() {
    local seconds peak
    read -r seconds peak < <(measure "$orrery" run --topology "Ring($2)_Ring($2)_Ring($2)" \
        --bandwidth '200_100_50 GB/s' --set "workload={generate: all_reduce, bytes: $3}" \
        --set system.algorithms.default=by_block --set "system.chunks=$4" --fold off && echo)
    report "$1" "$(($2 * $2 * $2))" "$seconds" "$peak" ""
}

# The reference's cost was measured on a machine of the same kind, single-threaded as well.
run_case() {
    case $1 in
    4096-s4) row "1 MiB on Ring(16)^3, 4 splits" 16 1048576 4 "5-10 s, 193 MB" ;;
    4096-s64) row "1 GiB on Ring(16)^3, 64 splits" 16 1073741824 64 "157 s, 642 MB" ;;
    13824-s4) row "1 MiB on Ring(24)^3, 4 splits" 24 1048576 4 "64-69 s, 705 MB" ;;
    4096-own) own_row "1 MiB on Ring(16)^3, 16 chunks, own rules" 16 1MiB 16 ;;
    *)
        echo "$0: unknown case $1; expected 4096-s4, 4096-s64, 13824-s4 or 4096-own" >&2
        return 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- 4096-s4 13824-s4 4096-s64 4096-own
echo "| all-reduce | NPUs | simulated | messages | wall s | messages/s | peak MiB | reference |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for name; do
    run_case "$name"
done
