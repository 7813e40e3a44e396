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
. "$here/../figures/run_all.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
run_all "${1:-$work/out}" "$here"/fig*.sh "$here"/extra_*.sh || status=$?
[ "$status" -ne 2 ] || exit 2
[ -z "${1:-}" ] || echo "tables, plots, statements.csv and checks.csv are in $1"
exit "$status"
