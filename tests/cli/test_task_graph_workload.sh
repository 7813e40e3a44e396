#!/bin/sh
# Task graphs as workloads: the time of orrery run --taskgraph, to the picosecond, as a key, as
# converted traces, and with the outputs that every job has. The published graphs, where they are.
set -u

corpus=$ORRERY_SOURCE_DIR/tests/fuzz/corpus/fuzz_flexflow
graphs=$ORRERY_SHARED/data/flexflow/taskgraphs
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# wall ARGUMENT...: the time of a run, or what it says
wall() {
    "$ORRERY_BIN" run "$@" --json out.json >out.txt 2>&1 || cat out.txt
    sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out.json
    rm -f out.json
}

# same WHAT WANT FOUND
same() {
    [ -n "$2" ] && [ "$2" = "$3" ] || fail "$1: expected $2 ps, got $3"
}

# compare FILE NPUS FABRIC ALL-REDUCE SHARES
compare() {
    want=$(wall --taskgraph "$1" --fabric "$3" --link-bandwidth 100Gb/s --all-reduce "$4" --flow-model "$5")
    shares=
    [ "$5" = windows ] || shares=', shares: maxmin'
    printf 'network: {graph: {fabric: %s, npus: %s, bandwidth: 100 Gb/s}%s}\n' "$3" "$2" "$shares" >p.yml
    printf 'workload: {taskgraph: %s, all_reduce: "%s"}\n' "$1" "$4" >w.yml
    same "$1, $3, $4, $5" "$want" "$(wall p.yml w.yml)"
    printf 'workload: {traces: t, groups_file: t.groups.json, all_reduce: "%s"}\n' "$4" >w.yml
    same "$1 converted, $3, $4, $5" "$want" "$(wall p.yml w.yml)"
}

# An own graph of two servers.
"$ORRERY_BIN" convert flexflow "$corpus/small.fbuf" -o t >/dev/null || fail 'small.fbuf is not converted'
for all_reduce in ring ring_stream bidirectional_ring_stream hierarchical:2 pipelined_ring:2 parameter_server; do
    compare "$corpus/small.fbuf" 2 ideal-switch "$all_reduce" windows
    compare "$corpus/small.fbuf" 2 full-mesh "$all_reduce" equal
done

# Its own network, without any platform; every output of a job.
printf 'workload: {taskgraph: %s}\n' "$corpus/small.fbuf" >w.yml
same 'its own network' "$(wall --taskgraph "$corpus/small.fbuf")" "$(wall w.yml)"
"$ORRERY_BIN" run w.yml --why --csv out.csv --timeline out.trace >out.txt 2>&1 || fail "outputs: $(cat out.txt)"
[ -s out.csv ] && [ -s out.trace ] && grep -q 'critical path' out.txt || fail 'an output is missing'
"$ORRERY_BIN" whatif --taskgraph "$corpus/small.fbuf" --set workload.all_reduce=parameter_server >other.txt 2>&1 ||
    fail "whatif --taskgraph: $(cat other.txt)"
"$ORRERY_BIN" whatif w.yml >out.txt 2>&1 || fail "whatif: $(cat out.txt)"
printf 'sweep: {platform: w.yml, axes: {workload.all_reduce: [ring, parameter_server]}}\n' >s.yml
"$ORRERY_BIN" sweep s.yml >out.txt 2>&1 || fail "sweep: $(cat out.txt)"

# Mistakes.
refuses() {
    "$ORRERY_BIN" run "$1" >out.txt 2>err.txt
    [ $? -eq 2 ] || fail "$1: expected exit status 2"
    grep -q "$2" err.txt || fail "$1: expected \"$2\", got: $(cat err.txt)"
}
printf 'workload: {taskgraph: nowhere.fbuf}\n' >a.yml
refuses a.yml 'nowhere.fbuf'
printf 'network: {graph: {fabric: graph, npus: 2}}\nworkload: {generate: all_reduce, bytes: 1 MiB}\n' >b.yml
refuses b.yml 'network.graph.fabric: expected a builder of graphs'
printf 'network: {topology: Switch(1), bandwidth: 1 GB/s}\nworkload: {taskgraph: %s}\n' "$corpus/small.fbuf" >c.yml
refuses c.yml 'the task graph needs 2 servers, and the network has 1'
printf 'workload: {taskgraph: %s, all_reduce: spiral}\n' "$corpus/small.fbuf" >d.yml
refuses d.yml 'expected one of ring, ring_stream, bidirectional_ring_stream, pipelined_ring'

# A transfer that the network does not bring: it is under way, which both of its ends say.
printf 'network: {graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 1 GB/s}]}, changes: [{at: 1 us, link: 0-1, bandwidth: 0}]}\n' >p.yml
printf 'workload: {taskgraph: %s}\n' "$corpus/npus.dot" >w.yml
"$ORRERY_BIN" run p.yml w.yml >out.txt 2>err.txt
[ $? -eq 3 ] || fail 'a link that carries nothing: expected exit status 3'
for text in 'send to NPU 1, tag 0, 1048576 bytes: the network does not deliver it to NPU 1' \
    'NPU 0 has started to send it, but the network does not deliver it' \
    'receive from NPU 1, tag 0, 1024 bytes: NPU 1 has not sent it' 'the link from 0 to 1 carries nothing'; do
    grep -q "$text" err.txt || fail "a link that carries nothing: expected \"$text\", got: $(cat err.txt)"
done

# Published graphs.
for graph in 100dlrm_16 100candle_16 400transformer_16; do
    [ -e "$graphs/$graph.fbuf" ] || continue
    "$ORRERY_BIN" convert flexflow "$graphs/$graph.fbuf" -o t >/dev/null || fail "$graph is not converted"
    # A fabric each; ORRERY_LONG=1 takes all.
    case ${ORRERY_LONG:-$graph} in
    100dlrm_16) fabrics=ideal-switch ;;
    100candle_16) fabrics=full-mesh ;;
    400transformer_16) fabrics=fat-tree ;;
    *) fabrics='ideal-switch fat-tree full-mesh' ;;
    esac
    for fabric in $fabrics; do
        compare "$graphs/$graph.fbuf" 16 "$fabric" ring windows
    done
    compare "$graphs/$graph.fbuf" 16 fat-tree hierarchical:4 equal
    printf 'include: t.topology.yml\nworkload: {taskgraph: %s}\n' "$graphs/$graph.fbuf" >w.yml
    printf 'include: t.topology.yml\nworkload: {traces: t, groups_file: t.groups.json}\n' >v.yml
    same "$graph on its own network" "$(wall w.yml)" "$(wall v.yml)"
done

[ "$failures" -eq 0 ]
