#!/bin/sh
# One of a thing is written in the singular, wherever things are counted.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
things='NPUs|tasks|servers|nodes|edges|ranks|traces|points|messages|events|links|switches|hops|jobs|layers|classes|all-reduces|bytes|groups|dimensions|steps|operators|devices|pairs|weights|dependencies'

# counts ARGUMENT...: prints something, and no "1 things"
counts() {
    "$ORRERY_BIN" "$@" >out 2>&1
    status=$?
    if [ ! -s out ] || grep -qE "(^|[^0-9.])1 ($things)([^a-z]|$)" out; then
        printf '%s: exit status %d: %s\n' "$*" $status "$(grep -E "1 ($things)" out | head -3)"
        failures=$((failures + 1))
    fi
}

printf 'network: {dims: [{block: ring, npus: 1, bandwidth: 1 GB/s, latency: 1 us}]}\nworkload: {generate: all_reduce, bytes: 1 B}\n' >one.yml
printf 'workload: {transformer: {layers: 1, hidden: 16, heads: 1, sequence: 1, vocabulary: 8}, training: {batch: 1}}\n' >model.yml
echo '{"version": "0.0.4"}
{"id": "1", "name": "step 1", "type": "COMM_SEND_NODE", "attr": [{"name": "comm_dst", "int32Val": 1}, {"name": "comm_size", "int64Val": "1"}]}' >send.0.et
echo 'digraph g { node0 [label="{ npu_id=0 | x | COMP | FORWARD | compute_time=1.0 }"]; }' >one.dot
printf 'model: {batch: 1, operators: [{data: {shape: [1]}}, {relu: {}}]}\n' >graph.yml
printf 'cluster: {fabric: ideal-switch, link_bandwidth: 1 GB/s, servers: 1}\njobs: [{taskgraph: one.dot}]\n' >jobs.yml
printf 'sweep:\n  platform: one.yml\n  output: points\n  axes:\n    network.dims[0].bandwidth: [1 GB/s]\n' >sweep.yml
cp send.0.et other.0.et

counts run one.yml
counts run one.yml --explain
counts run one.yml --explain-fold --fold auto
counts whatif one.yml
counts run one.yml --topology 'Ring(4)' --bandwidth '1 GB/s'
counts bench-collective one.yml --min 1 --max 1
counts topo show one.yml
counts topo show full-mesh --npus 2 --bandwidth '1 GB/s'
counts topo show ideal-switch --npus 1 --bandwidth '1 GB/s'
counts gen model.yml --npus 1 --output made
counts gen all_reduce --npus 1 --bytes 1B --output one
counts run --topology 'Switch(2)' --bandwidth '1 GB/s' --set 'workload.traces=send'
counts trace info send.0.et
counts trace check send.0.et
counts trace stats send.0.et
counts trace diff send.0.et other.0.et
counts trace cut send
counts trace cut send --step 1 -o cut
counts trace scale send --traces 1 --npus 2 -o scaled
counts convert chakra send.0.et -o converted
counts run --taskgraph one.dot --fabric ideal-switch --link-bandwidth 1GB/s
counts run --jobs jobs.yml
counts model check graph.yml
counts model show graph.yml
counts model demand graph.yml --devices 1
counts taskgraph show one.dot
counts taskgraph check one.dot
counts sweep sweep.yml --progress never
exit $failures
