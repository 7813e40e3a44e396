#!/bin/bash
# Table 1: technologies of optical switching, with what a circuit through each loses and the largest flat cluster.
#
#   usage: examples/topoopt/table1.sh [OUTDIR]
figure=table1
. "$(dirname "$0")/common.sh"

csv=$out/table1.csv
# joins NAME SERVERS: whether one layer of the technology joins so many servers
joins() {
    "$orrery" topo show circulant:1 --npus "$2" --bandwidth 100Gb/s --optical "$1" >/dev/null 2>&1
}
echo "technology,ports,reconfiguration,min_loss_db,max_loss_db,dollars_per_port,circuit_loss_db,largest_flat_cluster" >"$csv"
for name in patch-panel ocs 2d-mems silicon-photonics tunable-lasers rotornet; do
    "$orrery" topo show circulant:1 --npus 4 --bandwidth 100Gb/s --optical "$name" --json - >"$work/$name.json"
    # value KEY: of the technology; empty for null
    value() { awk -F'": ' -v key="\"$1" '$1 ~ "^ *" key "$" { gsub(/[",]/, "", $2); if ($2 != "null") printf "%s", $2 + 0 == 0 ? $2 : $2 ~ /[a-z]/ ? $2 : $2 + 0; exit }' "$work/$name.json"; }
    ports=$(value ports)
    largest=-
    ! joins "$name" "$ports" || joins "$name" $((ports + 1)) || largest=$ports
    echo "$name,$ports,$(value reconfiguration),$(value min_loss_db),$(value max_loss_db),$(value dollars_per_port),$(value circuit_loss_db),$largest"
done >>"$csv"
echo "Table 1: technologies of optical switching"
awk -F, '{ for (i = 1; i <= 8; i++) if ($i == "") $i = "-" }
    NR == 1 { printf "%-18s %5s %16s %12s %8s %13s %9s\n", "", "ports", "reconfiguration", "loss, dB", "$/port", "circuit, dB", "servers" }
    NR > 1 { printf "%-18s %5s %16s %12s %8s %13s %9s\n", $1, $2, $3, $4 == $5 ? $4 : $4 " to " $5, $6, $7, $8 }' "$csv"
echo "A circuit goes through one panel and, to look ahead, a 1x2 switch (0.73 dB) at each end; or through one optical switch."
echo "servers: the largest cluster of one flat layer; what is not commercial has no price."

cell() { awk -F, -v name="$1" -v at="$2" '$1 == name { print $at }' "$csv"; }
says "a panel's ports and price" "1008, 100 dollars" "$(cell patch-panel 2), $(cell patch-panel 6) dollars" "$([ "$(cell patch-panel 2) $(cell patch-panel 6)" = "1008 100" ] && echo yes || echo no)" ""
says "an OCS's ports and price" "384, 520 dollars" "$(cell ocs 2), $(cell ocs 6) dollars" "$([ "$(cell ocs 2) $(cell ocs 6)" = "384 520" ] && echo yes || echo no)" ""
says "a cluster of 432 servers on flat OCSs (Fig. 16)" "simulated" "$(cell ocs 8) servers at most" "$(within "$(cell ocs 8)" 432 1e9)" "an OCS has 384 ports; the paper does not check"
says "a cluster of 4394 servers on panels (section 5.2)" "priced" "$(cell patch-panel 8) servers at most" "$(within "$(cell patch-panel 8)" 4394 1e9)" "a panel has 1008 ports"
must "loss of a circuit through panels" "$(cell patch-panel 7)" 1.96 0
must "loss of a circuit through an OCS" "$(cell ocs 7)" 2.7 0
must "servers on panels" "$(cell patch-panel 8)" 1008 0
must "servers on OCSs" "$(cell ocs 8)" 384 0
must "technologies" "$(($(wc -l <"$csv") - 1))" 6 0
must "those without a price" "$(awk -F, 'NR > 1 && $6 == ""' "$csv" | wc -l)" 4 0
finish
