#!/bin/sh
# A task graph, traces and a generated model on one cluster: how much they slow each other down.
#
#   usage: examples/mixed_cluster/run.sh [OUTDIR]
#
# Makes a task graph and traces, and runs the jobs of cluster.yml with servers at random and side by
# side; prints a table of each with the slowdown against being alone, and writes JSON to OUTDIR
# (default: a temporary directory). ORRERY_BIN names another orrery than
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
cp "$here/cluster.yml" "$here/gpt.yml" "$out"
cd "$out"

python3 "$here/../shared_cluster/make_graph.py" recommend.fbuf \
    --servers 8 --layers 4 --forward-ms 0.5 --weight-bytes 4000000 --exchange 40000000
"$orrery" gen mlp --npus 8 --bytes 20MB --layers 6 -o mlp >/dev/null

# show NAME OPTION...
show() {
    name=$1
    shift
    "$orrery" run --cluster cluster.yml "$@" --alone --json "$name.json"
    echo
}
show random --set cluster.placement=random
show contiguous
