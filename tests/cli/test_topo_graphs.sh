#!/bin/sh
# orrery topo show, check and draw of graphs: figures (by hand in tests/unit/test_bisection.c and
# test_cost.c), pictures, DOT that reads back, and what is said about wrong arguments.
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

# ---- figures ----

says 0 show fat-tree:8 --npus 128 --bandwidth 100Gb/s <<'END'
fat-tree:8: 128 NPUs, 80 switches

links                 768, each way counted
degree of an NPU      1 to 1
bandwidth of an NPU   12.50 GB/s one way, on average
diameter              6 hops
mean path             5.717 hops
bisection bandwidth   at most 800.00 GB/s one way, 64 links (the minimum of 4 cuts)

cost of hardware            number        dollars
NICs                           128          86784
transceivers                   768          76032
switch ports                   640         119680
optical fibres                 384          57600
all                                        340096
END
says 0 show hypercube --npus 16 <<'END'
hypercube: 16 NPUs, 0 switches

links                 64, each way counted
degree of an NPU      4 to 4
diameter              4 hops
mean path             2.133 hops
bisection bandwidth   at most 8 links one way (the minimum of 24 cuts)
cost of hardware      - (of links with a --bandwidth)
END

# How many links apart: 0 reaches 3, 6, 5 and 1 of 15 by 1 to 4 steps of 1, 3 and 7; hosts of a 4-port fat-tree
# 1 at their edge switch, 2 in their pod, 12 beyond.
says 0 show circulant:+1,+3,+7 --npus 16 --hops - <<'END'
hops,pairs,share,share_within
1,48,0.200000,0.200000
2,96,0.400000,0.600000
3,80,0.333333,0.933333
4,16,0.066667,1.000000
END
says 0 check fat-tree:4 --npus 16 --hops - <<'END'
hops,pairs,share,share_within
1,0,0.000000,0.000000
2,16,0.066667,0.066667
3,0,0.000000,0.066667
4,32,0.133333,0.200000
5,0,0.000000,0.200000
6,192,0.800000,1.000000
END
says 2 draw fat-tree:4 --npus 16 --hops hops.csv -o x.svg <<'END'
orrery topo: --hops goes with show and check
try 'orrery topo --help'
END
# Two racks of two servers with two NPUs at 300 GB/s each: the NICs are shared.
says 0 show circulant:1/2/2@300GB/s --npus 8 --bandwidth '100 Gb/s' --optical ocs <<'END'
circulant:1/2/2@300GB/s: 8 NPUs, 6 switches

links                 26, each way counted
degree of an NPU      1 to 1
bandwidth of an NPU   300.00 GB/s one way, on average
diameter              5 hops
mean path             4.286 hops
bisection bandwidth   at most 12.50 GB/s one way (the minimum of 4 cuts)

cost of hardware            number        dollars
NICs                             4           2712
transceivers                    10            990
switch ports                     6           1122
OCS ports                        2           1040
optical fibres                   6            900
all                                          6764
The insides of the 4 servers are not counted.
END
"$ORRERY_BIN" topo show fat-tree:4,2 --npus 16 --bandwidth 100Gb/s --json - >out.json 2>&1 || fail "$(cat out.json)"
for line in '"npus": 16' '"switches": 20' '"diameter_hops": 6' '"diameter_is_exact": true' \
    '"at_most_bytes_per_s": 50000000000.0' '"at_most_links": null' '"optical": "none"' '"part": "NICs"'; do
    grep -qF -- "$line" out.json || fail "JSON without $line"
done

# ---- files ----

cat >rack.dot <<'END'
graph rack {
    edge [bandwidth="100 Gb/s", latency="1 us"]
    tor [kind=switch]
    a -- tor; b -- tor; c -- tor [bandwidth="50 GB/s", count=3]
}
END
says 0 check rack.dot <<'END'
rack.dot: 3 NPUs, 1 switch

links                 10, each way counted
degree of an NPU      1 to 3
bandwidth of an NPU   58.33 GB/s one way, on average
diameter              2 hops
mean path             2.000 hops
END
cat >square.yml <<'END'
network:
  graph:
    npus: 4
    links:
      - {from: 0, to: 1, bandwidth: 1 GB/s}
      - {from: 1, to: 2, bandwidth: 1 GB/s}
      - {from: 2, to: 3, bandwidth: 1 GB/s}
      - {from: 3, to: 0, bandwidth: 1 GB/s}
END
"$ORRERY_BIN" topo show square.yml >out 2>&1
grep -qx 'bisection bandwidth   at most 2.00 GB/s one way, 2 links (the minimum of .* cuts)' out || fail "$(cat out)"

# ---- files that include the graph, values set, words that are no verbs ----

printf 'include: square.yml\n' >outer.yml
for verb in show check; do
    "$ORRERY_BIN" topo $verb outer.yml 2>&1 | sed 's/outer/square/' >out
    "$ORRERY_BIN" topo $verb square.yml >want 2>&1
    cmp -s out want || fail "outer.yml: $(diff want out)"
done
# NPUs 0 and 1 have a link of 3 GB/s and one of 1, the others two of 1: (4 + 4 + 2 + 2) / 4
"$ORRERY_BIN" topo show --set 'network.graph.links[0].bandwidth=3 GB/s' outer.yml >out 2>&1
grep -qx 'bandwidth of an NPU   3.00 GB/s one way, on average' out || fail "--set: $(cat out)"
cat >random.yml <<'END'
network: {graph: {fabric: "expander:3", npus: 16, bandwidth: 1 GB/s}}
END
for seed in 2 3; do
    "$ORRERY_BIN" topo draw random.yml --set network.seed=$seed -o seed$seed.dot 2>err || fail "--set: $(cat err)"
done
cmp -s seed2.dot seed3.dot && fail 'network.seed has no effect'
says 2 show rack.dot --set network.seed=3 <<'END'
orrery topo: --set goes with a platform file
try 'orrery topo --help'
END
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s}\n' >ring.yml
says 2 show ring.yml --set 'network={graph: {fabric: "torus:2x2", npus: 4, bandwidth: 1 GB/s}}' <<'END'
orrery topo: expected a network of dimensions, got one with network.graph, which must be in the file itself or one that it includes, and the file's name end in .yml or .yaml
END
says 2 draw 'Ring(4)' -o check <<'END'
orrery topo: --output: expected a file that ends in .svg, .pdf, .png or .dot, got "check"
END
says 2 draw 'Ring(4)' check -o x.svg <<'END'
orrery topo: unexpected argument check
try 'orrery topo --help'
END

# ---- DOT reads back: the same file again, and the same figures ----

again() {
    "$ORRERY_BIN" topo draw "$@" -o one.dot 2>err || fail "$*: $(cat err)"
    "$ORRERY_BIN" topo draw one.dot -o two.dot 2>err || fail "$*: again: $(cat err)"
    cmp -s one.dot two.dot || fail "$*: the DOT of its DOT differs"
    "$ORRERY_BIN" topo show "$@" 2>&1 | tail -n +2 >shown
    "$ORRERY_BIN" topo show one.dot 2>&1 | tail -n +2 >shown_again
    # cuts along dimensions are not tried: DOT does not hold them
    sed 's/ (the minimum of .* cuts)//' shown >a
    sed 's/ (the minimum of .* cuts)//' shown_again >b
    cmp -s a b || fail "$*: its DOT shows other figures: $(diff a b)"
}

for network in fat-tree:4,3 dgx1/2 'Ring(4)_FC(2)_SW(2)' expander:3 fat-tree/4x2@300GB/s dragonfly:2; do
    again "$network" --npus 16 --bandwidth 100Gb/s --latency '300 ns'
done
again rack.dot
again square.yml
"$ORRERY_BIN" topo draw torus:4x4 --npus 16 -o plain.dot || fail 'without bandwidths'
grep -q bandwidth=\" plain.dot && fail 'plain.dot has bandwidths that nobody gave'
"$ORRERY_BIN" topo check plain.dot --bandwidth '1 GB/s' >out 2>&1 || fail "$(cat out)"

# ---- pictures ----

for network in 'fat-tree 16' 'torus:8x8 64' 'circulant:1,5 16' 'ideal-switch 9' 'dragonfly:2 40' 'fat-tree 1024' \
    'torus:32x32 1024' 'ideal-switch 300' 'full-mesh 70'; do
    set -- $network
    "$ORRERY_BIN" topo draw "$1" --npus "$2" -o x.svg 2>err || fail "$1: $(cat err)"
    sed 's/&#45;/-/g' x.svg | grep -q "$1: $2 NPUs" || fail "$1: the picture has no title"
done
says 0 draw fat-tree --npus 1024 -o x.svg <<'END'
orrery topo: x.svg: NPUs at one switch are one node; only 64 of the NPUs and 152 of the switches are drawn, those nearest to NPU 0
END
says 0 draw clusters:32 --npus 256 -o x.png <<'END'
orrery topo: x.png: NPUs at one switch are one node
END
head -c 4 x.png | grep -q PNG || fail 'no PNG'

# ---- mistakes ----

says 2 check fat-tree:4 --npus 17 <<'END'
fat-tree: expected at most 16 hosts on switches of 4 ports (ports^3 / 4), got 17
END
printf 'graph { a -- b [bandwidth="0 GB/s"] }\n' >bad.dot
says 2 show bad.dot <<'END'
bad.dot:1:28: edge a -- b: bandwidth: expected a positive bandwidth such as "50 GB/s", got "0 GB/s"; it is zero
END
printf 'graph { edge [bandwidth="1 GB/s"] a -- b; c -- d }\n' >bad.dot
says 2 check bad.dot <<'END'
network: expected links that connect all 4 NPUs, got a graph of 2 components: NPU a is not connected to NPU c (the component of NPU a has 2 NPUs)
END
says 2 draw clusters:4 --npus 16 -o x.dot <<'END'
orrery topo: --bandwidth is needed: not all links of clusters:4 are equally fast
END
says 2 show fat-tree/4@300GB/s --npus 16 <<'END'
orrery topo: fat-tree/4@300GB/s: expected --bandwidth in addition to that of a level
END
says 2 show fat-tree --npus 16 --optical mirrors <<'END'
orrery topo: --optical: expected none, patch-panel, ocs, 2d-mems, silicon-photonics, tunable-lasers or rotornet, got "mirrors"
END
says 2 show fat-tree --npus 16 --bandwidth fast <<'END'
orrery topo: --bandwidth: expected a positive bandwidth such as "50 GB/s", got "fast"
END
says 2 draw fat-tree --npus 16 <<'END'
orrery topo: draw needs a file to write: -o FILE.svg
try 'orrery topo --help'
END
says 2 draw fat-tree --npus 16 -o x.jpg <<'END'
orrery topo: --output: expected a file that ends in .svg, .pdf, .png or .dot, got "x.jpg"
END
says 2 shwo fat-tree --npus 16 <<'END'
orrery topo: expected show, draw, check, trees, rings, bound or sip-ml, got "shwo"; did you mean "show"?
try 'orrery topo --help'
END
sed 's/^    npus: 4/&\n    names: ["%3", b, c, d]/' square.yml >percent.yml
for format in dot svg; do
    says 2 draw percent.yml -o x.$format <<'END'
orrery topo: DOT cannot hold a name that begins with '%', got "%3"
END
done
says 2 show absent.dot <<'END'
absent.dot: cannot be opened: No such file or directory
END

[ "$failures" -eq 0 ] && echo "orrery topo of graphs: as documented"
exit $((failures > 0))
