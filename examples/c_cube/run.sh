#!/bin/bash
# The C-Cube paper (Jo, Son and Kim, HPCA 2023): all-reduces by trees that know the wires, whose two phases
# overlap and which are chained with the forward pass of the next iteration. Every figure beside ours.
#
#   usage: examples/c_cube/run.sh [OUTDIR]
#
# Each figure has a script of its own, figNN.sh, that may be run alone. They print a table, write
# OUTDIR/NAME.csv and NAME.svg, and say what the paper says, what comes out here, and whether and why
# not it is reached; all of that together is OUTDIR/statements.csv. Numbers that are known are checked
# (OUTDIR/checks.csv): the exit status is 1 where one is missed. ORRERY_BIN names another orrery than
# build/release/bin/orrery. QUICK=1 takes a few points of each figure.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
status=0
for script in "$here"/fig*.sh "$here"/extra_*.sh; do
    [ -e "$script" ] || continue
    "$script" "$out" || status=$?
    [ "$status" -ne 2 ] || exit 2
    echo
done
{ echo "figure,statement,paper,here,reached,reason"; cat "$out"/*_statements.csv; } >"$out/statements.csv"
{ echo "figure,number,here,expected,tolerance,result"; cat "$out"/*_checks.csv; } >"$out/checks.csv"
rm -f "$out"/*_statements.csv "$out"/*_checks.csv
awk -F, 'NR > 1 { n++; missed += $NF == "MISSED" }
    END { printf "known numbers: %d, missed: %d\n", n, missed + 0 }' "$out/checks.csv"
[ -z "${1:-}" ] || echo "tables, plots, statements.csv and checks.csv are in $out"
exit "$status"
