#!/bin/bash
# All figures of C-Cube with all their points (examples/c_cube/run.sh), which takes over ten seconds: prints the
# numbers that are known beside what comes out, and fails where one is missed.
#
#   usage: bench/c_cube.sh [OUTDIR]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
status=0
unset QUICK
"$root/examples/c_cube/run.sh" "$out" >"$work/text" || status=$?
awk -F, 'NR > 1 { n[$1]++; missed[$1] += $NF == "MISSED"; if (!seen[$1]++) order[++count] = $1 }
    END { for (i = 1; i <= count; i++) printf "%-10s %4d numbers, %d missed\n", order[i], n[order[i]], missed[order[i]] }' "$out/checks.csv"
grep MISSED "$out/checks.csv" || true
exit "$status"
