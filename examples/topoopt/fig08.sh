#!/bin/bash
# Fig. 8: the traffic of the model of Fig. 1b with the rings of Fig. 7, one at a time.
#
#   usage: examples/topoopt/fig08.sh [OUTDIR]
figure=fig08
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

echo "Fig. 8: bytes between 16 servers by order of the ring"
echo "jump,pairs,most_of_a_pair_bytes,all_bytes,spread" >"$out/fig08.csv"
heatmap fig08_none "$here/dlrm_16.yml" --strategy "$here/dlrm_16_hybrid.yml" >/dev/null
reduced=
for p in 1 3 7; do
    heatmap "fig08_$p" "$here/dlrm_16.yml" --strategy "$here/dlrm_16_hybrid.yml" --rings "$p" >/dev/null
    line=$(balance "fig08_$p")
    echo "$p,$line" >>"$out/fig08.csv"
    # What a ring adds is on its 16 pairs alone, everywhere the same.
    added=$(paste -d, "$out/fig08_none.csv" "$out/fig08_$p.csv" | awk -F, -v p="$p" 'NR > 1 {
            for (i = 2; i <= 17; i++) { more = $(i + 17) - $i; if (more == 0) continue
                n++; sum += more; off += i - 2 != (NR - 2 + p) % 16 } }
        END { printf "%d,%.0f,%d", n, sum, off }')
    { holds "$(field "$added" 1) == 16"; holds "$(field "$added" 2) == ${reduced:-$(field "$added" 2)}"; } >>"$work/moves"
    holds "$(field "$added" 3) == 0" >>"$work/stays"
    must "+$p: pairs that the ring adds to" "$(field "$added" 1)" 16 0
    must "+$p: of these others than i to i + $p" "$(field "$added" 3)" 0 0
    reduced=${reduced:-$(field "$added" 2)}
    must "+$p: bytes that the ring adds, as +1" "$(field "$added" 2)" "$reduced" 0
done
table fig08
moves=$(all_of <"$work/moves") stays=$(all_of <"$work/stays")
says "model parallelism stays where it is in all three" "the same lines" "the same bytes of every pair off the ring" "$stays" ""
says "all-reduces move to other pairs" "other diagonals" "+1, +3, +7: 16 pairs each, $(FORMAT=%.1f calc "$reduced / 16e9") GB each" "$moves" ""
finish
