#!/bin/sh
# Inputs that work, but are told about, once: a scheduler on one dimension, less than a byte for each NPU,
# keys that have no effect where they stand.
set -u

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# says TEXT WALL_PS OPTION...: the run of x.yml takes so long, and says this on standard error
says() {
    text=$1 expected=$2
    shift 2
    "$ORRERY_BIN" run x.yml --json - "$@" >out 2>err || {
        printf '%s: exit status %s\n' "$*" "$?"
        failures=$((failures + 1))
    }
    found=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out)
    [ "$found" = "$expected" ] && [ "$(cat err)" = "$text" ] || {
        printf '%s: %s ps, expected %s; said: %s\n' "$*" "$found" "$expected" "$(cat err)"
        failures=$((failures + 1))
    }
}

# One chunk of 4000 bytes on Ring(4): six blocks of 1000 bytes, each 1 us on the wire and 1 us of
# latency.
cat >x.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s, latency: 1 us}
system: {chunks: 1, scheduler: themis, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 4000 B}
END
nothing='system.scheduler: with one dimension there is nothing to schedule:'
says "x.yml:2:32: warning: $nothing themis equals baseline" 12000000
for scheduler in best greedy; do
    says "--set: warning: $nothing $scheduler equals baseline" 12000000 \
        --set system.scheduler=$scheduler
done
says "" 12000000 --set system.scheduler=baseline
# A second dimension of one NPU changes nothing.
says "x.yml:2:32: warning: $nothing themis equals baseline" 12000000 \
    --set 'network.topology=Ring(4)_Switch(1)' --set 'network.bandwidth=1_1 GB/s' --set 'network.latency=1_1 us'
# With two there is something to schedule: reduce-scatter of 4000 bytes on 4 and all-gather back,
# 6 x (1 + 1) us; between them two blocks of 500 bytes, 2 x (0.5 + 1) us.
says "" 15000000 \
    --set 'network.topology=Ring(4)_Ring(2)' --set 'network.bandwidth=1_1 GB/s' --set 'network.latency=1_1 us'

# 3 bytes are blocks of 1: six messages of 1 ns and 1 us. 4 are the same, without a note.
less='bytes are less than one for each of the 4 NPUs; every block that is sent has at least a byte'
says "--set: warning: workload.bytes: 3 $less" 6006000 \
    --set system.scheduler=baseline --set 'workload.bytes=3 B'
says "" 6006000 --set system.scheduler=baseline --set 'workload.bytes=4 B'
# An all-gather's bytes are each NPU's own: three messages of 3 ns.
says "" 3009000 --set system.scheduler=baseline --set 'workload={generate: all_gather, bytes: 3 B}'

# ---- keys without effect ----

# also FILE OPTION...: the run of it succeeds, and says the lines of `expected` on standard error and, with
# --json, in the list `warnings`
also() {
    file=$1
    shift
    "$ORRERY_BIN" run "$file" "$@" >out 2>err && diff expected err >why || {
        printf '%s %s: said otherwise than expected (<):\n%s\n' "$file" "$*" "$(cat why)"
        failures=$((failures + 1))
    }
    "$ORRERY_BIN" run "$file" --json - "$@" 2>err >out
    sed -n '/^  "warnings": \[$/,/^  \]/p' out | sed '1d;$d;s/^    "//;s/",\{0,1\}$//' | diff expected - >why || {
        printf '%s %s: "warnings" otherwise than expected (<):\n%s\n' "$file" "$*" "$(cat why)"
        failures=$((failures + 1))
    }
}

cat >flows.yml <<'END'
network:
  topology: Ring(4)
  bandwidth: 1 GB/s
  packet: 100 B
  handshake: 1 B
  messages_per_link: 3
  setup: 1 us
  forwarding: 1 us
  shares: windows
  seed: 3
  paths: 2
  ring_links: false
system: {chunks: 1}
workload: {generate: all_reduce, bytes: 4000 B}
END
# idle LINE KEY WHY: one warning
idle() {
    echo "flows.yml:$1:3: warning: network.$2 has no effect: $3"
}
ways='without a network.graph there is no random choice'
counts='it counts the paths of routing: k-shortest'
keeps='it needs routing: k-shortest or table in a network.graph'
for backend in analytical congestion; do
    {
        none="the backend $backend does not use it, only"
        [ $backend = congestion ] || idle 4 packet "$none congestion, flow"
        idle 5 handshake "$none flow"
        idle 6 messages_per_link "$none flow"
        idle 7 setup "$none flow"
        idle 8 forwarding "$none flow"
        idle 9 shares "$none flow"
        idle 10 seed "$ways"
        idle 11 paths "$counts"
        idle 12 ring_links "$keeps"
    } >expected
    also flows.yml --set network.backend=$backend
done
{
    idle 10 seed "$ways"
    idle 11 paths "$counts"
    idle 12 ring_links "$keeps"
    idle 8 forwarding 'only in a network.graph NPUs pass on messages of others'
} >expected
also flows.yml --set network.backend=flow

# Six NPUs in a ring. Steps of 2 come back after three of them.
cat >graph.yml <<'END'
network:
  backend: congestion
  routing: table
  graph:
    npus: 6
    bandwidth: 1 GB/s
    links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}, {from: 3, to: 4}, {from: 4, to: 5}, {from: 5, to: 0}]
    rings:
      - {npus: 6, jumps: [1]}
      - {npus: 6, jumps: [1, 1]}
      - {npus: 7, jumps: [1]}
workload: {generate: all_reduce, bytes: 6000 B}
END
cat >expected <<'END'
graph.yml:10:9: warning: network.graph.rings[1] is left out: steps of 2 do not lead around all of the 6 NPUs
graph.yml:11:9: warning: network.graph.rings[2] is never used: the graph has 6 NPUs, not 7
graph.yml:3:3: warning: network.routing has no effect: the graph has no routes for a table; messages take shortest paths
END
also graph.yml
# All-reduces as a whole go around them too.
also graph.yml --set system.monolithic_all_reduce=ring
also graph.yml --set system.monolithic_all_reduce=ring_stream
also graph.yml --set system.monolithic_all_reduce=bidirectional_ring_stream
also graph.yml --set system.monolithic_all_reduce=pipelined_ring
# With a route, and without rings, there is nothing to say.
: >expected
sed '/rings:/,/npus: 7/d;s/^    npus: 6/    npus: 6\n    routes: [{from: 0, to: 2, nodes: [0, 1, 2]}]/' graph.yml >routes.yml
also routes.yml
sed '/rings:/,/npus: 7/d;/routing/d' graph.yml >plain.yml
also plain.yml

# ---- backends that disagree without contention ----

# 1 MB at 1 GB/s and no latency is 1 ms. Each of n NPUs sends to the next, one after the other: n - 1 messages. Of
# 1 GB/s that an NPU has, a link of Ring(4) is 1/2 and of FC(4) 1/3, but the only port of the analytical backend all.
cat >x.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s, bandwidth_is: npu}
workload: {generate: p2p, bytes: 1 MB}
END
# of LINKS DIMENSION: what is said of the dimension
of() {
    printf '%s' "npu: a message from one NPU to another goes over one of the $1 links that share an NPU's bandwidth in"
    printf '%s' " dimension $2, which is 1/$1 of it on the congestion and flow backends, but all of it on the analytical one"
}
# whole LINKS DIMENSIONS
whole() {
    printf '%s' "--set: warning: network.backend: congestion: a message from one NPU to another passes $1"
    printf '%s' " links in $2, each as a whole, which takes up to $1 times as long as on the other backends;"
    printf '%s' " network.packet, such as 64 KiB, splits it"
}
key='x.yml:1:63: warning: network.bandwidth_is:'
says "$key $(of 2 1)" 3000000000
says "$key $(of 2 1)" 6000000000 --set network.backend=congestion
says "$key $(of 2 1)" 6000000000 --set network.backend=flow
says "$key $(of 3 1)" 3000000000 --set 'network.topology=FC(4)'
says "$key $(of 3 1)" 9000000000 --set 'network.topology=FC(4)' --set network.backend=congestion
says "$key $(of 3 1)" 9000000000 --set 'network.topology=FC(4)' --set network.backend=flow
# A ring of two NPUs has one link, a clique of two as well; and where bandwidths are those of links all agree.
for topology in 'Ring(2)' 'FC(2)'; do
    for backend in analytical congestion flow; do
        says '' 1000000000 --set "network.topology=$topology" --set network.backend=$backend
    done
done
for backend in analytical congestion flow; do
    says '' 3000000000 --set network.bandwidth_is=link --set network.backend=$backend
done
# Up and down a switch a message goes as a whole, unless it is split: three times 1 ms and one packet of 1 us.
says '' 3000000000 --set 'network.topology=Switch(4)'
says '' 3000000000 --set 'network.topology=Switch(4)' --set network.backend=flow
says "$(whole 2 'dimension 1')" 6000000000 --set 'network.topology=Switch(4)' --set network.backend=congestion
says '' 3003000000 --set 'network.topology=Switch(4)' --set network.backend=congestion --set 'network.packet=1000 B'
# Of 31 messages through three dimensions 24 go along a ring only, 6 from its last NPU to the first of the next and 1,
# from NPU 15 to 16, through all three. At 1 GB/s 1 ms each.
stacked='network={topology: Ring(4)_FC(4)_Switch(2), dims: [{bandwidth: 1 GB/s}, {bandwidth: 1 GB/s, bandwidth_is: npu}, {bandwidth: 1 GB/s}], bandwidth_is: npu}'
says "--set: warning: network.bandwidth_is: $(of 2 1)
--set: warning: network.dims[1].bandwidth_is: $(of 3 2)" 31000000000 --set "$stacked"
# By whole messages over links of 1/2, 1/3 and 1 GB/s: 24 x 2 ms + 6 x (2 + 3) + 2 + 3 + 1 + 1.
says "--set: warning: network.bandwidth_is: $(of 2 1)
--set: warning: network.dims[1].bandwidth_is: $(of 3 2)
$(whole 4 'dimensions 1, 2, 3')" 85000000000 --set "$stacked" --set network.backend=congestion

# Stages of a pipeline along the second dimension; what is in the first are collectives.
cat >pipe.yml <<'END'
network: {topology: Switch(2)_FC(4), bandwidth: 900_100 GB/s, bandwidth_is: npu}
compute: {peak: 100 TFLOP/s}
workload:
  transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1000, sequence: 128}
  parallel: {tensor: 2, pipeline: 4}
  training: {batch: 4}
END
echo "pipe.yml:1:77: warning: network.bandwidth_is: $(of 3 2)" >expected
also pipe.yml
: >expected
also pipe.yml --set 'network.topology=FC(2)_Switch(4)'
also pipe.yml --set 'workload.parallel={tensor: 2, data: 4}'

# The ring of Table I keeps one link busy as well as the ring by name: 6 blocks of 1 MB. That the paper's network has
# all of the bandwidth for it is what was asked for.
cat >x.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s, bandwidth_is: npu}
system: {chunks: 1, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 4 MB}
END
ring="ring sends over one of the 2 links that share an NPU's bandwidth in dimension 1 (bandwidth_is: npu), which is 1/2 of it on the congestion and flow backends, but all of it on the analytical one"
says '' 6000000000
says "x.yml:2:43: warning: system.algorithms.default: $ring" 12000000000 --set network.backend=flow
for algorithm in ring by_block '[by_block]'; do
    says "--set: warning: system.algorithms.all_reduce: $ring" \
        12000000000 --set network.backend=congestion --set "system.algorithms={all_reduce: $algorithm}"
done
says '' 6000000000 --set 'system.algorithms={all_reduce: bidirectional_ring}' --set network.backend=flow
says '' 6000000000 --set 'system.algorithms={default: by_block}' --set 'network.topology=FC(4)' --set network.backend=flow

# ---- computations beside what goes through an NPU ----

# Without channels nothing goes through one; 6 x (1 ms + 2 us of overhead).
cat >x.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s, message_overhead: 2 us}
system: {chunks: 1, algorithms: {all_reduce: ring}}
compute: {mode: replay, forwarding_slowdown: 1.3}
workload: {generate: all_reduce, bytes: 4 MB}
END
says 'x.yml:3:25: warning: compute.forwarding_slowdown has no effect: no channel of the network leads over an NPU' 6012000000
says '--set: warning: compute.forwarding has no effect: it needs forwarding_slowdown' 6012000000 \
    --set 'compute={mode: replay, forwarding: collective}'
says '' 6012000000 --set 'compute={mode: replay, communication_slowdown: 2}'

# ---- nodes without durations ----

# A forward and a backward pass of a layer on each of 4 NPUs, whose traces are alike; 1.5 MiB of 1 MiB on a ring at
# 1 GB/s, 1572864 ns, is all the time there is.
"$ORRERY_BIN" gen mlp --npus 4 --bytes 1MiB --output mlp >out || echo "$(cat out)"
cat >replay.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s}
workload: {traces: mlp}
system: {algorithms: {default: by_block}}
END
replayed='2 of 2 nodes that are replayed have no recorded duration, and take'
echo "replay.yml:2:20: warning: $replayed no time; compute.peak sets the rate of operations, and memory.local that of bytes" >expected
also replay.yml
also replay.yml --set compute.mode=replay
grep -q '^  "wall_ps": 1572864000,$' out || { echo "replay: $(grep wall_ps out)"; failures=$((failures + 1)); }
: >expected
also replay.yml --set 'compute={peak: 1 TFLOP/s}'
# Where the file itself says that nothing else is wanted, there is nothing to say.
printf 'workload: {generate: mlp, bytes: 1 MiB}\n' >mlp.yml
also mlp.yml --set compute.mode=replay --topology 'Ring(4)' --bandwidth '1 GB/s'

# ---- all-reduces of models ----

cat >model.yml <<'EOF'
network: {graph: {npus: 2, fabric: ideal-switch, bandwidth: 1 GB/s}, shares: maxmin}
system: {monolithic_all_reduce: ring_stream}
compute: {peak: 1 TFLOP/s}
memory: {local: {bandwidth: 1 TB/s}}
workload:
  model: {batch: 8, operators: [{data: {shape: [4]}}, {dense: {out: 4}}, {loss: {}}]}
EOF
echo 'model.yml:2:10: warning: system.monolithic_all_reduce has no effect: all-reduces of models and task graphs are done as workload.all_reduce says' >expected
also model.yml
: >expected
sed '/^system/d' model.yml >plain.yml
also plain.yml --set workload.all_reduce=ring_stream

# ---- keys of generators ----

# 4000 bytes on Ring(4) without latency, one chunk: six blocks of 1000 bytes.
cat >generate.yml <<'EOF'
network: {topology: Ring(4), bandwidth: 1 GB/s}
system: {chunks: 1, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 4000 B, root: 99, layers: 3, batch: 5}
EOF
cat >expected <<'EOF'
generate.yml:3:49: warning: workload.root has no effect: only broadcast, reduce, gather and scatter have a root
generate.yml:3:59: warning: workload.layers has no effect: only the generator mlp reads it
generate.yml:3:70: warning: workload.batch has no effect: only the generator mlp reads it
EOF
also generate.yml
: >expected
also generate.yml --set 'workload={generate: broadcast, bytes: 4000 B, root: 3}'
also generate.yml --set 'workload={generate: mlp, bytes: 4000 B, layers: 3, batch: 2, repeat: 2, optimizer: true}' --set 'compute={peak: 1 TFLOP/s}'
also generate.yml --set 'workload={generate: p2p, bytes: 4000 B, forward_flops: 5}' --set 'compute={peak: 1 TFLOP/s}'
echo '--set: warning: workload.bytes has no effect: a barrier sends none' >expected
also generate.yml --set 'workload={generate: barrier, bytes: 4000 B}'
cat >expected <<'EOF'
--set: warning: network.packet has no effect: the backend analytical does not use it, only congestion, flow
--set: warning: network.handshake has no effect: the backend analytical does not use it, only flow
--set: warning: network.messages_per_link has no effect: the backend analytical does not use it, only flow
EOF
also generate.yml --set 'workload={generate: all_reduce, bytes: 4000 B}' --set 'network.packet=1 KiB' \
    --set 'network.handshake=1 KiB' --set network.messages_per_link=3

# ---- ASTRA-sim's files ----

cat >network.yml <<'END'
topology: [Ring, Ring, Switch]
npus_count: [3, 2, 2]
bandwidth: [50, 50, 50]
latency: [500, 500, 500]
END
"$ORRERY_BIN" gen all_reduce --npus 12 --bytes 1MiB --output ar >out || cat out
# astra TEXT SYSTEM: the run with this file succeeds, and says this
astra() {
    "$ORRERY_BIN" run --workload-configuration "${3:-ar}" --system-configuration "$2" \
        --network-configuration network.yml >out 2>err || cat err
    [ "$(cat err)" = "$1" ] || {
        printf '%s: expected "%s", said "%s"\n' "$2" "$1" "$(cat err)"
        failures=$((failures + 1))
    }
}
sed 's/\["ring"\]/["ring", "ring", "halvingDoubling"]/' "$ORRERY_SOURCE_DIR/inputs/astra/system.json" >all.json
astra '' all.json
sed 's/"ring"/"oneRing"/' "$ORRERY_SOURCE_DIR/inputs/astra/system.json" >flat.json
astra '' flat.json
sed 's/\["ring"\]/["ring", "ring"]/' "$ORRERY_SOURCE_DIR/inputs/astra/system.json" >two.json
astra 'two.json:7:34: warning: all-reduce-implementation has 2 entries for 3 dimensions: collectives leave the last 1 idle, and NPUs that are apart in them exchange nothing' two.json
"$ORRERY_BIN" gen mlp --npus 12 --bytes 1MiB --output mlp12 >out || cat out
sed 's/"roofline-enabled": 1/"roofline-enabled": 0/' all.json >plain.json
astra "mlp12: warning: $replayed 1 ns each; roofline-enabled and peak-perf of the system file set the rate of operations" \
    plain.json mlp12

# A tree reduces and spreads whole buffers, so that it has no reduce-scatter: below the last dimension
# another algorithm runs, as when that is named. With a scheduler so it does in the last one; one
# dimension after the other, or on a single one, the tree does all.
cat >x.yml <<'END'
network: {topology: Switch(4)_Switch(2), bandwidth: 1 GB/s, latency: 1 us}
system: {chunks: 1, scheduler: baseline, algorithms: {all_reduce: [direct, tree]}}
workload: {generate: all_reduce, bytes: 8000 B}
END
"$ORRERY_BIN" run x.yml --json - >out
direct=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out)
says "" "$direct"
cannot='warning: system.algorithms.all_reduce: tree cannot do reduce_scatter, a phase of all-reduces over several dimensions, among the'
says "--set: $cannot 4 NPUs of dimension 1; direct runs instead" "$direct" \
    --set system.algorithms.all_reduce=tree
"$ORRERY_BIN" run x.yml --set system.algorithms.all_reduce=tree --set system.scheduler=themis >out 2>err
[ "$(cat err)" = "--set: $cannot 4 NPUs of dimension 1; direct runs instead
--set: $cannot 2 NPUs of dimension 2; direct runs instead" ] || {
    printf 'themis: said %s\n' "$(cat err)"
    failures=$((failures + 1))
}
for way in system.all_reduce=per_dimension network.topology='Switch(4)_Switch(1)'; do
    "$ORRERY_BIN" run x.yml --set system.algorithms.all_reduce=tree --set "$way" >out 2>err && [ ! -s err ] || {
        printf '%s: said %s\n' "$way" "$(cat err)"
        failures=$((failures + 1))
    }
done

[ "$failures" -eq 0 ] && echo "notes: as expected"
exit $((failures > 0))
