#!/bin/sh
# A gradient queue: layers of the next iteration begin when their part of an all-reduce is there. Two NPUs, a link of
# 1 GB/s and 1 us each way; every time below is by hand.
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

for queue in "falling 5 4 3 2 1" "rising 1 2 3 4 5"; do
    # shellcheck disable=SC2086 # a name and five numbers
    set -- $queue
    name=$1
    shift
    python3 "$ORRERY_SOURCE_DIR/tests/cli/prefix/make_queue.py" "$name.json" "$@" || exit 1
done

# job NAME BACKEND CHUNKS OPTION...
job() {
    name=$1 backend=$2 chunks=$3
    shift 3
    "$ORRERY_BIN" run --topology 'FullyConnected(2)' --bandwidth '1 GB/s' --latency '1 us' --set compute.mode=replay \
        --set "network.backend=$backend" --set system.algorithms.all_reduce=ring --set "system.chunks=$chunks" \
        --set "workload.traces=$name.json" "$@"
}

# starts NAME BACKEND CHUNKS WALL START...: wall time in ps; when the five layers begin on NPU 0, in us; each as
# far from that as $apart says, us
apart=0
starts() {
    name=$1 backend=$2 chunks=$3 wall=$4
    shift 4
    job "$name" "$backend" "$chunks" --json result.json --timeline line.json >/dev/null 2>err ||
        fail "$name, $backend: exit status $?: $(cat err)"
    python3 - "$apart" "$wall" "$@" >diff.txt <<'END' || fail "$name, $backend, $chunks chunks: $(cat diff.txt)"
import json, sys
wall = json.load(open("result.json"))["wall_ps"]
starts = [str(e["ts"]) for e in json.load(open("line.json"))["traceEvents"]
          if e.get("ph") == "X" and e["pid"] == 0 and e["name"].startswith("forward")]
print(wall, *starts)
apart = float(sys.argv[1]) + 1e-3
expected = [float(s) for s in sys.argv[3:]]
sys.exit(abs(wall - int(sys.argv[2])) > apart * 1e6 or len(starts) != len(expected)
         or any(abs(float(s) - e) > apart for s, e in zip(starts, expected)))
END
}

# 15 chunks of 1 MB in halves of 0.5 ms. A port sends the first half of two chunks (reduce-scatter), then their sums
# (all-gather), as older chunks go first: chunk 2j is there (4j + 3) 0.5 ms + 1 us after the start, chunk 2j + 1 after
# (4j + 4) 0.5 ms + 1 us; the last one has no other beside it, and its latencies show: 15.002 ms. So the parts of the five
# layers (chunks 0, 2, 5, 9, 14) are there at 11.501, 13.501, 16.001, 20.001 and 25.002 ms.
# Forward 5, 4, 3, 2, 1 ms: one layer behind the other. Then 10 ms backward and 15.002 ms.
starts falling analytical 15 51503000000 11501 16501 20501 23501 25501
starts falling congestion 15 51503000000 11501 16501 20501 23501 25501
# Forward 1 to 5 ms: every layer waits for its part.
starts rising analytical 15 55004000000 11501 13501 16001 20001 25002
starts rising congestion 15 55004000000 11501 13501 16001 20001 25002
# Of the flows at a link the oldest chunk's has nearly all, whatever began before: the sum of a chunk does not wait for
# the first half of the next one, so that parts are there up to half a ms before those of packets, and none later than
# 0.1 ms after.
apart=500
starts falling flow 15 51280000000 11251 16251 20251 23251 25251
apart=100
starts rising flow 15 55004000000 11066 13065 16065 20065 25002
apart=0
# One chunk: the part is there at the end, 15 ms and two latencies on.
starts falling analytical 1 65004000000 25002 30002 34002 37002 39002
starts falling flow 1 65004000000 25002 30002 34002 37002 39002
# Five chunks of 3 MB: 4.501, 6.001, 10.501, 12.001 and 15.002 ms; layers 1 and 2 need the first, 3 two, 4 four, 5 all.
# Layer 4 alone waits; layer 5 begins at 26.001 and takes 5 ms, then 10 and 15.002 ms.
starts rising congestion 5 56003000000 14501 15501 17501 22001 26001

# ---- reports ----

# The path goes through the chunk that the last layer waited for.
job rising flow 15 --why >out || fail "--why: exit status $?"
grep -q '^10.000 ms  *15.002 ms  *0  all-reduce 1 (node 2)$' out && grep -q '^25.002 ms  *5.000 ms  *0  forward 5 (node 7)$' out ||
    fail "--why: $(sed -n '/^on the path/,$p' out)"

# What --explain says of the parts.
job rising flow 15 --explain=all >out || fail "--explain: exit status $?"
grep -qx 'all_reduce of 14.31 MiB on 2 NPUs: ring; the parts that nodes wait for come in 15 chunks' out || fail "--explain: $(tail -1 out)"
job rising flow 1 --explain=all >out || fail "--explain: exit status $?"
grep -qx 'all_reduce of 14.31 MiB on 2 NPUs: ring; the part that nodes wait for is delivered only at its end' out || fail "--explain: $(tail -1 out)"

# The timeline's arrows: from the all-reduce, when the part is there, to the layer.
job rising analytical 15 --timeline line.json --timeline-ranks 0 >/dev/null || fail "--timeline: exit status $?"
python3 - >diff.txt <<'END' || fail "arrows: $(cat diff.txt)"
import json, sys
events = json.load(open("line.json"))["traceEvents"]
arrows = {}
for e in events:
    if e.get("cat") == "part":
        arrows.setdefault(e["id"], {})[e["ph"]] = e
track = {(e["name"]): e["tid"] for e in events if e.get("ph") == "X"}
found = [(float(a["s"]["ts"]), float(a["f"]["ts"])) for _, a in sorted(arrows.items())]
print(found)
tracks = all(a["s"]["tid"] == track["all-reduce 1"] and a["f"]["tid"] == track["forward 1"] for a in arrows.values())
sys.exit(not tracks or found != [(t, t) for t in (11501, 13501, 16001, 20001, 25002)])
END

# Rank 1 never starts the all-reduce that rank 0's layers wait for.
cp falling.json part.0.et
head -2 falling.json >part.1.et
"$ORRERY_BIN" run --topology 'FullyConnected(2)' --bandwidth '1 GB/s' --set compute.mode=replay --set workload.traces=part >out 2>&1
[ $? -eq 3 ] || fail "a stuck queue: $(cat out)"
grep -q 'waits for NPU 1 to start it; 0 of its bytes are there, and node 3 (forward 1) waits for 1000000' out ||
    fail "a stuck queue: $(cat out)"

# ---- the trace's tools ----

[ "$("$ORRERY_BIN" trace print falling.json | sed -n 4p)" = '4 COMP_NODE "forward 2" ops 0 bytes 0 us 4000 after 2[3000000] 3' ] ||
    fail "trace print: $("$ORRERY_BIN" trace print falling.json)"
"$ORRERY_BIN" trace print --json - falling.json >again.json && "$ORRERY_BIN" trace diff falling.json again.json >out
grep -q '^no difference$' out || fail "JSON: $(cat out)"
sed 's/"3000000"/"2000000"/' falling.json >other.json
"$ORRERY_BIN" trace diff falling.json other.json >out
grep -q 'only A after 2\[3000000\]; only B after 2\[2000000\]$' out || fail "trace diff: $(cat out)"
"$ORRERY_BIN" trace dot falling.json | grep -q 'label="3000000 B"' || fail "trace dot"
"$ORRERY_BIN" trace cut falling.json --from 'all-reduce 1' --to 'backward 2' -o cut.et >/dev/null 2>err || fail "trace cut: $(cat err)"
"$ORRERY_BIN" trace print cut.et | grep -q 'forward 2" .* after 2\[3000000\] 3$' || fail "trace cut: $("$ORRERY_BIN" trace print cut.et)"
cp falling.json s.0.et && cp falling.json s.1.et
"$ORRERY_BIN" trace scale s --traces 2 --npus 4 -o t >/dev/null 2>err || fail "trace scale: $(cat err)"
"$ORRERY_BIN" trace print t.3.et | grep -q 'forward 2" .* after 2\[3000000\] 3$' || fail "trace scale: $("$ORRERY_BIN" trace print t.3.et)"

# ---- what is refused ----

# refused NAME MESSAGE: by trace check, with status 2
refused() {
    "$ORRERY_BIN" trace check "$1" >out 2>&1
    [ $? -eq 2 ] || fail "$1 is taken: $(cat out)"
    grep -qF "$2" out || fail "$1: $(cat out)"
}

sed 's/"15000000"\]/"15000001"]/' falling.json >long.json
refused long.json 'node 7 (forward 5): depends on the first 15000001 bytes of node 2, which has 15000000'
sed 's/"orrery_prefix_of", "uint64List": {"values": \["2"\]/"orrery_prefix_of", "uint64List": {"values": ["3"]/' falling.json >none.json
refused none.json 'node 3 (forward 1): depends on the first 1000000 bytes of node 3, which is not among its dependencies'
sed 's/"type": "COMM_COLL_NODE"/"type": "COMP_NODE"/' falling.json >comp.json
refused comp.json 'which is no collective but a COMP_NODE'
sed 's/"comm_type", "int64Val": "0"/"comm_type", "int64Val": "9"/' falling.json >barrier.json
refused barrier.json 'which is a barrier and has none'
sed 's/\["1000000"\]/["0"]/' falling.json >nothing.json
refused nothing.json 'depends on the first 0 bytes of node 2; expected at least 1'
cat >astra.json <<'END'
{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 2,
 "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
 "all-to-all-implementation": ["ring"], "collective-optimization": "localBWAware", "local-mem-bw": 50, "roofline-enabled": 0}
END
printf 'topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' >astra.yml
"$ORRERY_BIN" run --workload-configuration s --system-configuration astra.json --network-configuration astra.yml >out 2>&1
[ $? -eq 2 ] && grep -q "node 2 (all-reduce 1) of NPU 0 is a collective of which other nodes wait for a part (orrery_prefix_of); under ASTRA-sim's rules" out ||
    fail "rules of ASTRA-sim: $(cat out)"
"$ORRERY_BIN" run --workload-configuration s --system-configuration astra.json --network-configuration astra.yml --compat off >out 2>&1 ||
    fail "files of ASTRA-sim by our rules: $(cat out)"

[ "$failures" -eq 0 ]
