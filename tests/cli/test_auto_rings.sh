#!/bin/sh
# Rings that are found on the links of a graph: times of all-reduces on fabrics, what is told of the
# rings, the old reading by name, the same by evaluator and simulation, and rings that are not there.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# task_graph SERVERS: an all-reduce of 1 GB of all
task_graph() {
    members=$(seq -s ', ' 0 $(($1 - 1)))
    printf '{"format": "orrery task graph", "version": 1, "npus": %d, "copies": 1, "tasks": [{"role": "all-reduce", "members": [%s], "bytes": "1000000000 B"}]}' \
        "$1" "$members" >"ar$1.json"
}

number() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" json | head -n 1; }

# takes SERVERS FABRIC RINGS MOST_MS ARGUMENT...: at most so long, around so many rings
takes() {
    servers=$1 fabric=$2 rings=$3 most=$4
    shift 4
    [ -s "ar$servers.json" ] || task_graph "$servers"
    "$ORRERY_BIN" run --taskgraph "ar$servers.json" --fabric "$fabric" --link-bandwidth 100Gb/s \
        --link-latency 1us --json - "$@" >json 2>err </dev/null || fail "$fabric: $(cat err)"
    found=$(number wall_ps)
    awk -v ps="$found" -v most="$most" 'BEGIN { exit !(ps > 0 && ps <= most * 1e9) }' ||
        fail "$fabric $*: expected at most $most ms, found $found ps"
    [ "$(number rings)" = "$rings" ] || fail "$fabric $*: expected $rings rings, found $(number rings)"
}

takes 16 circulant:1,5 4 38
takes 16 torus:4x4 4 38
takes 16 hypercube 4 38
takes 16 expander:4 4 38
takes 16 full-mesh 14 11.5
takes 16 torus:8x2 2 76
takes 16 'FC(4)_Ring(4)' 4 38
takes 64 torus:4x4x4 6 27
takes 64 torus:8x8 4 40
takes 16 torus:4x4 2 76 --rings auto:2
takes 16 torus:4x4 1 151 --rings own
awk -v ps="$(number wall_ps)" 'BEGIN { exit !(ps > 150e9) }' || fail "own: $(number wall_ps) ps"
# Rings of the torus lead through the racks below its nodes, as those of a circulant do.
takes 64 torus:4x4/4:tor 4 170
"$ORRERY_BIN" topo show torus:4x4/2@logical --npus 32 --bandwidth 100Gb/s >printed
grep -q 'rings of groups *8,' printed || fail "logical servers: $(grep rings printed)"

"$ORRERY_BIN" run --taskgraph ar16.json --fabric full-mesh --link-bandwidth 100Gb/s >printed
grep -q '^rings  *14 among 16 servers, on 224 of 240 links between them$' printed ||
    fail "table: $(grep rings printed)"

# A platform, by the evaluator and as it runs.
cat >torus.yml <<'END'
network:
  graph: {npus: 16, fabric: "torus:4x4", bandwidth: 100 Gb/s, latency: 1 us}
system: {monolithic_all_reduce: ring}
workload: {generate: all_reduce, bytes: 1 GB}
END
# run_of ARGUMENT...: picoseconds
run_of() {
    "$ORRERY_BIN" run torus.yml "$@" --json json >printed 2>err </dev/null || fail "$*: $(cat err)"
    number wall_ps
}
auto=$(run_of) own=$(run_of --set network.graph.rings=own)
awk -v a="$auto" -v o="$own" 'BEGIN { exit !(a <= 38e9 && o > 3.9 * a) }' || fail "platform: $auto, own $own"
auto=$(run_of)
[ "$(number rings) $(number ring_link_share)" = "4 1.0" ] || fail "platform: $(grep ring json)"
"$ORRERY_BIN" run torus.yml --explain >printed 2>err
grep -q '^# all_reduce of all 16 NPUs: around 4 rings, on 64 of 64 links between them$' printed ||
    fail "--explain: $(tail -n 2 printed)"
"$ORRERY_BIN" run torus.yml --set network.graph.rings=own --explain >printed 2>err
grep -q 'rings: own' printed || fail "--explain with own: $(cat printed)"

# refuses MESSAGE ARGUMENT...
refuses() {
    message=$1
    shift
    "$ORRERY_BIN" run "$@" >printed 2>err </dev/null && fail "$*: runs"
    grep -qF -- "$message" err || fail "$*: $(cat err)"
}
none='expected at most as many rings as there are: on the links between all 16 NPUs'
refuses "network.graph.rings: $none 4 are found, no link in two of them; got auto:6" torus.yml --set network.graph.rings=auto:6
refuses "$none 0 are found" torus.yml --set network.graph.fabric=ideal-switch --set network.graph.rings=auto:1
refuses "rings: $none 4 are found" --taskgraph ar16.json --fabric torus:4x4 --link-bandwidth 100Gb/s --rings auto:5
refuses '--set: network.graph.rings=own: expected a network of a file' --taskgraph ar16.json --fabric torus:4x4 --link-bandwidth 100Gb/s \
    --set network.graph.rings=own
refuses 'network.graph.rings: expected a list, or a text such as auto, auto:4, own, totient:4, got "none"' \
    torus.yml --set network.graph.rings=none
refuses '--rings: expected auto, auto:RINGS' --taskgraph ar16.json --fabric torus:4x4 --link-bandwidth 100Gb/s --rings auto:0

# All-reduces in phases: graphs that are not built of dimensions, by default and by name.
# phased FABRIC RINGS MOST_MS ARGUMENT...
phased() {
    fabric=$1 rings=$2 most=$3
    shift 3
    printf 'network:\n  graph: {npus: 16, fabric: "%s", bandwidth: 100 Gb/s, latency: 1 us}\nworkload: {generate: all_reduce, bytes: 1 GB}\n' "$fabric" >phased.yml
    "$ORRERY_BIN" run phased.yml "$@" --json json >printed 2>err </dev/null || fail "$fabric: $(cat err)"
    awk -v ps="$(number wall_ps)" -v most="$most" 'BEGIN { exit !(ps > 0 && ps <= most * 1e9) }' ||
        fail "$fabric in phases $*: expected at most $most ms, found $(number wall_ps) ps"
    [ "$(number rings)" = "$rings" ] || fail "$fabric in phases $*: expected $rings rings, found $(number rings)"
}
phased expander:4 4 38
phased circulant:1,5 4 38
phased full-mesh 14 11 --set system.algorithms.all_reduce=multi_ring
phased full-mesh '' 10.1
"$ORRERY_BIN" run phased.yml --set network.graph.fabric=expander:4 --explain >printed 2>err
grep -q '^# all_reduce of all 16 NPUs: around 4 rings, on 64 of 64 links between them$' printed || fail "phases: $(tail -n 2 printed)"
# What comes first has fewer chunks than what goes around three rings.
printf 'network:\n  graph: {npus: 16, fabric: "circulant:1,3,7", bandwidth: 100 Gb/s, latency: 1 us}\ncompute: {peak: 100 TFLOP/s, efficiency: 1}\n' >dlrm.yml
"$ORRERY_BIN" run dlrm.yml dlrm_57m --ignore-capacity >printed 2>err || fail "all-to-all before rings: $(cat err)"
# Rings by jumps that are no links are not taken unseen.
printf 'network:\n  graph: {npus: 64, fabric: "circulant:1", bandwidth: 100 Gb/s, latency: 1 us, rings: "totient:4"}\nworkload: {generate: all_reduce, bytes: 4 MiB}\n' >jumps.yml
"$ORRERY_BIN" run jumps.yml --json json >printed 2>err || fail "jumps: $(cat err)"
awk -v ps="$(number wall_ps)" 'BEGIN { exit !(ps > 0 && ps <= 0.8e9) }' || fail "jumps: $(number wall_ps) ps"
none='goes around rings (system.algorithms), but the 16 NPUs of the group "0" have none'
refuses "$none" phased.yml --set network.graph.fabric=fat-tree:4 --set system.algorithms.all_reduce=multi_ring
refuses "$none" phased.yml --set network.graph.fabric=torus:4x4 --set system.algorithms.all_reduce=multi_ring

# Rivals of a plan go around theirs: the torus is not 3 times the plan.
cat >plan.yml <<'END'
plan:
  model: topoopt/dlrm_5_6
  servers: 12
  interfaces: {degree: 4, bandwidth: 100 Gb/s, latency: 1 us, links: duplex}
  rounds: 1
  search: {budget: 50, chains: 1, seed: 1}
  compare: ["torus:3x4"]
compute: {peak: 312 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 2039 GB/s}}
END
"$ORRERY_BIN" plan topoopt plan.yml --no-run --progress never -o made >printed 2>err || fail "plan: $(cat err)"
awk -F, 'NR == 2 { exit !($6 < 1.5 && $7 == 4 && $8 == 1) }' made/fabrics.csv || fail "rivals: $(cat made/fabrics.csv)"

exit "$((failures != 0))"
