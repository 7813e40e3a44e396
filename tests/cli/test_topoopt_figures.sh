#!/bin/sh
# examples/topoopt: run.sh takes the names of its figures, refuses others, and a few points of each figure meet
# the numbers that are known. The dearest figures need ORRERY_LONG=1. The same from a tree with nothing beside it: test_examples.sh.
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

figures=
[ -n "${ORRERY_LONG:-}" ] || figures='failures fig01 fig07 fig08 fig09 fig10 fig11 fig12 fig13 fig14 fig15 fig16 fig17 fig19 fig20 fig21 fig22 fig23
    fig24 fig25 fig26 fig28 logical_servers table1 table2'
"$run" $figures -o "$work/out" >"$work/text" 2>"$work/errors" </dev/null || fail "run.sh: exit status $?"
[ ! -s "$work/errors" ] || fail "run.sh: $(head -5 "$work/errors")"
grep -q "^times of operators: as FlexFlow measured them" "$work/text" || fail "run.sh: times are not those that were measured"
[ "$(wc -l <"$work/out/checks.csv")" -gt 1 ] || fail "run.sh: no number is checked"
grep MISSED "$work/out/checks.csv" && fail "run.sh: numbers are missed"
# figure,"statement","paper","here","verdict","note"
sed 1d "$work/out/statements.csv" | grep -vE '^[a-z0-9_]+(,"[^"]*"){3},"(reached|reached over [^"]+|not reached: [^"]+|not run)","[^"]*"$' &&
    fail "statements.csv: lines with another verdict"
[ -z "$(ls "$work/tmp")" ] || fail "a temporary folder was left: $(ls "$work/tmp")"

[ "$failures" -eq 0 ] && echo "the figures of TopoOpt"
exit $((failures > 0))
