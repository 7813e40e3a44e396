#!/bin/bash
# FlexFlow's search (section 4.3): strategies by Metropolis' rule on Elect-Flat of 8 Tb/s, 1024 GPUs, the Transformer;
# by splits of samples alone, as the published FlexFlow, and in all dimensions; beside data parallelism and SiP-ML's own.
#
#   usage: examples/sip_ml/mcmc.sh [OUTDIR]
#
# All are simulated, with gradients in streams around rings (ring_stream). BUDGET=N: strategies that are tried (500).
figure=mcmc
. "$(dirname "$0")/common.sh"

gpus=1024
[ -z "${QUICK:-}" ] || gpus=64
budget=${BUDGET:-500}
search transformer_p1-mcmc sipml/transformer_p1 "network.design.servers=$gpus" plan.sip_ml.batches=1024
search_all

# walk NAME SET...: the plan as JSON, and how long it took
walk() {
    local name=$1 begun=$SECONDS
    shift
    "$orrery" plan topoopt "$here/mcmc.yml" --set "network.design.servers=$gpus" --set "plan.search.budget=$budget" "$@" --json - >"$work/$name.json" 2>"$work/said" || {
        cat "$work/said" >&2
        exit 2
    }
    echo "$name: $budget tries, $((SECONDS - begun)) s" >&2
}
walk samples --set plan.search.dimensions=sample
walk all
number() { awk -F'": ' -v key="$2" '$1 == "  \"" key { sub(/,$/, "", $2); print $2; exit }' "$work/$1.json"; }
inside() { awk -F'": ' -v part="$2" -v key="$3" 'index($0, "  \"" part "\": {") == 1 { on = 1 } on && $1 ~ "^ *\"" key "$" { sub(/,$/, "", $2); print $2; exit }' "$work/$1.json"; }
ms() { FORMAT=%.3f calc "$1 / 1e9"; }
dp=$(of transformer_p1-mcmc simulated_ps data_parallel) algorithm=$(of transformer_p1-mcmc simulated_ps)
csv=$out/mcmc.csv
{
    echo "strategy,iteration_ms,over_data_parallel,operators_not_data_parallel"
    echo "data parallelism,$(ms "$dp"),1.000,0"
    for name in samples all; do
        time_ps=$(number "$name" simulated_ps)
        other=$(calc "$(inside "$name" strategy whole) + $(inside "$name" strategy placed) + $(inside "$name" strategy split)")
        echo "Metropolis ($name),$(ms "$time_ps"),$(ratio "$dp" "$time_ps"),$(FORMAT=%d calc "$other")"
    done
    echo "Algorithm 1 (k = $(of transformer_p1-mcmc model_parallel)),$(ms "$algorithm"),$(ratio "$dp" "$algorithm"),"
} >"$csv"
assumptions transformer_p1
echo
echo "FlexFlow's search, $gpus GPUs, batch 1024, $budget tries"
awk -F, '{ printf "%-26s %14s %22s %30s\n", $1, $2, $3, $4 }' "$csv"

of_row() { awk -F, -v name="$1" -v at="$2" '$1 == name { print $at }' "$csv"; }
samples=$(of_row "Metropolis (samples)" 3) all=$(of_row "Metropolis (all)" 3) by=$(ratio "$dp" "$algorithm")
known "data parallelism ms of $gpus GPUs" "$(of_row "data parallelism" 2)"
known "over data parallelism by samples $gpus GPUs" "$samples"
known "over data parallelism by all $gpus GPUs" "$all"
known "over data parallelism by Algorithm 1 $gpus GPUs" "$by"
says "FlexFlow's strategies are very similar to data parallelism" "very similar" "samples: $(of_row "Metropolis (samples)" 4) of 244 operators otherwise, $samples times as fast; all dimensions: $(of_row "Metropolis (all)" 4), $all" \
    "$({ echo "samples $(within "$samples" 0.99 1.05)"; echo "all dimensions $(within "$all" 0.99 1.05)"; } | list_of)" "$budget tries from data parallelism"
says "SiP-ML's strategy is faster than FlexFlow's" "yes" "Algorithm 1 $by, Metropolis $all times as fast as data parallelism" "$(within "$(ratio "$by" "$all")" 1.05 10)" \
    "Algorithm 1 by the linear rule, which divides the fixed cost; without it little is gained by anyone"
finish
