#!/bin/bash
# Fig. 8: time to accuracy of the Transformer over the number of optical switches, 1024 GPUs, circuits set once.
#
#   usage: examples/sip_ml/fig08.sh [OUTDIR]
#
# Q switches divide a GPU's bandwidth of 1 or 8 Tb/s into as many circuits, and a GPU has as many peers at most; beside
# Elect-Flat of the same bandwidth.
figure=fig08
. "$(dirname "$0")/common.sh"

jobs=(transformer_p1 transformer_p2)
bandwidths=(1024 8192)
switches=(2 4 6 8 12 16 32)
[ -z "${QUICK:-}" ] || { jobs=(transformer_p1); bandwidths=(1024); switches=(2 8); }
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        search "$job-flat-1024-$b-1" "sipml/$job" "network.design.bandwidth=$b Gb/s"
        for q in "${switches[@]}"; do search "$job-ocs$q-1024-$b" "sipml/$job" "$(ocs 1024 "$b" "$q")"; done
    done
done
search_all

csv=$out/fig08.csv
echo "job,bandwidth_gbps,switches,model_parallel,data_parallel,batch,accuracy_s,over_flat,prototype" >"$csv"
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        for q in "${switches[@]}"; do
            run=$job-ocs$q-1024-$b
            echo "$job,$b,$q,$(of "$run" model_parallel),$(of "$run" data_parallel),$(of "$run" batch),$(of "$run" accuracy_s),$(ratio "$(of "$run" accuracy_s)" "$(of "$job-flat-1024-$b-1" accuracy_s)"),$(known_of "$job $b Gb/s $q OCSs" prototype)"
        done
    done
done >>"$csv"

for job in "${jobs[@]}"; do assumptions "$job"; done
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        echo
        echo "Fig. 8: $job, $b Gb/s: time to accuracy over Elect-Flat's, by the number of OCSs"
        awk -F, -v job="$job" -v b="$b" '
            BEGIN { printf "%5s %10s %10s %10s %12s %7s\n", "OCSs", "minutes", "over flat", "prototype", "k x l", "batch" }
            $1 == job && $2 == b { printf "%5s %10.4g %10s %10s %12s %7s\n", $3, $7 / 60, $8, $9, $4 "x" $5, $6 }' "$csv"
    done
done
awk -F, 'NR > 1 { print $1 " " $2 " Gb/s," $3 "," $8 }' "$csv" |
    plot fig08 title="Fig. 8: number of OCSs, one-shot circuits" xlabel="OCSs" ylabel="time to accuracy over Elect-Flat" logx=1

seconds() { awk -F, -v job="$1" -v b="$2" -v q="$3" '$1 == job && $2 == b && $3 == q { print $7 }' "$csv"; }
over_flat() { awk -F, -v job="$1" -v b="$2" -v q="$3" '$1 == job && $2 == b && $3 == q { print $8 }' "$csv"; }
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        for q in "${switches[@]}"; do known "$job $b Gb/s $q OCSs" "$(over_flat "$job" "$b" "$q")"; done
    done
done
# gain JOB GBPS FROM TO: percent that more switches save
gain() { FORMAT=%.1f calc "100 * ($(seconds "$1" "$2" "$3") / $(seconds "$1" "$2" "$4") - 1)"; }
eight=$(gain transformer_p1 1024 2 8)
bound "transformer_p1, 1024 Gb/s: percent from 2 to 8 OCSs" "$eight" least 20
says "more OCSs are faster, up to a number" "no numbers" "transformer_p1 at 1024 Gb/s: 2 to 8 OCSs gain $eight %" "$(within "$eight" 20 1000)" ""
if [ -z "${QUICK:-}" ]; then
    for job in "${jobs[@]}"; do
        one=$(gain "$job" 1024 12 32) at8=$(gain "$job" 8192 12 32)
        says "more than 12 OCSs gain little ($job)" "marginal" "12 to 32: $one % at 1024, $at8 % at 8192 Gb/s" "$({ echo "1024 $(within "$one" -100 5)"; echo "8192 $(within "$at8" -100 5)"; } | list_of Gb/s)" "within 5 %; steps where whole circuits do not divide"
        [ "$job" != transformer_p1 ] || for b in 1024 8192; do bound "$job, $b Gb/s: percent from 12 to 32 OCSs" "$(gain "$job" "$b" 12 32)" most 5; done
        says "more bandwidth, less of that ($job)" "less sensitive" "2 to 8 OCSs gain $(gain "$job" 1024 2 8) % at 1024, $(gain "$job" 8192 2 8) % at 8192 Gb/s" \
            "$(within "$(calc "$(gain "$job" 8192 2 8) - $(gain "$job" 1024 2 8)")" -1000 0)" "both gain little"
    done
fi
finish
