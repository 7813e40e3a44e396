#!/bin/bash
# Collectives along trees that are given: four NPUs, 4 chunks of 1 MB at 1 GB/s, so that a step is 1 ms.
# Rank 3 is the root and has the one child 1, whose children are 0 and 2 (C-Cube, Fig. 5): 7 steps, and
# 10 when nothing goes down before all is up.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >p.yml <<'END'
network: {dims: [{block: fully_connected, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}]}
system: {chunks: 4, algorithms: {all_reduce: trees}, trees: "1 3 1 -"}
workload: {generate: all_reduce, bytes: 4 MB}
END

# steps EXPECTED OPTION...: the finish in steps of a millisecond
steps() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" run p.yml "$@" --json - 2>&1 |
        awk '/^  "wall_ps":/ { sub(",", "", $2); printf "%.6g", $2 / 1e9 }')
    if [ "$found" != "$expected" ]; then
        echo "orrery run p.yml $*: expected $expected steps, got $found"
        failures=$((failures + 1))
    fi
}

steps 7
steps 10 --set system.phased=true
steps 7 --set network.backend=congestion
steps 10 --set network.backend=congestion --set system.phased=true
# as a graph: flows too go along an edge one behind the other
as_graph='network={backend: flow, graph: {npus: 4, fabric: FC(4), bandwidth: 1 GB/s, latency: 0 ns}}'
steps 7 --set "$as_graph"
steps 10 --set "$as_graph" --set system.phased=true
# trees in nodes of four, and a ring of the roots between them: 2 x 4 ms up, 6 x 1 ms around, 2 x 4 ms down; and
# the reverse: 3 x 1 ms around, 2 x 2 steps of 1 ms up and down, 3 x 1 ms around. Folded or not
over='network={dims: [{block: fully_connected, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}, {block: ring, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}]}'
for fold in auto off; do
    steps 22 --set "$over" --set 'system.algorithms.all_reduce=[trees, ring]' --set system.chunks=1 --fold $fold
done
under='network={dims: [{block: ring, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}, {block: fully_connected, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}]}'
for fold in auto off; do
    steps 10 --set "$under" --set 'system.algorithms.all_reduce=[ring, trees]' --set system.chunks=1 --fold $fold
done
# trees of both dimensions, 4 chunks of 1 MB: at the roots of nodes after 2 + c steps, at the root of all after
# 4 + c, then 4 more; phased all are at the root of all after 7, which nothing comes down from before, and chunk c is
# everywhere after 7 + 4 + c: 2 (L + K - 1) with L = 4, as in one tree of that depth
both='network={dims: [{block: fully_connected, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}, {block: fully_connected, npus: 4, bandwidth: 1 GB/s, latency: 0 ns}]}'
steps 11 --set "$both" --set 'system.algorithms.all_reduce=[trees, trees]'
steps 14 --set "$both" --set 'system.algorithms.all_reduce=[trees, trees]' --set system.phased=true
# without chunks of its own a ring takes 2 (P - 1)
sed 's/ trees: "1 3 1 -"}/ chunks_of: {all_reduce: 1}}/; s/all_reduce: trees/all_reduce: ring/' p.yml >ring.yml
mv p.yml trees.yml
mv ring.yml p.yml
steps 6
mv trees.yml p.yml
# in many more and smaller chunks the overlapped one takes little more than the bytes once; phased, twice
steps 4.003 --set 'system.chunks_of={all_reduce: 4000}'
steps 8.002 --set 'system.chunks_of={all_reduce: 4000}' --set system.phased=true
# 4 MB at 1 GB/s and 10 us a message: K = sqrt(2 x 4000 / 10) = 28 chunks of 142858 bytes, the last one 24
# bytes less; 31 steps of 152.858 us, but the last
steps 4.73857 --set 'system.chunks_of={all_reduce: optimal}' --set system.host_synchronization=10us
# two trees over six links that no other edge uses: 0-1-2-3 hung up at 1, and 1-3-0-2 at 3: 2 L + 2 - 1
steps 5 --set 'system.trees=["1 - 1 2", "3 3 0 -"]'
# with receive buffers of one chunk the edges, of one hop each, are as busy as without
steps 7 --set system.receive_buffers=1
# broadcasts and reduces along them, from roots of their own
steps 5 --set 'workload={generate: broadcast, bytes: 4 MB, root: 0}' --set 'system.algorithms={broadcast: trees}'
steps 5 --set 'workload={generate: reduce, bytes: 4 MB, root: 3}' --set 'system.algorithms={reduce: trees}'

# refuse STATUS EXPECTED OPTION...
refuse() {
    wanted=$1 expected=$2
    shift 2
    found=$("$ORRERY_BIN" run p.yml "$@" 2>&1 >/dev/null)
    status=$?
    if [ "$found" != "$expected" ] || [ "$status" != "$wanted" ]; then
        echo "orrery run p.yml $*: status $status: $found"
        echo "expected: $expected"
        failures=$((failures + 1))
    fi
}
at='--set:'
refuse 2 "$at system.trees: tree 1: the parents of 0 form a cycle through 0" --set 'system.trees="1 0 3 -"'
refuse 2 "$at system.trees: tree 1: expected one root, got two, 1 and 2" --set 'system.trees="1 - - 2"'
refuse 2 "$at system.trees: tree 1: expected a root, got none" --set 'system.trees="1 2 3 0"'
refuse 2 "$at system.trees: trees of 5 ranks, for dimension 1 of the network, which has 4 NPUs" --set 'system.trees="1 3 1 - 0"'
refuse 2 "$at system.trees: trees of 3 ranks, for dimension 1 of the network, which has 4 NPUs" --set 'system.trees="1 - 1"'
refuse 2 "$at system.trees: tree 2 has 3 ranks, and the first one 4" --set 'system.trees=["1 3 1 -", "1 - 1"]'
refuse 2 "$at system.trees: tree 1: the parent of 0: expected a rank from 0 to 3, got 4" --set 'system.trees="4 3 1 -"'
refuse 2 "$at system.trees: tree 1: expected the parent of each rank and - for the root, such as \"- 0 0 1\", got \"1 3 x -\"" --set 'system.trees="1 3 x -"'
refuse 2 "$at system.receive_buffers: expected a whole number from 1 to 8192, got \"0\"" --set system.receive_buffers=0
refuse 2 "$at system.phased: only all-reduces along trees have a root that can wait; expected algorithms.all_reduce: trees, tree or double_binary_tree" \
    --set system.phased=true --set 'system.algorithms={all_reduce: ring, broadcast: trees}'
refuse 2 "--set: system.chunks_of.all_reduce: without message overhead the optimum is the maximum number of chunks; expected network.message_overhead or system.host_synchronization" \
    --set 'system.chunks_of={all_reduce: optimal}'
refuse 2 "--set: system.chunks_of.all_gather: optimal needs an algorithm of trees for this collective in algorithms; expected a whole number from 1 to 4096" \
    --set 'system.chunks_of={all_gather: optimal}'
refuse 2 "--set: system.chunks_of.all_reduce: expected a whole number from 1 to 4096, or optimal, got \"4.5\"" \
    --set 'system.chunks_of={all_reduce: 4.5}'
refuse 2 "all_reduce: node 0 (all_reduce 0) of NPU 0 is split into 4096 chunks (system.chunks_of.all_reduce) but has only 64 bytes" \
    --set 'system.chunks_of={all_reduce: 4096}' --set workload.bytes=64B
refuse 2 "$at system.scheduler: trees visit the dimensions in baseline order; expected baseline" --set system.scheduler=themis
refuse 2 "$at system.dimension_service: trees run chunk by chunk, not one phase at a time; expected message" \
    --set system.dimension_service=phase
sed 's/ trees: "1 3 1 -"}/}/' p.yml >q.yml
mv q.yml p.yml
refuse 2 "p.yml:2:33: system.algorithms: the algorithm trees needs system.trees, which is absent"
exit $((failures > 0))
