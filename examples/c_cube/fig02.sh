#!/bin/bash
# Fig. 2: the rival (b), all-reduces beside the backward pass, in buckets of gradients that are ready, by
# the rings of NCCL. The paper measured no gain of it (footnote 8); without contention between compute and
# communication it hides all of them. As normalized performance: a GPU's own time over the iteration's.
#
#   usage: examples/c_cube/fig02.sh [OUTDIR]
figure=fig02
. "$(dirname "$0")/common.sh"

buckets="1 5 25 100"
# iteration MODEL BATCH GB/S TRAINING-KEYS: ms from one backward pass's end to the next one's
iteration() {
    local run=("$here/ring.yml" "$1" --set "network.graph.bandwidth=$3GB/s")
    calc "$(wall "${run[@]}" --set "$(training "$2" 2 "$4")") - $(wall "${run[@]}" --set "$(training "$2" 1 "$4")")"
}
# cell MODEL BATCH HIGH|LOW GB/S: MODEL,BATCH,BANDWIDTH,compute,R,R overlapped in buckets of 1, 5, 25, 100 MiB
cell() {
    local compute line
    compute=$(computes "$1" "$2")
    line="$1,$2,$3,$compute,$(calc "$compute / $(iteration "$1" "$2" "$4" "overlap: false, bucket: 1 GiB")")"
    for mib in $buckets; do
        line+=",$(calc "$compute / $(iteration "$1" "$2" "$4" "overlap: true, bucket: $mib MiB")")"
    done
    echo "$line"
}
batches="16 32 64"
[ -z "${QUICK:-}" ] || batches=16
for model in zfnet vgg16 resnet50; do
    for batch in $batches; do
        for bandwidth in "high 22.3" "low 11.15"; do
            echo "$model $batch $bandwidth"
        done
    done
done >"$work/cells"
export -f cell iteration wall computes calc training
export orrery here buckets
{ echo "model,batch,bandwidth,compute_ms,R,R_overlapped_1,R_overlapped_5,R_overlapped_25,R_overlapped_100"
  xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; cell "$@"' cell <"$work/cells" | sort -t, -k1,1 -k3,3 -k2,2n; } >"$out/fig02.csv"

echo "Fig. 2b: normalized performance of R, and of R beside the backward pass in buckets of so many MiB"
printf '%-10s %6s %-6s %8s %9s %9s %9s %9s\n' model batch links R 'over, 1' 5 25 100
awk -F, 'NR > 1 { printf "%-10s %6d %-6s %8.3f %9.3f %9.3f %9.3f %9.3f\n", $1, $2, $3, $5, $6, $7, $8, $9 }' "$out/fig02.csv"

awk -F, '$3 == "high" { print $1, $2, $8 }' "$out/fig02.csv" >"$work/high"
while read -r model batch here_; do
    must "$model $batch high: R overlapped, 25 MiB" "$here_" 1 0.0005
done <"$work/high"
# What would make the statement true: a GPU computes so many times slower while an all-reduce of its own runs.
factors="1 1.3 2 4 8 16 32"
[ -z "${QUICK:-}" ] || factors="1 32"
slowed() { # slowed FACTOR MODEL BATCH HIGH|LOW GB/S COMPUTE R: the gain in percent
    local run=("$here/ring.yml" "$2" --set "network.graph.bandwidth=$5GB/s" --set "compute.communication_slowdown=$1")
    echo "$1 $(calc "100 * ($6 / ($(wall "${run[@]}" --set "$(training "$3" 2 "overlap: true, bucket: 25 MiB")") - $(
        wall "${run[@]}" --set "$(training "$3" 1 "overlap: true, bucket: 25 MiB")")) / $7 - 1)")"
}
export -f slowed
for factor in $factors; do
    awk -F, -v factor="$factor" 'NR > 1 { print factor, $1, $2, $3, ($3 == "high" ? 22.3 : 11.15), $4, $5 }' "$out/fig02.csv"
done | xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; slowed "$@"' slowed |
    awk '{ sum[$1] += $2; n[$1]++ } END { for (f in sum) printf "%s,%.2f\n", f, sum[f] / n[f] }' | sort -t, -k1,1n >"$work/slowed"
{ echo "slowdown,mean_gain_percent"; cat "$work/slowed"; } >"$out/fig02_slowdown.csv"
echo
echo "mean gain over R at 25 MiB, in percent, if a GPU computes so many times slower while an all-reduce of its own runs:"
awk -F, '{ printf "  %s x: %s", $1, $2 } END { print "" }' "$work/slowed"
enough=$(awk -F, '$2 <= 1 { print $1 + 0; exit }' "$work/slowed")
mean=$(awk -F, 'NR > 1 { gain += $8 / $5 - 1; n++ } END { printf "%.1f", 100 * gain / n }' "$out/fig02.csv")
[ -z "${QUICK:-}" ] || mean= # of all batches
says "overlap in buckets beside the backward pass gains nothing significant (footnote 8)" "no gain" \
    "${mean:+$mean % over R on average at 25 MiB, 1.000 in all cells of high bandwidth}" "$(within "$mean" -100 1)" \
    "nothing slows the compute here while an all-reduce runs, what was measured shares a GPU's cores and memory; a gain of 1 % and less needs compute that is ${enough:-over 32} times slower meanwhile (compute.communication_slowdown), which is not assumed"

awk -F, 'NR > 1 { x = $1 " " $2 " " $3; print "R," x "," $5; print "1 MiB," x "," $6; print "25 MiB," x "," $8; print "100 MiB," x "," $9 }' \
    "$out/fig02.csv" | plot fig02 bars=1 from=0 line=1 title="Fig. 2b: R, and R overlapped in buckets" ylabel="normalized performance"
finish
