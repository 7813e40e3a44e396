#!/bin/bash
# Receive buffers (post and wait, Fig. 11): with a depth of d a chunk is sent when the receiver has reduced the
# one d before it. 64 MiB by two trees on the DGX-1; the paper gives no depths.
#
#   usage: examples/c_cube/extra_buffers.sh [OUTDIR]
figure=buffers
. "$(dirname "$0")/common.sh"

reduce() {
    wall "$here/trees.yml" --set 'workload={generate: all_reduce, bytes: 64 MiB}' --set "system.phased=$1" "${@:2}"
}
echo "depth,B_ms,C1_ms" >"$out/buffers.csv"
for depth in 1 2 3 4; do
    buffers="system.receive_buffers=$depth"
    echo "$depth,$(reduce true --set "$buffers"),$(reduce false --set "$buffers")" >>"$out/buffers.csv"
done
echo "unlimited,$(reduce true),$(reduce false)" >>"$out/buffers.csv"

echo "Receive buffers: all-reduce of 64 MiB on the DGX-1, ms"
awk -F, 'NR == 1 { printf "%-10s %8s %8s\n", "depth", "B", "C1" } NR > 1 { printf "%-10s %8.3f %8.3f\n", $1, $2, $3 }' "$out/buffers.csv"
at() { awk -F, -v depth="$1" -v column="$2" '$1 == depth { print $column }' "$out/buffers.csv"; }
must "B, one buffer" "$(at 1 2)" 5.375 0.05375
must "C1, one buffer" "$(at 1 3)" 3.762 0.03762
must "B, two buffers over any number" "$(calc "$(at 2 2) / $(at unlimited 2)")" 1 0.0001
must "C1, two buffers over any number" "$(calc "$(at 2 3) / $(at unlimited 3)")" 1 0.0001
adds "receive buffers of a connection, managed by semaphores (Fig. 11)" \
    "one costs B $(FORMAT=%.0f calc "100 * ($(at 1 2) / $(at unlimited 2) - 1)") % and C1 $(FORMAT=%.0f calc "100 * ($(at 1 3) / $(at unlimited 3) - 1)") %, two cost nothing" \
    "the paper gives no depth"
awk -F, 'NR > 1 { print "B," $1 "," $2; print "C1," $1 "," $3 }' "$out/buffers.csv" |
    plot buffers bars=1 from=0 title="Receive buffers, 64 MiB" xlabel="depth" ylabel="ms"
finish
