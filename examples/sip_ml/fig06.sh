#!/bin/bash
# Fig. 6: the best degree of model parallelism over the bandwidth of a GPU, 1024 GPUs.
#
#   usage: examples/sip_ml/fig06.sh [OUTDIR]
#
# On SiP-OCS with 16 switches, as the paper's, and on Elect-Flat, without a limit of the degree.
figure=fig06
. "$(dirname "$0")/common.sh"

jobs=(resnet transformer_p1 transformer_p2 universal_p1 universal_p2)
bandwidths=(128 512 1024 2048 4096 6144 8192 10240)
[ -z "${QUICK:-}" ] || { jobs=(resnet); bandwidths=(8192); } # as Fig. 5 runs
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        search "$job-flat-1024-$b-1" "sipml/$job" "network.design.bandwidth=$b Gb/s"
        search_kept "$job-ocs-1024-$b" "sipml/$job" "$(ocs 1024 "$b")"
    done
done
search_all

csv=$out/fig06.csv
echo "job,bandwidth_gbps,model_parallel,data_parallel,batch,ocs_model_parallel,ocs_data_parallel,ocs_batch" >"$csv"
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        run=$job-flat-1024-$b-1 light=$job-ocs-1024-$b
        echo "$job,$b,$(of "$run" model_parallel),$(of "$run" data_parallel),$(of "$run" batch),$(of "$light" model_parallel),$(of "$light" data_parallel),$(of "$light" batch)"
    done
done >>"$csv"

for job in "${jobs[@]}"; do assumptions "$job"; done
# table FABRIC COLUMN: groups from that column on
table() {
    echo
    echo "Fig. 6: model x data parallelism (batch), $1"
    awk -F, -v at="$2" '
        NR > 1 { if (!($1 in seen)) { seen[$1]; job[++j] = $1 } if (!($2 in known)) { known[$2]; b[++n] = $2 } how[$1, $2] = $at "x" $(at + 1) " (" $(at + 2) ")" }
        END {
            printf "%-16s", "GPU, Gb/s"
            for (i = 1; i <= n; i++) printf " %15s", b[i]
            print ""
            for (r = 1; r <= j; r++) {
                printf "%-16s", job[r]
                for (i = 1; i <= n; i++) printf " %15s", how[job[r], b[i]]
                print ""
            }
        }' "$csv"
}
table Elect-Flat 3
table SiP-OCS 6

degree() { awk -F, -v job="$1" -v b="$2" -v at="${3:-3}" '$1 == job && $2 == b { print $at }' "$csv"; }
on_ocs() { degree "$1" "$2" 6; }
row() { for b in "${bandwidths[@]}"; do printf '%s ' "$(degree "$1" "$b" "${2:-3}")"; done | sed 's/ $//'; }
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        known "$job k at $b" "$(degree "$job" "$b")"
        known "$job k at $b on SiP-OCS" "$(on_ocs "$job" "$b")"
    done
done
# grows JOB COLUMN: from which bandwidth on k does not fall any more
grows() {
    row "$1" "$2" | awk -v b="${bandwidths[*]}" '{
        n = split(b, at, " "); from = 1
        for (i = 2; i <= NF; i++) if ($i < $(i - 1)) from = i
        print (!NF ? "not run" : from == 1 ? "yes" : from == NF ? "no" : "over " at[from] " to " at[n] " Gb/s") }'
}
if [ -z "${QUICK:-}" ]; then
    for job in "${jobs[@]}"; do
        says "more bandwidth, more model parallelism: $job" "k = 1 at first, growing; Transformer 4, 8, 16 at 2, 6, 10 Tb/s" "$(row "$job") at ${bandwidths[*]} Gb/s" \
            "$(grows "$job" 3)" "at low bandwidth smaller shares of the gradients outweigh activations, as batches are small"
    done
    says "Transformer begins with 1-way model parallelism" "k = 1 below 1 Tb/s" "P1 $(degree transformer_p1 128), P2 $(degree transformer_p2 128) at 128 Gb/s" \
        "$(for job in transformer_p1 transformer_p2; do echo "$job $(within "$(degree $job 128)" 1 1)"; done | list_of)" "a GPU sends a k-th of the gradients, see Fig. 5"
    says "Transformer: 16 x 64 at 10 Tb/s" "16" "P1 $(degree transformer_p1 10240), P2 $(degree transformer_p2 10240), Universal P1 $(degree universal_p1 10240), P2 $(degree universal_p2 10240)" \
        "$(for job in transformer_p1 transformer_p2 universal_p1 universal_p2; do echo "$job $(within "$(degree $job 10240)" 16 16)"; done | list_of)" "on Elect-Flat"
    . "$here/fig06_ocs.sh"
fi
awk -F, 'NR > 1 { print $1 "," $2 "," $6 }' "$csv" |
    plot fig06_ocs title="Fig. 6: best degree of model parallelism, 1024 GPUs, SiP-OCS" xlabel="bandwidth of a GPU, Gb/s" ylabel="k" logx=1 logy=1
awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' "$csv" |
    plot fig06 title="Fig. 6: best degree of model parallelism, 1024 GPUs, Elect-Flat" xlabel="bandwidth of a GPU, Gb/s" ylabel="k" logx=1 logy=1
finish
