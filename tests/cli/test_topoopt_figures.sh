#!/bin/sh
# examples/topoopt: run.sh takes the names of its figures, refuses others, and a few points of each figure meet
# the numbers that are known: with measured times of operators where they are there, otherwise with the roofline's.
# test_examples.sh runs some figures without measured times wherever it is, with ORRERY_LONG=1 all.
set -u

run=$ORRERY_SOURCE_DIR/examples/topoopt/run.sh
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
refused "there is no figure 'common'; expected one of: " fig11 common
refused "there is no figure 'run'; expected one of: " run
refused "fig11" ''
refused "unknown option '--fast'" --fast
refused "-o needs a folder" fig11 -o
refused "-o needs a folder" -o ''

times="the roofline's"
[ ! -d "${ORRERY_SHARED:-$ORRERY_SOURCE_DIR/../shared}/data/flexflow/profiles" ] || times='as FlexFlow measured them'
"$run" -o "$work/out" >"$work/text" 2>"$work/errors" </dev/null || fail "run.sh: exit status $?"
[ ! -s "$work/errors" ] || fail "run.sh: $(head -5 "$work/errors")"
grep -q "^times of operators: $times" "$work/text" || fail "run.sh: times are not $times"
[ "$(wc -l <"$work/out/checks.csv")" -gt 1 ] || fail "run.sh: no number is checked"
grep MISSED "$work/out/checks.csv" && fail "run.sh: numbers are missed"
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"

[ "$failures" -eq 0 ] && echo "the figures of TopoOpt"
exit $((failures > 0))
