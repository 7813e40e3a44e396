#!/bin/sh
# Uneven collectives: sizes from PyTorch's records to the run, on every backend; traces and their files; bad sizes.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# wall FILE: run it, and print picoseconds
wall() {
    "$ORRERY_BIN" run "$1" --json out.json >/dev/null 2>err || cat err
    sed -n 's/^  "wall_ps": \([0-9]*\),*$/\1/p' out.json 2>/dev/null | head -1
    rm -f out.json
}

expect() {
    [ "$2" = "$3" ] || fail "$1: $2, expected $3"
}

# ---- PyTorch ----

# Rank 0 keeps 2 MiB and sends 6, rank 1 sends 2 and keeps 10 of bf16: the port of rank 0 sends 6291456 bytes at 50 GB/s,
# 125.82912 us. pytorch NAME IN0 OUT0 IN1 OUT1 ELEMENTS0 ELEMENTS1: a trace of one collective on each rank.
cat >pytorch.py <<'END'
import json, sys
name, lists, elements = sys.argv[1], [json.loads(a) for a in sys.argv[2:6]], [int(a) for a in sys.argv[6:8]]
def attr(n, t, v): return {"name": n, "type": t, "value": v}
def node(i, parent, name, values, types):
    return {"id": i, "name": name, "ctrl_deps": parent,
            "inputs": {"values": values, "shapes": [[] for _ in values], "types": types, "strides": [[] for _ in values]},
            "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
            "attrs": [attr("rf_id", "uint64", i), attr("fw_parent", "uint64", 0), attr("seq_id", "int64", -1),
                      attr("scope", "uint64", 0), attr("tid", "uint64", 1), attr("fw_tid", "uint64", 0),
                      attr("op_schema", "string", ""), attr("dtype", "string", "BFloat16")]}
for rank in range(2):
    groups = json.dumps([{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}])
    tensor = [100, 50, 0, elements[rank], 2, "cuda:%d" % rank]
    values = [[tensor], [1, False], ["0", "default_pg"], rank, name, lists[2 * rank], lists[2 * rank + 1], 0, 1, 2]
    nodes = [node(2, 1, "[pytorch|profiler|execution_trace|thread]", [], []),
             node(3, 2, "## process_group:init ##", [groups], ["String"]),
             node(5, 2, "nccl:" + name, [], []), node(6, 5, "record_param_comms", values, ["" for _ in values])]
    json.dump({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "time": "2025-03-01 10:00:00", "start_ts": 1, "nodes": nodes},
              open("p_%d.json" % rank, "w"))
END
pytorch() {
    python3 pytorch.py "$@" || exit 1
    rm -f p.*.et
    "$ORRERY_BIN" convert pytorch --et 'p_{rank}.json' --npus 2 -o p >report 2>err || fail "convert $1: $(cat err)"
}
platform() { # BACKEND ALGORITHM TRACES
    cat >run.yml <<END
network: {backend: $1, topology: Switch(2), bandwidth: 50 GB/s, latency: 0 ns$4}
system: {chunks: 1, algorithms: {all_to_all: $2, all_gather: $2, reduce_scatter: $2}}
compute: {mode: replay}
workload: {traces: $3}
END
}
both() { # every backend and algorithm: WHAT PICOSECONDS
    for algorithm in by_block auto direct pairwise ring; do
        for backend in analytical flow; do
            platform $backend $algorithm p ''
            expect "$1, $backend, $algorithm" "$(wall run.yml)" "$2"
        done
    done
}
pytorch all_to_allv '[1048576, 3145728]' '[1048576, 1048576]' '[1048576, 5242880]' '[3145728, 5242880]' 4194304 6291456
both 'all-to-all-v' 125829120
platform congestion direct p ', packet: 4 KiB'
expect 'all-to-all-v, packets' "$(wall run.yml)" 125911040
"$ORRERY_BIN" trace print p.0.et | grep -q 'to each 2097152,6291456 from each 2097152,2097152' ||
    fail "printed: $("$ORRERY_BIN" trace print p.0.et)"
"$ORRERY_BIN" run run.yml --explain | grep -qx "# uneven all_to_all of 16.00 MiB (the largest rank's) on 2 NPUs: direct" ||
    fail "explained: $("$ORRERY_BIN" run run.yml --explain | tail -2)"

# rows of 1024 elements instead of elements; nothing to one rank, nothing at all from the other
pytorch all_to_allv '[1, 3]' '[1, 0]' '[0, 2]' '[3, 2]' 4096 2048
both 'rows, nothing to a rank' 122880
pytorch all_to_allv '[1, 3]' '[1, 0]' '[0, 0]' '[3, 0]' 4096 0
both 'nothing from a rank' 122880

# an all-gather of lists of tensors, 2 and 8 MiB a rank: the larger one goes out of one port
pytorch all_gather '[]' '[]' '[]' '[]' 1048576 4194304
both 'all-gather' 167772160
# reduce-scatters record their outputs' sizes times the ranks: 4 MiB and 1 MiB are kept
pytorch reduce_scatter '[]' '[]' '[]' '[]' 4194304 1048576
both 'reduce-scatter' 83886080
# equal lists are an ordinary collective
pytorch all_to_allv '[2, 2]' '[2, 2]' '[2, 2]' '[2, 2]' 4194304 4194304
both 'equal sizes' 83886080

# ---- sizes that do not add up ----

pytorch all_to_allv '[1, 3]' '[1, 1]' '[1, 5]' '[2, 5]' 4096 6144
platform analytical direct p ''
"$ORRERY_BIN" run run.yml >/dev/null 2>err
status=$?
expect 'status' "$status" 2
grep -q 'of NPU 0 sends 6144 bytes to NPU 1, which expects 4096 from it (node [0-9]*); NPU 0 sends 8192 bytes in all, NPU 1 expects 14336 in all' err ||
    fail "sizes: $(cat err)"

# ---- traces by hand ----

cat >traces.py <<'END'
import json, os, random, sys
mode, n = sys.argv[1], int(sys.argv[2])
def trace(rank, comm, size, **more):
    attrs = [{"name": "comm_type", "int64Val": comm}, {"name": "comm_size", "int64Val": size}]
    for name, value in more.items():
        arm = {bool: "boolVal", str: "stringVal"}.get(type(value))
        attrs.append({"name": name, arm: value} if arm else {"name": name, "uint64List": {"values": value}})
    with open("t.%d.et" % rank, "w") as out:
        out.write('{"version": "0.0.4"}\n')
        out.write(json.dumps({"id": 1, "name": "c", "type": "COMM_COLL_NODE", "attr": attrs}) + "\n")
each = 524288
random.seed(3)
row = [[random.choice([0, random.randrange(1, 999) * 1024]) for _ in range(n)] for _ in range(n)]
for r in range(n):
    if mode == "even":
        trace(r, 6, each * n)
    elif mode == "lists":  # all equal: an even all-to-all
        trace(r, 6, each * n, orrery_send_sizes=[each] * n, orrery_recv_sizes=[each] * n)
    elif mode == "others":  # nothing for itself: the same traffic
        to = [0 if i == r else each for i in range(n)]
        trace(r, 6, sum(to), orrery_send_sizes=to, orrery_recv_sizes=to)
    elif mode == "same":  # one trace, but each rank is sent another size
        trace(r, 6, sum(row[0]), orrery_send_sizes=row[0])
    elif mode in ("copies", "others_copies"):  # in the second the groups differ
        to = row[r % 4][:4] if mode == "copies" or r < 4 else row[r][4:]
        trace(r, 6, sum(to), orrery_send_sizes=to, pg_name="1" if r < 4 else "2")
    elif mode == "random":
        trace(r, 6, sum(row[r]), orrery_send_sizes=row[r], orrery_recv_sizes=[row[s][r] for s in range(n)])
    elif mode == "short":
        trace(r, 6, 100, orrery_send_sizes=[50, 50])
    elif mode == "size":
        trace(r, 6, 100, orrery_send_sizes=[50] * n)
    elif mode == "kind":
        trace(r, 0, 100, orrery_send_sizes=[25] * n)
    elif mode == "gather":
        trace(r, 2, 10 * r, orrery_recv_sizes=[10 * i + (5 if r == 2 and i == 1 else 0) for i in range(n)])
    elif mode == "number":
        trace(r, 2, 10, orrery_recv_sizes=[10, -3, 10, 10])
if mode == "random":
    print(sum(row[i][j] for i in range(n) for j in range(n) if i != j), *(
        sum(row[i][j] for i in range(n) for j in range(n) if (i >> b & 1) != (j >> b & 1)) for b in range(n.bit_length() - 1)))
END

# Without a part for itself an all-to-all has the messages of the even one: the same time, whatever runs it.
run_own() { # TOPOLOGY BACKEND ALGORITHM
    cat >run.yml <<END
network: {backend: $2, topology: $1, bandwidth: 50 GB/s, latency: 1 us}
system: {algorithms: {all_to_all: $3}}
workload: {traces: t}
END
    wall run.yml
}
for mode in even lists others; do
    python3 traces.py $mode 8
    for topology in 'FC(8)' 'Ring(2)_FC(2)_Switch(2)' 'Ring(4)_Switch(2)'; do
        for backend in analytical congestion flow; do
            for algorithm in direct pairwise ring bidirectional_ring; do
                echo "$topology $backend $algorithm $(run_own "$topology" $backend $algorithm)"
            done
        done
    done >walls_$mode
done
cmp -s walls_even walls_lists || fail "equal lists: $(diff walls_even walls_lists)"
cmp -s walls_even walls_others || fail "none for itself: $(diff walls_even walls_others)"

# Every byte crosses the dimensions in which its ends differ, once.
set -- $(python3 traces.py random 8)
for topology in 'FC(8)' 'Ring(2)_FC(2)_Switch(2)'; do
    run_own "$topology" analytical direct >/dev/null
    "$ORRERY_BIN" run run.yml --json out.json >/dev/null
    found=$(python3 -c 'import json; print(*[d["bytes"] for d in json.load(open("out.json"))["dims"]])' 2>err) || fail "$(cat err)"
    wanted=$1
    [ "$topology" = 'FC(8)' ] || wanted="$2 $3 $4"
    expect "bytes of $topology" "$found" "$wanted"
done

# binary and JSON files keep the sizes
"$ORRERY_BIN" convert chakra t.0.et t.1.et t.2.et t.3.et t.4.et t.5.et t.6.et t.7.et -o b >/dev/null 2>err || fail "$(cat err)"
"$ORRERY_BIN" trace print --json - b.3.et >again.json
"$ORRERY_BIN" trace diff t.3.et b.3.et >out 2>&1 || fail "binary: $(cat out)"
"$ORRERY_BIN" trace diff b.3.et again.json >out 2>&1 || fail "JSON: $(cat out)"
sed 's/"orrery_send_sizes", "uint64List": {"values": \[/&1024, /; s/, [0-9]*\]}}, {"name": "orrery_recv/]}}, {"name": "orrery_recv/' t.3.et >other.et
"$ORRERY_BIN" trace diff t.3.et other.et >out 2>&1
grep -q '^1 in both differ in other attributes' out || fail "other sizes are no difference: $(cat out)"

# a library takes it for an even one of the largest rank's bytes
library() { # MODE
    python3 traces.py "$1" 8 >/dev/null
    cat >run.yml <<'END'
network: {topology: FC(8), bandwidth: 50 GB/s}
system: {library: {name: nccl, gpu: h100}}
workload: {traces: t}
END
    "$ORRERY_BIN" run run.yml --explain | tail -1
}
set -- "$(library random)"
expect 'library' "$1" "# uneven all_to_all of 4.18 MiB (the largest rank's) on 8 NPUs: nccl direct, as if all had as many bytes"

# ---- folding ----

# Copies of a group with equal sizes are folded, members of a group are not; the results are the same.
cat >groups.json <<'END'
{"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}
END
cat >run.yml <<'END'
network: {topology: FC(4)_Ring(2), bandwidth: 50 GB/s}
workload: {traces: t, groups_file: groups.json}
END
folded() { # MODE NPUS
    python3 traces.py "$1" 8
    "$ORRERY_BIN" run run.yml --explain-fold >fold 2>err || fail "$1: $(cat err)"
    grep -q "$2" fold || fail "$1: $(cat fold)"
    for fold in auto off; do
        "$ORRERY_BIN" run run.yml --fold $fold --json - 2>err | sed '/^ *"events":/d' >$fold.json || fail "$1: $(cat err)"
    done
    cmp -s auto.json off.json || fail "$1: $(diff auto.json off.json)"
}
folded copies '8 NPUs in 4 classes of 2'
folded others_copies '8 NPUs in 8 classes of 1'
cat >run.yml <<'END'
network: {topology: FC(8), bandwidth: 50 GB/s}
workload: {traces: t}
END
folded lists '8 NPUs in 1 class of 8'
folded same '8 NPUs in 8 classes of 1'
grep -q 'node 1 (c) of NPU 0 is uneven: a size for each of its ranks' fold || fail "the reason: $(cat fold)"

# ---- mistakes ----

bad() { # MODE TEXT
    python3 traces.py "$1" 4
    sed -i 's/FC(8)/FC(4)/' run.yml
    "$ORRERY_BIN" run run.yml >/dev/null 2>err
    status=$?
    expect "$1" "$status" 2
    grep -qF "$2" err || fail "$1: $(cat err)"
}
bad short 'node 1 (c) of NPU 0 has 2 values in "orrery_send_sizes"; expected one for each of the 4 members of its group'
bad size 'node 1 (c) of NPU 0 has comm_size 100; expected 200, the sum of "orrery_send_sizes"'
bad kind 'node 1 (c) of NPU 0 has the attribute "orrery_send_sizes"; expected only in all-to-alls, and reduce-scatters'
bad gather 'node 1 (c) of NPU 2 expects 15 bytes from NPU 1, which contributes 10 (node 1); NPU 2 expects 65 bytes in all, the members contribute 60'
bad number 'orrery_recv_sizes'

[ "$failures" -eq 0 ]
