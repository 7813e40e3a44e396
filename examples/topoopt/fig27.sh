#!/bin/bash
# Fig. 27: Fig. 11 with eight interfaces a server.
#
#   usage: examples/topoopt/fig27.sh [OUTDIR]
figure=fig27
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"
. "$here/clusters.sh"

clusters 8
says "the trend of d = 4" "similar" \
    "Fat-tree over TopoOpt: $(for model in $run_models; do printf '%s %s, ' "$(name_of "$model")" "$(mean fat_tree topoopt "$model")"; done)the text has no numbers" \
    yes ""
orders
finish
