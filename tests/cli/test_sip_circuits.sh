#!/bin/sh
# Circuits that follow the traffic (SiP-ML): ordinary workloads on sip-ocs and sip-ring, as designs, as fabrics and as what
# these stand for; and everything that cannot be, or does nothing, with its place.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

rest='compute: {peak: 100 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 2 TB/s}}'

# wall NETWORK WORKLOAD [OPTION...]: ps
wall() {
    printf 'network: {%s}\n%s\n' "$1" "$rest" >p.yml
    printf 'workload: {%s}\n' "$2" >w.yml
    shift 2
    "$ORRERY_BIN" run p.yml w.yml "$@" --json out >printed 2>err || fail "$(cat p.yml w.yml): $(cat err)"
    sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' out
}
result() { sed -n "s/^  \"$1\": \\([^,]*\\).*/\\1/p" out; }

# same WHAT ONE OTHER
same() {
    [ -n "$2" ] && [ "$2" = "$3" ] || fail "$1: $2 and $3"
}

# ---- workloads ----

ocs='design: {name: sip-ocs, servers: 16, degree: 16, bandwidth: 1600 Gb/s, latency: 1 us}'
ring='design: {name: sip-ring, servers: 16, degree: 64, latency: 1 us}'
for network in "$ocs" "$ring"; do
    for load in 'generate: all_reduce, bytes: 16 MB' 'generate: all_to_all, bytes: 16 MB'; do
        time=$(wall "$network" "$load")
        switch=$(result switch_ps)
        [ "$time" -ge "$switch" ] && [ "$time" -lt "$((20 * switch))" ] || fail "$network, $load: $time, on a switch $switch"
        same "$network, $load, again" "$time" "$(wall "$network" "$load" --fold off)"
    done
done

# A layer of a model on 4 x 4: as fabrics they are the same as designs.
cat >model.yml <<END
include: $ORRERY_SOURCE_DIR/inputs/models/bert_large.yml
compute: {peak: 312 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 2 TB/s, capacity: 80 GB}}
workload: {parallel: {tensor: 4, data: 4}, training: {batch: 64}}
END
# model NETWORK: ps of an iteration
model() {
    printf 'network: {%s}\n' "$1" >p.yml
    "$ORRERY_BIN" run p.yml model.yml --set workload.transformer.layers=1 --json out >printed 2>err || fail "$1, BERT: $(cat err)"
    result wall_ps
}
time=$(model "$ocs")
[ "$time" -gt "$(result switch_ps)" ] && [ "$time" -lt "$((2 * $(result switch_ps)))" ] || fail "BERT, sip-ocs: $time"
same 'BERT, sip-ocs' "$time" "$(model 'graph: {fabric: "sip-ocs:16", npus: 16, bandwidth: 1600 Gb/s, latency: 1 us}, fluid: true')"
time=$(model "$ring")
[ "$time" -gt "$(result switch_ps)" ] && [ "$time" -lt "$((2 * $(result switch_ps)))" ] || fail "BERT, sip-ring: $time"
same 'BERT, sip-ring' "$time" "$(model 'graph: {fabric: "sip-ring:64", npus: 16, bandwidth: 1600 Gb/s, latency: 1 us}, fluid: true')"
"$ORRERY_BIN" run p.yml model.yml --set workload.transformer.layers=1 --set workload.training.batch=16 --set workload.iterations=3 >printed 2>err || fail "iterations: $(cat err)"
grep -qF 'workload.iterations has no effect: it is of workload.taskgraph and workload.model' err || fail "iterations: $(cat err)"

# 0 sends 1 MB to 1 and to 3, by 8 circuits of 1 GB/s in all: 4 each, 250 us.
echo '{"format": "orrery task graph", "version": 1, "npus": 4, "tasks": [
    {"role": "transfer", "from": 0, "to": 1, "bytes": "1000000 B"},
    {"role": "transfer", "from": 0, "to": 3, "bytes": "1000000 B"}]}' >g.json
echo '{"format": "orrery task graph", "version": 1, "npus": 4, "tasks": [
    {"role": "transfer", "from": 1, "to": 0, "bytes": "1000000 B"},
    {"role": "transfer", "from": 1, "to": 2, "bytes": "1000000 B"},
    {"role": "transfer", "from": 1, "to": 3, "bytes": "1000000 B"}]}' >three.json
two='taskgraph: g.json' three='taskgraph: three.json'
rules='ports: 8, bandwidth: 1 GB/s, latency: 1 us'
same 'sip-ocs' 251000000 "$(wall 'design: {name: sip-ocs, servers: 4, degree: 8, bandwidth: 64 Gb/s, latency: 1 us}' "$two")"
same 'sip-ocs:8' 251000000 "$(wall 'graph: {fabric: "sip-ocs:8", npus: 4, bandwidth: 64 Gb/s, latency: 1 us}, fluid: true' "$two")"
same 'sip_ocs' 251000000 "$(wall "graph: {npus: 4}, fluid: true, circuits: {controller: sip_ocs, $rules}" "$two")"
for backend in flow congestion; do
    same "sip_ocs, $backend" 271000000 "$(wall "graph: {npus: 4}, fluid: true, backend: $backend, circuits: {controller: sip_ocs, $rules,
        hold: 100 us, reconfiguration: 10 us}" "$two")"
done
# A ring: 4 of 8 up and 4 down; 100 us of light, 25 without, 100, 25, 50.
same 'sip-ring' 301000000 "$(wall 'design: {name: sip-ring, servers: 4, degree: 8, bandwidth: 64 Gb/s, latency: 1 us}' "$two")"
same 'pairs' 2 "$(result circuit_pairs)"
same 'a switch' 251000000 "$(result switch_ps)"
same 'sip-ring once' 251000000 "$(wall 'design: {name: sip-ring, servers: 4, degree: 8, bandwidth: 64 Gb/s, latency: 1 us}, circuits: {hold: never}' "$two")"
[ -s err ] && fail "sip-ring, hold: never: $(cat err)"
same 'halves' 251000000 "$(wall 'design: {name: sip-ring, servers: 4, degree: 8, bandwidth: 64 Gb/s, latency: 1 us}, circuits: {hold: never, fibres: half}' "$two")"
same 'iterations' 502000000 "$(wall "graph: {npus: 4}, fluid: true, circuits: {controller: sip_ocs, $rules}" "$two, iterations: 2")"

# Two jobs beside each other, as each alone; and without a platform.
printf 'cluster: {servers: 8, fabric: "sip-ocs:8", link_bandwidth: 64 Gb/s, flow_model: maxmin}\njobs:\n' >c.yml
printf '  - {name: a, taskgraph: g.json, servers: 0-3}\n  - {name: b, taskgraph: g.json, servers: 4-7}\n' >>c.yml
"$ORRERY_BIN" run --cluster c.yml --csv jobs.csv >printed 2>err || fail "a cluster: $(cat err)"
"$ORRERY_BIN" run --taskgraph g.json --fabric sip-ocs:8 --link-bandwidth 64Gb/s --flow-model maxmin --json out >printed 2>err || fail "--taskgraph: $(cat err)"
alone=$(result wall_ps)
same 'two jobs' "$alone $alone" "$(awk -F, 'NR > 1 { printf("%s%s", (NR > 2 ? " " : ""), $5) }' jobs.csv)"

# ---- what cannot be ----

# refuses MESSAGE NETWORK [WORKLOAD]: exit status 2, with the message at its place
refuses() {
    printf 'network: {%s}\n' "$2" >bad.yml
    printf 'workload: {%s}\n' "${3-$three}" >w.yml
    "$ORRERY_BIN" run bad.yml w.yml >out 2>err
    status=$?
    [ "$status" -eq 2 ] || fail "$2: exit status $status"
    grep -qF -- "$1" err || fail "$2: expected \"$1\", got: $(cat err)"
}
# warns MESSAGE NETWORK [WORKLOAD]: exit status 0
warns() {
    printf 'network: {%s}\n' "$2" >bad.yml
    printf 'workload: {%s}\n' "${3-$two}" >w.yml
    "$ORRERY_BIN" run bad.yml w.yml >out 2>err || fail "$2: $(cat err)"
    grep -qF -- "$1" err || fail "$2: expected \"$1\", got: $(cat err)"
}

refuses 'bad.yml:1:19: network.circuits: GPU 1 sends to 3 others, for which there are 2 switches; expected as many, or circuits that are reconfigured (hold)' \
    'design: {name: sip-ocs, servers: 4, degree: 2, bandwidth: 100 Gb/s}'
refuses 'GPU 1 sends to 3 others, for which there are 2 switches' 'graph: {fabric: "sip-ocs:2", npus: 4, bandwidth: 100 Gb/s}'
refuses 'sip-ocs: expected 1 to 1024 switches and 2 NPUs or more, got 0 and 4' 'graph: {fabric: "sip-ocs:0", npus: 4, bandwidth: 100 Gb/s}'
refuses 'sip-ring: expected 1 to 1024 wavelengths and 2 NPUs or more, got 5000 and 4' \
    'graph: {fabric: "sip-ring:5000", npus: 4, bandwidth: 100 Gb/s}'
refuses 'bad.yml:1:56: network.design.degree: expected a whole number from 1 to 1024, got "0"' 'design: {name: sip-ring, servers: 4, degree: 0}'
refuses 'network.design: a design sip-ring needs the key "degree"' 'design: {name: sip-ring, servers: 4}'
refuses 'network.design: a design sip-ocs needs the key "degree"' 'design: {name: sip-ocs, servers: 4, bandwidth: 100 Gb/s}'
refuses 'network.design: a design needs the key "bandwidth"' 'design: {name: sip-ocs, servers: 4, degree: 4}'
refuses 'bad.yml:1:59: network.design.bandwidth: expected 25 Gb/s (one wavelength) to 25600 Gb/s (1024 wavelengths' \
    'design: {name: sip-ring, servers: 4, bandwidth: 24 Gb/s}'
refuses 'bad.yml:1:59: network.design.bandwidth: expected 25 Gb/s (one wavelength) to 25600 Gb/s (1024 wavelengths' \
    'design: {name: sip-ring, servers: 4, bandwidth: 25625 Gb/s}'
small='design: {name: sip-ring, servers: 4, degree: 6}'
refuses 'network.circuits.ports: expected an even number of wavelengths, of which each of two fibres has half (fibres: half), got 5' \
    'design: {name: sip-ring, servers: 4, degree: 5}, circuits: {fibres: half}'
refuses 'bad.yml:1:77: network.circuits.rows: expected rows of at least two GPUs that divide the 4 NPUs, got 3' "$small, circuits: {rows: 3}"
refuses 'network.circuits.rows: expected rows of at least two GPUs that divide the 4 NPUs, got 4' "$small, circuits: {rows: 4}"
refuses 'network.circuits.ports: expected two wavelengths or more, of which' 'design: {name: sip-ring, servers: 4, degree: 1}, circuits: {rows: 2}'
refuses 'network.circuits: GPU 1 sends 1000000 bytes to GPU 2, but no ring of the 2 rows and 2 columns connects the two' "$small, circuits: {rows: 2}"
refuses 'bad.yml:1:88: network.circuits.method: rows and columns of rings have wavelengths by load, on full fibres' \
    "$small, circuits: {rows: 2, method: exact}"
refuses 'network.circuits.fibres: rows and columns of rings have wavelengths by load, on full fibres' "$small, circuits: {rows: 2, fibres: half}"
refuses 'network.circuits: GPU 1 sends 1000000 bytes to GPU 3, but it is 2 GPUs away, and light reaches 1' "$small, circuits: {reach: 1}"
refuses 'bad.yml:1:77: network.circuits.hold: expected how long circuits are lit, more than 0, such as "100 us", or never (they are set once), got "0 us"' \
    "$small, circuits: {hold: 0 us}"
refuses 'or never (they are set once), got "soon"' "$small, circuits: {hold: soon}"
clos='design: {name: sip-ocs, servers: 4, degree: 6, bandwidth: 100 Gb/s}'
refuses 'network.circuits.hold: expected the key "reconfiguration" as well' "$clos, circuits: {hold: 100 us}"
refuses 'bad.yml:1:100: network.circuits.weights: expected a list of 1 to 64 entries, got 0' "$clos, circuits: {weights: []}"
refuses 'bad.yml:1:104: network.circuits.weights[1]: expected a number from 1e-06 to 1e+06, got "-2"' "$clos, circuits: {weights: [1, -2]}"
own='circuits: {controller: sip_ocs, ports: 4, bandwidth: 1 GB/s}'
refuses 'network.circuits: expected a graph without links: circuits are its only links, got a link from 0 to 1' \
    "graph: {npus: 4, links: [{from: 0, to: 1}], bandwidth: 1 GB/s}, $own"
refuses 'network.circuits: expected a graph of 2 NPUs or more and no switches, got 4 and 1' \
    "graph: {fabric: ideal-switch, npus: 4, bandwidth: 1 GB/s}, $own"
refuses 'network.circuits: expected a graph of 2 NPUs or more and no switches, got 1 and 0' "graph: {npus: 1}, $own"
refuses 'network.failures: expected none: demand-aware circuits have no links before the run' "$small, failures: [\"0\"]"
refuses 'network.failures: expected none: demand-aware circuits have no links before the run' \
    'graph: {fabric: "sip-ocs:8", npus: 4, bandwidth: 64 Gb/s}, failures: ["0"]'
refuses 'network.changes: expected none: demand-aware circuits have no links before the run' "$small, changes: [{at: 1 us, link: 0-1, bandwidth: 0 GB/s}]"
refuses 'network.backend: this backend does not support graphs; expected congestion or flow' "$small, backend: analytical"
refuses 'network.circuits.method: exact is for at most 2000 unknowns, pairs by wavelengths, got 3 by 700; expected load, flows or random' \
    'design: {name: sip-ring, servers: 4, degree: 700}, circuits: {method: exact}'

# Too few wavelengths for arcs that overlap, once; in turns they do.
echo '{"format": "orrery task graph", "version": 1, "npus": 5, "tasks": [
    {"role": "transfer", "from": 0, "to": 2, "bytes": "100 B"}, {"role": "transfer", "from": 1, "to": 3, "bytes": "100 B"},
    {"role": "transfer", "from": 2, "to": 4, "bytes": "100 B"}, {"role": "transfer", "from": 3, "to": 0, "bytes": "100 B"},
    {"role": "transfer", "from": 4, "to": 1, "bytes": "100 B"}]}' >five.json
refuses 'network.circuits: no wavelength is left for 1 of 5 pairs, first of them GPU 3 to GPU 0' \
    'design: {name: sip-ring, servers: 5, degree: 2}, circuits: {hold: never}' 'taskgraph: five.json'
wall 'design: {name: sip-ring, servers: 5, degree: 2}' 'taskgraph: five.json' >time

# A standstill ends, and names the controller.
printf 'network: {graph: {npus: 4}, circuits: {controller: sip_ocs, ports: 1, bandwidth: 1 GB/s, hold: 10 us, reconfiguration: 1 us, literal: true}}\n' >p.yml
"$ORRERY_BIN" run p.yml w.yml --set workload.taskgraph=three.json >out 2>err
status=$?
[ "$status" -eq 3 ] || fail "literal, a port for three: exit status $status, $(cat err)"
grep -qF 'network.circuits (sip_ocs) last set its circuits at 1.100 ms: 1-0 x 1; 2 of 3 pairs have none' err || fail "literal: $(cat err)"

# ---- what does nothing ----

warns 'network.circuits: the job is over at' "$small, circuits: {hold: 1 s}"
warns 'network.circuits.weights has no effect: only circuits that are set once (hold: never) try them' \
    "$clos, circuits: {hold: 1 us, reconfiguration: 1 us, weights: [1, 2]}"
warns 'network.circuits.weights: no effect, because the job has no equivalent groups' "$clos, circuits: {weights: [1, 2]}"
for key in demand: literal: kept:; do
    warns "network.circuits.${key%:} has no effect: with hold: never circuits are set once" \
        "$small, circuits: {hold: never, demand: next, literal: true, kept: lit}"
done
for key in reach method fibres rows seed; do
    warns "network.circuits.$key has no effect: only the controller sip_ring has a ring" \
        "$clos, circuits: {reach: 3, method: load, fibres: half, rows: 2, seed: 3}"
done
for key in period pauses discount links connect routes; do
    warns "network.circuits.$key has no effect: this controller sets circuits for demands" \
        "$clos, circuits: {period: 3 ms, discount: 0.5, links: duplex, connect: none, routes: broken, pauses: always}"
done
for key in hold demand literal kept weights reach method fibres rows seed; do
    warns "network.circuits.$key has no effect: only the controllers sip_ocs and sip_ring have it" \
        'graph: {npus: 4}, circuits: {ports: 1, bandwidth: 1 GB/s, period: 1 ms, hold: 1 ms, demand: next, literal: true, kept: lit, weights: [1],
            reach: 3, method: load, fibres: half, rows: 2, seed: 3}'
done

# The integer program meets its limit, of nodes and not of time: 30 pairs by 24 wavelengths.
awk 'BEGIN { printf "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": 6, \"tasks\": ["
    for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) if (i != j)
        printf "%s{\"role\": \"transfer\", \"from\": %d, \"to\": %d, \"bytes\": \"%d B\"}", (n++ ? ", " : ""), i, j,
            ((i * 7919 + j * 104729) * 3) % 999983 + 1000
    print "]}" }' >all.json
warns 'network.circuits: the integer program met its limit; the minimum rate of its circuits may be' \
    'graph: {npus: 6}, circuits: {controller: sip_ring, ports: 24, bandwidth: 1 GB/s, method: exact}' 'taskgraph: all.json'

[ "$failures" -eq 0 ]
