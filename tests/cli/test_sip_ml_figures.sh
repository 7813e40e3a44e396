#!/bin/sh
# examples/sip_ml: run.sh takes the names of its figures, refuses others, and a few points of each figure meet the
# numbers that are known.
set -u
run=$ORRERY_SOURCE_DIR/examples/sip_ml/run.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/tmp"
export ORRERY_BIN QUICK=1 TMPDIR="$work/tmp"

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refused TEXT ARGUMENT...: exit status 2, and a message that has the text
refused() {
    text=$1
    shift
    "$run" "$@" >"$work/said" 2>&1 </dev/null
    status=$?
    [ $status -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF -e "$text" "$work/said" || fail "$*: expected \"$text\", got: $(head -2 "$work/said")"
}
refused "there is no figure '99'; expected one of: " 99
refused "there is no figure 'common'; expected one of: " table1 common
refused "unknown option '--fast'" --fast
refused "-o needs a folder" table1 -o

"$run" -o "$work/out" >"$work/text" 2>"$work/errors" </dev/null || fail "run.sh: exit status $?: $(head -5 "$work/errors")"
[ "$(wc -l <"$work/out/checks.csv")" -gt 30 ] || fail "run.sh: $(wc -l <"$work/out/checks.csv") numbers are checked"
grep MISSED "$work/out/checks.csv" && fail "run.sh: numbers are missed"
sed 1d "$work/out/statements.csv" | grep -vE '^[a-z0-9_]+(,"[^"]*"){3},"(reached|reached over [^"]+|not reached: [^"]+|not run)","[^"]*"$' &&
    fail "statements.csv: lines with another verdict"
grep -q '^| table1 | speed of training' "$work/out/statements.md" || fail "statements.md: no statement of table1"
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"

[ "$failures" -eq 0 ] && echo "the figures of SiP-ML's strategies"
exit $((failures > 0))
