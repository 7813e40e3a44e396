#!/bin/bash
# Fig. 7: what the first 32 of 1024 GPUs send each other in an iteration of the Transformer, k = 4, 8 and 16.
#
#   usage: examples/sip_ml/fig07.sh [OUTDIR]
#
# At 2, 6 and 10 Tb/s, as in the paper, on SiP-OCS with 16 switches. Pictures: OUTDIR/fig07_K.svg.
figure=fig07
. "$(dirname "$0")/common.sh"

job=transformer_p2
degrees=(4 8 16)
[ -z "${QUICK:-}" ] || degrees=(8)
bandwidth_of() { case $1 in 4) echo 2048 ;; 8) echo 6144 ;; *) echo 10240 ;; esac; }
echo "k,same_blocks,outside,near_bytes,far_bytes,most_bytes,ring_bytes,most_peers" >"$out/fig07.csv"
assumptions "$job"
echo
echo "Fig. 7: bytes between GPUs of an iteration, batch 1024"
printf '%4s %12s %16s %18s %18s %16s %16s %8s\n' k "blocks" "outside of both" "neighbours, mean" "farthest, mean" "most" "around a ring" peers
for k in "${degrees[@]}"; do
    "$orrery" plan sip-ml "sipml/$job" --set "$(ocs 1024 "$(bandwidth_of "$k")")" --set "plan.sip_ml.model_parallel=$k" \
        --set plan.sip_ml.batches=1024 --set plan.sip_ml.degree=16 --set plan.sip_ml.simulate=1 -o "$work/$k" >/dev/null 2>"$work/said" || {
        cat "$work/said" >&2
        exit 2
    }
    cp "$work/$k/traffic.csv" "$out/fig07_$k.csv"
    cp "$work/$k/traffic.svg" "$out/fig07_$k.svg"
    awk -F, -v k="$k" '
        NR > 1 && $1 < 32 { for (j = 2; j <= 33; j++) at[$1, j - 2] = $j }
        function ring(j) { return j % k }
        END {
            same = "alike"
            for (i = 0; i < 32; i++)
                for (j = 0; j < 32; j++) {
                    v = at[i, j]
                    if (v > 0) peer[i]++
                    if (int(i / k) == int(j / k)) {
                        if (v != at[i % k, j % k]) same = "not alike"
                        d = i > j ? i - j : j - i
                        if (d == 1) { near += v; nears++ }
                        if (d == k - 1) { far += v; fars++ }
                        most = v > most ? v : most
                    } else if (j == i + k) { around = v > around ? v : around }
                    else if (v > 0) { outside++ }
                }
            for (i = 0; i < 32 - k; i++) peers = peer[i] > peers ? peer[i] : peers
            printf "%d,%s,%d,%d,%d,%d,%d,%d\n", k, same, outside, near / nears, far / fars, most, around, peers
        }' "$out/fig07_$k.csv" >>"$out/fig07.csv"
    tail -1 "$out/fig07.csv" | awk -F, '{ printf "%4s %12s %16s %18s %18s %16s %16s %8s\n", $1, $2, $3, $4, $5, $6, $7, $8 }'
done
column() { awk -F, -v column="$1" 'NR > 1 { printf "%s%s", sep, $column; sep = ", " }' "$out/fig07.csv"; }
# of_k COLUMN/COLUMN LOW HIGH: for which k the one over the other is from LOW to HIGH
of_k() { awk -F, -v low="$2" -v high="$3" -v a="$1" 'NR > 1 { split(a, of, "/"); r = $of[1] / $of[2]; print $1, (r < low || r > high ? "no" : "yes") }' "$out/fig07.csv" | span "as k"; }
known "entries outside of blocks and rings" "$(awk -F, 'NR > 1 { n += $3 } END { print n + 0 }' "$out/fig07.csv")"
says "a set of identical k x k blocks" "k = 4, 8, 16" "$(column 2)" "$(grep -q not "$out/fig07.csv" && echo no || echo yes)" ""
says "beside them rings, at distance k" "off-diagonal entries" "$(column 3) entries elsewhere" "$(awk -F, 'NR > 1 && $3 > 0 { no = 1 } END { print (no ? "no" : "yes") }' "$out/fig07.csv")" ""
says "entries near the diagonal are larger" "yes" "neighbours $(column 4), farthest in a block $(column 5) bytes" "$(of_k 4/5 1.01 1e9)" "by how parts are placed, not by a rule"
says "ring entries are smaller than the largest of blocks, but significant" "yes" "rings $(column 7), largest $(column 6) bytes" "$(of_k 7/6 0.02 1)" "a ring carries the gradients of a group of one GPU of each block, the more the smaller k is"
says "no GPU has more than D = 16 peers" "degree constraint" "$(column 8) at most" "$(awk -F, 'NR > 1 && $8 > 16 { no = 1 } END { print (no ? "no" : "yes") }' "$out/fig07.csv")" "distinct GPUs that it sends to, counted from the bytes"
finish
