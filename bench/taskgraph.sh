#!/bin/bash
# Chains of operators on 1024 GPUs as task graphs of equivalent groups (bench/taskgraph_chain.awk), about 900,000 tasks in all, on an
# ideal switch with max-min flows: with one group simulated for all, and every NPU. Prints times and memory of the whole command,
# reading included, and fails where results differ, or where it takes more than 0.2 s (of a processor) or 64 MB, and 4 s or 400 MB;
# as much where the file is plain, with every task of every NPU in it.
#
#   usage: bench/taskgraph.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
orrery=${ORRERY:-$root/build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# What is left when counts of the simulation's own work are taken out.
results() { grep -vE '"(events|shares|share_solutions)"' "$1"; }

# measure NAME GRAPH ALL_REDUCE FOLD MOST_SECONDS MOST_KB
measure() {
    local all=("$orrery" run --taskgraph "$work/$2" --fabric ideal-switch --link-bandwidth 100Gb/s --flow-model maxmin
        --all-reduce "$3" --fold "$4" --json "$work/$1.$4.json" --link-stats "$work/$1.$4.csv")
    /usr/bin/time -f '%U %S %M' -o "$work/used" "${all[@]}" >"$work/text"
    read -r user system kilobytes <"$work/used"
    seconds=$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')
    local verdict=ok
    if awk -v s="$seconds" -v k="$kilobytes" "BEGIN { exit !(s > $5 || k > $6) }"; then
        verdict='TOO MUCH'
        failed=1
    fi
    printf '%-28s fold %-4s %6.2f s %7.1f MB  %s\n' "$1" "$4" "$seconds" "$(awk -v k="$kilobytes" 'BEGIN { print k / 1000 }')" "$verdict"
}

# compare NAME
compare() {
    if ! diff <(results "$work/$1.auto.json") <(results "$work/$1.off.json") || ! cmp "$work/$1.auto.csv" "$work/$1.off.csv"; then
        echo "$1: folded and unfolded differ"
        failed=1
    fi
}

awk -v n=56 -v k=8 -v l=128 -f "$root/bench/taskgraph_chain.awk" >"$work/8x128"
awk -v n=30 -v k=16 -v l=64 -f "$root/bench/taskgraph_chain.awk" >"$work/16x64"
for graph in 8x128 16x64; do
    for kind in ring_stream ring; do
        measure "$graph-$kind" "$graph" "$kind" auto 0.2 64000
        measure "$graph-$kind" "$graph" "$kind" off 4 400000
        compare "$graph-$kind"
    done
done
"$orrery" taskgraph convert "$work/8x128" --expand -o "$work/plain.otg"
measure 8x128-plain plain.otg ring_stream off 4 400000
exit "$failed"
