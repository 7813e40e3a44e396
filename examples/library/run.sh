#!/bin/sh
# Programs in C. points.c: 1,000 simulations of a platform and a workload made in memory, on all
# processors, without a file. study.c: a what-if and a sweep. page.c: a page of a job. recorded.c: a recorded training step
# of PyTorch, converted, cut out, checked, and simulated on another network.
#
#   usage: examples/library/run.sh [OUTDIR]
#
# Prints the fastest point and the time of all of them, the timeline of which goes to
# OUTDIR/timeline.json; then what the studies find, what page.html begins with, and what the last program
# says, whose traces go to OUTDIR.
# Runs the programs that the build has made beside ORRERY_BIN (build/release/bin/orrery), or compiles
# them against an installed library.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work}
mkdir -p "$out"

# program NAME: its path, compiled where the build has not made it
program() {
    made=$(dirname "$orrery")/../examples/$1
    if [ ! -x "$made" ]; then
        if ! command -v cc >/dev/null || ! pkg-config --exists orrery 2>/dev/null; then
            echo "$0: there is no $made, and no installed library: build or install Orrery first:" >&2
            echo "  cmake --preset release && cmake --build --preset release --target all" >&2
            exit 2
        fi
        made=$work/$1
        # shellcheck disable=SC2046 # a list of words
        cc -O2 -o "$made" "$here/$1.c" $(pkg-config --cflags --libs orrery)
    fi
    echo "$made"
}

points=$(program points)
study=$(program study)
recorded=$(program recorded)
page=$(program page)
begin=$(date +%s%N)
"$points" >"$out/timeline.json" 2>"$work/said" || {
    cat "$work/said" >&2
    exit 1
}
end=$(date +%s%N)
cat "$work/said"
echo "1000 points in $(((end - begin) / 1000000)) ms; timeline.json opens in ui.perfetto.dev"
echo
"$study"
echo
"$page" "$out/page.html"
sed -n 's/^<p class="verdict">\(.*\)<\/p>$/page.html: \1/p' "$out/page.html"
echo
files=$here/../pytorch_trace
"$recorded" "$files/et_{rank}.json" "$files/kineto_{rank}.json" "$out"
