#!/bin/bash
# All figures of SiP-ML's strategies with all their points (examples/sip_ml/run.sh), which takes minutes: compares
# known numbers with the results, and fails if one is missed, or if the example's README
# contradicts a result for a statement of the paper.
#
#   usage: bench/sip_ml_figures.sh [OUTDIR]
#
# RENEW=1 writes both instead: what came out into the column `here` of known.csv, where that has a number already, and the
# README's table of statements.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
known=$root/examples/sip_ml/known.csv readme=$root/examples/sip_ml/README.md
. "$root/bench/known_numbers.sh"

# renew NUMBERS STATEMENTS: lines figure,number,value and the table
renew() {
    awk -F, -v OFS=, '
        FILENAME == ARGV[1] { new[$1 "," $2] = $3; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        $at["here"] != "" && new[$1 "," $2] != "" { $at["here"] = new[$1 "," $2] }
        { print }' "$1" "$known" >"$work/known.csv"
    awk -v table="$2" '
        /^<!-- end of statements/ { skip = 0 }
        !skip { print }
        /^<!-- statements/ { skip = 1; while ((getline line <table) > 0) print line }' "$readme" >"$work/README.md"
    cat "$work/known.csv" >"$known"
    cat "$work/README.md" >"$readme"
}

if [ -n "${RENEW:-}" ]; then
    export SIP_ML_KNOWN=${SIP_ML_KNOWN:-$work/numbers}
    rm -f "$SIP_ML_KNOWN"
    known_numbers "$out" "$root/examples/sip_ml/run.sh" -o "$out" || true
    renew "$SIP_ML_KNOWN" "$out/statements.md"
    exit
fi
known_numbers "$out" "$root/examples/sip_ml/run.sh" -o "$out"
sed -n '/^<!-- statements/,/^<!-- end/p' "$readme" | sed '1d;$d' >"$work/statements"
diff "$work/statements" "$out/statements.md" || {
    echo "bench/sip_ml_figures.sh: examples/sip_ml/README.md has other statements" >&2
    exit 1
}
