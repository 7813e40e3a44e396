#!/bin/sh
# Measured steps of dense models with FP8 products on the GPUs of 2025-26, by the shipped platforms: median 5 %, 90th percentile
# 10 %. Skipped without the data.
set -u
command -v python3 >/dev/null || exit 77

data=${ORRERY_SHARED:-../shared}/data/measured/steps_2026_given.csv
if [ ! -r "$data" ]; then
    echo "skipped: there is no $data"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

awk -F, 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c } NR == 1 || $at["model"] ~ /^llama/ && $at["precision"] ~ /fp8/' \
    "$data" >"$work/dense.csv"
"$ORRERY_SOURCE_DIR/bench/steps.sh" "$work/dense.csv" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
tail -1 "$work/out" | awk '{ gsub(/,/, ""); exit !($2 == 44 && $4 == 44 && $7 <= 5 && $10 <= 10) }' || {
    echo "expected 44 rows, at most 5 % and 10 %: $(cat "$work/out")"
    exit 1
}
echo "measured steps: $(tail -1 "$work/out")"
