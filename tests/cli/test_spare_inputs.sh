#!/bin/sh
# Results never overwrite what they are made from: the file itself, links to it, files that it
# includes or names, traces of a prefix. Exit status 2, a sentence, and every file as it was.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

sums() { find . -type f ! -name '.*' | sort | xargs cksum; }

# changes_nothing ARGUMENT...: is refused, .err tells why, and no file is changed
changes_nothing() {
    before=$(sums)
    "$ORRERY_BIN" "$@" >.out 2>.err
    status=$?
    [ $status -eq 2 ] || fail "$*: exit status $status, got \"$(head -3 .err)\""
    [ "$before" = "$(sums)" ] || fail "$*: a file is changed"
}

# refuses FILE ARGUMENT...: FILE is said to be an input
refuses() {
    file=$1
    shift
    changes_nothing "$@"
    grep -qF -- "$file: is an input" .err && grep -qF 'results would overwrite it' .err ||
        fail "$*: got \"$(head -3 .err)\""
}

# takes ARGUMENT...: is done, and may overwrite what it wrote before
takes() {
    for _ in first again; do
        "$ORRERY_BIN" "$@" >.out 2>.err || fail "$*: exit status $?, got \"$(head -3 .err)\""
    done
}

network='network: {dims: [{block: ring, npus: 2, bandwidth: 1 GB/s, latency: 1 us}]}'
printf '%s\nworkload: {generate: all_reduce, bytes: 1 kB}\n' "$network" >own.yml
printf '%s\n' "$network" >part.yml
printf 'include: part.yml\nworkload: {traces: traces/ar, groups_file: groups.json}\n' >whole.yml
printf '{}\n' >groups.json
mkdir traces sub
takes gen all_reduce --npus 2 --bytes '1 kB' --output traces/ar
ln -s own.yml soft.yml
ln own.yml hard.yml

# ---- run: own files, links, includes, traces, other outputs ----

for name in own.yml soft.yml hard.yml sub/../own.yml; do
    refuses $name run own.yml --json $name
done
for option in csv timeline memory-timeline; do
    refuses own.yml run own.yml --$option own.yml
    refuses own.yml run own.yml --$option=own.yml
done
refuses part.yml run whole.yml --json part.yml
refuses groups.json run whole.yml --json groups.json
refuses traces/ar.1.et run whole.yml --csv traces/ar.1.et
refuses traces/ar.0.et run own.yml --set workload.traces=traces/ar --csv traces/ar.0.et
takes run whole.yml --json result.json --csv result.csv

# ---- run: ASTRA-sim's files, task graphs, jobs ----

printf '{"scheduling-policy": "LIFO", "all-reduce-implementation": ["ring"]}\n' >system.json
printf 'topology: [Ring]\nnpus_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n' >network.yml
for file in system.json network.yml traces/ar.1.et; do
    refuses $file run --workload-configuration traces/ar --system-configuration system.json \
        --network-configuration=network.yml --json $file
done
echo 'digraph g { node0 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=1000 }"]; }' >two.dot
printf 'cluster: {fabric: ideal-switch, link_bandwidth: 1 GB/s, servers: 2}\njobs: [{taskgraph: two.dot}]\n' >jobs.yml
refuses two.dot run --taskgraph two.dot --fabric ideal-switch --link-bandwidth 1GB/s --json two.dot
refuses two.dot run --cluster jobs.yml --json two.dot
refuses jobs.yml run --cluster jobs.yml --link-stats jobs.yml

# ---- the other commands ----

refuses own.yml whatif own.yml --json own.yml
refuses part.yml whatif whole.yml --csv part.yml
refuses part.yml bench-collective part.yml --csv part.yml
takes run own.yml --json a.json
takes run own.yml --set network.dims[0].latency=2us --json b.json
refuses a.json diff a.json b.json --json a.json
refuses b.json diff a.json b.json --csv ./b.json
cp part.yml graph.dot
refuses part.yml topo draw part.yml -o part.yml
refuses graph.dot topo draw graph.dot -ograph.dot
takes trace info traces/ar.0.et
refuses traces/ar.0.et trace cut traces/ar.0.et --from a --to b -o traces/ar.0.et
refuses traces/ar.0.et trace scale traces/ar --traces 2 --npus 4 -o traces/ar
refuses traces/ar.0.et convert chakra traces/ar.0.et traces/ar.1.et -o traces/ar
refuses traces/ar.1.et convert pytorch --et 'traces/ar.{rank}.et' --npus 2 --output r --report traces/ar.1.et
printf 'workload: {traces: traces/ar}\n' >named.yml
refuses traces/ar.0.et gen named.yml --npus 2 --output traces/ar

printf 'sweep:\n  platform: part.yml\n  workload: named.yml\n  output: points\n  axes:\n    network.dims[0].npus: [2]\n' >sweep.yml
takes trace diff --json - traces/ar.0.et traces/ar.0.et
cp named.yml points.csv
sed 's/named.yml/points.csv/' sweep.yml >names.yml
refuses points.csv sweep names.yml
refuses points.csv sweep names.yml --output ./points
rm points.csv

# ---- one file of two options ----

# twice FILE ARGUMENT...: two options write FILE, of which only one would be there
twice() {
    file=$1
    shift
    changes_nothing "$@"
    [ "$(cat .err)" = "orrery $1: $file: two options write it; one would overwrite the other" ] ||
        fail "$*: got \"$(head -3 .err)\""
}

twice both run own.yml --json both --csv both
twice both run own.yml --json=both --timeline both
twice a.json run own.yml --json a.json --csv a.json
twice points.csv sweep sweep.yml --output points --json points.csv
twice d.yml fit compute a.csv --platform own.yml --workload named.yml -o d.yml --save-compute d.yml
takes run own.yml --json /dev/null --csv /dev/null
takes run own.yml --json - --csv -

exit $failures
