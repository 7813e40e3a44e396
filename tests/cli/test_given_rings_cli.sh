#!/bin/sh
# Rings that a file gives for groups of NPUs, as runs go around them: times and bytes by hand, links
# that die, and what all-reduces in phases make of them.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# takes PS ARGUMENT...: so long, with nothing said
takes() {
    expected=$1
    shift
    "$ORRERY_BIN" run "$@" --json out --link-stats links.csv >printed 2>err </dev/null || fail "$*: $(cat err)"
    [ -s err ] && fail "$*: $(cat err)"
    found=$(sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' out | head -n 1)
    [ "$found" = "$expected" ] || fail "$*: expected $expected ps, found $found"
}

# carries FROM TO BYTES: of the last run
carries() {
    found=$(awk -F, -v from="$1" -v to="$2" '$1 == from && $2 == to { print $BYTES }' BYTES="$column" links.csv)
    [ "$found" = "$3" ] || fail "$1 to $2: expected $3 bytes, found $found"
}

# All four are linked to each other, and go around 0, 1, 2, 3; from 0 to 1 over 3, back over 0 to 3.
cat >mesh.yml <<'END'
network:
  backend: flow
  graph:
    npus: 4
    fabric: full-mesh
    bandwidth: 1 GB/s
    latency: 1 us
    rings:
      - {steps: [0 3 1, 1 2, 2 3, 3 0]}
system: {monolithic_all_reduce: ring_stream}
workload: {generate: all_reduce, bytes: 8 MB}
END
# 12 MB from each: 12 ms, and 2 us over two links; on congestion twice.
takes 12002000000 mesh.yml
column=$(head -n 1 links.csv | tr ',' '\n' | grep -n '^bytes$' | cut -d: -f1)
carries 0 3 12000000
carries 3 1 12000000
carries 0 1 0
carries 3 0 12000000
takes 24002000000 mesh.yml --set network.backend=congestion
# In rounds of 2 MB, 6 (2 ms + 2 us); without barriers the last block goes from 0 to 1 in two of its 6 steps: 8 us.
takes 12012000000 mesh.yml --set system.monolithic_all_reduce=ring
takes 12008000000 mesh.yml --set system.monolithic_all_reduce=pipelined_ring

# The link from 0 to 3 dies at half of it. As a flow the other half takes the link that is left, with
# 1 us; a whole message is lost and goes anew: 6 + 12 ms + 1 us.
sed '/^system/i\  reroute: true\n  changes: [{at: 6 ms, link: 0-3, working: 0, one_way: true}]' mesh.yml >dies.yml
takes 12001000000 dies.yml
carries 0 3 6000000
carries 3 1 6000000
carries 0 1 6000000
takes 18001000000 dies.yml --set network.backend=congestion
carries 3 1 0
# What dies before is gone around from the start.
takes 12001000000 dies.yml --set 'network.changes=[{at: 0 us, link: 0-3, working: 0, one_way: true}]'
carries 0 1 12000000

# Kinds of levels, as a platform says them: 8 MB among 4 in groups of 2. Inside 4 MB there and back, across 4 MB at once,
# each over one link of 1 us; or 2 x 8 MB / 4 / 2 GB/s = 2 ms in servers, and 6 MB around each
# of the two rings on the links of the mesh.
sed '/rings:/d; /steps:/d' mesh.yml >levels.yml
sed -i 's/ring_stream/"hierarchical:2,inside=sharded_parameter_server,across=ring_stream"/' levels.yml
takes 12003000000 levels.yml
takes 8001000000 levels.yml --set system.monolithic_all_reduce=hierarchical:4,inner=2GB/s,across=ring_stream

[ "$failures" -eq 0 ] && echo "rings of groups: as by hand"
exit $((failures > 0))
