#!/bin/sh
# orrery run --cluster with placement: block: jobs that wait for neighbours around a ring, by hand, beside a
# switch in front of it; blocks without a queue; what is refused.
. "$ORRERY_SOURCE_DIR/tests/cli/jobs_fixture.sh"

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
for servers in 1 2 3 4; do
    compute $servers >$servers.dot
done

# 16 iterations are 1 s. a has servers 0-2 until 10 s, b 3 until 30, c 4-5 until 20, d 6-7 until 25. e wants four: at
# 20 s there are five, 0-2 and 4-5, but in holes of three and two; at 25 s it takes 4-7. So it waits for 5 s for a
# block, in which 5 x 5 s of servers are free; of 8 x 35 s they run for 30 + 30 + 40 + 50 + 40, and 90 s are idle. With a
# switch e takes 0-2 and 4 at 20 s; 8 x 30 - 190 = 50 s are idle.
cat >ring.yml <<'YML'
cluster: {servers: 8, fabric: ideal-switch, link_bandwidth: 1 GB/s, network: sharded, placement: block, queue: fifo}
jobs:
  - {name: a, taskgraph: 3.dot, iterations: 160}
  - {name: b, taskgraph: 1.dot, iterations: 480}
  - {name: c, taskgraph: 2.dot, iterations: 320}
  - {name: d, taskgraph: 2.dot, iterations: 400}
  - {name: e, taskgraph: 4.dot, iterations: 160, start: 5 s}
YML

# has KEY VALUE...: the values of the key in out.json, in their order; times in ms, to the nearest
has() {
    key=$1
    shift
    got=$(tr -d ' ,' <out.json | sed -n "s/^\"$key\"://p" | awk -v key="$key" '
        { printf(key ~ /_ps$/ ? "%.0f " : "%s ", key ~ /_ps$/ ? $1 / 1e9 : $1) }')
    [ "$got" = "$* " ] || fail "$key: expected $*, got $got"
}
"$ORRERY_BIN" run --cluster ring.yml --json out.json --csv out.csv >out 2>err || fail "$(cat err)"
has ring_ocs false
has for_block_ps 0 0 0 0 5000
has for_servers_ps 0 0 0 0 20000
has for_block_mean_ps 1000
has idle_ps 90000
has fragmented_ps 25000
has largest_hole 3
tr -s ' ' <out >told
for line in 'e 4 5.000 s 20.000 s 0 ps 25.000 s 160 62.500 ms 62.500 ms 35.000 s 5.000 s' 'for a block mean 1.000 s' \
    'idle 90.000 s of all servers together, 25.000 s while a job waited for a block (the largest hole was 3)'; do
    grep -qFx "$line" told || fail "expected \"$line\" in: $(cat out)"
done
[ "$(head -1 out.csv | sed 's/.*,//')" = for_block_ps ] || fail "CSV: $(head -1 out.csv)"
[ "$(sed -n '$s/.*,\([0-9]\{4\}\)[0-9]*$/\1/p' out.csv)" = 4999 ] || fail "CSV: $(cat out.csv)"
tr -d ' \n' <out.json | grep -q '"servers":\[4,5,6,7\]' || fail "e is not on 4-7: $(cat out.json)"

# The command of docs/how-to/job-queue.md: both ways beside each other.
"$ORRERY_BIN" run --cluster ring.yml --compare 'any GPUs: cluster.ring_ocs=true' --csv out.csv --json out.json >out 2>err || fail "$(cat err)"
has ring_ocs false true
has idle_ps 90000 50000
has fragmented_ps 25000 0
has largest_hole 3 0
tr -d ' \n' <out.json | grep -q '"servers":\[0,1,2,4\]' || fail "e is not on 0-2 and 4: $(cat out.json)"
tr -s ' ' <out >told
for line in 'e 4 20.000 s 62.500 ms 35.000 s 15.000 s 62.500 ms 30.000 s' 'wait for a block 1.000 s 0 ps' 'servers idle 90.000 s 50.000 s' \
    ' for no block 25.000 s 0 ps' ' largest hole 3 0' \
    'any GPUs: 5 jobs on 8 servers, fifo, ideal-switch, sharded network, block placement behind a switch, windows'; do
    grep -qFx "$line" told || fail "--compare: expected \"$line\" in: $(cat out)"
done
[ "$(sed -n 's/^any GPUs,e,.*,//p' out.csv)" = 0 ] || fail "--compare: $(cat out.csv)"

# Nothing of this is told of other placements.
"$ORRERY_BIN" run --cluster ring.yml --set cluster.placement=contiguous --json out.json --csv out.csv >out 2>err || fail "$(cat err)"
grep -qE 'block|idle_ps|ring_ocs|hole' out out.json out.csv && fail "contiguous: $(cat out)"

# Links that are patched for 2 s: a, b, c and d start at 2 s, e's servers are free at 27 s.
"$ORRERY_BIN" run --cluster ring.yml --set 'cluster.panels={technology: ocs, reconfiguration: 2 s}' --json out.json >out 2>err || fail "$(cat err)"
has for_block_ps 0 0 0 0 5000
has start_ps 2000 2000 2000 2000 29000

# On one network the same.
"$ORRERY_BIN" run --cluster ring.yml --set cluster.network=shared --json out.json >out 2>err || fail "$(cat err)"
has for_block_ps 0 0 0 0 5000

# Without a queue: a given block, which may go across the last server; the smallest hole that is large enough.
"$ORRERY_BIN" run --cluster ring.yml --set cluster.queue=none --set cluster.servers=14 --set 'jobs[0].servers=13,0,1' --set 'jobs[2].servers=4,5' \
    --json out.json >out 2>err || fail "$(cat err)"
tr -d ' \n' <out.json | grep -o '"servers":\[[^]]*\]' | tr '\n' ' ' >told
[ "$(cat told)" = '"servers":[13,0,1] "servers":[2] "servers":[4,5] "servers":[6,7] "servers":[8,9,10,11] ' ] || fail "blocks: $(cat told)"
has ring_ocs false


# ---- what is refused ----

# Blocks are usual on SiP-ML's ring, so that the key goes with it, and what follows is looked at.
sed 's/placement: block, //; s/ideal-switch/sip-ring:4/' ring.yml >usual.yml
refuses '--set: cluster.ring_ocs: expected network: sharded, in which each job has a ring of its own' --cluster usual.yml \
    --set cluster.ring_ocs=true --set cluster.network=shared

refuses 'ring.yml:7:5: jobs[4]: job "e" never fits: it needs 4 servers, and the cluster has 3' --cluster ring.yml --set cluster.servers=3
refuses 'ring.yml:7:5: jobs[4]: job "e" needs a block of 4 around the ring of 11 servers (placement: block), and the longest that is left has 3' \
    --cluster ring.yml --set cluster.queue=none --set cluster.servers=11
refuses '--set: jobs[0].servers: expected neighbours around the ring of 8 servers (placement: block) for "a", got 2 blocks; cluster.ring_ocs: true takes any servers' \
    --cluster ring.yml --set 'jobs[0].servers=7,0,2'
refuses '--set: cluster.ring_ocs: goes with placement: block' --cluster ring.yml --set cluster.ring_ocs=true --set cluster.placement=random
refuses '--set: cluster.panels.look_ahead: expected false with placement: block, because the next free block is not known in advance (or cluster.ring_ocs: true)' \
    --cluster ring.yml --set 'cluster.panels={technology: patch-panel}'
"$ORRERY_BIN" run --cluster ring.yml --set cluster.ring_ocs=true --set 'jobs[0].servers=7,0,2' --set 'cluster.panels={technology: patch-panel}' \
    >out 2>err || fail "$(cat err)"

[ "$failures" -eq 0 ] && echo "blocks of a ring: as expected"
exit $((failures > 0))
