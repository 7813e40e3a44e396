#!/bin/sh
# orrery run --uncertainty: what it adds to the output, with other options, and what it refuses.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >machine.yml <<'YAML'
network:
  topology: Switch(4)_Switch(2)
  bandwidth_is: npu
  dims: [{bandwidth: 60 GB/s, latency: 1 us}, {bandwidth: 12.5 GB/s, latency: 3 us}]
memory: {local: {bandwidth: 1555 GB/s}}
compute: {peak: 312 TFLOP/s}
YAML
cat >fit.yml <<'YAML'
compute:
  efficiency:
    - {kind: gemm, points: 0.74, constant: 105 us}
    - {kind: attention, points: 0.4}
    - {kind: elementwise, bandwidth: 0.8}
    - {kind: memory, bandwidth: 0.8}
    - {kind: default, points: 0.74}
  fitted:
    gpu: A100
    rows: 48
    sigma: 0.054
    parameters:
      - {name: compute.efficiency.gemm.points, spread: 0.02}
      - {name: compute.efficiency.gemm.constant, spread: 0.1}
    correlation: [[1], [-0.4, 1]]
YAML
printf 'include: [machine.yml, fit.yml]\n' >fitted.yml
cat >job.yml <<'YAML'
workload:
  transformer: {layers: 4, hidden: 2048, heads: 16, sequence: 1024, vocabulary: 32000}
  parallel: {tensor: 4, pipeline: 2}
  training: {batch: 4, micro_batch: 1}
YAML

run() {
    "$ORRERY_BIN" run "$@"
}

# ---- what is added, and nothing else ----

run fitted.yml job.yml >plain 2>err || fail "plain: $(cat err)"
run fitted.yml job.yml --uncertainty --json with.json >with 2>err || fail "--uncertainty: $(cat err)"
[ ! -s err ] || fail "standard error: $(cat err)"
sed -e '/^80 % between/d' -e 's/ of the peak (MFU), 80 % between .*/ of the peak (MFU)/' with >without
cmp -s plain without || fail "more than the intervals differs: $(diff plain without)"
sed -n 2p with | grep -Eq '^80 % between [0-9.]+ ms and [0-9.]+ ms \(compute as fitted to 48 rows: parameters [0-9.]+ %, residuals 5\.4 %\)$' ||
    fail "line 2: $(sed -n 2p with)"
grep -Eq '% of the peak \(MFU\), 80 % between [0-9.]+ % and [0-9.]+ %$' with || fail "no interval of MFU"

# The interval is that of the formula: T exp(+-1.28155 sqrt(parameters^2 + residuals^2)), parameters from slopes.
if command -v python3 >/dev/null; then
    python3 - <<'PY' || fail "JSON: the interval is not that of its slopes"
import json, math
told = json.load(open("with.json"))
u, time, mfu = told["uncertainty"], told["wall_ps"], told["model_flops_utilization"]
points, constant = u["slopes"]
assert points["name"] == "compute.efficiency.gemm.points" and points["slope"] < 0 and points["spread"] == 0.02
assert constant["name"] == "compute.efficiency.gemm.constant" and constant["slope"] > 0 and constant["spread"] == 0.1
a, b = points["slope"] * 0.02, constant["slope"] * 0.1
spread = math.sqrt(a * a + b * b - 2 * 0.4 * a * b)
far = math.exp(1.2815515655446004 * math.hypot(spread, 0.054))
assert (u["share"], u["rows"], u["residuals"]) == (0.8, 48, 0.054)
for value, expected in [(u["parameters"], spread), (u["low_ps"], time / far), (u["high_ps"], time * far),
                        (u["low_utilization"], mfu / far), (u["high_utilization"], mfu * far)]:
    assert abs(value / expected - 1) < 1e-6, (value, expected)
PY
fi

# ---- other options beside it ----

interval=$(sed -n 2p with)
same() {
    run fitted.yml job.yml --uncertainty "$@" >out 2>err || fail "$*: $(cat err)"
    grep -qxF "$interval" out || fail "$*: $(sed -n 2p out)"
}
same --fold off
same --why
grep -q '^why the job takes' out || fail "--why: no path"
same --per-npu --timeline timeline.json --csv out.csv
same --traffic-matrix matrix.csv --why --fold off
run fitted.yml job.yml --why >want
run fitted.yml job.yml --why --uncertainty |
    sed -e '/^80 % between/d' -e 's/ of the peak (MFU), 80 % between .*/ of the peak (MFU)/' >out
cmp -s want out || fail "--why: $(diff want out)"
run fitted.yml job.yml --uncertainty --format astra >out
! grep -q '%' out || fail "--format astra: $(cat out)"

# ---- warnings ----

# warns TEXT OPTION...: exit status 0, no interval, and the text on standard error
warns() {
    text=$1
    shift
    run "$@" --uncertainty --json out.json >out 2>err || fail "$*: exit status $?"
    [ "$(cat err)" = "$text" ] || fail "$*: standard error is $(cat err)"
    ! grep -q '80 %' out || fail "$*: there is an interval"
    ! grep -q '"uncertainty"' out.json || fail "$*: JSON has an interval"
    grep -qF "\"$text\"" out.json || fail "$*: JSON has no warning"
}
printf 'workload: {generate: all_reduce, bytes: 8 MB}\n' >reduce.yml
warns 'warning: no computing is on the critical path, so the parameters of compute.fitted do not matter: there is no interval of the job'"'"'s time' fitted.yml reduce.yml

run fitted.yml job.yml --uncertainty --set network.backend=flow >out 2>err || fail "flow: $(cat err)"
grep -q '^warning: network.backend: flow: the end of a flow' err || fail "flow: $(cat err)"
run fitted.yml job.yml --uncertainty --json out.json \
    --set 'compute.fitted={sigma: 0.1, parameters: [{name: compute.efficiency.gemms.points, spread: 1}]}' >out 2>err ||
    fail "unknown: $(cat err)"
grep -q 'no part of a job.s time depends on compute.efficiency.gemms.points on this platform' err || fail "unknown: $(cat err)"
grep -q '^80 % between .* (compute as fitted: parameters 0.0 %, residuals 10.0 %)$' out || fail "unknown: $(sed -n 2p out)"
grep -q '"slopes": \[\]' out.json || fail "unknown: JSON has slopes"

# ---- refusals ----

# refuses TEXT ARGUMENT...
refuses() {
    text=$1
    shift
    run "$@" >out 2>err
    status=$?
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(cat err)" = "$text" ] || fail "$*: exit status $status, $(cat err)"
}
how='is missing, from which the uncertainty of the job'"'"'s time is computed: orrery fit compute writes it from your measurements; files in inputs/compute that have it can be included'
refuses "machine.yml:6:10: compute.fitted $how" machine.yml job.yml --uncertainty
refuses "--set: compute.fitted.sigma $how" machine.yml job.yml --uncertainty --set compute.fitted.gpu=A100
refuses "--set: compute.communication_slowdown: expected 1 with the uncertainty of the job's time: sensitivities of nodes that are slowed down while they run are not known, got \"2\"" \
    fitted.yml job.yml --uncertainty --set compute.communication_slowdown=2
refuses "orrery run: --uncertainty needs Orrery files (PLATFORM.yml), which can have compute.fitted
try 'orrery run --help'" --workload-configuration x --system-configuration y --network-configuration z --uncertainty
refuses 'orrery run: option "--uncertainty" takes no value' fitted.yml job.yml --uncertainty=90
refuses "orrery run: --uncertainty does not go with --cluster
try 'orrery run --help'" --cluster jobs.yml --uncertainty

exit $((failures != 0))
