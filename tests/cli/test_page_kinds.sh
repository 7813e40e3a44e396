#!/bin/sh
# Pages of results of every command, and of several runs side by side: figures, ratios and settings that differ.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
inputs=$ORRERY_SOURCE_DIR/inputs
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# orrery ARGUMENT...: succeeds
orrery() {
    "$ORRERY_BIN" "$@" >/dev/null 2>err || fail "orrery $*: exit status $?: $(cat err)"
}

a100="$inputs/platforms/dgx_a100_64.yml $inputs/workloads/mlp_data_parallel.yml"
orrery run $a100 --json first.json --details --why
orrery run $a100 --json twice.json --why --set 'network.dims[1].bandwidth=50 GB/s'
orrery run "$inputs/platforms/dgx1_v100.yml" "$inputs/workloads/all_reduce_1gb.yml" --json other.json --why
orrery report first.json twice.json other.json -o several.html
orrery report first.json first.json -o alike.html
orrery whatif $a100 --json whatif.json --report whatif.html
orrery report first.json whatif.json -o mixed.html
cat >space.yml <<END
sweep:
  platform: $inputs/platforms/dgx_a100_64.yml
  workload: $inputs/workloads/mlp_data_parallel.yml
  axes:
    workload.bytes: [1 MiB, 16 MiB]
    network.dims[1].bandwidth: [25 GB/s, 50 GB/s, 0 GB/s]
    system.chunks: [2, 4]
  cost: npus * dims[1].bandwidth
END
"$ORRERY_BIN" sweep space.yml --output space >/dev/null 2>&1
orrery report space.jsonl -o space.html
orrery bench-collective "$inputs/platforms/dgx_a100_64.yml" --min 1MiB --max 16MiB --json bench.json --report bench.html
orrery failures "$inputs/platforms/dgx1_v100.yml" "$inputs/workloads/all_reduce_1gb.yml" --json failures.json
orrery report failures.json -o failures.html
orrery diff first.json other.json --json diff.json
orrery report diff.json -o diff.html

# Jobs on one cluster, and the same in several ways; only what a page shows of them stands here.
ways='"servers": 16, "mean_ps": 3000000, "p99_ps": 4000000, "queue": "fifo", "wait_mean_ps": 500000, "makespan_ps": 9000000'
job='"taskgraph": "a.fbuf", "servers": [0, 1, 2, 3, 5, 7, 8], "start_ps": 1000000, "end_ps": 7000000'
printf '{"file": "day/jobs.yml", %s, "jobs": [{"name": "first", %s, "iterations_ps": [3000000, 3000000], "mean_ps": 3000000, "slowdown": 1.25},
    {"name": "next", %s, "iterations": 1, "mean_ps": 3000000, "for_servers_ps": 1000000, "arrival_ps": 0}]}' "$ways" "$job" "$job" >jobs.json
printf '{"runs": [{"name": "jobs.yml", "set": [], "network": "shared", %s, "jobs": [{"name": "first", %s, "mean_ps": 3000000}]},
    {"name": "own", "set": ["cluster.network=sharded"], "network": "sharded", %s, "jobs": [{"name": "first", %s, "mean_ps": 6000000}]}]}' \
    "$ways" "$job" "$ways" "$job" >ways.json
for name in jobs ways; do
    orrery report $name.json -o $name.html
done
cp "$ORRERY_SOURCE_DIR"/examples/queue/shared.yml .
for graph in 'vision 8 10' 'language 16 12' 'recommend 8 4'; do
    set -- $graph
    python3 "$ORRERY_SOURCE_DIR/examples/shared_cluster/make_graph.py" "$1.fbuf" --servers "$2" --layers "$3" --forward-ms 1 --weight-bytes 4000000
done
orrery run --cluster shared.yml --json beside.json --report beside.html --compare 'own: cluster.network=sharded,cluster.fabric=circulant:1,3,cluster.link_bandwidth=25 Gb/s'

# A ratio, a setting and a point that are wrong must be seen.
sed 's/(value \/ row.values\[0\])/(2 * value \/ row.values[0])/' several.html >ratio.html
sed 's/"25 GB\/s"/"26 GB\/s"/g' several.html >setting.html
sed 's/"status":"ok"/"status":"no"/' space.html >point.html
for page in ratio setting; do
    ! cmp -s several.html $page.html || fail "$page.html is not spoilt"
done
! cmp -s space.html point.html || fail "point.html is not spoilt"

python3 "$ORRERY_SOURCE_DIR/tests/cli/page/check.py" >said 2>&1 <<'END'
open several.html
clean
accessible
together first.json twice.json other.json
colours
print 2
clean
open alike.html
clean
shows "No setting differs."
open ratio.html
fails " times" together first.json twice.json other.json
open setting.html
fails "settings that differ" together first.json twice.json other.json
open mixed.html
clean
accessible
open whatif.html
clean
figures whatif.json
accessible
colours
open space.html
clean
accessible
figures space.jsonl
colours
open point.html
fails "no result" figures space.jsonl
open bench.html
clean
figures bench.json
accessible
open failures.html
clean
figures failures.json
accessible
open diff.html
clean
worded
figures diff.json
accessible
says "Differences: dimensions" "300.00 GB/s"
open jobs.html
clean
worded
title jobs
figures jobs.json
accessible
says Jobs "0-3, 5, 7, 8"
says Jobs "1.250x of alone"
open ways.html
clean
worded
accessible
says "Side by side" "6.000 us (2.000x)"
says "What differs in the settings" "cluster.network=sharded"
open beside.html
clean
worded
accessible
title shared
colours
END
status=$?
[ $status -ne 77 ] || { cat said; exit 77; }
[ $status -eq 0 ] || fail "$(cat said)"

[ "$failures" -eq 0 ] && echo "pages of every command are as they must be"
[ "$failures" -eq 0 ]
