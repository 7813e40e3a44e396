#!/bin/bash
# Fig. 19: samples a second of five models on the testbed, against a switch of 100 and of 25 Gb/s a server.
#
#   usage: examples/topoopt/fig19.sh [OUTDIR]
#
# COMPUTE_MODEL=SECONDS, such as COMPUTE_bert_6=0.1, is the computation of an iteration, which the paper does not give: 0.202
# for VGG-19 and 0.52 for DLRM, with which Figs. 20 and 21 come out, else what an A100 takes by the roofline (a100.yml).
figure=fig19
. "$(dirname "$0")/common.sh"
. "$here/testbed.sh"

echo "Fig. 19: samples a second on 12 servers; times of computation are input (a100.yml; VGG-19 0.202, DLRM 0.52 s)"
COMPUTE_vgg_6=${COMPUTE_vgg_6:-0.202}
COMPUTE_dlrm_6=${COMPUTE_dlrm_6:-0.52}
# Fig. 21 widens the tables of DLRM 128 times, "to create worst-case traffic"; these have the usual 256 columns.
sed -e 's/columns: 32768/columns: 256/' -e 's/name: bottom, out: 32768/name: bottom, out: 256/' \
    "$root/inputs/models/topoopt/dlrm_6.yml" >"$work/dlrm_narrow.yml"
# of NAME MODEL SAMPLES: a line of the table
of() {
    local name=$1 model=$2 samples=$3 line=$1 tasks ms seconds=COMPUTE_$1
    tasks=$(job "$model" "$name" --batch $((samples * servers)) ${!seconds:+--compute "${!seconds}s"})
    for network in topoopt 100 25; do
        ms=$(on "$network" "$tasks")
        line=$line,$(FORMAT=%.2f calc "1000 * $samples * $servers / $ms")
    done
    echo "$line"
}
{
    echo "model,topoopt,switch_100,switch_25"
    of vgg_6 topoopt/vgg_6 32
    of resnet50_6 topoopt/resnet50_6 20
    of bert_6 topoopt/bert_6 2
    of dlrm_6 topoopt/dlrm_6 64
    of candle_6 topoopt/candle_6 10
    of dlrm_narrow "$work/dlrm_narrow.yml" 64
    of dlrm_roofline topoopt/dlrm_6 64
    COMPUTE_dlrm_512=$COMPUTE_dlrm_6
    of dlrm_512 topoopt/dlrm_6 512
} >"$out/fig19.csv"
awk -F, 'NR == 1 { printf "%-14s %12s %12s %12s %14s %14s\n", "samples/s", "TopoOpt", "Switch 100", "Switch 25", "TopoOpt / 100", "TopoOpt / 25"; next }
    { printf "%-14s %12.1f %12.1f %12.1f %14.3f %14.3f\n", $1, $2, $3, $4, $2 / $3, $2 / $4 }' "$out/fig19.csv"
for model in vgg_6 resnet50_6 bert_6 dlrm_6 candle_6; do
    near=$(awk -F, -v model=$model '$1 == model { printf "%.4f", $2 / $3 }' "$out/fig19.csv")
    gain=$(awk -F, -v model=$model '$1 == model { printf "%.4f", $2 / $4 }' "$out/fig19.csv")
    must "$model: TopoOpt over Switch 100" "$near" 1 0.05
    must "$model: Switch 25 is slower" "$(within "$gain" 1.0001 100 | sed 's/yes/1/; s/no/0/')" 1 0
    says "$model: TopoOpt like Switch 100 Gb/s, Switch 25 Gb/s lower" "yes" "$near and $gain times theirs" \
        "$(within "$near" 0.95 1.05)" ""
done
# other NAME WHAT REASON: DLRM otherwise
other() {
    local near
    near=$(awk -F, -v model="$1" '$1 == model { printf "%.4f", $2 / $3 }' "$out/fig19.csv")
    says "DLRM $2: TopoOpt over Switch 100" "similar" "$near" "$(within "$near" 0.95 1.05)" "$3"
}
other dlrm_narrow "with tables of 256 columns, computing as the roofline has it" ""
other dlrm_roofline "with those of List 1, 32768, computing as the roofline has it" \
    "all-to-alls go over 1.82 links in the mean; the less it computes, the more that shows"
other dlrm_512 "with those of List 1, batch 512" "all-to-alls are 78 % of all-reduces: Fig. 21, where the paper compares with Switch 25 only"
awk -F, 'NR > 1 && NR < 7 { print "TopoOpt," $1 "," $2 / $3; print "Switch 25 Gb/s," $1 "," $4 / $3 }' "$out/fig19.csv" |
    plot fig19 title="Fig. 19: samples a second, of those of Switch 100 Gb/s" \
    bars=1 from=0 ylabel="of Switch 100 Gb/s"
finish
