#!/bin/bash
# Fig. 23: double binary trees of 16 servers: those of the algorithm, in which the leaves of one are inside the other,
# and two more, in which server 3 v and 7 v mod 16 stand where v would.
#
#   usage: examples/topoopt/fig23.sh [OUTDIR]
figure=fig23
. "$(dirname "$0")/common.sh"

echo "Fig. 23: parents of servers 0 to 15 in double binary trees"
echo "jump,tree,parents" >"$out/fig23.csv"
inside=0
for p in 1 3 7; do
    "$orrery" topo trees full-mesh --npus 16 --trees "jump=$p" -o "$out/fig23_$p.svg"
    "$orrery" topo trees full-mesh --npus 16 --trees "jump=$p" >"$work/trees"
    awk -v OFS=, -v p="$p" '/^parents of tree/ { tree = $4; sub(/^parents of tree [01] */, ""); print p, tree, $0 }' "$work/trees" >>"$out/fig23.csv"
    inside=$((inside + $(awk '/^inner nodes of two/ { print $NF }' "$work/trees")))
    must "jump $p: servers inside both trees" "$(awk '/^inner nodes of two/ { print $NF }' "$work/trees")" 0 0
    must "jump $p: links from a root to the farthest server" "$(awk '/^depth/ { print $2 }' "$work/trees")" 4 0
done
awk -F, '{ printf "%-6s %-6s %s\n", $1, $2, $3 }' "$out/fig23.csv"
says "a: inner servers of the one tree are leaves of the other" "even and odd" "servers inside both: $inside" "$(within "$inside" 0 0)" ""
says "b, c: two more pairs of trees" "other labels" "jumps 3 and 7" "$([ "$(awk -F, '$2 == 0 { print $3 }' "$out/fig23.csv" | sort -u | wc -l)" -eq 3 ] && echo yes || echo no)" "the paper does not say which; any without a common divisor with 16 will do"
finish
