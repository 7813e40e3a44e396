#!/bin/bash
# Live tensors in local and remote memory over time, and what does not fit.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >p.yml <<'END'
network: {dims: [{block: switch, npus: 2, bandwidth: 1 GB/s}]}
memory:
  local: {bandwidth: 1 GB/s}
  pool: {per_npu: {bandwidth: 1 GB/s}, chunk: 1 kB}
compute: {peak: 1 GFLOP/s}
workload: {traces: t}
END
# Load w (4 MB) from the pool, 0 to 4 ms; compute y (1 MB) from w, 1 ms; store y, 1 ms.
node() { # ID NAME KIND BYTES PARENT INPUTS OUTPUTS [ATTRIBUTES]
    printf '{"id": "%s", "name": "%s", "type": "%s", "dataDeps": [%s],
      "attr": [{"name": "tensor_size", "uint64Val": "%s"}, {"name": "is_cpu_op", "boolVal": false}%s,
               {"name": "inputs", "stringList": {"values": [%s]}}, {"name": "outputs", "stringList": {"values": [%s]}}]}\n' \
        "$1" "$2" "$3" "$5" "$4" "${8:-}" "$6" "$7"
}
for rank in 0 1; do
    {
        echo '{"version": "0.0.4"}'
        node 1 "load w" MEM_LOAD_NODE 4000000 '' '"w", "4000000"' '"w", "4000000"'
        node 2 "use w" COMP_NODE 1000 '"1"' '"w", "4000000"' '"y", "1000000"' ', {"name": "num_ops", "int64Val": "1000000"}'
        node 3 "store y" MEM_STORE_NODE 1000000 '"2"' '"y", "1000000"' '"y", "1000000"'
    } >t.$rank.et
done

# Local: w from 0 to 5 ms; y from 4 to 6 ms, so that both are there at 4 ms, when node 2 starts. Remote: w
# until 4 ms; y, written from 5 ms on, to the end.
cat >expected <<'END'
rank,memory,time_ps,bytes,peak,node
0,local,0,4000000,no,
0,local,4000000000,5000000,yes,2
0,local,5000000000,1000000,no,
0,local,6000000000,0,no,
0,remote,0,4000000,yes,
0,remote,4000000000,0,no,
0,remote,5000000000,1000000,no,
END
"$ORRERY_BIN" run p.yml --memory-timeline m.csv >shown 2>&1 || fail "exit status $?: $(cat shown)"
grep -v '^1,' m.csv | diff expected - >diff || fail "--memory-timeline: $(cat diff)"
[ "$(grep -c '^1,' m.csv)" = 7 ] || fail "rank 1: $(cat m.csv)"

# refuses MESSAGE OPTION...
refuses() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" run p.yml "$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" = 2 ] && [ "$found" = "$expected" ] || fail "$*: status $status: $found
expected: $expected"
}
"$ORRERY_BIN" run p.yml --set memory.local.capacity=5MB --set memory.pool.capacity=8MB >shown 2>&1 ||
    fail "what fits is refused: $(cat shown)"
refuses 'the tensors of NPU 0 do not fit: they need 4.77 MiB of local memory at 4.000 ms, when node 2 (use w) of NPU 0 starts, but memory.local.capacity is 4.67 MiB' \
    --set memory.local.capacity=4900kB
refuses 'the tensors in the memory pool do not fit: they need 7.63 MiB at 0 ps, but memory.pool.capacity is 7.62 MiB' \
    --set memory.pool.capacity=7990kB
"$ORRERY_BIN" run p.yml --set memory.pool.chunk=5MB >shown 2>&1 || fail "a tensor below a chunk is refused: $(cat shown)"

# Weights are read first, and written by the optimizer in the end: v is there from the beginning to the end of the
# job. 1 ms forwards with y (1 MB) from v (2 MB); 1 ms of update, which writes v; 1 ms with z (3 MB) from y, which nobody
# reads. s is read, then written again at 2 ms: it is still wanted at the end.
for rank in 0 1; do
    {
        echo '{"version": "0.0.4"}'
        ops=', {"name": "num_ops", "int64Val": "1000000"}'
        node 1 "forward" COMP_NODE 1000 '' '"v", "2000000", "s", "500000"' '"y", "1000000"' "$ops"
        node 2 "update" COMP_NODE 1000 '"1"' '"y", "1000000"' '"v", "2000000"' "$ops"
        node 3 "last" COMP_NODE 1000 '"2"' '"y", "1000000"' '"z", "3000000", "s", "500000"' "$ops"
    } >w.$rank.et
done
cat >expected <<'END'
rank,memory,time_ps,bytes,peak,node
0,local,0,3500000,no,
0,local,2000000000,6500000,yes,3
0,local,3000000000,5500000,no,
END
"$ORRERY_BIN" run p.yml --set workload.traces=w --set memory.local.capacity=6500kB --memory-timeline m.csv >shown 2>&1 ||
    fail "weights: exit status $?: $(cat shown)"
grep '^rank\|^0,local' m.csv | diff expected - >diff || fail "weights: $(cat diff)"
refuses 'the tensors of NPU 0 do not fit: they need 6.20 MiB of local memory at 2.000 ms, when node 3 (last) of NPU 0 starts, but memory.local.capacity is 4.77 MiB' \
    --set workload.traces=w --set memory.local.capacity=5MB
exit $((failures > 0))
