#!/bin/bash
# What sections 3.1, 3.3 and 5 say of SiP-ML's hardware: duty cycle, power budget, interfaces and their cost, optical switches
# of few ports, and 2D rings (`orrery topo sip-ml`).
#
#   usage: examples/sip_ml/section5.sh [OUTDIR]
figure=section5
. "$(dirname "$0")/common.sh"

# hardware NAME OPTION...: figures as CSV; cell NAME TABLE ROW COLUMN: one of them
hardware() {
    local name=$1
    shift
    "$orrery" topo sip-ml "$@" --csv "$work/$name.csv"
}
cell() { awk -F, -v table="$2" -v row="$3" -v column="$4" '$1 == table && $2 == row && $3 == column { print $4; exit }' "$work/$1.csv"; }

hardware paper
hardware bed --reconfiguration "20 us" --hold "220 us"
hardware best --ring-db 0.025
hardware ten --bandwidth "10 Tb/s"
hardware chip --bandwidth "2 Tb/s"
hardware near --budget-db 9.4
hardware radix --radix 16
hardware rows --rows 16,32,64

csv=$out/section5.csv
note() { # NUMBER PAPER HERE: a row of the table, and a number that is known
    echo "$1,$2,$3" >>"$csv"
    known "$1" "$3"
}
echo "number,paper,here" >"$csv"
held=$(cell paper duty_cycle 250 duty) slot=$(cell paper duty_cycle 250 slot_duty)
bed=$(cell bed duty_cycle 220 slot_duty)
note "duty cycle of 10 r dark in the slot" 0.9 "$(FORMAT=%.4f calc "$slot")"
note "duty cycle of 10 r held and then dark" 0.9 "$(FORMAT=%.4f calc "$held")"
note "duty cycle of slots of 220 us with 20 us dark" "above 0.9" "$(FORMAT=%.4f calc "$bed")"
note "duty cycle of 100 us held and 25 us dark" "" "$(cell paper duty_cycle 100 duty)"
note "loss of a node in dB" 0.625 "$(cell paper power_budget 10 node_db)"
note "loss of a node in dB at best" 0.525 "$(cell best power_budget 10 node_db)"
note "nodes in reach" 16 "$(cell paper power_budget 10 reach)"
note "nodes in reach at best" "" "$(cell best power_budget 10 reach)"
note "micro-rings of 10 Tb/s" 400 "$(cell ten interfaces SiP-OCS micro_rings)"
note "micro-rings of 2 Tb/s" 80 "$(cell chip interfaces SiP-OCS micro_rings)"
note "chips of 2 Tb/s" 1 "$(cell chip interfaces SiP-OCS chips)"
note "chips of 8192 Gb/s" "" "$(cell paper interfaces SiP-OCS chips)"
chip=$(cell paper cost "chips of a small run" dollars_each) mass=$(cell paper cost "chips in mass production" dollars_each)
note "dollars of 20 chips" 44082 "$(FORMAT=%.0f calc "20 * $chip")"
note "dollars of a chip" 4408 "$chip"
note "dollars of a chip in mass production" 440 "$(FORMAT=%.2f calc "$mass - 300")"
note "dollars of a chip in mass production with electronics" 740 "$mass"
small=$(cell paper cost "chips of a small run" dollars_per_gbit_per_s) large=$(cell paper cost "chips in mass production" dollars_per_gbit_per_s)
note "dollars a Gb/s of chips of a small run" "" "$(FORMAT=%.3f calc "$small")"
note "dollars a Gb/s of chips in mass production" "" "$(FORMAT=%.3f calc "$large")"
note "dollars a Gb/s of SiP optics" 1 "$(cell paper cost "pluggable SiP optics" dollars_per_gbit_per_s)"
note "dollars a Gb/s of SR optics" 3 "$(cell paper cost "pluggable SR optics" dollars_per_gbit_per_s)"
clos=$(cell paper switches Clos switches) clos_db=$(cell paper switches Clos loss_db)
bcube=$(cell paper switches BCube switches) between=$(FORMAT=%.4f calc "$(cell paper switches BCube around)")
sixteen=$(FORMAT=%.4f calc "$(cell radix switches BCube around)")
note "OCSs as Clos networks" "" "$clos"
note "loss through Clos networks in dB" "" "$clos_db"
note "OCSs as BCube" "" "$bcube"
note "pairs between groups with a circuit in BCube" "" "$between"
note "pairs between groups with a circuit in BCube of radix 16" "" "$sixteen"
note "rings of 32 x 32 GPUs" 64 "$(cell rows rings 32 rings)"
note "rings of 64 x 16 GPUs" 80 "$(cell rows rings 64 rings)"
note "pairs between groups on one of 32 x 32 rings" "" "$(cell rows rings 32 around)"
note "pairs between groups on one of 64 x 16 rings" "" "$(cell rows rings 64 around)"

echo "Hardware of SiP-ML: 1024 GPUs of 8192 Gb/s, Q = 16, OCSs of 384 ports"
awk -F, 'NR > 1 { printf "%-58s %12s %12s\n", $1, $2 == "" ? "-" : $2, $3 }
    NR == 1 { printf "%-58s %12s %12s\n", "", $2, $3 }' "$csv"

awk -F, '$1 == "duty_cycle" { if ($3 == "dark_times") r = $4
    if ($3 == "duty") print "held, then dark," r "," $4; if ($3 == "slot_duty") print "dark in the slot," r "," $4 }' "$work/paper.csv" |
    plot section5_duty title="Duty cycle by how long circuits are held (3.1)" xlabel="hold, or slot, in dark times" ylabel="of the time" logx=1
sizes=(128 256 512 1024 2048 4096 8192)
[ -z "${QUICK:-}" ] || sizes=(256 1024)
for gpus in "${sizes[@]}"; do
    hardware "of$gpus" --gpus "$gpus"
    echo "Clos network,$gpus,$(cell "of$gpus" switches Clos switches)"
    echo "BCube,$gpus,$(cell "of$gpus" switches BCube switches)"
done | plot section5_switches title="OCSs of 384 ports for 16 circuits of each GPU (3.3)" xlabel="GPUs" ylabel="OCSs" logx=1

says "circuits held for 10 r give a duty cycle of 90 % (3.1)" "0.9" "$(FORMAT=%.4f calc "$held") with the dark time beside, $(FORMAT=%.4f calc "$slot") in the slot" "$(within "$slot" 0.9 0.91)" "exact of slots; 9 r are enough where the dark time is beside"
says "slots of 220 us with 20 us dark have above 90 % (4.4)" "above 0.9" "$(FORMAT=%.4f calc "$bed")" "$(within "$bed" 0.9 1)" ""
says "light loses 0.625 to 0.525 dB at a node (5)" "0.625, 0.525 dB" "$(cell paper power_budget 10 node_db), $(cell best power_budget 10 node_db)" \
    "$([ "$(FORMAT=%.4f calc "$(cell paper power_budget 10 node_db)") $(FORMAT=%.4f calc "$(cell best power_budget 10 node_db)")" = "0.6250 0.5250" ] && echo yes || echo no)" "0.5 dB in and out, 0.125 to 0.025 for micro-rings"
says "light gets to 16 nodes by a budget of 10 dB (5)" "16" "$(cell paper power_budget 10 reach), with 0.025 dB for micro-rings $(cell best power_budget 10 reach)" "$(within "$(cell paper power_budget 10 reach)" 16 16)" ""
says "GPUs interact with GPUs at most 15 nodes away, so 16 nodes of reach are enough (5)" "15" "groups of 16: shares of pairs in reach 16 $(cell paper rings 1 inside) and $(cell paper rings 1 around), in reach 15 $(cell near rings 1 inside) and $(cell near rings 1 around)" "$(for reach in paper:16 near:15; do echo "${reach#*:} $({ within "$(cell ${reach%:*} rings 1 inside)" 1 1; within "$(cell ${reach%:*} rings 1 around)" 1 1; } | all_of)"; done | list_of "nodes of reach")" "inside a group 15; the next group's GPU is 16 away"
says "10 Tb/s take 400 micro-rings of 25 Gb/s (4.4)" "400" "$(cell ten interfaces SiP-OCS micro_rings), on $(cell ten interfaces SiP-OCS chips) chips" "$(within "$(cell ten interfaces SiP-OCS micro_rings)" 400 400)" ""
says "a TeraPHY chip carries 2 Tb/s by 80 wavelengths (3.1)" "80" "$(cell chip interfaces SiP-OCS micro_rings) on $(cell chip interfaces SiP-OCS chips) chip" "$(within "$(cell chip interfaces SiP-OCS micro_rings)" 80 80)" ""
says "20 chips cost 44082 dollars (5)" "44082, 4408 each" "$(FORMAT=%.0f calc "20 * $chip"), $chip each" "$(within "$(calc "20 * $chip")" 43641 44523)" "44082 are ten times 4408; 80000 euros (footnote 5) are 88160 dollars at 1.102, 20 times 4408"
says "about 440 dollars a chip in mass production, and 300 for electronics (5)" "440 + 300" "$(FORMAT=%.2f calc "$mass - 300") + 300" "$(within "$mass" 739 741)" "a tenth"
says "SiP interfaces can be cheap, as pluggable optics with SiP are: 1 dollar a Gb/s in place of 3 (5)" "1, 3" "chips $(FORMAT=%.3f calc "$large") a Gb/s in mass production, $(FORMAT=%.3f calc "$small") in a small run" "$(holds "$large <= 1 && $small <= 3")" "1024 GPUs of 8192 Gb/s, five chips each"
says "hierarchical Clos networks scale SiP-OCS (3.3)" "no numbers" "1024 GPUs by OCSs of 384 ports: $clos in place of 16 of 1024 ports, in $(cell paper switches Clos stages) stages, $clos_db of 10 dB" "$(within "$clos_db" 0 10)" "2 dB an OCS and one node, our assumption; five stages would take 10.625 dB"
says "designs such as BCube scale SiP-OCS (3.3)" "no numbers" "$bcube OCSs; of the pairs inside groups all have a circuit, of those between $between with lines of 384, $sixteen with lines of 16" "$({ echo "pairs inside of groups yes"; echo "pairs between groups $(within "$between" 1 1)"; } | list_of)" "two GPUs have one where a single digit differs; nobody forwards"
says "K rows and N columns of rings are K + N rings for N K GPUs (3.3)" "K + N" "32 x 32: $(cell rows rings 32 rings), 64 x 16: $(cell rows rings 64 rings); of pairs between groups of 16 on one ring: $(cell rows rings 32 around) and $(cell rows rings 64 around)" \
    "$(holds "$(cell rows rings 32 rings) == 64 && $(cell rows rings 64 rings) == 80")" "rows should be the groups"
finish
