#!/bin/sh
# Counters of links in use in timelines: what a curve covers is the busy time of its dimension, under every backend,
# folded or not (timeline/check.py compares them); and one curve by hand.
set -u

command -v python3 >/dev/null || exit 77
tools=$ORRERY_SOURCE_DIR/tests/cli/timeline
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# draws NAME COUNTS OPTION...: the timeline of a run, and what check.py says of it
draws() {
    name=$1 counts=$2
    shift 2
    "$ORRERY_BIN" run "$@" --timeline "$name.json" --json "$name.results" --per-npu >/dev/null 2>err ||
        fail "$name: exit status $?: $(tail -1 err)"
    # shellcheck disable=SC2086 # words
    python3 "$tools/check.py" "$name.json" "$name.results" $counts >wrong 2>&1 || fail "$name: $(cat wrong)"
}

# curve NAME: "us links" at each change, rounded to whole ones
curve() {
    sed -n 's/.*"links in use.*"ts":\([0-9.]*\),"args":{"links":\([0-9.]*\)}.*/\1 \2/p' "$1.json" |
        awk '{ printf "%.0f %.0f\n", $1, $2 }' | awk '$2 != last { print } { last = $2 }' | tr '\n' ' '
}

# NPU 0 sends 1 MB at 1 GB/s to NPU 1, of 2 links 1 for 1 ms; twice, with nothing between. The message that has
# arrived goes back in steps of 1/4096 of the time or so: 0.2 us here.
draws hand "curves=1" --topology 'Switch(2)' --bandwidth '1 GB/s' --latency '0 us' --timeline-ranks all \
    --set 'workload={generate: p2p, bytes: 1 MB, repeat: 2}'
[ "$(curve hand)" = "0 1 2000 0 " ] || fail "two messages: $(curve hand)"
grep -q '"name":"links in use, dimension 1: switch (of 2)"' hand.json || fail "a counter has another name"

work_of='{generate: mlp, layers: 4, bytes: 8 MB, batch: 64, repeat: 3}'
for network in 'Ring(8)' 'FC(4)_Switch(4)' 'Ring(4)_FC(2)_Switch(2)'; do
    dims=$(printf '%s' "$network" | tr -cd '(' | wc -c | tr -d ' ')
    for backend in analytical congestion flow; do
        draws "$backend" "curves=$dims" --topology "$network" --bandwidth '10 GB/s' --latency '1 us' \
            --set "network.backend=$backend" --set 'compute={peak: 300 TFLOP/s}' --set "workload=$work_of"
        draws "$backend" "curves=$dims" --topology "$network" --bandwidth '10 GB/s' --latency '1 us' \
            --set "network.backend=$backend" --set "workload={generate: all_to_all, bytes: 4 MB}" --fold off
    done
done
for fabric in torus:4x4 fat-tree expander:4; do
    curves=$([ "$fabric" = torus:4x4 ] && echo 2 || echo 1) # dimensions
    for backend in congestion flow; do
        draws "$backend" "curves=$curves" "$ORRERY_SOURCE_DIR/examples/fabrics/platform.yml" --set "network.graph.fabric=\"$fabric\"" \
            --set network.graph.npus=16 --set "network.backend=$backend" --set 'compute={peak: 300 TFLOP/s}' \
            --set "workload=$work_of"
    done
done
# Along given trees messages have lanes of their own.
draws trees "curves=1" "$ORRERY_SOURCE_DIR/inputs/platforms/dgx1_v100_trees.yml" --set 'workload={generate: all_reduce, bytes: 16 MB}'
# A job of 8 stages whose classes are folded, and messages of a class to itself that go as one event.
draws gpt "curves=2" "$ORRERY_SOURCE_DIR/inputs/platforms/dgx_a100_64.yml" "$ORRERY_SOURCE_DIR/inputs/workloads/gpt3_175b_3d.yml" \
    --ignore-capacity --set system.library.name=none --set system.chunks=4 --set workload.training.batch=16 \
    --set workload.transformer.layers=24

[ "$failures" -eq 0 ] && echo "timelines: links in use"
exit $((failures > 0))
