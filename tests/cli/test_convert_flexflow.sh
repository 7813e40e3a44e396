#!/bin/sh
# FlexFlow's task graphs: own files converted and run, wrong ones refused, and the published graphs,
# where they are, converted with all their tasks, bytes and dependencies, and run.
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

# same STEP FILE: the file is what stands in want
same() {
    cmp -s want "$2" || fail "$1: (<) is expected, (>) found:
$(diff want "$2")"
}

# refuses FILE: exit status 2 and the text in want
refuses() {
    "$ORRERY_BIN" convert flexflow "$1" -o x >out 2>err
    [ $? -eq 2 ] || fail "$1: expected exit status 2"
    same "$1" err
}

# wall PICOSECONDS|any PREFIX NPUS BANDWIDTH: the traces run in exactly that time on a switch
wall() {
    printf 'network: {topology: Switch(%s), bandwidth: %s, bandwidth_is: npu}\n' "$3" "$4" >p.yml
    printf 'compute: {mode: replay}\n' >>p.yml
    printf 'workload: {traces: %s, groups_file: %s.groups.json}\n' "$2" "$2" >>p.yml
    found=$("$ORRERY_BIN" run p.yml --json - 2>&1 | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p')
    if [ "$1" = any ]; then
        [ "${found:-0}" -gt 0 ] || fail "$2: does not run: $("$ORRERY_BIN" run p.yml 2>&1)"
    elif [ "$found" != "$1" ]; then
        fail "$2: takes $found ps, expected $1 ps"
    fi
}

# ---- own graphs ----

# As flows over two links: 1 ms on NPU 0, 1048576 bytes, which are 118 packets of 8936, at 1 GB/s, 2 ms
# on NPU 1, 1024 bytes, a packet, back, 0.5 ms on NPU 0; each time a handshake of a byte over both links
# before, and a packet through the second one behind:
# 1 + 1.054448 + 0.000002 + 0.008936 + 2 + 0.008936 + 0.000002 + 0.008936 + 0.5 ms = 4581260000 ps
"$ORRERY_BIN" convert flexflow "$corpus/npus.dot" -o npus >out 2>&1 || fail "npus.dot: $(cat out)"
wall 4581260000 npus 2 '1 GB/s'
"$ORRERY_BIN" convert flexflow "$corpus/npus.dot" --platform 'Ring(3)' -o three >out 2>&1
grep -q '^  e.g. Ring(3): 3 NPUs, 2 traces$' out || fail "a platform of 3 NPUs for 2 traces: $(cat out)"
[ ! -e npus.topology.yml ] || fail 'npus.dot has no network, but npus.topology.yml was written'

# Recorded from 0 to 4.25 ms, of which 0.25 ms are an update, which takes no time.
"$ORRERY_BIN" convert flexflow "$corpus/times.dot" -o times >out 2>&1 || fail "times.dot: $(cat out)"
wall 4000000000 times 2 '1 GB/s'

# NPU 0: forward to 1.5 ms, then 1000 bytes, a packet of 8936, take 8.936 ms at 1 MB/s, as long again
# through the second link, and 0.002 ms for a handshake of a byte over both: until 19.374 ms. NPU 1:
# forward to 19.624, backward to 20.124, then 0.125 ms in each server. The ring of 2 sends what is this
# small, 2 x 4096 / 4 bytes, in one round: a packet more of 17.874 ms.
"$ORRERY_BIN" convert flexflow "$corpus/small.fbuf" -o small >out 2>&1 || fail "small: $(cat out)"
wall 38123000000 small 2 '1 MB/s'
cat >want <<'END'
# Written by orrery convert: the network of a task graph. Nodes are the NPUs from 0 on,
# then the switches.
network:
  graph:
    npus: 2
    switches: 1
    links:
      - {from: 2, to: 0, count: 1, bandwidth: 0.0125 GB/s}
      - {from: 2, to: 1, count: 2, bandwidth: 0.0125 GB/s}
    routes:
      - {from: 0, to: 1, chance: 1, nodes: [0, 2, 1]}
    rings:
      - {npus: 2, jumps: [1, -1]}
END
same topology small.topology.yml
printf '{"1": [0, 1]}' >want
tr -d '\n ' <small.groups.json | sed 's/:/: /; s/,/, /' >out
same groups out

# ---- wrong ones ----

cp "$corpus/bad_label.dot" "$corpus/cycle.dot" "$corpus/open.dot" .
cat >want <<'END'
bad_label.dot:5:1: node3: expected Forward, Backward, Comm, Update or Barrier, got "Sideways"
END
refuses bad_label.dot
cat >want <<'END'
cycle.dot: node0: expected tasks without a cycle, got one of 6: node1 -> node2 -> node3 -> node4 -> node5 -> node0 -> node1
END
refuses cycle.dot
printf 'cut: expected a task graph as FlatBuffers or as DOT; as DOT: syntax error in line 1 near '"'hello'"'\n' >want
printf 'hello\n' >cut
refuses cut
head -c 700 "$corpus/small.fbuf" >short.fbuf
"$ORRERY_BIN" convert flexflow short.fbuf -o x >out 2>err
[ $? -eq 2 ] || fail 'short.fbuf: expected exit status 2'
grep -q '^short.fbuf: byte offset [0-9]*: .*700 bytes' err || fail "short.fbuf: $(cat err)"
gzip -c "$corpus/small.fbuf" | head -c 200 >short.gz
"$ORRERY_BIN" convert flexflow short.gz -o x >out 2>err
[ $? -eq 2 ] || fail 'short.gz: expected exit status 2'
grep -q '^short.gz: the gzip data are damaged' err || fail "short.gz: $(cat err)"

# ---- published graphs ----

# sum KEY: over the ranks of r.json
sum() {
    sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" r.json | awk '{ s += $1 } END { printf "%d", s }'
}

# published NAME SERVERS BANDWIDTH TASKS DROPPED COLLECTIVES TRANSFERS
published() {
    "$ORRERY_BIN" convert flexflow "$graphs"/"$1".fbuf* -o "$1" --report r.json >out 2>&1 ||
        fail "$1: $(cat out)"
    found="$(sum nodes_in) $(sum unmatched) $(sum collectives) $(sum point_to_point)"
    [ "$found" = "$4 $5 $6 $((2 * $7))" ] || fail "$1: $found, expected $4 $5 $6 $((2 * $7))"
    wall any "$1" "$2" "$3"
}

# Tasks; all-reduces of one server; members of the others, added up; transfers.
if [ -d "$graphs" ]; then
    published 100vgg_16 16 '12.5 GB/s' 768 0 512 0
    published 100candle_16 16 '12.5 GB/s' 1580 0 952 456
    published 100transformer_16 16 '12.5 GB/s' 2020 0 1088 0
    published 100dlrm_16 16 '12.5 GB/s' 1278 16 656 496
    published 400transformer_16 16 '50 GB/s' 2100 0 1072 128
    published 400dlrm_16 16 '50 GB/s' 1342 18 704 510
    published 40dlrm_16 16 '5 GB/s' 1342 16 736 480
    published 40vgg_16 16 '5 GB/s' 768 0 464 48
    published 100dlrm_32 32 '12.5 GB/s' 3662 32 1416 2040
    published 100transformer_32 32 '12.5 GB/s' 7878 0 4288 0
    published testbed_rings 12 '6.25 GB/s' 564 6 360 132
    published 100dlrm_128 128 '12.5 GB/s' 22446 64 5424 16528
    [ "$(grep -c 'npus: 12, jumps' testbed_rings.topology.yml)" = 4 ] || fail 'testbed_rings: rings'
    [ "$(grep -c 'nodes: ' 100dlrm_128.topology.yml)" = 16256 ] || fail '100dlrm_128: routes'
fi

[ "$failures" -eq 0 ] || exit 1
[ -d "$graphs" ] || exit 77
