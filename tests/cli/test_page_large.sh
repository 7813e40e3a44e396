#!/bin/sh
# Pages of large results: 1,024 GPUs under 5 MB, a million NPUs, a sweep of 10,000 points; they open, and their figures are right.
set -u
. "$ORRERY_SOURCE_DIR/tests/cli/graphviz_leaks.sh"

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
designs=$ORRERY_SOURCE_DIR/examples/design_space
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# below BYTES FILE
below() {
    [ "$(wc -c <"$2")" -lt "$1" ] || fail "$2: $(wc -c <"$2") bytes, not less than $1"
}

"$ORRERY_BIN" run "$designs/a100_1024.yml" "$designs/gpt3.yml" --set workload.parallel.tensor=8 --set workload.parallel.pipeline=8 \
    --set workload.training.batch=128 --report gpus.html --json gpus.json --details >/dev/null 2>err ||
    fail "1,024 GPUs: exit status $?: $(cat err)"
below 5000000 gpus.html

printf 'include: gpt3_175b\nworkload: {parallel: {tensor: 8, pipeline: 16, order: tp-pp-dp}}\n' >gpt3.yml
"$ORRERY_BIN" run --topology 'Switch(8)_Switch(16)_Switch(8192)' --bandwidth '300_50_25GB/s' --latency 1us gpt3.yml \
    --set 'compute={peak: 312 TFLOP/s}' --set memory.local.bandwidth=2TB/s --set workload.training.batch=131072 \
    --set system.algorithms.default=by_block --set system.chunks=4 --report million.html --json million.json --details \
    >/dev/null 2>err || fail "a million NPUs: exit status $?: $(cat err)"
grep -q '"npus":1048576' million.html || fail "not a million NPUs"
below 5000000 million.html

awk 'BEGIN {
    srand(1)
    for (i = 0; i < 10000; i++) {
        printf "{\"point\": %d, \"network.dims[1].bandwidth\": \"%d GB/s\", \"system.chunks\": %d, \"status\": \"ok\", \"npus\": %d, ",
            i, 25 * (1 + i % 20), 1 + int(i / 20) % 10, 64 * (1 + int(i / 200))
        time = int(1e9 + 1e12 * rand())
        printf "\"wall_ps\": %.0f, \"compute_ps\": %.0f, \"exposed_communication_ps\": %.0f, \"waiting_ps\": 0, \"cost\": %.6f, \"pareto\": false}\n",
            time, int(time / 2), time - int(time / 2), 100 * rand()
    }
}' >points.jsonl
"$ORRERY_BIN" report points.jsonl -o points.html || fail "10,000 points: exit status $?"
below 5000000 points.html

python3 "$ORRERY_SOURCE_DIR/tests/cli/page/check.py" >said 2>&1 <<'END'
open gpus.html 5
clean
figures gpus.json
accessible
open million.html 5
clean
fact npus 1048576
accessible
open points.html 2
clean
accessible
figures points.jsonl
clean
END
status=$?
[ $status -ne 77 ] || { cat said; exit 77; }
[ $status -eq 0 ] || fail "$(cat said)"
grep ': ready' said

[ "$failures" -eq 0 ] && echo "large pages open"
[ "$failures" -eq 0 ]
