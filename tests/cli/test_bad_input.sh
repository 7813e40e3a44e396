#!/bin/sh
# Wrong input files and options: the whole of what is said on standard error, and exit status 2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/lib.sh"

# ---- files as such ----

refuses 2 --system-configuration absent.json <<'END'
absent.json: cannot be opened: No such file or directory
END

mkdir folder
refuses 2 --system-configuration folder <<'END'
folder: expected a file, got a directory
END

: >empty
refuses 2 --network-configuration empty <<'END'
empty: the file is empty; expected keys with values
END

printf '\177ELF\002\001\001\000\000' >binary
refuses 2 --network-configuration binary <<'END'
binary: this is a program, not a configuration in YAML: orrery run --list-inputs lists the installed inputs
END

printf 'topology: \377\376\n' >latin
refuses 2 --network-configuration latin <<'END'
latin:1:11: syntax error: invalid leading UTF-8 octet
END

# ---- syntax ----

printf '{\n    "endpoint-delay": 10,\n    "local-mem-bw": [50\n}\n' >open.json
refuses 2 --system-configuration open.json <<'END'
open.json:4:1: syntax error: did not find expected ',' or ']' while parsing a flow sequence
END

printf '{\n    "endpoint-delay": 10\n    "local-mem-bw": 50\n}\n' >comma.json
refuses 2 --system-configuration comma.json <<'END'
comma.json:3:19: syntax error: did not find expected ',' or '}' while parsing a flow mapping
END

printf '{"endpoint-delay": 10} trailing\n' >trailing.json
refuses 2 --system-configuration trailing.json <<'END'
trailing.json:1:24: syntax error: did not find expected <document start>
END

printf 'topology: [ Ring ]\n\tnpus_count: [ 4 ]\n' >tab.yml
refuses 2 --network-configuration tab.yml <<'END'
tab.yml:2:1: syntax error: YAML is indented with spaces, not with a tab
END

printf 'topology: &t [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\nlatency: [ 5 ]\n' >anchor.yml
refuses 2 --network-configuration anchor.yml <<'END'
anchor.yml:1:11: anchors (&name) are not supported
END

printf 'topology: [ &t Ring ]\nnpus_count: [ 4 ]\n' >anchor2.yml
refuses 2 --network-configuration anchor2.yml <<'END'
anchor2.yml:1:13: anchors (&name) are not supported
END

printf 'topology: [ Ring ]\nnpus_count: *t\n' >alias.yml
refuses 2 --network-configuration alias.yml <<'END'
alias.yml:2:13: aliases (*name) are not supported
END

printf 'topology: [ Ring ]\n---\nnpus_count: [ 4 ]\n' >two.yml
refuses 2 --network-configuration two.yml <<'END'
two.yml:2:1: expected one document, got a second
END

awk 'BEGIN { for (i = 0; i < 70; i++) printf "["; print "" }' >deep.json
refuses 2 --system-configuration deep.json <<'END'
deep.json:1:65: nested deeper than 64 levels
END

printf '[1, 2]\n' >list.json
refuses 2 --system-configuration list.json <<'END'
list.json:1:1: expected a mapping of keys to values, got a list
END

printf 'just text\n' >text.yml
refuses 2 --network-configuration text.yml <<'END'
text.yml:1:1: expected a mapping of keys to values, got "just text"
END

# ---- the system file ----

# system LINE: a system file with this line
system() {
    printf '{\n    %s\n}\n' "$1" >system.json
}

system '"endpoint-dealy": 10'
refuses 2 --system-configuration system.json <<'END'
system.json:2:5: endpoint-dealy: unknown key in a system file; did you mean "endpoint-delay"?
END

system '"xyzzy": 10'
refuses 2 --system-configuration system.json <<'END'
system.json:2:5: xyzzy: unknown key in a system file
END

system '"endpoint-delay": 10, "endpoint-delay": 20'
refuses 2 --system-configuration system.json <<'END'
system.json:2:27: duplicate key "endpoint-delay": it is given already at line 2
END

system '"endpoint-delay": "soon"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:23: endpoint-delay: expected a whole number from 0 to 1000000000000, got "soon"
END

system '"endpoint-delay": -1'
refuses 2 --system-configuration system.json <<'END'
system.json:2:23: endpoint-delay: expected a whole number from 0 to 1000000000000, got "-1"
END

system '"endpoint-delay": 1.5'
refuses 2 --system-configuration system.json <<'END'
system.json:2:23: endpoint-delay: expected a whole number from 0 to 1000000000000, got "1.5"
END

system '"endpoint-delay": [10]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:23: endpoint-delay: expected a whole number from 0 to 1000000000000, got a list
END

system '"active-chunks-per-dimension": 0'
refuses 2 --system-configuration system.json <<'END'
system.json:2:36: active-chunks-per-dimension: expected a whole number from 1 to 1000000, got "0"
END

system '"preferred-dataset-splits": 5000'
refuses 2 --system-configuration system.json <<'END'
system.json:2:33: preferred-dataset-splits: expected a whole number from 1 to 4096, got "5000"
END

system '"scheduling-policy": "lifo"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:26: scheduling-policy: expected LIFO, FIFO or EXPLICIT, got "lifo"
END

system '"collective-optimization": "themis"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:32: collective-optimization: expected baseline or localBWAware, got "themis"
END

system '"local-mem-bw": -50'
refuses 2 --system-configuration system.json <<'END'
system.json:2:21: local-mem-bw: expected a number >= 0, got "-50"
END

system '"local-mem-bw": "fast"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:21: local-mem-bw: expected a number >= 0, got "fast"
END

system '"roofline-enabled": 2'
refuses 2 --system-configuration system.json <<'END'
system.json:2:25: roofline-enabled: expected a whole number from 0 to 1, got "2"
END

system '"roofline-enabled": 1, "local-mem-bw": 50'
refuses 2 --system-configuration system.json <<'END'
system.json:1:1: roofline-enabled needs peak-perf (TFLOP/s) and local-mem-bw (GB/s), both > 0
END

system '"model-shared-bus": 1'
refuses 2 --system-configuration system.json <<'END'
system.json:2:25: model-shared-bus is not supported: there is no LogGP model of a shared bus; set it to 0
END

system '"per-node-custom-implementation": "nodes.yml"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:39: per-node-custom-implementation is not supported: give one custom collective for all nodes (all-reduce-implementation-custom)
END

system '"all-reduce-implementation": ["rign"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:35: all-reduce-implementation[0]: expected ring, direct, directN (N messages at a time, N >= 1), halvingDoubling, doubleBinaryTree, or oneRing, oneDirect, oneHalvingDoubling, got "rign"
END

system '"all-reduce-implementation": ["direct0"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:35: all-reduce-implementation[0]: expected ring, direct, directN (N messages at a time, N >= 1), halvingDoubling, doubleBinaryTree, or oneRing, oneDirect, oneHalvingDoubling, got "direct0"
END

system '"all-reduce-implementation": ["ring3"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:35: all-reduce-implementation[0]: expected ring, direct, directN (N messages at a time, N >= 1), halvingDoubling, doubleBinaryTree, or oneRing, oneDirect, oneHalvingDoubling, got "ring3"
END

system '"all-reduce-implementation": "ring"'
refuses 2 --system-configuration system.json <<'END'
system.json:2:34: all-reduce-implementation: expected a list with an algorithm for each dimension, got "ring"
END

system '"all-reduce-implementation": []'
refuses 2 --system-configuration system.json <<'END'
system.json:2:34: all-reduce-implementation: expected a list with an algorithm for each dimension, got an empty list
END

system '"all-gather-implementation": ["ring", "direct"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:34: all-gather-implementation has 2 entries, but the network has 1 dimension
END

system '"all-reduce-implementation-custom": ["a", "b"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:41: all-reduce-implementation-custom: expected a list of exactly one prefix of trace files, got a list
END

system '"all-reduce-implementation-custom": ["absent"]'
refuses 2 --system-configuration system.json <<'END'
system.json:2:41: the custom collective cannot be loaded: rank 0: no file absent.0.et or absent.0.et.gz, nor of any other rank, nor a file absent for all; expected one for each of the 4 NPUs of the platform
END

# position 1 of a ring of 4 sends to position 2, which a group of 2 does not have
"$ORRERY_BIN" gen p2p --npus 4 --bytes "100 B" --output ring >out || fail "gen p2p: $(cat out)" ""
traces pairs 4 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 65536
text pg_name 1
END
printf '{"1": [0, 1], "2": [2, 3]}\n' >pairs.json
traces two 2 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 65536
text pg_name 2
END
cp two.0.et pairs.2.et
cp two.0.et pairs.3.et
system '"all-reduce-implementation-custom": ["ring"]'
refuses 2 --workload-configuration pairs --system-configuration system.json \
    --comm-group-configuration pairs.json <<'END'
pairs.0.et: node 1 (all-reduce) of NPU 0 uses the custom collective ring, which names the position 2, in the group "1" of 2 ranks
END

# ---- the network file ----

# network TOPOLOGY NPUS BANDWIDTH LATENCY
network() {
    printf 'topology: %s\nnpus_count: %s\nbandwidth: %s\nlatency: %s\n' "$@" >network.yml
}

printf 'topology: [ Ring ]\nnpus_count: [ 4 ]\nlatency: [ 500 ]\n' >network.yml
refuses 2 --network-configuration network.yml <<'END'
network.yml:1:1: a network file needs the key "bandwidth" (GiB/s of a link of each dimension), such as bandwidth: [ 50.0, 25.0 ]
END

printf 'topology: [ Ring ]\nnpu_count: [ 4 ]\n' >network.yml
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:1: npu_count: unknown key in a network file; did you mean "npus_count"?
END

printf 'topology: [ Ring ]\nxyzzy: [ 4 ]\n' >network.yml
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:1: xyzzy: unknown key in a network file; expected topology, npus_count, bandwidth or latency
END

network '[ Ring, Ring ]' '[ 2, 2 ]' '[ 50 ]' '[ 500, 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:3:12: bandwidth has 1 entry, but topology has 2: one for each dimension
END

network '[ Torus ]' '[ 4 ]' '[ 50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:1:13: topology[0]: expected Ring, FullyConnected or Switch, got "Torus"
END

network '[ ring ]' '[ 4 ]' '[ 50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:1:13: topology[0]: expected Ring, FullyConnected or Switch, got "ring"
END

network Ring 4 50 500
refuses 2 --network-configuration network.yml <<'END'
network.yml:1:11: topology: expected a list with one entry for each dimension, got "Ring"
END

network '[ Ring ]' '[ 4 ]' '[ -50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:3:14: bandwidth[0]: expected a number of GiB/s > 0, such as 50.0, got "-50"
END

network '[ Ring ]' '[ 4 ]' '[ 0 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:3:14: bandwidth[0]: expected a number of GiB/s > 0, such as 50.0, got "0"
END

network '[ Ring ]' '[ 4 ]' '[ 50 GB/s ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:3:14: bandwidth[0]: expected a number of GiB/s > 0, such as 50.0, got "50 GB/s"
END

network '[ Ring ]' '[ 4 ]' '[ 50 ]' '[ -1 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:4:12: latency[0]: expected a number of ns >= 0, such as 500.0, got "-1"
END

network '[ Ring ]' '[ 4 ]' '[ 50 ]' '[ nan ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:4:12: latency[0]: expected a number of ns >= 0, such as 500.0, got "nan"
END

network '[ Ring ]' '[ 0 ]' '[ 50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:15: npus_count[0]: expected a whole number from 1 to 2147483647, got "0"
END

network '[ Ring ]' '[ 2.5 ]' '[ 50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:15: npus_count[0]: expected a whole number from 1 to 2147483647, got "2.5"
END

network '[ Ring, Ring ]' '[ 100000, 100000 ]' '[ 50, 50 ]' '[ 500, 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:13: npus_count: the dimensions have more than 2^31 NPUs together
END

network '[ Ring ]' '[ [ 4 ] ]' '[ 50 ]' '[ 500 ]'
refuses 2 --network-configuration network.yml <<'END'
network.yml:2:15: npus_count[0]: expected a whole number from 1 to 2147483647, got a list
END

# ---- the remote memory file ----

# memory TEXT
memory() {
    printf '{ %s }\n' "$1" >memory.json
}

memory ''
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:1: a remote memory file needs the key "memory-type" (type of the remote memory), such as "memory-type": "NO_MEMORY_EXPANSION"
END

memory '"memory-type": "POOL"'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:18: memory-type: expected NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION or MEMORY_POOL, got "POOL"
END

memory '"memory-typ": "MEMORY_POOL"'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:3: memory-typ: unknown key in a remote memory file; did you mean "memory-type"?
END

memory '"memory-type": "MEMORY_POOL", "remote-mem-latency": 100'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:1: a memory of the type MEMORY_POOL needs the key "remote-mem-bw"
END

memory '"memory-type": "MEMORY_POOL", "remote-mem-latency": 100, "remote-mem-bw": 0'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:77: remote-mem-bw: expected a number > 0, got "0"
END

memory '"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1, "remote-mem-bw": 2'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory.json:1:1: a memory of the type PER_NODE_MEMORY_EXPANSION needs the key "num-nodes"
END

memory '"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1, "remote-mem-bw": 2,
  "num-nodes": 1, "num-npus-per-node": 3'
refuses 2 --remote-memory-configuration memory.json <<'END'
memory: 1 nodes of 3 NPUs hold 3 NPUs, but the network has 4; nodes x npus_per_node must cover them
END

# ---- the communicator group file ----

# groups TEXT
groups() {
    printf '{ %s }\n' "$1" >groups.json
}

groups '"1": [0, 4]'
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:8: communicator group "1": rank 4 does not exist; the platform has the ranks 0 to 3
END

groups '"1": [0, 1, 0]'
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:8: communicator group "1": rank 0 is listed twice
END

groups '"1": [0, -1]'
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:12: 1[1]: expected a whole number from 0 to 4294967295, got "-1"
END

groups '"1": []'
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:8: 1: expected a list of ranks, got an empty list
END

groups '"1": [0, 1], "1": [2, 3]'
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:16: duplicate key "1": it is given already at line 1
END

printf '[[0, 1]]\n' >groups.json
refuses 2 --comm-group-configuration groups.json <<'END'
groups.json:1:1: expected a mapping of group names to lists of ranks, got a list
END

# ---- options ----

refuses 2 --network-backend analitical <<'END'
network backend: expected one of analytical, congestion, flow; got "analitical" (did you mean analytical?)
END
refuses 2 --network-backend packets <<'END'
network backend: expected one of analytical, congestion, flow; got "packets"
END
refuses 2 --num-queues-per-dim 0 <<'END'
orrery run: --num-queues-per-dim: expected a whole number from 1 to 255, got "0"
END
refuses 2 --injection-scale=much <<'END'
orrery run: --injection-scale: expected a whole number from 1 to 255, got "much"
END
refuses 2 --rendezvous-protocol=yes <<'END'
orrery run: --rendezvous-protocol: expected false or true, got "yes"
END
refuses 2 --format csv <<'END'
orrery run: --format: expected table or astra, got "csv"
END
refuses 2 --compat on <<'END'
orrery run: --compat: expected astra-sim or off, got "on"
END
refuses 2 --fold yes <<'END'
orrery run: --fold: expected off or auto, got "yes"
END
refuses 2 --netwrok-configuration good.yml <<'END'
orrery run: unknown option "--netwrok-configuration"; did you mean "--network-configuration"?
try 'orrery run --help'
END
refuses 2 --xyzzy <<'END'
orrery run: unknown option "--xyzzy"
try 'orrery run --help'
END
refuses 2 --network-configuration <<'END'
orrery run: an option needs a value: --network-configuration FILE
try 'orrery run --help'
END
refuses 2 --per-npu=yes <<'END'
orrery run: option "--per-npu" takes no value
END
refuses 2 --network 4 <<'END'
orrery run: ambiguous option "--network": --network-configuration or --network-backend
END
refuses 2 good.et <<'END'
orrery run: Orrery files and ASTRA-sim files cannot be combined; unexpected good.et
try 'orrery run --help'
END

finish
