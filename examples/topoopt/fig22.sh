#!/bin/bash
# Fig. 22: the traffic of the model of Fig. 1b with double binary trees for all-reduces: as they are, and with other
# servers in their places (Fig. 23).
#
#   usage: examples/topoopt/fig22.sh [OUTDIR]
figure=fig22
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"
. "$here/trees.sh"
trees "Fig. 22: DLRM of 16 servers, tables on four" "$here/dlrm_16.yml" --strategy "$here/dlrm_16_hybrid.yml"
finish
