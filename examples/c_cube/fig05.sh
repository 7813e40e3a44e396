#!/bin/bash
# Figs. 5 and 7: steps of an all-reduce by a ring, by a tree in two phases (B) and by a tree whose phases
# overlap (C1), and of the first chunk until it is back at every NPU. Counted by messages: all links are alike,
# and a chunk takes one of them for 1 ms.
#
#   usage: examples/c_cube/fig05.sh [OUTDIR]
figure=fig05
. "$(dirname "$0")/common.sh"

# tree PHASED NPUS CHUNKS PARENTS [OPTION...]: an all-reduce by a tree, each edge with links of its own
tree() {
    local phased=$1 npus=$2 chunks=$3 parents=$4
    shift 4
    "$orrery" run --topology "FC($npus)" --bandwidth '1 GB/s' $quick --set "$(lone $((chunks * 1000000)))" \
        --set system.algorithms.all_reduce=trees --set "system.trees=[\"$parents\"]" \
        --set "system.chunks_of.all_reduce=$chunks" --set "system.phased=$phased" "$@"
}
steps() { awk '/^  "wall_ps":/ { printf "%.6g", $2 / 1e9 }'; }
turned() { awk '/^  "gradient_turnaround_ps":/ { printf "%.6g", $2 / 1e9 }'; }
ring() {
    "$orrery" run --topology "Ring($1)" --bandwidth '1 GB/s' --set "workload={generate: all_reduce, bytes: $1 MB}" \
        --set system.algorithms.all_reduce=ring --set system.chunks=1 --json - | steps
}

# Fig. 5: the root is N4 (3), its only child N2 (1) with N1 and N3.
echo "npus,chunks,way,steps,expected,turnaround,expected" >"$out/fig05.csv"
row() { echo "$1" >>"$out/fig05.csv"; }
both() { # both NPUS CHUNKS PARENTS
    local depth=0 phased
    while [ $((1 << depth)) -lt "$1" ]; do depth=$((depth + 1)); done
    phased=$(tree true "$1" "$2" "$3" --json -)
    local overlapped
    overlapped=$(tree false "$1" "$2" "$3" --json -)
    row "$1,$2,B,$(steps <<<"$phased"),$((2 * (depth + $2 - 1))),$(turned <<<"$phased"),$((2 * depth + $2 - 1))"
    row "$1,$2,C1,$(steps <<<"$overlapped"),$((2 * depth + $2 - 1)),$(turned <<<"$overlapped"),$((2 * depth))"
}
row "4,4,ring,$(ring 4),6,,"
both 4 4 "1 3 1 -"
npus="2 3 8 16 21 64"
chunks="1 2 6 64"
[ -z "${QUICK:-}" ] || { npus="2 8"; chunks="1 6"; }
for p in $npus; do
    row "$p,,ring,$(ring "$p"),$((2 * (p - 1))),,"
    for k in $chunks; do
        both "$p" "$k" "$(usual "$p")"
    done
done

echo "Figs. 5 and 7: steps until all chunks are everywhere, and until the first one is"
printf '%5s %7s %-5s %6s %9s %11s %9s\n' NPUs chunks way steps expected turnaround expected
awk -F, 'NR > 1 { printf "%5d %7s %-5s %6s %9s %11s %9s\n", $1, $2, $3, $4, $5, $6, $7 }' "$out/fig05.csv"
while IFS=, read -r p k way got expected turn turn_expected; do
    must "$way, $p NPUs, $k chunks: steps" "$got" "$expected" 0
    [ -z "$turn_expected" ] || must "$way, $p NPUs, $k chunks: turnaround" "$turn" "$turn_expected" 0
done < <(tail -n +2 "$out/fig05.csv")
of() { awk -F, -v way="$1" -v column="$2" '$1 == 4 && $2 == 4 && $3 == way { print $column; exit }' "$out/fig05.csv"; }
says "ring, 4 NPUs, 4 chunks" "7 steps" "$(of ring 4)" "$(within "$(of ring 4)" 6.95 7.05)" "2 (P - 1) messages one behind the other are 6; Fig. 5(b) draws one more"
says "tree, 4 NPUs, 4 chunks" "10 steps" "$(of B 4)" "$(within "$(of B 4)" 9.95 10.05)" ""
says "tree with overlap, 4 NPUs, 4 chunks" "7 steps" "$(of C1 4)" "$(within "$(of C1 4)" 6.95 7.05)" ""
says "the first chunk turns around sooner (Fig. 7)" "yes" "after $(of C1 6) steps instead of $(of B 6), 4 NPUs, 4 chunks" \
    "$(holds "$(of C1 6) < $(of B 6)")" \
    "without overlap when all is over with it"

# Chunks going up, turning at the root, and coming down, for Perfetto (ui.perfetto.dev).
for way in true:B false:C1; do
    tree "${way%:*}" 4 4 "1 3 1 -" --timeline "$out/fig05_${way#*:}_timeline.json" --timeline-ranks all >/dev/null
done
awk -F, 'NR > 1 && $2 == 6 { print $3 "," $1 "," $4 }' "$out/fig05.csv" |
    plot fig05 logx=1 title="Steps of an all-reduce, 6 chunks" xlabel="NPUs" ylabel="steps"
finish
