#!/bin/sh
# A part of a job is not the job: which ranks the files of `orrery convert pytorch` are of, missing ranks, and what stands
# in for them. The job is that of pytorch_job.py: 8 ranks with tensor, data and stage groups.
set -u
command -v python3 >/dev/null 2>&1 || {
    echo "skipped: no python3"
    exit 0
}
scratch=$(mktemp -d) && cd "$scratch" && trap 'rm -rf "$scratch"' EXIT || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

job() {
    rm -f ./*
    python3 "$ORRERY_SOURCE_DIR/tests/cli/pytorch_job.py" "$@" || fail "pytorch_job.py $*"
}

convert() {
    "$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --kineto 'kineto_{rank}.json' "$@" -o o >out 2>err
}

converted() {
    convert "$@" || fail "convert $*: $(cat err)"
}

# refused TEXT OPTION...
refused() {
    text=$1
    shift
    convert "$@"
    [ $? -eq 2 ] || fail "convert $*: exit status is not 2: $(cat out)"
    [ "$(cat err)" = "$text" ] || fail "convert $*: $(cat err)
expected: $text"
    ls o.*.et >/dev/null 2>&1 && fail "convert $*: wrote traces"
}

# runs TIME: the job time of what was converted
runs() {
    printf 'network: {topology: Switch(8), bandwidth: 100 GB/s}\nworkload: {traces: o, groups_file: o.groups.json}\n' >o.yml
    "$ORRERY_BIN" run o.yml >run 2>&1
    [ "$(head -1 run)" = "job time $1 on 8 NPUs" ] || fail "$2: $(cat run)"
}

# nccl RANK: the communication of its trace
nccl() { "$ORRERY_BIN" trace print "o.$1.et" | sed -n 's/ group "[0-9]*"//; s/ tag [0-9]*//; /nccl:/p'; }

# The whole job, in order and not: the same traces.
job 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7
converted --npus 8
runs '364.000 us' whole
grep -q 'another rank' out && fail "in order: $(cat out)"
for rank in 0 1 2 3 4 5 6 7; do nccl $rank; done >/dev/null
sums=$(cat o.*.et o.groups.json | cksum)
whole=$(for rank in 0 1 2 3 4 5 6 7; do echo "$rank"; nccl $rank; done)
job 0=3 1=0 2=1 3=2 4=7 5=6 6=5 7=4
converted --npus 8
[ "$(cat o.*.et o.groups.json | cksum)" = "$sums" ] || fail "another order gives other traces"
grep -q '^note: files that are of another rank than their number: put right by distributedInfo: 8$' out ||
    fail "another order: $(cat out)"

# A part.
tail='missing, and a part of a job is not the job; give all (--npus 8), or stand in for the others with --missing-ranks copy (of the nearest ranks) or --missing-ranks replay (recorded times of what they take part in)'
job 0=0 1=1 2=2 3=3
refused "the files are of 4 of the job's 8 ranks: ranks 4-7 are $tail" --npus 4
job 0=3 1=0
refused "the files are of 2 of the job's 8 ranks: ranks 1-2,4-7 are $tail" --npus 2
job 0=0 1=1 2=2 3=4 4=5 5=6 6=7
refused "the files are of 7 of the job's 8 ranks: rank 3 is $tail" --npus 7
job 0=0 1=1@4
refused 'kineto_1.json: distributedInfo says a job of 4 ranks, and the profiles before it one of 8: expected profiles of one run' --npus 2
job 0=0 1=0
refused 'kineto_1.json: distributedInfo says rank 0, as that of kineto_0.json does: expected each rank once' --npus 2
job 0=5@4
refused 'kineto_0.json: distributedInfo says rank 5 of 4 ranks' --npus 1
# Two profiles swapped, or two files without a word of distributedInfo: the groups tell.
swapped=', and were files swapped? Expected trace and profile of a rank under its number'
job 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7
mv kineto_0.json k && mv kineto_2.json kineto_0.json && mv k kineto_2.json
refused "et_2.json: node 5 (allreduce) is in the process group \"1\" of ranks 2,3, but the file is taken for rank 0, as distributedInfo in its profile says: is it of rank 2$swapped" --npus 8
job 0=4 1=1 2=2 3=3 4=0 5=5 6=6 7=7
"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 8 -o o >out 2>err
[ $? -eq 2 ] || fail "swapped, without profiles: exit status is not 2"
[ "$(cat err)" = "et_0.json: node 5 (allreduce) is in the process group \"1\" of ranks 4,5, but the file is taken for rank 0, its number: is it of rank 4$swapped" ] ||
    fail "swapped, without profiles: $(cat err)"
# Nothing is missing: no ranks that the job does not have are stood in for.
job 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7
larger='of which 8 are given, and --missing-ranks stands in for missing ranks of a job, it makes no larger one: expected --npus 8; `orrery trace scale` makes a larger job'
refused "--npus 16: the job is of 8 ranks (distributedInfo), $larger" --npus 16 --missing-ranks copy
"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 16 -o o --missing-ranks copy >out 2>err
[ "$(cat err)" = "--npus 16: the job is of 8 ranks (its process group \"0\"), $larger" ] || fail "a larger job: $(cat err)"
# Without profiles the groups say it.
job 0=0 1=1
"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 2 -o o >out 2>err
[ $? -eq 2 ] || fail "without profiles: exit status is not 2"
[ "$(cat err)" = "the files are of 2 of the job's 8 ranks: ranks 2-7 are $tail" ] || fail "without profiles: $(cat err)"

# Copies: what the missing ranks did, as ranks of a stage do the same. By file number, or in a row.
job 0=0 1=1 4=4 5=5
converted --npus 8 --missing-ranks copy
[ "$(for rank in 0 1 2 3 4 5 6 7; do echo "$rank"; nccl $rank; done)" = "$whole" ] ||
    fail "copies: $(for rank in 0 1 2 3 4 5 6 7; do echo "$rank"; nccl $rank; done)"
runs '364.000 us' copies
grep -q '^wrote o.0.et to o.7.et and o.groups.json$' out || fail "copies: $(cat out)"
grep -q '^  e.g. rank 2: of rank 0$' out || fail "copies: $(cat out)"
job 0=3 1=6
converted --npus 2 --missing-ranks copy
[ "$(for rank in 0 1 2 3 4 5 6 7; do echo "$rank"; nccl $rank; done)" = "$whole" ] || fail "copies of two"
runs '364.000 us' 'copies of two'
# No rank of the other stage is given: its receives are not known.
job 0=0 1=1 2=2 3=3
convert --npus 4 --missing-ranks copy
[ $? -eq 2 ] || fail "another stage: exit status is not 2"
[ "$(cat err)" = 'rank 4 is missing, and is at another place of a pipeline than the nearest rank, 0, whose messages a copy cannot send: give its file, or --missing-ranks replay' ] ||
    fail "another stage: $(cat err)"

# Replay: 0, 1, 4 and 5 have tensor and stage groups of their own; the all-reduce of the data group takes the 200 us that
# were recorded. By hand: 147 + 3 us behind the launch at 105 us, at 252 us, and 97 + 3 us later the last kernel's launch:
# all times of the CPU are 344 us without the last, which ends with the 200 us.
job 0=0 1=1 2=4 3=5
converted --npus 4 --missing-ranks replay
runs '544.000 us' replay
nccl 5 >found
cat >want <<'END'
6 COMM_COLL_NODE "nccl:allreduce" ALL_REDUCE bytes 4000000 us 100 after 3 5
9 COMM_RECV_NODE "nccl:recv" bytes 1000000 from 1 us 30 after 6 8
12 COMP_NODE "nccl:allreduce" ops 0 bytes 0 us 200 after 9 11
END
cmp -s want found || fail "replay: $(cat found)"
# One of all: everything is replayed, from one file too.
job 0=6
"$ORRERY_BIN" convert pytorch --et et_0.json --kineto kineto_0.json -o o --missing-ranks replay >out 2>err || fail "$(cat err)"
nccl 6 >found
cat >alone <<'END'
6 COMP_NODE "nccl:allreduce" ops 0 bytes 0 us 100 after 3 5
9 COMP_NODE "nccl:recv" ops 0 bytes 0 us 30 after 6 8
12 COMP_NODE "nccl:allreduce" ops 0 bytes 0 us 200 after 9 11
END
cmp -s alone found || fail "one of all: $(cat found)"

# One file without a word of the others is one trace, and says so.
"$ORRERY_BIN" convert pytorch --et et_0.json --kineto kineto_0.json -o one.et >out 2>err || fail "$(cat err)"
grep -q '^note: a trace of one rank of several does not run as it is, because groups and messages are those of one rank: give all files ({rank} and --npus), or stand in for the others with --missing-ranks copy or replay: 1$' out ||
    fail "one trace: $(cat out)"

# Kernels behind the trace's last operator, with a launch there or none, are counted.
python3 - <<'END'
import json
profile = json.load(open("kineto_0.json"))
work = {"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "dur": 10}
launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 1, "ts": 9060.0, "dur": 3}
profile["traceEvents"] += [dict(launch, args={"correlation": 999}),
                           dict(work, ts=9070.0, args={"device": 0, "stream": 7, "correlation": 999}),
                           dict(work, ts=9090.0, args={"device": 0, "stream": 7, "correlation": 1000})]
json.dump(profile, open("late.json", "w"))
END
"$ORRERY_BIN" convert pytorch --et et_0.json --kineto late.json -o one.et >out 2>err || fail "$(cat err)"
grep -q '^  e.g. rank 0: 0 operators, 2 kernels and copies$' out || fail "late kernels: $(cat out)"

"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 2 -o o --missing-ranks replay >out 2>&1
[ $? -eq 2 ] && [ "$(cat out)" = '--missing-ranks replay takes recorded times: --kineto is missing' ] || fail "$(cat out)"
"$ORRERY_BIN" convert pytorch --et 'et_{rank}.json' --npus 2 -o o --missing-ranks all >out 2>&1
[ $? -eq 2 ] && [ "$(cat out)" = 'orrery convert: --missing-ranks: expected replay or copy, got "all"' ] || fail "$(cat out)"
"$ORRERY_BIN" convert chakra o.6.et -o p --missing-ranks copy >out 2>&1
[ $? -eq 2 ] && grep -q 'missing-ranks is not for chakra' out || fail "$(cat out)"

[ "$failures" -eq 0 ] && echo "missing ranks: named, or stood in for"
exit $((failures > 0))
