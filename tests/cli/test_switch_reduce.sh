#!/bin/bash
# All-reduce inside a switch: 8 NPUs, 1 GB/s and 500 ns a link. 7 MB in one chunk go up once and down
# once: 7 pieces of 1 MB through the port are 7 ms, and the last one's two hops 1 us. Halving-doubling
# sends 2 x 7/8 x 7 MB in 6 steps.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >p.yml <<'END'
network: {dims: [{block: switch, npus: 8, bandwidth: 1 GB/s, latency: 500 ns}], reduces: true}
system: {chunks: 1, algorithms: {all_reduce: switch_reduce}}
workload: {generate: all_reduce, bytes: 7 MB}
END

# wall EXPECTED OPTION...: the finish in ps and the bytes that the NPUs sent in all dimensions
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

wall '7001000000 56000000'
wall '7001000000 56000000' --fold off
# 2 x (1/2 + 1/4 + 1/8) x 7 MB are 12.25 ms, and 6 steps of two hops
wall '12256000000 98000000' --set system.algorithms.all_reduce=halving_doubling
# up and down of a chunk overlap: 4 chunks share the port
wall '7001000000 56000000' --set system.chunks=4
# a first dimension reduces and scatters without the switch, the last one in it: 2 x 2 NPUs, 4 MB; 2 MB
# out and 2 MB back over dimension 1, 2 MB over dimension 2, of 4 NPUs
wall '6000000000 24000000' --set 'network={dims: [{block: switch, npus: 2, bandwidth: 1 GB/s}, {block: switch, npus: 2, bandwidth: 1 GB/s}], reduces: true}' --set workload.bytes=4MB

refuse() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" run p.yml "$@" 2>&1 >/dev/null)
    status=$?
    if [ "$found" != "$expected" ] || [ "$status" != 2 ]; then
        echo "orrery run p.yml $*: status $status: $found"
        echo "expected: $expected"
        failures=$((failures + 1))
    fi
}
refuse 'p.yml:2:46: system.algorithms.all_reduce: switch_reduce reduces inside a switch, but dimension 1 is no switch' \
    --set 'network={dims: [{block: ring, npus: 8, bandwidth: 1 GB/s}]}'
# a switch that nobody says reduces
refuse 'p.yml:2:46: system.algorithms.all_reduce: switch_reduce needs a switch that reduces, but dimension 1 is not declared as one; if it is, set network.reduces: true, or reduces: true in its network.dims' \
    --set network.reduces=false
refuse '--set: network.dims[0].reduces: only a switch reduces' \
    --set 'network={dims: [{block: ring, npus: 8, bandwidth: 1 GB/s, reduces: true}]}'
refuse '--set: network.reduces: only switches reduce, and there are none' \
    --set 'network={dims: [{block: ring, npus: 8, bandwidth: 1 GB/s}], reduces: true}'
# what cannot do a kind of collective at all
refuse '--set: system.algorithms.all_gather: tree cannot do all_gather among the 8 NPUs of dimension 1; expected one of auto, by_block, ring, bidirectional_ring, direct, halving_doubling, pairwise' \
    --set system.algorithms.all_gather=tree
exit $((failures > 0))
