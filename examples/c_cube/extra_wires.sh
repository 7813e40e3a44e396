#!/bin/bash
# What the wires are worth (Figs. 6 and 10): 64 MiB by two trees with detours, by trees that need none, over
# PCIe between the halves instead of detours, with one NVLink for each pair, and by one tree.
#
#   usage: examples/c_cube/extra_wires.sh [OUTDIR]
figure=wires
. "$(dirname "$0")/common.sh"

line() { # line NAME PLATFORM OPTION...
    local name=$1 platform=$2 b c
    shift 2
    # It warns of links that are shared, which is what is looked at here.
    { b=$(wall "$here/$platform.yml" --set 'workload={generate: all_reduce, bytes: 64 MiB}' --set system.phased=true "$@") &&
        c=$(wall "$here/$platform.yml" --set 'workload={generate: all_reduce, bytes: 64 MiB}' "$@"); } 2>"$work/said" ||
        { cat "$work/said" >&2; exit 1; }
    echo "$name,$b,$c" >>"$out/wires.csv"
}
echo "wires,B_ms,C1_ms" >"$out/wires.csv"
line "two trees with detours" trees
line "two trees without detours" trees --set 'system.trees=["- 3 1 0 7 1 7 3", "2 - 1 0 0 6 2 6"]'
line "one tree" trees --set 'system.trees=["- 2 4 2 0 6 4 6"]'
line "one NVLink for each pair" single
line "PCIe at 12 GB/s" pcie
line "PCIe at 8 GB/s" pcie --set "network.graph.links[20].bandwidth=8 GB/s"

echo "All-reduce of 64 MiB on the DGX-1, ms"
awk -F, 'NR == 1 { printf "%-28s %8s %8s\n", "wires", "B", "C1" } NR > 1 { printf "%-28s %8.3f %8.3f\n", $1, $2, $3 }' "$out/wires.csv"
at() { awk -F, -v name="$1" -v column="$2" '$1 == name { print $column }' "$out/wires.csv"; }
# The ways to the two hosts take alpha too: two more hops, 3 % of the time over PCIe.
while IFS=, read -r name b c share; do
    [ -z "$b" ] || must "$name: B" "$(at "$name" 2)" "$b" "$(calc "$share * $b")"
    [ -z "$c" ] || must "$name: C1" "$(at "$name" 3)" "$c" "$(calc "$share * $c")"
done <<'KNOWN'
two trees with detours,3.762,2.150,0.01
two trees without detours,,2.016,0.01
one tree,,3.896,0.01
one NVLink for each pair,3.762,3.762,0.01
PCIe at 12 GB/s,12.0,6.3,0.03
PCIe at 8 GB/s,17.6,9.2,0.03
KNOWN
says "with one link for each pair two trees cannot overlap" "not possible" \
    "C1 takes $(FORMAT=%.3f calc "$(at "one NVLink for each pair" 3)") ms, B $(FORMAT=%.3f calc "$(at "one NVLink for each pair" 2)") ms" \
    "$(within "$(calc "$(at "one NVLink for each pair" 3) / $(at "one NVLink for each pair" 2)")" 0.99 1.01)" "C1 over B is 1 to a percent then"
says "one overlapped tree is no faster than two trees without overlap (Fig. 6c)" "yes" \
    "$(FORMAT=%.3f calc "$(at "one tree" 3)") against $(FORMAT=%.3f calc "$(at "two trees with detours" 2)") ms" \
    "$(holds "$(at "one tree" 3) >= $(at "two trees with detours" 2)")" ""
slower_by() { FORMAT=%.1f calc "$(at "PCIe at $1 GB/s" 3) / $(at "two trees with detours" 3)"; }
says "detours outperform PCIe" "yes" "C1 takes $(slower_by 12) and $(slower_by 8) times as long over PCIe at 12 and 8 GB/s" \
    "$(for gb in 8 12; do echo "$gb $(within "$(slower_by $gb)" 1.01 1e9)"; done | span "GB/s of PCIe")" ""
awk -F, 'NR > 1 { print "B," $1 "," $2; print "C1," $1 "," $3 }' "$out/wires.csv" |
    plot wires bars=1 from=0 title="All-reduce of 64 MiB on the DGX-1" ylabel="ms"
finish
