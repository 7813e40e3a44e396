#!/bin/sh
# orrery topo: the figures of a network (by hand in tests/unit/test_figures.c), its picture, and what
# is said about wrong arguments.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
# The leak checker itself falls over now and then behind Graphviz's plugins (its tracer catches signal 11);
# leaks of pictures are looked for by test_topology_api.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says STATUS ARGUMENT... <<END: ends with the status and prints this
says() {
    expected=$1
    shift
    cat >want
    "$ORRERY_BIN" topo "$@" >out 2>err </dev/null
    status=$?
    cat err out >both
    [ "$status" -eq "$expected" ] && cmp -s want both ||
        fail "orrery topo $*: exit status $status, expected $expected
$(diff want both)"
}

set -- 'Ring(4)_FC(3)_Switch(2)' --bandwidth '60_30_15 GB/s' --latency '1 ns,2 ns,5 ns'
says 0 show "$@" --rank 6 <<'END'
Ring(4)_FC(3)_Switch(2): 24 NPUs

dim  block               NPUs     stride         link      each NPU       latency  hops max     mean        links      bisection
1    ring                   4          1   60.00 GB/s  120.00 GB/s      1.000 ns         2    1.333           48    720.00 GB/s
2    fully_connected        3          4   30.00 GB/s   60.00 GB/s      2.000 ns         1    1.000           48    480.00 GB/s
3    switch                 2         12   15.00 GB/s   15.00 GB/s      5.000 ns         2    2.000           48    180.00 GB/s

links                 144, each way counted
bandwidth of an NPU   195.00 GB/s one way
network bandwidth     4.68 TB/s: all NPUs sending
bisection bandwidth   180.00 GB/s one way: the minimum, of dimension 3
diameter              5 hops, 14.000 ns
mean path             2.783 hops, 7.652 ns

rank 6
dim  block           coordinate  neighbours
1    ring                     2  5, 7
2    fully_connected          1  2, 10
3    switch                   0  18
END
cp out by_notation

# The same from files and options.
printf 'network: {topology: R(4)_FC(3)_SW(2), bandwidth: 60_30_15 GB/s, latency: [1 ns, 2 ns, 9 ns]}\n' >p.yml
says 0 show p.yml --set 'network.latency=1_2_5 ns' --rank 6 <by_notation
says 0 show --topology 'R(4)_FC(3)_S(2)' --bandwidth '60_30_15 GB/s' --latency '1_2_5 ns' --rank 6 \
    <by_notation
says 0 show --network-configuration "$ORRERY_SOURCE_DIR/inputs/astra/ring8.yml" <<'END'
Ring(8): 8 NPUs

dim  block               NPUs     stride         link      each NPU       latency  hops max     mean        links      bisection
1    ring                   8          1   53.69 GB/s  107.37 GB/s    500.000 ns         4    2.286           16    107.37 GB/s

links                 16, each way counted
bandwidth of an NPU   107.37 GB/s one way
network bandwidth     858.99 GB/s: all NPUs sending
bisection bandwidth   107.37 GB/s one way: the minimum, of dimension 1
diameter              4 hops, 2.000 us
mean path             2.286 hops, 1.143 us
END
# Without bandwidths only the shape is known; one NPU has no links.
says 0 show 'Switch(1)' --rank 0 <<'END'
Switch(1): 1 NPU

dim  block               NPUs     stride         link      each NPU       latency  hops max     mean        links      bisection
1    switch                 1          1            -            -          0 ps         0    0.000            0              -

links                 0, each way counted
bandwidth of an NPU   -
network bandwidth     -
bisection bandwidth   -
diameter              0 hops, 0 ps
mean path             0.000 hops, 0 ps

rank 0
dim  block           coordinate  neighbours
1    switch                   0  none
END
"$ORRERY_BIN" topo show 'FC(100)' --rank 99 >out 2>&1
grep -qx '1    fully_connected         99  0, 1, 2, 3, 4, 5, 6, 7, ... (99 in all)' out || fail "$(cat out)"

"$ORRERY_BIN" topo show "$@" --rank 6 --json - >out.json 2>&1 || fail "$(cat out.json)"
for line in '"topology": "Ring(4)_FC(3)_Switch(2)"' '"npus": 24' '"links": 144' \
    '"npu_bandwidth_bytes_per_s": 195000000000.0' '"network_bandwidth_bytes_per_s": 4680000000000.0' \
    '"bisection_bytes_per_s": 180000000000.0' '"bisection_dim": 3' '"diameter_hops": 5' \
    '"longest_path_ps": 14000' '"stride": 12' '"lines": 8' '"rank": 6'; do
    grep -qF -- "$line" out.json || fail "JSON without $line"
done
"$ORRERY_BIN" topo show 'R(4)' --json - | grep -qF '"npu_bandwidth_bytes_per_s": null' ||
    fail 'JSON without bandwidths: not null'

# ---- pictures ----

# lines FILE: lines of the picture, which are links each way
lines() {
    tr -d '\n' <"$1" | grep -o -- ' -- ' | wc -l
}

# Ring(4)_FC(3)_Switch(2): 6 rings of 4, 8 cliques of 3, 12 switches of 2 lines.
"$ORRERY_BIN" topo draw "$@" -o whole.dot 2>err || fail "$(cat err)"
[ "$(lines whole.dot)" -eq 72 ] || fail "whole.dot has $(lines whole.dot) lines, expected 72"
# A ring of 2 has two links, or one that is counted per NPU.
"$ORRERY_BIN" topo draw 'R(2)' -o two.dot && [ "$(lines two.dot)" -eq 2 ] || fail 'two.dot'
"$ORRERY_BIN" topo draw 'R(2)' --bandwidth-is npu -o one.dot && [ "$(lines one.dot)" -eq 1 ] || fail 'one.dot'
# 128 NPUs: a block a dimension: a ring of 16, of which 12 places are drawn, and a switch of 8.
"$ORRERY_BIN" topo draw 'R(16)_SW(8)' --bandwidth '100_50 GB/s' -o blocks.dot 2>err || fail "$(cat err)"
[ "$(lines blocks.dot)" -eq 20 ] || fail "blocks.dot has $(lines blocks.dot) lines, expected 20"

for network in 'R(4)_FC(3)_SW(2)' 'R(16)_SW(8)' 'SW(1)_R(2)' 'FC(40)_R(40)_R(1)_SW(40)_R(2)'; do
    "$ORRERY_BIN" topo draw "$network" --bandwidth '100 GB/s' --latency '500 ns' -o a.svg >out 2>&1 &&
        "$ORRERY_BIN" topo draw "$network" --bandwidth '100 GB/s' --latency '500 ns' -o b.svg >>out 2>&1
    [ ! -s out ] && cmp -s a.svg b.svg || fail "$network: pictures differ, or: $(cat out)"
    for text in '</svg>' '100.00 GB/s a link' '500.000 ns a hop' 'dimension 1' '#1f6fb4'; do
        grep -qF -- "$text" a.svg || fail "$network: the picture has no $text"
    done
done
"$ORRERY_BIN" topo draw "$@" -o a.png 2>err && head -c 4 a.png | grep -q PNG || fail "no PNG: $(cat err)"
"$ORRERY_BIN" topo draw "$@" --output a.pdf 2>err && head -c 4 a.pdf | grep -q '%PDF' || fail "no PDF: $(cat err)"

# ---- the example ----

export ORRERY_BIN
"$ORRERY_SOURCE_DIR/examples/topology/run.sh" "$work/example" >shown 2>&1 || fail "run.sh: $(cat shown)"
[ -s example/blocks.svg ] && [ -s example/whole.svg ] || fail 'the example draws nothing'
[ "$(grep -c '^1 GiB all-reduce on .*: job time .* [mu]s on 512 NPUs$' shown)" -eq 2 ] || fail "$(cat shown)"

# ---- mistakes ----

says 2 show 'Ring(4)_Cube(2)' <<'END'
orrery topo: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  Ring(4)_Cube(2)
          ^
END
says 2 show Ring <<'END'
orrery topo: topology: expected a size in parentheses, such as (4)
  Ring
      ^
END
says 2 show absent.yml <<'END'
absent.yml: cannot be opened: No such file or directory
END
printf 'name: x\n' >bad.yml
says 2 show bad.yml <<'END'
bad.yml:1:1: a platform needs the key "network", such as network: {topology: Switch(8), bandwidth: 300 GB/s}
END
printf 'network: {topology: R(4)_FC, bandwidth: 1 GB/s}\n' >bad.yml
says 2 draw bad.yml -o x.svg <<'END'
bad.yml:1:21: topology: expected a size in parentheses, such as (4)
  R(4)_FC
         ^
END
says 2 show 'R(4)_R(2)' --bandwidth '1_2_3 GB/s' <<'END'
orrery topo: --bandwidth: expected one value, or one for each of the 2 dimensions; got 3
END
says 2 show 'R(65536)_R(32768)_R(2)' <<'END'
orrery topo: --topology: more than 2^31 NPUs together
END
says 2 show 'R(4)' --rank 4 <<'END'
orrery topo: --rank: expected a rank from 0 to 3, got "4"
END
says 2 draw 'R(4)' -o x.jpg <<'END'
orrery topo: --output: expected a file that ends in .svg, .pdf, .png or .dot, got "x.jpg"
END
says 2 draw 'R(4)' -o absent/x.svg <<'END'
absent/x.svg: cannot be written: No such file or directory
END
says 2 draw 'R(4)' <<'END'
orrery topo: draw needs a file to write: -o FILE.svg
try 'orrery topo --help'
END
says 2 draw 'R(4)' -o x.svg --json <<'END'
orrery topo: --json goes with show, check, trees, rings, bound and sip-ml
try 'orrery topo --help'
END
says 2 show 'R(4)' -o x.svg <<'END'
orrery topo: --output goes with draw, trees and rings
try 'orrery topo --help'
END
says 2 draw 'R(4)' -o x.svg --rank 1 <<'END'
orrery topo: --rank goes with show
try 'orrery topo --help'
END
says 2 <<'END'
orrery topo: show, draw, check, trees, rings, bound or sip-ml is missing
try 'orrery topo --help'
END
says 2 shwo 'R(4)' <<'END'
orrery topo: expected show, draw, check, trees, rings, bound or sip-ml, got "shwo"; did you mean "show"?
try 'orrery topo --help'
END
says 2 show <<'END'
orrery topo: a platform file or a notation is missing
try 'orrery topo --help'
END
says 2 show 'R(4)' --topology 'R(4)' <<'END'
orrery topo: expected one of a platform file or notation, --topology and --network-configuration
try 'orrery topo --help'
END
says 2 show p.yml --bandwidth '1 GB/s' <<'END'
orrery topo: --bandwidth, --latency and --bandwidth-is go with a notation
try 'orrery topo --help'
END
says 2 show 'R(4)' --set 'network.latency=1 ns' <<'END'
orrery topo: --set goes with a platform file
try 'orrery topo --help'
END
says 2 show 'R(4)' p.yml <<'END'
orrery topo: unexpected argument p.yml
try 'orrery topo --help'
END

# Rings that a file gives for groups, by name and in JSON; those for groups of a size are not told.
cat >rings.yml <<'END'
network:
  graph:
    npus: 4
    switches: 1
    names: [a, b, c, d, x]
    bandwidth: 1 GB/s
    links: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}, {from: d, to: x}, {from: x, to: a}]
    rings:
      - {npus: 4, order: [0, 2, 1, 3]}
      - {members: [a, c, b]}
      - {steps: [a b c, c d x a]}
END
says 0 check rings.yml <<'END'
rings.yml: 4 NPUs, 1 switch

links                 10, each way counted
degree of an NPU      2 to 2
bandwidth of an NPU   2.00 GB/s one way, on average
diameter              2 hops
mean path             1.500 hops
rings of groups       2, and in brackets what their steps pass
                      a c b
                      a (b) c (d x)
END
"$ORRERY_BIN" topo check rings.yml --json - | tr -d ' \n' | grep -q '"rings":\[{"members":\[0,2,1\]},{"members":\[0,2\],"steps":\[\[0,1,2\],\[2,3,4,0\]\]}\]' ||
    fail 'topo check rings.yml --json: the rings'

[ "$failures" -eq 0 ] && echo "orrery topo: as documented"
exit $((failures > 0))
