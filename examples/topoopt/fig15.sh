#!/bin/bash
# Fig. 15: what each link carries of the all-to-all of DLRM with a table a server, batch 128: the transfers alone, with
# one random shortest way for each ordered pair of 128 servers, all next servers equally likely; and the ways that
# TopologyFinder finds for the same transfers, on the jumps of Algorithm 3.
#
#   usage: examples/topoopt/fig15.sh [OUTDIR]
figure=fig15
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

seeds="1 2 3 4 5 6 7 8"
[ -z "${QUICK:-}" ] || seeds="1 2 3 4 5"
selected() { [ "$1" -eq 4 ] && echo 1,11 || echo 1,3,11,37; }
# below FILE: how far the least loaded link is below the most loaded one by transfers, in %
below() {
    awk -F, 'NR > 1 { if (NR == 2 || $5 < least) least = $5; if ($5 > most) most = $5 }
        END { printf "%.2f", 100 * (1 - least / most) }' "$1"
}
# curve NAME FILE: lines of a distribution, MB of a link
curve() { tail -n +2 "$2" | sort -t, -k5,5n | awk -F, -v name="$1" '{ mb[NR] = $5 / 1e6 } END { for (i = 1; i <= NR; i++) printf "%s,%.4f,%.5f\n", name, mb[i], i / NR }'; }

echo "degree,jumps,routes,seed,least_below_most_percent" >"$out/fig15.csv"
for d in 4 8; do
    for list in "$(jumps $d)" "$(selected $d)"; do
        for seed in $seeds; do
            evaluated 128 "circulant:$list" --set "network.seed=$seed" --link-stats "$work/links" >/dev/null
            percent=$(below "$work/links")
            echo "$d,${list//,/ },random,$seed,$percent" >>"$out/fig15.csv"
            [ "$seed $list" != "1 $(jumps $d)" ] || curve "d = $d" "$work/links" >>"$work/curves"
        done
    done
    # All interfaces for rings, data parallelism: the topology that TopologyFinder lays, with its routes.
    printf "plan:\n  model: '%s'\n  servers: 128\n  interfaces: {degree: %d, ring_degree: %d, bandwidth: 100 Gb/s}\n" \
        "$(workload 128 | sed 's/yml$/model.yml/')" $d $d >"$work/plan_$d.yml"
    printf "  rounds: 0\n  topologies: 1\n  compare: none\n  search: {budget: 0}\ncompute: {peak: 1248 TFLOP/s, efficiency: 0.5}\n" >>"$work/plan_$d.yml"
    "$orrery" plan topoopt "$work/plan_$d.yml" --no-run --progress never -o "$work/plan_$d" >/dev/null 2>&1
    "$orrery" plan evaluate "$work/plan_$d/platform.yml" "$work/plan_$d/workload.yml" --no-run --link-stats "$work/links" >/dev/null
    percent=$(below "$work/links")
    echo "$d,$(selected $d | tr , ' '),found,,$percent" >>"$out/fig15.csv"
    curve "d = $d with routes found" "$work/links" >>"$work/curves"
done

# mean DEGREE JUMPS ROUTES: MEAN LEAST MOST
mean() { awk -F, -v d="$1" -v j="$2" -v r="$3" '$1 == d && $2 == j && $3 == r { n++; s += $5; if (n == 1 || $5 < a) a = $5; if ($5 > b) b = $5 } END { printf "%.1f %.1f %.1f", s / n, a, b }' "$out/fig15.csv"; }
echo "Fig. 15: the least loaded link below the most loaded one, transfers alone, in %"
printf '%-4s %-12s %-8s %6s %8s %6s\n' d jumps routes mean least most
while read -r d paper; do
    for list in "$(jumps "$d" | tr , ' ')" "$(selected "$d" | tr , ' ')"; do
        # shellcheck disable=SC2046,SC2183 # three numbers
        printf '%-4s %-12s %-8s %6s %8s %6s\n' "$d" "$list" random $(mean "$d" "$list" random)
    done
    # shellcheck disable=SC2046,SC2183
    printf '%-4s %-12s %-8s %6s %8s %6s\n' "$d" "$list" found $(mean "$d" "$list" found)
    random=$(mean "$d" "$(jumps "$d" | tr , ' ')" random)
    same=$(mean "$d" "$list" random)
    found=$(mean "$d" "$list" found)
    must "least below most, d = $d, random shortest ways" "${random%% *}" "$paper" 6
    must "with routes found less than half of that, d = $d: yes" "$(FORMAT=%d calc "(${same%% *} > 2 * ${found%% *})")" 1 0
    says "least loaded link below the most loaded one, d = $d" "$paper %" "${random%% *} % (mean of $(wc -w <<<"$seeds") seeds, ${random#* } at the ends)" \
        "$(within "${random%% *}" $((paper - 6)) $((paper + 6)))" "transfers alone, jumps $(jumps "$d" | tr , ' ')"
    says "with better routes, d = $d" "further opportunities" "${found%% *} % (routes found, jumps $list; random ones there ${same%% *} %)" "$(holds "${found%% *} < ${same%% *}")" ""
done <<'PAPER'
4 39
8 59
PAPER
plot fig15 bare=1 from=0 title="Fig. 15: what links carry of the all-to-all, batch 128" xlabel="MB in an iteration" ylabel="share of links" <"$work/curves"
finish
