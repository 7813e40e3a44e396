#!/bin/bash
# Fig. 11: iteration times of six models on dedicated clusters of 128 servers with four interfaces each, over the
# bandwidth of an interface. Data parallelism with tables round robin; and strategies searched on each network.
#
#   usage: examples/topoopt/fig11.sh [OUTDIR]
figure=fig11
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"
. "$here/clusters.sh"

clusters 4

# By hand: 2 x 127 / 128 x 1.157 GB over 12.5 GB/s are 183.7 ms of all-reduces behind 35 ms, against 100.6 ms of computation.
must "VGG at 100 Gb/s: fat_tree over topoopt" "$(calc "$(at fat_tree vgg 100) / $(at topoopt vgg 100)")" 2.18 0.02
# Known: of the means over five bandwidths.
if [ -z "${QUICK:-}" ]; then
    must_mean fat_tree topoopt vgg 2.8 0.28
    must_mean fat_tree topoopt bert_5_3 3.0 0.30
    must_mean fat_tree topoopt dlrm_5_3 2.8 0.28
    must_mean fat_tree topoopt ncf 2.1 0.315
    must_mean fat_tree topoopt resnet50 1.025 0.025
    must_mean fat_tree topoopt candle_5_3 3.63 0.109
    must_mean topoopt ideal dlrm_5_3 1.3 0.13
    must_mean topoopt ideal ncf 1.5 0.2
    must "ncf: fat_tree, as one switch, over topoopt by the evaluator" "$(ratios "$predicted" one_switch topoopt ncf 4)" 2.1 0.21
fi
claim "TopoOpt ahead of the Fat-tree: CANDLE" "2.8" "$(whole_mean fat_tree topoopt candle_5_3)" 2.52 3.08 \
    "data parallelism everywhere; it depends on how good the search on the switch is: see what is searched"
claim "TopoOpt ahead of the Fat-tree: VGG" "2.8" "$(whole_mean fat_tree topoopt vgg)" 2.52 3.08 "the mean over 10 to 200 Gb/s"
claim "TopoOpt ahead of the Fat-tree: BERT" "3" "$(whole_mean fat_tree topoopt bert_5_3)" 2.7 3.3 ""
claim "TopoOpt ahead of the Fat-tree: DLRM" "2.8" "$(whole_mean fat_tree topoopt dlrm_5_3)" 2.52 3.08 ""
claim "TopoOpt ahead of the Fat-tree: NCF" "2.1" "$(whole_mean fat_tree topoopt ncf)" 1.89 2.31 \
    "its tables' transfers share the tree's links with all-reduces; the evaluator has $(ratios "$predicted" fat_tree topoopt ncf 4), and $(ratios "$predicted" one_switch topoopt ncf 4) where the tree is one switch"
claim "Ideal Switch ahead of TopoOpt: DLRM" "1.3" "$(whole_mean topoopt ideal dlrm_5_3)" 1.17 1.43 ""
# Transfers of NCF's tables go by paths of several links: drawn for each transfer (ECMP), or one fixed path a pair.
paths=$work/paths.csv
: >"$paths"
if [[ " $run_models " == *" ncf "* ]]; then
    run_models=ncf iterations "$paths" 1 topoopt -- "network.design.degree: [$degree]" \
        "network.design.bandwidth: $(listed '' ' Gb/s' $bandwidths)" "network.routing: [shortest]"
    sed 's/^topoopt,/fixed_path,/' "$paths" >"$paths.fixed"
    cat "$paths.fixed" "$times" >"$paths"
fi
ecmp=$(whole_mean topoopt ideal ncf) fixed_path=$(ratios "$paths" fixed_path ideal ncf "$degree")
at_100="$(FORMAT=%.2f calc "$(at topoopt ncf 100) / $(at ideal ncf 100)") and $(FORMAT=%.2f calc "$(of "$paths" fixed_path ncf "$degree" 100) / $(at ideal ncf 100)") at 100 Gb/s"
reached=$(holds "$ecmp <= 1.7 && 1.7 <= $fixed_path")
says "Ideal Switch ahead of TopoOpt: NCF" "1.7" "${ecmp:+$ecmp by ECMP, $fixed_path by one path a pair; $at_100}" \
    "${reached/yes/over readings of the paths, between both}" "transfers of tables share links by how their paths are chosen, which the paper does not say: drawn for each, or one fixed path a pair"
orders
finish
