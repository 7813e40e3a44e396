#!/bin/sh
# Small cases of what bench/flows.sh times: jobs of every kind over flows, by hand or as whole numbers of picoseconds that every way of
# sharing links has to answer; jobs on links that change or stand still while rounds are on them; seeds that move paths; flows of
# nothing.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# equal WHAT EXPECTED GOT
equal() {
    [ "$2" = "$3" ] && return
    printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

# platform NPUS FABRIC: equal shares on links of 12.5 GB/s and 1 us
platform() {
    cat >platform.yml <<END
network: {backend: flow, shares: maxmin, graph: {npus: $1, fabric: "$2", bandwidth: 100 Gb/s, latency: 1 us}}
compute: {peak: 312 TFLOP/s}
END
}

# summed KEY ARGUMENTS...: the sum of a key of the results
summed() {
    key=$1
    shift
    "$ORRERY_BIN" run "$@" --json - 2>err | awk -F'[:,]' -v key="\"$key\"" 'index($0, key) { sum += $2 } END { printf "%.0f", sum }'
}
time_of() { summed wall_ps "$@"; }

# ---- rounds of rings ----

# An all-reduce of 64 MiB on the four rings of circulant:1,5 among 16: 2 x 15 rounds of 1 MiB, 83.88608 us, and 1 us.
platform 16 circulant:1,5
whole='workload={generate: all_reduce, bytes: 64 MiB}'
on_rings() { time_of platform.yml --set "$whole" --set system.monolithic_all_reduce=ring "$@"; }
equal 'rings' 2546582400 "$(on_rings)"
# Round 12 begins at 933.74688 us. The link between 0 and 1 halves at 1 ms, with 17.63296 us left of it: 2 x 17.63296 + 1 more, and
# 18 rounds of 2 x 83.88608 + 1.
equal 'rings on a link that halves' 4074164800 \
    "$(on_rings --set 'network.changes=[{at: 1 ms, link: 0-1, bandwidth: 50 Gb/s}]')"
# Nothing at all for a millisecond.
equal 'rings on a link that stands still and comes back' 3546582400 "$(on_rings --set \
    'network.changes=[{at: 1 ms, link: 0-1, bandwidth: 0}, {at: 2 ms, link: 0-1, bandwidth: 100 Gb/s}]')"
# Round the corner of two other rings, whose links are shared from then on (packets of 8 KiB take 4856.4 us).
equal 'rings on a link that dies' 4419843623 \
    "$(on_rings --set network.reroute=true --set 'network.changes=[{at: 1 ms, link: 0-1, working: 0}]')"
# A link that stays down is named, wherever in a round it goes.
for at in 0 1 933.74688 1000 2545; do
    "$ORRERY_BIN" run platform.yml --set "$whole" --set system.monolithic_all_reduce=ring \
        --set "network.changes=[{at: $at us, link: 0-1, bandwidth: 0}]" >shown 2>&1
    equal "a link down at $at us: exit status" 3 $?
    grep -q 'stalled; the link from [01] to [01] carries nothing' shown || equal "a link down at $at us" 'its name' "$(cat shown)"
done

# ---- training ----

training() { time_of platform.yml --set "workload={model: $1, all_reduce: ring}"; }
equal 'DLRM on circulant:1,5' 16574726586 "$(training topoopt/dlrm_5_6)"
equal 'BERT on circulant:1,5' 45029562413 "$(training topoopt/bert_5_6)"
sed 's/^  batch_per_device: .*/  batch_per_device: 2048/' "$ORRERY_SOURCE_DIR/inputs/models/topoopt/dlrm_5_6.yml" >exchange.yml
equal 'DLRM that exchanges more' 21375482496 "$(training exchange.yml)"

# Of a network that jobs share the sum of the times at which they end.
for model in dlrm_5_6 bert_5_6 vgg; do
    echo "workload: {model: topoopt/$model}" >$model.yml
done
cat >cluster.yml <<'END'
cluster: {servers: 54, fabric: fat-tree, link_bandwidth: 200 Gb/s, flow_model: maxmin, placement: random, compute: {peak: 312 TFLOP/s}}
jobs:
  - {name: dlrm, workload: dlrm_5_6.yml, npus: 16}
  - {name: bert, workload: bert_5_6.yml, npus: 16}
  - {name: vgg, workload: vgg.yml, npus: 16}
END
equal 'jobs on a fat-tree' 326275081078 "$(summed end_ps --cluster cluster.yml)"
equal 'jobs on a fat-tree, windows' 328356484181 "$(summed end_ps --cluster cluster.yml --set cluster.flow_model=windows \
    --set 'jobs[1].npus=8')"

# ---- exchanges and pairs ----

# 5 on a ring, 12.5 MB to each, all at once: on each link one flow to the neighbour and two to or from NPUs two hops away, for 3 ms, and
# 2 us. At a switch of 16, 1 MB from each to each: 15 x 80 us, and 2 us. On a fat-tree the fullest link carries 72 MB: 72 x 80 us, and 6 us.
exchanged() { time_of platform.yml --set "workload={generate: all_to_all, bytes: $1}" --set system.chunks=1; }
platform 5 circulant:1
equal 'an exchange on a ring' 3002000000 "$(exchanged '62.5 MB')"
platform 16 ideal-switch
equal 'an exchange at a switch' 1202000000 "$(exchanged '16 MB')"
platform 64 fat-tree
equal 'an exchange on a fat-tree' 5766000000 "$(exchanged '64 MB')"

# 400 flows of random sizes up to 2 MB between random servers at random times, and some of nothing; the sum of the times at which servers
# are done. Another seed has other paths.
awk -v h=64 -v n=400 '
function random(most) { seed = (seed * 48271) % 2147483647; return seed % most }
function task(text) { printf "%s{%s}", tasks++ ? ",\n" : "", text }
BEGIN {
    seed = 1
    printf "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": %d, \"tasks\": [\n", h
    for (i = 0; i < n; i++) {
        from[i] = random(h)
        task(sprintf("\"role\": \"compute\", \"pass\": \"forward\", \"npu\": %d, \"time\": \"%d ns\", \"next\": [%d]", from[i], random(100000), n + i))
    }
    for (i = 0; i < n; i++)
        task(sprintf("\"role\": \"transfer\", \"from\": %d, \"to\": %d, \"bytes\": \"%d B\"", from[i], (from[i] + 1 + random(h - 1)) % h, i % 40 ? random(2000000) : 0))
    print "]}"
}' >pairs.json
for case in 1:67419690856 2:69806946849 3:67676592255; do
    equal "pairs on a fat-tree, seed ${case%:*}" "${case#*:}" "$(summed finish_ps platform.yml --per-npu --set \
        'workload={taskgraph: pairs.json}' --set "network.seed=${case%:*}")"
done
equal 'pairs on a fat-tree, windows' 1375667450 "$(time_of --taskgraph pairs.json --fabric fat-tree --link-bandwidth '100 Gb/s')"

# ---- task graphs with windows ----

# 16 servers in four groups, each with the parts of a chain of operators; switch, fat-tree, full mesh and circulant.
awk -v n=6 -v k=4 -v l=4 -f "$ORRERY_SOURCE_DIR/bench/taskgraph_chain.awk" >chain.json
# Around one ring, but for the circulant, which lists its own.
for case in ideal-switch:2506484160 fat-tree:2933349348 full-mesh:2244291520 circulant:1,5:2699644658; do
    rings=
    [ "${case%%:*}" != full-mesh ] || rings='--rings own'
    equal "a chain with windows, ${case%:*}" "${case##*:}" \
        "$(time_of --taskgraph chain.json --fabric "${case%:*}" --link-bandwidth '100 Gb/s' --flow-model windows $rings)"
done

# ---- chunks ----

# An all-reduce of 1 GiB in 16 chunks among 64. Full mesh, direct: 2 x 16 MiB on each link, and the last latency. Torus: 2 x 63/64 of it
# over four links of an NPU, and 1 us. One ring on a fat-tree: 2 x 63/64 over one link, and 6 us.
# Four rings on the links of an expander: as the torus, and the steps of a chunk. Packets of 8 KiB take 2.686 ms, 42.307, 32.540 (torus of
# three dimensions) and 169.573 (ring on the fat-tree): of chunks on one link the oldest goes first, and the last ones end alone.
chunks() { time_of platform.yml --set 'workload={generate: all_reduce, bytes: 1 GiB}' --set system.chunks=16 "$@"; }
platform 64 full-mesh
equal 'chunks on a full mesh' 2686361821 "$(chunks)"
platform 64 torus:8x8
equal 'chunks on a torus' 42305584326 "$(chunks)"
platform 64 torus:4x4x4
equal 'chunks on a torus of three dimensions' 31677076293 "$(chunks)"
platform 64 fat-tree
equal 'chunks on a fat-tree, ring' 169418518981 "$(chunks --set system.algorithms.all_reduce=ring)"
equal 'chunks on a fat-tree' 200709625354 "$(chunks)"
platform 64 expander:4
equal 'chunks on an expander' 84674018997 "$(chunks)"
equal 'chunks on an expander, one ring' 542518734773 "$(chunks --set system.algorithms.all_reduce=ring)"

[ $failures -eq 0 ]
