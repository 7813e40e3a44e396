#!/bin/sh
# Algorithm forest in a run: in many chunks without latency it takes the time of orrery topo bound, and never less;
# and what is said where it cannot run.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

number() {
    sed -n "s/.*\"$1\": *\\([0-9]*\\).*/\\1/p" | head -n 1
}

# near PER_CENT FABRIC NPUS COLLECTIVE: a run takes at most so much more than the bound
near() {
    cat >p.yml <<END
network: {graph: {fabric: "$2", npus: $3, bandwidth: 100 Gb/s, latency: 0 ns}}
system: {algorithms: {$4: forest}, chunks: 512}
workload: {generate: $4, bytes: 64 MiB}
END
    bound=$("$ORRERY_BIN" topo bound p.yml --collective "$4" --bytes '64 MiB' --json - | number bound_ps)
    took=$("$ORRERY_BIN" run p.yml --json - 2>err | number wall_ps)
    [ -n "$took" ] && [ "$took" -ge "$bound" ] && [ $((took * 1000)) -le $((bound * (1000 + 10 * $1))) ] ||
        fail "$4 on $2: $took ps, bound $bound; $(cat err)"
}

near 3 torus:4x4 16 all_gather
near 3 torus:4x4 16 reduce_scatter
near 3 torus:4x4 16 all_reduce
near 8 torus:4x4 16 broadcast
near 3 hypercube 16 all_gather
near 1 dgx1 8 all_gather
near 1 dgx1 8 reduce_scatter
near 1 dgx1 8 all_reduce
near 5 dgx1 8 broadcast
near 1 expander:3 16 all_gather
near 1 mesh:3x4 12 reduce_scatter
near 1 fat-tree:4 16 all_gather
near 1 fat-tree:4 16 all_reduce
near 1 'fat-tree/8@300GB/s' 32 all_gather

# refuses MESSAGE ARGUMENT...
refuses() {
    message=$1
    shift
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] && grep -qF "$message" err || fail "orrery run $*: exit status $status, $(cat err)"
}

cat >dims.yml <<'END'
network: {topology: Ring(8), bandwidth: 50 GB/s, latency: 500 ns}
system: {algorithms: {all_gather: forest}}
workload: {generate: all_gather, bytes: 1 MiB}
END
refuses 'forest goes along trees on the links of a graph, which the network has not' dims.yml
cat >uneven.dot <<'END'
digraph { a; c; b [kind=switch]; a -> b [bandwidth="4 GB/s"]; b -> c [bandwidth="1 GB/s"]; c -> a [bandwidth="2 GB/s"] }
END
cat >uneven.yml <<'END'
network: {graph: {file: uneven.dot}}
system: {algorithms: {all_gather: forest}}
workload: {generate: all_gather, bytes: 1 MiB}
END
refuses 'trees: expected switches that send as much as they receive' uneven.yml

[ "$failures" -eq 0 ]
