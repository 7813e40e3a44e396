#!/bin/bash
# SiP-ML (SIGCOMM 2021): what its sections 3.2, 4.1 and 4.2 say of strategies, 4.3 and 4.4 of fabrics, and 3.1, 3.3 and 5 of
# hardware, every figure beside ours.
#
#   usage: examples/sip_ml/run.sh [FIGURE...] [-o OUTDIR]
#
# FIGURE is the name of a script here, such as table1 or fig05, or the number of a figure; without any, all are
# made. Each script may be run alone too: fig05.sh [OUTDIR]. They print a table, write OUTDIR/NAME.csv and
# NAME.svg, and say what the paper says, what comes out here, and whether, over which range and why not it is reached; all of that
# together is OUTDIR/statements.csv, and statements.md as in the README. Numbers that are known (known.csv) are
# checked (OUTDIR/checks.csv): the exit status is 1 where one is missed, and 2 if a figure is not known or cannot
# run. ORRERY_BIN names another orrery than build/release/bin/orrery. QUICK=1 takes a few points of each figure.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../figures/run_all.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SIP_ML_RUNS=$work/runs

choose_figures "$here" "$@"

status=0
run_all "${out:-$work/out}" "${scripts[@]}" || status=$?
[ "$status" -ne 2 ] || exit 2
awk 'NR == 1 { print "| where | statement | paper | here | verdict | by which reading |\n| --- | --- | --- | --- | --- | --- |" }
    NR > 1 {
        where = substr($0, 1, index($0, ",") - 1)
        n = split(substr($0, index($0, "\"") + 1, length($0) - index($0, "\"") - 1), f, "\",\"")
        printf "| %s | %s | %s | %s | %s | %s |\n", where, f[1], f[2], f[3], f[4], f[5] }' \
    "${out:-$work/out}/statements.csv" >"${out:-$work/out}/statements.md"
[ -z "$out" ] || echo "tables and plots are in $out, with statements.csv, statements.md and checks.csv"
exit "$status"
