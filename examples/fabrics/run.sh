#!/bin/sh
# The same collectives on eight fabrics of 64 NPUs: what switches cost, and what a network without
# them does to an all-to-all.
#
#   usage: examples/fabrics/run.sh [OUTDIR]
#
# Prints a table, and writes the results as JSON, the use of every link as CSV and a picture of the
# fabrics to OUTDIR (default: a temporary directory). ORRERY_BIN names another orrery than
# build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
out=${1:-}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
if [ -z "$out" ]; then
    out=$(mktemp -d)
fi
mkdir -p "$out"
orrery=$(cd "$(dirname "$orrery")" && pwd)/$(basename "$orrery")
cd "$out"

# value FILE KEY: the first number of a key
value() { sed -n "s/.*\"$2\": \([0-9.e+]*\).*/\1/p" "$1" | head -n 1; }

# row FABRIC OPTICAL: a line of the table
row() {
    name=$(echo "$1" | tr ':,/ ' '____')
    "$orrery" topo show "$1" --npus 64 --bandwidth '100 Gb/s' --optical "$2" --json - >"$name.topo.json"
    for kind in all_reduce all_to_all; do
        "$orrery" run "$here/platform.yml" --set "network.graph.fabric=\"$1\"" \
            --set "workload={generate: $kind, bytes: 64 MiB}" \
            --json "$name.$kind.json" --link-stats "$name.$kind.csv" >/dev/null
    done
    awk -v name="$1" -v dollars="$(value "$name.topo.json" dollars)" \
        -v hops="$(value "$name.topo.json" mean_hops)" \
        -v cut="$(value "$name.topo.json" at_most_bytes_per_s)" \
        -v reduce="$(value "$name.all_reduce.json" wall_ps)" \
        -v exchange="$(value "$name.all_to_all.json" wall_ps)" \
        -v tax="$(value "$name.all_to_all.json" bandwidth_tax)" 'BEGIN {
            printf "%-16s %9.0f %8.2f %12.0f %15.2f %15.2f %13.2f\n", name, dollars, hops,
                cut / 1e9, reduce / 1e9, exchange / 1e9, tax }'
}

printf '%-16s %9s %8s %12s %15s %15s %13s\n' '' dollars 'mean' bisection 'all-reduce' 'all-to-all' bandwidth
printf '%-16s %9s %8s %12s %15s %15s %13s\n' fabric '' hops GB/s '64 MiB, ms' '64 MiB, ms' tax
row ideal-switch none
row fat-tree none
row fat-tree:8,4 none
row clusters:8,4 none
row full-mesh none
row torus:8x8 patch-panel
row circulant:1,19 patch-panel
row expander:4 patch-panel
"$orrery" topo draw torus:8x8 --npus 64 -o torus.svg
echo
echo "files in $out"
