#!/bin/bash
# Fig. 7: three orders of a ring all-reduce among 16 servers, +1, +3 and +7: S_i sends to S_(i + p).
#
#   usage: examples/topoopt/fig07.sh [OUTDIR]
figure=fig07
. "$(dirname "$0")/common.sh"

echo "Fig. 7: rings of 16 servers"
echo "jump,ring" >"$out/fig07.csv"
rings=yes
for p in 1 3 7; do
    "$orrery" topo draw "circulant:+$p" --npus 16 -o "$out/fig07_$p.svg"
    around=$("$orrery" topo show "circulant:+$p" --npus 16 --json - | awk -F'[:,]' '/"diameter_hops"/ { print $2 + 0 }')
    ring=$(awk -v p="$p" 'BEGIN { for (i = 0; i < 16; i++) printf "%s%d", i ? " " : "", i * p % 16 }')
    echo "$p,$ring" >>"$out/fig07.csv"
    echo "+$p  $ring"
        [ "$around" = 15 ] || rings=no
    must "+$p: links from a server around to the one before it" "$around" 15 0
done
says "orders of the ring" "+1, +3, +7" "the same: fig07_1.svg, fig07_3.svg, fig07_7.svg" "$rings" "one-way: an interface sends to one server"
finish
