#!/bin/sh
# The evaluator against simulated flows, and evaluations per second: the six models of TopoOpt at 128 servers, five
# bandwidths, d = 4 and 8 (data parallelism, tables round robin), and 50 random strategies at 16
# servers. Prints a line a case; fails where the median is above 5 %, more than three cases of the
# sixty above 10 % or one above 20 %, a random strategy above 10 %, or an evaluator too slow.
# Strategies of the kind that searches visit (bench_hybrid.c), random and after 1,000 moves that the evaluator found no worse:
# fails where the median is above 1.5 %, 90 % are not within 6 %, one of those drawn is off by 25 %, or
# one of those found takes 12 % longer than predicted.
#
#   usage: bench/evaluator.sh [BUILD]     (default: build/release; needs ORRERY_SHARED, ../shared)
#   with QUICK=1: a tenth of the cases
set -eu

cd "$(dirname "$0")/.."
build=${1:-build/release}
shared=${ORRERY_SHARED:-../shared}
profiles=$shared/data/flexflow/profiles
models=inputs/models/topoopt
bench=$build/bench/bench_evaluator
quick=${QUICK:-0}
[ -d "$profiles" ] || {
    echo "no profiles in $profiles" >&2
    exit 77
}
hybrid=$build/bench/bench_hybrid
cmake --build "$build" --target bench_evaluator bench_hybrid orrery >/dev/null
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# model profile servers fabric bandwidth seed: predicted and simulated, and the difference in %
compare() {
    predicted=$("$bench" "$models/$1.yml" "$profiles/$2.json" "$3" "$4" "$5" "$6" "$dir/graph.otg")
    simulated=$("$build/bin/orrery" run --taskgraph "$dir/graph.otg" --fabric "$4" \
        --link-bandwidth "$5 Gb/s" --flow-model maxmin --all-reduce ring --routing "$routing" \
        --json - | awk -F'[:,]' '/"wall_ps"/ { print $2 + 0 }')
    echo "$1 $4 $5 $6 $predicted $simulated" | awk '{
        printf "%-10s %-20s %4s Gb/s %4s %12.3f ms %12.3f ms %+7.2f %%\n",
            $1, $2, $3, $4, $5 / 1e9, $6 / 1e9, 100 * ($5 / $6 - 1) }'
}

# lines, max above 10 %, max of all: judged
judge() {
    awk -v max="$2" -v all="$3" '
    { e = $(NF - 1); e = e < 0 ? -e : e; error[NR] = e; above += e > 10; worst = e > worst ? e : worst }
    END {
        for (i = 1; i <= NR; i++)
            for (j = i + 1; j <= NR; j++)
                if (error[j] < error[i]) { t = error[i]; error[i] = error[j]; error[j] = t }
        median = error[int((NR + 1) / 2)]
        printf "%d cases: median %.2f %%, worst %.2f %%, %d above 10 %%\n", NR, median, worst, above
        exit median > 5 || worst > all || above > max
    }' "$1"
}

failed=0
echo "model      fabric                 link     seed    predicted       simulated  difference"
for routing in ecmp ecmp-pairs; do
    : >"$dir/sixty"
    for case in "vgg vgg128" "resnet50 resnet128" "bert_5_3 transformer128" "dlrm_5_3 dlrm128" \
        "ncf ncf128" "candle_5_3 candle_128"; do
        for fabric in circulant:1,13 circulant:1,5,13,39; do
            for bandwidth in 10 25 40 100 200; do
                [ "$quick" = 0 ] || [ "$bandwidth$fabric" = 40circulant:1,13 ] || continue
                # shellcheck disable=SC2086 # a model and its profile
                compare ${case% *} ${case#* } 128 "$fabric" "$bandwidth" 0 | tee -a "$dir/sixty"
            done
        done
    done
    echo "routes: $routing"
    judge "$dir/sixty" 3 20 || failed=1
done

: >"$dir/random"
routing=ecmp-pairs
seed=1
while [ $seed -le 50 ]; do
    case $((seed % 4)) in
    0) set -- dlrm_5_6 dlrm16 ;;
    1) set -- bert_5_6 transformer16 ;;
    2) set -- candle_5_6 candle16 ;;
    *) set -- vgg vgg16 ;;
    esac
    fabric=circulant:1,5
    [ $((seed / 4 % 2)) -eq 0 ] || fabric=circulant:1,3,5,9
    bandwidth=100
    [ $((seed / 8 % 2)) -eq 0 ] || bandwidth=10
    compare "$1" "$2" 16 $fabric $bandwidth $seed | tee -a "$dir/random"
    [ "$quick" = 0 ] && seed=$((seed + 1)) || seed=$((seed + 10))
done
judge "$dir/random" 0 10 || failed=1

# seeds, moves, max that is predicted too little and too much, in %
visit() {
    for case in "dlrm_5_6 dlrm16" "bert_5_6 transformer16" "candle_5_6 candle16" "vgg vgg16" \
        "resnet50 resnet128" "ncf ncf128"; do
        "$hybrid" "$models/${case% *}.yml" "$profiles/${case#* }.json" 16 1 "$1" "$2" "$dir"
    done | awk -v little="$3" -v much="$4" '
    {
        e = 100 * ($5 / $6 - 1); sum[$2] += e; of[$2]++; a[NR] = e < 0 ? -e : e
        min = e < min ? e : min; max = e > max ? e : max
    }
    END {
        for (i = 1; i <= NR; i++)
            for (j = i + 1; j <= NR; j++) if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
        for (n in of) printf "%-20s %4d cases, mean %+.2f %%\n", n, of[n], sum[n] / of[n] | "sort"
        close("sort")
        printf "%d cases: median %.2f %%, 90 %% within %.2f %%, from %+.2f to %+.2f %%\n", NR,
            a[int((NR + 1) / 2)], a[int(0.9 * NR)], min, max
        exit a[int((NR + 1) / 2)] > 1.5 || a[int(0.9 * NR)] > 6 || min < -little || max > much
    }'
}
few=$([ "$quick" = 0 ] && echo 40 || echo 7)
echo "hybrid strategies, drawn"
visit "$few" 0 25 25 || failed=1
echo "hybrid strategies, after 1,000 moves"
visit $((few / 3)) 1000 12 12 || failed=1

# Evaluations per second of one core: with all times set, recomputed, after a move of one operator.
echo "evaluations/s:          all set  recomputed  after a move"
while read -r model profile servers fabric min; do
    set -- $("$bench" $models/$model.yml "$profiles/$profile.json" $servers $fabric 100 0)
    printf '%-10s %4s %12s %12s %12s\n' $model $servers "$2" "$3" "$4"
    if [ "$3" -lt "$min" ]; then
        echo "$model: expected $min a second" >&2
        failed=1
    fi
done <<END
vgg vgg128 128 circulant:1,13 10000
bert_5_3 transformer128 128 circulant:1,13 3000
dlrm_5_3 dlrm128 128 circulant:1,13 2000
dlrm_5_6 dlrm16 16 circulant:1,5 50000
END
exit $failed
