#!/bin/sh
# orrery run --taskgraph and the figures of graphs: wrong usage refused, a published graph run on
# several networks (its time is that of test_packet_results), and the same bytes for the same seed.
set -u

graphs=$ORRERY_SHARED/data/flexflow/taskgraphs
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENTS...: exit status 2, and the text is on stderr
refuses() {
    text=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: expected exit status 2"
    grep -qF -- "$text" err || fail "$*: expected \"$text\", got \"$(cat err)\""
}

# says TEXT ARGUMENTS...: exit status 0, and the text is on stdout
says() {
    text=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err || fail "$*: $(cat err)"
    grep -qF -- "$text" out || fail "$*: expected \"$text\", got \"$(cat out)\""
}

refuses 'none.fbuf' run --taskgraph none.fbuf
refuses 'unknown option "--bogus"' run --taskgraph none.fbuf --flow-mode x --bogus
refuses 'expected a positive bandwidth such as "50 GB/s", got "-1"' \
    run --taskgraph none.fbuf --link-bandwidth -1
refuses 'expected a time such as "500 ns", got "1"' run --taskgraph none.fbuf --link-latency 1
refuses 'expected one of --fabric and a platform, got also p.yml' \
    run p.yml --taskgraph none.fbuf --fabric full-mesh
refuses '--taskgraph goes without a workload, got w.yml' run p.yml w.yml --taskgraph none.fbuf
refuses 'none of the platforms' run nope --taskgraph none.fbuf

# Tasks are those of all groups: one of each of two, and one across them.
cat >groups.json <<'END'
{"format": "orrery task graph", "version": 1, "npus": 2, "copies": 2, "tasks": [
  {"role": "compute", "npu": 0, "time": "1 ms", "next": [1]},
  {"role": "all-reduce", "members": [0], "across": true, "bytes": "1 MB"}]}
END
"$ORRERY_BIN" taskgraph convert groups.json -o plain.otg || fail 'groups.json is not converted'
for graph in groups.json plain.otg; do
    says '"tasks": 3,' run --taskgraph "$graph" --fabric ideal-switch --link-bandwidth 100Gb/s --json -
done

# 128 hosts on 8-port switches: 2, 4 or 6 hops; (3 x 2 + 12 x 4 + 112 x 6) / 127 = 5.717 on average.
says 'diameter              6 hops' topo show fat-tree --npus 128
says 'mean path             5.717 hops' topo show fat-tree --npus 128
says '"links": 768' topo show fat-tree --npus 128 --json
refuses 'expected at most 16 hosts' topo show fat-tree:4 --npus 17
cat >parts.yml <<'END'
network: {graph: {npus: 3, links: [{from: 0, to: 1, bandwidth: 1 GB/s}]}}
END
refuses 'got a graph of 2 components: NPU 0 is not connected to NPU 2' topo check parts.yml

# All-reduces that the chosen way does not fit are told of, once.
"$ORRERY_BIN" run --taskgraph "$ORRERY_SOURCE_DIR/tests/fuzz/corpus/fuzz_flexflow/small.fbuf" --all-reduce hierarchical:3 >out 2>err ||
    fail "hierarchical:3: $(cat err)"
expected='warning: the task graph: hierarchical:3 does not fit all-reduces among 2 servers; those it does not fit use ring'
[ "$(cat err)" = "$expected" ] || fail "expected \"$expected\", got \"$(cat err)\""

# A table without routes is told about; with them, or by default, there is nothing to say.
echo 'digraph g { node0 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=3 | size=8936 }"]; }' >send.dot
for routing in '' '--routing table'; do
    says 'on 4 servers' run --taskgraph send.dot --fabric full-mesh --link-bandwidth 100Gb/s $routing
    expected="${routing:+warning: orrery run: --routing: table: full-mesh has no routes; flows take shortest paths}"
    [ "$(cat err)" = "$expected" ] || fail "full-mesh $routing: expected \"$expected\", got \"$(cat err)\""
done

# ---- pictures of the traffic ----

# svg NAME LAST: one transfer from server 0 to the last of so many
svg() {
    cat >"$1.dot" <<END
digraph g { node0 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=$2 | size=8936000 }"]; }
END
    "$ORRERY_BIN" run --taskgraph "$1.dot" --fabric ideal-switch --link-bandwidth 100Gb/s \
        --traffic-matrix "$1.svg" >out 2>err || fail "$1.svg: $(cat err)"
    for text in '<svg xmlns="http://www.w3.org/2000/svg"' 'from server' 'to server' '>8.52 MiB<' '</svg>'; do
        grep -qF -- "$text" "$1.svg" || fail "$1.svg: no \"$text\""
    done
    if command -v python3 >/dev/null 2>&1; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1.svg" ||
            fail "$1.svg: not well formed"
    fi
}
# 16 cells of 40 pixels: row 0, column 15.
svg few 15
grep -qF '<rect x="680.00" y="70.00" width="40.00" height="40.00" fill="#26084e"/>' few.svg ||
    fail "few.svg: $(grep rect few.svg | head -5)"
grep -q 'A cell is' few.svg && fail 'few.svg: cells of several servers'
# 1024 servers: 128 cells of 5 pixels, each of 8 x 8.
svg many 1023
grep -qF '<rect x="715.00" y="70.00" width="5.00" height="5.00" fill="#26084e"/>' many.svg ||
    fail "many.svg: $(grep rect many.svg | head -5)"
grep -qF 'A cell is the sum over 8 x 8 servers.' many.svg || fail 'many.svg: says nothing of its cells'

# More servers than CSV has rows for; the picture sums without a matrix of them.
svg huge 19999
grep -qF 'A cell is the sum over 157 x 157 servers.' huge.svg || fail 'huge.svg: says nothing of its cells'
refuses '--traffic-matrix: expected at most 16384 servers for CSV, got 20000; a file that ends in .svg takes more' \
    run --taskgraph huge.dot --fabric ideal-switch --link-bandwidth 100Gb/s --traffic-matrix huge.csv
[ -e huge.csv ] && fail 'huge.csv is left behind'

if [ ! -d "$graphs" ]; then
    echo "no published graphs in $graphs: not run"
    exit $((failures > 0))
fi

transformer=$graphs/100transformer_16.fbuf
speed='--link-bandwidth 100Gb/s --link-latency 1us'
# shellcheck disable=SC2086 # two options
{
    says '"wall_ps": 62815131360,' run --taskgraph "$transformer" --fabric circulant:1,5 $speed --json -
    # On a mesh, around one ring as there, too flows of the same two servers share a link: by windows, as packets do. The packet simulator takes
    # 293974556421 ps; equal shares 11.6 % less, windows 0.1 %.
    candle=$graphs/100candle_16.fbuf
    for least in '293 295' '258 262 --flow-model maxmin'; do
        set -- $least
        low=$1 high=$2
        shift 2
        took=$("$ORRERY_BIN" run --taskgraph "$candle" --fabric full-mesh --rings own $speed "$@" --json - | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p')
        [ "${took:-0}" -ge "${low}000000000" ] && [ "$took" -le "${high}000000000" ] ||
            fail "candle on a mesh $*: $took ps, expected $low to $high ms"
    done
    says '"wall_ps": 63887451360,' run --taskgraph "$transformer" --fabric full-mesh --rings own $speed --json -
    says '"wall_ps": 63968900160,' run --taskgraph "$transformer" $speed --flow-model windows --json -
    says '"tasks": 2020,' run tpuv4_4x4x4 --taskgraph "$transformer" --json -
    says '"all_reduce": "hierarchical:4",' run --taskgraph "$transformer" --all-reduce hierarchical:4 $speed --json -
    says '"all_reduces_by_ring_instead": 68,' run --taskgraph "$transformer" --all-reduce hierarchical:5 $speed --json -
    refuses 'all-reduce: expected one of ring, ' run --taskgraph "$transformer" --all-reduce bus $speed
    refuses 'fabric: expected one of ideal-switch' run --taskgraph "$transformer" --fabric bus $speed
    refuses 'expected a whole number from 0 on, got "-1"' run --taskgraph "$transformer" --seed -1
}
for run in 1 2; do
    "$ORRERY_BIN" run --taskgraph "$transformer" --fabric fat-tree --seed 3 --json "$run.json" \
        --link-stats "$run.csv" --traffic-matrix "$run.matrix.csv" >/dev/null || fail "run $run"
done
cmp -s 1.json 2.json && cmp -s 1.csv 2.csv || fail "two runs of one seed differ"
[ "$(wc -l <1.csv)" -eq 97 ] || fail "expected 96 links, got $(wc -l <1.csv) lines"
[ "$(wc -l <1.matrix.csv)" -eq 17 ] || fail "expected 16 servers, got $(wc -l <1.matrix.csv) lines"

[ "$failures" -eq 0 ] && echo "task graphs: as expected"
exit $((failures > 0))
