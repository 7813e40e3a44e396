#!/bin/sh
# Circuits that move within an iteration (Fig. 17 of TopoOpt, small): with and without forwarding beside what stays; and
# what cannot be.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >ocs.yml <<'END2'
compute: {peak: 1248 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 8156 GB/s}}
network:
  design: {name: ocs-reconfig, servers: 16, degree: 4, bandwidth: 100 Gb/s}
  shares: maxmin
END2

# wall MODEL OPTION...: ps of an iteration
wall() {
    model=$1
    shift
    echo "workload: {model: topoopt/$model}" >work.yml
    "$ORRERY_BIN" run ocs.yml work.yml "$@" --json out >printed 2>err || fail "$model $*: $(cat err)"
    sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' out
}
# within A B PERCENT: A is at most so much above or below B
within() {
    awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a <= b * (1 + p / 100) && a >= b * (1 - p / 100)) }'
}
latency() { printf 'network.design.reconfiguration=%s' "$1"; }

# DLRM: at 10 ms servers that pass on what has no circuit are far ahead; at 10 us those that wait match what stays.
dlrm=$(wall dlrm_5_6 --set network.design.name=topoopt 2>/dev/null)
with=$(wall dlrm_5_6) without=$(wall dlrm_5_6 --set network.design.forwarding=false)
[ "$((4 * with))" -lt "$without" ] || fail "DLRM, 10 ms: $with with forwarding, $without without"
short=$(wall dlrm_5_6 --set network.design.forwarding=false --set "$(latency '10 us')")
within "$short" "$dlrm" 10 || fail "DLRM, 10 us without forwarding: $short, TopoOpt $dlrm"
slow=$(wall dlrm_5_6 --set "$(latency '10 us')")
[ "$slow" -gt "$((3 * dlrm / 2))" ] || fail "DLRM, 10 us with forwarding: $slow, TopoOpt $dlrm"

# BERT: what is forwarded takes longer at short latencies; 100 us without forwarding match what stays.
bert=$(wall bert_5_6 --set network.design.name=topoopt 2>/dev/null)
with=$(wall bert_5_6 --set "$(latency '100 us')")
without=$(wall bert_5_6 --set network.design.forwarding=false --set "$(latency '100 us')")
within "$without" "$bert" 1 || fail "BERT, 100 us without forwarding: $without, TopoOpt $bert"
[ "$with" -gt "$((6 * without / 5))" ] || fail "BERT, 100 us: $with with forwarding, $without without"

# What it stands for, and what it costs: 4 x 16 ports of optical switches, 520 dollars each.
"$ORRERY_BIN" topo show ocs.yml >shown 2>err || fail "topo show: $(cat err)"
grep -q '^design  *graph: {npus: 16}, circuits: {ports: 4, bandwidth: 100Gb/s, latency: 1 us, reconfiguration: 10000 us, controller: utility, pauses: always, links: duplex, connect: two-edge}, reroute: true, routing: ecmp$' shown ||
    fail "topo show: $(grep design shown)"
grep -q '^OCS ports  *64  *33280$' shown || fail "ports: $(grep -i ports shown)"

# Errors, and keys that do nothing.
# refuses MESSAGE SECTION: exit status 2
refuses() {
    printf '%s\n' "$2" >bad.yml
    "$ORRERY_BIN" run bad.yml work.yml >out 2>err
    status=$?
    [ "$status" -eq 2 ] || fail "$2: exit status $status"
    grep -qF -- "$1" err || fail "$2: expected \"$1\", got: $(cat err)"
}
circuits='network: {graph: {npus: 16}, circuits: {ports: 1, bandwidth: 1 GB/s'
refuses 'bad.yml:1:40: network.circuits: expected the key "period"' "$circuits}}"
refuses 'network.circuits.reconfiguration: expected a reconfiguration of less than the period of 1.000 ms, got "1 ms"' \
    "$circuits, period: 1 ms, reconfiguration: 1 ms}}"
refuses 'network.circuits.reconfiguration: expected a reconfiguration of less than the period of 1.000 ms, got "2 ms"' \
    "$circuits, period: 1 ms, reconfiguration: 2 ms}}"
refuses 'network.circuits.connect: expected none, or two ports: with one duplex circuit each' \
    "$circuits, period: 1 ms, links: duplex, connect: two-edge}, reroute: true}"
refuses 'network.circuits.links: expected one-way or duplex, got "both"' "$circuits, period: 1 ms, links: both}}"
refuses 'network.circuits.connect: expected none or two-edge, got "ring"' "$circuits, period: 1 ms, connect: ring}}"
refuses 'network.circuits.period' "$circuits, period: 0 ms, reconfiguration: 1 ms}}"
refuses 'network.design: expected the key "period"' \
    'network: {design: {name: ocs-reconfig, servers: 16, degree: 2, bandwidth: 1 GB/s, reconfiguration: 0 ns}}'
refuses 'bad.yml:1:19: network.design: expected none, or two ports: with one duplex circuit each' \
    'network: {design: {name: ocs-reconfig, servers: 16, degree: 1, bandwidth: 1 GB/s}}'
"$ORRERY_BIN" run ocs.yml work.yml --set network.reroute=false --set network.circuits.connect=two-edge >out 2>err || fail "reroute: $(cat err)"
grep -q 'network.circuits.connect.*without network.reroute' err || fail "connect without reroute: $(cat err)"
"$ORRERY_BIN" run ocs.yml work.yml --set network.design.name=ideal-switch --set network.design.forwarding=false >out 2>err ||
    fail "ideal-switch: $(cat err)"
grep -q 'network.design.forwarding.*only the design ocs-reconfig has it' err || fail "forwarding: $(cat err)"

[ "$failures" -eq 0 ]
