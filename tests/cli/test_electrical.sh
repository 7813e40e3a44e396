#!/bin/sh
# Electrical fabrics (SiP-ML, SIGCOMM'21, section 4.1): times of single transfers and all-reduces as
# streams, calculated by hand, on flows without packets.
set -u

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# wall WANT ARGUMENT...: the time of a run in ps
wall() {
    want=$1
    shift
    "$ORRERY_BIN" run "$@" --json out.json >out.txt 2>err.txt || cat err.txt
    found=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out.json)
    [ "$found" = "$want" ] || fail "run $*: expected $want ps, got $found"
    [ -s err.txt ] && fail "run $*: $(cat err.txt)"
    rm -f out.json
}

# job FILE NPUS TASK: a task graph of one task, and a workload of it
job() {
    printf '{"format": "orrery task graph", "version": 1, "npus": %s, "tasks": [%s]}\n' "$2" "$3" >"$1.json"
    printf 'workload: {taskgraph: %s.json, all_reduce: ring-stream}\n' "$1" >"$1.yml"
}

# ---- flows without packets ----

# 400 Gb/s, two links of 0.5 us. A transfer of 1 MB: 20 us and 1 us; as 112 packets of 8936 bytes
# behind a handshake of a byte that is 20 ps on each link: 20.01664 + 1.00004 + 1.17872 us. A stream
# around 4: 1.5 MB of each, 30 us and 1 us.
cat >two.yml <<'END'
network: {graph: {fabric: ideal-switch, npus: 16, bandwidth: 400 Gb/s, latency: 0.5 us}, shares: equal}
END
job one 16 '{"role": "transfer", "from": 0, "to": 1, "bytes": "1000000 B"}'
job stream 16 '{"role": "all-reduce", "members": [0, 1, 2, 3], "bytes": "1000000 B"}'
job small 16 '{"role": "all-reduce", "members": [0, 1, 2, 3], "bytes": "4096 B"}'
wall 22195400 two.yml one.yml
wall 21000000 two.yml one.yml --set network.fluid=true
wall 31000000 two.yml stream.yml --set network.fluid=true
wall 1122880 two.yml small.yml --set network.fluid=true
# What keys say holds: a packet is passed on as a whole, 0.2 us; a handshake takes a latency more.
wall 21200000 two.yml one.yml --set network.fluid=true --set 'network.packet=10000 B'
wall 22000040 two.yml one.yml --set network.fluid=true --set 'network.handshake=1 B'

exit "$failures"
