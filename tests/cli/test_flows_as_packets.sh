#!/bin/sh
# Collectives as flows take what they take as packets of 8 KiB: chunks that share a link of their NPU take turns, and messages to all
# peers of a ring or torus leave at once. Cases of bench/flows_against_packets.py, which were up to 216 % apart.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# time_of NETWORK: of the case
time_of() {
    cat >job.yml <<END
network: {graph: {npus: $npus, fabric: "$fabric", bandwidth: $gbit Gb/s, latency: 1 us}, $1}
system: {chunks: $chunks, algorithms: {$kind: $algorithm}}
workload: {generate: $kind, bytes: $bytes B}
END
    "$ORRERY_BIN" run job.yml --json - 2>err | sed -n 's/^  "wall_ps": \([0-9]*\),*$/\1/p'
}

# near PER_CENT NPUS FABRIC KIND ALGORITHM BYTES CHUNKS GBIT
near() {
    most=$1 npus=$2 fabric=$3 kind=$4 algorithm=$5 bytes=$6 chunks=$7 gbit=$8
    packets=$(time_of 'backend: congestion, packet: 8 KiB')
    flows=$(time_of 'backend: flow')
    awk -v a="$flows" -v b="$packets" -v most="$most" 'BEGIN { d = b ? 100 * (a / b - 1) : 999; exit !(d <= most && d >= -most) }' || {
        echo "$fabric $npus, $kind $algorithm in $chunks: flows $flows, packets $packets ps, expected within $most %"
        failures=$((failures + 1))
    }
}

# chunks, one behind the other over one link
near 0.5 16 full-mesh all_to_all pairwise 33554432 4 400
near 1 16 hypercube all_to_all pairwise 33554432 4 100
near 1 16 full-mesh all_reduce ring 4194304 4 400
near 1 16 hypercube all_reduce ring 33554432 4 100
near 1 16 hypercube all_reduce halving_doubling 8388608 4 200
near 6 16 expander:4 all_reduce ring 4194304 4 100
# both directions of each ring
near 2 16 torus:4x4 all_gather direct 262144 1 100
near 2 32 torus:4x8 all_gather direct 65536 1 200
near 2 16 torus:4x4 reduce_scatter direct 16777216 4 400
near 2 32 hypercube all_to_all direct 16777216 4 400

[ $failures -eq 0 ]
