#!/bin/sh
# Four training jobs on one cluster: where they are put, and whether they share the network.
#
#   usage: examples/shared_cluster/run.sh [OUTDIR]
#
# Makes three task graphs, runs the jobs of jobs.yml with servers side by side and at random, and
# with a network for each job; prints a table of each, and writes JSON and heatmaps of the traffic to
# OUTDIR (default: a temporary directory). ORRERY_BIN names another orrery than
# build/release/bin/orrery. Needs python3.
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
cp "$here/jobs.yml" "$out"
cd "$out"

make() { python3 "$here/make_graph.py" "$@"; }
make vision.fbuf --servers 8 --layers 10 --forward-ms 2 --weight-bytes 20000000
make language.fbuf --servers 8 --layers 12 --forward-ms 3 --weight-bytes 60000000
make recommend.fbuf --servers 8 --layers 4 --forward-ms 0.5 --weight-bytes 4000000 --exchange 40000000

# show NAME OPTION...
show() {
    name=$1
    shift
    "$orrery" run --cluster jobs.yml "$@" --alone --json "$name.json"
    echo
}
show contiguous --traffic-matrix contiguous.svg
show random --set cluster.placement=random --traffic-matrix random.svg
show sharded --set cluster.network=sharded
