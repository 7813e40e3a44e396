#!/bin/sh
# rings: totient:R, all-reduces around several permutations at once: times by hand on a switch and on links, of
# platforms, task graphs and clusters, as predicted too; and what is refused.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# takes PS ARGUMENT...: so long
takes() {
    expected=$1
    shift
    "$ORRERY_BIN" run "$@" --json out >printed 2>err </dev/null || fail "$*: $(cat err)"
    found=$(sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' out | head -n 1)
    [ "$found" = "$expected" ] || fail "$*: expected $expected ps, found $found"
}

# silent and warns TEXT: what the last run said
silent() { [ -s err ] && fail "expected nothing, got $(cat err)"; }
warns() { grep -qF -- "$1" err || fail "expected \"$1\", got \"$(cat err)\""; }

# refuses TEXT ARGUMENT...
refuses() {
    text=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: expected exit status 2"
    grep -qF -- "$text" err || fail "$*: expected \"$text\", got \"$(cat err)\""
}

# 12 MB among 12: 22 rounds of 1 MB, of R rings each 1/R of it. Over a switch a NIC of 1 GB/s has them all: 1 ms, and
# 2 us of two links. The jumps 1, 5, 11, 7 are the four links of an NPU on circulant:1,5: a quarter each, and 1 us.
cat >switch.yml <<'END'
network:
  backend: flow
  graph: {npus: 12, fabric: ideal-switch, bandwidth: 1 GB/s, latency: 1 us, rings: totient:4}
system: {monolithic_all_reduce: ring}
workload: {generate: all_reduce, bytes: 12 MB}
END
sed 's/ideal-switch/"circulant:1,5"/' switch.yml >links.yml
for rings in 1 2 4; do
    takes 22044000000 switch.yml --set network.graph.rings=totient:$rings
    silent
done
takes 22044000000 switch.yml --set 'network.graph.rings=[{npus: 12, jumps: [5]}]'
takes 5522000000 links.yml
takes 11022000000 links.yml --set network.graph.rings=totient:2
takes 22022000000 links.yml --set network.graph.rings=totient:1
silent
# There are no more than four.
takes 5522000000 links.yml --set network.graph.rings=totient:9
warns 'network.graph.rings: totient:9: there are 4 permutations of 12 NPUs that are one ring'
"$ORRERY_BIN" topo show switch.yml | grep -q "of all 12 NPUs by jumps of 1, 5, 11, 7$" ||
    fail "topo show: expected the jumps 1, 5, 11, 7"

# Every other one has rings of its own size, 1 and 5 of 6, over two links of circulant:1,5 each: 10 rounds of 400
# packets of 8936 bytes are 3.5744 ms, the last packet takes 8.936 us again over the second link, links there and back
# 4 us, and a byte at the start 2 ns. So do 22 rounds of all over the switch; over links, of one flow each, a ring of
# four takes 100 packets, 2 us and 1 ns.
tasks() { # tasks MEMBERS BYTES
    printf '{"format": "orrery task graph", "version": 1, "npus": 12, "tasks": [
        {"role": "all-reduce", "members": [%s], "bytes": "%s B"}]}\n' "$1" "$2"
}
tasks 0,1,2,3,4,5,6,7,8,9,10,11 42892800 >all.json
tasks 0,2,4,6,8,10 21446400 >half.json
equal='--link-bandwidth 8Gb/s --flow-model maxmin'
for rings in 1 2 4; do
    takes 78921436000 --taskgraph all.json --fabric ideal-switch $equal --rings totient:$rings
    takes 35873380000 --taskgraph half.json --fabric ideal-switch $equal --rings totient:$rings
done
takes 19703222000 --taskgraph all.json --fabric circulant:1,5 $equal --rings totient:4
silent
takes 18001380000 --taskgraph half.json --fabric circulant:1,5 $equal --rings totient:4
takes 35873380000 --taskgraph half.json --fabric circulant:1,5 $equal --rings totient:1

cat >cluster.yml <<'END'
cluster: {servers: 12, fabric: "circulant:1,5", link_bandwidth: 1 GB/s, flow_model: maxmin, rings: totient:4}
jobs: [{taskgraph: all.json}]
END
"$ORRERY_BIN" run --cluster cluster.yml --json out >printed 2>err || fail "a cluster: $(cat err)"
grep -q '"end_ps": 19703222000' out || fail "a cluster: $(grep end_ps out)"

# What is predicted goes around the same rings: of 16, 1, 3 and 7.
cat >plan.yml <<'END'
network:
  backend: flow
  shares: maxmin
  graph: {npus: 16, fabric: "fat-tree:4,2", bandwidth: 1 GB/s, latency: 1 us, rings: totient:3}
compute: {peak: 100 TFLOP/s}
workload: {model: topoopt/vgg_6}
END
for fabric in fat-tree:4,2 ideal-switch circulant:1,3; do
    off=$("$ORRERY_BIN" plan evaluate plan.yml --set "network.graph.fabric='$fabric'" |
        sed -n 's/.*(predicted [-+]\([0-9.]*\) %)/\1/p')
    awk -v off="${off:-100}" 'BEGIN { exit !(off < 0.2) }' || fail "$fabric: predicted $off % off"
done

"$ORRERY_BIN" topo show switch.yml >out 2>err || fail "topo show: $(cat err)"
grep -q '^rings  *totient:4, for all-reduces' out || fail "topo show: $(cat out)"

refuses 'orrery run: --rings: expected auto, auto:RINGS (so many of all NPUs), own (one, in the order of the group) or totient:RINGS, with 1 to 1024 rings, got "4"' \
    run --taskgraph all.json --fabric ideal-switch $equal --rings 4
refuses 'cluster.rings: expected auto, auto:RINGS' run --cluster cluster.yml --set cluster.rings=totient:0
refuses 'network.graph.rings: expected a list, or a text such as auto, auto:4, own, totient:4, got "all"' \
    run switch.yml --set network.graph.rings=all
refuses 'network.graph.rings: expected rings, or auto, auto:RINGS' run switch.yml --set network.graph.rings=totient:x
"$ORRERY_BIN" run switch.yml --explain=all >out 2>err || fail "--explain: $(cat err)"
grep -q '^network.graph.rings  *totient:4  *switch.yml:3' out || fail "--explain: $(grep rings out)"
refuses 'network.graph.rings[0]' run switch.yml --set 'network.graph.rings=[totient:2]'

[ "$failures" -eq 0 ] && echo "rings by TotientPerms: as expected"
exit $((failures > 0))
