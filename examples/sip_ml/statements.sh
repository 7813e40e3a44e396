#!/bin/bash
# What sections 3.2, 4.1 and 4.2 say of strategies, time to accuracy and the simulator.
#
#   usage: examples/sip_ml/statements.sh [OUTDIR]
figure=sections
. "$(dirname "$0")/common.sh"

jobs=(resnet transformer_p1 transformer_p2 universal_p1 universal_p2 megatron)
[ -z "${QUICK:-}" ] || jobs=(resnet)
for job in "${jobs[@]}"; do search "$job-flat-1024-8192-1" "sipml/$job" "network.design.bandwidth=8192 Gb/s"; done
search transformer_p2-sixteen sipml/transformer_p2 plan.sip_ml.model_parallel=16 plan.sip_ml.batches=1024 plan.sip_ml.degree=16
search transformer_p2-many sipml/transformer_p2 plan.sip_ml.model_parallel=1024 plan.sip_ml.batches=1024 plan.sip_ml.simulate=1
search_all

echo "Best at 8192 Gb/s, 1024 GPUs, Elect-Flat"
printf '%-16s %10s %8s %14s %14s %14s %10s\n' "" "k x l" batch "iteration, ms" "estimated" "DP, ms" "DP batch"
csv=$out/sections.csv
echo "job,model_parallel,data_parallel,batch,iteration_ms,estimated_ms,data_parallel_ms,data_parallel_batch,accuracy_s,data_parallel_accuracy_s" >"$csv"
ms() { [ -z "$1" ] || FORMAT=%.3f calc "$1 / 1e9"; }
for job in "${jobs[@]}"; do
    run=$job-flat-1024-8192-1
    echo "$job,$(of "$run" model_parallel),$(of "$run" data_parallel),$(of "$run" batch),$(ms "$(of "$run" simulated_ps)"),$(ms "$(of "$run" estimated_ps)"),$(ms "$(of "$run" simulated_ps data_parallel)"),$(of "$run" batch data_parallel),$(of "$run" accuracy_s),$(of "$run" accuracy_s data_parallel)"
done >>"$csv"
awk -F, 'NR > 1 { printf "%-16s %10s %8s %14s %14s %14s %10s\n", $1, $2 "x" $3, $4, $5, $6, $7, $8 }' "$csv"

cell() { awk -F, -v job="$1" -v at="$2" '$1 == job { print $at }' "$csv"; }
for job in "${jobs[@]}"; do
    known "$job ms" "$(cell "$job" 5)"
    [ "$job" = megatron ] || known "$job DP ms" "$(cell "$job" 7)"
done
parts=$(of transformer_p2-sixteen parts) most=$(of transformer_p2-many parts)
known "parts at k = 16" "$parts"
says "the balanced graph of the Transformer has over 20,000 operators (3.2)" "20,000" "$parts at k = 16, $most at k = 1024 (batch 1024), forward alone" "$(within "$most" 20000 1e9)" \
    "244 operators here; the paper does not say its graph nor its k"
says "each GPU has at most D - 1 = 15 peers in its group (3.2)" "degree 16" "k = 16: $(of transformer_p2-sixteen repairs) repairs, $(of transformer_p2-sixteen devices_used) of 16 GPUs used" \
    "$(holds "$(of transformer_p2-sixteen devices_used) <= 16")" "counted from the bytes in Fig. 7"
if [ -z "${QUICK:-}" ]; then
    says "data parallelism is one of the strategies, and in many cases not the best (4.2)" "yes" \
        "best at 8 Tb/s: k = $(for job in "${jobs[@]}"; do printf '%s %s, ' "$job" "$(cell "$job" 2)"; done | sed 's/, $//')" \
        "$(for job in "${jobs[@]}"; do echo "$job $(holds "$(cell "$job" 2) > 1")"; done | list_of)" ""
    says "iterations take less than 20 ms (4.1)" "< 20 ms" "ResNet $(cell resnet 5), Transformer P1 $(cell transformer_p1 5), P2 $(cell transformer_p2 5), Universal P1 $(cell universal_p1 5), P2 $(cell universal_p2 5), Megatron $(cell megatron 5) ms" \
        "$(for job in "${jobs[@]}"; do echo "$job $(within "$(cell "$job" 5)" 0 20)"; done | list_of)" "of Megatron 1.2e17 FLOPs of 18 B parameters and 1024 samples of 1024 tokens are 1.2 s on 1024 GPUs at 100 TFLOP/s"
    says "ResNet and Transformer fit a GPU's memory, Megatron does not (4.1)" "32 GB" "data parallelism of ResNet and Transformer $([ -n "$(cell resnet 10)" ] && [ -n "$(cell transformer_p2 10)" ] && echo fits || echo "does not fit"); of Megatron: $([ -z "$(cell megatron 10)" ] && echo "does not fit" || echo fits)" \
        "$([ -n "$(cell resnet 10)" ] && [ -n "$(cell transformer_p2 10)" ] && [ -z "$(cell megatron 10)" ] && echo yes || echo no)" "partial sums of Megatron are counted whole: 48 GB in place of 32"
    worst=$(awk -F, 'NR > 1 { e = 100 * ($6 / $5 - 1); if (e * e > w * w) w = e } END { printf "%.1f", w }' "$csv")
    says "estimates by the bottleneck bandwidth rank strategies, which are then simulated (4.2)" "an estimate" "estimated $worst % off at most, of the best of each job" "$(within "$worst" -15 15)" ""
    adds "Megatron: batch 1024, 240,000 iterations (4.1), as input" "$(FORMAT=%.1f calc "$(cell megatron 9) / 86400") days" ""
    adds "launch latency and least time of an operator: 1 us (4.2)" "part_times: minimum and launch of 1 us, as input" ""
    adds "communication overlaps computation whenever possible (4.2)" "P1; P2, ResNet and Megatron reduce gradients at the end, as input" "the published numbers need both"
fi
finish
