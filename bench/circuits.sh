#!/bin/sh
# Circuits and wavelengths from a traffic matrix (bench_circuits.c). Prints a line a case; fails where
# circuits of 1,024 GPUs with 32 peers each take 50 ms, or circuits or wavelengths of a folded group of 8 or 16 1 ms.
#
#   usage: bench/circuits.sh [BUILD]     (default: build/release)
set -eu

cd "$(dirname "$0")/.."
build=${1:-build/release}
cmake --build "$build" --target bench_circuits >/dev/null

failed=0
# MAX_MS CASE...: 0, no limit
run() {
    max=$1
    shift
    "$build/bench/bench_circuits" "$@" | awk -v name="$*" -v max="$max" '{
        printf "%-26s %8.3f %8.3f %15.4f %6d\n", name, $1, $2, $3, $4
        if (max > 0 && $1 + $2 >= max)
            print "expected less than " max " ms"
        exit max > 0 && $1 + $2 >= max }' || failed=1
}

echo "case                             ms switches rate over bound  steps"
run 50 switches 1024 32 32
run 50 switches 1024 32 40
run 50 switches 1024 32 64
run 1 folded 8 17 32
run 1 folded 8 32 32
run 1 folded 16 17 32
run 1 folded 16 32 32
run 1 folded 16 32 40
run 1 group 4 320
run 1 group 8 320
run 1 group 16 320
run 0 flow 4 320
run 0 flow 8 320
run 0 flow 16 320
run 0 ring 1024 16 320
exit $failed
