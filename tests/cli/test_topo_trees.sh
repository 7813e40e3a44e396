#!/bin/sh
# orrery topo trees and rings: Fig. 10 of the C-Cube paper, what is found where ranks are free, pictures,
# and what is said about wrong arguments.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
# The leak checker itself falls over now and then behind Graphviz's plugins (its tracer catches signal 11);
# leaks of pictures are looked for by test_topology_api.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
paper='- 2 4 2 0 6 4 6; 3 - 3 5 7 1 7 5'

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

# ---- the trees of double_binary_tree ----

# Of 8 ranks the second tree has - 2 4 2 0 6 4 6, the first its mirror image; place v is rank 3 v mod 8.
parents() {
    "$ORRERY_BIN" topo trees full-mesh --npus 8 --trees "$1" 2>&1 | sed -n 's/^parents of tree [01]  *//p' | tr '\n' ';'
}
[ "$(parents jump=1)" = '1 3 1 7 5 3 5 -;- 2 4 2 0 6 4 6;' ] || fail "jump=1: $(parents jump=1)"
[ "$(parents jump=3)" = '3 5 7 1 7 - 3 1;- 6 4 6 0 2 4 2;' ] || fail "jump=3: $(parents jump=3)"
for wrong in 0 6 -1 x 3x ''; do
    says 2 trees full-mesh --npus 8 --trees "jump=$wrong" <<END
trees: jump=P: expected a whole number without a common divisor with 8 ranks, got "$wrong"
END
done

# ---- trees ----

# GPUs 0 and 1 forward; 28 edges, up and down, and 4 hops more are 32 of 48 links.
says 0 trees dgx1 --npus 8 --trees "$paper" <<'END'
dgx1: 2 trees over 8 NPUs

parents of tree 0     - 2 4 2 0 6 4 6
parents of tree 1     3 - 3 5 7 1 7 5
depth                 4 hops from its root to the farthest member
links used            32 of 48, each way counted
conflicts             0: no link is used twice
detours               2: tree 0 2 > 4 over 0, tree 1 3 > 5 over 1
inner nodes of two    0

tree  edge        up                     down
0     1 > 2       1-2#0                  2-1#0
0     2 > 4       2-0#0 0-4#0            4-0#0 0-2#0
0     3 > 2       3-2#0                  2-3#0
0     4 > 0       4-0#1                  0-4#1
0     5 > 6       5-6#0                  6-5#0
0     6 > 4       6-4#0                  4-6#0
0     7 > 6       7-6#0                  6-7#0
1     0 > 3       0-3#0                  3-0#0
1     2 > 3       2-3#1                  3-2#1
1     3 > 5       3-1#0 1-5#0            5-1#0 1-3#0
1     4 > 7       4-7#0                  7-4#0
1     5 > 1       5-1#1                  1-5#1
1     6 > 7       6-7#1                  7-6#1
1     7 > 5       7-5#0                  5-7#0
END
# Given detours that share 6-4 with an edge.
says 0 trees dgx1_v100 --trees '- 2 4 2 0 6 4 6' --detour 2-6-4 <<'END'
dgx1_v100: 1 tree over 8 NPUs

parents of tree 0     - 2 4 2 0 6 4 6
depth                 4 hops from its root to the farthest member
links used            14 of 48, each way counted
conflicts             2, the fewest that there are
detours               1: tree 0 2 > 4 over 6
inner nodes of two    0

tree  edge        up                     down
0     1 > 2       1-2#0                  2-1#0
0     2 > 4       2-6#0 6-4#0            4-6#0 6-2#0
0     3 > 2       3-2#0                  2-3#0
0     4 > 0       4-0#0                  0-4#0
0     5 > 6       5-6#0                  6-5#0
0     6 > 4       6-4#0                  4-6#0
0     7 > 6       7-6#0                  6-7#0

shared      by
4-6#0       tree 0 4 > 2, tree 0 4 > 6
6-4#0       tree 0 2 > 4, tree 0 6 > 4
END
# Free ranks; some of them.
says 0 trees dgx1_v100 --trees 1 --ranks 4,5,6,7 <<'END'
dgx1_v100: 1 tree over 4 NPUs

parents of tree 0     - 0 1 1
depth                 2 hops from its root to the farthest member
links used            6 of 48, each way counted
conflicts             0: no link is used twice
detours               0
inner nodes of two    0

tree  edge        up                     down
0     5 > 4       5-4#0                  4-5#0
0     6 > 5       6-5#0                  5-6#0
0     7 > 5       7-5#0                  5-7#0
END

# json KEY VALUE ARGUMENT...: orrery topo ... --json has the line
json() {
    key=$1 value=$2
    shift 2
    "$ORRERY_BIN" topo "$@" --json - >out 2>err || fail "orrery topo $* --json: $(cat err)"
    grep -q "^  \"$key\": $value,*\$" out ||
        fail "orrery topo $* --json: expected \"$key\": $value, got $(grep "\"$key\"" out)"
}

json detours 2 trees dgx1_v100 --trees "$paper"
json detours 0 trees dgx1_v100
# A platform's own trees, unless others are asked for.
json detours 2 trees dgx1_v100_trees
json npus_between 0 trees dgx1_v100_trees --trees 2
json depth_hops 2 trees dgx1_v100_trees --set 'system.trees=search 3'
json conflicts 2 trees dgx1_v100_trees --set 'system.tree_ways=2 6 4'
json conflicts 0 trees dgx1_v100 --trees 3
json conflicts 0 trees torus:8x8 --npus 64
json depth_hops 8 trees torus:8x8 --npus 64
# Two rings of 4 links and 4 between: two trees of 7 edges lack 2, both ways.
json conflicts 4 trees 'Ring(4)_FC(2)'
json unused_links 0 rings torus:8x8 --npus 64
json most true rings dgx1_v100

# ---- rings ----

says 0 rings dgx1_v100 --ranks 0,3,7,4 <<'END'
dgx1_v100: 2 rings through 4 NPUs

links used            8 of 14 among them, each way counted
more rings            none without using a link twice

ring 0                0 3 7 4
ring 1                0 4 7 3
END

# ---- pictures ----

for format in svg dot; do
    "$ORRERY_BIN" topo trees dgx1_v100 --trees "$paper" -o trees.$format || fail "no trees.$format"
    "$ORRERY_BIN" topo rings dgx1_v100 -o rings.$format || fail "no rings.$format"
done
# 16 edges and hops of detours in colours, 4 of them dashed; 8 pairs of links that nobody uses.
[ "$(grep -c 'color="#1f6fb4"\|color="#d9600a"' trees.dot)" -eq 16 ] || fail "16 coloured edges of trees"
[ "$(grep -c 'style=dashed' trees.dot)" -eq 4 ] || fail "4 dashed edges of trees"
[ "$(grep -c 'arrowhead=none' trees.dot)" -eq 8 ] || fail "8 unused pairs of links"
[ "$(grep -c 'color="#' rings.dot)" -ge 24 ] || fail "24 edges of rings"
grep -q 'stroke-dasharray' trees.svg || fail "detours are dashed in trees.svg"

# ---- wrong arguments ----

says 2 trees dgx1_v100 --trees '- 0 0' <<'END'
trees[0]: expected the parents of 8 ranks, got 3
END
says 2 trees dgx1_v100 --trees '1 2 3 4 5 6 7 0' <<'END'
trees[0]: expected a root, got none
END
says 2 trees dgx1_v100 --trees '- 2 3 1 0 0 0 0' <<'END'
trees[0]: the parents of 1 form a cycle through 3
END
says 2 trees dgx1_v100 --trees "$paper" --detour 2-7-4 <<'END'
the detour from 2 to 4: there is no duplex link between 2 and 7
END
says 2 trees dgx1_v100 --trees "$paper" --detour 2-4 <<'END'
detour: expected FROM-OVER-TO such as "2-0-4", got "2-4"
END
says 2 trees dgx1_v100 --trees "$paper" --detours off <<'END'
the edge of a tree from 2 to 4: no duplex link, no path through switches, and detours are off
END
says 2 trees dgx1_v100 --trees '- 2 4 2 0 6 4 6' --detour 2-6-4 --strict <<'END'
the trees need more channels than there are links: 4 to 6 has 1 and 2 are asked for, 6 to 4 has 1 and 2 are asked for
END
says 2 trees torus:8x8 --npus 64 --shape double-binary <<'END'
found no trees whose edges all have a path; more NPUs between, or another shape, may help
END
says 2 trees dgx1_v100 --trees 0 <<'END'
trees: expected a number from 1 to 64, or lists of parents such as "- 0 0; 1 - 1", got "0"
END
says 2 rings dgx1_v100 --ranks 1,1 <<'END'
ranks: expected different ones from 0 to 7 such as "0,1,2", got "1,1"
END
says 2 rings dgx1_v100 --strict <<'END'
orrery topo: --trees, --shape, --detours, --detour, --detour-always and --strict go with trees
try 'orrery topo --help'
END

[ "$failures" -eq 0 ] || exit 1
