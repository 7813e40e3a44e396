#!/bin/sh
# orrery run --cluster --compare: the same jobs in several ways, with times by hand; the table, JSON
# and CSV of all; and what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

# refused TEXT OPTION...: of the jobs
refused() {
    reason=$1
    shift
    refuses "$reason" --cluster jobs.yml "$@"
}

# two.dot takes 1906.538 us below one switch, across two 1928.412 us, and 893.6 us more where two share the link (test_run_jobs.sh).
cat >jobs.yml <<'END'
cluster:
  servers: 4
  fabric: clusters:2,2
  link_bandwidth: 1 GB/s
  flow_model: maxmin
jobs:
  - {name: a, taskgraph: two.dot, servers: "0,2"}
  - {name: b, taskgraph: two.dot, servers: [1, 3]}
END
across='jobs[0].servers=0,1,jobs[1].servers=[2, 3]'
cat >wanted <<'END'
jobs.yml: 2 jobs on 4 of 4 servers, clusters:2,2, shared network, contiguous placement, maxmin
near: 2 jobs on 4 of 4 servers, clusters:2,2, shared network, contiguous placement, maxmin
run 3: 2 jobs on 4 of 4 servers, clusters:1, sharded network, contiguous placement, maxmin

              jobs.yml                    near                                              run 3
job servers           mean         99 %           mean         99 % mean ratio 99 % ratio           mean         99 % mean ratio 99 % ratio
a         2       2.822 ms     2.822 ms       1.907 ms     1.907 ms      0.676      0.676       1.928 ms     1.928 ms      0.683      0.683
b         2       2.822 ms     2.822 ms       1.907 ms     1.907 ms      0.676      0.676       1.928 ms     1.928 ms      0.683      0.683
all       4       2.822 ms     2.822 ms       1.907 ms     1.907 ms      0.676      0.676       1.928 ms     1.928 ms      0.683      0.683
END
"$ORRERY_BIN" run --cluster jobs.yml --compare "near:$across" \
    --compare 'cluster.network=sharded,cluster.fabric=clusters:1' --csv beside.csv --json beside.json >out 2>err ||
    fail "$(cat err)"
diff wanted out >difference || fail "table: $(cat difference)"
"$ORRERY_BIN" run --cluster jobs.yml --compare ' near : jobs[0].servers=0,1 , jobs[1].servers=[2, 3]' \
    --compare ' cluster.network=sharded, cluster.fabric=clusters:1' >out 2>err || fail "$(cat err)"
diff wanted out >difference || fail "blanks: $(cat difference)"
cat >wanted <<'END'
run,job,servers,iteration,start_ps,time_ps
jobs.yml,a,2,0,0,2822012000
jobs.yml,b,2,0,0,2822012000
near,a,2,0,0,1906538000
near,b,2,0,0,1906538000
run 3,a,2,0,0,1928412000
run 3,b,2,0,0,1928412000
END
diff wanted beside.csv >difference || fail "CSV: $(cat difference)"
# 1906.538 / 2822.012 and 1928.412 / 2822.012, of two jobs and of all; 1 of the first run.
[ "$(grep -c '"mean_ratio": 0.67559' beside.json)" = 3 ] || fail "ratios: $(cat beside.json)"
[ "$(grep -c '"p99_ratio": 0.68334' beside.json)" = 3 ] || fail "ratios: $(cat beside.json)"
[ "$(grep -c '"mean_ratio": 1.0,' beside.json)" = 3 ] || fail "ratios: $(cat beside.json)"
grep -qx '        "jobs\[0\].servers=0,1",' beside.json || fail "values: $(cat beside.json)"
# A run of several is the run of these values alone; --set holds for all.
"$ORRERY_BIN" run --cluster jobs.yml --set 'jobs[0].servers=0,1' --set 'jobs[1].servers=[2, 3]' \
    --set 'jobs[0].iterations=3' --csv alone.csv >out 2>err || fail "$(cat err)"
"$ORRERY_BIN" run --cluster jobs.yml --set 'jobs[0].iterations=3' --compare "near:$across" --csv - >out 2>err ||
    fail "$(cat err)"
sed -n 's/^near,//p' out >near.csv
sed 1d alone.csv | cmp -s - near.csv || fail "beside: $(cat near.csv), alone: $(cat alone.csv)"

refused '--compare: expected [NAME:]PATH=VALUE[,PATH=VALUE...], such as cluster.network=sharded, got "near"' --compare near
refused '--compare: expected [NAME:]PATH=VALUE[,PATH=VALUE...], such as cluster.network=sharded, got "near:"' --compare near:
refused '--compare: expected a name for each, got "jobs.yml" twice' --compare jobs.yml:cluster.seed=2
refused '--compare: expected the jobs of jobs.yml, of as many servers each, got others in "run 2"' \
    --compare 'jobs[0].name=c'
refused '--set: cluster.sed: unknown key in the cluster section; did you mean "seed"?' \
    --compare cluster.sed=2
refused 'orrery run: --compare goes with --set, --json, --csv, --report and --progress; the other options are of one run' \
    --compare cluster.seed=2 --alone

# ---- the example ----

"$ORRERY_SOURCE_DIR/examples/sharded_cluster/run.sh" "$folder/example" >shown 2>&1 ||
    fail "run.sh: exit status $?: $(cat shown)"
for file in results.json iterations.csv plans/dlrm/plan.json; do
    [ -s "example/$file" ] || fail "the example writes no $file"
done
# The plan's job takes as long as it was planned to.
planned=$(sed -n 's/^  "simulated_ps": \([0-9]*\),$/\1/p' example/plans/dlrm/plan.json)
[ "$(grep -c "^own networks,dlrm-.*,$planned\$" example/iterations.csv)" = 10 ] ||
    fail "planned $planned: $(cat example/iterations.csv)"

[ "$failures" -eq 0 ] && echo "jobs in several ways: as expected"
exit $((failures > 0))
