#!/bin/bash
# Compute and local accesses that share a memory of 1 GB/s, beside 1 GFLOP/s of compute.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >p.yml <<'END'
network: {dims: [{block: switch, npus: 2, bandwidth: 1 GB/s}]}
memory: {local: {bandwidth: 1 GB/s}}
compute: {peak: 1 GFLOP/s}
workload: {traces: t}
END
node() { # ID KIND BYTES OPERATIONS
    printf '{"id": "%s", "name": "n%s", "type": "%s", "attr": [{"name": "tensor_size", "uint64Val": "%s"},
      {"name": "is_cpu_op", "boolVal": false}, {"name": "%s", "int64Val": "%s"}]}\n' "$1" "$1" "$2" "$3" \
        "$([ "$2" = COMP_NODE ] && echo num_ops || echo tensor_loc)" "$([ "$2" = COMP_NODE ] && echo "$4" || echo 1)"
}
# ends EXPECTED OPERATIONS BYTES ACCESS: the finish of a computation beside an access, in ns
ends() {
    for rank in 0 1; do
        { echo '{"version": "0.0.4"}'; node 1 COMP_NODE "$3" "$2"; node 2 MEM_LOAD_NODE "$4"; } >t.$rank.et
    done
    for how in fair none; do
        found=$("$ORRERY_BIN" run p.yml --set memory.local.contention=$how --csv - 2>&1 |
            awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { printf "%d %d ", $at["finish_ps"] / 1000, $at["compute_ps"] / 1000 }')
        all="${all:-}$found"
    done
    [ "$all" = "$1" ] || { echo "$*: got $all"; failures=$((failures + 1)); }
    all=
}
# finish and compute in ns with sharing, and without.
# 1 ms of each at the full bandwidth: half each, 2 ms
ends '2000000 2000000 1000000 1000000 ' 500000 1000000 1000000
# 2 ms of compute that use half of the bandwidth, 1 ms of access at the other half: nobody is slower than
# 2 ms
ends '2000000 2000000 2000000 2000000 ' 2000000 1000000 1000000
# 1 ms of access, 4 ms of compute at a quarter: 3/4 are left for the access, 4/3 ms
ends '4000000 4000000 4000000 4000000 ' 4000000 1000000 1000000
# 1 ms of compute at the full bandwidth, 3 ms of access: half each until 2 ms, when 2 ms of the access are
# left: 4 ms
ends '4000000 2000000 3000000 1000000 ' 1000 1000000 3000000
# a computation without bytes is not slowed
ends '1000000 1000000 1000000 1000000 ' 1000000 0 1000000
exit $((failures > 0))
