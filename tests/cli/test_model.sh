#!/bin/sh
# orrery model show, dot, check: what it prints, and what is said about wrong arguments and files. The
# numbers are by hand in tests/unit/test_model_read.c and test_part_time.c.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says STATUS ARGUMENT... <<END: ends with the status and prints this
says() {
    expected=$1
    shift
    cat >want
    "$ORRERY_BIN" model "$@" >out 2>err </dev/null
    status=$?
    cat err out >both
    [ "$status" -eq "$expected" ] && cmp -s want both ||
        fail "orrery model $*: exit status $status, expected $expected
$(diff want both)"
}

# holds TEXT ARGUMENT...: succeeds and prints a line that holds this
holds() {
    text=$1
    shift
    "$ORRERY_BIN" model "$@" >out 2>&1 </dev/null || fail "orrery model $*: $(cat out)"
    grep -qF -- "$text" out || fail "orrery model $*: no \"$text\" in
$(cat out)"
}

cat >m.yml <<'END'
model:
  operators:
    - data: {shape: [256]}
    - block:
        name: layer
        repeat: 2
        shared: true
        operators:
          - dense: {name: inner, out: 256}
    - dense: {out: 10}
END

says 0 check m.yml <<'END'
m.yml: ok, 3 operators, 2 edges, 68362 weights
END
holds 'layer.2.inner' show m.yml
holds '65792*' show m.yml
holds '"weights_of": "layer.1.inner"' show m.yml --json
holds 'label="layer.1.inner\ndense: 256\n257.00 KiB"' dot m.yml
holds 'sample,output,input' show m.yml
holds 'inputs/models/resnet50.yml: ok, 126 operators, 141 edges, 25557032 weights' \
    check "$ORRERY_SOURCE_DIR/inputs/models/resnet50.yml"

printf 'compute: {peak: 1 TFLOP/s}\n' >p.yml
# 2 x (2 x 256 x 256) + 2 x 256 x 10 = 267264 operations of a sample, 4 of them
holds 'time forward  ms            0.00106906  of a device' show m.yml --platform p.yml --batch 8 --devices 2
holds 'time forward  ms             1.071e-06' show m.yml --platform p.yml --set 'compute.peak=1 PFLOP/s' --batch 4

# ---- wrong arguments ----

try="try 'orrery model --help'"
says 2 <<END
orrery model: show, dot, check, demand or tasks is missing
$try
END
says 2 draw m.yml <<END
orrery model: expected show, dot, check, demand or tasks, got "draw"
$try
END
says 2 check --json m.yml <<END
orrery model: --json goes with show and demand
$try
END
says 2 dot --batch 8 m.yml <<END
orrery model: --profile, --platform, --set and --batch go with show and tasks
$try
END
says 2 show --strategy s.yml m.yml <<END
orrery model: --strategy goes with demand and tasks
$try
END
says 2 show --set compute.peak=1 m.yml <<END
orrery model: --set goes with --platform
$try
END
says 2 show --batch none m.yml <<'END'
orrery model: --batch: expected a whole number from 1 to 10^12, got "none"
END

# ---- wrong files ----

says 2 show m.yml --platform p.yml <<'END'
m.yml: the model has no batch size, which times need: expected batch or batch_per_device, or --batch B
END
printf 'model:\n  operators:\n    - dense: {out: 4, input: later}\n    - dense: {name: later, out: 4}\n' >c.yml
says 2 check c.yml <<'END'
c.yml:3:30: model.operators[0].dense.input: "later" does not come before it: this would be a cycle
END
printf '{"batch_size": 8, "measurements": [{"name": "a", "pc_str": "2-1-' >t.json
"$ORRERY_BIN" model show m.yml --batch 8 --profile t.json >out 2>err
[ $? -eq 2 ] && grep -q '^t.json:1:' err || fail "a truncated profile: $(cat err)"

[ "$failures" -eq 0 ] || exit 1
