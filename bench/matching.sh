#!/bin/sh
# Maximum-weight matchings of 128 nodes and of 1,000: random weights, ties, and what jobs demand
# (bench_matching.c). Prints a line a case; fails where 128 nodes take 50 ms, or 1,000 take 30 s.
#
#   usage: bench/matching.sh [BUILD]     (default: build/release)
set -eu

cd "$(dirname "$0")/.."
build=${1:-build/release}
cmake --build "$build" --target bench_matching >/dev/null

failed=0
echo "nodes demand           ms of one core       weight"
for size in "128 50" "1000 30000"; do
    for kind in random few plane tables pipeline blocks halved; do
        "$build/bench/bench_matching" $kind "${size% *}" |
            awk -v kind=$kind -v nodes="${size% *}" -v max="${size#* }" '{
                printf "%5d %-10s %19.1f %12.0f\n", nodes, kind, $1, $2
                if ($1 >= max)
                    print "expected less than " max " ms"
                exit $1 >= max }' || failed=1
    done
done
exit $failed
