#!/bin/bash
# Recursive doubling among 8 NPUs, 1 GB/s and 500 ns a link: 3 exchanges of 7 MB through a switch are
# 3 x (7 ms + 2 x 500 ns) = 21.003 ms, and each NPU sends 3 x 7 MB. Where a message is a whole thing on
# each of its two links, it is 3 x (14 ms + 1 us).
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >p.yml <<'END'
network: {dims: [{block: switch, npus: 8, bandwidth: 1 GB/s, latency: 500 ns}]}
system: {chunks: 1, algorithms: {all_reduce: recursive_doubling}}
workload: {generate: all_reduce, bytes: 7 MB}
END

# wall EXPECTED OPTION...: the finish in ps and the bytes that the NPUs sent
wall() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" run p.yml "$@" --json - 2>&1 |
        awk '/^  "wall_ps":/ { sub(",", "", $2); wall = $2 } /^  "dims":/ { dims = 1 } /^  ]/ { dims = 0 }
            dims && /^      "bytes":/ { bytes += $2 } END { printf "%s %d", wall, bytes }')
    if [ "$found" != "$expected" ]; then
        echo "orrery run p.yml $*: expected $expected, got $found"
        failures=$((failures + 1))
    fi
}

wall '21003000000 168000000'
wall '21003000000 168000000' --fold off
wall '21003000000 168000000' --set network.backend=flow
wall '42003000000 168000000' --set network.backend=congestion
# chunks share the port: no more bytes, and the latencies of two steps are hidden behind other chunks
wall '21001000000 168000000' --set system.chunks=4
# the same program, for the group as a whole
wall '21003000000 168000000' --set system.monolithic_all_reduce=recursive-doubling

# no power of two
found=$("$ORRERY_BIN" run p.yml --set 'network={dims: [{block: switch, npus: 6, bandwidth: 1 GB/s}]}' 2>&1 >/dev/null)
status=$?
expected='p.yml:2:46: system.algorithms.all_reduce: recursive_doubling cannot do all_reduce among the 6 NPUs of dimension 1; expected one of auto, by_block, ring, bidirectional_ring, direct, halving_doubling, tree, double_binary_tree, chain, pairwise, trees'
if [ "$status" != 2 ] || [ "$found" != "$expected" ]; then
    echo "six NPUs: status $status: $found"
    failures=$((failures + 1))
fi
exit $((failures > 0))
