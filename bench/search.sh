#!/bin/sh
# Searches for strategies: small cases against all strategies of their space, results for TopoOpt's
# models, and tries per second at 128 servers. Prints a line a case; fails where a search does not find
# the best of all, is worse than data parallelism, does not find CANDLE's split on a switch, does not
# make CANDLE fit, or where 4,000 tries take over a minute.
#
#   usage: bench/search.sh [BUILD]     (default: build/release; needs ORRERY_SHARED, ../shared)
set -eu

cd "$(dirname "$0")/.."
build=${1:-build/release}
shared=${ORRERY_SHARED:-../shared}
profiles=$shared/data/flexflow/profiles
models=inputs/models/topoopt
cmake --build "$build" --target bench_search test_search_exhaustive >/dev/null

failed=0
"$build/tests/test_search_exhaustive" | grep '^case' || failed=1
[ -d "$profiles" ] || {
    echo "no profiles in $profiles" >&2
    [ $failed -eq 0 ] && exit 77
    exit 1
}

# model profile servers fabric bandwidth budget memory most: ms, and at most so much of data
# parallelism's time (of 38.2 s where that does not fit)
search() {
    # shellcheck disable=SC2046 # its answer is several words
    set -- "$8" "$1" "$4" "$5" "$7" $("$build/bench/bench_search" "$models/$1.yml" \
        "$profiles/$2.json" "$3" "$4" "$5" "$6" 4 1 "$7")
    echo "$*" | awk '{
        fits = ($6 < 1e9)
        from = fits ? $6 : 38218
        printf "%-10s %-18s %4s Gb/s %3s GB %12.3f -> %12.3f ms  %6.1f s %7s tries/s %7s evaluations/s\n",
            $2, $3, $4, $5, fits ? $6 : 0, $7, $10, $11, $12
        slow = ($7 > $1 * from)
        long = ($10 > 60)
        if (slow) print "expected at most", $1, "of data parallelism"
        if (long) print "expected at most 60 s"
        exit slow || long
    }' || failed=1
}

echo "model      fabric             link      memory  data parallelism -> best"
search dlrm_5_3 dlrm128 128 circulant:1,13 100 4000 0 1
search bert_5_3 transformer128 128 circulant:1,13 100 4000 0 1
search candle_5_3 candle_128 128 circulant:1,13 100 4000 0 1
search candle_5_3 candle_128 128 circulant:1,13 10 4000 0 1
search candle_5_3 candle_128 128 ideal-switch 40 4000 0 0.45
search candle_5_3 candle_128 128 ideal-switch 40 4000 40 1
search dlrm_5_6 dlrm16 16 circulant:1,5 100 4000 0 1
search dlrm_5_6 dlrm16 16 circulant:1,3,5,9 100 4000 0 1
exit $failed
