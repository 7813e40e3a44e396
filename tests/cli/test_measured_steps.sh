#!/bin/sh
# Measured steps of dense models with FP8 products on the GPUs of 2025-26, by the shipped platforms: median 5 %, 90th percentile
# 10 %. Skipped without the data. One run a layout: rows of a layout are its releases and sites.
set -u

data=${ORRERY_SHARED:-../shared}/data/measured/steps_2026_given.csv
if [ ! -r "$data" ]; then
    echo "skipped: there is no $data"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

root=$ORRERY_SOURCE_DIR
iterations=$root/bench/iterations

# Racks are joined by an adapter of each GPU.
rack() { echo "network: {topology: Switch(64)_Switch(8), dims: [{}, {bandwidth: $1 GB/s, latency: 2 us}]}"; }

# steps GPU PLATFORM: of each of its rows "ID LAYOUT MEASURED", and of each layout "LAYOUT MODEL"
steps() {
    echo "include: $root/inputs/platforms/$2.yml" >"$work/$1.yml"
    case $1 in
    gb200) rack 50 >>"$work/$1.yml" ;;
    gb300) rack 100 >>"$work/$1.yml" ;;
    esac
    awk -v set=bridge -v gpu="$1" -f "$iterations/common.awk" -f "$iterations/bridge.awk" "$data" >"$work/all.csv"
    awk -F, -v rows="$work/rows" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == "#layout") at = c; print; next }
        { print $1, $at, $NF >>rows } !($at in seen) { seen[$at] = 1; print }' "$work/all.csv" >"$work/layouts.csv"
    "$ORRERY_BIN" fit compute "$work/layouts.csv" --platform "$work/$1.yml" --workload "$iterations/bridge.yml" --evaluate \
        --report "$work/$1.json" >"$work/said" 2>"$work/err" || fail "$1: $(cat "$work/err")"
    [ ! -s "$work/err" ] || fail "$1: $(cat "$work/err")"
    awk -F, 'FNR == NR { if (FNR > 1) layout[$1] = $at; else for (c = 1; c <= NF; c++) if ($c == "#layout") at = c; next }
        /"name":/ { split($0, of, "\""); name = of[4] } /"model_s":/ { split($0, of, ": "); print layout[name], of[2] + 0 }' \
        "$work/layouts.csv" "$work/$1.json" >>"$work/model"
}

: >"$work/rows"
: >"$work/model"
steps h100 hgx_h100_256
steps h200 hgx_h200_64
steps b200 hgx_b200_64
steps gb200 gb200_nvl72
steps gb300 gb300_nvl72
awk 'FNR == NR { model[$1] = $2; next } { error = model[$(NF - 1)] / $NF - 1; print (error < 0 ? -error : error), $0 }' \
    "$work/model" "$work/rows" | sort -g >"$work/errors"
rows=$(wc -l <"$work/errors")
[ "$rows" -eq 44 ] || fail "expected 44 rows, found $rows"
awk -v rows="$rows" '{ error[NR] = $1 }
    END { printf "median %.1f %%, 90th percentile %.1f %%\n", 100 * error[int((rows + 1) / 2)], 100 * error[int(0.9 * rows + 0.5)]
        exit !(error[int((rows + 1) / 2)] <= 0.05 && error[int(0.9 * rows + 0.5)] <= 0.10) }' "$work/errors" >"$work/found" ||
    fail "expected at most 5 % and 10 %: $(cat "$work/found" "$work/errors")"

[ "$failures" -eq 0 ] && echo "measured steps: $(cat "$work/found")"
exit $((failures > 0))
