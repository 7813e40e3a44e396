#!/bin/bash
# Fig. 12: iteration time of DLRM with a table on each of 128 servers, by samples of a GPU: TopoOpt (jumps of the
# published code), the ideal switch of d x 100 Gb/s, and the Fat-tree of d / 4 x 100 Gb/s. By flows, by the evaluator, and
# by Eq. 1, whose alpha is the mean path, the bandwidth tax, or what the busiest link carries. No search: data
# parallelism, a table a server.
#
#   usage: examples/topoopt/fig12.sh [OUTDIR]
#
# A flow takes a random shortest way. Points of TopoOpt at d = 4 with 128 and 2048 samples, and the Fat-tree of switches
# there, are means of five seeds; the others are runs of one, since the larger ones take up to a minute, beside the
# evaluator's mean of five.
figure=fig12
. "$(dirname "$0")/common.sh"
. "$here/traffic.sh"

echo "Fig. 12: iteration times of 128 servers, 100 Gb/s an interface, in ms"
times_used
batches="64 128 256 512 1024 2048"
[ -z "${QUICK:-}" ] || batches="64 2048"

# point KIND DEGREE BATCH SEED: of a run of flows, its time and bandwidth tax
point() {
    local fabric gbits=100
    fabric=circulant:$(jumps "$2")
    case $1 in
    ideal) fabric=ideal-switch gbits=$((100 * $2)) ;;
    fat-tree) fabric=ideal-switch gbits=$((25 * $2)) ;; # full bisection, and no two flows on one way
    switches) fabric=fat-tree:8 gbits=$((25 * $2)) ;;
    esac
    "$orrery" run --flow-model maxmin --taskgraph "$work/tasks_$3.otg" --fabric "$fabric" --link-bandwidth "${gbits}Gb/s" \
        --seed "$4" --json - | awk -v head="$1,$2,$3,$4" '/^  "wall_ps":/ { wall = ($2 + 0) / 1e9 }
            /^  "bandwidth_tax":/ { tax = $2 + 0 } END { printf "%s,%.4f,%.5f\n", head, wall, tax }'
}
export -f point jumps
export orrery work
for batch in $batches; do
    workload "$batch" >/dev/null
    "$orrery" model tasks "$work/all_to_all_$batch.model.yml" --devices 128 --profile "$(profile_of dlrm_128_tables 128 $((512 * batch)))" \
        --platform "$here/server.yml" -o "$work/tasks_$batch.otg" >/dev/null
done
# The longest first. QUICK=1: flows of 64 samples at d = 4 alone.
run_seeds() { # run_seeds KIND DEGREE BATCH
    case ${QUICK:+quick},$* in
    ,topoopt\ 4\ 128 | ,topoopt\ 4\ 2048 | ,switches\ 4\ 128) echo 1 2 3 4 5 ;;
    ,switches\ 4\ 2048 | *,topoopt\ * | *,ideal\ * | *,fat-tree\ *) echo 1 ;;
    esac
}
for batch in $(tr ' ' '\n' <<<"$batches" | tac); do
    for d in 8 4; do
        [ -z "${QUICK:-}" ] || [ "$batch,$d" = 64,4 ] || continue
        for kind in topoopt ${QUICK:+-} switches ideal fat-tree; do
            [ "$kind" != - ] || break
            for seed in $(run_seeds "$kind" "$d" "$batch"); do echo "$kind $d $batch $seed"; done
        done
    done
done >"$work/points"
xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; point "$@"' point <"$work/points" >"$work/ran"
{ echo "fabric,degree,batch,seed,ms,bandwidth_tax"; sort -t, -k1,1 -k2,2n -k3,3n -k4,4n "$work/ran"; } >"$out/fig12_runs.csv"

# mean KIND DEGREE BATCH: MEAN,LEAST,MOST,SEEDS,TAX of runs; nothing, if there are none
mean() {
    awk -F, -v k="$1" -v d="$2" -v b="$3" '$1 == k && $2 == d && $3 == b { n++; s += $5; tax = $6
            if (n == 1 || $5 < least) least = $5; if ($5 > most) most = $5 }
        END { if (n) printf "%.3f,%.3f,%.3f,%d,%.4f", s / n, least, most, n, tax; else printf ",,,," }' "$work/ran"
}
echo "degree,batch,all_to_all_over_all_reduce,topoopt_ms,topoopt_least_ms,topoopt_most_ms,seeds,tax,ideal_ms,fat_tree_ms,switches_ms,evaluator_topoopt_ms,evaluator_least_ms,evaluator_most_ms,evaluator_ideal_ms,evaluator_fat_tree_ms,eq1_fat_tree_ms,eq1_mean_path_ms,eq1_tax_ms,eq1_busiest_link_ms" >"$out/fig12.csv"
for d in 4 8; do
    for batch in $batches; do
        ideal=$(predicted "$batch" ideal-switch $((100 * d)))
        tree=$(predicted "$batch" ideal-switch $((25 * d)))
        runs=$(mean topoopt "$d" "$batch")
        others=$(for kind in ideal fat-tree switches; do mean "$kind" "$d" "$batch" | cut -d, -f1; done | paste -sd,)
        times=$(eq1 "$d" "$batch" | cut -d, -f4-)
        awk -F'[:,]' -v head="$d,$batch" -v ideal="$ideal" -v tree="$tree" -v runs="$runs" -v others="$others" -v times="$times" '
            /"predicted_ps"/ { n++; ms = $2 / 1e9; s += ms; if (n == 1 || ms < least) least = ms; if (ms > most) most = ms }
            /"transfer_bytes"/ { a = $2 + 0 }
            /"all_reduce_bytes"/ { r = $2 + 0 }
            END { printf "%s,%.4f,%s,%s,%.3f,%.3f,%.3f,%s,%s,%s\n", head, a / r, runs, others, s / n, least, most, ideal, tree, times }
            ' "$(seeds_of "$d" "$batch")" >>"$out/fig12.csv"
    done
done

of() { awk -F, -v d="$1" -v b="$2" -v c="$3" '$1 == d && $2 == b { print $c }' "$out/fig12.csv"; }
over() { # over DEGREE BATCH COLUMN COLUMN: their ratio; nothing, if one is missing
    awk -F, -v d="$1" -v b="$2" -v x="$3" -v y="$4" '$1 == d && $2 == b && $x != "" && $y != "" { printf "%.3f", $x / $y }' "$out/fig12.csv"
}
ratio() { printf '%s' "${1:-not run}"; }
cut -d, -f1-2,4,7,9-12,15-20 "$out/fig12.csv" | awk -F, '
    NR == 1 { print "                 by flows                                        by the evaluator              by Eq. 1"
        print "   d  batch   TopoOpt seeds     ideal  Fat-tree switches   TopoOpt     ideal  Fat-tree  Fat-tree      path       tax      link"; next }
    { printf "%4d %6d %9s %5s %9s %9s %8s %9s %9s %9s %9s %9s %9s %9s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 }'

must "all-to-all over all-reduce, batch 2048" "$(of 4 2048 3)" 0.790 0.001
if [ -z "${QUICK:-}" ]; then
    must "Fat-tree over TopoOpt, batch 128, d = 4" "$(over 4 128 10 4)" 2.7 0.189
    must "the same with a tree of switches" "$(over 4 128 11 4)" 2.7 0.189
    must "TopoOpt over Fat-tree, batch 2048, d = 4" "$(over 4 2048 4 10)" 1.1 0.132
    must "the same with a tree of switches" "$(over 4 2048 4 11)" 1.1 0.132
    must "bandwidth tax of the run, batch 64, d = 8" "$(of 8 64 8)" 1.05 0.021
    must "bandwidth tax of the run, batch 2048, d = 4" "$(of 4 2048 8)" 3.03 0.0606
fi
must "bandwidth tax of the run, batch 64, d = 4" "$(of 4 64 8)" 1.11 0.0222
must "by the evaluator: TopoOpt over Fat-tree, batch 2048, d = 4" "$(over 4 2048 12 16)" 1.1 0.132

before=$(over 4 128 10 4)
after=$(over 4 2048 4 10)
spread() { # spread DEGREE BATCH
    awk -F, -v d="$1" -v b="$2" '$1 == d && $2 == b && $4 != "" { printf "; TopoOpt of %d seeds: %.1f to %.1f ms", $7, $5, $6 }' "$out/fig12.csv"
}
says "Fat-tree over TopoOpt, batch 128, d = 4" "2.7" "$(ratio "$before") (tree of switches: $(ratio "$(over 4 128 11 4)"); evaluator $(ratio "$(over 4 128 16 12)"); Eq. 1 $(ratio "$(over 4 128 17 18)"))" \
    "$(within "$before" 2.511 2.889)" "rule paper: a link of d B / 4; full bisection$(spread 4 128)"
says "TopoOpt over ideal switch, batch 128, d = 4" "matches" "$(ratio "$(over 4 128 4 9)") (evaluator $(ratio "$(over 4 128 12 15)"))" "$(within "$(over 4 128 4 9)" 0.9 1.1)" \
    "the all-to-all goes over 5.6 links, and the rings are busy beside it"
says "TopoOpt over Fat-tree, batch 2048, d = 4" "1.1" "$(ratio "$after") (tree of switches: $(ratio "$(over 4 2048 4 11)"); evaluator $(ratio "$(over 4 2048 12 16)"); Eq. 1 $(ratio "$(over 4 2048 18 17)"))" \
    "$(within "$after" 0.968 1.232)" "jumps 1 and 13, both ways, random shortest ways$(spread 4 2048)"
says "d = 8 mitigates that: TopoOpt over Fat-tree, batch 2048" "yes, no number" "$(ratio "$(over 8 2048 4 10)") (evaluator $(ratio "$(over 8 2048 12 16)"))" \
    "$(holds "$(over 8 2048 12 16) < $(over 4 2048 12 16)")" ""
says "all-to-all over all-reduce, batch 2048" "0.8" "$(of 4 2048 3)" "$(within "$(of 4 2048 3)" 0.75 0.85)" "8 bytes a number of what tables give"
adds "Eq. 1 at batch 2048, d = 4, of which the paper has the formula only" "Fat-tree $(of 4 2048 17) ms, TopoOpt $(of 4 2048 18) (alpha the mean path), $(of 4 2048 19) (the tax), $(of 4 2048 20) (the busiest link)" \
    "without overlap of transfers and computation, which runs have"
awk -F, 'NR > 1 && $1 == 4 { print "TopoOpt," $2 "," ($4 != "" ? $4 : $12); print "Ideal Switch," $2 "," ($9 != "" ? $9 : $15)
        print "Fat-tree," $2 "," ($10 != "" ? $10 : $16); print "Eq. 1 TopoOpt," $2 "," $18; print "Eq. 1 Fat-tree," $2 "," $17 }' "$out/fig12.csv" |
    plot fig12a logx=1 from=0 title="Fig. 12a: all-to-all traffic, d = 4" xlabel="samples of a GPU" ylabel="ms"
awk -F, 'NR > 1 && $1 == 8 { print "TopoOpt," $2 "," ($4 != "" ? $4 : $12); print "Ideal Switch," $2 "," ($9 != "" ? $9 : $15)
        print "Fat-tree," $2 "," ($10 != "" ? $10 : $16); print "Eq. 1 TopoOpt," $2 "," $18; print "Eq. 1 Fat-tree," $2 "," $17 }' "$out/fig12.csv" |
    plot fig12b logx=1 from=0 title="Fig. 12b: all-to-all traffic, d = 8" xlabel="samples of a GPU" ylabel="ms"
finish
