#!/bin/sh
# orrery run --cluster: times by hand, the same as alone where nothing is shared, placements, results,
# and what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

cat >jobs.yml <<'END'
cluster:
  servers: 4
  fabric: clusters:2,2
  link_bandwidth: 1 GB/s
  flow_model: maxmin
jobs:
  - {name: a, taskgraph: two.dot}
  - {name: b, taskgraph: two.dot}
END

# Below one switch a flow goes over 2 links: it joins after 2 (1 us + 1 ns), takes 893.6 us, and is
# there 2 us + 8.936 us later: 1906.538 us with the computing. Across the two switches it is 4 links
# (the upper ones have 1 GB/s too): 4.004, 893.6, and 4 + 3 x 8.936: 1928.412 us; two of them share
# the link upwards: 893.6 us more.
expect '1906.538 1906.538' --cluster jobs.yml

# The older name of the option does the same, and says so.
"$ORRERY_BIN" run --cluster jobs.yml >new
"$ORRERY_BIN" run --jobs jobs.yml >old 2>err || fail "$(cat err)"
cmp -s new old || fail '--jobs does not do what --cluster does'
[ "$(cat err)" = 'orrery run: warning: --jobs is called --cluster now' ] || fail "--jobs: $(cat err)"

expect '2822.012 2822.012' --cluster jobs.yml --set 'jobs[0].servers=0,2' --set 'jobs[1].servers=[1, 3]'
expect '1928.412 1928.412' --cluster jobs.yml --set 'jobs[0].servers=0,2' --set 'jobs[1].servers=[1, 3]' \
    --set cluster.network=sharded --set cluster.fabric=clusters:1
# The second one starts when the first has sent everything, after 1 + 4.004 + 893.6 us; and when the
# first has two iterations, which follow each other.
expect '1928.412 1928.412' --cluster jobs.yml --set 'jobs[0].servers=0,2' --set 'jobs[1].servers=1,3' \
    --set 'jobs[1].start=900 us'
expect '1906.538 1906.538 1906.538' --cluster jobs.yml --set 'jobs[0].iterations=2'
grep -qx 'a,2,1,1906538000,1906538000' times.csv || fail "second iteration: $(cat times.csv)"

# A job alone takes the time that the task graph takes.
"$ORRERY_BIN" run --taskgraph two.dot --fabric ideal-switch --link-bandwidth 1GB/s --json alone.json \
    >/dev/null 2>err || fail "$(cat err)"
cat >one.yml <<'END'
cluster: {servers: 2, link_bandwidth: 1 GB/s}
jobs: [{taskgraph: two.dot}]
END
"$ORRERY_BIN" run --cluster one.yml --json one.json --csv - >one.csv 2>err || fail "$(cat err)"
wall=$(sed -n 's/.*"wall_ps": \([0-9]*\),/\1/p' alone.json)
grep -qx "two,2,0,0,$wall" one.csv || fail "alone: expected $wall, got $(cat one.csv)"
grep -q "\"mean_ps\": $wall," one.json || fail "alone: $(cat one.json)"

# The same on a fat-tree with windows, with random paths and a seed, where the graphs are there.
vgg=$ORRERY_SHARED/data/flexflow/taskgraphs/100vgg_16.fbuf
if [ -f "$vgg" ]; then
    "$ORRERY_BIN" run --taskgraph "$vgg" --fabric fat-tree:8,4 --seed 7 --json alone.json >/dev/null 2>err ||
        fail "$(cat err)"
    printf 'cluster: {servers: 16, fabric: "fat-tree:8,4", seed: 7}\njobs: [{taskgraph: "%s"}]\n' "$vgg" >vgg.yml
    "$ORRERY_BIN" run --cluster vgg.yml --json one.json >/dev/null 2>err || fail "$(cat err)"
    wall=$(sed -n 's/.*"wall_ps": \([0-9]*\),/\1/p' alone.json)
    grep -q "\"mean_ps\": $wall," one.json || fail "vgg alone: expected $wall, got $(grep mean one.json)"
fi

# A network from a file beside the file of jobs: one link between the servers of a, of 0.5 GB/s:
# 1.002 + 1787.2 + 1 us and 1 ms of computing; b's has 1 GB/s.
mkdir sub
cp two.dot sub
cat >sub/net.yml <<'END'
network: {graph: {npus: 4, links: [{from: 0, to: 1, bandwidth: 0.5 GB/s}, {from: 1, to: 2}, {from: 2, to: 3}]}}
END
sed 's/clusters:2,2/net.yml/' jobs.yml >sub/jobs.yml
expect '2789.202 1895.601' --cluster sub/jobs.yml
sed 's/servers: 4/servers: 5/' sub/jobs.yml >sub/more.yml
refuses 'sub/net.yml: the cluster needs 5 servers, and the network has 4 NPUs' --cluster sub/more.yml
printf 'network: {graph: {npus: 4, links: [{from: 0, to: 1}, {from: 2, to: 3}]}}\n' >sub/net.yml
"$ORRERY_BIN" run --cluster sub/jobs.yml 2>err && fail 'a network in two parts is run'
grep -q 'NPU 0 is not connected to NPU 2' err || fail "parts: $(cat err)"

# The slowdown against being alone: 2822.012 / 1928.412.
"$ORRERY_BIN" run --cluster jobs.yml --set 'jobs[0].servers=0,2' --alone >out 2>err || fail "$(cat err)"
grep -q '^b  *2  *0 ps  *1  *2.822 ms  *2.822 ms  *1.928 ms  *1.463$' out || fail "table: $(cat out)"
[ "$(sed -n 1p out)" = "jobs.yml: 2 jobs on 4 of 4 servers, clusters:2,2, shared network, contiguous \
placement, maxmin" ] || fail "head: $(cat out)"

# The 99th percentile of few is the largest; of 200 iterations, of which those of b (1 %) are slow,
# the 198th.
"$ORRERY_BIN" run --cluster jobs.yml --set cluster.fabric=ideal-switch --set 'jobs[0].iterations=198' \
    --set 'jobs[1].iterations=2' --set 'jobs[1].taskgraph=slow.dot' --json - >out 2>err &&
    fail 'a missing task graph runs'
sed 's/0\.001/0.002/' two.dot >slow.dot
for case in '198 2 1906538000' '197 3 2906538000'; do
    # shellcheck disable=SC2086 # three numbers
    set -- $case
    "$ORRERY_BIN" run --cluster jobs.yml --set cluster.fabric=ideal-switch --json run.json \
        --set "jobs[0].iterations=$1" --set "jobs[1].iterations=$2" \
        --set 'jobs[1].taskgraph=slow.dot' >out 2>err || fail "$(cat err)"
    grep -qx "  \"p99_ps\": $3," run.json || fail "$1 and $2 iterations: expected a 99th percentile of $3"
done

# Random servers: the same for the same seed, ascending, all different.
for run in 1 2; do
    "$ORRERY_BIN" run --cluster jobs.yml --set cluster.servers=40 --set cluster.placement=random \
        --set 'jobs[0].count=10' --set cluster.start_within=1ms --json "$run.json" >/dev/null 2>err ||
        fail "$(cat err)"
done
cmp -s 1.json 2.json || fail 'two runs of one seed differ'
awk '/"servers": \[/ { on = 1; last = -1; next } /\]/ { on = 0 }
    on { n = $1 + 0; if (n <= last || seen[n]++) bad = 1; last = n; all++ }
    END { exit bad || all != 22 }' 1.json || fail "random servers: $(cat 1.json)"
grep -q '"name": "a-10"' 1.json || fail 'no tenth copy'
"$ORRERY_BIN" run --cluster jobs.yml --set cluster.servers=40 --set cluster.placement=random \
    --set cluster.seed=2 --json 3.json >/dev/null 2>err
"$ORRERY_BIN" run --cluster jobs.yml --set cluster.servers=40 --set cluster.placement=random \
    --json 4.json >/dev/null 2>err
cmp -s 3.json 4.json && fail 'the seed changes nothing'

# Copies that start one after the other.
"$ORRERY_BIN" run --cluster jobs.yml --set cluster.servers=8 --set 'jobs[0].count=3' \
    --set 'jobs[0].start=1 ms' --set 'jobs[0].every=2 ms' --csv - >out 2>err || fail "$(cat err)"
grep -q '^a-3,2,0,5000000000,' out || fail "copies: $(cat out)"

# What the network carried: 2 x 893,600 bytes over each link; the end is that of the last job.
"$ORRERY_BIN" run --cluster jobs.yml --set 'jobs[0].servers=0,2' --link-stats links.csv \
    --traffic-matrix traffic.csv >/dev/null 2>err || fail "$(cat err)"
grep -qx '4,6,1,1000000000,1000000,1787200,0.633307' links.csv || fail "$(cat links.csv)"
grep -qx '0,0,0,893600,0' traffic.csv || fail "$(cat traffic.csv)"

refuses 'jobs.yml:8:5: jobs[1]: job "b" needs 2 servers, and of 2 in the cluster 0 are left' \
    --cluster jobs.yml --set cluster.servers=2
printf 'cluster: {servers: 4}\njobs:\n  - {taskgraph: two.dot, servers: 0-1}\n  - {name: b, taskgraph: two.dot, servers: "1,3"}\n' >bad.yml
refuses 'bad.yml:4:44: jobs[1].servers: server 1 is given to jobs[0] ("two") too' --cluster bad.yml
printf 'cluster: {servers: 4}\njobs:\n  - {taskgraph: two.dot, servers: [0, 0]}\n' >bad.yml
refuses 'bad.yml:3:35: jobs[0].servers: server 0 is given twice' --cluster bad.yml
printf 'cluster: {servers: 4}\njobs:\n  - {taskgraph: two.dot, servers: 2-4}\n' >bad.yml
refuses 'bad.yml:3:35: jobs[0].servers: expected servers from 0 to 3, such as "0-7,12", got "2-4"' --cluster bad.yml
printf 'cluster: {servers: 4}\njobs:\n  - {taskgraph: two.dot, servers: [0, 1, 2]}\n' >bad.yml
refuses 'bad.yml:3:35: jobs[0].servers: expected 2 servers (2 of the task graph, 1 times), got 3' --cluster bad.yml
printf 'cluster: {servers: 4}\njobs:\n  - {taskgraph: two.dot}\n  - {taskgraph: two.dot}\n' >bad.yml
refuses 'bad.yml:4:5: jobs[1]: expected a name of its own, got "two", which jobs[0] has' --cluster bad.yml
printf 'cluster: {servers: 4}\njobs: [{taskgraph: two.dot}]\n' >bad.yml
refuses 'bad.yml:1:10: the task graphs do not agree on a bandwidth of links; cluster.link_bandwidth is needed' \
    --cluster bad.yml
printf 'cluster: {servers: 4, fabric: bus}\njobs: [{taskgraph: two.dot}]\n' >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'a bus is run'
grep -q '^bad.yml:1:31: ' err || fail "bus: $(cat err)"
printf 'cluster: {servers: 4, fabric: graph}\njobs: [{taskgraph: two.dot}]\n' >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'a shared network of a task graph is run'
grep -q '^bad.yml:1:31: cluster.fabric: expected the fabric of a shared network' err || fail "graph: $(cat err)"
printf 'cluster: {servers: 4}\njobs: [{taskgraph: two.dot, all_reduce: bus}]\n' >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'an all-reduce by bus is run'
grep -q '^bad.yml:2:41: all-reduce: expected one of ring, ' err || fail "all-reduce: $(cat err)"
printf 'cluster: {servers: 4}\njobs: []\n' >bad.yml
refuses 'bad.yml:2:7: jobs: expected a list of 1 or more entries, got 0' --cluster bad.yml
printf 'cluster: {servers: 4, placment: random}\njobs: [{taskgraph: two.dot}]\n' >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'an unknown key is taken'
grep -q '^bad.yml:1:23: .*placment.*placement' err || fail "unknown key: $(cat err)"
refuses 'orrery run: --cluster goes without a platform, got p.yml' p.yml --cluster jobs.yml
refuses 'orrery run: --link-stats and --traffic-matrix are of one network; the jobs have one each (cluster.network: sharded)' \
    --cluster jobs.yml --set cluster.network=sharded --set cluster.fabric=ideal-switch --link-stats -

# ---- a model ----

# 2 x 1000 x 1000 operations forward and as many backward (the data has no gradient), at 1 TFLOP/s: 2 us each.
printf 'workload: {model: {batch: 1, operators: [{data: {shape: [1000]}}, {dense: {out: 1000}}]}}\n' >model.yml
cat >modelled.yml <<'END'
cluster:
  servers: 4
  link_bandwidth: 100 Gb/s
  compute: {peak: 1 TFLOP/s}
  memory: {local: {bandwidth: 100 TB/s}}
jobs:
  - {workload: model.yml, npus: 1}
END
expect '4.000' --cluster modelled.yml

# ---- the example ----

if command -v python3 >/dev/null 2>&1; then
    "$ORRERY_SOURCE_DIR/examples/shared_cluster/run.sh" "$folder/example" >shown 2>&1 ||
        fail "run.sh: exit status $?: $(cat shown)"
    for file in contiguous.svg random.svg contiguous.json random.json sharded.json; do
        [ -s "example/$file" ] || fail "the example writes no $file"
    done
fi

[ "$failures" -eq 0 ] && echo "jobs on one cluster: as expected"
exit $((failures > 0))
