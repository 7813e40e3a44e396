#!/bin/sh
# Timelines of runs: the rules of the format (timeline/check.py), the same totals as the results, names that
# need escapes, arrows between sends and receives, compressed files, and what is refused.
set -u

command -v python3 >/dev/null || exit 77
tools=$ORRERY_SOURCE_DIR/tests/cli/timeline
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

printf 'topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' >net.yml
cat >sys.json <<'END'
{"scheduling-policy": "LIFO", "endpoint-delay": 10, "preferred-dataset-splits": 2, "local-mem-bw": 1555,
 "all-reduce-implementation": ["ring"], "peak-perf": 312, "roofline-enabled": 1}
END
sed 's/"peak-perf"/"track-local-mem": 1, "peak-perf"/' sys.json >track.json
printf '{"1": [0, 1], "2": [2, 3], "3": [0, 2], "4": [1, 3]}' >comm_groups.json

# run JOB OPTION...: a run of traces made; ASTRA-sim's files, by Orrery's own rules
run() {
    job=$1
    shift
    "$ORRERY_BIN" run --workload-configuration "$job" --system-configuration sys.json \
        --network-configuration net.yml --comm-group-configuration comm_groups.json --compat off "$@"
}

# draws JOB RANKS NAME=VALUE...: the timeline of a job and what check.py says of it
draws() {
    job=$1 ranks=$2
    shift 2
    [ -e "$job.0.et" ] || python3 "$tools/make_traces.py" "$job" "$job" || fail "$job: no traces"
    run "$job" --json "$job.results" --per-npu --timeline "$job.json" --timeline-ranks "$ranks" >/dev/null 2>err ||
        fail "$job: exit status $?: $(cat err)"
    python3 "$tools/check.py" "$job.json" "$job.results" "$@" >wrong 2>&1 || fail "$job, $ranks: $(cat wrong)"
}

# ---- whole jobs ----

draws one all npus=4 slices=4 tracks=4 flows=0
draws one classes npus=1 slices=1
draws none all npus=4 slices=0
draws steps all slices=1600 tracks=4
grep -q duration_us steps.json || fail "no slice of times below a ns is drawn shorter: the test tests nothing"
# 4 collectives of 3 groups, 2 compute and 1 memory node on each of 4 NPUs; tracks: 3 groups, compute, memory
# The last one begins on some NPUs a ps later than on two of them, which wait for the others: a slice each.
draws groups all npus=4 slices=30 tracks=20 flows=0
grep -q '"name":"all-reduce 25.00 MiB","cat":"collective"' groups.json || fail "no name is made for a collective"
grep -q '"args":{"name":"collectives: all NPUs"}' groups.json || fail "no track of all NPUs"
grep -q '"args":{"name":"collectives: group 1"}' groups.json || fail "no track of group 1"
# 2 sends and 2 receives an NPU. Both receives are posted at a time, but their messages arrive one after the
# other: one track. Both first wait for their senders, which compute, as the NPU does: so it does not wait, and
# only the receives say since when they were asked for.
draws shift all npus=4 slices=20 flows=8 tracks=12
grep -q '"args":{"name":"receives 2"}' shift.json && fail "receives take tracks from when they are posted"
[ "$(grep -c '"cat":"receive".*"asked_us":0.000000,"waited_us":' shift.json)" -eq 8 ] || fail "when receives were asked for is lost"
grep -q '"cat":"waiting"' shift.json && fail "an NPU that computes is drawn as if it waited"
grep -q '"name":"send 4.88 KiB to 1"' shift.json || fail "no name is made for a send"
# One class: its representative sends to NPU 1 and receives from NPU 3 as NPU 1 does from it.
draws shift classes npus=1 slices=5 flows=2
# NPU 2 is not the one that stands for the class.
draws shift 0,2 npus=2 slices=10 flows=2
draws shift 1,3 npus=2 slices=10 flows=0
draws shift 1-2,1 npus=2 slices=10 flows=2

"$ORRERY_BIN" gen p2p --npus 4 --bytes "1 MiB" --repeat 5 --forward-flops 1000000000 --output pipe >/dev/null
draws pipe all npus=4 flows=15
grep -q '"args":{"name":"waiting for messages"}' pipe.json || fail "no track of what an NPU waits for"
grep -q '"name":"waiting","cname":"thread_state_iowait","cat":"waiting"' pipe.json || fail "no slice of what waits"
draws pipe classes flows=15
"$ORRERY_BIN" gen mlp --npus 4 --layers 3 --bytes "3 MB" --batch 100 --optimizer --output mlp >/dev/null
draws mlp classes npus=1
grep -q '"args":{"name":"NPU 0 (class 0-3)"}' mlp.json || fail "the class is not in the NPU's name"

# Own files, where times are no whole ns
printf 'workload: {generate: mlp, layers: 5, bytes: 3 MB, batch: 100, repeat: 7, optimizer: true}\n' >work.yml
"$ORRERY_BIN" run "$ORRERY_SOURCE_DIR/inputs/platforms/dgx_a100_64.yml" work.yml --json own.results --per-npu \
    --timeline own.json >/dev/null 2>err || fail "own files: $(cat err)"
python3 "$tools/check.py" own.json own.results npus=1 slices=140 >wrong 2>&1 || fail "own files: $(cat wrong)"

# ---- names ----

draws names 0 slices=4
python3 - names.json >wrong 2>&1 <<'END' || fail "names: $(cat wrong)"
import json, sys
found = [e["name"] for e in json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"] if e["ph"] == "X"]
want = ['a "quoted" \\ name', "tab\tnewline\nbell\x07 delete\x7f", "größe → 10 µs 🚀", "RAW"]
assert found == want, found
END
# A trace as binary takes any bytes: overlong, a surrogate, cut off, none.
"$ORRERY_BIN" gen p2p --npus 4 --bytes "1 MiB" --repeat 1 --forward-flops 1000000000 --output bytes >/dev/null
python3 - <<'END'
for rank, raw in enumerate([b"\xc0\xafabc", b"\xed\xa0\x80ab", b"abc\xe2\x82", b"\xff\x80\"\x01a"]):
    path = f"bytes.{rank}.et"
    data = open(path, "rb").read()
    assert b"stage" in data
    open(path, "wb").write(data.replace(b"stage", raw))
END
draws bytes all npus=4 flows=3
python3 - bytes.json >wrong 2>&1 <<'END' || fail "invalid UTF-8: $(cat wrong)"
import json, sys
found = [e["name"] for e in json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"] if e.get("cat") == "compute"]
bad = "\ufffd"
assert found == [bad * 2 + "abc", bad * 3 + "ab", "abc" + bad * 2, bad * 2 + "\"\x01a"], found
END

# ---- memory in use ----

python3 "$tools/make_traces.py" tensors tensors
run tensors --system-configuration track.json --timeline tensors.json --json tensors.results --per-npu >/dev/null 2>err ||
    fail "tensors: $(cat err)"
# a is there until it is read for the last time, b from when that node begins: 1000, 1500, 500 bytes.
python3 "$tools/check.py" tensors.json tensors.results npus=1 counters=3 >wrong 2>&1 || fail "tensors: $(cat wrong)"
grep -o '"args":{"bytes":[0-9]*}' tensors.json | tr -dc '0-9\n' | tr '\n' ' ' >steps
[ "$(cat steps)" = "1000 1500 500 " ] || fail "memory in use: $(cat steps)"

sed 's#"track-local-mem": 1#&, "local-mem-trace-filename": "absent/memory"#' track.json >absent.json
run tensors --system-configuration absent.json >/dev/null 2>err
status=$?
[ "$status" = 2 ] && [ "$(cat err)" = 'absent/memory.0.json: cannot be written: No such file or directory' ] ||
    fail "memory in use into an absent folder: exit status $status: $(cat err)"

# ---- files ----

run pipe --timeline pipe2.json.gz --timeline-ranks all >/dev/null || fail "a compressed timeline"
run pipe --timeline pipe2.json --timeline-ranks all >/dev/null || fail "a second timeline"
gunzip -c pipe2.json.gz | cmp -s - pipe2.json || fail "the compressed timeline is another one"
cp pipe2.json.gz first.gz
run pipe --timeline pipe2.json.gz --timeline-ranks all >/dev/null
cmp -s first.gz pipe2.json.gz || fail "two runs give two timelines"
run pipe --timeline - --timeline-ranks all >standard 2>&1 || fail "a timeline to standard output"
cmp -s standard pipe2.json || fail "standard output has another timeline"
run pipe >plain
run pipe --timeline pipe2.json >with
cmp -s plain with || fail "the table is another one with a timeline"

# refuses STATUS MESSAGE OPTION...
refuses() {
    expected=$1 message=$2
    shift 2
    run pipe "$@" >out 2>err
    status=$?
    [ "$status" -eq "$expected" ] || fail "$*: exit status $status, expected $expected"
    [ "$(head -1 err)" = "$message" ] || fail "$*: $(cat err)
expected: $message"
}

refuses 2 'orrery run: --timeline-ranks goes with --timeline FILE' --timeline-ranks all
for list in some '' 1- -1 3-1 1,,2 '0-3,' '0 1' 99999999999999999999-1; do
    refuses 2 "orrery run: --timeline-ranks: expected all, classes or ranks such as \"0-3,8\", got \"$list\"" \
        --timeline x.json --timeline-ranks "$list"
done
for list in 4 0-4 2,99999999999999999999; do
    refuses 2 "orrery run: --timeline-ranks: expected ranks from 0 to 3, got \"$list\"" \
        --timeline x.json --timeline-ranks "$list"
done
refuses 2 'orrery run: --timeline-ranks: expected all, classes or ranks such as "0-3,8", got "0\x1b[1m\n1"' \
    --timeline x.json --timeline-ranks "$(printf '0\033[1m\n1')"
[ ! -e x.json ] || fail "a refused timeline was written"
refuses 2 'absent/x.json: cannot be written: No such file or directory' --timeline absent/x.json
if [ -c /dev/full ]; then
    refuses 1 '/dev/full: cannot be written: No space left on device' --timeline /dev/full
    ln -s /dev/full full.json.gz
    refuses 1 'full.json.gz: cannot be written: No space left on device' --timeline full.json.gz
fi

# ---- the example ----

export ORRERY_BIN
"$ORRERY_SOURCE_DIR/examples/timeline/run.sh" "$work/example" >shown 2>&1 || fail "run.sh: exit status $?: $(cat shown)"
gunzip -c example/timeline.json.gz >example.json && python3 "$tools/check.py" example.json example/results.json \
    npus=4 >wrong 2>&1 || fail "the example: $(cat wrong)"
grep -q '"cat":"message","ph":"s"' example.json || fail "the example has no arrows"
[ "$(ls example | tr '\n' ' ')" = "results.json timeline.json.gz " ] || fail "the example wrote: $(ls example)"

[ "$failures" -eq 0 ] && echo "timelines: as documented"
exit $((failures > 0))
