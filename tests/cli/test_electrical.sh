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
    printf 'workload: {taskgraph: %s.json, all_reduce: ring_stream}\n' "$1" >"$1.yml"
}

# ---- flows without packets ----

# 400 Gb/s, two links of 0.5 us. A transfer of 1 MB: 20 us and 1 us; as 112 packets of 8936 bytes
# behind a handshake of a byte that is 20 ps on each link: 20.01664 + 1.00004 + 1.17872 us. A stream
# around 4: 1.5 MB of each, 30 us and 1 us.
cat >two.yml <<'END'
network: {graph: {fabric: ideal-switch, npus: 16, bandwidth: 400 Gb/s, latency: 0.5 us}, shares: maxmin}
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

# ---- elect-flat, elect-cluster: 1600 Gb/s a GPU, 400 Gb/s a server of 8, 1 us whatever the way ----

# 1 MB: 5 us at 200 GB/s, 20 us at 50 GB/s. A stream around 4 in a server: 1.5 MB of each, 7.5 us;
# around 0, 8, one GPU a server: 1 MB of each; around two in each server, 0, 1, 8, 9: 1.5 MB
# out of each server, 30 us.
printf 'network: {design: {name: elect-flat, servers: 16, bandwidth: 1600 Gb/s}}\n' >flat.yml
printf 'network: {design: {name: elect-cluster, servers: 16, bandwidth: 1600 Gb/s}}\n' >cluster.yml
job far 16 '{"role": "transfer", "from": 0, "to": 15, "bytes": "1000000 B"}'
job nothing 16 '{"role": "transfer", "from": 0, "to": 15, "bytes": "0 B"}'
job ends 16 '{"role": "all-reduce", "members": [0, 8], "bytes": "1000000 B"}'
job both 16 '{"role": "all-reduce", "members": [0, 1, 8, 9], "bytes": "1000000 B"}'
wall 6000000 flat.yml one.yml
wall 6000000 flat.yml far.yml
wall 1000000 flat.yml nothing.yml
wall 8500000 flat.yml stream.yml
wall 6000000 flat.yml ends.yml
wall 8500000 flat.yml both.yml
wall 6000000 cluster.yml one.yml
wall 21000000 cluster.yml far.yml
wall 1000000 cluster.yml nothing.yml
wall 8500000 cluster.yml stream.yml
wall 21000000 cluster.yml ends.yml
wall 31000000 cluster.yml both.yml
# Servers of 200 Gb/s; another latency; the design's own way of flows, unless the section says else.
wall 41000000 cluster.yml far.yml --set 'network.design.server_bandwidth=200 Gb/s'
wall 30000000 cluster.yml far.yml --set 'network.design.latency=10 us'
wall 6000000 cluster.yml far.yml --set network.design.name=elect-flat
# Packets of 1000 bytes, 5 and 20 ns, and a handshake of a byte: 1.00005 + 20 us + 1 + 2 x 5 + 20 ns.
wall 22030050 cluster.yml far.yml --set 'network.packet=1000 B' --set 'network.handshake=1 B' --set network.fluid=false
wall 6000000 cluster.yml far.yml --set network.design.gpus_per_server=16

# ---- an iteration of k-way x l-way groups ----

# Three dense layers of 64 x 512, 512 x 512 and 512 x 1024 weights of 2 bytes, W = 1638400, cut in k
# by output features; streams between l = 64 / k groups. Out of a server of 8 go 2 (l - 1)/l W bytes,
# k streams of W/k each, whatever k; what parts send each other stays inside. All NPUs and those
# that stand for others have the same times, bytes of links and everything else but events.
cat >model.yml <<'END'
compute: {peak: 15 TFLOP/s}
memory: {local: {bandwidth: 900 GB/s}}
workload:
  model:
    batch: 1024
    element_bytes: 2
    operators:
      - data: {name: x, shape: [64]}
      - dense: {name: a, out: 512, bias: false}
      - dense: {name: b, out: 512, bias: false}
      - dense: {name: c, out: 1024, bias: false}
      - loss: {}
  part_times: {minimum: 1 us, launch: 1 us}
  all_reduce: ring_stream
END
# groups K L: the strategy
groups() {
    cut="{split: {output: $1}}"
    echo "workload.strategy={groups: {model: $1, data: $2}, operators: {a: $cut, b: $cut, c: $cut}}"
}
for groups in '1 64 3225600' '2 32 3174400' '4 16 3072000' '8 8 2867200'; do
    # shellcheck disable=SC2086
    set -- $groups
    for design in elect-flat elect-cluster; do
        for all_reduce in ring_stream ring; do
            for fold in auto off; do
                "$ORRERY_BIN" run cluster.yml model.yml --set network.design.servers=64 --set "network.design.name=$design" \
                    --set "workload.all_reduce=$all_reduce" --set "$(groups "$1" "$2")" --fold $fold \
                    --json $fold.json --csv $fold.csv --link-stats $fold.links >$fold.txt 2>&1 ||
                    fail "$design, k = $1: $(cat $fold.txt)"
                sed -i '/"events":/d' $fold.json
            done
            for file in json csv links; do
                cmp -s auto.$file off.$file || fail "$design, k = $1, $all_reduce: $file is not the same when it is folded"
            done
            [ $all_reduce = ring_stream ] && [ $design = elect-cluster ] || continue
            for server in 64 65 71; do
                bytes=$(awk -F, -v s=$server '$1 == s && $2 == 72 { print $6 }' auto.links)
                [ "$bytes" = "$3" ] || fail "k = $1: expected $3 bytes out of server $((server - 64)), got $bytes"
            done
        done
    done
    classes=$("$ORRERY_BIN" run cluster.yml model.yml --set network.design.servers=64 --set "$(groups "$1" "$2")" --explain-fold |
        sed -n 's/.* in \([0-9]* classes of [0-9]*\)$/\1/p')
    [ "$classes" = '8 classes of 8' ] || fail "k = $1: expected 8 classes of 8, got $classes"
done

exit "$failures"
