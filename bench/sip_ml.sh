#!/bin/bash
# SiP-ML (SIGCOMM'21) at 1024 GPUs: time and memory of a run, with equivalent GPUs
# simulated once (folded) and with every GPU; and the bytes that leave a server of Elect-Cluster.
#
#   usage: bench/sip_ml.sh
#
# Prints a table, of plans (orrery plan sip-ml with groups of k) and of every operator in k parts by hand, and
# fails where a bound is not kept: plans folded 0.2 s and 64 MB, with every GPU 4 s and 400 MB (of the
# processor's time: user and system); of both, 2 (l - 1)/l W bytes out of every server, and the same job when folded. ORRERY_BIN names another
# orrery than build/release/bin/orrery. Needs GNU time (Debian: time).
set -euo pipefail
if [ ! -x /usr/bin/time ]; then
    echo "bench/sip_ml.sh: there is no /usr/bin/time; install the package time" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

cat >platform.yml <<'END'
network: {design: {name: elect-flat, servers: 1024, bandwidth: 8192 Gb/s}}
compute: {peak: 15 TFLOP/s}
memory: {local: {bandwidth: 900 GB/s, capacity: 32 GB}}
END
cat >by_hand.yml <<'END'
workload:
  model: sipml/transformer
  part_times: {fixed: 25 us, minimum: 1 us, launch: 1 us}
  all_reduce: ring_stream
END
cat platform.yml - >plan.yml <<'END'
plan:
  model: sipml/transformer
  part_times: {fixed: 25 us, minimum: 1 us, launch: 1 us, linear: true}
  sip_ml: {model_parallel: [1, 2, 4, 8, 16, 32], batches: [128, 256, 512, 1024, 2048, 4096]}
END
weights=671289344 # bytes of the Transformer's weights

# groups K: every matrix in k slices, what works on each number by samples
groups() {
    local out="{split: {output: $1}}" in="{split: {input: $1}}"
    echo "workload.strategy={groups: {model: $1, data: $((1024 / $1))}, operators: {words: {split: {columns: $1}}, \"dense *\": $out," \
        "\"attention_core *\": {split: {heads: $1}}, \"layers.*.attended\": $in, \"layers.*.thought\": $in, logits: $out}}"
}

# bounded WHAT VALUE MAX
bounded() {
    awk -v value="$2" -v max="$3" 'BEGIN { exit !(value <= max) }' || {
        echo "bench/sip_ml.sh: $1: $2, expected at most $3" >&2
        failures=$((failures + 1))
    }
}

# measure DESIGN SPLIT K FOLD PLATFORM WORKLOAD [option...]
measure() {
    local design=$1 split=$2 k=$3 fold=$4 seconds mib wall
    shift 4
    /usr/bin/time -f '%U %S %M' -o time "$orrery" run "$@" --fold "$fold" --json "$fold.json" --link-stats links.csv >/dev/null
    read -r seconds mib < <(awk '{ printf "%.2f %.1f\n", $1 + $2, $3 * 1024 / 1e6 }' time)
    wall=$(awk '/^  "wall_ps":/ { printf "%.3f", $2 / 1e9 }' "$fold.json")
    printf '| %-13s | %-7s | %2d | %4d | %-4s | %9s | %9s | %9s |\n' "$design" "$split" "$k" $((1024 / k)) "$fold" "$wall" "$seconds" "$mib"
    if [ "$split" = plan ]; then
        bounded "$design, k = $k, fold $fold, s" "$seconds" "$([ "$fold" = auto ] && echo 0.2 || echo 4)"
        bounded "$design, k = $k, fold $fold, MB" "$mib" "$([ "$fold" = auto ] && echo 64 || echo 400)"
    fi
}

# bytes K: out of each of the 128 servers, whose switches are nodes 1024 and on, below node 1152
bytes() {
    local groups=$((1024 / $1)) want
    want=$((2 * weights * (groups - 1) / groups))
    awk -F, -v want=$want '$1 >= 1024 && $2 == 1152 { n++; if ($6 != want) bad = $6 } END { exit !(n == 128 && bad == "") }' links.csv || {
        echo "bench/sip_ml.sh: k = $1: expected $want bytes out of every server" >&2
        failures=$((failures + 1))
    }
}

# both DESIGN SPLIT K PLATFORM WORKLOAD [option...]: folded and not
both() {
    local design=$1 split=$2 k=$3
    shift 3
    measure "$design" "$split" "$k" auto "$@"
    measure "$design" "$split" "$k" off "$@"
    [ "$design" != elect-cluster ] || bytes "$k"
    cmp -s <(sed '/"events":/d' auto.json) <(sed '/"events":/d' off.json) || {
        echo "bench/sip_ml.sh: $design, $split, k = $k: folded, the run is another" >&2
        failures=$((failures + 1))
    }
}

echo "| fabric        | split   |  k |    l | fold |  job, ms  |   CPU, s  | memory, MB |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for design in elect-flat elect-cluster; do
    for k in 1 2 4 8; do
        "$orrery" plan sip-ml plan.yml --set "network.design.name=$design" --set plan.sip_ml.model_parallel=$k --set plan.sip_ml.batches=1024 \
            --no-run -o "plan_$k" >/dev/null 2>&1
        both $design plan $k "plan_$k/platform.yml" "plan_$k/workload.yml"
        both $design by-hand $k platform.yml by_hand.yml --set "network.design.name=$design" --set "$(groups $k)"
    done
done

# Circuits that follow the traffic: set once, with five weights tried; and again and again, on switches and around a
# ring. A run has a rehearsal before it, and one for each weight.
for k in 4 8 16; do
    for design in sip-ocs sip-ring; do
        degree=16
        [ $design = sip-ocs ] || degree=320
        "$orrery" plan sip-ml plan.yml --set "network.design={name: $design, servers: 1024, degree: $degree, bandwidth: 8000 Gb/s}" \
            --set plan.sip_ml.model_parallel=$k --set plan.sip_ml.batches=1024 --no-run -o "plan_$k" >/dev/null 2>&1
        [ $design = sip-ring ] || both "$design" plan $k "plan_$k/platform.yml" "plan_$k/workload.yml"
        both "$design reset" plan $k "plan_$k/platform.yml" "plan_$k/workload.yml" --set 'network.circuits.hold=100 us' --set 'network.circuits.reconfiguration=25 us'
    done
done

# The search of 36 (k, batch), with its runs, in less than 10 s.
echo
echo "| network       | simulated |   CPU, s  |"
echo "| --- | --- | --- |"
for design in elect-flat elect-cluster sip-ocs sip-ring; do
    for simulate in 4 36; do
        degree=16
        [ $design = sip-ocs ] || degree=320
        case $design in
        elect-*) what=("network.design.name=$design") ;;
        *) what=("network.design={name: $design, servers: 1024, degree: $degree, bandwidth: 8000 Gb/s}" plan.sip_ml.model_parallel=[1,2,4,8,16]) ;;
        esac
        /usr/bin/time -f '%U %S' -o time "$orrery" plan sip-ml plan.yml "${what[@]/#/--set=}" \
            --set plan.sip_ml.simulate=$simulate >/dev/null
        seconds=$(awk '{ printf "%.2f", $1 + $2 }' time)
        printf '| %-13s | %9d | %9s |\n' $design $simulate "$seconds"
        bounded "the search on $design, $simulate runs, s" "$seconds" 10
    done
done
exit "$((failures != 0))"
