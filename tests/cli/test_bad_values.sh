#!/bin/sh
# Values at the edge of what makes sense: what runs, and what is refused with its place and what was expected.
# shellcheck disable=SC2086 # words of options
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses STATUS TEXT ARGUMENT...: this exit status, nothing on standard output, the text on standard error
refuses() {
    expected=$1 text=$2
    shift 2
    "$ORRERY_BIN" run "$@" >out 2>err
    status=$?
    [ $status = "$expected" ] && [ ! -s out ] && grep -qF -- "$text" err ||
        fail "run $*: exit status $status, expected \"$text\", got \"$(head -3 err)\""
}

net='--topology Ring(4) --bandwidth 1GB/s' # words

# ---- auto: groups of one, a byte, blocks that hardly fit ----

for kind in all_reduce all_to_all all_gather reduce_scatter broadcast reduce gather scatter; do
    for topology in 'Ring(1)' 'Switch(3)' 'FC(5)' 'Ring(2)_Switch(3)' 'Switch(7)_Ring(1)'; do
        "$ORRERY_BIN" run --topology "$topology" --bandwidth '1 GB/s' --set "workload={generate: $kind, bytes: 1 B}" \
            >out 2>err || fail "$kind of a byte on $topology: $(head -3 err)"
    done
    refuses 2 'workload.bytes: expected a size above 0' $net --set "workload={generate: $kind, bytes: 0 B}"
done

# A trace may have a collective of 0 bytes, and one of a group of one: neither takes time.
collective() {
    printf '{"version": "0.0.4"}\n'
    printf '{"id": "1", "name": "c", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "%s"}, ' "$1"
    printf '{"name": "comm_size", "int64Val": "%s"}%s]}\n' "$2" "$3"
}
collective 0 0 '' >none
collective 0 1000 ', {"name": "pg_name", "stringVal": "1"}' >single.2.et
for rank in 0 1 3; do printf '{"version": "0.0.4"}\n' >single.$rank.et; done
echo '{"1": [2]}' >groups.json
for backend in analytical congestion flow; do
    for traces in none single; do
        more=
        [ $traces = none ] || more='--set workload.groups_file=groups.json'
        "$ORRERY_BIN" run $net --set network.backend=$backend --set workload.traces=$traces $more >out 2>err &&
            grep -q '^job time 0 ps on 4 NPUs' out || fail "$traces, $backend: $(head -3 out err)"
    done
done

# ---- algorithms that the block cannot do ----

refuses 2 'system.algorithms.all_reduce: switch_reduce reduces inside a switch, but dimension 1 is no switch' $net \
    --set system.algorithms.all_reduce=switch_reduce --set 'workload={generate: all_reduce, bytes: 1 kB}'

# ---- bandwidths of 0 ----

job='workload: {generate: all_reduce, bytes: 1 kB}'
zero='expected a positive bandwidth such as "50 GB/s", got "0 GB/s"; it is zero'
printf 'network: {dims: [{block: ring, npus: 4, bandwidth: 0 GB/s, latency: 1 us}]}\n%s\n' "$job" >dims.yml
refuses 2 "dims.yml:1:52: network.dims[0].bandwidth: $zero" dims.yml
refuses 2 "orrery run: --bandwidth: $zero" --topology 'Ring(4)_Switch(2)' --bandwidth '10_0 GB/s' --set "$(echo "$job" | sed 's/: /=/')"
printf 'network: {graph: {npus: 3, links: [{from: 0, to: 1, bandwidth: 1 GB/s}, {from: 1, to: 2, bandwidth: 0 GB/s}]}}\n%s\n' \
    "$job" >graph.yml
refuses 2 "graph.yml:1:101: network.graph.links[1].bandwidth: $zero" graph.yml

# A link of a chain that is cut from the start on: nothing comes over it.
cat >cut.yml <<END
network:
  graph: {npus: 4, bandwidth: 1 GB/s, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}]}
  changes: [{at: 0 s, link: 1-2, bandwidth: 0}]
$job
END
refuses 3 'deadlock: the job cannot finish: 4 nodes on 4 of 4 NPUs' cut.yml
grep -qF 'the link from 1 to 2 carries nothing' err || fail "cut.yml: $(cat err)"

printf '{"scheduling-policy": "LIFO", "all-reduce-implementation": ["ring", "ring"]}\n' >system.json
printf 'topology: [Ring, Switch]\nnpus_count: [2, 2]\nbandwidth: [50, 0]\nlatency: [500.0, 500]\n' >network.yml
refuses 2 'network.yml:3:17: bandwidth[1]: expected a number of GiB/s > 0, such as 50.0, got "0"' \
    --workload-configuration none --system-configuration system.json --network-configuration network.yml

# ---- collectives that members understand differently ----

for rank in 0 1; do collective 5 1000 ", {\"name\": \"comm_root\", \"int32Val\": $rank}" >roots.$rank.et; done
refuses 3 'on NPU 0 that one is broadcast of 1000 bytes with root 0, not 1 (c)' --topology 'Switch(2)' \
    --bandwidth '1 GB/s' --set workload.traces=roots

# ---- keys of generators beside traces ----

printf 'workload: {traces: none, bytes: 1 kB, root: 1, layers: 3}\n' >idle.yml
"$ORRERY_BIN" run $net idle.yml >out 2>err || fail "idle.yml: exit status $?"
for key in bytes root layers; do
    grep -q "^idle.yml:1:[0-9]*: warning: workload.$key has no effect: only a generator (generate) reads it$" err ||
        fail "idle.yml: $key: $(cat err)"
done
[ "$(wc -l <err)" = 3 ] || fail "idle.yml: $(cat err)"

exit $((failures > 0))
