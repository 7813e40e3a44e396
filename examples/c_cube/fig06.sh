#!/bin/bash
# Fig. 6: steps of an all-reduce of 6 chunks by one tree and by two, each in two phases and overlapped. On the
# DGX-1, by two trees that need no detours (depth L = 3), a chunk taking an NVLink for 1 ms.
#
#   usage: examples/c_cube/fig06.sh [OUTDIR]
figure=fig06
. "$(dirname "$0")/common.sh"

one='["- 3 1 0 7 1 7 3"]'
two='["- 3 1 0 7 1 7 3", "2 - 1 0 0 6 2 6"]'
steps() { # steps TREES PHASED
    FORMAT=%.3f calc "$(wall "$here/trees.yml" --set network.graph.bandwidth=1GB/s --set network.message_overhead=0ns \
        --set 'workload={generate: all_reduce, bytes: 6 MB}' --set "system.trees=$1" --set system.chunks_of.all_reduce=6 \
        --set "system.phased=$2")"
}
# first TREES PHASED: steps until the first chunk is back at every GPU
first() {
    "$orrery" run "$here/trees.yml" --set network.graph.bandwidth=1GB/s --set network.message_overhead=0ns --set "$(lone 6000000)" \
        --set "system.trees=$1" --set system.chunks_of.all_reduce=6 --set "system.phased=$2" --json - |
        awk '/^  "gradient_turnaround_ps":/ { printf "%.3f", $2 / 1e9 }'
}
L=3
{ echo "way,formula,steps,here"
  echo "a: one tree,2 (L + 5),$((2 * (L + 5))),$(steps "$one" true)"
  echo "b: two trees,2 (L + 2),$((2 * (L + 2))),$(steps "$two" true)"
  echo "c: one tree overlapped,2 L + 5,$((2 * L + 5)),$(steps "$one" false)"
  echo "d: two trees overlapped,2 L + 2,$((2 * L + 2)),$(steps "$two" false)"; } >"$out/fig06.csv"

echo "Fig. 6: steps of 6 chunks, L = 3"
awk -F, '{ printf "%-26s %-10s %6s %8s\n", $1, $2, $3, $4 }' "$out/fig06.csv"
while IFS=, read -r way _ expected got; do
    must "$way" "$got" "$expected" 0.001
done < <(tail -n +2 "$out/fig06.csv")
of() { awk -F, -v way="$1" 'substr($1, 1, 1) == way { print $4 + 0 }' "$out/fig06.csv"; }
says "one overlapped tree (c) is not faster than two without overlap (b)" "yes" "$(of c) steps against $(of b)" "$(holds "$(of c) >= $(of b)")" ""
says "but its first gradients are there sooner" "yes" "after $(first "$one" false) steps instead of $(first "$two" true)" \
    "$(holds "$(first "$one" false) < $(first "$two" true)")" ""
says "two overlapped trees (d) are the fastest" "yes" "$(of d) steps" "$(holds "$(of d) < $(of a) && $(of d) < $(of b) && $(of d) < $(of c)")" "where no channel is used twice"
awk -F, 'NR > 1 { print "steps," $1 "," $4 }' "$out/fig06.csv" |
    plot fig06 bars=1 from=0 title="Fig. 6: steps of 6 chunks on 8 GPUs" ylabel="steps"
finish
