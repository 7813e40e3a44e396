#!/bin/sh
# What the evaluator predicts of hybrid strategies stays near what runs take: samples and parameters
# split together on subsets of the servers, tables in parts, on a circulant, a switch, a fat-tree,
# rings of members, rings of steps over several hops that share links, and links of two cables.
# Never more than 6 % too short, which a search would go for, nor 10 % too long. A mixture of experts
# is faster with its experts on different servers.
set -u

orrery=$ORRERY_BIN
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
    echo "$1" >&2
    failed=1
}

cat >"$dir/links" <<END
{npus: 16, bandwidth: 100 Gb/s, latency: 1 us, links: [
END
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    echo "{from: $i, to: $(((i + 1) % 16))}, {from: $i, to: $(((i + 5) % 16))}," >>"$dir/links"
done
members='{members: [0, 2, 4, 6, 8, 10, 12, 14]}, {members: [0, 14, 12, 10, 8, 6, 4, 2]}'
steps='{steps: [0 1 2 3 4, 4 5 6 7 8, 8 9 10 11 12, 12 13 14 15 0]}'
twice='{steps: [0 5 4, 4 5 6 7 8, 8 9 10 11 12, 12 13 14 15 0]}'

# name graph
platform() {
    cat >"$dir/$1.yml" <<END
network: {backend: flow, graph: $2}
compute: {peak: 312 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 2039 GB/s}}
END
}
for fabric in circulant:1,5 ideal-switch fat-tree:4; do
    platform "$fabric" "{fabric: \"$fabric\", npus: 16, bandwidth: 100 Gb/s, latency: 1 us}"
done
both='{npus: 16, jumps: [1]}, {npus: 16, jumps: [-1]}'
platform members "$(cat "$dir/links") ], rings: [$both, $members]}"
platform steps "$(cat "$dir/links") ], rings: [$both, $steps, $twice]}"
sed 's/\(to: [0-9]*\)}, /\1, count: 2}, /' "$dir/links" >"$dir/doubled"
platform doubled "$(cat "$dir/doubled") ],
    rings: [$both, $both, {npus: 16, jumps: [5]}, {npus: 16, jumps: [-5]}]}"
platform wide "$(cat "$dir/doubled") ], rings: [{npus: 16, jumps: [1]}, {npus: 16, jumps: [5]}]}"

# name model operators
workload() {
    cat >"$dir/$1.work.yml" <<END
workload: {model: $2, strategy: {devices: 16, tables: round_robin, operators: {$3}}}
END
}
workload parts topoopt/dlrm_5_6 '"dense 2*": {split: {sample: 4, output: 4}},
    "embedding 1?": {split: {columns: 8}, devices: ["0-14:2"]},
    "dense 3": {split: {sample: 8}, devices: ["0-14:2"]}'
workload chain topoopt/bert_5_6 '"encoder.*": {split: {sample: 8}, devices: ["0-14:2"]},
    "decoder.*": {split: {sample: 8}, devices: ["1-15:2"]}'
workload few topoopt/candle_5_6 '"dense 6*": {split: {sample: 4}, devices: ["0-12:4"]},
    "dense 71": {split: {output: 4}, devices: ["0-12:4"]}'
workload pair topoopt/vgg '"dense *": {split: {sample: 2}, devices: [3, 9]}'
workload data topoopt/candle_5_6 ''

# Predicted and simulated, in ps.
compare() {
    "$orrery" plan evaluate "$1" "$2" --json - 2>"$dir/said" |
        awk -F'[:,]' '/predicted_ps/ { p = $2 } /simulated_ps/ { print p + 0, $2 + 0 }'
}

# Every other pair of them; ORRERY_LONG=1 takes all.
turn=0
for network in circulant:1,5 ideal-switch fat-tree:4 members steps doubled wide; do
    for strategy in parts chain few pair data; do
        turn=$((turn + 1))
        [ $((turn % 2)) -eq 1 ] || [ -n "${ORRERY_LONG:-}" ] || continue
        got=$(compare "$dir/$network.yml" "$dir/$strategy.work.yml")
        echo "$network $strategy $got" | awk 'NF != 4 || $3 < 0.94 * $4 || $3 > 1.1 * $4 { exit 1 }' ||
            fail "$network, $strategy: predicted and simulated are ${got:-$(cat "$dir/said")}"
    done
done

# Every expert layer of a 16th of the experts on each server, with the tokens sent to them.
experts=$("$orrery" model show switch_base | awk '
    function said(dim) { printf "%s\"%s %s\": {split: {%s: 16}}", n++ ? ", " : "", $2, $3, dim }
    $2 == "expert_dense" { said("experts") }
    $2 == "activation" && before == "expert_dense" { said("tokens") }
    { before = $2 }')
workload alike switch_base ''
workload experts switch_base "$experts"
alike=$(compare "$dir/circulant:1,5.yml" "$dir/alike.work.yml")
spread=$(compare "$dir/circulant:1,5.yml" "$dir/experts.work.yml")
echo "$alike $spread" | awk 'NF != 4 || $4 > 0.6 * $2 { exit 1 }' ||
    fail "a mixture of experts: $alike, with its experts spread ${spread:-$(cat "$dir/said")}"

exit $failed
