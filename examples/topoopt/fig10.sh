#!/bin/bash
# Fig. 10: dollars of the network over the number of servers, by fabric and by how the ideal switch and cards are priced.
#
#   usage: examples/topoopt/fig10.sh [OUTDIR]
figure=fig10
. "$(dirname "$0")/common.sh"

# Full fat-trees of k ports have k^3/4 servers: k = 8, 12, 16, 20, 26.
servers="128 432 1024 2000 4394"
[ -z "${QUICK:-}" ] || servers="128 432"
most=4394 # ports of a panel or circuit switch: 1008 and 384 do not join as many servers
csv=$out/fig10.csv

# dollars ARGUMENT...: of a network; empty, where something has no price
dollars() {
    "$orrery" topo show "$@" --json - | awk '/^    "dollars":/ { sub(/,/, "", $2); if ($2 != "null") printf "%.0f", $2 }'
}
# direct FABRIC SERVERS GBITS ARGUMENT...: with interfaces of so many Gb/s
direct() {
    local fabric=$1 n=$2 gbits=$3
    shift 3
    dollars "$fabric" --npus "$n" --bandwidth "${gbits}Gb/s" --optical-ports "$most" "$@"
}
switched() {
    local fabric=$1 n=$2 gbits=$3
    shift 3
    dollars "$fabric" --npus "$n" --bandwidth "${gbits}Gb/s" "$@"
}
jumps() { [ "$1" = 4 ] && printf circulant:1,13 || printf circulant:1,5,13,39; }

# all SERVERS DEGREE GBITS: a line for each fabric
all() {
    local n=$1 d=$2 b=$3
    local graph trees="--ideal parallel-trees --degree $d"
    graph=$(jumps "$d")
    line() {
        local price
        price=$("${@:2}")
        echo "$n,$d,$b,$1,$price"
    }
    line TopoOpt direct "$graph" "$n" "$b" --optical patch-panel
    line "TopoOpt (OCS); OCS-reconfig" direct "$graph" "$n" "$b" --optical ocs
    line "Ideal Switch" switched ideal-switch "$n" $((d * b))
    line "Ideal Switch (d trees)" switched ideal-switch "$n" $((d * b)) $trees
    line "Fat-tree" switched fat-tree "$n" $((d * b / 4))
    line Expander switched "expander:$d" "$n" "$b"
    line SiP-ML direct "$graph" "$n" "$b" --optical silicon-photonics
}
echo "Fig. 10: dollars of the network"
echo "ports of 100 Gb/s of a server share cards; the Fat-tree has one NIC of d x B / 4; flat optical layers are taken to"
echo "have $most ports, though a patch panel has 1008 and an optical circuit switch 384; SiP-ML is not commercial"
echo "servers,degree,gbit_per_s,fabric,dollars" >"$csv"
for n in $servers; do
    all "$n" 4 100
    all "$n" 8 200
done >>"$csv"
awk -F, 'NR > 1 { printf "%5d servers, d = %d, %d Gb/s  %-28s %12s\n", $1, $2, $3, $4, $5 == "" ? "-" : $5 }' "$csv"

# of FABRIC DEGREE: dollars with the least number of servers; the ratios are the same with all
of() { awk -F, -v fabric="$1" -v d="$2" '$4 == fabric && $2 == d { print $5; exit }' "$csv"; }
# mean OVER UNDER: of the ratio at d = 4 and 8
mean() { calc "($(of "$1" 4) / $(of "$2" 4) + $(of "$1" 8) / $(of "$2" 8)) / 2"; }
ideal=$(mean "Ideal Switch" TopoOpt)
trees=$(mean "Ideal Switch (d trees)" TopoOpt)
ocs=$(mean "TopoOpt (OCS); OCS-reconfig" TopoOpt)

# The other readings, on 128 servers: without fibres, and with a card for each interface.
reading() { # reading FABRIC ARGUMENT...: dollars at d = 4, then at d = 8
    local fabric=$1
    shift
    case $fabric in
    ideal) switched ideal-switch 128 400 --degree 4 "$@" && echo && switched ideal-switch 128 1600 --degree 8 "$@" ;;
    *) direct circulant:1,13 128 100 --optical "$fabric" "$@" && echo && direct circulant:1,5,13,39 128 200 --optical "$fabric" "$@" ;;
    esac 2>/dev/null
}
# ratio OVER UNDER IDEAL ARGUMENT...: the mean, of lines of two fabrics
ratio() {
    local over=$1 under=$2
    shift 2
    paste <(reading "$over" "$@") <(reading "$under" "$@") | awk '{ sum += $1 / $2 } END { printf "%.4f", sum / 2 }'
}
bare=$(ratio ocs patch-panel --fibres false)
bare_ideal=$(ratio ideal patch-panel --fibres false --ideal parallel-trees)
single=$(ratio ideal patch-panel --cards single)
single_ocs=$(ratio ocs patch-panel --cards single)

# 50 % off panel ports, at 4394 servers, d = 4 and 100 Gb/s.
half=$(direct circulant:1,13 4394 100 --optical patch-panel --discount panel_port=0.5)
whole=$(direct circulant:1,13 4394 100 --optical patch-panel)
ideal_4394=$(switched ideal-switch 4394 400)
trees_4394=$(switched ideal-switch 4394 400 --ideal parallel-trees --degree 4)

unknown="the paper does not say which degrees and bandwidths it averages over"
says "Ideal Switch over TopoOpt, mean of d = 4 at 100 and d = 8 at 200 Gb/s" "3.2" "$ideal" "$(within "$ideal" 3.04 3.36)" "$unknown"
says "OCSs over patch panels, mean" "1.33" "$ocs" "$(within "$ocs" 1.2635 1.3965)" "1.335 at 100 Gb/s alone"
says "the same, an Ideal Switch of d trees with cards of their own" "3.2 and 1.33" "$trees and $ocs" \
    "$(within "$trees" 3.04 3.36)" ""
says "the same, without fibres" "3.2 and 1.33" "$bare_ideal and $bare" "$(within "$bare" 1.2635 1.3965)" ""
says "the same, a card for each interface" "3.2 and 1.33" "$single and $single_ocs" "$({ within "$single" 3.04 3.36; within "$single_ocs" 1.2635 1.3965; } | all_of)" \
    "the card of 815 dollars in Table 2 has two ports of 100 Gb/s"
full=$(calc "$ideal_4394 / $whole") full_trees=$(calc "$trees_4394 / $whole")
less=$(calc "$ideal_4394 / $half") less_trees=$(calc "$trees_4394 / $half")
says "4394 servers: Ideal Switch over TopoOpt" "3.0" "$full; d trees $full_trees" "$(within "$full_trees" 2.85 3.15)" ""
says "the same, 50 % off panel ports" "3.6" "$less; d trees $less_trees" "$(within "$less_trees" 3.42 3.78)" \
    "3.6 has discounts of other parts too, of prices that are not published"
equal=$(calc "$(of Fat-tree 4) / $(of TopoOpt 4)")
says "TopoOpt and Fat-tree cost the same" "overlap" "Fat-tree over TopoOpt $equal (d = 4)" "$(within "$equal" 0.9 1.1)" \
    "cards of two ports make a Fat-tree with one NIC of 100 Gb/s cheaper; the paper chose its bandwidth to match"
for d in 4 8; do
    cheapest=$(awk -F, -v d="$d" 'NR > 1 && $2 == d && $5 != "" && (least == "" || $5 / $1 < least) { least = $5 / $1; name = $4 }
        END { print name }' "$csv")
    says "the cheapest fabric, d = $d" Expander "$cheapest" "$([ "$cheapest" = Expander ] && echo yes || echo no)" "by the prices of Table 2"
done
says "the dearest fabric" SiP-ML "not run" "not run" "SiP-ML has no price"

must "Ideal Switch over TopoOpt" "$ideal" 3.0730 0.0001
must "OCSs over patch panels" "$ocs" 1.2736 0.0001
must "d trees over TopoOpt" "$trees" 3.2265 0.0001
must "OCSs over patch panels, without fibres" "$bare" 1.3208 0.0001
must "a card for each interface" "$single" 2.7552 0.0001
must "50 % off panel ports" "$less" 3.0537 0.0001
must "50 % off panel ports, d trees" "$less_trees" 3.3999 0.0001
must "fabrics without a price" "$(awk -F, 'NR > 1 && $5 == "" { n[$4]++ } END { for (f in n) i++; print i + 0 }' "$csv")" 1 0
awk -F, 'NR > 1 && $2 == 4 && $5 != "" { print $4 "," $1 "," $5 }' "$csv" |
    plot fig10 logx=1 logy=1 title="Fig. 10: d = 4, 100 Gb/s" xlabel="servers" ylabel="dollars"
finish
