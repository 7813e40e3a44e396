#!/bin/sh
# The computation of an iteration as an input: workload.iteration_compute and orrery model tasks --compute.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}
field() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out | head -n 1; }
refuses() { # refuses TEXT ARGUMENT...
    text=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: expected exit status 2"
    grep -qF -- "$text" err || fail "$*: expected \"$text\", got \"$(cat err)\""
}

# Two dense layers on two NPUs, which compute alike, however fast the machine is.
cat >model.yml <<'END'
model:
  batch: 2
  operators:
    - data: {name: numbers, shape: [511]}
    - dense: {name: first, out: 512}
    - dense: {name: second, out: 512}
END
cat >machine.yml <<'END'
network:
  backend: flow
  shares: maxmin
  graph: {npus: 2, fabric: ideal-switch, bandwidth: 1 TB/s, latency: 1 us}
compute: {peak: 1 TFLOP/s}
END
for peak in 1TFLOP/s 10TFLOP/s; do
    "$ORRERY_BIN" model tasks model.yml --devices 2 --platform machine.yml --set compute.peak=$peak --compute 8ms \
        -o tasks.otg 2>err || fail "tasks: $(cat err)"
    "$ORRERY_BIN" run machine.yml --taskgraph tasks.otg --json out >printed 2>err || fail "run: $(cat err)"
    most=$(field compute_ps)
    [ $((most - 8000000000)) -le 4 ] && [ $((8000000000 - most)) -le 4 ] || fail "at $peak: expected 8 ms, found $most ps"
done
# The same as a workload, and as predicted.
cat >workload.yml <<'END'
workload: {model: model.yml, iteration_compute: 8 ms}
END
taken=$(field wall_ps)
"$ORRERY_BIN" run machine.yml workload.yml --set compute.peak=10TFLOP/s --json out >printed 2>err || fail "run: $(cat err)"
[ "$(field wall_ps)" = "$taken" ] || fail "a workload takes $(field wall_ps) ps, its task graph $taken"
"$ORRERY_BIN" plan evaluate machine.yml workload.yml >out 2>err || fail "evaluate: $(cat err)"
grep -q 'predicted +*-*0.0' out || fail "evaluate: $(head -3 out)"

# Tables on one NPU each, of which the second has two: it is the one that computes for 8 ms.
cat >tables.yml <<'END'
model:
  batch: 2
  operators:
    - block: {name: tables, copies: 3, operators: [embedding: {rows: 1000, columns: 64}]}
    - concat: {input: tables}
END
"$ORRERY_BIN" model tasks tables.yml --devices 2 --platform machine.yml --set memory.local.bandwidth=1GB/s --compute 8ms \
    -o tasks.otg 2>err || fail "tables: $(cat err)"
"$ORRERY_BIN" run machine.yml --taskgraph tasks.otg --json out >printed 2>err || fail "tables: $(cat err)"
most=$(field compute_ps)
[ $((most - 8000000000)) -le 8 ] && [ $((8000000000 - most)) -le 8 ] || fail "tables: expected 8 ms, found $most ps"

refuses 'orrery model: --compute: expected a time above 0 such as "200 ms", got "0 ms"' \
    model tasks model.yml --devices 2 --compute '0 ms' -o tasks.otg
refuses '--output, --expand and --compute go with tasks' model show model.yml --compute 8ms
refuses 'there is no peak rate for an estimate' model tasks model.yml --devices 2 --compute 8ms -o tasks.otg
refuses 'iteration_compute' run machine.yml workload.yml --set 'workload.iteration_compute=-1 ms'
printf 'model: {batch: 2, operators: [data: {shape: [4]}, flatten: {}]}\n' >idle.yml
refuses 'the computation time of an iteration cannot be spread over the operators: expected an operator with a time above 0' \
    model tasks idle.yml --devices 2 --platform machine.yml --compute 8ms -o tasks.otg
"$ORRERY_BIN" run machine.yml --set 'workload={generate: all_reduce, bytes: 1 MB, iteration_compute: 1 ms}' >out 2>err
grep -q 'iteration_compute has no effect: it is of workload.model' err || fail "expected a warning, got \"$(cat err)\""

[ "$failures" -eq 0 ] && echo "computation as an input: as expected"
exit $((failures > 0))
