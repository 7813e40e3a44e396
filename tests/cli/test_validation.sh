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
sh "$validate" -o "$work/page.md" 2>"$work/err" || fail "bench/validate.sh: exit status $?: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "bench/validate.sh says: $(cat "$work/err")"
diff "$page" "$work/page.md" || fail "docs/validation.md (<) is not what bench/validate.sh writes (>)"
[ "$(grep -c '^| [a-z0-9_]* | [A-Z0-9]* | [-0-9]* | [0-9]* |' "$work/page.md")" -eq 18 ] || fail "not 18 machines"
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"

[ "$failures" -eq 0 ] && echo "validation: the page is what the models say"
exit $((failures > 0))
