#!/bin/bash
# Jobs that need more memory than there is: refused with layouts that fit, each of which does when it is run.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# unfit NEED OPTION...: exit status 2, nothing on standard output, the need named; what is said is in "said"
unfit() {
    need=$1
    shift
    "$ORRERY_BIN" run "$@" >shown 2>said
    status=$?
    [ "$status" = 2 ] || fail "run $*: exit status $status"
    [ ! -s shown ] || fail "run $*: $(cat shown)"
    head -1 said | grep -q "the model does not fit: an NPU of pipeline stage 0 needs $need (weights .*), but memory.local.capacity is" ||
        fail "run $*: $(cat said)"
}

# nearest COUNT OPTION...: so many layouts were said, each of at most three settings that run
nearest() {
    count=$1
    shift
    grep '^  --set' said >layouts
    [ "$(wc -l <layouts)" = "$count" ] || fail "$*: expected $count layouts: $(cat said)"
    while read -r line; do
        options=${line%% (*}
        # shellcheck disable=SC2086
        [ "$(printf '%s\n' $options | grep -c =)" -le 3 ] || fail "$*: more than 3 changes: $line"
        # shellcheck disable=SC2086
        "$ORRERY_BIN" run "$@" $options >shown 2>err || fail "$* $options: exit status $?: $(cat err)"
        grep -q 'does not fit' err && fail "$* $options: $(cat err)"
    done <layouts
}

# 405.9e9 parameters x (2 + 2 + 12) bytes = 5.91 TiB, and activations.
unfit "6.30 TiB" gb200_nvl72 llama3_405b
nearest 3 gb200_nvl72 llama3_405b
# 405.9e9 x 16 / 72 bytes = 84.0 GiB; a layer's input, 8192 x 16384 x 2 bytes = 256 MiB, x 126 layers, and what the
# head keeps and a layer that is computed again; two layers of 3.188e9 parameters that are gathered: 11.87 GiB.
grep -q '^  --set workload.parallel.zero=3 --set workload.training.recompute=full (135.50 GiB)$' said ||
    fail "gb200_nvl72 llama3_405b: $(cat said)"
unfit "14.88 TiB" hgx_h100_256 gpt_1t
nearest 3 hgx_h100_256 gpt_1t
unfit "348.51 GiB" dgx_a100_64 gpt_22b
nearest 3 dgx_a100_64 gpt_22b

# What fits nowhere says what the smallest need is: 1.008e12 x 16 / 64 bytes are 234.7 GiB without activations.
unfit "14.88 TiB" tpuv4_4x4x4 gpt_1t
nearest 0 tpuv4_4x4x4 gpt_1t
grep -q '^no layout on the same 64 NPUs fits with up to 3 changes of tensor, pipeline, zero and recompute; the smallest need of all layouts is 239.79 GiB, with --set ' said ||
    fail "tpuv4_4x4x4 gpt_1t: $(cat said)"

# It runs all the same when asked to, with a warning.
for option in --ignore-capacity "--set memory.ignore_capacity=true"; do
    # shellcheck disable=SC2086
    "$ORRERY_BIN" run dgx_a100_64 gpt_22b $option >shown 2>said || fail "$option: exit status $?"
    grep -q ': warning: workload.transformer: the model does not fit: .*; memory.ignore_capacity runs it all the same$' said ||
        fail "$option: $(cat said)"
    [ "$(wc -l <said)" = 1 ] || fail "$option: $(cat said)"
    grep -q '^stage 0 .* 348.51 GiB  of 37.25 GiB$' shown || fail "$option: $(cat shown)"
done

# It can be looked at.
"$ORRERY_BIN" run dgx_a100_64 gpt_22b --explain=all 2>said | grep -q '^memory.local.capacity  *40 GB ' || fail "--explain: $(cat said)"

# Given data-parallel ranks change with the others.
cat >given.yml <<'END'
include: gpt_22b
workload: {parallel: {tensor: 2, data: 32}}
END
# 22e9 / 2 parameters x 16 bytes, and the layers' activations.
unfit "177.20 GiB" dgx_a100_64 given.yml
nearest 3 dgx_a100_64 given.yml

# whatif says of it what run says.
"$ORRERY_BIN" run dgx_a100_64 given.yml >/dev/null 2>run.err
"$ORRERY_BIN" whatif dgx_a100_64 given.yml >/dev/null 2>whatif.err
status=$?
[ "$status" = 2 ] && cmp -s run.err whatif.err || fail "whatif: status $status: $(cat whatif.err)"

# A network of one layout says its need alone.
cat >cnn.yml <<'END'
workload:
  cnn: {layers: [{conv: {out: 64, kernel: 3, pad: 1, repeat: 100}}]}
  training: {batch: 16384}
END
unfit "[0-9.]* GiB" dgx_a100_64 cnn.yml
[ "$(wc -l <said)" = 1 ] || fail "cnn: $(cat said)"

# refuses VALUE MESSAGE
refuses() {
    found=$("$ORRERY_BIN" run dgx_a100_64 all_reduce_1gb --set "memory.local.capacity=$1" 2>&1 >/dev/null)
    status=$?
    [ "$status" = 2 ] && [ "$found" = "--set: memory.local.capacity: expected $2" ] ||
        fail "capacity $1: status $status: $found"
}
units="B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"
refuses 0 "a size such as \"1 MiB\", got \"0\"; a unit is missing: $units"
refuses 80 "a size such as \"1 MiB\", got \"80\"; a unit is missing: $units"
refuses "0 GB" 'a size from 1 B to 909.49 TiB, got "0 GB"'
refuses "-80 GB" 'a size such as "1 MiB", got "-80 GB"; it is negative'
exit $((failures > 0))
