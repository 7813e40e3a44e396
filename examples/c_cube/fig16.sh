#!/bin/bash
# Fig. 16: patterns of computation and communication. Five layers whose forward pass takes 150 ms and whose
# gradients take nine tenths of that in 45 equal chunks, chained: a layer begins when its chunks are there.
# Case 1: data grow and computation falls from layer to layer; 2: both grow; 3: both fall.
#
#   usage: examples/c_cube/fig16.sh [OUTDIR]
figure=fig16
. "$(dirname "$0")/common.sh"

echo "case,layer_1_waits,bubbles,forward_ends" >"$out/fig16.csv"
for i in 1 2 3; do
    # The backward pass takes 300 ms.
    "$orrery" run "$root/inputs/workloads/gradient_queue_$i.yml" --json - --timeline "$out/fig16_case$i.json" |
        awk -v i=$i '/^  "wall_ps":/ { wall = $2 / 1e9 } /^  "first_wait_ps":/ { first = $2 / 1e9 } /^  "bubbles_ps":/ { bubbles = $2 / 1e9 }
            END { printf "%d,%.4f,%.4f,%.4f\n", i, first / 150, bubbles / 150, (wall - 300) / 150 }' >>"$out/fig16.csv"
done
echo "Fig. 16: in forward passes: until layer 1 begins, bubbles of later layers, end of the forward pass"
awk -F, 'NR == 1 { printf "%-6s %14s %9s %14s\n", "case", "layer 1 waits", "bubbles", "forward ends" }
    NR > 1 { printf "%-6d %14.3f %9.3f %14.3f\n", $1, $2, $3, $4 }' "$out/fig16.csv"
at() { awk -F, -v i="$1" -v column="$2" '$1 == i { print $column }' "$out/fig16.csv"; }
while read -r i wait bubbles end; do
    must "case $i: layer 1 waits" "$(at "$i" 2)" "$wait" 0.0005
    must "case $i: bubbles" "$(at "$i" 3)" "$bubbles" 0.0005
    must "case $i: forward ends" "$(at "$i" 4)" "$end" 0.0005
done <<'KNOWN'
1 0.080 0 1.080
2 0.080 0.1733 1.2533
3 0.320 0 1.320
KNOWN
says "case 1 (computation falls, data grow) chains without bubbles" "yes" "bubbles of $(FORMAT=%.3f calc "$(at 1 3)")" "$(within "$(at 1 3)" 0 0)" ""
says "case 2 (computation grows): bubbles" "yes" "$(FORMAT=%.3f calc "$(at 2 3)") of the forward pass" "$(holds "$(at 2 3) > 0")" \
    "communication of 0.9 of the forward pass is ours; at 0.5 there are none"
says "case 3 (most data in the first layers): the turnaround is pushed back" "yes" \
    "layer 1 waits for $(FORMAT=%.3f calc "$(at 3 2)") instead of $(FORMAT=%.3f calc "$(at 1 2)")" "$(holds "$(at 3 2) > $(at 1 2)")" ""
awk -F, 'NR > 1 { x = "case " $1; print "layer 1 waits," x "," $2; print "bubbles," x "," $3 }' "$out/fig16.csv" |
    plot fig16 bars=1 from=0 title="Fig. 16: what chaining cannot hide" ylabel="forward passes"
finish
