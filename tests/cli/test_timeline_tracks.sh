#!/bin/sh
# At most 12 tracks an NPU, whatever the job, and nothing is lost by that: timeline/check.py holds every timeline
# here to it, and slices that are several say each of them.
set -u

command -v python3 >/dev/null || exit 77
tools=$ORRERY_SOURCE_DIR/tests/cli/timeline
inputs=$ORRERY_SOURCE_DIR/inputs
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

# nodes NAME: how many nodes are drawn, alone or with others, waits and chunks left out
nodes() {
    python3 - "$1.json" <<'END'
import json, sys
events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
drawn = [e for e in events if e["ph"] == "X" and e["cat"] not in ("waiting", "chunk")]
print(sum(e["args"].get("count", 1) for e in drawn))
END
}

# ---- what ships ----

# A pipeline of 8 stages: 96 receives of a stage are posted before their messages come. Tracks: compute, waiting,
# the collectives of tensor parallelism, sends to both neighbours, receives; the first and the last stage have the
# embedding's collectives too, and send one way forwards and around.
draws gpt3 "npus=8 tracks=50 joined=0" "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/gpt3_175b_3d.yml" --ignore-capacity \
    --set workload.training.batch=16
draws gpt3_256 "npus=8 joined=0" "$inputs/platforms/hgx_h100_256.yml" "$inputs/workloads/gpt3_175b_3d.yml"
draws mlp "npus=1 tracks=2" "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/mlp_data_parallel.yml"
draws reduce "npus=1 tracks=1" "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/all_reduce_1gb.yml"
draws gradients "" "$inputs/workloads/gradient_queue_1.yml"
draws pipeline "npus=4" "$ORRERY_SOURCE_DIR/examples/timeline/pipeline.yml"
draws trees "npus=8" "$inputs/platforms/dgx1_v100_trees.yml" "$inputs/workloads/all_reduce_1gb.yml" --timeline-ranks all
draws moe "" "$ORRERY_SOURCE_DIR/examples/disaggregated_memory/hiermem.yml" \
    "$ORRERY_SOURCE_DIR/examples/disaggregated_memory/moe_1t.yml"

# ---- more at a time than there are tracks ----

printf '{"scheduling-policy": "LIFO", "local-mem-bw": 1555, "peak-perf": 312, "roofline-enabled": 1,\n "all-reduce-implementation": ["ring"], "preferred-dataset-splits": 2}\n' >sys.json
made() {
    name=$1 npus=$2 counts=$3
    printf 'topology: [ Ring ]\nnpus_count: [ %s ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' "$npus" >net.yml
    python3 "$tools/make_traces.py" "$name" "$name" "$npus"
    draws "$name" "$counts" --workload-configuration "$name" --system-configuration sys.json --network-configuration net.yml \
        --comm-group-configuration "$name.subsets.json" --compat off --timeline-ranks all
}

# 15 collectives of as many groups, 5 sends, 5 receives and a computation an NPU. Sends and collectives have tracks
# together, and what is at a time beyond that is drawn as one.
made crowd 6 "npus=6 tracks=72"
grep -q '"name":"[0-9]* collectives","cat":"collective"' crowd.json || fail "crowd: no collectives are drawn as one"
[ "$(nodes crowd)" -eq $((6 * 26)) ] || fail "crowd: $(nodes crowd) nodes are drawn, expected $((6 * 26))"
# 15 peers: their sends have tracks together.
made peers 16 "npus=16"
grep -q '"args":{"name":"sends"}' peers.json || fail "peers: sends to 15 peers have no tracks together"
grep -q '"args":{"name":"sends to NPU' peers.json && fail "peers: each peer has a track"
[ "$(nodes peers)" -eq $((16 * 30)) ] || fail "peers: $(nodes peers) nodes are drawn, expected $((16 * 30))"

[ "$failures" -eq 0 ] && echo "timelines: at most 12 tracks an NPU"
exit $((failures > 0))
