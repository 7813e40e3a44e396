#!/bin/sh
# Logical servers (a fabric that ends in /K@logical): times by hand, interfaces that they share, what
# stays inside a server, compute, and jobs side by side.
set -u

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# run ARGUMENTS...: time of the iteration in us; result.json has the rest
run() {
    "$ORRERY_BIN" run --flow-model maxmin --link-bandwidth 1GB/s "$@" --json result.json --link-stats links.csv >out 2>err ||
        fail "$*: $(cat err)"
    awk '/^  "wall_ps":/ { printf "%.3f", ($2 + 0) / 1e6 }' result.json
}

# expect TIME ARGUMENTS...
expect() {
    wanted=$1
    shift
    got=$(run "$@")
    [ "$got" = "$wanted" ] || fail "$*: expected $wanted us, got $got"
}

# graph FILE NPUS TASK...: a task graph
graph() {
    file=$1 npus=$2
    shift 2
    (
        printf '{"format": "orrery task graph", "version": 1, "npus": %s, "tasks": [' "$npus"
        sep=
        for task; do
            printf '%s{%s}' "$sep" "$task"
            sep=,
        done
        printf ']}\n'
    ) >"$file"
}
transfer() {
    printf '"role": "transfer", "from": %s, "to": %s, "bytes": "893600 B"' "$1" "$2"
}
compute() {
    printf '"role": "compute", "npu": %s, "time": "1 ms"' "$1"
}
reduce() {
    printf '"role": "all-reduce", "members": [%s], "bytes": "%s B"' "$1" "$2"
}

# Four servers in a circle, two logical ones each. 100 packets of 8936 bytes to the next server: a
# handshake of a byte, 1.001 us, 893.6 us and 1 us. Both send over the same interface: twice as long.
four=circulant:1/2@logical
graph one.otg 8 "$(transfer 0 2)"
graph both.otg 8 "$(transfer 0 2)" "$(transfer 1 3)"
graph apart.otg 8 "$(transfer 0 2)" "$(transfer 1 7)"
expect 895.601 --taskgraph one.otg --fabric $four
expect 1789.201 --taskgraph both.otg --fabric $four
expect 895.601 --taskgraph apart.otg --fabric $four # two interfaces
expect 895.601 --taskgraph apart.otg --fabric $four --forwarding-limit 1MB/s

# link_bytes: bytes over links between servers, which are nodes 8 to 11
link_bytes() {
    awk -F, 'NR > 1 && $1 >= 8 && $2 >= 8 { sum += $6 } END { print sum + 0 }' links.csv
}
link_is() {
    [ "$(link_bytes)" -eq "$1" ] || fail "expected $1 bytes between servers, got $(link_bytes)"
}
# json KEY: its number
json() {
    awk -v key="\"$1\":" '$1 == key { print $2 + 0 }' result.json
}

# Two hops pass the server between, and a packet takes 8.936 us more: 2.002 us, 893.6 us, 2 us, 8.936 us.
# With a limit of half a link twice the transmission; the server that passes it on is as busy as it can be
# for 1787.2 us of 1800.138. The delay counts for the handshake too.
graph far.otg 8 "$(transfer 0 4)" "$(transfer 2 3)"
expect 906.538 --taskgraph far.otg --fabric $four
link_is 1787200
[ -z "$(json forwarded_bytes)" ] || fail "what is passed on is told without a limit"
[ "$(json bandwidth_tax)" = 1.5 ] || fail "two of three hosts send what is passed on: $(json bandwidth_tax)"
expect 908.538 --taskgraph far.otg --fabric $four --forwarding 1us
expect 1800.138 --taskgraph far.otg --fabric $four --forwarding-limit 500MB/s
[ "$(json forwarded_bytes) $(json forwarded_most_bytes)" = "893600 893600" ] || fail "passed on: $(json forwarded_bytes)"
[ "$(json forwarding_utilization)" = 0.992813 ] || fail "of its limit: $(json forwarding_utilization)"

# Both logical servers of a server over both of its interfaces, and over one server: 500 MB/s each by the limit.
graph through.otg 8 "$(transfer 0 4)" "$(transfer 1 5)" "$(transfer 4 0)" "$(transfer 5 1)"
run --taskgraph through.otg --fabric $four --forwarding-limit 1TB/s >wide
run --taskgraph through.otg --fabric $four --forwarding-limit 1GB/s >narrow
awk -v wide="$(cat wide)" -v narrow="$(cat narrow)" 'BEGIN { exit !(narrow > wide) }' ||
    fail "a limit of 1 GB/s for four flows: $(cat narrow) us, without $(cat wide)"

# An all-reduce among those of a server takes no interface, and no time.
graph inside.otg 8 "$(reduce 2,3 4000000)"
expect 0.000 --taskgraph inside.otg --fabric $four
link_is 0

# A logical server has its part of the server: half, or what is given.
graph compute.otg 8 "$(compute 3)"
expect 2000.000 --taskgraph compute.otg --fabric $four
expect 1000.000 --taskgraph compute.otg --fabric circulant:1/1@logical
expect 4000.000 --taskgraph compute.otg --fabric $four --set compute.mode=replay --set compute.logical_share=0.25

# One of a server is the server: every result, but for the fabric's name.
graph ring.otg 12 "$(reduce 0,1,2,3,4,5,6,7,8,9,10,11 12000000)" "$(transfer 0 7)" "$(compute 5)"
alike() {
    "$ORRERY_BIN" run --flow-model maxmin --link-bandwidth 1GB/s --taskgraph ring.otg --fabric "$1" --json - |
        grep -v '"fabric"\|host_seconds\|host_s"\|events_per_s'
}
alike circulant:1,5 >plain.json
alike circulant:1,5/1@logical >one.json
cmp plain.json one.json || fail "one logical server: $(diff plain.json one.json | head -3)"

# Two jobs on 12 servers with two logical ones each: rings along all jumps, as on whole servers. Alone a
# job takes what it takes there; side by side twice as long (each round's latency once).
cat >jobs.yml <<'END2'
cluster:
  servers: 24
  fabric: circulant:1,5/2@logical
  link_bandwidth: 1 GB/s
  flow_model: maxmin
jobs:
  - {name: even, taskgraph: reduce.otg, servers: "0,2,4,6,8,10,12,14,16,18,20,22"}
  - {name: odd, taskgraph: reduce.otg, servers: "1,3,5,7,9,11,13,15,17,19,21,23"}
END2
graph reduce.otg 12 "$(reduce 0,1,2,3,4,5,6,7,8,9,10,11 12000000)"
graph reduce24.otg 24 "$(reduce 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 24000000)"
expect 5548.598 --taskgraph reduce.otg --fabric circulant:1,5
"$ORRERY_BIN" run --cluster jobs.yml --alone --csv times.csv >out 2>err || fail "jobs: $(cat err)"
[ "$(awk '$1 == "even" || $1 == "odd" { print $10, $11 }' out | sort -u)" = "5.549 ms" ] || fail "alone: $(cat out)"
[ "$(awk -F, 'NR > 1 { print $5 }' times.csv | sort -u)" = 11053174000 ] || fail "two jobs: $(cat times.csv)"
# Of one job on all of them a ring goes through both of a server one after the other: 46 rounds of 28 packets
# in each of four rings.
expect 11601.614 --taskgraph reduce24.otg --fabric circulant:1,5/2@logical

# What is refused.
for bad in 'circulant:1/2x2@logical' 'circulant:1/2@logical/2' 'circulant:1/2@logic'; do
    "$ORRERY_BIN" run --taskgraph one.otg --fabric "$bad" --link-bandwidth 1GB/s >out 2>err
    [ $? -eq 2 ] || fail "$bad: expected exit status 2"
    grep -q "or /SERVERS@logical as the last one; got \"$bad\"" err || fail "$bad: $(cat err)"
done
"$ORRERY_BIN" run --taskgraph reduce.otg --fabric circulant:1/5@logical --link-bandwidth 1GB/s >out 2>err
grep -q "circulant:1/5@logical: expected a multiple of 5 NPUs, got 12" err || fail "a part of a server: $(cat err)"

exit "$((failures > 0))"
