#!/bin/bash
# Fig. 5, electrical fabrics: time to accuracy over the bandwidth of a GPU, 1024 GPUs.
#
#   usage: examples/sip_ml/fig05.sh [OUTDIR]
#
# Elect-Flat, Elect-Cluster with 400 and with 200 Gb/s out of a server, SiP-OCS with 16 switches and circuits that are
# set once, SiP-Ring, and the best data parallelism on Elect-Flat and on SiP-OCS. On circuits each run is beside one of the
# same strategy on an ideal switch.
figure=fig05
. "$(dirname "$0")/common.sh"

jobs=(resnet transformer_p1 transformer_p2 universal_p1 universal_p2 megatron)
bandwidths=(128 256 512 1024 2048 4096 8192)
[ -z "${QUICK:-}" ] || { jobs=(resnet); bandwidths=(8192); }
# In a group of 16 up to 80 pairs have their arcs across one segment of a ring, and each needs a wavelength of its own.
ring_holds() { [ "$1" != megatron ] || [ "$2" -ge 2048 ]; }
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        search "$job-flat-1024-$b-1" "sipml/$job" "network.design.bandwidth=$b Gb/s"
        for out_of in 400 200; do
            search "$job-cluster$out_of-1024-$b-1" "sipml/$job" network.design.name=elect-cluster "network.design.server_bandwidth=$out_of Gb/s" \
                "network.design.bandwidth=$b Gb/s"
        done
        search_kept "$job-ocs-1024-$b" "sipml/$job" "$(ocs 1024 "$b")"
        ! ring_holds "$job" "$b" || search_kept "$job-ring-1024-$b" "sipml/$job" "$(ring 1024 "$b")"
    done
done
search_all

csv=$out/fig05.csv
echo "job,fabric,bandwidth_gbps,model_parallel,data_parallel,batch,iteration_ms,accuracy_s" >"$csv"
row() { # JOB FABRIC BANDWIDTH RUN PART
    [ -n "$(of "$4" accuracy_s "$5")" ] || return 0
    echo "$1,$2,$3,$(of "$4" model_parallel "$5"),$(of "$4" data_parallel "$5"),$(of "$4" batch "$5"),$(calc "$(of "$4" simulated_ps "$5") / 1e9"),$(of "$4" accuracy_s "$5")"
}
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        row "$job" "Elect-Flat" "$b" "$job-flat-1024-$b-1" best
        row "$job" "Elect-Cluster (400 Gb/s)" "$b" "$job-cluster400-1024-$b-1" best
        row "$job" "Elect-Cluster (200 Gb/s)" "$b" "$job-cluster200-1024-$b-1" best
        row "$job" "SiP-OCS" "$b" "$job-ocs-1024-$b" best
        ! ring_holds "$job" "$b" || row "$job" "SiP-Ring" "$b" "$job-ring-1024-$b" best
        [ "$job" = megatron ] || row "$job" "DP on Elect-Flat" "$b" "$job-flat-1024-$b-1" data_parallel
        [ "$job" = megatron ] || row "$job" "DP on SiP-OCS" "$b" "$job-ocs-1024-$b" data_parallel
    done
done >>"$csv"

for job in "${jobs[@]}"; do assumptions "$job"; done
for job in "${jobs[@]}"; do
    echo
    echo "Fig. 5: $job, 1024 GPUs: minutes to accuracy (k x l, batch)"
    awk -F, -v job="$job" '
        $1 == job { if (!($2 in seen)) { seen[$2]; fabric[++f] = $2 } if (!($3 in known)) { known[$3]; b[++n] = $3 } t[$2, $3] = $8; how[$2, $3] = $4 "x" $5 " " $6 }
        END {
            printf "%-26s", "GPU, Gb/s"
            for (i = 1; i <= n; i++) printf " %21s", b[i]
            print ""
            for (j = 1; j <= f; j++) {
                printf "%-26s", fabric[j]
                for (i = 1; i <= n; i++) printf " %21s", (fabric[j], b[i]) in t ? sprintf("%.4g (%s)", t[fabric[j], b[i]] / 60, how[fabric[j], b[i]]) : "none"
                print ""
            }
        }' "$csv"
    awk -F, -v job="$job" '$1 == job { print $2 "," $3 "," $8 / 60 }' "$csv" |
        plot "fig05_$job" title="Fig. 5: $job, 1024 GPUs, time to accuracy" xlabel="bandwidth of a GPU, Gb/s" ylabel="minutes" logx=1 logy=1
done

# at JOB FABRIC BANDWIDTH: seconds to accuracy
at() { awk -F, -v job="$1" -v fabric="$2" -v b="$3" '$1 == job && $2 == fabric && $3 == b { print $8 }' "$csv"; }
flat=Elect-Flat c400="Elect-Cluster (400 Gb/s)" c200="Elect-Cluster (200 Gb/s)" dp="DP on Elect-Flat" ocs=SiP-OCS ring=SiP-Ring
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        for fabric in "$flat" "$c400" "$c200" "$ocs" "$ring"; do
            [ "$fabric" != "$ring" ] || ring_holds "$job" "$b" || continue
            known "$job $fabric $b" "$(FORMAT=%.6g calc "$(at "$job" "$fabric" "$b")")"
        done
    done
done
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        for fabric in "$c400" "$c200"; do
            echo "$job at $b Gb/s $(within "$(calc "$(at "$job" "$fabric" "$b") / $(at "$job" "$flat" "$b")")" 0.99 1e9)"
        done
    done
done >"$work/lower"
says "no electrical network is faster than Elect-Flat" "lower bound" "in $(grep -c yes "$work/lower") of $(wc -l <"$work/lower") points" \
    "$(all_of <"$work/lower")" "to 1 %$(awk '/ no$/ { sub(/ no$/, ""); printf "%s%s", n++ ? ", " : "; faster: ", $0 }' "$work/lower")"
low=${bandwidths[0]} high=8192
gain() { ratio "$(at "$1" "$2" "$low")" "$(at "$1" "$2" "$high")"; }
if [ -z "${QUICK:-}" ]; then
    says "Elect-Flat improves with bandwidth for all, much more for Transformer and Megatron than for ResNet" "no numbers" \
        "$low to $high Gb/s: ResNet $(gain resnet "$flat"), Transformer P1 $(gain transformer_p1 "$flat"), P2 $(gain transformer_p2 "$flat"), Universal P1 $(gain universal_p1 "$flat"), P2 $(gain universal_p2 "$flat"), Megatron $(gain megatron "$flat")" \
        "$(for job in transformer_p1 transformer_p2 universal_p1 universal_p2 megatron; do echo "$job $(within "$(calc "$(gain $job "$flat") / $(gain resnet "$flat")")" 1.2 1e9)"; done | list_of)" "1.2 times that of ResNet and more"
    search transformer_p2-fixed15 sipml/transformer_p2 "plan.part_times.fixed=15 us"
    search transformer_p1-fixed0 sipml/transformer_p1 "plan.part_times.fixed=0 us" "network.design.bandwidth=512 Gb/s"
    search transformer_p2-fixed0 sipml/transformer_p2 "plan.part_times.fixed=0 us" "network.design.bandwidth=512 Gb/s"
    search_all
    fifteen=$(ratio "$(of transformer_p2-fixed15 accuracy_s data_parallel)" "$(of transformer_p2-fixed15 accuracy_s)")
    zero1=$(ratio "$(of transformer_p1-fixed0 accuracy_s data_parallel)" "$(of transformer_p1-fixed0 accuracy_s)")
    zero2=$(ratio "$(of transformer_p2-fixed0 accuracy_s data_parallel)" "$(of transformer_p2-fixed0 accuracy_s)")
    over() { ratio "$(at "$1" "$dp" "$2")" "$(at "$1" "$flat" "$2")"; }
    for job in transformer_p1 transformer_p2 universal_p1 universal_p2; do
        name=${job/transformer/Transformer}
        name=${name/universal/Universal}
        name=${name/_p/ P}
        below=$(over "$job" 512) && at_one=$(over "$job" 1024)
        little=$(for b in 128 512; do echo "$b $(within "$(over "$job" "$b")" 0.999 1.05)"; done | span Gb/s)
        says "$name gains nothing over data parallelism below 1 Tb/s" "none" "$(over "$job" 128) at 128, $below at 512, $at_one at 1024 Gb/s" \
            "$little" "$([ "$little" = yes ] || echo "a GPU in a group of k sends a k-th of the gradients around its ring, and activations of few samples are fewer bytes than that saves; without a fixed cost too: $zero1 (P1) and $zero2 (P2) at 512")"
        says "$name gains about 50 % over data parallelism at 8 Tb/s" "1.5" "$(over "$job" 8192)" "$(within "$(over "$job" 8192)" 1.35 1.65)" \
            "$([ "$(within "$(over "$job" 8192)" 1.35 1.65)" = yes ] || echo "by the fixed cost of 25 us: with 15 us P2 comes to $fifteen")"
        known "DP over hybrid at 8192 Gb/s $job" "$(over "$job" 8192)"
    done
    adds "data parallelism over hybrid at 8 Tb/s, 2.2 by P1 and 2.0 by P2 in the first use of these presets" "P1 $(over transformer_p1 8192), P2 $(over transformer_p2 8192)" \
        "there each pass was an operator of its own; here a part has both, and as many parts are made as the mean of both allows"
    says "hybrids are up to 2 times faster than data parallelism (section 4)" "2" "P1 $(over transformer_p1 8192), P2 $(over transformer_p2 8192)" \
        "$(for job in transformer_p1 transformer_p2; do echo "$job $(within "$(over $job 8192)" 1.7 2.3)"; done | list_of)" "at 8192 Gb/s"
    for fabric in "$c400" "$c200"; do
        last() { FORMAT=%.1f calc "100 * ($(at "$1" "$fabric" 2048) / $(at "$1" "$fabric" 8192) - 1)"; }
        says "times on $fabric level off" "plateau" "2048 to 8192 Gb/s gain ResNet $(last resnet) %, Transformer P1 $(last transformer_p1) %, P2 $(last transformer_p2) %, Megatron $(last megatron) %" \
            "$(for job in resnet transformer_p1 transformer_p2 megatron; do echo "$job $(within "$(last $job)" -1 25)"; done | list_of)" "a fourth of the bandwidth costs 25 % and less"
    done
    worse() { ratio "$(at "$1" "$c200" 8192)" "$(at "$1" "$c400" 8192)"; }
    says "400 Gb/s out of servers is faster than 200 Gb/s, for all" "yes" "at 8192 Gb/s ResNet $(worse resnet), Transformer P1 $(worse transformer_p1), P2 $(worse transformer_p2), Megatron $(worse megatron)" \
        "$(for job in resnet transformer_p1 transformer_p2 megatron; do echo "$job $(within "$(worse $job)" 1.001 10)"; done | list_of)" "at 8192 Gb/s"
    behind() { ratio "$(at "$1" "$c200" 8192)" "$(at "$1" "$flat" 8192)"; }
    says "what servers cost over Elect-Flat at 8192 Gb/s (1.3 to 9.1 times over SiP-ML, least ResNet, most Megatron)" "1.3 to 9.1" \
        "200 Gb/s: ResNet $(behind resnet), Transformer P1 $(behind transformer_p1), P2 $(behind transformer_p2), Megatron $(behind megatron)" \
        "$(within "$(calc "$(behind megatron) / $(behind resnet)")" 3 100)" ""
fi
. "$here/fig05_circuits.sh"
finish
