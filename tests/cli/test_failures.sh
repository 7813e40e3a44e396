#!/bin/sh
# orrery failures: slowdowns and lost time of small jobs by hand, which links disconnect a job, what
# is drawn by a seed, and what is refused.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENT...: exit status 2, and this on standard error
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" failures "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF -e "$expected" err || fail "$*: no \"$expected\" in: $(cat err)"
}

# csv ARGUMENT...: a line for each failure, in the file out
csv() {
    "$ORRERY_BIN" failures "$@" --csv - >out 2>err </dev/null || fail "$*: $(cat err)"
    [ ! -s err ] || fail "$*: $(cat err)"
}

# row LINK EXPECTED: the columns behind the link
row() {
    found=$(sed -n "s/^$1,//p" out)
    [ "$found" = "$2" ] || fail "$1: expected $2, got $found"
}

# By hand: 20 MB among 5 around four rings, 8 rounds of 1 MB and 1 us; without a link two rings
# share 2 MB a round. A link lost costs 300 s x (1 - 8.008 / 16.008).
cat >five.yml <<'END'
network:
  graph: {npus: 5, fabric: "circulant:1,2", bandwidth: 1 GB/s, latency: 1 us}
system: {monolithic_all_reduce: ring}
workload: {generate: all_reduce, bytes: 20 MB}
END
csv five.yml --recovery share
[ "$(wc -l <out)" -eq 11 ] || fail "five.yml: expected 10 links, got $(wc -l <out)"
row 0-1 "jump 1,0,,,16008000000,share,16008000000,1.999000999001,8008000000,"
row 2-4 "jump 2,0,,,16008000000,share,16008000000,1.999000999001,8008000000,"
csv five.yml --recovery share --link 1-0 --mtbf 1000h --repair-time 5min
row 0-1 "jump 1,0,,,16008000000,share,16008000000,1.999000999001,8008000000,149.925037481259"
"$ORRERY_BIN" failures five.yml --recovery share --link 1-0 --mtbf 1000h --repair-time 5min --set network.ring_recovery=share >out 2>err ||
    fail "ring_recovery of the platform: $(cat err)"
[ -s err ] && fail "ring_recovery of the platform has an effect here: $(cat err)"
grep -q '^jump 1 .* 3\.6  *539\.73$' out || fail "30 d x 5 / 1000 h, of 149.925 s each: $(cat out)"
grep -q '^all .* - *-$' out || fail "nothing is known of jump 2: $(cat out)"
grep -q '^lost in 30 days: not known' out || fail "nothing is known of a month: $(cat out)"
# Where nothing is sent nothing is lost, which is not the same as not known.
cat >idle.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=3 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
}
END
printf 'network: {graph: {npus: 4, fabric: "circulant:1", bandwidth: 1 GB/s}}\n' >four.yml
csv four.yml --taskgraph idle.dot --link 0-1 --recovery path --mtbf 1000h --repair-time 5min
row 0-1 "jump 1,0,1000000000,,,path,1000000000,1,1000000000,0"
csv five.yml --link 0-1
[ "$(cut -d, -f4 out | tail -1)" -gt 0 ] && [ "$(cut -d, -f5 out | tail -1)" -gt 0 ] || fail "0-1: $(cat out)"
csv five.yml --sample 1 --recovery share
[ "$(wc -l <out)" -eq 3 ] || fail "a sample has a link of each class: $(cat out)"
csv five.yml --sample 4 --links 2 --seed 3 --recovery path
[ "$(grep -c ',several,' out)" -eq 4 ] || fail "two links at once: $(cat out)"
cp out first
csv five.yml --sample 4 --links 2 --seed 3 --recovery path --jobs 1
cmp -s first out || fail "another sample by the same seed, or on one thread"

# Links that no ring goes over are borrowed: 10 rounds of 0.5 ms and two latencies.
csv five.yml --set network.graph.npus=6 --set 'network.graph.fabric=circulant:1,2,3' --set workload.bytes=6MB \
    --recovery detour --link 0-1
row 0-1 "jump 1,0,,5020000000,,detour,5020000000,1.00199600798403,5010000000,"

# One ring, one way: any failure disconnects it. 5 links, 3.6 failures in 720 h, each 3600 s, half
# an iteration of 32.008 ms and a minute. Two of four links side by side do not.
ring="--set network.graph.fabric=circulant:+1"
csv five.yml $ring --mtbf 1000h --repair-time 1h --restart-time 1min
row 0-1 "jump 1,1,,,,,,,32008000000,3660.016004"
"$ORRERY_BIN" failures five.yml $ring --mtbf 1000h --repair-time 1h --restart-time 1min >out 2>err || fail "$(cat err)"
grep -q 'lost in 30 days: 219.601 min, by 3.6 failures' out || fail "a ring, one way: $(tail -1 out)"
grep -q 'disconnected' out || fail "a ring, one way: $(cat out)"
"$ORRERY_BIN" failures five.yml $ring --json - >out 2>err || fail "$(cat err)"
[ "$(grep -c '"disconnected": true' out)" -eq 5 ] || fail "JSON: $(cat out)"
cat >beside.yml <<'END'
network:
  graph:
    npus: 3
    bandwidth: 1 GB/s
    latency: 1 us
    links: [{from: 0, to: 1, count: 2}, {from: 1, to: 2, count: 2}, {from: 2, to: 0, count: 2}]
    rings: [{npus: 3}]
system: {monolithic_all_reduce: ring_stream}
workload: {generate: all_reduce, bytes: 6 MB}
END
csv beside.yml --link 1-2
row 1-2 "jump 1,0,8001000000,8001000000,8001000000,path,8001000000,1.99975006248438,4001000000,"

# A server's only link disconnects it, one between switches does not.
csv five.yml --set network.graph.npus=8 --set network.graph.fabric=fat-tree:4
[ "$(grep -c '^[0-9-]*,NPU to switch,1,' out)" -eq 8 ] || fail "fat-tree: $(cat out)"
grep -q '^[0-9-]*,between switches,1,' out && fail "fat-tree: an uplink disconnects: $(cat out)"
[ "$(grep -c '^[0-9-]*,between switches,0,' out)" -gt 0 ] || fail "fat-tree: $(cat out)"

refuses 'there is no link "0-7"; expected one of the network' five.yml --link 0-7
refuses 'there is no link "0"' five.yml --link 0
# Two cables there and one back: a way back is left of neither.
cat >back.yml <<'END'
network:
  backend: flow
  graph: {npus: 2, bandwidth: 1 GB/s, latency: 1 us, links: [{from: 0, to: 1, one_way: true, count: 2}, {from: 1, to: 0, one_way: true}]}
workload: {generate: all_reduce, bytes: 20 MB}
END
csv back.yml
grep -q '^0-1,between NPUs,1,' out || fail "two there and one back: $(cat out)"
sed 's/, count: 2//; s/to: 0, one_way: true/&, count: 2/' back.yml >there.yml
csv there.yml
grep -q '^0-1,between NPUs,1,' out || fail "one there and two back: $(cat out)"
refuses '--link: expected each link once, got 0-1 twice' five.yml --link 0-1 --link 1-0
refuses '--mtbf: expected a time above 0' five.yml --mtbf 0h --repair-time 1h
refuses '--mtbf: expected a time above 0' five.yml --mtbf=-3h --repair-time 1h
refuses '--repair-time: expected a time above 0' five.yml --mtbf 1h --repair-time 0min
refuses '--repair-time: expected a time above 0' five.yml --mtbf 1h --repair soon
refuses '--mtbf: expected a time above 0 and up to 1000000 y' five.yml --mtbf 1e-300s --repair-time 1h
refuses '--repair-time: expected a time above 0 and up to 1000000 y' five.yml --mtbf 1h --repair-time 1e300y
refuses '--mtbf and --repair-time go together' five.yml --mtbf 1h
refuses '--restart-time goes with --mtbf' five.yml --restart-time 1min
refuses '--restart-time: expected a time' five.yml --restart=-1min
refuses '--sample: expected a whole number from 1 on' five.yml --sample 0
refuses '--links goes with --sample' five.yml --links 2
refuses '--links: expected 1 to 8' five.yml --sample 3 --links 9
refuses '6 links cannot fail at once: the network has 5' five.yml $ring --sample 3 --links 6
refuses 'expected --link or --sample, got both' five.yml --sample 3 --link 0-1
refuses '--recovery: expected path, detour or share' five.yml --recovery all
refuses 'got one with network.failures' five.yml --set 'network.failures=[0-1]'
refuses 'got one with network.changes' five.yml --set 'network.changes=[{at: 1 ms, link: 0-1, working: 0}]'
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s}\nworkload: {generate: all_reduce, bytes: 1 MB}\n' >blocks.yml
refuses 'only links of a graph fail' blocks.yml

# Progress; and what was run is kept when it is stopped, by the signal.
cat >torus.yml <<'END'
network:
  graph: {npus: 64, fabric: "torus:8x8", bandwidth: 1 GB/s, latency: 1 us}
workload: {generate: all_reduce, bytes: 100 MB}
END
"$ORRERY_BIN" failures torus.yml --sample 2 --jobs 1 --progress always >out 2>err || fail "--progress: $(cat err)"
[ "$(tail -1 err)" = "4 of 4 runs done" ] || fail "--progress: $(cat err)"
"$ORRERY_BIN" failures torus.yml --jobs 1 --progress always --csv part.csv >out 2>stopped.err &
stopped=$!
tries=0
# the first run is that without failures
while ! grep -qE '^([2-9]|[0-9]{2,}) of' stopped.err && [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -INT $stopped
wait $stopped
[ $? -gt 128 ] || fail "stopped: it did not end by the signal: $(cat stopped.err)"
lines=$(($(wc -l <part.csv) - 1))
[ $lines -gt 0 ] && [ $lines -lt 128 ] || fail "stopped: $lines lines"
grep -q "^orrery failures: stopped; the results are those of $lines of 128 failures$" stopped.err || fail "stopped: $(cat stopped.err)"
grep -q '^job time .* where all links work$' out || fail "stopped: no table: $(cat out)"
refuses '--progress: expected auto, always or never, got "often"' torus.yml --progress often

[ "$failures" -eq 0 ] && echo "failures of links"
exit $((failures > 0))
