#!/bin/bash
# Fig. 13: bandwidth tax of DLRM with a table a server, by samples of a GPU: what 128 servers send, with what they
# forward, over what is to be sent. Routes are one random shortest way of each pair; the tax is the same for all of
# these, as ways of least length are.
#
#   usage: examples/topoopt/fig13.sh [OUTDIR]
figure=fig13
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

echo "Fig. 13: bandwidth tax on 128 servers"
times_used
echo "degree,batch,all_to_all_over_all_reduce,tax,tax_by_hand,links_of_a_byte,tax_of_algorithm_3,tax_one_way,alpha_mean_path,alpha_tax,alpha_busiest_link,eq1_fat_tree_ms,eq1_mean_path_ms,eq1_tax_ms,eq1_busiest_link_ms" >"$out/fig13.csv"
tax() { # tax BATCH FABRIC
    local told
    told=$(evaluated "$1" "$2")
    value bandwidth_tax <<<"$told"
}
algorithm_3() { [ "$1" -eq 4 ] && echo 1,11 || echo 1,3,11,37; }
one_way() { [ "$1" -eq 4 ] && echo +1,+3,+11,+37 || echo +1,+3,+5,+9,+17,+31,+57,+105; }
batches="64 128 256 512 1024 2048"
[ -z "${QUICK:-}" ] || batches="64 2048"
for d in 4 8; do
    for batch in $batches; do
        told=$(evaluated "$batch" "circulant:$(jumps "$d")")
        selected=$(tax "$batch" "circulant:$(algorithm_3 "$d")")
        by_eq1=$(eq1 "$d" "$batch")
        directed=$(tax "$batch" "circulant:$(one_way "$d")")
        # R = 2 x 127 / 128 of the weights, A = 127 tables' outputs there and gradients back, of one server.
        awk -v OFS=, -v d="$d" -v b="$batch" -v a="$(value transfer_bytes <<<"$told")" -v r="$(value all_reduce_bytes <<<"$told")" \
            -v tax="$(value bandwidth_tax <<<"$told")" -v h="$(value transfer_hops <<<"$told")" -v more="$selected,$directed,$by_eq1" 'BEGIN {
                R = 2 * 127 / 128 * 4 * (7 * 2048 ^ 2 + 14 * 4096 ^ 2 + 18432 * 4096)
                A = 2 * 127 * 4 * b * 128 * 8
                printf "%d,%d,%.4f,%.4f,%.4f,%.3f,%s\n", d, b, a / r, tax, (R + h * A) / (R + A), h, more }' >>"$out/fig13.csv"
    done
done
cut -d, -f1-8 "$out/fig13.csv" >"$work/taxes.csv"
cut -d, -f1,2,9-15 "$out/fig13.csv" >"$work/eq1.csv"
table taxes "$work"
echo "Eq. 1, ms, without overlap of transfers and computation"
table eq1 "$work"

of() { awk -F, -v d="$1" -v b="$2" -v c="$3" '$1 == d && $2 == b { print $c }' "$out/fig13.csv"; }
while read -r d batch paper; do
    here_tax=$(of "$d" "$batch" 4)
    must "tax, batch $batch, d = $d" "$here_tax" "$paper" "$(calc "0.02 * $paper")"
    must "tax by hand, batch $batch, d = $d" "$(of "$d" "$batch" 5)" "$here_tax" 0.002
    says "tax, batch $batch, d = $d" "$paper" "$(FORMAT=%.3f calc "$here_tax")" "$(within "$here_tax" "$(calc "0.98 * $paper")" "$(calc "1.02 * $paper")")" \
        "jumps $(jumps "$d" | tr , ' '), both ways; by Algorithm 3 $(FORMAT=%.3f calc "$(of "$d" "$batch" 7)"), with one-way links $(FORMAT=%.3f calc "$(of "$d" "$batch" 8)"); runs count whole packets (fig12)"
done <<'PAPER'
4 64 1.11
8 64 1.05
4 2048 3.03
PAPER
# (R + A) / 1600 GB/s less (R + 5.622 A) / 6400 GB/s, of 345.2 and 272.7 GB of 128 servers; computing is in both.
must "Eq. 1, batch 2048, d = 4: Fat-tree less TopoOpt, ms" "$(calc "$(of 4 2048 12) - $(of 4 2048 13)")" 92.7 0.1
must "all-to-all over all-reduce, batch 2048" "$(of 4 2048 3)" 0.790 0.001
says "all-to-all over all-reduce, batch 2048" "0.8" "$(of 4 2048 3)" "$(within "$(of 4 2048 3)" 0.75 0.85)" "8 bytes a number of what tables give; with 4 it is half, and the tax 2.31"
awk -F, 'NR > 1 { print "d = " $1 "," $2 "," $4 }' "$out/fig13.csv" |
    plot fig13 bars=1 from=0 line=1 title="Fig. 13: bandwidth tax" xlabel="samples of a GPU" ylabel="sent over to be sent"
finish
