#!/bin/sh
# Derived values: entries of `set` that are expressions of other keys, in platforms, workloads, sweeps and --set; HierMem's
# coupled study as one sweep; and what is refused.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

cat >base.yml <<'END'
network: {dims: [{block: switch, npus: 8, bandwidth: 50 GB/s, latency: 1 us}]}
memory: {local: {bandwidth: 800 GB/s}}
workload: {generate: all_reduce, bytes: 100 MB}
END

# platform ENTRY...: one that includes the base
platform() {
    printf 'include: base.yml\nset:\n'
    printf '  %s\n' "$@"
}

# takes WHAT TIME ARGUMENT...: a run
takes() {
    what=$1 time=$2
    shift 2
    "$ORRERY_BIN" run "$@" >stdout 2>stderr || fail "$what: $(cat stderr)"
    [ "$(head -n 1 stdout)" = "job time $time on 8 NPUs" ] || fail "$what: $(head -n 1 stdout), expected $time"
    [ ! -s stderr ] || fail "$what: says $(cat stderr)"
}

# 100 GB/s and 500 ns: 2 x 7/8 x 100 MB / 100 GB/s = 1.75 ms, and two rounds
platform 'network.dims[0].bandwidth: min(memory.local.bandwidth, 400 GB/s) / 4' 'network.dims[0].latency: = 2 * 250 ns' >p.yml
takes 'derived' '1.751 ms' p.yml
takes 'the same given' '1.751 ms' base.yml --set network.dims[0].bandwidth=100GB/s --set network.dims[0].latency=500ns
takes 'of a value that is set' '17.501 ms' p.yml --set memory.local.bandwidth=40GB/s
takes 'overridden' '17.501 ms' p.yml --set network.dims[0].bandwidth=10GB/s
takes 'derived in --set' '3.501 ms' p.yml --set 'network.dims[0].bandwidth==memory.local.bandwidth / 16'
platform 'network.dims[0].bandwidth: 1 s * memory.local.bandwidth / 8 s' >p.yml
takes 'units that cancel out' '1.756 ms' p.yml
platform 'network.dims[0].bandwidth: local.bandwidth / 8' 'memory.local.bandwidth: 1600 GB/s / 2' 'workload.bytes: 1 ms * network.dims[0].bandwidth' >p.yml
takes 'one after the other, by the end of a name' '1.756 ms' p.yml
platform 'network.dims[0].npus: = 2 * 4' >p.yml
takes 'a whole number' '3.502 ms' p.yml
"$ORRERY_BIN" topo show p.yml >stdout 2>stderr || fail "topo: $(cat stderr)"
# A graph: orrery topo reads the entries, too. 800 GB/s / 10 a link, three links an NPU.
cat >graph.yml <<'END'
network: {graph: {npus: 4, fabric: full-mesh, bandwidth: 10 GB/s, latency: 1 us}}
memory: {local: {bandwidth: 800 GB/s}}
set: {network.graph.bandwidth: memory.local.bandwidth / 10, network.graph.npus: = 2 * 2}
END
# shows BANDWIDTH ARGUMENT...: of an NPU
shows() {
    expected=$1
    shift
    "$ORRERY_BIN" topo show "$@" >stdout 2>stderr || fail "topo show $*: $(cat stderr)"
    grep -q "^bandwidth of an NPU *$expected GB/s one way" stdout || fail "topo show $*: $(grep 'bandwidth of' stdout), expected $expected"
}
shows 240.00 graph.yml
shows 120.00 graph.yml --set memory.local.bandwidth=400GB/s
shows 15.00 graph.yml --set network.graph.bandwidth=5GB/s
"$ORRERY_BIN" topo check graph.yml >stdout 2>stderr || fail "topo check: $(cat stderr)"
sed 's/memory.local.bandwidth \/ 10/memory.locl.bandwidth \/ 10/' graph.yml >wrong.yml
"$ORRERY_BIN" topo show wrong.yml >stdout 2>stderr && fail 'topo show takes a wrong entry'
grep -q '^wrong.yml:3:32: network.graph.bandwidth: no value is called "memory.locl.bandwidth"' stderr || fail "topo show: $(cat stderr)"
platform 'network.dims[0].bandwidth: memory.local.bandwidth / 8' >inner.yml
printf 'include: inner.yml\nnetwork: {dims: [{bandwidth: 10 GB/s}]}\n' >outer.yml
takes 'a value of the file that includes the entry' '17.502 ms' outer.yml

# refuses WHAT MESSAGE ENTRY...
refuses() {
    what=$1 message=$2
    shift 2
    platform "$@" >p.yml
    "$ORRERY_BIN" run p.yml >stdout 2>stderr
    status=$?
    [ "$status" -eq 2 ] || fail "$what: status $status"
    [ "$(cat stderr)" = "$message" ] || fail "$what: says $(cat stderr)
expected $message"
}
refuses 'a circle' 'p.yml:3:30: network.dims[0].bandwidth: expected a value that does not depend on itself, got network.dims[0].bandwidth, which memory.local.bandwidth needs, which network.dims[0].bandwidth needs' \
    'network.dims[0].bandwidth: memory.local.bandwidth / 2' 'memory.local.bandwidth: network.dims[0].bandwidth * 2'
refuses 'itself' 'p.yml:3:30: network.dims[0].bandwidth: expected a value that does not depend on itself, got network.dims[0].bandwidth, which network.dims[0].bandwidth needs' \
    'network.dims[0].bandwidth: network.dims[0].bandwidth / 2'
refuses 'units' 'p.yml:3:30: network.dims[0].bandwidth: expected values of one unit, got bytes/s and s, at column 24 of "memory.local.bandwidth + 3 us"' \
    'network.dims[0].bandwidth: memory.local.bandwidth + 3 us'
refuses 'no quantity' 'p.yml:3:30: network.dims[0].bandwidth: expected a number, time, size, bandwidth or rate, got a value in bytes^2/s^2, at column 1 of "memory.local.bandwidth * memory.local.bandwidth"' \
    'network.dims[0].bandwidth: memory.local.bandwidth * memory.local.bandwidth'
refuses 'no such value' 'p.yml:3:30: network.dims[0].bandwidth: no value is called "memory.locl.bandwidth"; expected the path of a key that the files give, such as memory.local.bandwidth, at column 1 of "memory.locl.bandwidth / 2"' \
    'network.dims[0].bandwidth: memory.locl.bandwidth / 2'
refuses 'nothing like it' 'p.yml:3:30: network.dims[0].bandwidth: no value is called "quux"; expected the path of a key that the files give, such as network.dims[0].bandwidth, at column 1 of "quux / 2 / 1 s"' \
    'network.dims[0].bandwidth: "= quux / 2 / 1 s"'
refuses 'several values' 'p.yml:3:30: network.dims[0].bandwidth: 2 values are called "bandwidth"; expected the whole path, such as network.dims[0].bandwidth or memory.local.bandwidth, at column 1 of "bandwidth / 2"' \
    'network.dims[0].bandwidth: bandwidth / 2'
refuses 'a section' 'p.yml:3:30: network.dims[0].bandwidth: expected a single value, not a section: "memory.local", at column 1 of "memory.local / 2"' \
    'network.dims[0].bandwidth: memory.local / 2'
refuses 'no end' 'p.yml:3:30: network.dims[0].bandwidth: expected "," and one more value, got the end, at column 27 of "min(memory.local.bandwidth"' \
    'network.dims[0].bandwidth: min(memory.local.bandwidth'
refuses 'division by zero' 'p.yml:3:30: network.dims[0].bandwidth: division by zero, at column 24 of "memory.local.bandwidth / 0"' \
    'network.dims[0].bandwidth: memory.local.bandwidth / 0'
refuses 'no entry' 'p.yml:3:3: network.dims[3].bandwidth: there is no entry 3: network.dims has 1, from 0 on' \
    'network.dims[3].bandwidth: memory.local.bandwidth / 2'
platform 'network.dims[0].latency: memory.local.bandwidth / 2' >p.yml
"$ORRERY_BIN" run p.yml >stdout 2>stderr
grep -q '^p.yml:3:28: network.dims\[0\].latency: expected a time such as "500 ns", got "400000000000 B/s"' stderr || fail "another unit: $(cat stderr)"

# ---- sweeps ----

cat >sweep.yml <<'END'
sweep:
  platform: base.yml
  axes: {memory.local.bandwidth: [400 GB/s, 800 GB/s]}
  set: {"network.dims[0].bandwidth": local.bandwidth / 8}
  where: network.dims[0].bandwidth >= 1 GB/s
END
"$ORRERY_BIN" sweep sweep.yml -o out >stdout 2>stderr || fail "a sweep: $(cat stderr)"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.3f ", $at["wall_ps"] / 1e9 }' out.csv)" = '3.502 1.756 ' ] ||
    fail "a sweep: $(cat out.csv)"
sed 's|: local.bandwidth / 8|: "network.dims[0].bandwidth / 8"|' sweep.yml >circle.yml
"$ORRERY_BIN" sweep circle.yml -o circle >stdout 2>stderr && fail 'a sweep in a circle runs'
grep -q 'network.dims\[0\].bandwidth: expected a value that does not depend on itself' stderr || fail "a circle in a sweep: $(cat stderr)"

# HierMem (ASTRA-sim 2.0, Fig. 11): 4.6 x at 512 and 500 GB/s over 256 and 100.
hiermem=$ORRERY_SOURCE_DIR/examples/disaggregated_memory
cat >hiermem.yml <<END
sweep:
  platform: $hiermem/hiermem.yml
  workload: $hiermem/moe_1t.yml
  axes:
    memory.pool.hierarchical.fabric_bandwidth: [256 GB/s, 512 GB/s, 2048 GB/s]
    memory.pool.hierarchical.group_bandwidth: [100 GB/s, 500 GB/s]
END
"$ORRERY_BIN" sweep hiermem.yml -o hiermem >stdout 2>stderr || fail "HierMem: $(cat stderr)"
grep -q warning stderr && fail "HierMem: says $(cat stderr)"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { t[NR] = $at["wall_ps"] }
    END { printf "%.2f %.4f", t[2] / t[5], t[5] / t[7] }' hiermem.csv)" = '4.57 1.0001' ] || fail "HierMem: $(cat hiermem.csv)"

# Without the coupling there is a warning.
"$ORRERY_BIN" run "$hiermem/hiermem.yml" "$hiermem/moe_1t.yml" --set network.dims[0].bandwidth=128GB/s >stdout 2>stderr || fail "uncoupled: $(cat stderr)"
grep -q 'warning: network.dims\[0\].bandwidth: memory and network share one half-duplex path of 100 GB/s an NPU' stderr || fail "uncoupled: $(cat stderr)"
printf '  set: {"network.dims[0].bandwidth": 50 GB/s}\n' | cat hiermem.yml - >uncoupled.yml
"$ORRERY_BIN" sweep uncoupled.yml -o uncoupled >stdout 2>stderr || fail "an uncoupled sweep: $(cat stderr)"
grep -q 'warning: network.dims\[0\].bandwidth: memory and network share one half-duplex path of 500 GB/s an NPU' stderr || fail "an uncoupled sweep: $(cat stderr)"

exit "$((failures > 0))"
