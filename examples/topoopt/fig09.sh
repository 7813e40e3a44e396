#!/bin/bash
# Fig. 9: TopoOpt's topology for the model of Fig. 1b, all three rings of Fig. 7 at once, and the traffic with them.
#
#   usage: examples/topoopt/fig09.sh [OUTDIR]
figure=fig09
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

"$orrery" topo draw circulant:+1,+3,+7 --npus 16 -o "$out/fig09_topology.svg"
shown=$("$orrery" topo show circulant:+1,+3,+7 --npus 16 --json -)
echo "Fig. 9: one ring, and three at once"
echo "rings,pairs,most_of_a_pair_bytes,all_bytes,spread" >"$out/fig09.csv"
for rings in 1 1,3,7; do
    heatmap "fig09_${rings//,/_}" "$here/dlrm_16.yml" --strategy "$here/dlrm_16_hybrid.yml" --rings "$rings" >/dev/null
    line=$(balance "fig09_${rings//,/_}")
    echo "${rings//,/ },$line" >>"$out/fig09.csv"
done
table fig09
one=$(sed -n 2p "$out/fig09.csv")
three=$(sed -n 3p "$out/fig09.csv")
mean=$(value mean_hops <<<"$shown")
diameter=$(value diameter_hops <<<"$shown")
must "mean path, links" "$mean" 2.26667 0.0001
must "diameter, links" "$diameter" 4 0
must "all bytes, as with one ring" "$(field "$three" 4)" "$(field "$one" 4)" 100
must "most of a pair: a third of the ring's, and two transfers" "$(field "$three" 3)" \
    "$(calc "($(field "$one" 3) - 8192 * 512 * 8) / 3 + 2 * 8192 * 512 * 8")" 100
says "more balanced than Fig. 8" "yes, no number" \
    "most of a pair $(FORMAT=%.2f calc "$(field "$three" 3) / 1e9") GB, before $(FORMAT=%.2f calc "$(field "$one" 3) / 1e9"); deviation over mean $(field "$three" 5), before $(field "$one" 5)" \
    "$(holds "$(field "$three" 3) < $(field "$one" 3) && $(field "$three" 5) < $(field "$one" 5)")" \
    "what servers want to send; forwarding comes on top"
says "short ways for model parallelism" "yes, no number" "mean $(FORMAT=%.3f calc "$mean"), diameter $diameter; of one ring 8 and 15" "$(holds "$mean < 8 && $diameter < 15")" ""
finish
