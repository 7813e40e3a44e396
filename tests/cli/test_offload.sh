#!/bin/bash
# Transformers with weights, gradients and optimizer state in a remote memory: what their traces load
# and store, by hand, and what is refused.
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
network: {dims: [{block: switch, npus: 4, bandwidth: 10 GB/s}]}
memory:
  local: {bandwidth: 1 TB/s}
  pool: {hierarchical: {groups: 2, switches: 2, nodes: 2, group_bandwidth: 10 GB/s, fabric_bandwidth: 10 GB/s}}
compute: {peak: 100 TFLOP/s}
END
model() { # NAME MODEL PARALLEL TRAINING
    cat >"$1.yml" <<END
workload:
  transformer: {layers: 2, hidden: 1024, heads: 8, sequence: 128, vocabulary: 0, bias: false, $2}
  parallel: {$3}
  training: {$4}
END
}

# accesses NAME EXPECTED: "LOADS BYTES gathered BYTES / STORES BYTES gathered BYTES / all-gathers" of rank 0
accesses() {
    "$ORRERY_BIN" gen "$1.yml" --npus 4 --output "$1" >shown 2>&1 || fail "gen $1: $(cat shown)"
    found=$("$ORRERY_BIN" trace print --json - "$1.0.et" | python3 -c '
import json, sys
n = {}
for line in sys.stdin:
    m = json.loads(line)
    a = {x["name"]: next(v for k, v in x.items() if k != "name") for x in m.get("attr", [])}
    kind = str(m.get("type", ""))
    if kind in ("2", "3", "MEM_LOAD_NODE", "MEM_STORE_NODE"):
        key = "load" if kind in ("2", "MEM_LOAD_NODE") else "store"
        n[key] = n.get(key, 0) + 1
        how = key + (" gathered" if a.get("orrery_tensor_access") == "gathered" else " sharded")
        n[how] = n.get(how, 0) + int(a["tensor_size"])
print(" ".join("%s=%d" % (k, n[k]) for k in sorted(n)))')
    [ "$found" = "$2" ] || fail "$1: $found
expected: $2"
    "$ORRERY_BIN" run p.yml "$1.yml" --json "$1.a.json" >shown 2>&1 || fail "run $1: $(cat shown)"
    "$ORRERY_BIN" run p.yml "$1.yml" --fold off --json "$1.b.json" >/dev/null || fail "run $1 --fold off"
    [ "$(grep '"wall_ps"' "$1.a.json")" = "$(grep '"wall_ps"' "$1.b.json")" ] || fail "$1: folded is not unfolded"
    printf 'workload: {traces: %s, groups_file: %s.groups.json}\n' "$1" "$1" >"$1.files.yml"
    "$ORRERY_BIN" run p.yml "$1.files.yml" --json "$1.c.json" >/dev/null || fail "run $1 from files"
    [ "$(grep '"wall_ps"' "$1.a.json")" = "$(grep '"wall_ps"' "$1.c.json")" ] || fail "$1: files differ"
}

# A layer: 12 x 1024^2 + 2 norms x 2 x 1024 = 12587008 parameters; a fourth of them is 3146752, 6293504
# bytes. 2 layers, 2 passes: 4 loads; 2 stores of gradients.
model dense '' '' 'offload_parameters: sharded, offload_gradients: sharded, offload_optimizer: memory'
accesses dense 'load=4 load sharded=25174016 store=2 store sharded=12587008'
# The pool gathers: all 25174016 bytes of a layer each time.
model gathered '' '' 'offload_parameters: gathered, offload_gradients: gathered, offload_optimizer: memory'
accesses gathered 'load=4 load gathered=100696064 store=2 store gathered=50348032'
# NPUs update: 2 more loads of 14 bytes a parameter (12 of state, 2 of the gradient), 44054528 each, and
# stores of 14 (state and weight).
model npu '' '' 'offload_parameters: sharded, offload_gradients: sharded, offload_optimizer: npu'
accesses npu 'load=6 load sharded=113283072 store=4 store sharded=100696064'
# 4 experts in layer 1, 2 ranks for them and 2 replicas: 2 experts are 2 x 8 x 1024^2 = 16777216
# parameters, loaded whole (33554432 bytes). The rest of the layer: 4 x 1024^2 + 2 x 2 x 1024 + 4 x 1024 of
# the router = 4202496, a fourth is 2101248 bytes. Loads: 2 x (6293504 + 35655680); gradients 6293504 +
# 35655680, as the memory adds up the replicas.
model moe 'experts: 4, moe_every: 2' 'expert: 2' 'offload_optimizer: memory'
accesses moe 'load=4 load sharded=83898368 store=2 store sharded=41949184'
# Gathered in the pool, but for the experts: 2 x (25174016 + 8404992) and 2 x 33554432.
model moe_gathered 'experts: 4, moe_every: 2' 'expert: 2' 'offload_parameters: gathered, offload_gradients: sharded, offload_optimizer: memory'
accesses moe_gathered 'load=6 load gathered=67158016 load sharded=67108864 store=2 store sharded=41949184'

# Deeper prefetch never waits longer; accesses as events work as well.
"$ORRERY_BIN" run p.yml dense.yml --set memory.pool.accesses=event_driven >shown 2>&1 || fail "events: $(cat shown)"
"$ORRERY_BIN" run p.yml gathered.yml --set memory.pool.accesses=event_driven >shown 2>&1 || fail "events: $(cat shown)"

refuses() { # MESSAGE OPTION...
    expected=$1
    shift
    found=$("$ORRERY_BIN" run p.yml "$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" = 2 ] && [ "$found" = "$expected" ] || fail "$*: status $status: $found
expected: $expected"
}
model bad '' 'zero: 1' 'offload_parameters: sharded'
refuses 'bad.yml:4:34: workload.training.offload_parameters: ranks shard the data in the pool, as with ZeRO-3; parallel.zero is 1' bad.yml
model bad '' 'tensor: 2' 'offload_gradients: gathered'
refuses 'bad.yml:4:33: workload.training.offload_gradients: the pool gathers for all 4 NPUs, but 2 share the weights' bad.yml
model bad '' '' 'offload_gradients: none, offload_optimizer: memory'
refuses 'bad.yml:4:33: workload.training.offload_gradients: with offload_optimizer: memory expected sharded or gathered, got none' bad.yml
# 16 bytes of each of 25174016 parameters
refuses 'dense.yml:2:16: workload.transformer: the model does not fit: weights, gradients and optimizer state in the pool need 384.13 MiB, but memory.pool.capacity is 381.47 MiB' \
    dense.yml --set memory.pool.capacity=400MB
exit $((failures > 0))
