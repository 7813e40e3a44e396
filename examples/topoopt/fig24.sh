#!/bin/bash
# Fig. 24: CANDLE, data-parallel, with double binary trees for all-reduces: as they are, and with other servers in
# their places (Fig. 23).
#
#   usage: examples/topoopt/fig24.sh [OUTDIR]
figure=fig24
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"
. "$here/trees.sh"
trees "Fig. 24: CANDLE of 16 servers" topoopt/candle_5_6 --devices 16
finish
