#!/bin/bash
# Cost of simulating flows: training jobs on direct-connect fabrics, in shared clusters and on task graphs, all-to-alls, random pairs
# and all-reduces in chunks, each against its goal; how time grows (bench/flow_growth.sh); and, where the data is there,
# against a simulator of packets. Prints a line a case: CPU time (median), peak of memory, events, solutions of shares and
# flows in each, and the expected result. Fails if a goal or a result is missed.
#
#   usage: bench/flows.sh [CASE...]
#
# Cases: dlrm bert exchange jobs jobs-windows all-to-all random windows chunks growth packets; all of them by default.
# QUICK=1 takes small ones, in seconds. RUNS=N runs each case N times (5), fewer once a case has taken 20 s; BUILD names
# another folder than build/release, ORRERY_BIN and BENCH_FLOWS other programs. The task graphs of `windows` and the runs of
# `packets` are in ORRERY_SHARED (../shared), and are skipped where they are missing.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build/release}
orrery=${ORRERY_BIN:-$build/bin/orrery}
bench=${BENCH_FLOWS:-$build/bench/bench_flows}
data=${ORRERY_SHARED:-$root/../shared}/data/flexflow
quick=${QUICK:-0}
runs=${RUNS:-5}
export ORRERY_INPUTS=${ORRERY_INPUTS:-$root/inputs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

if [ ! -x /usr/bin/time ]; then
    echo "bench/flows.sh: there is no /usr/bin/time; install the package time" >&2
    exit 2
fi
if [ -z "${BENCH_FLOWS:-}" ]; then
    cmake --build "$build" --target bench_flows orrery >/dev/null
fi

# ---- a case ----

# timed COMMAND...: runs it, and keeps seconds of a processor and MB at their peak in $work/used, a line a run
timed() {
    local TIMEFORMAT='%3U %3S' # GNU time knows hundredths only
    { time /usr/bin/time -q -f %M -o "$work/kib" "$@" >"$work/text" 2>"$work/errors"; } 2>"$work/time" || {
        cat "$work/errors" >&2
        return 1
    }
    paste -d' ' "$work/time" "$work/kib" | awk '{ print $1 + $2, $3 * 1024 / 1e6 }' >>"$work/used"
}

# repeated COMMAND...: as often as RUNS says, or until that took 20 s
repeated() {
    local spent=0 i
    : >"$work/used"
    for ((i = 0; i < runs && spent < 20; i++)); do
        timed "$@" || return 1
        spent=$(awk '{ sum += $1 } END { print int(sum) }' "$work/used")
    done
}

median() { sort -n "$work/used" | awk '{ s[NR] = $1 } END { print s[int((NR + 1) / 2)] }'; }
peak() { awk '$2 > max { max = $2 } END { print max }' "$work/used"; }

# number KEY: the first of that name in the JSON results, or -
number() { awk -F'[:,]' -v key="\"$1\"" 'index($0, key) { print $2 + 0; found = 1; exit } END { if (!found) print "-" }' "$work/json"; }

# What a run answers: its time in ps, or of a cluster the sum of the times at which its jobs end.
answer() {
    awk -F'[:,]' '/"end_ps"/ { sum += $2; jobs++ } /"wall_ps"/ && !wall { wall = $2 + 0 }
        END { printf "%.0f", jobs ? sum : wall }' "$work/json"
}

# report NAME MAX_S MAX_MB WANTED ANSWER EVENTS SOLUTIONS FLOWS_EACH: the line of a case; max may be -
report() {
    local seconds megabytes verdict=ok
    seconds=$(median)
    megabytes=$(peak)
    if awk -v s="$seconds" -v mb="$megabytes" -v ms="$2" -v mm="$3" \
        'BEGIN { exit !((ms != "-" && s > ms + 0) || (mm != "-" && mb > mm + 0)) }'; then
        verdict='TOO MUCH'
    fi
    [ "$4" = "$5" ] || verdict="WRONG, expected $4"
    [ "$verdict" = ok ] || failed=1
    printf '%-34s %8.2f s of %4s %7.1f MB of %4s %9s events %8s x %6s shares  %s  %s\n' \
        "$1" "$seconds" "$2" "$megabytes" "$3" "$6" "$7" "$8" "$5" "$verdict"
}

# run NAME MAX_S MAX_MB WANTED ARGUMENTS...: a case of orrery run
run() {
    local head=("${@:1:4}") solutions shares each=-
    shift 4
    if ! repeated "$orrery" run "$@" --json "$work/json"; then
        printf '%-34s FAILED\n' "${head[0]}"
        failed=1
        return 0
    fi
    solutions=$(number share_solutions)
    shares=$(number shares)
    [ "$solutions" = - ] || each=$(awk -v a="$shares" -v b="$solutions" 'BEGIN { printf "%.1f", b ? a / b : 0 }')
    report "${head[@]}" "$(answer)" "$(number events)" "$solutions" "$each"
}

# close SUM WANTED FLOWS: whether one flow in a thousand ends a picosecond off at most: where a flow ends on a whole picosecond, the
# rounding of what came before decides
close() { (($1 - $2 <= $3 / 1000 && $2 - $1 <= $3 / 1000)); }

# flows NAME MAX_S MAX_MB WANTED SUM ARGUMENTS...: a case of bench_flows, which answers with the time of the last event and the sum of
# the times at which flows end (-: not known)
flows() {
    local head=("${@:1:4}") wanted=$5 ps events solutions each ends count
    shift 5
    repeated "$bench" "$@"
    read -r count ps events solutions each ends < <(awk '{
        for (i = 2; i <= NF; i++) {
            if ($i == "ps") ps = $(i - 1)
            if ($i == "events") events = $(i - 1)
            if ($i == "solutions") solutions = $(i - 1)
            if ($i == "each") each = $(i - 2)
            if ($i == "ends") ends = $(i + 1)
        }
        print $3, ps, events, solutions, each, ends }' "$work/text")
    [ "$wanted" = - ] || close "$ends" "$wanted" "$count" || {
        echo "${head[0]}: flows end at other times: their sum is $ends, expected $wanted"
        failed=1
    }
    report "${head[@]}" "$ps" "$events" "$solutions" "$each"
}

# ---- cases ----

# platform NPUS FABRIC: max-min shares on links of 100 Gb/s
platform() {
    cat >"$work/platform.yml" <<END
network: {backend: flow, shares: maxmin, graph: {npus: $1, fabric: "$2", bandwidth: 100 Gb/s, latency: 1 us}}
compute: {peak: 312 TFLOP/s}
END
}

# training NAME MAX_S WANTED NPUS FABRIC MODEL: data parallel, tables one a server; rings of all-reduces over the jumps
training() {
    platform "$4" "$5"
    run "$1" "$2" - "$3" "$work/platform.yml" --set "workload={model: $6, all_reduce: ring}"
}

# DLRM of section 5.4 with 2,048 samples a GPU: every table sends to all servers, and gets as much back
exchange() {
    sed 's/^  batch_per_device: .*/  batch_per_device: 8192/' "$ORRERY_INPUTS/models/topoopt/dlrm_5_4.yml" >"$work/exchange.yml"
    training "$@" "$work/exchange.yml"
}

# cluster NAME MAX_S WANTED FLOW_MODEL SERVERS DLRM 46631140613 CANDLE VGG: so many jobs of 16 servers each, at random servers of a
# fat-tree of 200 Gb/s
cluster() {
    local model
    for model in dlrm_5_6 bert_5_6 candle_5_6 vgg; do
        echo "workload: {model: topoopt/$model}" >"$work/$model.yml"
    done
    cat >"$work/cluster.yml" <<END
cluster: {servers: $5, fabric: fat-tree, link_bandwidth: 200 Gb/s, link_latency: 1 us, flow_model: $4,
  placement: random, all_reduce: ring, compute: {peak: 312 TFLOP/s}}
jobs:
  - {name: dlrm, workload: dlrm_5_6.yml, npus: 16, count: $6}
  - {name: bert, workload: bert_5_6.yml, npus: 16, count: $7}
  - {name: candle, workload: candle_5_6.yml, npus: 16, count: $8}
  - {name: vgg, workload: vgg.yml, npus: 16, count: $9}
END
    run "$1" "$2" - "$3" --cluster "$work/cluster.yml"
}

# windows NAME MAX_S WANTED TASKGRAPH FABRIC
windows() {
    if [ ! -e "$data/taskgraphs/$4" ]; then
        printf '%-34s skipped: there is no %s\n' "$1" "$data/taskgraphs/$4"
        return
    fi
    run "$1" "$2" - "$3" --taskgraph "$data/taskgraphs/$4" --fabric "$5" --flow-model windows
}

# chunks NAME MAX_S WANTED NPUS CHUNKS FABRIC: an all-reduce of 1 GiB
chunks() {
    platform "$4" "$6"
    run "$1" "$2" - "$3" "$work/platform.yml" --set "system.chunks=$5" --set 'workload={generate: all_reduce, bytes: 1 GiB}'
}

# ---- against packets ----

# Prints for each recorded run the error of windows, and their speed-up: minimum of three runs.
packets() {
    local recorded=$data/packet_results.csv network gbit model servers ps wall graph fabric
    if [ ! -e "$recorded" ]; then
        echo "packets: skipped: there is no $recorded"
        return
    fi
    : >"$work/packets"
    while IFS=, read -r network gbit model servers ps _ wall _; do
        case $network in
        abssw) fabric=ideal-switch ;; flatstar) fabric=graph ;; fattree) fabric=fat-tree ;; fc) fabric=full-mesh ;;
        *) continue ;;
        esac
        [ "$quick" = 0 ] || [ "$servers" = 16 ] || continue
        graph=$data/taskgraphs/${gbit}${model}_$servers.fbuf
        [ -e "$graph" ] || graph=$graph.gz
        runs=3 repeated "$orrery" run --taskgraph "$graph" --fabric "$fabric" --link-bandwidth "$gbit Gb/s" \
            --flow-model windows --json "$work/json"
        echo "$network $gbit $model $servers $ps $(number wall_ps) $wall $(sort -n "$work/used" | awk '{ print $1; exit }')" |
            awk '{ split($7, t, ":")
                   s = $8 < 0.001 ? 0.001 : $8
                   printf "%-10s %4s Gb/s %-12s %4s servers %+8.3f %% %8.2f s of packets %6.3f s %6.0f times\n",
                       $1, $2, $3, $4, 100 * ($6 / $5 - 1), 60 * t[1] + t[2], $8, (60 * t[1] + t[2]) / s }' |
            tee -a "$work/packets"
    done <"$recorded"
    awk '
        function sorted(a, n, i, j, t) {
            for (i = 1; i <= n; i++)
                for (j = i + 1; j <= n; j++) if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
        }
        { e = $7 < 0 ? -$7 : $7 + 0; error[NR] = e; faster[NR] = $(NF - 1) }
        END {
            sorted(error, NR); sorted(faster, NR); middle = int((NR + 1) / 2)
            printf "%d runs: off by %.3f %% in the median (at most 0.5), %.2f %% at worst (at most 8.5), %d times as fast in the median (at least 100)\n",
                NR, error[middle], error[NR], faster[middle]
            exit error[middle] > 0.5 || error[NR] > 8.5 || faster[middle] < 100
        }' "$work/packets" || failed=1
}

# case NAME, with a goal for each case as it is and answers that are known; small ones have half a second
full() {
    case $1 in
    dlrm) training 'DLRM, circulant of 128' 1 66556557145 128 circulant:1,13 topoopt/dlrm_5_3 ;;
    bert) training 'BERT, circulant of 128' 0.5 46631140613 128 circulant:1,13 topoopt/bert_5_3 ;;
    exchange) exchange 'DLRM at batch 2048, circulant of 128' 10 376958002416 128 circulant:1,13 ;;
    jobs) cluster '27 jobs, fat-tree of 432' 3 3744248547724 equal 432 11 8 5 3 ;;
    jobs-windows) cluster '27 jobs, fat-tree of 432, windows' 3 3882029081120 windows 432 11 8 5 3 ;;
    all-to-all) flows 'all-to-all of 1,024, fat-tree' 4 150 88799815520 85922195911039805 all-to-all 1024 0 ;;
    random) flows '10^6 random pairs among 16,384' 60 600 11212687813 - random 16384 1000000 ;;
    windows)
        windows 'dlrm-128, switch, windows' 0.4 244478365063 100dlrm_128.fbuf.gz ideal-switch
        windows 'dlrm-128, fat-tree, windows' 0.8 244158746688 100dlrm_128.fbuf.gz fat-tree
        ;;
    chunks)
        chunks '64 chunks on 256, expander:4' 2 730000305933 256 64 expander:4
        chunks '64 chunks on 256, full mesh' 2 672088640 256 64 full-mesh
        chunks '64 chunks on 256, torus' 2 42782900800 256 64 torus:16x16
        ;;
    growth) "$root/bench/flow_growth.sh" "$bench" 100000 ;;
    packets) packets ;;
    *)
        echo "$0: unknown case $1; expected one of: $cases" >&2
        exit 2
        ;;
    esac
}

small() {
    case $1 in
    dlrm) training 'DLRM, circulant of 16' 0.5 16574726586 16 circulant:1,5 topoopt/dlrm_5_6 ;;
    bert) training 'BERT, circulant of 16' 0.5 45029562413 16 circulant:1,5 topoopt/bert_5_6 ;;
    exchange) exchange 'DLRM at batch 2048, circulant of 16' 2 189169214753 16 circulant:1,5 ;;
    jobs) cluster '4 jobs, fat-tree of 128' 1 964256195376 equal 128 1 1 1 1 ;;
    jobs-windows) cluster '4 jobs, fat-tree of 128, windows' 2 969695365639 windows 128 1 1 1 1 ;;
    all-to-all) flows 'all-to-all of 64, fat-tree' 0.5 20 6571458400 20611533768432 all-to-all 64 0 ;;
    random) flows '10^4 random pairs among 1,024' 0.5 20 2616371362 9851246134845 random 1024 10000 ;;
    windows)
        windows 'dlrm-16, switch, windows' 0.5 62230782927 100dlrm_16.fbuf ideal-switch
        windows 'dlrm-16, fat-tree, windows' 0.5 61133802175 100dlrm_16.fbuf fat-tree
        ;;
    chunks)
        chunks '16 chunks on 64, expander:4' 0.5 540354856410 64 16 expander:4
        chunks '16 chunks on 64, full mesh' 0.5 2685354560 64 16 full-mesh
        chunks '16 chunks on 64, torus' 0.5 42279584320 64 16 torus:8x8
        ;;
    growth) "$root/bench/flow_growth.sh" "$bench" 10000 ;;
    *) full "$1" ;;
    esac
}

cases='dlrm bert exchange jobs jobs-windows all-to-all random windows chunks growth packets'
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $cases
for name; do
    if [ "$quick" = 0 ]; then full "$name"; else small "$name"; fi
done
exit $failed
