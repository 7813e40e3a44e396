#!/bin/bash
# Fig. 9: time of the Transformer over the reconfiguration delay of SiP-OCS, 1024 GPUs of 1 and 8 Tb/s.
#
#   usage: examples/sip_ml/fig09.sh [OUTDIR]
#
# Preset P2 in groups of 8, batch 1024. Circuits are held for five delays and dark for one, and set for what was offered in
# those five; the mean of 10 iterations, over that of circuits that are set once, by the best weight of bytes inside of groups.
# Three readings: in a reconfiguration all is dark, or circuits that stay are lit, or, in the paper's words, pairs that
# were silent have no circuit at all. Beside it: which demand circuits are set for, delays towards zero, and how long
# SiP-Ring holds its wavelengths.
figure=fig09
. "$(dirname "$0")/common.sh"

job=transformer_p2
fixed=(plan.sip_ml.model_parallel=8 plan.sip_ml.batches=1024)
bandwidths=(1024 8192)
delays=(1 10 50 100 200 300 500 1000)
readings=(dark lit literal)
[ -z "${QUICK:-}" ] || { bandwidths=(8192); delays=(100 1000); readings=(dark); }
for b in "${bandwidths[@]}"; do
    search_kept "$job-k8-ocs-$b" "sipml/$job" "$(ocs 1024 "$b")" "${fixed[@]}"
    search_kept "$job-k8-ring-$b" "sipml/$job" "$(ring 1024 "$b")" "${fixed[@]}"
done
search_all

# A run with circuits that move takes one weight, 1.
moving=(--set "network.circuits.weights=[1]" --set workload.iterations=10)
# mean FOLDER GBPS [PATH=VALUE...]: ms of an iteration on circuits that are set anew
mean() {
    local kept=$SIP_ML_RUNS/$job-k8-$1-$2 each sets=()
    shift 2
    for each; do sets+=(--set "$each"); done
    calc "$(simulated_ms "$kept" "${moving[@]}" "${sets[@]}") / 10"
}
reading_of() { case $1 in dark) echo network.circuits.kept=dark ;; lit) echo network.circuits.kept=lit ;; *) echo network.circuits.literal=true ;; esac }
once_ms() { calc "$(ran "$SIP_ML_RUNS/$job-k8-ocs-$1.run" wall_ps) / 1e9"; }
flat_ms() { calc "$(ran "$SIP_ML_RUNS/$job-k8-ocs-$1.run" switch_ps) / 1e9"; }

csv=$out/fig09.csv
echo "bandwidth_gbps,reading,delay_us,iteration_ms,over_once,prototype" >"$csv"
for b in "${bandwidths[@]}"; do
    once=$(once_ms "$b")
    for reading in "${readings[@]}"; do
        for d in "${delays[@]}"; do
            ms=$(mean ocs "$b" "network.circuits.reconfiguration=$d us" "$(reading_of "$reading")")
            echo "$b,$reading,$d,$ms,$(ratio "$ms" "$once"),$([ "$reading" != dark ] || known_of "$b Gb/s $d us" prototype)"
        done
    done
done >>"$csv"

assumptions "$job"
for b in "${bandwidths[@]}"; do
    echo
    echo "Fig. 9: $b Gb/s, time of an iteration over that of circuits that are set once ($(once_ms "$b") ms by weight $(ran "$SIP_ML_RUNS/$job-k8-ocs-$b.run" circuit_weight); Elect-Flat $(flat_ms "$b") ms)"
    awk -F, -v b="$b" '
        $1 == b { at[$2, $3] = $5; prototype[$3] = $6 != "" ? $6 : prototype[$3]; if (!($3 in seen)) { seen[$3]; d[++n] = $3 } if (!($2 in told)) { told[$2]; reading[++r] = $2 } }
        END {
            printf "%10s", "delay, us"
            for (i = 1; i <= r; i++) printf " %9s", reading[i]
            printf " %10s\n", "prototype"
            for (j = 1; j <= n; j++) {
                printf "%10s", d[j]
                for (i = 1; i <= r; i++) printf " %9s", at[reading[i], d[j]]
                printf " %10s\n", prototype[d[j]]
            }
        }' "$csv"
done
awk -F, 'NR > 1 && $2 != "literal" { print $1 " Gb/s kept " $2 "," $3 "," $5 }' "$csv" |
    plot fig09 title="Fig. 9: reconfiguring SiP-OCS over one-shot circuits" xlabel="reconfiguration delay, us" ylabel="time over one-shot" logx=1 line=1

over_once() { awk -F, -v b="$1" -v d="$2" -v reading="${3:-dark}" '$1 == b && $2 == reading && $3 == d { print $5 }' "$csv"; }
row() { for d in "${delays[@]}"; do printf '%s ' "$(over_once "$1" "$d" "${2:-dark}")"; done | sed 's/ $//'; }
for b in "${bandwidths[@]}"; do
    for d in "${delays[@]}"; do
        for reading in "${readings[@]}"; do known "$b Gb/s $d us$([ "$reading" = dark ] || echo " $reading")" "$(over_once "$b" "$d" "$reading")"; done
    done
done
least=$(row 8192 | tr ' ' '\n' | sort -g | head -1)
bound "8192 Gb/s: least over one-shot, of all delays" "$least" least 0.97
if [ -z "${QUICK:-}" ]; then
    bound "1024 Gb/s, 100 us: over one-shot" "$(over_once 1024 100)" most 0.9999
    # falls GBPS: delays that are faster than the one before
    falls() { row "$1" | awk '{ for (i = 2; i <= NF; i++) n += $i < $(i - 1); print n + 0 }'; }
    says "less reconfiguration delay is faster" "always" "1 us to 1 ms: $(row 1024) at 1024, $(row 8192) at 8192 Gb/s" "$(for b in 1024 8192; do echo "$b $(within "$(falls $b)" 0 0)"; done | list_of Gb/s)" "$(falls 1024) and $(falls 8192) of 7 steps are faster with more delay, where periods of five delays fall into step with the job's own"
    says "beyond 300 us one-shot circuits are better" "300 us" "at 1024 Gb/s 100 us $(over_once 1024 100), 300 us $(over_once 1024 300), 500 us $(over_once 1024 500), 1 ms $(over_once 1024 1000)" \
        "$(for b in 1024 8192; do echo "$b $({ within "$(over_once $b 100)" 0 0.9999; within "$(over_once $b 1000)" 1.0001 9; } | all_of)"; done | list_of Gb/s)" "with parts spread over the group circuits that move stay ahead up to 1 ms at 1024 Gb/s, and are behind from 10 us on at 8192 Gb/s"
    says "a high bandwidth masks the delay" "yes" "8192 Gb/s: at least $least of one-shot" "$(within "$least" 0.97 9)" "one-shot circuits are near Elect-Flat there"
    adds "circuits that stay are lit in a reconfiguration" "$(row 1024 lit) at 1024, $(row 8192 lit) at 8192 Gb/s" "another reading, of which the paper says nothing"
    adds "silent pairs have no circuit, as the paper's words imply" "$(row 1024 literal) at 1024, $(row 8192 literal) at 8192 Gb/s" "they wait for whole periods: the literal reading cannot be the paper's"
    . "$here/fig09_beside.sh"
fi
finish
