#!/bin/sh
# Pipeline schedules in jobs: with uniform stages and free messages a job takes what `orrery schedule` says, for every
# schedule of the list and for its table; what is refused, by name.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# job STAGES PARTS KIND MICROS [EXTRA]: F, B, W = 1, 1.5, 0.5 us of a whole stage
job() {
    cat >job.yml <<END2
network: {topology: Switch($1), bandwidth: 100000000 GB/s, latency: 0 ns}
compute: {peak: $(($2 / $1)) TFLOP/s}
workload:
  model:
    element_bytes: 1
    operators:
      - data: {shape: [1]}
      - block: {name: layer, repeat: $2, operators: [{custom: {name: mix, flops: 2, backward_flops: 4}}, {dense: {name: out, out: 1, bias: false}}]}
  parallel: {pipeline: $1, schedule: $3${5:-}}
  training: {batch: $(($4 * 250000)), micro_batch: 250000, optimizer: none}
END2
}

# same STAGES PARTS KIND MICROS
same() {
    job "$@"
    chunks=$(($2 / $1))
    [ "$3" != dualpipe ] || chunks=2
    "$ORRERY_BIN" run job.yml --json run.json >/dev/null 2>err || fail "$3: $(cat err)"
    "$ORRERY_BIN" schedule "$3" --stages "$1" --micro-batches "$4" --chunks "$chunks" --backward-inputs 1.5 --backward-weights 0.5 --json own.json --csv own.csv >/dev/null ||
        fail "schedule $3"
    python3 - <<'END2' || fail "$3, $1 stages, $4 micro-batches: not the schedule's time"
import json, sys
run, own = json.load(open("run.json"))["wall_ps"] / 1e6, json.load(open("own.json"))["total"]
sys.exit(f"{run} us, the schedule says {own}" if abs(run - own) > 1e-3 else 0)
END2
}

for size in '2 4' '4 8' '6 12'; do
    set -- $size
    for kind in zb-h1 zb-h2 dualpipe; do
        same "$1" "$1" $kind "$2"
    done
    for kind in breadth-first zb-v v-half v-min dualpipev; do
        same "$1" $((2 * $1)) $kind "$2"
    done
done

same 4 8 merged 8
same 1 2 merged 4

# A table: of 1F1B with whole backward passes, 33 (docs/models/schedules.md).
"$ORRERY_BIN" schedule 1f1b --stages 4 --micro-batches 8 --csv mine.csv >/dev/null || fail "a table"
job 4 4 mine.csv 8
"$ORRERY_BIN" run job.yml --json run.json >/dev/null 2>err || fail "table: $(cat err)"
grep -q '"wall_ps": 330000[0-9][0-9]' run.json || fail "table: $(grep wall_ps run.json)"

# refused TEXT
refused() {
    "$ORRERY_BIN" run job.yml >/dev/null 2>err
    [ $? -eq 2 ] || fail "expected status 2 for: $1"
    grep -qF "$1" err || fail "expected '$1', got $(cat err)"
}
job 3 3 dualpipe 8
refused 'workload.parallel.schedule: dualpipe: expected an even number of stages, got 3'
job 4 4 dualpipe 6
refused 'dualpipe: expected an even number of micro-batches, at least 8 (2 x stages), got 6'
job 4 8 dualpipev 6
refused 'dualpipev: expected at least 8 micro-batches (2 x stages), got 6'
job 4 12 zb-v 8 ', chunks: 3'
refused 'workload.parallel.chunks: the schedule zb-v has 2 on a stage, got 3'
job 1 2 merged 1
refused 'merged: expected at least 2 micro-batches, one to overlap with the other, got 1'
job 4 4 merged 8 ', chunks: 1'
refused 'merged: with several stages expected several chunks on each, got 1'
job 4 4 zb-w 8
refused 'workload.parallel.schedule: expected a schedule, one of gpipe, 1f1b, interleaved'
job 4 4 none.csv 8
refused 'none.csv: cannot be opened'
job 2 2 mine.csv 8
refused 'workload.parallel.schedule: the table has 4 devices, but the pipeline 2 stages'
job 4 4 mine.csv 9
refused 'workload.training.batch: the batch makes 9 micro-batches, but the table of the schedule has 8'
job 2 2 bad.csv 2
printf 'F0,X0,F1\nF0,X0,F1,X1\n' >bad.csv
refused 'bad.csv: device 0: no backward pass of micro-batch 1 (part 0)'
printf 'F0,F0,F1,X0,X1\nF0,X0,F1,X1\n' >bad.csv
refused 'bad.csv:1:2: cell 2: '
printf 'X0,F0,F1,X1\nF0,X0,F1,X1\n' >bad.csv
refused 'device 0, slot 0 (X0) waits for a pass that waits for it'

[ "$failures" -eq 0 ] || exit 1
