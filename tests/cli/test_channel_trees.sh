#!/bin/bash
# Trees over the NVLinks of a graph, to the picosecond, on congestion and flow alike: two that share every
# pair of NPUs, of which each has a link of its own; and what NPUs compute while chunks go through them.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# expect WHAT EXPECTED FOUND
expect() {
    if [ "$2" != "$3" ]; then
        echo "$1: expected $2, got $3"
        failures=$((failures + 1))
    fi
}

# ps EXPECTED OPTION...: the finish, on both backends
ps() {
    expected=$1
    shift
    for backend in congestion flow; do
        found=$("$ORRERY_BIN" run p.yml --set network.backend=$backend "$@" --json - 2>/dev/null |
            sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p')
        expect "$backend $*" "$expected" "$found"
    done
}

# A chain of three, both trees alike: 4 chunks of 1 MB each on a tree, 1 GB/s a link, 3 us a message, 500 ns
# of latency: a step is T = 1.003 ms. The last chunk begins 3 T late and has two hops up and two down: 7 T + 4
# latencies. Phased, the root sends down when 5 T + 2 latencies are over, and needs as long again.
cat >p.yml <<'END'
network:
  message_overhead: 3 us
  graph:
    npus: 3
    bandwidth: 1 GB/s
    latency: 500 ns
    links: [{from: 0, to: 1, count: 2}, {from: 1, to: 2, count: 2}]
system: {algorithms: {all_reduce: trees}, chunks_of: {all_reduce: 8}, trees: ["- 0 1", "- 0 1"]}
workload: {generate: all_reduce, bytes: 8 MB}
END
ps 7023000000
ps 10032000000 --set system.phased=true
# with one link for each pair all 8 chunks go one behind the other: 11 T. Phased, the first tree is up after 8 T, a step
# before the second; then 8 chunks go down by turns, over a second hop: 17 T
single='network.graph.links=[{from: 0, to: 1}, {from: 1, to: 2}]'
ps 11035000000 --set "$single"
ps 17053000000 --set "$single" --set system.phased=true
# one tree over a link of both: its lanes are single links, 8 chunks on one of them
ps 11035000000 --set 'system.trees="- 0 1"'

# Two trees on the DGX-1 (C-Cube, Fig. 10), 25 chunks of 1342178 bytes each, the last one of the second tree 36
# bytes less: T = 7 us + 60187355 ps, 1614 ps less. GPU 0 forwards for the first tree, GPU 1 for the second: the first
# chunk is there after 2 T, the last one, on its way down, has left after 31 T. 10 ms of a kernel beside that take
# 29 T / 3 longer at two thirds of the speed.
cat >node.json <<'END'
{"version": "0.0.4"}
{"id": "0", "name": "kernel", "type": "COMP_NODE", "durationMicros": "10000"}
{"id": "1", "name": "all-reduce", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "67108864"}]}
END
for rank in 0 1 2 3 4 5 6 7; do
    cp node.json t.$rank.et
done
cat >p.yml <<'END'
network: {message_overhead: 7 us, graph: {npus: 8, fabric: dgx1, bandwidth: 22.3 GB/s, latency: 0 ns}}
compute: {mode: replay, forwarding_slowdown: 1.5}
system:
  algorithms: {all_reduce: trees}
  chunks_of: {all_reduce: optimal}
  trees: ["- 2 4 2 0 6 4 6", "3 - 3 5 7 1 7 5"]
workload: {traces: t}
END

# computes EXPECTED OPTION...: ranks with what they compute for, but those that take 10 ms
computes() {
    expected=$1
    shift
    for backend in congestion flow; do
        found=$("$ORRERY_BIN" run p.yml --set network.backend=$backend "$@" --csv - 2>&1 |
            awk -F, 'NR > 1 && $3 != 10000000000 { printf "%s%s:%s", sep, $1, $3; sep = " " }')
        expect "$backend $*" "$expected" "$found"
    done
}

computes '0:10649477765 1:10649477227'
# until its last chunk is there, after 32 T: on GPU 0 that is the second tree's
computes '0:10671873012 1:10671873550' --set compute.forwarding=collective
computes '' --set compute.forwarding_slowdown=1
# beside a collective of its own: 32 T on the leaves of the first tree, a step less for each that is higher
"$ORRERY_BIN" run p.yml --set 'compute={mode: replay, communication_slowdown: 1.5}' --csv - 2>&1 | awk -F, '
    NR > 1 { printf "%s ", $3 }' >found
expect 'beside collectives' '10716664582 10716665120 ' "$(cut -d' ' -f1-2 found) "
# it is all computation
expect why 1 "$("$ORRERY_BIN" run p.yml --why 2>&1 | grep -c '^  100.0 %  *10.649 ms  compute$')"

[ "$failures" -eq 0 ]
