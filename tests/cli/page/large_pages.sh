# Makes three large pages in the current folder: gpus.html (1,024 GPUs), million.html (a million NPUs), points.html (a
# sweep of 10,000 points), each with its JSON. Needs ORRERY_BIN, ORRERY_SOURCE_DIR and a function `fail`.
designs=$ORRERY_SOURCE_DIR/examples/design_space

"$ORRERY_BIN" run "$designs/a100_1024.yml" "$designs/gpt3.yml" --set workload.parallel.tensor=8 --set workload.parallel.pipeline=8 \
    --set workload.training.batch=128 --report gpus.html --json gpus.json --details >/dev/null 2>err ||
    fail "1,024 GPUs: exit status $?: $(cat err)"

printf 'include: gpt3_175b\nworkload: {parallel: {tensor: 8, pipeline: 16, order: tp-pp-dp}}\n' >gpt3.yml
"$ORRERY_BIN" run --topology 'Switch(8)_Switch(16)_Switch(8192)' --bandwidth '300_50_25GB/s' --latency 1us gpt3.yml \
    --set 'compute={peak: 312 TFLOP/s}' --set memory.local.bandwidth=2TB/s --set workload.training.batch=131072 \
    --set system.algorithms.default=by_block --set system.chunks=4 --report million.html --json million.json --details \
    >/dev/null 2>err || fail "a million NPUs: exit status $?: $(cat err)"
grep -q '"npus":1048576' million.html || fail "not a million NPUs"

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
