#!/bin/sh
# The example of a straggler, the curves that ship as includes, what --explain shows of the compute
# model, and where its errors are.
set -u

example=$ORRERY_SOURCE_DIR/examples/straggler
mlp=$ORRERY_SOURCE_DIR/inputs/workloads/mlp_data_parallel.yml
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

export ORRERY_BIN
"$example/run.sh" >shown 2>&1 || fail "run.sh: exit status $?: $(cat shown)"
for case in healthy straggler jitter; do
    grep -q "^$case: job time [0-9.]* ms on 64 NPUs$" shown || fail "run.sh: no $case: $(cat shown)"
done

# compute FILE RANK: compute_ps of a rank; the columns are named in the first line
compute() {
    awk -F, -v rank="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["rank"] == rank { print $at["compute_ps"] }' "$1"
}

for case in healthy straggler; do
    "$ORRERY_BIN" run "$example/$case.yml" "$mlp" --csv - >$case.csv 2>err || fail "$case: $(cat err)"
done
# 2 steps of 16 layers forward, backward and update: 96 nodes, each 1.5 x rounded up to a ps.
plain=$(compute healthy.csv 12)
slow=$(compute straggler.csv 12)
[ "$(compute straggler.csv 0)" = "$plain" ] || fail "a rank that is no straggler is slower"
[ "$plain" -gt 0 ] && [ $((2 * slow - 3 * plain)) -ge 0 ] && [ $((2 * slow - 3 * plain)) -le 192 ] ||
    fail "the straggler computes $slow ps, the others $plain"

# Kind and size by hand, on an A100's 312 TFLOP/s and 1555 GB/s: a layer of 64 MiB is 2^25 parameters
# of 2 bytes. 1024 samples are 2^36 = 68.7 GFLOP forward and 137.4 GFLOP backward, at 0.5 of the peak
# 440.5095 us and 881.0189 us; the update moves 192 MiB at 0.7 of 1555 GB/s, 184.9578 us; in all 32
# times that: 48207.559 us.
"$ORRERY_BIN" run "$ORRERY_SOURCE_DIR/inputs/platforms/dgx_a100_64.yml" "$mlp" --csv - \
    --set workload.batch=1024 --set 'compute.efficiency=[{kind: default, points: 0.001},
        {kind: gemm, points: [[1 GFLOP, 0.5], [1 PFLOP, 0.5]]}, {kind: elementwise, bandwidth: 0.7}]' \
    >curves.csv 2>err || fail "curves: $(cat err)"
found=$(compute curves.csv 63)
[ $((found / 1000000)) -eq 48207 ] || fail "with curves a rank computes $found ps, expected 48207 us"

"$ORRERY_BIN" run "$example/straggler.yml" "$mlp" --explain=all >explain 2>&1 || fail "$(cat explain)"
for line in 'compute.slowdown {stragglers: \[{ranks: 12, factor: 1.5}\]} .*straggler.yml:[0-9]*' \
    'compute.efficiency \[{kind: default, scope: layer, points: .*a100.yml:[0-9]*'; do
    tr -s ' ' <explain | grep -q "^$line$" || fail "--explain has no line: $line"
done

printf 'include: %s\ncompute:\n  slowdown:\n    - {ranks: "60-64", factor: 2}\n' \
    "$ORRERY_SOURCE_DIR/inputs/platforms/dgx_a100_64.yml" >bad.yml
"$ORRERY_BIN" run bad.yml "$mlp" >out 2>err
[ $? -eq 2 ] || fail "ranks outside of the platform: exit status is not 2"
expected='bad.yml:4:15: compute.slowdown[0].ranks: expected ranks from 0 to 63, got "60-64"'
[ "$(cat err)" = "$expected" ] || fail "$(cat err)
expected: $expected"

# The kind of an operation is in generated traces, and a wrong one is refused.
"$ORRERY_BIN" gen mlp --npus 1 --bytes "1 MiB" --optimizer --output t >/dev/null || fail "orrery gen"
"$ORRERY_BIN" trace print t.0.et >nodes
grep -q 'step 0 layer 0 forward.* gemm us 0 ' nodes || fail "no gemm: $(cat nodes)"
grep -q 'step 0 layer 0 update.* elementwise us 0 ' nodes || fail "no elementwise: $(cat nodes)"
"$ORRERY_BIN" trace print --json - t.0.et >good.json
"$ORRERY_BIN" trace check good.json >out 2>&1 || fail "$(cat out)"
sed 's/"gemm"/"gem"/' good.json >wrong.json
"$ORRERY_BIN" trace check wrong.json >out 2>&1
[ $? -eq 2 ] || fail "a wrong orrery_op_kind: exit status is not 2"
expected='attribute "orrery_op_kind": expected default, gemm, attention, elementwise, memory, scan or cast, got "gem"'
grep -qF "$expected" out || fail "$(cat out)
expected: $expected"

[ "$failures" -eq 0 ] && echo "the straggler: as documented"
exit $((failures > 0))
