#!/bin/bash
# Fig. 4: the ring (Eq. 2) against the tree with the best number of chunks (Eq. 5), over processors and
# bytes: above 1 the tree is faster. The paper does not give alpha and beta; here 1 us and 25 GB/s.
#
#   usage: examples/c_cube/fig04.sh [OUTDIR]
figure=fig04
. "$(dirname "$0")/common.sh"

equations='
    function log2(v) { return log(v) / log(2) }
    function ring(P, N) { return 2 * (P - 1) * a + 2 * (P - 1) / P * b * N }
    function tree(P, N) { return 2 * log2(P) * a + 2 * b * N + 4 * sqrt(a * b * N * log2(P)) }
    BEGIN { OFS = ","; a = 1e-6; b = 1 / 25e9 }'

awk "$equations"'
    BEGIN { print "npus,bytes,ring_us,tree_us,ring_over_tree"
            for (P = 8; P <= 1024; P *= 2)
                for (N = 16000; N <= 1.1e9; N *= 2)
                    printf "%d,%d,%.3f,%.3f,%.4f\n", P, N, ring(P, N) * 1e6, tree(P, N) * 1e6, ring(P, N) / tree(P, N) }' \
    >"$out/fig04.csv"

# What a ring takes by messages on links of their own, each of which holds its link for alpha and beta.
echo "npus,bytes,messages_us,equation_us" >"$out/fig04_ring.csv"
while read -r npus bytes; do
    ms=$(wall --topology "Ring($npus)" --bandwidth '25 GB/s' --set network.message_overhead=1us \
        --set 'workload={generate: all_reduce}' --set "workload.bytes=${bytes}B" --set system.chunks=1 \
        --set system.algorithms.all_reduce=ring)
    awk -v P="$npus" -v N="$bytes" -v ms="$ms" "$equations"'
        BEGIN { printf "%d,%d,%.3f,%.3f\n", P, N, 1000 * ms, ring(P, N) * 1e6 }'
done <<'POINTS' >>"$out/fig04_ring.csv"
8 16384
8 67108864
64 16384
64 67108864
POINTS

echo "Fig. 4: time of a ring (Eq. 2) over that of a tree (Eq. 5), alpha 1 us, 25 GB/s"
awk -F, 'NR > 1 && (NR - 2) % 17 % 2 == 0 { if (!($1 in row)) { row[$1] = sprintf("%5d", $1); order[++n] = $1 }
                  if (n == 1) head = head sprintf(" %8s", $2 < 1e6 ? $2 / 1e3 " kB" : sprintf("%.1f MB", $2 / 1e6))
                  row[$1] = row[$1] sprintf(" %8.3f", $5) }
    END { print " NPUs" head; for (i = 1; i <= n; i++) print row[order[i]] }' "$out/fig04.csv"
echo
echo "rings by messages: NPUs, bytes, us, Eq. 2"
awk -F, 'NR > 1 { printf "%5d %10d %12s %12s\n", $1, $2, $3, $4 }' "$out/fig04_ring.csv"

# How far the ring is ahead at most: for endless bytes at 8, and over all bytes at P.
read -r endless at8 at48 where < <(awk "$equations"'
    function most(P,    N, r, best) { for (N = 1e3; N < 1e13; N *= 1.05) { r = tree(P, N) / ring(P, N); if (r > best) { best = r; best_n = N } }
                                      return best - 1 }
    BEGIN { OFS = " "; printf "%.4f ", tree(8, 1e18) / ring(8, 1e18) - 1; printf "%.4f ", most(8); x = b * best_n / a; printf "%.4f %.1f\n", most(48), x }')
low=$(awk -F, 'NR > 1 && (low == "" || $5 < low) { low = $5 } END { printf "%.2f", low }' "$out/fig04.csv")
high=$(awk -F, 'NR > 1 && $5 > high { high = $5 } END { printf "%.0f", high }' "$out/fig04.csv")
must "ring ahead, 8 NPUs, endless bytes" "$endless" 0.143 0.0005
must "ring ahead, 8 NPUs, all bytes" "$at8" 0.57 0.005
must "bytes of that, in alpha / beta" "$where" 22 1.5
must "ring ahead, 48 NPUs, all bytes" "$at48" 0.14 0.005
must "least of the plane" "$low" 0.64 0.005
must "most of the plane" "$high" 65 0.5
awk -F, 'NR > 1 { print $3 / $4 }' "$out/fig04_ring.csv" >"$work/ratios"
while read -r ratio; do
    must "messages over Eq. 2" "$ratio" 1 0.01
done <"$work/ratios"
few=$(awk -F, 'NR > 1 && (bytes == "" || $2 < bytes) { bytes = $2; few = "" } $2 == bytes && (few == "" || $5 < few) { few = $5 } END { printf "%.2f", few }' "$out/fig04.csv")
percent() { FORMAT=%.1f calc "100 * $1"; }
says "the tree is faster for few bytes and for many NPUs" "yes" "$few times at least with the fewest bytes, up to $high with the most NPUs" \
    "$(holds "$few > 1 && $high > $few")" ""
says "ring ahead for many bytes and few NPUs" "up to 14 %" "$(percent "$endless") % at 8 NPUs and endless bytes; over all bytes $(percent "$at48") % at 48 NPUs, $(percent "$at8") % at 8" \
    "$({ echo "8 NPUs and endless bytes $(within "$endless" 0.13 0.15)"; echo "8 NPUs of any bytes $(within "$at8" 0.13 0.15)"; echo "48 NPUs of any bytes $(within "$at48" 0.13 0.15)"; } | span)" \
    "P / (P - 1) of endless bytes; alpha and beta are ours"

awk -F, 'NR > 1 { print $1 " NPUs," $2 "," $5 }' "$out/fig04.csv" |
    plot fig04 logx=1 logy=1 line=1 title="Fig. 4: time of the ring over that of the tree" xlabel="bytes" ylabel="ring / tree"
finish
