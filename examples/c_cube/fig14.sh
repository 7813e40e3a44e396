#!/bin/bash
# Fig. 14: scale-out. a: time of a ring over that of an overlapped tree (C1); b: turnaround of a tree in two
# phases (B) over that of C1. Chunks of 250 kB, 12 us a step, 25 GB/s, every edge of the tree a channel of its
# own each way. And the counter-case: each NPU has one port into a switch, which two trees share; the 12 us are
# those of the way through the switch, or (Held) hold the port with each chunk.
#
#   usage: examples/c_cube/fig14.sh [OUTDIR]
figure=fig14
. "$(dirname "$0")/common.sh"

links="--bandwidth 25GB/s $quick"
held="--set network.message_overhead=12us"
through="--latency 6us" # up and down
times() { awk '/^  "wall_ps":/ { wall = $2 / 1e6 } /^  "gradient_turnaround_ps":/ { turn = $2 / 1e6 } END { printf "%.3f,%.3f", wall, turn }'; }
# tree TOPOLOGY PHASED BYTES CHUNKS PARENTS ALPHA
tree() {
    "$orrery" run --topology "$1" $links $6 --set "$(lone "$3")" --set system.algorithms.all_reduce=trees \
        --set "system.trees=$5" --set "system.chunks_of.all_reduce=$4" --set "system.phased=$2" --json - | times
}
ring() { # ring TOPOLOGY BYTES ALPHA
    "$orrery" run --topology "$1" $links $3 --set "$(lone "$2")" --set system.algorithms.all_reduce=ring \
        --set system.chunks=1 --json - | times
}
# point TOPOLOGY NPUS BYTES CHUNKS: a line of the table; the switch with two trees, of the second the mirror image
point() {
    local parents b c r mirrored topology=$1 alpha=$held
    parents=$(usual "$2")
    if [ "$1" = FC ]; then
        parents="[\"$parents\"]"
        r=$(ring "Ring($2)" "$3" "$alpha")
    else
        mirrored=$(awk -v n="$2" '{ for (i = n; i >= 1; i--) printf "%s%s", $i == "-" ? "-" : n - 1 - $i, (i > 1 ? " " : "") }' <<<"$parents")
        parents="[\"$parents\", \"$mirrored\"]"
        topology=Switch
        [ "$1" = Held ] || alpha=$through
        r=$(ring "Switch($2)" "$3" "$alpha")
    fi
    b=$(tree "$topology($2)" true "$3" "$4" "$parents" "$alpha")
    c=$(tree "$topology($2)" false "$3" "$4" "$parents" "$alpha")
    awk -v OFS=, -v head="$1,$2,$3,$4" -v b="$b" -v c="$c" -v r="$r" 'BEGIN {
        split(b, B, ","); split(c, C, ","); split(r, R, ",")
        printf "%s,%s,%s,%s,%s,%s,%.4f,%.4f,%.4f\n", head, R[1], B[1], C[1], B[2], C[2], R[1] / C[1], B[1] / C[1],
               (C[2] > 0 ? B[2] / C[2] : 0) }'
}
export -f point tree ring usual times lone
export orrery links held through work
npus="4 8 16 32 64 128"
[ -z "${QUICK:-}" ] || npus="4 8"
for p in $npus; do
    for size in "16000 1" "1000000 4" "64000000 256"; do
        echo "FC $p $size"
    done
    echo "Switch $p 64000000 256"
    echo "Held $p 64000000 256"
done >"$work/points"
{ echo "network,npus,bytes,chunks,ring_us,B_us,C1_us,B_turnaround_us,C1_turnaround_us,ring_over_C1,B_over_C1,turnaround"
  xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; point "$@"' point <"$work/points" | sort -t, -k1,1 -k3,3n -k2,2n; } >"$out/fig14.csv"

# of NETWORK NPUS BYTES COLUMN
of() { awk -F, -v n="$1" -v p="$2" -v b="$3" -v c="$4" '$1 == n && $2 == p && $3 == b { print $c }' "$out/fig14.csv"; }
table() { # table NETWORK COLUMN BYTES...
    local network=$1 column=$2 size p
    shift 2
    printf '%-12s' bytes
    printf ' %8s' $npus
    echo
    for size; do
        printf '%-12s' "$size"
        for p in $npus; do printf ' %8.2f' "$(of "$network" "$p" "$size" "$column")"; done
        echo
    done
}
echo "Fig. 14a: time of the ring over that of C1, by NPUs"
table FC 10 16000 1000000 64000000
echo "Fig. 14b: turnaround of B over that of C1"
table FC 12 16000 1000000 64000000
echo "one port for each NPU, into a switch: ring over C1, B over C1, turnaround"
for column in 10 11 12; do table Switch $column 64000000 | tail -1; done
echo "the same where the 12 us hold the port"
for column in 10 11 12; do table Held $column 64000000 | tail -1; done

# Known: NPUs, R / C1 of 16 kB, 1 MB and 64 MB, turnaround of 64 MB.
while read -r p a b c turn; do
    case " $npus " in *" $p "*) ;; *) continue ;; esac
    must "R / C1, 16 kB, $p NPUs" "$(of FC "$p" 16000 10)" "$a" "$(calc "0.05 * $a")"
    must "R / C1, 1 MB, $p NPUs" "$(of FC "$p" 1000000 10)" "$b" "$(calc "0.05 * $b")"
    must "R / C1, 64 MB, $p NPUs" "$(of FC "$p" 64000000 10)" "$c" "$(calc "0.05 * $c")"
    must "turnaround, 64 MB, $p NPUs" "$(of FC "$p" 64000000 12)" "$turn" "$(calc "0.03 * $turn")"
done <<'KNOWN'
4 1.44 0.86 0.69 64.8
8 2.23 1.20 0.81 43.5
16 3.57 1.80 0.89 32.9
32 5.90 2.87 0.98 26.5
64 9.98 4.82 1.12 22.3
128 17.2 8.36 1.37 19.2
KNOWN
largest=${npus##* }
most=$(FORMAT=%.1f calc "$(of FC 128 16000 10)")
big=$(of FC 128 64000000 10)
big=${big:+$(FORMAT=%.0f calc "100 * ($big - 1)")}
mean=$(awk -F, '$1 == "FC" && $3 == 64000000 { n++; sum += $12 } END { printf "%.1f", sum / n }' "$out/fig14.csv")
top=$(awk -F, '$1 == "FC" && $3 == 64000000 && $12 > top { top = $12 } END { printf "%.1f", top }' "$out/fig14.csv")
[ -z "${QUICK:-}" ] || mean= # of six sizes
if [ -z "${QUICK:-}" ]; then
    must "mean turnaround of 64 MB" "$mean" 34.8 1.04
    must "C1 against the ring at a switch, 64 MB, 128 NPUs" "$(of Switch 128 64000000 10)" 1.43 0.07
fi
says "a: C1 ahead of the ring, 16 kB and 1 MB" "up to 20 x" "${most:+$most x at 128 NPUs}" "$(within "$most" 16 20.5)" "alpha of 12 us and 250 kB a chunk are ours"
says "a: C1 ahead of the ring, 64 MB" "up to 35 %" "${big:+$big % at 128 NPUs}" "$(within "$big" 28 38)" "the ring is ahead below 64 NPUs"
says "b: turnaround, 64 MB: mean" "29 x" "${mean:+$mean x}" "$(within "$mean" 27.5 30.5)" "30.1 with up to 512 NPUs"
says "b: turnaround, 64 MB: most" "69 x" "$top x at 4 NPUs" "$(within "$top" 65.5 72.5)" \
    "(2 L + K - 1) / 2 L is 64.75 for 256 chunks and 4 NPUs: more cannot be"
says "b: turnaround of few chunks" "no gain" "$(FORMAT=%.2f calc "$(of FC 4 16000 12)") x for one chunk" "$(within "$(of FC 4 16000 12)" 0.99 1.01)" ""
says "these gains, where each NPU has one port into a switch" "a hierarchical, indirect topology" \
    "B / C1 $(FORMAT=%.2f calc "$(of Switch "$largest" 64000000 11)"), turnaround $(FORMAT=%.1f calc "$(of Switch "$largest" 64000000 12)") x at $largest NPUs, 64 MB" \
    "$(within "$(of Switch "$largest" 64000000 11)" "$(calc "0.9 * $(of FC "$largest" 64000000 11)")" 1e9)" \
    "they need a channel for every edge; the paper leaves open how"

awk -F, '$1 == "FC" { print $3 / 1e6 " MB," $2 "," $10 }' "$out/fig14.csv" |
    plot fig14a logx=1 logy=1 line=1 title="Fig. 14a: time of the ring over that of C1" xlabel="NPUs" ylabel="R / C1"
awk -F, '$1 == "FC" { print $3 / 1e6 " MB," $2 "," $12 }' "$out/fig14.csv" |
    plot fig14b logx=1 logy=1 line=1 title="Fig. 14b: turnaround of B over that of C1" xlabel="NPUs" ylabel="B / C1"
finish
