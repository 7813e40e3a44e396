#!/bin/bash
# Fig. 1: what 16 servers send each other in an iteration of a recommendation model with four tables, data-parallel,
# and with the tables on S0, S3, S8 and S13.
#
#   usage: examples/topoopt/fig01.sh [OUTDIR]
figure=fig01
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

echo "strategy,pairs,most_of_a_pair_bytes,all_bytes,spread,reduced_bytes" >"$out/fig01.csv"
for strategy in data hybrid; do
    told=$(heatmap "fig01_$strategy" "$here/dlrm_16.yml" --strategy "$here/dlrm_16_$strategy.yml" --rings 1)
    reduced=$(sed -n 's/^all-reduces .*(\([0-9]*\) bytes).*/\1/p' <<<"$told")
    line=$(balance "fig01_$strategy")
    echo "$strategy,$line,$reduced" >>"$out/fig01.csv"
done
echo "Fig. 1: bytes between 16 servers in an iteration, one ring"
table fig01

of() { awk -F, -v s="$1" -v c="$2" '$1 == s { print $c }' "$out/fig01.csv"; }
all=$(of data 6)
rest=$(of hybrid 6)
mp=$(cell fig01_hybrid 0 4)
most=$(calc "$(of data 3) / 1e9")
less=$(calc "$(of hybrid 3) / 1e9")
must "data parallelism: 2 x 15 / 16 of the weights, bytes" "$(of data 3)" "$(calc "1.875 * $all")" 20
must "tables in places: what is left of the weights" "$rest" "$(calc "$all - 4 * 512e7")" 0
must "tables in places: from S0 to S1, bytes" "$(of hybrid 3)" "$(calc "1.875 * $rest + $mp")" 100
must "tables in places: model parallelism of a pair, bytes" "$mp" "$((8192 * 512 * 8))" 0
must "tables in places: pairs" "$(of hybrid 2)" $((4 * 15 + 12 * 4 + 8)) 0 # of the ring 8 have no table at an end
says "a: all-reduce of a pair, all data-parallel" "44 GB" "$(FORMAT=%.1f calc "$most") GB" "$(within "$most" 39.6 48.4)" \
    "2 x 15 / 16 x $(FORMAT=%.2f calc "$all / 1e9") GB; the 44 GB are 2 x 22, and the 37.5 of appendix D 2 x 15 / 16 x 20. 22 GB is about one byte a parameter, not the double precision of appendix D, which makes 164 GB"
says "b: the most of a pair, tables on four servers" "4 GB" "$(FORMAT=%.1f calc "$less") GB" "$(within "$less" 3.6 4.4)" \
    "2 x 15 / 16 of what is not in tables, $(FORMAT=%.2f calc "$rest / 1e9") GB, which the paper does not tell: 22 GB less 20"
says "b: model parallelism of a pair" "32 MB" "$(FORMAT=%.0f calc "$mp / 1048576") MiB" "$(within "$mp" 31e6 34e6)" \
    "8192 samples x 512 x 8 bytes; twice that between two servers with tables"
finish
