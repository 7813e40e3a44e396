#!/bin/bash
# Section 7, "TotientPerms in Fat-trees": an all-reduce of 1.28 GB among the 128 servers of a fat-tree of 8-port switches,
# full and with half of the uplinks, around 1 ring and around 4 at once; each step goes over a way of its own (ECMP).
#
#   usage: examples/topoopt/totient_fat_tree.sh [OUTDIR]
#
# SEEDS=N takes N seeds, of the ways and of the servers' order (5).
figure=totient_fat_tree
. "$(dirname "$0")/common.sh"

seeds=${SEEDS:-5}
[ -z "${QUICK:-}" ] || seeds=1
# group SEED: the task graph of the all-reduce; its servers stand in the order of the tree, or as the seed shuffles them
group() {
    local file=$work/all_$1.json
    [ -e "$file" ] || awk -v n=128 -v seed="$1" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) m[i] = i
        for (i = n - 1; i > 0 && seed > 0; i--) { j = int(rand() * (i + 1)); t = m[i]; m[i] = m[j]; m[j] = t }
        printf "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": %d, \"tasks\": [\n", n
        printf " {\"role\": \"all-reduce\", \"bytes\": \"1.28 GB\", \"members\": ["
        for (i = 0; i < n; i++) printf "%s%d", (i ? ", " : ""), m[i]
        print "]}]}" }' >"$file"
    printf '%s' "$file"
}

echo "section 7: an all-reduce of 1.28 GB among 128 servers, 100 Gb/s a link, ECMP, in ms"
echo "fat_tree,servers,rings,seed,ms" >"$out/$figure.csv"
for tree in full:8 2to1:8,2; do
    for placed in in_order shuffled; do
        for rings in 1 4; do
            for ((seed = 1; seed <= seeds; seed++)); do
                order=0
                [ $placed = in_order ] || order=$seed
                ms=$(flows --taskgraph "$(group "$order")" --fabric "fat-tree:${tree#*:}" --routing ecmp --seed "$seed" \
                    --link-bandwidth 100Gb/s --rings "totient:$rings")
                echo "${tree%%:*},$placed,$rings,$seed,$ms"
            done
        done
    done
done >>"$out/$figure.csv"

# mean TREE SERVERS RINGS, spread TREE SERVERS RINGS: over the seeds; the spread in percent of the mean
over_seeds() {
    awk -F, -v tree="$1" -v placed="$2" -v rings="$3" -v what="$4" '
        $1 == tree && $2 == placed && $3 == rings {
            sum += $5; n++
            least = n == 1 || $5 < least ? $5 : least
            most = $5 > most ? $5 : most }
        END { printf "%.1f", what == "mean" ? sum / n : 100 * (most - least) / (sum / n) }' "$out/$figure.csv"
}
printf '%-10s %-10s %10s %10s %10s %10s %8s\n' fat-tree servers "1 ring" "spread" "4 rings" "spread" "1 over 4"
for tree in full 2to1; do
    for placed in in_order shuffled; do
        one=$(over_seeds $tree $placed 1 mean)
        four=$(over_seeds $tree $placed 4 mean)
        ratio=$(FORMAT=%.2f calc "$one / $four")
        printf '%-10s %-10s %10s %9s%% %10s %9s%% %8s\n' $tree $placed "$one" "$(over_seeds $tree $placed 1 spread)" "$four" \
            "$(over_seeds $tree $placed 4 spread)" "$ratio"
        eval "${tree/2to1/half}_$placed=$ratio"
    done
done

# Hand calculation, full, one ring in order: 254 rounds of 10 MB at 12.5 GB/s, 12 us there and back over six links, and a
# packet of 8936 bytes again over each link but the first: 254 x 0.8156 ms.
must "in order, full, 1 ring: the hand calculation, ms" "$(over_seeds full in_order 1 mean)" 207.2 1.0
says "several permutations can help with congestion: servers in any order, full" "no number" "$full_shuffled x" \
    "$(within "$full_shuffled" 1.2 100)" "1 ring over 4: of one ring a round waits until links that several flows have chosen are through, of four rings with a quarter of the bytes each"
says "the same, 2:1" "no number" "$half_shuffled x" "$(within "$half_shuffled" 1.2 100)" ""
says "servers in the tree's order, full" "no number" "$full_in_order x" "$(within "$full_in_order" 1 100)" \
    "the ring +1 stays below switches but for one server of each; the others cross"
says "the same, 2:1" "no number" "$half_in_order x" "$(within "$half_in_order" 1 100)" "as above, with half of the uplinks"
awk -F, 'NR > 1 { key = $1 " " $2; gsub(/_/, " ", key); sub(/2to1/, "2:1", key); sum[key "," $3] += $5; n[key "," $3]++ }
    END { for (k in sum) { split(k, f, ","); if (f[2] == 1) print f[1] ",1," sum[k] / n[k] }
          for (k in sum) { split(k, f, ","); if (f[2] == 4) print f[1] ",4," sum[k] / n[k] } }' "$out/$figure.csv" |
    plot $figure title="All-reduce on fat-trees, 128 servers" xlabel="rings at once" ylabel="ms, mean over seeds"
finish
