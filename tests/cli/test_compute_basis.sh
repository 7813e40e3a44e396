#!/bin/sh
# How compute times were found is in the results; runs that are compared and differ in it have a warning, and so has a GPU
# that runs at its data sheet's peak. Utilization is of the peak of the type that did the work.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >bare.yml <<'END'
network: {topology: Switch(2), bandwidth_is: npu, dims: [{bandwidth: 100 GB/s}]}
memory: {local: {bandwidth: 1000 GB/s}}
compute: {peak: 100 TFLOP/s, fp8_peak: 200 TFLOP/s}
END
cat >named.yml <<'END'
include: bare.yml
compute: {gpu: H100}
END
cat >stated.yml <<'END'
include: named.yml
compute: {efficiency: 1}
END
cat >fit.yml <<'END'
include: named.yml
compute: {efficiency: 0.5, fitted: {gpu: H100, stack: some stack}}
END
cat >over.yml <<'END'
include: bare.yml
compute: {gpu: H200, efficiency: 0.5, fitted: {gpu: H100, taken_over_for: H200, stack: some stack}}
END
cat >beside.yml <<'END'
include: over.yml
compute: {efficiency: 0.4, fitted: {gpu: A100}}
END
cat >other.yml <<'END'
include: fit.yml
compute: {gpu: B200}
END
cat >job.yml <<'END'
workload:
  transformer: {layers: 1, hidden: 64, heads: 4, sequence: 128, vocabulary: 0}
  training: {product_type: fp8}
END

# basis PLATFORM BASIS WARNINGS
basis() {
    "$ORRERY_BIN" run "$1.yml" job.yml --json "$1.json" >"$1.txt" 2>"$1.err" || fail "$1: $(cat "$1.err")"
    grep -q "\"compute_basis\": \"$2\"" "$1.json" || fail "$1: not $2: $(grep compute_basis "$1.json")"
    [ "$(grep -c warning "$1.err")" -eq "$3" ] || fail "$1: not $3 warnings: $(cat "$1.err")"
}
basis bare peak 0
basis named peak 1
basis stated stated 0
basis fit fitted 0
basis over 'taken over' 0
basis other 'taken over' 1
basis beside 'taken over' 1
"$ORRERY_BIN" run fit.yml job.yml --set compute.efficiency=1 --json set.json >out 2>err || fail "set: $(cat err)"
grep -q '"compute_basis": "stated"' set.json || fail "an efficiency that replaces the fitted one: $(grep compute_ set.json)"
grep -q compute_stack set.json && fail "an efficiency that replaces the fitted one has its stack"
grep -q "compute.efficiency: none is given for H100, so that all operations run at the data sheet's peak" named.err ||
    fail "named: $(cat named.err)"
grep -q "^computed at all of the data sheet's peak: no efficiency is given$" bare.txt || fail "bare: nothing is said"
grep -q "^computed at all" fit.txt && fail "fit: said to be at the peak"
grep -q '"compute_stack": "some stack"' over.json || fail "over: no stack"
# Communication alone is found in no such way.
"$ORRERY_BIN" run named.yml all_reduce_1gb --json alone.json >/dev/null 2>err || fail "alone: $(cat err)"
[ ! -s err ] || fail "alone: $(cat err)"
grep -q compute_basis alone.json && fail "an all-reduce has a compute basis"

# ---- what is compared ----

said='the compute times of A.json are by an efficiency fitted to this GPU (some stack), those of B.json by the data sheet'"'"'s peak: '
said=$said'part of the difference between them may be that'
cp fit.json A.json
cp named.json B.json
"$ORRERY_BIN" diff A.json B.json >out 2>err || fail "diff: $(cat err)"
grep -qF "$said" err || fail "diff: $(cat err)"
"$ORRERY_BIN" diff fit.json fit.json >out 2>err
[ ! -s err ] || fail "diff of one: $(cat err)"
"$ORRERY_BIN" diff fit.json over.json >out 2>err
grep -q 'fitted to this GPU (some stack), those of over.json by an efficiency taken over from another GPU (some stack)' err ||
    fail "diff of one that is taken over: $(cat err)"
"$ORRERY_BIN" report A.json B.json -o page.html >out 2>err || fail "report: $(cat err)"
grep -q 'the compute times of A are by an efficiency fitted to this GPU (some stack), those of B by' err || fail "report: $(cat err)"
grep -q 'But the compute times of ' page.html || fail "the page says nothing of it"
"$ORRERY_BIN" report fit.json bare.json -o - 2>/dev/null | grep -q 'But the compute times of ' || fail "the page of two says nothing"
cat >sweep.yml <<'END'
sweep:
  workload: job.yml
  axes: {platform: [fit.yml, stated.yml]}
END
"$ORRERY_BIN" sweep sweep.yml -o swept >out 2>err || fail "sweep: $(cat err)"
grep -q 'sweep.yml:.*: warning: points that are compared differ in how their compute times are found: with .*fit.* by an efficiency fitted to this GPU (some stack), with .*stated.* by an efficiency that is stated, not fitted' err ||
    fail "sweep: $(cat err)"
sed 's/stated.yml/over.yml/; s/fit.yml/over.yml/' sweep.yml >same.yml
"$ORRERY_BIN" sweep same.yml -o same >out 2>err
grep -q 'how their compute times' err && fail "a sweep of one kind: $(cat err)"

# Jobs of a cluster, in two ways.
cat >cluster.yml <<'END'
cluster:
  servers: 2
  fabric: clusters:1
  link_bandwidth: 100 GB/s
  memory: {local: {bandwidth: 1000 GB/s}}
  compute: {gpu: H100, peak: 100 TFLOP/s, fp8_peak: 200 TFLOP/s, efficiency: 0.5, fitted: {gpu: H100, stack: some stack}}
jobs:
  - {name: a, workload: job.yml, npus: 2}
END
"$ORRERY_BIN" run --cluster cluster.yml --compare B:cluster.compute.efficiency=1 >out 2>err || fail "run --compare: $(cat err)"
grep -q 'warning: the compute times of cluster.yml are by an efficiency fitted to this GPU (some stack), those of B by an efficiency that is stated, not fitted: part of the difference' err ||
    fail "run --compare: $(cat err)"
"$ORRERY_BIN" run --cluster cluster.yml --beside B:cluster.link_bandwidth=50GB/s >out 2>err
grep -q 'compute times' err && fail "run --beside of one kind: $(cat err)"

# ---- utilization ----

# Products are 0.75 of the model's operations (37.7 of 50.3 M), in fp8 with twice the peak: of the 16-bit peak it would be
# 1 / (0.25 + 0.75 / 2) as much.
for platform in bare fit; do
    awk '/"model_flops_per_s"/ { rate = $2 + 0 } /"model_flops_utilization"/ { mfu = $2 + 0 }
        END { share = mfu * 2 * 100e12 / rate; exit !(share > 0.62499 && share < 0.62501 && mfu < 1) }' $platform.json ||
        fail "$platform: utilization: $(grep model_flops $platform.json)"
done
# The same by traces, which have products by their flag.
"$ORRERY_BIN" gen job.yml --npus 2 -o traces >out 2>err || fail "gen: $(cat err)"
cat >traces.yml <<'END'
workload: {traces: traces, groups_file: traces.groups.json, model_flops: 100663296}
END
"$ORRERY_BIN" run bare.yml traces.yml --json traces.json >out 2>err || fail "traces: $(cat err)"
awk '/"model_flops_per_s"/ { rate = $2 + 0 } /"model_flops_utilization"/ { mfu = $2 + 0 }
    END { share = mfu * 2 * 100e12 / rate; exit !(share > 0.62 && share < 0.65) }' traces.json ||
    fail "traces: utilization: $(grep model_flops traces.json)"

[ "$failures" -eq 0 ] && echo "the basis of compute times: as expected"
exit $((failures > 0))
