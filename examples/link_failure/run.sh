#!/bin/sh
# What a link costs that dies while a job runs, and what circuits are worth that follow the traffic.
#
#   usage: examples/link_failure/run.sh
#
# Prints the time of an all-reduce on a torus whose link 0-1 works, dies at 1 ms, and comes back at
# 2 ms, with messages that go around it and with messages that wait; then that of an all-to-all over
# circuits that a controller moves every 500 us, with messages that wait for a circuit and with NPUs
# that pass them on. On two backends. ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi

# tell WHAT FILE ARGUMENT...
tell() {
    what=$1 file=$2
    shift 2
    for backend in congestion flow; do
        printf '%-42s %-11s ' "$what" "$backend"
        "$orrery" run "$here/$file.yml" --set "network.backend=$backend" \
            --set system.algorithms.default=by_block "$@" | sed -n '1s/job time //p'
    done
}

dies='{at: 1 ms, link: 0-1, working: 0}'
back='{at: 2 ms, link: 0-1, working: 1}'
tell 'all-reduce, all links work' torus
tell '0-1 dies at 1 ms, around it' torus --set "network.changes=[$dies]"
tell '0-1 dead from 1 to 2 ms, around it' torus --set "network.changes=[$dies, $back]"
tell '0-1 dead from 1 to 2 ms, waiting' torus --set "network.changes=[$dies, $back]" \
    --set network.reroute=false
tell 'all-to-all, waiting for circuits' circuits
tell 'all-to-all, NPUs pass it on too' circuits --set network.reroute=true
