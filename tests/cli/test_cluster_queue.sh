#!/bin/sh
# orrery run --cluster with a queue: arrivals, waiting for servers and for panels, jobs slowed down
# while others run beside them, by hand; results, and what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

# expect TEXT ARGUMENTS...: "NAME START END" of each job in ms, waiting for servers + for patching
expect() {
    wanted=$1
    shift
    "$ORRERY_BIN" run --cluster "$@" --csv times.csv >out 2>err || fail "$*: $(cat err)"
    got=$(awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf("%s%s %g+%g %g-%g", NR > 2 ? ", " : "", $1, $at["for_servers_ps"] / 1e9, $at["for_patching_ps"] / 1e9,
              $at["start_ps"] / 1e9, $at["end_ps"] / 1e9) }' times.csv)
    [ "$got" = "$wanted" ] || fail "$*: expected $wanted, got $got"
}

# compute SERVERS: a task graph that computes for 62.5 ms on each
compute() {
    echo 'digraph g {'
    i=0
    while [ "$i" -lt "$1" ]; do
        echo "  node$i [label=\"{ npu_id=$i | f | FORWARD | COMP_NODE | runtime=0.0625 }\"];"
        i=$((i + 1))
    done
    echo '}'
}
compute 16 >all.dot
compute 8 >half.dot
compute 4 >few.dot

# ---- one job after the other ----

# 16 iterations of 62.5 ms are 1 s.
cat >two.yml <<'END'
cluster:
  servers: 16
  fabric: ideal-switch
  link_bandwidth: 1 GB/s
  network: sharded
  queue: fifo
jobs:
  - {name: a, taskgraph: all.dot, iterations: 16}
  - {name: b, taskgraph: all.dot, iterations: 16}
END
expect 'a 0+0 0-1000, b 1000+0 1000-2000' two.yml
expect 'a 0+0 0-1000, b 500+0 1000-2000' two.yml --set 'jobs[1].start=500 ms'
expect 'a 0+0 0-1000, b 0+0 3000-4000' two.yml --set 'jobs[1].start=3 s'
# On one network the same.
expect 'a 0+0 0-1000, b 1000+0 1000-2000' two.yml --set cluster.network=shared
# A million iterations, of which three are simulated: 62,500 s each.
expect 'a 0+0 0-6.25e+07, b 6.25e+07+0 6.25e+07-1.25e+08' two.yml --set 'jobs[0].iterations=1000000' --set 'jobs[1].iterations=1000000'
# The same servers by name; copies take them in turn.
expect 'a 0+0 0-1000, b 1000+0 1000-2000' two.yml --set 'jobs[0].servers=0-15' --set 'jobs[1].servers=0-15'
expect 'a-1 0+0 0-1000, a-2 990+0 1000-2000, b 1980+0 2000-3000' two.yml --set 'jobs[0].servers=0-15' --set 'jobs[0].count=2' \
    --set 'jobs[0].every=10 ms' --set 'jobs[1].start=20 ms'

"$ORRERY_BIN" run --cluster two.yml --set 'jobs[0].every=10 ms' >out 2>err
[ "$(cat err)" = '--set: warning: jobs[0].every has no effect: there is one copy (count)' ] || fail "every: $(cat err)"

# ---- panels ----

# Links take 300 ms each time: before a; after a, or while a runs.
cp two.yml panels.yml
panels='--set cluster.panels.reconfiguration=300ms'
# shellcheck disable=SC2086 # two words
{
    expect 'a 0+300 300-1300, b 1300+300 1600-2600' panels.yml $panels --set cluster.panels.look_ahead=false
    expect 'a 0+300 300-1300, b 1300+0 1300-2300' panels.yml $panels
    expect 'a 0+300 300-1300, b 1300+0 1300-2300' panels.yml $panels --set cluster.panels.technology=ocs --set cluster.panels.look_ahead=true
    # Flips take 5 ms at every start.
    expect 'a 0+305 305-1305, b 1305+5 1310-2310' panels.yml $panels --set cluster.panels.flip=5ms
    # b is known 100 ms before a ends: 200 ms of its 300 are left then.
    expect 'a 0+300 300-1300, b 100+200 1500-2500' panels.yml $panels --set 'jobs[1].start=1200 ms'
    # With 150 ms notice 50 ms are left; a is there from 0 on and has none.
    expect 'a 0+300 300-1300, b 100+50 1350-2350' panels.yml $panels --set 'jobs[1].start=1200 ms' --set cluster.panels.notice=150ms
}
# What Table 1 says: 10 ms of an optical circuit switch, minutes of a panel.
expect 'a 0+10 10-1010, b 1010+10 1020-2020' panels.yml --set cluster.panels.technology=ocs
expect 'a 0+60000 60000-61000, b 61000+59000 120000-121000' panels.yml --set cluster.panels.technology=patch-panel
# Three minutes, hidden by a job of three or more.
expect 'a 0+180000 180000-380000, b 380000+0 380000-580000' panels.yml --set 'cluster.panels.reconfiguration=3 min' \
    --set 'jobs[0].iterations=3200' --set 'jobs[1].iterations=3200'
expect 'a 0+180000 180000-240000, b 240000+120000 360000-420000' panels.yml --set 'cluster.panels.reconfiguration=3 min' \
    --set 'jobs[0].iterations=960' --set 'jobs[1].iterations=960'

# Links join ports of one panel: as short has taken the second side of servers 0 to 7, its servers and those of long
# have different sides left, and all must wait until short has ended, at 2.55 s, to be patched.
cat >sides.yml <<'END'
cluster:
  servers: 16
  fabric: ideal-switch
  link_bandwidth: 1 GB/s
  network: sharded
  queue: fifo
  panels: {reconfiguration: 300 ms}
jobs:
  - {name: first, taskgraph: half.dot, iterations: 16}
  - {name: long, taskgraph: half.dot, iterations: 40}
  - {name: short, taskgraph: half.dot, iterations: 20, start: 200 ms}
  - {name: all, taskgraph: all.dot, iterations: 16, start: 1 s}
END
expect 'first 0+300 300-1300, long 0+300 300-2800, short 1100+0 1300-2550, all 1800+50 2850-3850' sides.yml
awk -F, '$1 == "all" { exit !(int($7 / 1e9 + 0.5) == 2550 && $8 == 1) }' times.csv || fail "sides: $(cat times.csv)"

# ---- side by side ----

"$ORRERY_BIN" run --cluster two.yml --compare 'patched: cluster.panels.reconfiguration=300 ms, cluster.panels.look_ahead=false' \
    --csv beside.csv >out 2>err || fail "--compare: $(cat err)"
got=$(awk -F, 'NR > 1 { printf "%s %s %g; ", $1, $2, $10 / 1e9 }' beside.csv)
[ "$got" = 'two.yml a 0; two.yml b 1000; patched a 300; patched b 1600; ' ] || fail "--compare: starts of $got"
tr -s ' ' <out >told
for line in 'b 16 1.000 s 62.500 ms 2.000 s 1.600 s 62.500 ms 2.600 s' 'makespan 2.000 s 2.600 s'; do
    grep -qx "$line" told || fail "--compare: expected \"$line\" in: $(cat out)"
done
"$ORRERY_BIN" run --cluster two.yml --compare cluster.queue=backfill --json - >out 2>err || fail "--compare, JSON: $(cat err)"
[ "$(grep -c '^      "makespan_ps": ' out)" -eq 2 ] || fail "--compare: two runs with a makespan in $(head -20 out)"

# ---- fifo and backfill ----

# 8 servers for 1 s and 4 for 2 s; then 16, and 4 that fit beside them.
cat >three.yml <<'END'
cluster:
  servers: 16
  fabric: ideal-switch
  link_bandwidth: 1 GB/s
  network: sharded
  queue: fifo
jobs:
  - {name: half, taskgraph: half.dot, iterations: 16}
  - {name: all, taskgraph: all.dot, iterations: 16, start: 100 ms}
  - {name: few, taskgraph: few.dot, iterations: 32, start: 200 ms}
END
expect 'half 0+0 0-1000, all 900+0 1000-2000, few 1800+0 2000-4000' three.yml
expect 'half 0+0 0-1000, all 2100+0 2200-3200, few 0+0 200-2200' three.yml --set cluster.queue=backfill
# The same with panels: all waits for the second side of all servers, few takes the first side of idle ones.
expect 'half 0+300 300-1300, all 2400+0 2500-3500, few 0+300 500-2500' three.yml --set cluster.queue=backfill \
    --set cluster.panels.reconfiguration=300ms
# Who has claimed servers takes them when they are free, before others that only fit.
expect 'a-1 0+300 300-1300, a-2 1300+0 1300-2300, b 2300+0 2300-3300' two.yml --set 'jobs[0].count=2' --set cluster.queue=backfill \
    --set cluster.panels.reconfiguration=300ms

# ---- one network ----

# Two servers: 1 ms of computing, then 893.6 us of sending. Across the two switches an iteration takes 1928.412 us, two of
# them share the link upwards: 2822.012 us (test_run_jobs.sh).
cat >send.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=893600 }"];
  node0 -> node1;
}
END
cat >shared.yml <<'END'
cluster:
  servers: 4
  fabric: clusters:2,2
  link_bandwidth: 1 GB/s
  flow_model: maxmin
  queue: fifo
jobs:
  - {name: a, taskgraph: send.dot, servers: "0,2", iterations: 10}
  - {name: b, taskgraph: send.dot, servers: "1,3", iterations: 3, start: 5 ms}
END
# b takes 3 x 2.822012. a: 2 iterations until 3.856824; 1.143176 of 1.928412 are passed at 5, of the 0.407193 that are left
# 1.149104 remain at the slower pace: 2.292280 in all; 2 of 2.822012, ending at 11.793128; at 13.466036 1.672908 of the
# sixth are passed, and 0.407193 x 1.928412 = 0.785236 is left: 2.458144; then 4 of 1.928412.
expect 'a 0+0 0-21.9649, b 0+0 5-13.466' shared.yml
"$ORRERY_BIN" run --cluster shared.yml --alone --json shared.json >/dev/null 2>err || fail "$(cat err)"
tr -d ' \n' <shared.json >line
grep -q '"iterations_alike":\[{"time_ps":1928412000,"count":2},{"time_ps":2292279726,"count":1},{"time_ps":2822012000,"count":2},{"time_ps":2458144274,"count":1},{"time_ps":1928412000,"count":4}\],"alone_mean_ps":1928412000' line ||
    fail "shared: $(cat line)"
# Copies of the same work on the same servers are simulated once: a alone, a and b.
grep -q '"simulations":3,' line || fail "simulations: $(cat line)"

# Jobs that start together and are within the sample have the times that they have without a queue.
for network in shared sharded; do
    "$ORRERY_BIN" run --cluster shared.yml --set "cluster.network=$network" --set cluster.fabric=ideal-switch --set 'jobs[1].start=0 s' \
        --set 'jobs[0].iterations=3' --json queued.json >/dev/null 2>err || fail "$(cat err)"
    "$ORRERY_BIN" run --cluster shared.yml --set "cluster.network=$network" --set cluster.fabric=ideal-switch --set 'jobs[1].start=0 s' \
        --set 'jobs[0].iterations=3' --set cluster.queue=none --json static.json >/dev/null 2>err || fail "$(cat err)"
    for key in end_ps mean_ps p99_ps; do
        [ "$(grep "\"$key\"" queued.json | sort -u)" = "$(grep "\"$key\"" static.json | sort -u)" ] ||
            [ "$key" = end_ps ] || fail "$network: $key differs: $(grep "\"$key\"" queued.json static.json)"
    done
    [ "$(grep '"end_ps"' queued.json | tr -d ' ,' | sort -u)" = "$(grep '"end_ps"' static.json | tr -d ' ,' | sort -u)" ] ||
        fail "$network: ends differ: $(grep '"end_ps"' queued.json static.json)"
done

# On a network of its own also from another time on.
for queue in none fifo; do
    "$ORRERY_BIN" run --cluster shared.yml --set cluster.network=sharded --set cluster.fabric=ideal-switch --set 'jobs[1].start=777 us' \
        --set 'jobs[0].iterations=3' --set "cluster.queue=$queue" --json "$queue.json" >/dev/null 2>err || fail "$(cat err)"
done
[ "$(grep '"end_ps"' fifo.json | tr -d ' ,' | sort -u)" = "$(grep '"end_ps"' none.json | tr -d ' ,' | sort -u)" ] ||
    fail "another start: $(grep '"end_ps"' fifo.json none.json)"

# A job beside one of 20 times its length: the samples of the long one are taken while the short one is still there. Across
# the switches of clusters:2,2 the short one sends all the time, the long one computes for 40 ms and sends for 1.
cat >long.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.04 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=8936000 }"];
  node0 -> node1;
}
END
# Three of the long one beside 3,000 of the short one: as without a queue.
for queue in none fifo; do
    "$ORRERY_BIN" run --cluster shared.yml --set 'jobs[0].taskgraph=long.dot' --set 'jobs[0].iterations=3' --set 'jobs[1].start=0 s' \
        --set 'jobs[1].iterations=3000' --set "cluster.queue=$queue" --json "$queue.json" >/dev/null 2>err || fail "$(cat err)"
    grep -E '"(mean|p99)_ps"' "$queue.json" | head -2 >"$queue.long"
done
cmp -s none.long fifo.long || fail "long beside short: $(cat none.long fifo.long)"
grep -q '"mean_ps": 53150' fifo.long || grep -q '"mean_ps": 53151' fifo.long || fail "long beside short: $(cat fifo.long)"

# What is warned of is told once, however often jobs are simulated.
if command -v python3 >/dev/null 2>&1; then
    python3 "$ORRERY_SOURCE_DIR/examples/shared_cluster/make_graph.py" reduce.fbuf --servers 6 --layers 2 --forward-ms 1 --weight-bytes 1000000
    cat >reduce.yml <<'END'
cluster: {servers: 12, fabric: ideal-switch, link_bandwidth: 1 GB/s, queue: fifo, all_reduce: "hierarchical:4"}
jobs:
  - {name: a, taskgraph: reduce.fbuf, iterations: 3}
  - {name: b, taskgraph: reduce.fbuf, iterations: 5}
END
    "$ORRERY_BIN" run --cluster reduce.yml >out 2>err || fail "$(cat err)"
    [ "$(cat err)" = 'warning: a: hierarchical:4 does not fit all-reduces among 6 servers; those it does not fit use ring
warning: b: hierarchical:4 does not fit all-reduces among 6 servers; those it does not fit use ring' ] || fail "warnings: $(cat err)"
fi

# ---- many jobs ----

# 1,000 jobs in a day, each a million iterations long or less, on 64 servers: few simulations.
cat >many.yml <<'END'
cluster: {servers: 64, fabric: ideal-switch, link_bandwidth: 1 GB/s, network: sharded, queue: backfill, start_within: 24 h,
          panels: {reconfiguration: 3 min}}
jobs:
  - {name: all, taskgraph: all.dot, count: 300, iterations: 10000}
  - {name: half, taskgraph: half.dot, count: 300, iterations: 30000}
  - {name: few, taskgraph: few.dot, count: 400, iterations: 60000}
END
"$ORRERY_BIN" run --cluster many.yml --json many.json >out 2>err || fail "$(cat err)"
grep -q '"simulations": 3,' many.json || fail "many: $(grep simulations many.json)"
[ "$(grep -c '"patching_ps"' many.json)" -eq 1000 ] || fail 'many: not all jobs are told'
"$ORRERY_BIN" run --cluster many.yml --json again.json >out 2>err
cmp -s many.json again.json || fail 'two runs differ'

# Servers are claimed a reconfiguration before they are free (models.md): d's turn comes at 92 s, behind c on b's servers, not on a's.
sed '/^  panels/d; /^jobs:/,$d' two.yml >claims.yml
cat >>claims.yml <<'END'
  panels: {reconfiguration: 1 s}
jobs:
  - {name: a, taskgraph: half.dot, iterations: 1600}
  - {name: b, taskgraph: half.dot, iterations: 1440}
  - {name: c, taskgraph: half.dot, iterations: 32, start: 10 s}
  - {name: d, taskgraph: half.dot, iterations: 32, start: 20 s}
END
began='a 0+1000 1000-101000, b 0+1000 1000-91000'
expect "$began, c 81000+0 91000-93000, d 73000+0 93000-95000" claims.yml
expect "$began, c 81000+1000 92000-94000, d 74000+1000 95000-97000" claims.yml --set cluster.panels.look_ahead=false

# ---- what is refused ----

# head of the file of jobs, and the jobs
cluster='cluster: {servers: 16, fabric: "circulant:1,3", link_bandwidth: 1 GB/s, network: sharded, queue: fifo'
jobs='jobs:\n  - {name: a, taskgraph: all.dot, start: 2 s}\n  - {name: b, taskgraph: all.dot, start: 2 s}\n'
# refuses_file TEXT CLUSTER [JOBS]
refuses_file() {
    # shellcheck disable=SC2059 # lines of the file
    printf "$2\n${3:-$jobs}" >bad.yml
    refuses "bad.yml:$1" --cluster bad.yml
}
refuses_file '4:42: jobs[1].start: arrivals out of order: "b" arrives at 1.000 s, before "a" (jobs[0]), which comes first in the file and arrives at 2.000 s' \
    "$cluster}" 'jobs:\n  - {name: a, taskgraph: all.dot, start: 2 s}\n  - {name: b, taskgraph: all.dot, start: 1 s}\n'
refuses_file '3:5: jobs[0]: job "a" never fits: it needs 16 servers, and the cluster has 12' \
    "$(echo "$cluster}" | sed 's/servers: 16/servers: 12/')" 'jobs:\n  - {name: a, taskgraph: all.dot}\n' 
refuses_file '3:44: jobs[0].servers: server 14 is given twice' "$cluster}" 'jobs:\n  - {name: a, taskgraph: all.dot, servers: "0-14,14"}\n'
refuses_file '1:99: cluster.panels: goes with queue: fifo or backfill' "${cluster%, queue: fifo}, panels: {flip: 1 ms}}"
refuses_file '1:110: cluster.sample_iterations: goes with queue: fifo or backfill' "${cluster%, queue: fifo}, sample_iterations: 5}"
refuses_file '1:111: cluster.panels: expected network: sharded, which has links of each job'"'"'s own' "$(echo "$cluster" | sed 's/sharded/shared/'), panels: {flip: 1 ms}}"
refuses_file '1:125: cluster.panels.technology: expected a technology other than none: without one leave panels out, got "none"' "$cluster, panels: {technology: none}}"
refuses_file '1:120: cluster.panels.ports: a patch panel has 15 ports, and each of 16 servers takes one' "$cluster, panels: {ports: 15}}"
refuses_file '1:137: cluster.panels.ports: an optical circuit switch (3D MEMS) has 15 ports, and each of 16 servers takes one' "$cluster, panels: {technology: ocs, ports: 15}}"
refuses_file '1:32: circulant: expected jumps from 1 to 15 among 16 NPUs, got 17 (the network of job "a")' "$(echo "$cluster" | sed 's/1,3/1,17/')}"
refuses_file '1:120: cluster.panels.count: expected 8 panels or more, got 4: a server of "a" has 4 interfaces, and look-ahead needs an active and a look-ahead panel for each' "$cluster, panels: {count: 4}}"
refuses_file '1:139: cluster.panels.count: expected 4 panels or more, got 3: a server of "a" has 4 interfaces' "$cluster, panels: {look_ahead: false, count: 3}}"
refuses_file '1:138: cluster.panels.flip: goes with look_ahead: true' "$cluster, panels: {look_ahead: false, flip: 1 ms}}"
refuses_file '1:138: cluster.panels.notice: goes with look_ahead: true' "$cluster, panels: {technology: ocs, notice: 1 ms}}"
sed 's/servers: 16/servers: 32/' two.yml >wide.yml
refuses '--set: cluster.queue: expected a queue in all variants (--compare) or in none, got none in "b"' \
    --cluster wide.yml --compare 'b:cluster.queue=none'
refuses 'orrery run: --link-stats, --traffic-matrix, --why, --timeline, --memory-timeline and --per-npu are of one run; jobs that wait (cluster.queue) are several' --cluster two.yml --why

[ "$failures" -eq 0 ] && echo "a queue of jobs: as expected"
exit $((failures > 0))
