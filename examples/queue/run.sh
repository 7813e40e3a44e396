#!/bin/sh
# Jobs that arrive over an hour at a cluster whose links are patched for each of them: what they wait
# for, in order of arrival and out of it, with and without look-ahead.
#
#   usage: examples/queue/run.sh [OUTDIR]
#
# Makes three task graphs, runs jobs.yml as it is, with queue: backfill, without look-ahead, and with
# optical circuit switches; prints a table of each, and writes JSON and CSV to OUTDIR (default: a
# temporary directory). ORRERY_BIN names another orrery than build/release/bin/orrery. Needs python3.
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
cp "$here"/*.yml "$out"
cd "$out"

make() { python3 "$here/../shared_cluster/make_graph.py" "$@"; }
make vision.fbuf --servers 8 --layers 10 --forward-ms 2 --weight-bytes 20000000
make language.fbuf --servers 16 --layers 12 --forward-ms 3 --weight-bytes 60000000
make recommend.fbuf --servers 8 --layers 4 --forward-ms 0.5 --weight-bytes 4000000 --exchange 40000000

# show NAME OPTION...
show() {
    name=$1
    shift
    "$orrery" run --cluster jobs.yml "$@" --json "$name.json" --csv "$name.csv"
    echo
}
show look_ahead
show backfill --set cluster.queue=backfill
show patched --set cluster.panels.look_ahead=false
show circuits --set 'cluster.panels={technology: ocs}'

# On a network that all share, and with links of each job's own, side by side.
"$orrery" run --cluster shared.yml --json beside.json --csv beside.csv \
    --compare 'own links: cluster.network=sharded,cluster.fabric=circulant:1,3,cluster.link_bandwidth=25 Gb/s,cluster.panels.reconfiguration=3 min'
