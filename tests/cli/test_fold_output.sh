#!/bin/sh
# --fold auto and --fold off: the same bytes in every format but for the count of events, and what
# --explain-fold says.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# What may differ: the work done.
without_events() {
    sed -e 's/, [0-9]* events$//' -e '/^ *"events":/d' "$1"
}

# both NAME ARGUMENT...: runs it folded and not, and compares what is printed and written
both() {
    name=$1
    shift
    for fold in auto off; do
        "$ORRERY_BIN" run "$@" --fold $fold --json $fold.json --csv $fold.csv --timeline $fold.timeline.json \
            --timeline-ranks classes >$fold.txt 2>$fold.err
        echo "exit status $?" >>$fold.txt
        "$ORRERY_BIN" run "$@" --fold $fold --per-npu --json - >$fold.npus.json 2>/dev/null
    done
    for file in txt json npus.json; do
        without_events auto.$file >a
        without_events off.$file >b
        cmp -s a b || fail "$name: $file differs: $(diff a b | head -5)"
    done
    for file in csv timeline.json err; do
        if [ -e auto.$file ] || [ -e off.$file ]; then
            cmp -s auto.$file off.$file || fail "$name: $file differs: $(diff auto.$file off.$file | head -5)"
        fi
    done
}

both all_reduce conv_4d all_reduce_1gb --set system.chunks=4
both mlp dgx_a100_64 mlp_data_parallel
both best conv_3d all_reduce_1gb --set system.scheduler=best --set system.chunks=4
both straggler dgx_a100_64 mlp_data_parallel --set 'compute.slowdown={stragglers: [{ranks: "8-15", factor: 1.3}]}'
both jitter dgx_a100_64 mlp_data_parallel --set 'compute.slowdown={jitter: {spread: 5 %}}'
model='--set workload.transformer.layers=8 --set workload.transformer.hidden=256 --set workload.transformer.heads=16'
# shellcheck disable=SC2086
both pipeline dgx_a100_64 gpt3_175b_3d $model --set workload.parallel.chunks=1 --set workload.training.batch=16
# shellcheck disable=SC2086
both experts tpuv4_4x4x4 gpt3_175b $model --set workload.parallel.expert=4 --set workload.transformer.experts=8 \
    --set 'compute={peak: 100 TFLOP/s}' --set system.chunks=2
both dlrm conv_4d dlrm_57m --set system.chunks=2

# The critical path, beside a timeline and how sure the time is: the same but for whose the steps are, which a fold
# says by who stands for them (ranks of a stage are alike: 8 each).
of_stage() {
    without_events "$1" | sed -E 's/^( *"npu": )([0-9]+),$/\1 \2/' | awk '$1 == "\"npu\":" { $2 -= $2 % 8 } { print }'
}
for fold in auto off; do
    # shellcheck disable=SC2086
    "$ORRERY_BIN" run dgx_a100_64 gpt3_175b_3d $model --set workload.parallel.chunks=1 --set workload.training.batch=16 \
        --set 'compute.slowdown={stragglers: [{ranks: "24-31", factor: 1.3}]}' --fold $fold --why --uncertainty \
        --timeline $fold.path.timeline.json --timeline-ranks classes --json $fold.path.json >$fold.txt 2>$fold.err ||
        fail "--why: exit status $?: $(cat $fold.err)"
    of_stage $fold.path.json >$fold.path
done
grep -q '"what": "waiting for a straggler"' auto.path || fail "--why: nobody waits for the straggler"
[ "$(grep -c '"npu":' auto.path)" -gt 100 ] || fail "--why: $(grep -c '"npu":' auto.path) steps"
grep -q '"uncertainty"' auto.path || fail "--why --uncertainty: no uncertainty"
cmp -s auto.path off.path || fail "--why: folded and not differ: $(diff auto.path off.path | head -5)"
cmp -s auto.path.timeline.json off.path.timeline.json || fail "--why: the timelines differ"
grep -q '"events": [0-9]*' auto.path.json && [ "$(sed -n 's/^ *"events": \([0-9]*\).*/\1/p' auto.path.json)" -lt \
    "$(sed -n 's/^ *"events": \([0-9]*\).*/\1/p' off.path.json)" ] || fail "--why is not folded"

# The same from files, whose ranks and groups have names of their own.
# shellcheck disable=SC2086
"$ORRERY_BIN" gen gpt3_175b_3d --npus 64 $model --set workload.parallel.chunks=1 --set workload.training.batch=16 \
    --output files >/dev/null || fail "gen"
printf 'workload: {traces: files, groups_file: files.groups.json}\n' >files.yml
both files dgx_a100_64 files.yml
"$ORRERY_BIN" run dgx_a100_64 files.yml --explain-fold | grep -q '^64 NPUs in 8 classes of 8' || fail "files are not folded"

# A job that cannot finish: rank 3 of 8 has one collective less. The report names the same nodes.
mkdir traces
"$ORRERY_BIN" gen all_reduce --npus 8 --bytes 1MB --repeat 2 --output traces/t >/dev/null || fail "gen"
"$ORRERY_BIN" gen all_reduce --npus 8 --bytes 1MB --repeat 1 --output traces/one >/dev/null || fail "gen"
cp traces/one.0.et traces/t.3.et
printf 'workload: {traces: traces/t}\n' >stuck.yml
both stuck --topology 'Ring(2)_Switch(4)' --bandwidth 10GB/s stuck.yml
grep -q 'exit status 3' auto.txt || fail "a stuck job: $(cat auto.txt)"

explained=$("$ORRERY_BIN" run dgx_a100_64 gpt3_175b_3d --explain-fold)
[ "$explained" = "64 NPUs in 8 classes of 8

     ranks     stride  simulated
         8          1  one for all
         8          8  each: its ranks have different traces" ] || fail "explained: $explained"
explained=$("$ORRERY_BIN" run --topology 'Switch(6)_Ring(4)' --bandwidth 10GB/s all_reduce_1gb \
    --set system.algorithms.default=by_block --explain-fold)
[ "$explained" = "24 NPUs in 6 classes of 4

     ranks     stride  simulated
         6          1  each: node 0 (all_reduce 0) of NPU 0 distinguishes its ranks
         4          6  one for all" ] || fail "explained: $explained"
explained=$("$ORRERY_BIN" run conv_4d all_reduce_1gb --fold off --explain-fold | tail -1)
[ "$explained" = "       512          1  each: it is switched off" ] || fail "explained: $explained"

[ "$failures" -eq 0 ] && echo "folding: the same results"
exit $((failures > 0))
