#!/bin/bash
# Fig. 10: the two trees on the NVLinks of the DGX-1: their detours, and that no channel is used twice; the
# same where any GPU may stand anywhere in the trees; and the six rings.
#
#   usage: examples/c_cube/fig10.sh [OUTDIR]
figure=fig10
. "$(dirname "$0")/common.sh"

left="- 2 4 2 0 6 4 6"
right="3 - 3 5 7 1 7 5" # left with 2i and 2i + 1 swapped
mirror="1 3 1 7 5 3 5 -" # left with i and 7 - i swapped, the usual second tree
trees() { "$orrery" topo trees "$here/dgx1.yml" "$@"; }

trees --trees "$left; $right" | tee "$work/given"
trees --trees "$left; $right" -o "$out/fig10.svg"
trees --trees "$left; $right" -o "$out/fig10.dot"
echo
echo "where the search may choose who stands where:"
trees | tee "$work/free"
trees -o "$out/fig10_free.svg"
echo
"$orrery" topo rings "$here/dgx1.yml" | tee "$work/rings"

number() { sed -n "s/^$1 *\([0-9]*\).*/\1/p" "$work/$2"; }
conflicts() { trees "$@" | sed -n 's/^conflicts *\([0-9]*\).*/\1/p'; }
# Every choice of the two detours.
echo
echo "way_of_2_to_4,way_of_3_to_5,conflicts" >"$out/fig10.csv"
for a in 0 6; do
    for b in 1 7; do
        echo "$a,$b,$(conflicts --trees "$left; $right" --detour 2-$a-4 --detour 3-$b-5)" >>"$out/fig10.csv"
    done
done
mirrored=$(conflicts --trees "$left; $mirror")
awk -F, 'NR > 1 { printf "detours over GPU %d and GPU %d: channels used twice %d\n", $1, $2, $3 }' "$out/fig10.csv"
echo "with the mirror image as second tree: at least $mirrored"

only=$(awk -F, 'NR > 1 && $3 == 0 { printf "%s%d and %d", n++ ? "; " : "", $1, $2 }' "$out/fig10.csv")
must "channels that the paper's trees use twice" "$(number conflicts given)" 0 0
must "detours of the paper's trees" "$(number detours given)" 2 0
must "the only detours without a conflict are over 0 and 1" "$([ "$only" = "0 and 1" ] && echo 1 || echo 0)" 1 0
must "GPU 0 and GPU 1 forward" "$(grep -c '2 > 4 over 0, tree 1 3 > 5 over 1' "$work/given")" 1 0
must "detours where ranks are free" "$(number detours free)" 0 0
must "conflicts where ranks are free" "$(number conflicts free)" 0 0
must "rings" "$(sed -n 's/.*: \([0-9]*\) rings.*/\1/p' "$work/rings")" 6 0
must "links of the rings" "$(sed -n 's/^links used *\([0-9]*\) of 48.*/\1/p' "$work/rings")" 48 0
must "the mirror image has a conflict" "$([ "$mirrored" -gt 0 ] && echo 1 || echo 0)" 1 0
says "GPU 2 reaches GPU 4 over GPU 0; two GPUs (0 and 1) are detour nodes" "yes" "the only choice without a conflict: $only" \
    "$([ "$only" = "0 and 1" ] && echo yes || echo no)" \
    "the second tree is read out of the text: the plot is not in our copy"
says "doubled NVLinks let both trees overlap" "yes" "channels used twice: $(number conflicts given)" "$(within "$(number conflicts given)" 0 0)" ""
says "detours are needed on a DGX-1" "yes" "$(number detours given) with the paper's ranks, $(number detours free) where the search chooses the ranks of trees of the same shape" \
    "$({ echo "the ranks of the paper's logical trees $(within "$(number detours given)" 1 99)"; echo "any ranks $(within "$(number detours free)" 1 99)"; } | span)" \
    "the paper keeps the ranks of its logical trees"
awk -F, 'NR > 1 { print "channels used twice,over " $1 " and " $2 "," $3 }' "$out/fig10.csv" |
    plot fig10_choices bars=1 from=0 title="Fig. 10: choices of the detours" ylabel="channels used twice"
finish
