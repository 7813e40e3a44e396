#!/bin/bash
# The TopoOpt paper (NSDI 2023): what its evaluation says of dedicated clusters, cost, traffic and the testbed,
# every figure beside ours.
#
#   usage: examples/topoopt/run.sh [FIGURE...] [-o OUTDIR]
#
# FIGURE is the name of a script here, such as fig11 or table2, or the number of a figure; without any, all are
# made. Each script may be run alone too: fig11.sh [OUTDIR]. They print a table, write OUTDIR/NAME.csv and
# NAME.svg, and say what the paper says, what comes out here, and whether, over which range and why not it is reached; all of that
# together is OUTDIR/statements.csv. Numbers that are known are checked (OUTDIR/checks.csv): the exit status is 1
# where one is missed, and 2 if a figure is not known or cannot run. ORRERY_BIN names another orrery than
# build/release/bin/orrery. QUICK=1 takes a few points of each figure.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../figures/run_all.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

choose_figures "$here" "$@"

status=0
run_all "${out:-$work/out}" "${scripts[@]}" || status=$?
[ "$status" -ne 2 ] || exit 2
[ -z "$out" ] || echo "tables and plots are in $out, with statements.csv and checks.csv"
exit "$status"
