#!/bin/sh
# The efficiency curves of the A100 are what bench/fit_efficiency.py makes of the measured data. Skipped
# without the data or Python.
set -u

data=${ORRERY_SHARED:-../shared}/data
if [ ! -e "$data/measured/e2e_llmfoundry_fsdp.csv" ] || [ ! -d "$data/pytorch/megatron_tp8" ]; then
    echo "skipped: there is no measured data in $data"
    exit 77
fi
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: there is no python3"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

shipped=$ORRERY_SOURCE_DIR/inputs/compute/a100.yml
if ! python3 "$ORRERY_SOURCE_DIR/bench/fit_efficiency.py" a100 >"$work/a100.yml" 2>"$work/err" ||
    ! diff "$shipped" "$work/a100.yml"; then
    echo "$shipped (<) is not what the data give (>): $(cat "$work/err")"
    failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] && echo "the efficiency curves: as the data give them"
exit $((failures > 0))
