#!/bin/sh
# 1,000 simulations from a program in C, points.c: a platform and a workload made in memory, on all
# processors, without a file.
#
#   usage: examples/library/run.sh [OUTDIR]
#
# Prints the fastest point and the time of all of them; its timeline goes to OUTDIR/timeline.json.
# Runs the program that the build has made beside ORRERY_BIN (build/release/bin/orrery), or compiles
# it against an installed library.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work}
mkdir -p "$out"

points=$(dirname "$orrery")/../examples/points
if [ ! -x "$points" ]; then
    if ! command -v cc >/dev/null || ! pkg-config --exists orrery 2>/dev/null; then
        echo "$0: there is no $points, and no installed library: build or install Orrery first:" >&2
        echo "  cmake --preset release && cmake --build --preset release" >&2
        exit 2
    fi
    points=$work/points
    # shellcheck disable=SC2046 # a list of words
    cc -O2 -o "$points" "$here/points.c" $(pkg-config --cflags --libs orrery)
fi
begin=$(date +%s%N)
"$points" >"$out/timeline.json" 2>"$work/said" || {
    cat "$work/said" >&2
    exit 1
}
end=$(date +%s%N)
cat "$work/said"
echo "1000 points in $(((end - begin) / 1000000)) ms; timeline.json opens in ui.perfetto.dev"
