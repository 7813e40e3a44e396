#!/bin/bash
# Fig. 13: normalized performance (a GPU's own time over the iteration's) of B (two trees, in two phases), C1
# (overlapped), C2 (B chained with the forward pass of the next iteration), R (NCCL's rings) and CC (C1
# chained): three networks, batches of 16 to 64 a GPU, all of the NVLinks' bandwidth and half of it. An
# iteration is the time by which three of them are longer than two. GPUs that forward compute 1.3 x slower.
#
#   usage: examples/c_cube/fig13.sh [OUTDIR]
figure=fig13
. "$(dirname "$0")/common.sh"

chained="chain: true"
slowed="--set compute.forwarding_slowdown=1.3 --set compute.forwarding=collective"
# iteration PLATFORM MODEL BATCH GB/S KEYS OPTION...: ms
iteration() {
    local platform=$1 model=$2 batch=$3 bandwidth=$4 keys=$5
    shift 5
    calc "$(wall "$here/$platform.yml" "$model" --set "network.graph.bandwidth=$bandwidth GB/s" --set "$(training "$batch" 3 "$keys")" "$@") - $(
        wall "$here/$platform.yml" "$model" --set "network.graph.bandwidth=$bandwidth GB/s" --set "$(training "$batch" 2 "$keys")" "$@")"
}
# What the paper's third observation excludes: a ring in 64 chunks, which delivers them one by one, chained. One
# ring of links six times as fast takes what the six take together.
ring_iteration() { # ring_iteration MODEL BATCH GB/S
    local chunked=(--topology 'Ring(8)' --bandwidth "$(calc "6 * $3") GB/s" --latency 4.7us --set network.backend=congestion
        --set network.message_overhead=0ns --set system.algorithms.all_reduce=ring --set system.chunks=64)
    calc "$(wall "$here/dgx1.yml" "$1" "${chunked[@]}" --set "$(training "$2" 3 "$chained")") - $(
        wall "$here/dgx1.yml" "$1" "${chunked[@]}" --set "$(training "$2" 2 "$chained")")"
}
# cell MODEL BATCH LINKS GB/S: a line of the table
cell() {
    local oneshot="overlap: false, bucket: 1 GiB" compute line way times
    compute=$(computes "$1" "$2")
    times=(
        "$(iteration trees "$1" "$2" "$4" "$oneshot" --set system.phased=true)"
        "$(iteration trees "$1" "$2" "$4" "$oneshot")"
        "$(iteration trees "$1" "$2" "$4" "$chained" --set system.phased=true $slowed)"
        "$(iteration ring "$1" "$2" "$4" "$oneshot")"
        "$(iteration trees "$1" "$2" "$4" "$chained" $slowed)"
        "$(iteration trees "$1" "$2" "$4" "$chained")"
        "$(iteration ring "$1" "$2" "$4" "overlap: true, bucket: 25 MiB")"
        "$(ring_iteration "$1" "$2" "$4")"
    )
    line="$1,$2,$3"
    for way in "${times[@]}"; do line+=",$(calc "$compute / $way")"; done
    echo "$line"
}
export -f cell iteration ring_iteration wall computes calc training
export orrery here chained slowed
batches="16 32 64"
[ -z "${QUICK:-}" ] || batches=16
links="high:22.3 low:11.15"
[ -n "${QUICK:-}" ] || links+=" quarter:5.575"
for model in zfnet vgg16 resnet50; do
    for batch in $batches; do
        for bandwidth in $links; do
            echo "$model $batch ${bandwidth/:/ }"
        done
    done
done >"$work/cells"
{ echo "model,batch,links,B,C1,C2,R,CC,CC_unslowed,R_overlapped,R_chunks_chained"
  xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; cell "$@"' cell <"$work/cells" | sort -t, -k3,3 -k1,1 -k2,2n; } >"$out/fig13.csv"

echo "Fig. 13: normalized performance; links: all of 22.3 GB/s, 1/2, 1/4 of it"
printf '%-10s %6s %-8s %6s %6s %6s %6s %6s %12s %13s %10s\n' model batch links B C1 C2 R CC 'CC, unslowed' 'R, overlapped' 'R, chained'
awk -F, 'NR > 1 { printf "%-10s %6d %-8s %6.3f %6.3f %6.3f %6.3f %6.3f %12.3f %13.3f %10.3f\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 }' "$out/fig13.csv"

# Known: high B C1 C2 R CC, low B C1 C2 R CC.
while read -r model batch rest; do
    read -ra known <<<"$rest"
    for i in 0 1 2 3 4 5 6 7 8 9; do
        part=high
        [ $i -lt 5 ] || part=low
        way=$((i % 5))
        value=$(awk -F, -v m="$model" -v b="$batch" -v l=$part -v c=$((way + 4)) '$1 == m && $2 == b && $3 == l { print $c }' "$out/fig13.csv")
        [ -z "$value" ] && [ -n "${QUICK:-}" ] || must "$model $batch $part $(cut -d' ' -f$((way + 1)) <<<'B C1 C2 R CC')" "$value" "${known[i]}" 0.02
    done
done <<'KNOWN'
zfnet 16 .460 .612 .564 .763 .813 .306 .455 .350 .620 .560
zfnet 32 .610 .744 .708 .856 .895 .447 .605 .541 .750 .790
zfnet 64 .753 .850 .825 .920 .943 .611 .749 .712 .853 .905
vgg16 16 .829 .902 .884 .947 .968 .712 .827 .797 .900 .943
vgg16 32 .905 .948 .937 .972 .983 .830 .904 .886 .946 .970
vgg16 64 .950 .973 .968 .986 .992 .907 .949 .939 .972 .985
resnet50 16 .885 .932 .921 .968 .972 .802 .882 .862 .939 .955
resnet50 32 .939 .965 .959 .984 .986 .890 .937 .926 .969 .977
resnet50 64 .968 .982 .979 .992 .993 .941 .967 .961 .984 .988
KNOWN

# gain COLUMN COLUMN LINKS...: mean and most of how much the first is ahead, in percent, over cells of these links
gain() {
    awk -F, -v a="$1" -v b="$2" -v links=" $3 " 'NR > 1 && index(links, " " $3 " ") {
            g = 100 * ($a / $b - 1); sum += g; n++; if (n == 1 || g > most) most = g; if (n == 1 || g < least) least = g }
        END { if (n) printf "%.1f %.1f %.1f", sum / n, most, least }' "$out/fig13.csv"
}
# What "low" bandwidth is, the paper does not say: both readings, of all cells, as "1/2: VALUE %; 1/4: VALUE %".
# by_low COLUMN COLUMN mean|most; low_where COLUMN COLUMN mean|most LOW HIGH
of_low() { [ -n "${QUICK:-}" ] || gain "$1" "$2" "high $4" | cut -d' ' -f"$([ "$3" = mean ] && echo 1 || echo 2)"; }
by_low() {
    local half quarter
    half=$(of_low "$1" "$2" "$3" low) quarter=$(of_low "$1" "$2" "$3" quarter)
    echo "${half:+$half % with low as 1/2, $quarter % as 1/4}"
}
low_where() {
    { echo "1/2 $(within "$(of_low "$1" "$2" "$3" low)" "$4" "$5")"; echo "1/4 $(within "$(of_low "$1" "$2" "$3" quarter)" "$4" "$5")"; } |
        span "of the bandwidth as low"
}
read -r c1_mean _ c1_least <<<"$(gain 5 4 "high low")"
read -r cc_mean _ _ <<<"$(gain 8 4 "high low")"
read -r un_mean _ _ <<<"$(gain 9 4 "high low")"
read -r _ _ r_least <<<"$(gain 7 5 "high low")"
best=$(awk -F, 'NR > 1 && $8 > best { best = $8 } END { printf "%.1f", 100 * best }' "$out/fig13.csv")
below=$(awk -F, 'NR > 1 && $3 != "quarter" && $8 < $7 { printf "%s%s %d %s", n++ ? ", " : "", $1, $2, $3 }' "$out/fig13.csv")
must "CC falls below R for ZFNet 16 at low bandwidth only" "$([ "$below" = "zfnet 16 low" ] && echo 1 || echo 0)" 1 0
must "C1 is ahead of B everywhere, and R of C1" "$(awk -v a="$c1_least" -v b="$r_least" 'BEGIN { print (a > 0 && b > 0) }')" 1 0
if [ -z "${QUICK:-}" ]; then
    must "C1 over B, mean" "$c1_mean" 14 3
    must "CC over B, mean" "$cc_mean" 28 4
    must "CC over B without slowed forwarders, mean" "$un_mean" 30 4
    must "best efficiency" "$best" 99 1
fi
[ -z "${QUICK:-}" ] || best= un_mean= # of all batches
apart="the paper's largest values exclude each other: with r = T(B) / T(C1) of 1.75 and more (Fig. 12), C1 at most 20 % ahead means T(B) of 0.636 of the compute at most; R 27 % ahead of C1 then needs T(R) of T(B) / 8.6 at most, and CC 31 % ahead of R T(R) of T(B) / 2.05 at least; the measured ring takes T(B) / 3.6 to 3.9"
says "C1 over B, mean" "10 %" "$(by_low 5 4 mean)" "$(low_where 5 4 mean 7 17)" "all, 1/2 and 1/4 of 22.3 GB/s; the paper only says 4 x fewer threads"
says "C1 over B, most" "20 %" "$(by_low 5 4 most)" "$(low_where 5 4 most 18 22)" "$apart"
says "C2 against C1" "slightly higher" "$(by_low 6 5 mean)" "$(low_where 6 5 mean 0.1 10)" "the first chunk of B is back when C1 is all over (2 L + K - 1 steps each), so C2 cannot be ahead of C1"
says "CC over B, mean" "32 %" "$(by_low 8 4 mean)${un_mean:+; without slowed forwarders $(by_low 9 4 mean)}" "$(low_where 8 4 mean 24 40)" "low bandwidth of 1/4 makes more of what is hidden"
says "CC over B, most" "61 %" "$(by_low 8 4 most)${un_mean:+; without slowed forwarders $(by_low 9 4 most)}" "$(low_where 8 4 most 55 67)" "$apart"
says "R over C1, most" "27 %" "$(by_low 7 5 most)" "$(low_where 7 5 most 24.3 29.7)" "$apart"
says "CC over R, most" "31 %" "$(by_low 8 7 most)" "$(low_where 8 7 most 27.9 34.1)" "$apart"
# The only cells in which CC is below R are of ZFNet and of the smallest batch.
cc_below() { awk -F, -v links="$1" '$3 == links { n++; no += $8 < $7 && !($1 == "zfnet" && $2 == 16) } END { print (!n ? "not run" : no ? "no" : "yes") }' "$out/fig13.csv"; }
below_at() { awk -F, -v links="$1" '$3 == links && $8 < $7 { printf "%s%s %d", n++ ? ", " : "", $1, $2 }' "$out/fig13.csv"; }
below_quarter=$(below_at quarter)
says "CC exceeds R but for small batches of ZFNet" "yes" "CC is below R at half bandwidth for ${below%% low}${below_quarter:+, at a quarter for $below_quarter}" \
    "$({ echo "all $(cc_below high)"; echo "1/2 $(cc_below low)"; echo "1/4 $(cc_below quarter)"; } | span "of the bandwidth")" "less bandwidth leaves CC more of the trees' time, which is longer than the rings'"
best_of() { awk -F, -v batch="$1" '$2 == batch && $8 > best { best = $8 } END { if (best) printf "%.1f", 100 * best }' "$out/fig13.csv"; }
says "efficiency of CC" "up to 98 %" "${best:+up to $(best_of 16), $(best_of 32) and $best % with 16, 32 and 64 images a GPU}" \
    "$(for batch in 16 32 64; do echo "$batch $(within "$(best_of $batch)" 96 98.5)"; done | span "images a GPU")" "larger batches hide more"
says "R beside the backward pass in buckets gains nothing (footnote 8)" "no gain" \
    "$(gain 10 8 "high low" | cut -d' ' -f1) % over CC on average at 25 MiB" "$(within "$(gain 10 8 "high low" | cut -d' ' -f1)" -100 1)" "see Fig. 2: nothing slows the compute here while an all-reduce runs"

adds "a ring cannot be chained, as each NPU has another chunk first (observation 3)" \
    "what if it delivered 64 chunks one by one: $(gain 11 8 "high low" | cut -d' ' -f1) % over CC on average" \
    "a ring of one chunk delivers at its end only, as observed; in chunks it would be ahead of the trees"

# By flows the same.
while read -r model batch bandwidth; do
    must "$model $batch, $bandwidth GB/s: CC by flows over CC by messages" "$(calc "$(iteration trees "$model" "$batch" "$bandwidth" "$chained" $slowed --set network.backend=flow) / $(
        iteration trees "$model" "$batch" "$bandwidth" "$chained" $slowed)")" 1 0.0001
done <<<"zfnet 16 11.15
resnet50 16 22.3"

# Two steps of CC for Perfetto (ui.perfetto.dev): chunks go up, turn at the roots, and let layers begin.
"$orrery" run "$here/trees.yml" zfnet --set "$(training 16 2 "$chained")" $slowed \
    --timeline "$out/fig13_zfnet_CC.json.gz" --timeline-ranks all >/dev/null
echo
echo "timeline of two steps of ZFNet, batch 16, by CC: fig13_zfnet_CC.json.gz"

for part in high low; do
    awk -F, -v part=$part '$3 == part { x = $1 " " $2; print "B," x "," $4; print "C1," x "," $5; print "C2," x "," $6
            print "R," x "," $7; print "CC," x "," $8; print "R overlapped," x "," $10 }' "$out/fig13.csv" |
        plot "fig13_$part" bars=1 from=0 line=1 title="Fig. 13: normalized performance, $part bandwidth" ylabel="normalized performance"
done
finish
