#!/bin/bash
# Fig. 20: time to accuracy of VGG-19 on the testbed: the time of an iteration, and from it the hours until so many epochs of
# ImageNet are done.
#
#   usage: examples/topoopt/fig20.sh [OUTDIR]
#
# COMPUTE=SECONDS is the computation of an iteration (0.202), EPOCHS=N how many the target accuracy takes (74, as many as
# VGG's authors trained). The paper gives neither. An epoch has 1,281,167 images.
figure=fig20
. "$(dirname "$0")/common.sh"
. "$here/testbed.sh"

compute=${COMPUTE:-0.202}
epochs=${EPOCHS:-74}
iterations=$(FORMAT=%.0f calc "int(1281167 / (32 * $servers) + 0.999999)") # of an epoch
echo "Fig. 20: VGG-19 on 12 servers, 32 images each; $compute s of computation an iteration and $epochs epochs are input"
tasks=$(job topoopt/vgg_6 vgg_6 --compute "${compute}s" --batch $((32 * servers)))
echo "network,iteration_ms,hours" >"$out/fig20.csv"
for network in topoopt 100 25; do
    ms=$(on "$network" "$tasks")
    echo "$network,$ms,$(calc "$ms * $iterations * $epochs / 3.6e6")"
done >>"$out/fig20.csv"
awk -F, 'NR > 1 { printf "%-16s %12.3f ms an iteration %10.1f hours\n", $1 == "topoopt" ? "TopoOpt" : "Switch " $1 " Gb/s", $2, $3 }' "$out/fig20.csv"
iteration() { awk -F, -v network="$1" '$1 == network { print $2 }' "$out/fig20.csv"; }
slower=$(calc "$(iteration 25) / $(iteration topoopt)")
near=$(calc "$(iteration topoopt) / $(iteration 100)")
# By hand: 2 x 11/12 x 574,668,960 bytes at 3.125 GB/s are 337.1 ms of all-reduces, from about when the last third of the
# computation's time forward is over (67.3 ms) on; at 12.5 GB/s they end before the backward pass does (202 ms).
if [ "$compute" = 0.202 ]; then
    must "VGG-19: Switch 25 over TopoOpt" "$slower" 2.0 0.06
    must "VGG-19: Switch 25, ms of an iteration" "$(iteration 25)" 404.4 12
fi
says "TopoOpt reaches the accuracy so much faster than Switch 25 Gb/s" "2.0" "$slower" "$(within "$slower" 1.9 2.1)" \
    "with $compute s of computation, as input: a third forward, all-reduces beside the rest"
says "TopoOpt is like Switch 100 Gb/s" "overlap" "$near x its time" "$(within "$near" 0.95 1.05)" ""
awk -F, -v epochs="$epochs" 'NR > 1 {
    name = $1 == "topoopt" ? "TopoOpt" : "Switch " $1 " Gb/s"
    for (i = 0; i <= 10; i++) print name "," $3 * i / 10 "," epochs * i / 10 }' "$out/fig20.csv" |
    plot fig20 title="Fig. 20: VGG-19 on the testbed, until the target accuracy" xlabel="hours" ylabel="epochs done"
finish
