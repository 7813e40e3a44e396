#!/bin/sh
# orrery run --cluster with networks that jobs bring: a fabric of each, with links of its own; what
# orrery plan topoopt wrote; and what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

# ---- fabrics ----

# On a switch the flow of two.dot goes over 2 links: it joins after 2 (1 us + 1 ns), takes 893.6 us, and is there 2 us + 8.936 us later.
mkdir sub
printf 'network: {graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 0.5 GB/s}]}}\n' >sub/net.yml
cat >jobs.yml <<'END'
cluster:
  servers: 10
  network: sharded
  fabric: ideal-switch
  link_bandwidth: 1 GB/s
  flow_model: maxmin
jobs:
  - {name: a, taskgraph: two.dot}
  - {name: half, taskgraph: two.dot, link_bandwidth: 0.5 GB/s}
  - {name: far, taskgraph: two.dot, link_latency: 2 us}
  - {name: file, taskgraph: two.dot, fabric: sub/net.yml}
  - {name: ring, taskgraph: two.dot, fabric: "circulant:1", routing: shortest}
END
# half: 2.004, 1787.2, 2 and 17.872 us; far: 4.002, 893.6, 4 and 8.936; file: one link of half the
# speed: 1.002, 1787.2, 1; ring: two links side by side of 1 GB/s, one of which it takes.
expect '1906.538 2809.076 1910.538 2789.202 1895.601' --cluster jobs.yml
sed -n 1p out | grep -q 'ideal-switch, sharded network' || fail "head: $(cat out)"
grep -q 'ms  sub/net.yml$' out || fail "network of file: $(cat out)"
"$ORRERY_BIN" run --cluster jobs.yml --alone --json run.json >out 2>err || fail "$(cat err)"
grep -qx '      "fabric": "circulant:1"' run.json || fail "no fabric of ring: $(cat run.json)"
grep -q '1.000  circulant:1$' out || fail "alone: $(cat out)"
# Where nobody has a network of its own nothing is told of it.
"$ORRERY_BIN" run --cluster jobs.yml --set 'jobs=[{taskgraph: two.dot}]' --json run.json >out 2>err ||
    fail "$(cat err)"
[ "$(grep -c fabric run.json)" = 1 ] || fail "fabrics of jobs without: $(cat run.json)"

own='expected cluster.network: sharded, for a network of the job'\''s own; it is shared'
refuses "jobs.yml:9:54: jobs[1].link_bandwidth: $own" --cluster jobs.yml --set cluster.network=shared
refuses '--set: jobs[0].fabric: expected a fabric or the file of one, got no file ./none.yml' \
    --cluster ./jobs.yml --set 'jobs[0].fabric=none.yml'
refuses '--set: jobs[0].rings: expected auto, auto:RINGS (so many of all NPUs), own (one, in the order of the group) or totient:RINGS, with 1 to 1024 rings, got "x"' \
    --cluster jobs.yml --set 'jobs[0].rings=x'
refuses '--set: jobs[0].routing: circulant:1 has no dimensions' --cluster jobs.yml \
    --set 'jobs[0].fabric=circulant:1' --set 'jobs[0].routing=dimension-order'
printf 'network: {graph: {npus: 1, links: []}}\n' >sub/net.yml
"$ORRERY_BIN" run --cluster jobs.yml >out 2>err && fail 'a network of one server is run for two'
[ "$(cat err)" = 'sub/net.yml: the job needs 2 servers, and the network has 1 NPUs' ] || fail "$(cat err)"

# ---- plans ----

# plan NAME LINE: what is planned in a line takes exactly as long as the plan says, twice.
cat >speed.yml <<'END'
compute: {peak: 100 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 1 TB/s}}
END
plan() {
    { printf 'plan: %s\n' "$2"; cat speed.yml; [ $# -lt 3 ] || printf '%s\n' "$3"; } >"$1.yml"
    mkdir -p plans
    "$ORRERY_BIN" plan topoopt "$1.yml" -o "plans/$1" --progress never >out 2>err || fail "$1: $(cat err)"
    awk '/^  "simulated_ps":/ { printf "%.3f", $2 / 1e6 }' "plans/$1/plan.json"
}
dlrm=$(plan dlrm '{model: topoopt/dlrm_5_6, servers: 16, rounds: 1, search: {budget: 20}, interfaces: {degree: 4, bandwidth: 100 Gb/s}}')
ring=$(plan ring '{model: topoopt/bert_5_6, servers: 6, rounds: 1, search: {budget: 20}, interfaces: {degree: 2, bandwidth: 25 Gb/s}}')
kept=$(plan kept '{model: topoopt/vgg, servers: 8, rounds: 1, search: {budget: 20}}' \
    'network: {design: {name: topoopt, servers: 8, degree: 2, bandwidth: 10 Gb/s}}')
# A network that says no latency has 1 us, as where the plan's files are run.
tree=$(plan tree '{model: topoopt/dlrm_5_6, servers: 8, rounds: 1, search: {budget: 20}}' \
    'network: {graph: {npus: 8, fabric: fat-tree, bandwidth: 10 GB/s}}')
printf 'cluster: {servers: 8, network: sharded}\njobs: [{plan: plans/tree}]\n' >tree.yml
expect "$tree" --cluster tree.yml
cat >planned.yml <<'END'
cluster: {servers: 64, network: sharded}
jobs:
  - {plan: plans/dlrm, count: 2, iterations: 2}
  - {plan: plans/ring/plan.json}
  - {name: vgg, plan: plans/kept/}
END
expect "$dlrm $dlrm $dlrm $dlrm $ring $kept" --cluster planned.yml
sed -n 1p out | grep -q '4 jobs on 46 of 64 servers, fabrics of their own, sharded network' || fail "head: $(cat out)"
grep -q '^dlrm-2 .* plans/dlrm$' out || fail "plans: $(cat out)"
"$ORRERY_BIN" run --cluster planned.yml --json run.json >out 2>err || fail "$(cat err)"
grep -qx '      "plan": "plans/ring"' run.json || fail "no plan: $(cat run.json)"
# Also from elsewhere: paths are those of the file.
mkdir elsewhere && cd elsewhere || exit 1
expect "$dlrm $dlrm $dlrm $dlrm $ring $kept" --cluster ../planned.yml
cd .. || exit 1

# Its strategy on a network that is shared, where that is said: as the workload file on that network.
"$ORRERY_BIN" run --cluster planned.yml --set cluster.network=shared --set cluster.link_bandwidth=10Gb/s \
    --set cluster.fabric=fat-tree --csv shared.csv >out 2>err || fail "$(cat err)"
{
    printf 'cluster: {servers: 64, link_bandwidth: 10 Gb/s, fabric: fat-tree, compute: {peak: 100 TFLOP/s, efficiency: 0.5}'
    printf ', memory: {local: {bandwidth: 1 TB/s}}}\njobs:\n  - {name: dlrm, workload: plans/dlrm/workload.yml, count: 2, iterations: 2}\n'
    printf '  - {name: ring, workload: plans/ring/workload.yml}\n  - {name: vgg, workload: plans/kept/workload.yml}\n'
} >workloads.yml
"$ORRERY_BIN" run --cluster workloads.yml --csv workloads.csv >out 2>err || fail "$(cat err)"
cmp -s shared.csv workloads.csv || fail "strategies on a shared network: $(diff shared.csv workloads.csv)"

refuses "planned.yml:3:12: jobs[0].plan: $own" --cluster planned.yml --set cluster='{servers: 64}'
wrote='expected the folder that orrery plan topoopt -o FOLDER wrote'
refuses "--set: jobs[0].plan: $wrote, or its plan.json; there is no folder plans/none" \
    --cluster planned.yml --set 'jobs[0].plan=plans/none'
refuses "--set: jobs[0].plan: $wrote, got no file plans/platform.yml" \
    --cluster planned.yml --set 'jobs[0].plan=plans'
refuses '--set: jobs[0].fabric: expected no fabric together with plan, which has its own network and servers' \
    --cluster planned.yml --set 'jobs[0].fabric=ring'
refuses '--set: jobs[0].npus: expected no npus together with plan, which has its own network and servers' \
    --cluster planned.yml --set 'jobs[0].npus=16'
refuses 'planned.yml:3:5: jobs[0]: expected one of taskgraph, traces, workload and plan, got several' \
    --cluster planned.yml --set 'jobs[0].workload=plans/dlrm/workload.yml'
refuses '--set: jobs[0].servers: expected 32 servers (16 of the workload, 2 times), got 8' \
    --cluster planned.yml --set 'jobs[0].servers=0-7'
cp plans/ring/platform.yml plans/dlrm/platform.yml
refuses 'planned.yml:3:12: jobs[0].plan: expected a network of as many servers as the strategy has, 16, got one of 6 in plans/dlrm/platform.yml' \
    --cluster planned.yml
rm plans/ring/workload.yml
refuses "planned.yml:4:12: jobs[1].plan: $wrote, got no file plans/ring/workload.yml" --cluster planned.yml

[ "$failures" -eq 0 ] && echo "networks of jobs: as expected"
exit $((failures > 0))
