#!/bin/sh
# What is too much for a simulation says so: exit status 2 and a sentence with the limit.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# refuses TEXT ARGUMENT...: exit status 2, and the text in the message
refuses() {
    text=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err
    status=$?
    if [ $status -ne 2 ] || ! grep -qF -- "$text" err; then
        printf '%s: exit status %d, expected "%s", got "%s"\n' "$*" $status "$text" "$(head -3 err)"
        failures=$((failures + 1))
    fi
}

# ---- time ----

# 1 GiB at 1 B/s: half of it takes 5.4 x 10^20 ps, and time ends at 2^63.
overflow='simulated time overflow: an event lies more than 106 days (2^63 ps) after the start'
for backend in analytical congestion flow; do
    refuses "$overflow" run --topology 'Switch(2)' --bandwidth '1 B/s' --latency '1 us' \
        --set network.backend=$backend --set 'workload={generate: all_reduce, bytes: 1 GiB}'
done
echo 'digraph g { node0 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=1073741824 }"]; }' >slow.dot
for model in equal windows; do
    refuses "$overflow" run --taskgraph slow.dot --fabric full-mesh --link-bandwidth '1 B/s' --flow-model $model
done

# ---- ways ----

# Half around a ring of 140,000 are 70,000 links.
cat >far.json <<'END'
{"version": "0.0.4"}
{"id": "1", "name": "far", "type": "COMM_SEND_NODE", "attr": [{"name": "comm_dst", "int32Val": 70000}, {"name": "comm_size", "int64Val": "1000"}]}
END
for backend in congestion flow; do
    cat >ring.yml <<END
network: {graph: {fabric: "circulant:1", npus: 140000, bandwidth: 100 GB/s, latency: 1 us}, backend: $backend, routing: shortest}
workload: {traces: far.json}
END
    refuses 'network: no path of at most 65534 links leads from 0 to 70000' run ring.yml
done

# ---- memory ----

# 2^31 NPUs one by one: more than any machine has, and said before it is taken.
refuses '2147483647 NPUs are to be simulated one by one, which needs about' run --topology 'Switch(2147483647)' \
    --bandwidth '1 GB/s' --latency '1 us' --set 'workload={generate: all_reduce, bytes: 1 GiB}' --fold off

# 2^40 ports, one for each pair of NPUs.
refuses '1048576 NPUs are to be simulated one by one, which needs about' run --topology 'FullyConnected(1048576)' \
    --bandwidth '100 GB/s' --set 'workload={generate: all_reduce, bytes: 1 GiB}' --fold off

# Folded, it is told at once that its messages are too many.
timeout 60 "$ORRERY_BIN" run --topology 'Switch(2147483647)' --bandwidth '100 GB/s' \
    --set 'workload={generate: all_reduce, bytes: 1 GiB}' >out 2>err
status=$?
if [ $status -ne 2 ] || ! grep -qF 'up to 8589934588 messages for a chunk; at most 2^32 are supported' err; then
    echo "Switch(2147483647): exit status $status: $(head -3 err)"
    failures=$((failures + 1))
fi

# ---- groups ----

# 16,384 of them on 131,072 NPUs are found by their names: it takes a fraction of a second.
awk 'BEGIN {
    printf "{"
    for (g = 0; g < 16384; g++) {
        printf "%s\n\"%d\": [", (g > 0 ? "," : ""), g + 1
        for (i = 0; i < 8; i++)
            printf "%s%d", (i > 0 ? ", " : ""), 8 * g + i
        printf "]"
    }
    printf "}\n"
}' >groups.json
timeout 60 "$ORRERY_BIN" run --topology 'Ring(8)_Switch(16384)' --bandwidth '100 GB/s' --latency '1 us' \
    --set 'workload={generate: all_reduce, bytes: 1 MiB, groups_file: groups.json}' >out 2>err ||
    { echo "16384 groups: exit status $?: $(head -3 err)"; failures=$((failures + 1)); }
# No node names one of them, so that they tell no NPUs apart: the time is that without them.
"$ORRERY_BIN" run --topology 'Ring(8)_Switch(16384)' --bandwidth '100 GB/s' --latency '1 us' \
    --set 'workload={generate: all_reduce, bytes: 1 MiB}' >without 2>&1
cmp -s out without || { echo "16384 groups: $(diff out without)"; failures=$((failures + 1)); }

# ---- sizes, latencies, files ----

refuses 'bytes: expected at most 2^63 - 1, got 10000000000000000000' \
    gen all_reduce --npus 2 --bytes '10000000000 GB' --output big
printf '{"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 1e18, "remote-mem-bw": 1}\n' >memory.json
printf 'topology: [Ring]\nnpus_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n' >network.yml
printf '{"scheduling-policy": "LIFO", "all-reduce-implementation": ["ring"]}\n' >system.json
"$ORRERY_BIN" gen all_reduce --npus 2 --bytes '1 kB' --output ar >/dev/null || failures=$((failures + 1))
refuses 'remote-mem-latency: expected ns from 0 to 106 days' run --workload-configuration ar --system-configuration system.json \
    --network-configuration network.yml --remote-memory-configuration memory.json

# ---- memory ----

# 16 interleaved stages of 256 NPUs, each simulated, with 256 micro-batches for each of 16 replicas: 106 MB with 12 bytes of a node and NPU and 56 of a message, 136 with 20 and 72. Without
# address space for a small job (sanitizers take it) nothing is told.
small='ulimit -v 130000; exec "$ORRERY_BIN" "$@" >out 2>err'
pipeline='{transformer: {layers: 32, hidden: 256, heads: 4, sequence: 64, vocabulary: 0},
    parallel: {pipeline: 16, schedule: interleaved, chunks: 2}, training: {batch: 4096}}'
if bash -c "$small" small run --topology 'Switch(2)' --bandwidth '100 GB/s' --set 'workload={generate: all_reduce, bytes: 1 MiB}'; then
    bash -c "$small" small run --topology 'Switch(16)_Switch(16)' --bandwidth '100 GB/s' --set "workload=$pipeline" \
        --set 'compute={peak: 312 TFLOP/s}' --set system.algorithms.default=by_block --set system.chunks=1 --fold off || {
        printf 'interleaved stages: exit status %d: %s\n' $? "$(head -3 err)"
        failures=$((failures + 1))
    }
fi

exit $failures
