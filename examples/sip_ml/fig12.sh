#!/bin/bash
# Fig. 12(d): throughput of the test bed over the length of a scheduling slot.
#
#   usage: examples/sip_ml/fig12.sh [OUTDIR]
#
# Three nodes, by a link of 10 Gb/s each: node 0 has as many bytes for node 1 as for node 2, and light leads to one of
# them at a time. Every slot begins with a reconfiguration, in which it is dark: 20 us, or 13 and 15 us in turn, which
# Fig. 12(c) has on average. Throughput is that over what the same run gets without dark times; the paper's rule for it is
# (slot - 20 us) / slot. The slots are changes of the network; beside them the same job on circuits that a controller sets for
# what is still waiting: one circuit out of each node, held for slot - 20 us and dark for 20 us, which leads to the fuller of
# the two, so to one after the other.
figure=fig12
. "$(dirname "$0")/common.sh"

slots=(64 128 220 256 512 1000)
bytes=125000000 # for each of the two: 100 ms of light
{
    echo 'digraph g {'
    for to in 1 2; do
        label="COMM | COMM_SEND_RECV_NODE | src=0 | dst=$to | size=$bytes"
        echo "  s$to [label=\"{ npu_id=0 | s$to | $label }\"]; r$to [label=\"{ npu_id=$to | r$to | $label }\"]; s$to -> r$to;"
    done
    echo '}'
} >"$work/work.dot"
echo 'workload: {taskgraph: work.dot}' >"$work/work.yml"

# platform SLOT DARK_TO_1 DARK_TO_2: changes until the job is over at any rate, in us
platform() {
    awk -v slot="$1" -v one="$2" -v two="$3" -v lit="$(calc "2 * $bytes * 8e-4")" 'BEGIN {
        print "network:\n  graph: {npus: 3, links: [{from: 0, to: 1, bandwidth: 10 Gb/s}, {from: 0, to: 2, bandwidth: 10 Gb/s}]}"
        print "  fluid: true\n  changes:"
        most = lit / (1 - (one > two ? one : two) / slot) + 4 * slot
        for (at = 0; at < most; at += slot) {
            to = 1 + i++ % 2
            dark = to == 1 ? one : two
            printf "    - {at: %d us, link: 0-%d, bandwidth: 0}\n", at, 3 - to
            if (dark > 0 && at == 0) printf "    - {at: 0 us, link: 0-%d, bandwidth: 0}\n", to
            printf "    - {at: %d us, link: 0-%d, bandwidth: 10 Gb/s}\n", at + dark, to
        } }'
}

# wall_us SLOT DARK_TO_1 DARK_TO_2
wall_us() {
    platform "$@" >"$work/slots.yml"
    "$orrery" run "$work/slots.yml" "$work/work.yml" --json - | awk -F': ' '$1 == "  \"wall_ps\"" { print $2 / 1e6 }'
}

# controlled_us CONTROLLER HOLD DARK: the same, where a controller sets circuits
controlled_us() {
    printf 'network:\n  graph: {npus: 3}\n  circuits: {controller: %s, ports: 1, bandwidth: 10 Gb/s, latency: 0 us, hold: %s us, reconfiguration: %s us}\n' "$@" >"$work/circuits.yml"
    "$orrery" run "$work/circuits.yml" "$work/work.yml" --json - | awk -F': ' '$1 == "  \"wall_ps\"" { print $2 / 1e6 }'
}

csv=$out/fig12.csv
echo "slot_us,throughput,rule,throughput_13_15,sip_ocs,sip_ring" >"$csv"
for slot in "${slots[@]}"; do
    ideal=$(wall_us "$slot" 0 0)
    echo "$slot,$(calc "$ideal / $(wall_us "$slot" 20 20)"),$(calc "1 - 20 / $slot"),$(calc "$ideal / $(wall_us "$slot" 13 15)"),$(calc "$(controlled_us sip_ocs "$slot" 0) / $(controlled_us sip_ocs "$((slot - 20))" 20)"),$(calc "$(controlled_us sip_ring "$slot" 0) / $(controlled_us sip_ring "$((slot - 20))" 20)")"
done >>"$csv"

echo "Fig. 12(d): throughput over the ideal, by the length of a slot; light is dark for 20 us at its beginning"
awk -F, 'NR == 1 { printf "%8s %10s %18s %18s %10s %10s\n", "slot, us", "simulated", "(slot - 20) / slot", "dark for 13, 15 us", "sip_ocs", "sip_ring" }
    NR > 1 { printf "%8d %10.4f %18.4f %18.4f %10.4f %10.4f\n", $1, $2, $3, $4, $5, $6 }' "$csv"
awk -F, 'NR > 1 { print "simulated," $1 "," $2; print "(slot - 20) / slot," $1 "," $3; print "dark for 13 and 15 us," $1 "," $4; print "by sip_ocs," $1 "," $5 }' "$csv" |
    plot fig12 title="Fig. 12(d): throughput of three nodes, 20 us dark at each slot" xlabel="length of a slot, us" ylabel="of the ideal" logx=1

column() { awk -F, -v slot="$1" -v at="$2" '$1 == slot { print $at }' "$csv"; }
for slot in "${slots[@]}"; do
    must "slot of $slot us ((slot - 20) / slot)" "$(column "$slot" 2)" "$(column "$slot" 3)" "$(calc "$(column "$slot" 3) / 100")"
    known "slot of $slot us" "$(column "$slot" 2)"
    must "slot of $slot us by sip_ocs ((slot - 20) / slot)" "$(column "$slot" 5)" "$(column "$slot" 3)" "$(calc "$(column "$slot" 3) / 100")"
    must "slot of $slot us by sip_ring ((slot - 20) / slot)" "$(column "$slot" 6)" "$(column "$slot" 3)" "$(calc "$(column "$slot" 3) / 100")"
done
at=$(column 220 2)
says "above 90 % of the ideal throughput with slots of 220 us" "above 0.9" "$at" "$(within "$at" 0.9 1)" ""
says "the same, by a controller of one circuit out of each node" "above 0.9" "sip_ocs $(column 220 5), sip_ring $(column 220 6)" "$(within "$(column 220 5)" 0.9 1)" "demands are what is waiting in the last period; demand: total would never turn to the second node"
finish
