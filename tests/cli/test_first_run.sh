#!/bin/sh
# The README's first example runs as documented, from any folder, into a given or a temporary one.
#
# By hand, of the compute time: 16 MiB parameters of 2 bytes a layer and 1024 samples are
# 2 * 1024 * 2^23 = 17.18 GFLOP forward and twice that backward, 165.2 us at 312 TFLOP/s; the update
# moves 3 * 16 MiB at 1555 GB/s, 32.4 us; four layers: 790.2 us.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

export ORRERY_BIN
mkdir "$work/elsewhere" "$work/tmp"
cd "$work/elsewhere" || exit 1
TMPDIR=$work/tmp "$ORRERY_SOURCE_DIR/examples/first_run/run.sh" "$work/out" >"$work/first" 2>&1 ||
    fail "run.sh OUTDIR: exit status $?"
TMPDIR=$work/tmp "$ORRERY_SOURCE_DIR/examples/first_run/run.sh" >"$work/second" 2>&1 ||
    fail "run.sh: exit status $?"

count=$(ls "$work/out" | grep -c '^mlp\.[0-7]\.et$')
[ "$count" -eq 8 ] || fail "OUTDIR has $count traces, expected 8: $(ls "$work/out")"
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"
[ -z "$(ls "$work/elsewhere")" ] || fail "files were left where it was called from"

grep -v '^wrote 8 traces: ' "$work/first" >"$work/first.table"
grep -v '^wrote 8 traces: ' "$work/second" >"$work/second.table"
cmp -s "$work/first.table" "$work/second.table" || fail "two runs differ"

grep -q '^job time [0-9.]* ms on 8 NPUs$' "$work/first" || fail "there is no job time: $(cat "$work/first")"
grep -q '^0-7  *8  *[0-9.]* ms  *790\.2[0-9]* us ' "$work/first" ||
    fail "the 8 NPUs are not one row with 790.2 us of compute: $(cat "$work/first")"

ORRERY_BIN=$work/none "$ORRERY_SOURCE_DIR/examples/first_run/run.sh" >"$work/none.out" 2>&1
[ $? -eq 2 ] || fail "without the command: exit status is not 2"
grep -q 'cmake --preset release && cmake --build --preset release' "$work/none.out" ||
    fail "without the command: how to build it is not said"

for command in 'cmake/install-deps.sh && cmake --preset release && cmake --build --preset release && examples/first_run/run.sh' \
    'ctest --preset release'; do
    grep -qxF "$command" "$ORRERY_SOURCE_DIR/README.md" || fail "README.md lacks: $command"
done

[ "$failures" -eq 0 ] && echo "the first example: as documented"
exit $((failures > 0))
