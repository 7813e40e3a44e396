#!/bin/sh
# Links that die for good while flows share them, alone or as the rounds of an all-reduce: the job
# that cannot finish ends with status 3 and names the link, however many flows stand still there and
# whatever else goes on.
set -u

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# stands_still "TEXTS, a line each" ARGUMENTS...: exit status 3, and all texts are on stderr
stands_still() {
    texts=$1
    shift
    "$ORRERY_BIN" run "$@" >out 2>err
    status=$?
    [ $status -eq 3 ] || {
        printf '%s: expected exit status 3, got %s\n' "$*" $status
        failures=$((failures + 1))
    }
    printf '%s\n' "$texts" >texts
    while read -r text; do
        grep -qF -- "$text" err || {
            printf '%s: expected "%s", got "%s"\n' "$*" "$text" "$(cat err)"
            failures=$((failures + 1))
        }
    done <texts
}

# Two rings, 6 rounds of 1 ms and 1 us each: one stands in its third round, the other one ends.
cat >ring.yml <<'END'
network:
  backend: flow
  graph: {npus: 4, fabric: "circulant:1", bandwidth: 1 GB/s, latency: 1 us}
  changes: [{at: 2502 us, link: 0-1, bandwidth: 0 GB/s, one_way: true}]
system: {monolithic_all_reduce: ring}
workload: {generate: all_reduce, bytes: 8 MB, repeat: 2}
END
stands_still 'the job cannot finish: 8 nodes on 4 of 4 NPUs left at 6.006 ms
1 flow is stalled; the link from 0 to 1 carries nothing (from NPU 0 to NPU 1)
network.changes last set the link from 0 to 1, at 2.502 ms' ring.yml
# In one direction the ring of 3 rounds is still under way when the link is half as wide at first.
stands_still '1 flow is stalled; the link from 0 to 1 carries nothing (from NPU 0 to NPU 1)' \
    ring.yml --set 'network.changes=[{at: 1 ms, link: 0-1, bandwidth: 500 MB/s}, {at: 3 ms, link: 0-1, bandwidth: 0 GB/s}]' \
    --set network.graph.fabric=circulant:+1

# Four flows from each of three NPUs, four of one path together.
cat >all.yml <<'END'
network:
  backend: flow
  graph: {npus: 4, fabric: ideal-switch, bandwidth: 1 GB/s, latency: 1 us}
  changes: [{at: 1 ms, link: 4-2, bandwidth: 0 GB/s, one_way: true}]
system: {chunks: 4}
workload: {generate: all_to_all, bytes: 8 MB}
END
stands_still '12 flows are stalled; the link from 4 to 2 carries nothing (from NPU' all.yml
# With windows, and when it has been dead from the start, without bytes to send too.
stands_still '12 flows are stalled; the link from 4 to 2 carries nothing (from NPU' \
    all.yml --set network.shares=windows --set 'network.packet=8936 B'
stands_still '12 flows are stalled; the link from 4 to 2 carries nothing (from NPU' \
    all.yml --set 'network.changes=[{at: 0 us, link: 4-2, bandwidth: 0 GB/s, one_way: true}]' \
    --set 'workload.bytes=4 B'
stands_still '; the link from 4 to 2 carries nothing (from NPU' \
    all.yml --set 'network.changes=[{at: 0 us, link: 4-2, bandwidth: 0 GB/s, one_way: true}]' \
    --set workload.generate=barrier

# The other job of the cluster ends.
cat >fabric.yml <<'END'
network:
  graph: {npus: 8, fabric: ideal-switch, bandwidth: 1 GB/s, latency: 1 us}
  changes: [{at: 1 ms, link: 8-2, bandwidth: 0 GB/s, one_way: true}]
END
echo 'workload: {generate: all_reduce, bytes: 4 MB}' >reduce.yml
cat >jobs.yml <<'END'
cluster: {servers: 8, fabric: fabric.yml, flow_model: maxmin}
jobs:
  - {name: stands, workload: reduce.yml, npus: 4}
  - {name: ends, workload: reduce.yml, npus: 4, iterations: 2}
END
stands_still 'stands: deadlock: the job cannot finish: 4 nodes on 4 of 8 NPUs
the link from 8 to 2 carries nothing (from NPU' --cluster jobs.yml

[ $failures -eq 0 ]
