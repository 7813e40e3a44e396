#!/bin/bash
# Two trees over the NVLinks of a DGX-1 (C-Cube, HPCA 2023, Fig. 10), by messages, on congestion and flow
# alike: 64 MiB, channels of 22.3 GB/s, 7 us a message. K = round(sqrt(3 x 32 MiB / 22.3 GB/s / 7 us)) = 25
# chunks a tree of 1342178 bytes, 67.187343 us each (the last one 36 bytes less, 1.6 ns): the way from a leaf
# up has 4 hops, so 2 (K + 3) = 56 steps phased, K + 7 = 32 overlapped.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >p.yml <<'END'
network: {backend: congestion, message_overhead: 7 us, graph: {npus: 8, fabric: dgx1, bandwidth: 22.3 GB/s, latency: 0 ns}}
system:
  algorithms: {all_reduce: trees}
  chunks_of: {all_reduce: optimal}
  trees: ["- 2 4 2 0 6 4 6", "3 - 3 5 7 1 7 5"]
workload: {generate: all_reduce, bytes: 64 MiB}
END

# us EXPECTED OPTION...: the finish in us, on both backends
us() {
    expected=$1
    shift
    for backend in congestion flow; do
        found=$("$ORRERY_BIN" run p.yml --set network.backend=$backend "$@" --json - 2>/dev/null |
            awk '/^  "wall_ps":/ { sub(",", "", $2); printf "%.6g", $2 / 1e6 }')
        if [ "$found" != "$expected" ]; then
            echo "orrery run p.yml --set network.backend=$backend $*: expected $expected us, got $found"
            failures=$((failures + 1))
        fi
    done
}

us 2150 # 32 steps
us 3762.49 --set system.phased=true
# a receive buffer of one chunk: the detour's two hops are waited for, 2 steps a chunk up: K - 1 = 24 more
us 3762.49 --set system.receive_buffers=1
us 5374.99 --set system.receive_buffers=1 --set system.phased=true
us 2150 --set system.receive_buffers=2
# as many chunks said outright; and trees that need no detour: K + 5 steps, 2 (K + 2)
us 2150 --set system.chunks_of.all_reduce=50
none='system.trees=["- 3 1 0 7 1 7 3", "2 - 1 0 0 6 2 6"]'
us 2015.62 --set "$none"
us 3628.12 --set "$none" --set system.phased=true
# such trees are found (K + 5); and three of any shape, 2 hops deep: K = 21, 4 + 20 steps of 54.768 us
us 2015.62 --set system.trees=search
us 3628.12 --set 'system.trees=search 2' --set system.phased=true
us 1314.43 --set 'system.trees=search 3'
# one tree: K = 36, 83.591 + 7 us a step; overlapped it is no faster than two without
us 3895.52 --set 'system.trees="- 2 4 2 0 6 4 6"'
# by routes, without channels: as many chunks, 2 trees of 7 edges up and down, 25 chunks each
messages=$("$ORRERY_BIN" run p.yml --set system.tree_channels=none --json - |
    awk '/^  "messages":/ { sub(",", "", $2); print $2 }')
if [ "$messages" != 700 ]; then
    echo "by routes: $messages messages, expected 700"
    failures=$((failures + 1))
fi
# smaller and larger ones: C1 20, 38, 60, 81.4 % faster
us 148.369 --set workload.bytes=1MiB
us 178.043 --set workload.bytes=1MiB --set system.phased=true
us 3895.52 --set workload.bytes=128MiB
us 7066.3 --set workload.bytes=128MiB --set system.phased=true
# 10 us of host synchronization: C1 2.55 ms, 65 % faster
us 2553.98 --set system.host_synchronization=10us
us 4219.62 --set system.host_synchronization=10us --set system.phased=true
# with one NVLink for each pair both trees share links, and nothing is gained
links=
for pair in '0 1' '0 2' '0 3' '0 4' '1 2' '1 3' '1 5' '2 3' '2 6' '3 7' '4 5' '4 6' '4 7' '5 6' '5 7' '6 7'; do
    links="$links{from: ${pair% *}, to: ${pair#* }}, "
done
single="network.graph={npus: 8, bandwidth: 22.3 GB/s, latency: 0 ns, links: [${links%, }]}"
us 3762.49 --set "$single"
us 3762.49 --set "$single" --set system.phased=true
# the ways of the paper are those that are found
us 2150 --set 'system.tree_ways=[2 0 4, 3 1 5]' --set system.tree_channels=own

# says STATUS EXPECTED OPTION...: the status, and a line of what is said
says() {
    wanted=$1 expected=$2
    shift 2
    found=$("$ORRERY_BIN" run p.yml "$@" 2>&1 >/dev/null)
    status=$?
    if ! printf '%s\n' "$found" | grep -qxF -- "$expected" || [ "$status" != "$wanted" ]; then
        echo "orrery run p.yml $*: status $status: $found"
        echo "expected: $expected"
        failures=$((failures + 1))
    fi
}
at=p.yml:5:10:
says 0 "$at warning: system.trees: their edges share links, 4 times, one of them from 4 to 6 among 2; messages that need it at the same time queue" \
    --set 'system.tree_ways=[2 6 4, 3 7 5]'
says 2 "$at system.trees: the trees need more channels than there are links: 4 to 6 has 1 and 2 are asked for, 5 to 7 has 1 and 2 are asked for, 6 to 4 has 1 and 2 are asked for, 7 to 5 has 1 and 2 are asked for" \
    --set 'system.tree_ways=[2 6 4, 3 7 5]' --set system.tree_channels=own
says 2 "$at system.trees: the detour from 2 to 4: expected an NPU from 0 to 7, got 9" --set 'system.tree_ways=[2 9 4]'
says 2 "$at system.trees: the detour from 2 to 4: there is no duplex link between 2 and 5" --set 'system.tree_ways=[2 5 4]'
says 2 '--set: system.tree_ways: expected the NPUs of a path, three or more, such as 2 0 4, got "2 4"' --set 'system.tree_ways=[2 4]'
says 2 "$at system.trees: the edge of a tree from 2 to 4: no duplex link, no path through switches, and detours are off" \
    --set system.tree_detours=switches
parted='network.graph={npus: 8, bandwidth: 22.3 GB/s, latency: 0 ns, links: [{from: 0, to: 1}, {from: 2, to: 3}]}'
"$ORRERY_BIN" run p.yml --set "$parted" >out 2>&1
[ $? = 2 ] || {
    echo "a graph in pieces: $(cat out)"
    failures=$((failures + 1))
}
exit $((failures > 0))
