#!/bin/sh
# orrery run --cluster with jobs of all sources: times by hand, traces as the task graph or the model
# that they are of, and what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

# As an all-reduce of two each sends the 100 packets of two.dot, and 100 again.
printf 'workload: {generate: all_reduce, bytes: 1787.2 kB}\n' >sum.yml
"$ORRERY_BIN" gen all_reduce --npus 2 --bytes 1787.2kB --output t >/dev/null || fail 'no traces'
"$ORRERY_BIN" convert flexflow two.dot -o g >/dev/null || fail 'two.dot is not converted'
cat >jobs.yml <<'END'
cluster:
  servers: 8
  fabric: clusters:2,2
  link_bandwidth: 1 GB/s
  flow_model: maxmin
  system: {chunks: 1}
jobs:
  - {name: graph, taskgraph: two.dot}
  - {name: converted, traces: g, groups_file: g.groups.json}
  - {name: traces, traces: t, iterations: 2}
  - {name: sum, workload: sum.yml, npus: 2}
END

# Below one switch a message of 100 packets is there after 2 (1 us + 1 ns) + 893.6 us + 2 us + 8.936
# us = 906.538 us: with the computing 1906.538 us, and twice 1813.076 us for an all-reduce.
expect '1906.538 1906.538 1813.076 1813.076 1813.076' --cluster jobs.yml
# Each on a network of its own.
expect '1906.538 1906.538 1813.076 1813.076 1813.076' --cluster jobs.yml --set cluster.network=sharded \
    --set cluster.fabric=ideal-switch
# Across the switches a message is there after 4.004 + 893.6 + 4 + 3 x 8.936 us = 928.412 us: one of
# the task graph, two of the last job, each with nobody else on the links upwards.
expect '1906.538 1928.412 1813.076 1813.076 1856.824' --cluster jobs.yml --set 'jobs[1].servers=2,4' \
    --set 'jobs[0].servers=0,1' --set 'jobs[2].servers=6,7' --set 'jobs[3].servers=3,5' \
    --set 'jobs[3].start=10 ms'

# A job beside others that are far away is as alone; its source is told.
"$ORRERY_BIN" run --cluster jobs.yml --alone --json run.json >/dev/null 2>err || fail "$(cat err)"
[ "$(grep -c '"slowdown": 1.0,\{0,1\}$' run.json)" -eq 4 ] || fail "alone: $(grep slowdown run.json)"
grep -qx '      "workload": "sum.yml",' run.json || fail 'no workload in the results'
grep -qx '      "traces": "t",' run.json || fail 'no traces in the results'
[ "$(grep -c '"taskgraph"' run.json)" -eq 1 ] || fail 'a task graph too many'

# A generated model, whose traces take as long on the same servers, by themselves.
cat >gpt.yml <<'END'
workload:
  parallel: {tensor: 2, data: 2}
  transformer: {layers: 2, hidden: 256, heads: 4, sequence: 128, vocabulary: 1000}
  training: {batch: 4, micro_batch: 2}
END
"$ORRERY_BIN" gen gpt.yml --npus 4 --output gpt >/dev/null || fail 'no traces of a model'
cat >model.yml <<'END'
cluster: {servers: 8, network: sharded, fabric: ideal-switch, link_bandwidth: 1 GB/s, compute: {peak: 1 TFLOP/s}}
jobs:
  - {name: model, workload: gpt.yml, npus: 4}
  - {name: traces, traces: gpt, groups_file: gpt.groups.json}
END
"$ORRERY_BIN" run --cluster model.yml --csv times.csv >out 2>err || fail "model: $(cat err)"
[ "$(awk -F, 'NR > 1 { print $5 }' times.csv | sort -u | wc -l)" -eq 1 ] || fail "model: $(cat times.csv)"

# ---- outputs, of all jobs together ----

"$ORRERY_BIN" run --cluster jobs.yml --why --timeline out.trace --memory-timeline memory.csv --csv times.csv \
    --progress always >out 2>err || fail "outputs: $(cat err)"
grep -q '^why the job takes 3.626 ms' out || fail "why: $(grep why out)" # two all-reduces
grep -q 'all_reduce  *2  *1.70 MiB' out || fail "no all-reduce of a job's own NPUs: $(grep all_reduce out)"
grep -q '100 % of 8 NPUs finished' err || fail "progress: $(cat err)"
[ -s out.trace ] && [ -s memory.csv ] && [ "$(wc -l <times.csv)" -eq 6 ] || fail 'an output is missing'
"$ORRERY_BIN" run --cluster jobs.yml --set cluster.network=sharded --set cluster.fabric=ideal-switch --why \
    >out 2>err && fail 'why of several runs is told'
grep -q -e '--why, .* are of one run' err || fail "sharded: $(cat err)"


# ---- mistakes ----

cluster='cluster: {servers: 8, link_bandwidth: 1 GB/s}'
printf '%s\njobs: [{name: a}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:8: jobs[0]: expected one of taskgraph, traces, workload and plan, got none' --cluster bad.yml
printf '%s\njobs: [{traces: t, taskgraph: two.dot}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:8: jobs[0]: expected one of taskgraph, traces, workload and plan, got several' --cluster bad.yml
printf '%s\njobs: [{taskgraph: two.dot, groups_file: g}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:8: jobs[0]: groups and groups_file go with traces' --cluster bad.yml
printf '%s\njobs: [{taskgraph: two.dot, npus: 2}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:8: jobs[0]: npus goes with traces and workload: a task graph says how many servers it has' \
    --cluster bad.yml
printf '%s\njobs: [{workload: sum.yml}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:8: jobs[0]: expected npus, how many NPUs the job has, such as npus: 8: its workload does not say' \
    --cluster bad.yml
printf '%s\njobs: [{workload: sum.yml, npus: 0}]\n' "$cluster" >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'a job of no NPUs is run'
grep -q '^bad.yml:2:34: jobs\[0\].npus: expected ' err || fail "0 NPUs: $(cat err)"
printf '%s\njobs: [{traces: t, servers: 5}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:29: jobs[0].servers: expected 2 servers (2 of the traces, 1 times), got 1' --cluster bad.yml
printf '%s\njobs: [{traces: t}, {name: b, traces: t, servers: "1,3"}, {name: c, workload: sum.yml, npus: 5}]\n' \
    "$cluster" >bad.yml
refuses 'bad.yml:2:59: jobs[2]: job "c" needs 5 servers, and of 8 in the cluster 4 are left' --cluster bad.yml
printf '%s\njobs: [{traces: t, servers: 0-1}, {name: b, traces: t, servers: "1,3"}]\n' "$cluster" >bad.yml
refuses 'bad.yml:2:65: jobs[1].servers: server 1 is given to jobs[0] ("t") too' --cluster bad.yml
printf '%s\njobs: [{traces: nowhere}]\n' "$cluster" >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'traces that are not there are run'
grep -q '^bad.yml:2:8: jobs\[0\]: expected traces, got no file nowhere.0.et' err || fail "nowhere: $(cat err)"
printf '%s\njobs: [{workload: gpt.yml, npus: 4}]\n' "$cluster" >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'a model computes without a rate'
grep -q 'computes, but the platform has no compute section' err || fail "compute: $(cat err)"
printf 'cluster: {servers: 2, network: sharded, fabric: graph}\njobs: [{traces: t}]\n' >bad.yml
refuses 'bad.yml:2:8: jobs[0]: expected a task graph, for a network of its own (cluster.fabric: graph), got t' \
    --cluster bad.yml
printf '%s\njobs: [{traces: t, name: %0301d}]\n' "$cluster" 0 >bad.yml
refuses 'bad.yml:2:8: jobs[0]: expected a name of at most 300 characters, got 301' --cluster bad.yml
printf '%s\njobs: [{traces: t, groups: {"1": [0, 2]}}]\n' "$cluster" >bad.yml
"$ORRERY_BIN" run --cluster bad.yml 2>err && fail 'a group of a rank that is not there is taken'
grep -q '2' err || fail "group: $(cat err)"

[ "$failures" -eq 0 ] && echo "jobs of all sources on one cluster: as expected"
exit $((failures > 0))
