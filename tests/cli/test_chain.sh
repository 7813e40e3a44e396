#!/bin/sh
# Layers of the next step begin when their gradients are there: workload.training.chain and slice, the gradient queues
# that ship, and what is refused.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
inputs=$ORRERY_SOURCE_DIR/inputs

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# field NAME FILE: of the results of a job
field() {
    sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$2" | head -1
}

# ---- Fig. 16 of the C-Cube paper ----

# The forward pass takes 150 ms; data 1..5 of 15 of an all-reduce of 135 ms, of which a share d is at the leaf after
# 3 ms + d x 135 ms. So layer 1 waits 3 + 9 = 12 ms (0.080 of the pass), or with 5 of 15 first 3 + 45 = 48 ms (0.320).
# Case 2: computation 10, 20, ... 50 ms; the parts are there at 12, 30, 57, 93, 138 ms, the layers before them done at 22, 50, 87,
# 133: it waits 8 + 7 + 6 + 5 = 26 ms more (0.173). The pass ends 162, 188, 198 ms (1.080, 1.253, 1.320) after 300 ms of
# backward pass. The first chunk is at both after 2 x 3 ms.
queue() {
    for backend in analytical congestion; do
        "$ORRERY_BIN" run "$inputs/workloads/gradient_queue_$1.yml" --set "network.backend=$backend" --json out.json >/dev/null 2>err ||
            fail "case $1: $(cat err)"
        found="$(field wall_ps out.json) $(field gradient_turnaround_ps out.json) $(field first_wait_ps out.json) $(field bubbles_ps out.json)"
        [ "$found" = "$2" ] || fail "case $1, $backend: $found, expected $2"
    done
}
queue 1 "462000000000 6000000000 12000000000 0"
queue 2 "488000000000 6000000000 12000000000 26000000000"
queue 3 "498000000000 6000000000 48000000000 0"
"$ORRERY_BIN" run "$inputs/workloads/gradient_queue_2.yml" >out
grep -qx 'parts of collectives: turnaround 6.000 ms, first wait 12.000 ms, bubbles 26.000 ms' out || fail "the text: $(cat out)"

# On the DGX-1 with the paper's trees, 64 MiB in 25 chunks a tree: the first chunk is back at all after 8 of the 32 steps
# that the overlapped trees take; where all chunks go up first, after 32 of 56 steps, the time of the overlapped ones.
cat >first.json <<'END'
{"version":"0.0.4"}
{"id":"1","name":"ar","type":"COMM_COLL_NODE","attr":[{"name":"comm_type","int64Val":"0"},{"name":"comm_size","int64Val":"67108864"}]}
{"id":"2","name":"first","type":"COMP_NODE","dataDeps":["1"],"attr":[{"name":"orrery_prefix_of","uint64List":{"values":["1"]}},{"name":"orrery_prefix_bytes","uint64List":{"values":["1"]}}]}
END
for backend in congestion flow; do
    "$ORRERY_BIN" run "$inputs/platforms/dgx1_v100_trees.yml" --set "network.backend=$backend" --set compute.mode=replay \
        --set workload.traces=first.json --json overlapped.json >/dev/null 2>err || fail "overlapped: $(cat err)"
    "$ORRERY_BIN" run "$inputs/platforms/dgx1_v100_trees.yml" --set "network.backend=$backend" --set compute.mode=replay \
        --set workload.traces=first.json --set system.phased=true --json phased.json >/dev/null 2>err || fail "phased: $(cat err)"
    overlapped=$(field wall_ps overlapped.json)
    [ "$(field gradient_turnaround_ps overlapped.json)" -eq $((overlapped / 32 * 8)) ] &&
        [ "$(field gradient_turnaround_ps phased.json)" -eq "$overlapped" ] ||
        fail "turnaround, $backend: $(field gradient_turnaround_ps overlapped.json), $(field gradient_turnaround_ps phased.json); $overlapped"
done

# ---- the generator ----

# model NAME SAMPLES OPTION...: a step of so many samples on each of two V100
model() {
    name=$1 samples=$2
    shift 2
    cat >model.yml <<END
include: [$inputs/models/$name.yml, $inputs/compute/v100.yml]
network: {dims: [{block: fully_connected, npus: 2, bandwidth: 22.3 GB/s, latency: 1 us}]}
system: {chunks: 25, algorithms: {all_reduce: ring}}
compute: {peak: 15.7 TFLOP/s}
memory: {local: {bandwidth: 900 GB/s}}
workload:
  training: {batch: $((2 * samples)), micro_batch: $samples, element_bytes: 4, gradient_bytes: 4, optimizer: sgd}
END
    "$ORRERY_BIN" run model.yml "$@" --json out.json >/dev/null 2>err || fail "$name: $(cat err)"
}

compute() {
    sed -n 's/.*"compute_ps": \([0-9]*\).*/\1/p' out.json | head -1
}

# A step without communication, in ms, roofline of 0.75 x 15.7 TFLOP/s and 900 GB/s.
for row in "zfnet 10.72 19.72 38.32" "vgg16 130.10 256.43 510.41" "resnet50 42.32 84.16 167.87"; do
    # shellcheck disable=SC2086
    set -- $row
    for samples in 16 32 64; do
        shift_to=$2
        model "$1" "$samples" --set workload.training.steps=1
        name=$1
        awk -v ps="$(compute)" -v ms="$shift_to" 'BEGIN { d = ps * 1e-9 - ms; exit !(d < 0.006 && d > -0.006) }' ||
            fail "$name, $samples samples: $(compute) ps, expected $shift_to ms"
        shift
        set -- "$name" "${2:-}" "${3:-}" "${4:-}"
    done
done

# One after the other: a step takes its computation and the all-reduce of 249.4 MB; chained, its computation, the wait of
# the first layer and the bubbles, which is less: most bytes are behind the layers that compute most.
steps() {
    model zfnet 32 --set workload.training.steps=2 "$@"
    before=$(field wall_ps out.json) computed=$(compute)
    model zfnet 32 --set workload.training.steps=3 "$@"
    echo $(($(field wall_ps out.json) - before)) $(($(compute) - computed)) "$(field first_wait_ps out.json)" "$(field bubbles_ps out.json)"
}
# shellcheck disable=SC2046
set -- $(steps --set workload.training.overlap=false --set 'workload.training.bucket=1 TB')
plain=$1 computed=$2
reduced=$(sed -n 's/.*"longest_ps": \([0-9]*\).*/\1/p' out.json | head -1)
[ "$plain" -eq $((computed + reduced)) ] || fail "one after the other: $plain, $computed and $reduced"
# shellcheck disable=SC2046
set -- $(steps --set workload.training.chain=true)
[ "$1" -eq $(($2 + $3 + $4)) ] && [ "$2" -eq "$computed" ] || fail "chained: $*"
[ "$1" -lt $((plain - 5000000000)) ] || fail "chained $1, one after the other $plain"

# Layers wait for their part in the order of the forward pass: 96 filters of 7 x 7 x 3 and their biases, 14,208 parameters.
mkdir files
"$ORRERY_BIN" gen model.yml --npus 2 --output files/t --set workload.training.steps=2 --set workload.training.chain=true >out 2>err || fail "gen: $(cat err)"
"$ORRERY_BIN" trace print files/t.0.et >nodes
grep -q '"step 1 conv 1 update" .* after 31\[56832\]$' nodes || fail "layer 1: $(grep update nodes)"
[ "$(grep -c '"step 1 .* update" .*\[[0-9]*\]' nodes)" -eq 8 ] || fail "updates: $(grep update nodes)"
[ "$(grep -c 'ALL_REDUCE' nodes)" -eq 2 ] || fail "all-reduces: $(grep ALL_REDUCE nodes)"
# Without an optimizer the layers themselves do.
"$ORRERY_BIN" gen model.yml --npus 2 --output files/t --set workload.training.steps=2 --set workload.training.chain=true \
    --set workload.training.optimizer=none >out 2>err || fail "gen: $(cat err)"
"$ORRERY_BIN" trace print files/t.0.et | grep -q '"step 1 conv 1 fwd mb 0" .* 31\[56832\]$' ||
    fail "no optimizer: $("$ORRERY_BIN" trace print files/t.0.et | grep 'step 1 conv 1')"

# In slices of 50 MB: 5 all-reduces one after the other, the last of what is left of 249,430,432 bytes.
"$ORRERY_BIN" gen model.yml --npus 2 --output files/t --set workload.training.overlap=false --set 'workload.training.bucket=1 TB' \
    --set 'workload.training.slice=50 MB' >out 2>err || fail "gen: $(cat err)"
"$ORRERY_BIN" trace print files/t.0.et | awk '/ALL_REDUCE/ { n++; for (i = 1; i < NF; i++) if ($i == "bytes") sum += $(i + 1); last = $0 }
    END { exit !(n == 5 && sum == 249430432 && last ~ /slice 4 reduced mb 0" ALL_REDUCE bytes 49430432 /) }' ||
    fail "slices: $("$ORRERY_BIN" trace print files/t.0.et | grep ALL_REDUCE)"

# ---- what is refused ----

# refused MESSAGE OPTION...
refused() {
    message=$1
    shift
    "$ORRERY_BIN" run model.yml "$@" >out 2>&1
    [ $? -eq 2 ] || fail "$*: $(cat out)"
    grep -qF "$message" out || fail "$*: $(cat out)"
}
chain='workload.training.chain=true'
refused 'workload.training.overlap: with chain: true gradients are reduced after the backward pass; expected false' \
    --set "$chain" --set workload.training.overlap=true
refused 'workload.training.bucket: with chain: true all gradients are reduced at once; expected none' \
    --set "$chain" --set 'workload.training.bucket=25 MiB'
refused 'workload.training.slice: with chain: true all gradients are reduced at once; expected none' \
    --set "$chain" --set 'workload.training.slice=1 MB'
refused 'workload.training.slice: 249430432 bytes of gradients in slices of 1; at most 1000000 are supported' \
    --set 'workload.training.bucket=1 TB' --set 'workload.training.slice=1 B'
cat >model.yml <<END
include: $inputs/models/gpt3_175b.yml
network: {dims: [{block: switch, npus: 8, bandwidth: 100 GB/s, latency: 1 us}]}
compute: {peak: 100 TFLOP/s}
workload: {parallel: {tensor: 8}}
END
refused "workload.training.chain: only the layers of a cnn are chained, not a transformer's" --set "$chain"
refused 'workload.training.slice: with ZeRO gradients are reduced layer by layer' --set 'workload.training.slice=1 MB' --set workload.parallel.zero=1
cat >model.yml <<END
network: {dims: [{block: switch, npus: 8, bandwidth: 100 GB/s, latency: 1 us}]}
workload: {generate: all_reduce, bytes: 1 MB}
END
refused 'workload.training' --set "$chain"

[ "$failures" -eq 0 ]
