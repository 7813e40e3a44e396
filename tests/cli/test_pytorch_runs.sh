#!/bin/sh
# PyTorch's traces: own files with every node worked out by hand, wrong ones refused, and the recorded
# ones, where they are: linked, every kernel of NCCL one node, and run as fast as the machine did.
set -u

corpus=$ORRERY_SOURCE_DIR/tests/fuzz/corpus/fuzz_convert_pytorch
check=$ORRERY_SOURCE_DIR/tests/cli/pytorch_check.py
data=$ORRERY_SHARED/data/pytorch
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# convert OPTION...: must succeed; what it prints is in out
convert() {
    "$ORRERY_BIN" convert pytorch "$@" >out 2>err || fail "convert $*: exit status $?: $(cat err)"
}

# same STEP FILE: the file is what stands in want
same() {
    cmp -s want "$2" || fail "$1: (<) is expected, (>) found:
$(diff want "$2")"
}

# refuses TEXT OPTION...: exit status 2 and the text on standard error
refuses() {
    printf '%s\n' "$1" >want
    shift
    "$ORRERY_BIN" convert pytorch "$@" -o x >out 2>err
    [ $? -eq 2 ] || fail "convert $*: expected exit status 2"
    same "convert $*" err
}

# wall PREFIX NPUS [OPTION...]: ps that the traces take
wall() {
    printf 'workload: {traces: %s}\n' "$1" >w.yml
    npus=$2
    shift 2
    "$ORRERY_BIN" run --topology "Switch($npus)" --bandwidth '100 GB/s' w.yml "$@" --json - 2>&1 |
        sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p'
}

# ---- a run of our own, in us ----
#
# Main thread: linear 10-70 with mm 20-60 and a launch 30-40; all-reduce 80-130 with its record 85-125
# and launch 95-105; a wait 140-150; a send 700-730 with launch 705-715; a copy 910-960 that waits for
# itself, 915-935. Its marker goes to 1000. Second thread: 300-360 with a launch 320-330. On the
# GPU: stream 7 has products 60-160 and 340-460, stream 20 the all-reduce 165-195 and the send.
# Each piece of a thread's time is a node: 10-20 linear has its lead from 0 on, 20; mm 10; the call 10.
# The second thread begins 150 us behind the end of the main one's wait; the main thread resumes behind
# the second's end at 360, with 345 us of its own to 705.
tr '\0' '\n' <"$corpus/linked_by_id" >pair
awk '/^}/ { n++ } { print > (n == 0 || (n == 1 && /^}/) ? "et.json" : "kineto.json") }' pair
sed -i '1s/^}{/{/' kineto.json
convert --et et.json --kineto kineto.json -o own.et
"$ORRERY_BIN" trace print own.et >nodes
cat >want <<'END'
0 COMP_NODE "ProfilerStep#4" cpu ops 0 bytes 0 us 0 after nothing
1 COMP_NODE "## process_group:init ##" cpu ops 0 bytes 0 us 0 after 0
2 COMP_NODE "aten::linear" cpu ops 0 bytes 0 us 20 after 1
3 COMP_NODE "aten::mm" cpu ops 0 bytes 0 us 10 after 2
4 COMP_NODE "cudaLaunchKernel" cpu ops 0 bytes 0 us 10 after 3
5 COMP_NODE "gemm" ops 48 bytes 104 gemm us 100 after 4
6 COMP_NODE "c10d::allreduce_" cpu ops 0 bytes 0 us 45 after 4
7 COMP_NODE "record_param_comms" cpu ops 0 bytes 0 us 10 after 6
8 COMP_NODE "cudaLaunchKernelExC" cpu ops 0 bytes 0 us 10 after 7
9 COMP_NODE "record_param_comms" cpu ops 0 bytes 0 us 45 after 8
10 COMM_COLL_NODE "nccl:allreduce" ALL_REDUCE bytes 32 us 30 after 5 8
11 COMP_NODE "MmBackward0" cpu ops 0 bytes 0 us 160 after 9
12 COMP_NODE "aten::mm" cpu ops 0 bytes 0 us 10 after 11
13 COMP_NODE "cudaLaunchKernel" cpu ops 0 bytes 0 us 40 after 12
14 COMP_NODE "gemm" ops 48 bytes 104 gemm us 120 after 5 10 13
15 COMP_NODE "record_param_comms" cpu ops 0 bytes 0 us 345 after 9 13
16 COMP_NODE "cudaLaunchKernelExC" cpu ops 0 bytes 0 us 10 after 15
17 COMM_SEND_NODE "nccl:send" bytes 48 to 1 tag 0 us 15 after 10 16
18 COMP_NODE "cudaMemcpyAsync" cpu ops 0 bytes 0 us 200 after 16
19 COMP_NODE "Memcpy DtoH (Device -> Pageable)" ops 0 bytes 64 memory us 20 after 14 18
20 COMP_NODE "cudaMemcpyAsync" cpu ops 0 bytes 0 us 65 after 18 19
END
same "own trace" nodes

# The same without record-function ids, by order, and in the flat schema.
tr '\0' '\n' <"$corpus/linked_by_order" | awk '/^}/ { n++ } { print > (n == 0 || (n == 1 && /^}/) ? "et1.json" : "kineto1.json") }'
sed -i '1s/^}{/{/' kineto1.json
convert --et et1.json --kineto kineto1.json -o order.et --report order.json
"$ORRERY_BIN" trace print order.et >nodes
same "own trace by order" nodes
grep -q '"matched": 8,' order.json || fail "by order: not 8 operators are matched"
gzip -k et1.json kineto1.json
convert --et et1.json.gz --kineto kineto1.json.gz -o zipped
cmp -s order.et zipped.0.et || fail "gzip makes a difference"

# Without a profile: work on the GPU in one line, the collective ends at its wait.
convert --et et.json -o untimed.et
"$ORRERY_BIN" trace print untimed.et | grep -v ' cpu ' >nodes
cat >want <<'END'
3 COMP_NODE "aten::mm" ops 48 bytes 104 gemm us 0 after 2
6 COMM_COLL_NODE "nccl:allreduce" ALL_REDUCE bytes 32 us 0 after 3 5
10 COMP_NODE "aten::mm" ops 48 bytes 104 gemm us 0 after 3 6 9
12 COMM_SEND_NODE "nccl:send" bytes 48 to 1 tag 0 us 0 after 6 10 11
END
same "without a profile" nodes

# One GPU alone: group 0 is of one rank, and NCCL has no kernels. The all-reduce is kept, of no duration: behind the
# product launched before it, which ends later, and before the one launched behind its wait. On eight, it
# is among eight.
if command -v python3 >/dev/null 2>&1; then
    python3 - <<'END'
import json

et = json.load(open("et.json"))
for node in et["nodes"]:
    values = node["inputs"]["values"]
    if node["name"].startswith("## process_group"):
        values[0] = json.dumps([{"pg_name": "0", "ranks": [0], "group_size": 1}])
    elif node["name"] == "record_param_comms":
        values[-1] = 1
et["nodes"] = [node for node in et["nodes"] if node["id"] != 12]
json.dump(et, open("alone_et.json", "w"))
kineto = json.load(open("kineto.json"))
kineto["distributedInfo"]["world_size"] = 1
kineto["traceEvents"] = [event for event in kineto["traceEvents"]
                         if event["args"].get("correlation") not in (502, 503, 504, 506)
                         and event["args"].get("Record function id") != 8]
json.dump(kineto, open("alone_kineto.json", "w"))
END
    convert --et alone_et.json --kineto alone_kineto.json -o alone.et
    for line in '  ALL_REDUCE       all                         1         32 B' \
        'note: collectives of a single-rank job, without a kernel in the profile: kept, with duration 0: 1'; do
        grep -qF "$line" out || fail "one GPU alone: no \"$line\": $(cat out)"
    done
    "$ORRERY_BIN" trace print alone.et | grep -n '' | grep -E 'gemm|nccl' | sed 's/^[0-9]*://' >nodes
    cat >want <<'END'
5 COMP_NODE "gemm" ops 48 bytes 104 gemm us 100 after 4
8 COMM_COLL_NODE "nccl:allreduce" ALL_REDUCE bytes 32 us 0 after 5 7
13 COMP_NODE "gemm" ops 48 bytes 104 gemm us 120 after 5 8 12
END
    same "one GPU alone" nodes
    "$ORRERY_BIN" trace scale alone.et --traces 1 --npus 8 -o many >out 2>err || fail "scale alone.et: $(cat err)"
    printf 'workload: {traces: many, groups_file: many.groups.json}\n' >w.yml
    "$ORRERY_BIN" run --topology 'Switch(8)' --bandwidth '100 GB/s' --latency '1 us' w.yml \
        --set compute.mode=replay >out 2>err || fail "one GPU as eight: $(cat err)"
    grep -qE '^all_reduce +8 +32 B +1 ' out || fail "one GPU as eight: $(cat out)"
    # As one of two ranks, whose groups of one send nothing, it is left out.
    sed 's/"world_size": 1/"world_size": 2/' alone_kineto.json >kineto_of_two.json
    convert --et alone_et.json --kineto kineto_of_two.json -o one_of_two.et
    grep -qF 'note: collectives of groups of one rank among several: left out: 1' out ||
        fail "one of two ranks: $(cat out)"
    grep -q COMM_COLL_NODE out && fail "one of two ranks: a collective is left"
fi

# Two ranks, of which the second sends nothing: they disagree, and it is said which collective.
cp et.json et_0.json
cp kineto.json kineto_0.json
sed -z 's/"allreduce"/"broadcast"/g; s/1,\n *"send"/0,\n"send"/' et.json >et_1.json
sed 's/"rank": 0/"rank": 1/' kineto.json >kineto_1.json
convert --et 'et_{rank}.json' --kineto 'kineto_{rank}.json' --npus 2 -o two
grep -q 'group of all ranks, collective 0: ALL_REDUCE of 32 B on rank 0, but BROADCAST of 32 B on rank 1' out ||
    fail "ranks that disagree: $(cat out)"

# The example: ends with a call that waits for the GPU, at which its time must not be told twice.
"$ORRERY_SOURCE_DIR/examples/pytorch_trace/run.sh" example >out 2>&1 || fail "the example: $(cat out)"
for line in 'as recorded' 'communication simulated' 'twice the bandwidth' 'a GPU of'; do
    grep -q "^$line.* ms$" out || fail "the example does not tell \"$line\": $(cat out)"
done
if command -v python3 >/dev/null 2>&1; then
    printf 'workload: {traces: example/step}\n' >w.yml
    "$ORRERY_BIN" run --topology 'Switch(2)' --bandwidth '67 GB/s' --latency '2 us' w.yml --set compute.mode=replay \
        --json run.json >/dev/null 2>err || fail "the example: $(cat err)"
    python3 "$check" times example/report.json run.json 5 >why 2>&1 || fail "the example: $(cat why)"
fi

# A newer schema is read, with a note.
sed 's/"1.1.0-chakra.0.0.4"/"1.2.0-chakra.0.0.4"/' et.json >newer.json
convert --et newer.json -o newer.et
grep -q 'unknown schemas, read like the known ones' out || fail "newer schema: $(cat out)"
cmp -s newer.et untimed.et || fail "a newer schema makes a difference"

# Two stages of a pipeline: rank 0 sends to place 1 of its group, rank 1 receives from place 0.
sed -z 's/1,\n *"send"/0,\n"recv"/' et.json >et_1.json
sed 's/"rank": 0/"rank": 1/' kineto.json >kineto_1.json
convert --et 'et_{rank}.json' --kineto 'kineto_{rank}.json' --npus 2 -o stages
"$ORRERY_BIN" trace print stages.1.et | grep -q 'COMM_RECV_NODE "nccl:recv" bytes 48 from 0 tag 0' ||
    fail "the receive of rank 1: $("$ORRERY_BIN" trace print stages.1.et | grep nccl:)"
# all 1000 us are recorded; the message takes less than what was recorded, and nobody waits for it
[ "$(wall "$folder/stages" 2 --set compute.mode=replay)" = 1000000000 ] ||
    fail "two stages: $(wall "$folder/stages" 2 --set compute.mode=replay) ps"

# ---- wrong files ----

refuses "x.json: cannot be opened" --et x.json
refuses "--et et_{rank}.json has {rank} in it: --npus N is missing" --et 'et_{rank}.json'
refuses "--et et.json: expected {rank} in the path, for 2 ranks" --et et.json --npus 2
refuses "et_2.json: cannot be opened" --et 'et_{rank}.json' --npus 3
refuses "$corpus/schema: schema: expected that of PyTorch's execution traces, 1.0.1 or newer, got \"chakra\"" \
    --et "$corpus/schema"
refuses "kineto.json: this is a profile or timeline of events (Kineto, Perfetto), not an execution trace of PyTorch: orrery trace info FILE tells what it recorded; orrery convert pytorch --kineto FILE -o PREFIX makes traces of it" --et kineto.json
refuses "et.json: this is an execution trace of PyTorch, not a profile or timeline of events (Kineto, Perfetto): orrery convert pytorch --et FILE -o PREFIX makes traces of it" \
    --et et.json --kineto et.json
head -c 900 et.json >cut.json
refuses "cut.json:53:6: the file ends too early: was the profiler stopped before the program ended?, in \"nodes\", item 1" \
    --et cut.json
sed 's/"pid": 77/"pid": 78/' et.json >other.json
refuses "kineto.json: the profile is of another run: of process 77, but the execution trace other.json is of process 78" \
    --et other.json --kineto kineto.json
sed 's/2025-01-02/2025-01-12/' et.json >other.json
refuses "kineto.json: the profile is of another run: it begins 10 days from the execution trace other.json, of 2025-01-12 03:04:05" \
    --et other.json --kineto kineto.json
sed 's/"id": 5,/"id": 4,/' et.json >twice.json
refuses "twice.json: two nodes have the id 4" --et twice.json
"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 2 -o one.et >out 2>err
[ $? -eq 2 ] || fail "two ranks in one file: expected exit status 2"

# ---- recorded runs ----

# linked NAME RANKS: converts all ranks; every operator is linked, every kernel of NCCL is one node
linked() {
    convert --et "$data/$3_et_{rank}.json.gz" --kineto "$data/$3_kineto_{rank}.json.gz" --npus "$2" -o "$1" \
        --report "$1.json"
    awk -F '[:,]' '/"matched"/ { m += $2 } /"nodes_in"/ { n += $2 } END { exit !(n > 0 && m >= 0.99 * n) }' \
        "$1.json" || fail "$1: less than 99 % of the operators are linked"
    command -v python3 >/dev/null 2>&1 || return
    ranks='0 3 7' # ORRERY_LONG=1 takes all
    [ -z "${ORRERY_LONG:-}" ] || ranks='0 1 2 3 4 5 6 7'
    for rank in $ranks; do
        "$ORRERY_BIN" trace print "$1.$rank.et" >printed
        python3 "$check" counts "$data/$3_et_$rank.json.gz" "$data/$3_kineto_$rank.json.gz" printed >why 2>&1 ||
            fail "$1, rank $rank: $(cat why)"
    done
}

# as_recorded NAME FILES BANDWIDTH LATENCY: replayed within 5 %, simulated within 15 % and with ends of collectives as
# near to each other as recorded, 7 us
as_recorded() {
    command -v python3 >/dev/null 2>&1 || return
    printf 'workload: {traces: %s}\n' "$1" >w.yml
    "$ORRERY_BIN" run --topology 'Switch(8)' --bandwidth "$3" --latency "$4" w.yml --set compute.mode=replay \
        --set compute.replay_only=true --json replayed.json >/dev/null 2>err || fail "$1: $(cat err)"
    python3 "$check" times "$1.json" replayed.json 5 >why 2>&1 || fail "$1, replayed: $(cat why)"
    "$ORRERY_BIN" run --topology 'Switch(8)' --bandwidth "$3" --latency "$4" w.yml --set compute.mode=replay \
        --json run.json --timeline timeline.json --timeline-ranks all >/dev/null 2>err || fail "$1: $(cat err)"
    python3 "$check" times "$1.json" run.json 15 >why 2>&1 || fail "$1, simulated: $(cat why)"
    cat why
    python3 "$check" ends "$data/$2_kineto_{rank}.json.gz" timeline.json 7 >why 2>&1 || fail "$1: $(cat why)"
    cat why
}

if [ ! -d "$data" ]; then
    echo "the recorded runs are not here: $data"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi

linked dlrm 8 dlrm8/dlrm
linked megatron 8 megatron_tp8/megatron
# V100 with NVLink 2, 150 GB/s a GPU; A100 with NVLink 3, 300 GB/s (data sheets).
as_recorded dlrm dlrm8/dlrm '150 GB/s' '700 ns'
as_recorded megatron megatron_tp8/megatron '300 GB/s' '700 ns'

refuses "$data/resnet/resnet_kineto.json.gz: the profile is of another run: of process 23442, but the execution trace $data/resnet/resnet_et.json.gz is of process 1734239" \
    --et "$data/resnet/resnet_et.json.gz" --kineto "$data/resnet/resnet_kineto.json.gz"
convert --et "$data/linear/linear_et.json.gz" --kineto "$data/linear/linear_kineto.json.gz" -o linear.et
grep -q '^1 rank: 928 nodes read, 928 matched' out || fail "linear: $(cat out)"
for file in gpt2/hf_gpt2_et gpt2/pt2_et linear/linear_et linear/host_1.0.2-chakra.0.0.4 resnet/resnet_et \
    resnet/resnet_1gpu_et_1.0.3 resnet/resnet_2gpu_et_1.1.0; do
    convert --et "$data/$file.json.gz" -o any.et
    took=$(wall any.et 2 --set 'compute={peak: 100 TFLOP/s}' --set 'memory={local: {bandwidth: 1 TB/s}}')
    [ "${took:-0}" -gt 0 ] || fail "$file: does not run"
done

# A recorded step of data-parallel training on one GPU, without a profile: three iterations of five all-reduces
# and two broadcasts, on one GPU and on eight.
convert --et "$data/resnet/resnet_et.json.gz" -o resnet.et
"$ORRERY_BIN" trace scale resnet.et --traces 1 --npus 8 -o resnet8 >out 2>err || fail "resnet: $(cat err)"
printf 'workload: {traces: resnet8}\n' >w.yml
"$ORRERY_BIN" run --topology 'Switch(8)' --bandwidth '100 GB/s' w.yml --set 'compute={peak: 10 TFLOP/s}' \
    --set 'memory={local: {bandwidth: 1 TB/s}}' >out 2>err || fail "resnet on eight: $(cat err)"
awk '$1 == "all_reduce" && $2 == 8 { a += $5 } $1 == "broadcast" && $2 == 8 { b += $5 }
    END { exit !(a == 15 && b == 6) }' out || fail "resnet on eight: not 15 all-reduces and 6 broadcasts: $(cat out)"

[ "$failures" -eq 0 ]
