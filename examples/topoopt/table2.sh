#!/bin/bash
# Table 2: prices of components, read off networks of one link.
#
#   usage: examples/topoopt/table2.sh [OUTDIR]
figure=table2
. "$(dirname "$0")/common.sh"

csv=$out/table2.csv
# price PART ARGUMENT...: dollars of one of these parts in a network
price() {
    local part=$1
    shift
    "$orrery" topo show "$@" --json - | awk -v part="\"$part\"," '$1 == "\"part\":" { own = substr($0, index($0, ":") + 2) == part }
        own && $1 == "\"number\":" { n = $2 + 0 } own && $1 == "\"dollars\":" { printf "%g", (n > 0 ? $2 / n : 0) }'
}
# A server at a switch has a NIC, a transceiver at each end, and a port: a link of 200 Gb/s has two of each.
echo "Table 2: dollars of a component, by the bandwidth of a link"
echo "gbit_per_s,transceiver,nic,switch_port,panel_port,ocs_port,one_by_two_switch" >"$csv"
for b in 10 25 40 100 200; do
    link="ideal-switch --npus 1 --ideal one-switch --bandwidth ${b}Gb/s"
    lanes=$((b > 100 ? b / 100 : 1))
    ring="circulant:+1 --npus 3 --bandwidth ${b}Gb/s"
    transceiver=$(price transceivers $link)
    port=$(price "switch ports" $link)
    echo "$b,$((lanes * transceiver)),$(price NICs $link),$((lanes * port)),$(price "panel ports" $ring --optical patch-panel),$(price "OCS ports" $ring --optical ocs),$(price "1x2 switches" $ring --optical patch-panel)"
done >>"$csv"
awk -F, 'NR == 1 { printf "%6s %12s %6s %12s %11s %9s %11s\n", "Gb/s", "transceiver", "NIC", "switch port", "panel port", "OCS port", "1x2 switch" }
    NR > 1 { printf "%6s %12s %6s %12s %11s %9s %11s\n", $1, $2, $3, $4, $5, $6, $7 }' "$csv"
echo "The NIC of 200 Gb/s is a card with two ports of 100 Gb/s, which servers with several interfaces of 100 Gb/s share too."

cat >"$work/paper" <<'EOF'
10,20,185,94,100,520,25
25,39,185,144,100,520,25
40,39,354,144,100,520,25
100,99,678,187,100,520,25
200,198,815,374,100,520,25
EOF
same=$(tail -n +2 "$csv" | cmp -s - "$work/paper" && echo yes || echo no)
says "all prices of Table 2" "its five rows" "the same five rows" "$same" ""
must "rows that are the paper's" "$(tail -n +2 "$csv" | grep -cxFf "$work/paper")" 5 0
finish
