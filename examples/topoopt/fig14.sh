#!/bin/bash
# Fig. 14: how many links apart 128 servers are, of all pairs, by reading of the links and of the selection of jumps.
#
#   usage: examples/topoopt/fig14.sh [OUTDIR]
figure=fig14
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

echo "Fig. 14: links between two of 128 servers, mean and most by reading:"
declare -a forwarded here_of paper_of
echo "degree,links,selection,hops,pairs,share,share_within" >"$out/fig14.csv"
readings="4|both ways|published code|1,13|5.622|5.7
8|both ways|published code|1,5,13,39|2.961|3
4|both ways|Algorithm 3|1,11|5.480|5.7
8|both ways|Algorithm 3|1,3,11,37|2.929|3
4|one-way|Algorithm 3|+1,+3,+11,+37|4.520|5.7
8|one-way|Algorithm 3|+1,+3,+5,+9,+17,+31,+57,+105|3.055|3"
while IFS='|' read -r d links selection list known paper; do
    "$orrery" topo show "circulant:$list" --npus 128 --hops - >"$work/hops"
    awk -F, -v OFS=, -v head="$d,$links,$selection" 'NR > 1 { print head, $0 }' "$work/hops" >>"$out/fig14.csv"
    mean=$(awk -F, 'NR > 1 { pairs += $2; sum += $1 * $2 } END { printf "%.3f", sum / pairs }' "$work/hops")
    most=$(awk -F, 'END { print $1 }' "$work/hops")
    must "mean path, d = $d, $links, $selection" "$mean" "$known" 0.0006
    must "pairs, d = $d, $links, $selection" "$(awk -F, '{ n += $2 } END { print n }' "$work/hops")" $((128 * 127)) 0
    [ "$selection" != "published code" ] || forwarded[d]=$(FORMAT=%.3f calc "$mean / 4")
    echo "$links, jumps ${list//,/ } of $selection $(within "$mean" "$(calc "0.97 * $paper")" "$(calc "1.03 * $paper")")" >>"$work/mean_$d"
    here_of[d]="${here_of[d]:-}${here_of[d]:+; }$mean (at most $most) $links, jumps ${list//,/ }"
    paper_of[d]=$paper
done <<<"$readings"
for d in 4 8; do
    says "mean path, d = $d" "${paper_of[d]}" "${here_of[d]}" "$(list_of <"$work/mean_$d")" "within 3 %; the paper does not say which way its links go"
done
says "forwarding, all-to-all alone, against the Fat-tree, d = 4" "at least 1.4" "${forwarded[4]}" "$(within "${forwarded[4]}" 1.4 99)" \
    "5.7 / 1.4 = 4.07: TopoOpt has 4 times the bandwidth of the Fat-tree (d B against d B / 4)"
# A step at each number of links.
awk -F, 'NR > 1 && $3 == "published code" { name = "d = " $1; if (!(name in last)) print name "," 0 "," 0
        print name "," $4 "," last[name] + 0; print name "," $4 "," $7; last[name] = $7 }' "$out/fig14.csv" |
    plot fig14 bare=1 from=0 title="Fig. 14: links between two servers" xlabel="links" ylabel="share of pairs"
finish
