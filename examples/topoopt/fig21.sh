#!/bin/bash
# Fig. 21: DLRM on the testbed, whose tables are 32768 columns wide so that all-to-alls weigh as much as all-reduces: the
# time of an iteration over the batch.
#
#   usage: examples/topoopt/fig21.sh [OUTDIR]
#
# COMPUTE=SECONDS is what an iteration takes beside communication (0.52): computation and overheads, which the paper does
# not give.
figure=fig21
. "$(dirname "$0")/common.sh"
. "$here/testbed.sh"

compute=${COMPUTE:-0.52}
echo "Fig. 21: DLRM on 12 servers, ms of an iteration; $compute s of computation and overheads are input, as the paper gives none"
# all_to_all BATCH: bytes that a server sends in a forward all-to-all, over those that it sends in all-reduces by ring.
# Transfers are forward and backward, of the model's 512 samples a server.
all_to_all() {
    "$orrery" model demand topoopt/dlrm_6 --devices "$servers" --json - |
        awk -v k="$servers" -v batch="$1" '/"transfer_bytes":/ { a = $2 + 0 } /"all_reduce_bytes":/ { s = $2 + 0 }
            END { printf "%.4f", a * batch / 512 / 2 / k / (2 * (k - 1) / k * s) }'
}
batches="64 128 256 512"
[ -z "${QUICK:-}" ] || batches="64 512"
{
    echo "batch,all_to_all_over_all_reduce,communication_topoopt_ms,communication_100_ms,communication_25_ms,topoopt_ms,switch_100_ms,switch_25_ms"
    for batch in $batches; do
        # Operators take no time: what is left is communication.
        tasks=$(job topoopt/dlrm_6 "dlrm_$batch" --batch $((servers * batch)) "${no_time[@]}")
        line=$batch,$(all_to_all "$batch")
        for network in topoopt 100 25; do
            ms=$(on "$network" "$tasks")
            line=$line,$ms
        done
        echo "$line"
    done | awk -F, -v c="$compute" '{ printf "%s,%.3f,%.3f,%.3f\n", $0, $3 + 1000 * c, $4 + 1000 * c, $5 + 1000 * c }'
} >"$out/fig21.csv"
awk -F, 'NR == 1 { printf "%6s %14s %12s %12s %12s %14s\n", "batch", "all-to-all/AR", "TopoOpt", "Switch 100", "Switch 25", "25 / TopoOpt"; next }
    { printf "%6d %14.3f %12.1f %12.1f %12.1f %14.3f\n", $1, $2, $6, $7, $8, $8 / $6 }' "$out/fig21.csv"
at() { awk -F, -v column="$1" '$1 == 512 { print $column }' "$out/fig21.csv"; } # at COLUMN: of batch 512
ratio=$(calc "$(at 8) / $(at 6)")
must "batch 512: all-to-all over all-reduce" "$(at 2)" 0.780 0.002
# By hand: 11/6 x 517 MB of all-reduces and twice 738 MB of all-to-alls are 0.775 s at 3.125 GB/s, and on four links, with
# 20/11 of them for each byte of an all-to-all, 0.290 s.
must "batch 512: communication on the switch of 25 Gb/s, ms" "$(at 5)" 775.3 2
must "batch 512: communication on TopoOpt, ms" "$(at 3)" 290.5 1.5
[ "$compute" != 0.52 ] || must "batch 512: Switch 25 over TopoOpt" "$ratio" 1.6 0.016
says "batch 512: all-to-all over all-reduce traffic" "78 %" "$(FORMAT=%.1f calc "100 * $(at 2)") %" "$(within "$(at 2)" 0.775 0.785)" \
    "dot interaction, 12 tables of 32768 columns, 1024-1024-1024-1024-32768 below, 32846-2048-... above"
says "batch 512: Switch 25 Gb/s over TopoOpt" "1.6" "$ratio" "$(within "$ratio" 1.52 1.68)" \
    "with $compute s beside communication, as input"

# The same seconds as computation alone, spread over operators by their roofline: transfers and all-reduces pass beside it.
spread=$(job topoopt/dlrm_6 dlrm_spread --compute "${compute}s")
beside_topoopt=$(on topoopt "$spread")
beside_25=$(on 25 "$spread")
says "the same, if all of it is computation of operators" "1.6" "$(calc "$beside_25 / $beside_topoopt")" \
    "$(within "$(calc "$beside_25 / $beside_topoopt")" 1.52 1.68)" "$(FORMAT=%.1f calc "$beside_25") and $(FORMAT=%.1f calc "$beside_topoopt") ms: part of the communication passes beside it"
# Other ways of TopoOpt's transfers than by parity.
"$orrery" plan topoopt "$here/testbed_plan.yml" --no-run -o "$work/plan" >/dev/null 2>&1
found=$(flows "$work/plan/platform.yml" --taskgraph "$work/dlrm_512.otg")
random=$(flows --taskgraph "$work/dlrm_512.otg" --fabric circulant:1,5 --link-bandwidth 25Gb/s)
adds "communication on TopoOpt, by routes" "$(FORMAT=%.1f calc "$(at 3)") ms evenly; $(FORMAT=%.1f calc "$found") by TopologyFinder's routes; $(FORMAT=%.1f calc "$random") by ECMP" \
    "5 flows of an all-to-all on the fullest link, 6, and more"
gain() { awk -F, -v batch="$1" '$1 == batch { printf "%.2f of communication, %.2f of an iteration", $5 / $3, $8 / $6 }' "$out/fig21.csv"; }
says "the more all-to-all, the less TopoOpt gains (consistent with Fig. 12)" "yes" \
    "$(gain 64) at batch 64; $(gain 512) at 512" "$(awk -F, 'NR == 2 { few = $5 / $3 } END { print $5 / $3 < few ? "yes" : "no" }' "$out/fig21.csv")" \
    "an iteration has the same $compute s beside communication at every batch, as nothing else is known"
awk -F, 'NR > 1 { print "TopoOpt," $1 "," $6; print "Switch 100 Gb/s," $1 "," $7; print "Switch 25 Gb/s," $1 "," $8 }' "$out/fig21.csv" |
    sort -s -t, -k1,1 | plot fig21 logx=1 title="Fig. 21: DLRM on the testbed" xlabel="batch of a GPU" ylabel="ms of an iteration"
finish
