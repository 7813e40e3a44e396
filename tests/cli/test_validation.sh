#!/bin/sh
# docs/validation.md is what bench/validate.sh makes of the measured tables, twice the same, and no limit is missed.
# Skipped without the data.
set -u

data=${ORRERY_SHARED:-../shared}/data/measured
if [ ! -r "$data/nccl_bench.csv" ]; then
    echo "skipped: there is no measured data in $data"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export ORRERY_BIN ORRERY_SHARED TMPDIR="$work/tmp"
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

validate=$ORRERY_SOURCE_DIR/bench/validate.sh
page=$ORRERY_SOURCE_DIR/docs/validation.md
# All of it takes minutes of both processors; the collectives alone, whose lines are all in the page, a few seconds.
how=-q
[ -z "${ORRERY_LONG:-}" ] || how=
sh "$validate" $how -o "$work/page.md" 2>"$work/err" || fail "bench/validate.sh: exit status $?: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "bench/validate.sh says: $(cat "$work/err")"
if [ -n "$how" ]; then
    diff "$page" "$work/page.md" | grep '^>' && fail "docs/validation.md has not these lines, which bench/validate.sh -q writes"
    cp "$page" "$work/page.md"
else
    diff "$page" "$work/page.md" || fail "docs/validation.md (<) is not what bench/validate.sh writes (>)"
fi
[ "$(grep -c '^| [a-z0-9_]* | [A-Z0-9]* | [-0-9]* | [0-9]* |' "$work/page.md")" -eq 18 ] || fail "not 18 machines"
for section in '## Collectives' '### By collective' '### By machine and collective' '### Misses' '### Parameters' '### Not in the medians' \
    '### What ASTRA-sim 2.0 was validated with' '## Training iterations' '### What was fitted' \
    '### Training rows that miss' '### Training rows that are left out' '## Published case studies' '### Wafer-scale against conventional systems (V-A)' \
    '#### What explains the misses' '### Disaggregated memory (V-B)' '### Where the paper contradicts itself, or says nothing'; do
    grep -qxF "$section" "$work/page.md" || fail "there is no section \"$section\""
done
# Counted anew: the verdicts of ASTRA-sim 2.0's statements, and that nothing is missing in what is printed.
[ "$(grep -c '^|.*| \(reached\|\*\*reached over [^*]*\*\*\|\*\*not reached: [^*]*\*\*\|\*\*not run\*\*\)\(: .*\)\{0,1\} |$' "$work/page.md")" -eq 40 ] || fail "not 40 statements"
grep -qxF '**40 statements: 28 reached, 11 over a range, 1 not.**' "$work/page.md" || fail "$(grep 'statements:' "$work/page.md")"
if grep -qw 'nan\|-nan\|inf' "$work/page.md"; then fail "not a number: $(grep -w 'nan\|-nan\|inf' "$work/page.md")"; fi
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"

[ "$failures" -eq 0 ] && echo "validation: the page is what the models say"
exit $((failures > 0))
