#!/bin/bash
# Fig. 27: Fig. 11 with eight interfaces a server.
#
#   usage: examples/topoopt/fig27.sh [OUTDIR]
figure=fig27
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"
. "$here/clusters.sh"

clusters 8
# Of Fig. 11 the text has: the Fat-tree is behind for all but ResNet-50, which is as fast.
trend() {
    local model
    for model in $models; do
        if [ "$model" = resnet50 ]; then within "$(mean fat_tree topoopt "$model")" 0.9 1.1; else within "$(mean fat_tree topoopt "$model")" 1.1 99; fi |
            sed "s/^/$(name_of "$model") /"
    done
}
says "the trend of d = 4" "similar" \
    "Fat-tree over TopoOpt: $(for model in $run_models; do printf '%s %s, ' "$(name_of "$model")" "$(mean fat_tree topoopt "$model")"; done)the text has no numbers" \
    "$(trend | list_of)" "slower than TopoOpt by 10 % and more but for ResNet-50, as with d = 4"
orders
finish
