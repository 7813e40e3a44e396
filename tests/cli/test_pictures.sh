#!/bin/sh
# Pictures of networks and plots: all text is inside (pictures/check_svg.py), tori are grids, circulants circles, trees of
# switches rows; how fast links are stands below, and nodes have the names of their files.
set -u

command -v python3 >/dev/null || exit 77
tools=$ORRERY_SOURCE_DIR/tests/cli/pictures
inputs=$ORRERY_SOURCE_DIR/inputs
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# draws NETWORK...: x.svg, whose text is inside; `texts` and `nodes`, what it shows and its nodes with their places
draws() {
    "$ORRERY_BIN" topo draw "$@" -o x.svg >out 2>&1 || fail "$1: $(cat out)"
    python3 "$tools/check_svg.py" x.svg >wrong 2>&1 || fail "$1: $(cat wrong)"
    grep -q 'fill="white"' x.svg || fail "$1: no background"
}

# shows TEXT: x.svg has it
shows() {
    grep -qF -e "$1" texts || fail "the picture does not show $1"
}

# columns_and_rows: how many places nodes have across and down
columns_and_rows() {
    awk '{ x[$2]; y[$3] } END { print length(x) "x" length(y) }' nodes
}

speed='--bandwidth 100Gb/s --latency 1us'

# ---- grids ----

# shellcheck disable=SC2086 # options
draws torus:4x4 --npus 16 $speed
[ "$(columns_and_rows)" = 4x4 ] || fail "torus:4x4 has $(columns_and_rows) places"
shows '32 links of 12.50 GB/s (100 Gb/s), 1.000 us'
shows 'torus:4x4: 16 NPUs'
draws 'Ring(4)_Ring(4)' --bandwidth '50 GB/s'
[ "$(columns_and_rows)" = 4x4 ] || fail "Ring(4)_Ring(4) has $(columns_and_rows) places"
shows '50.00 GB/s a link, 100.00 GB/s an NPU'
# The third dimension is two planes, a step aside: 8 columns and rows each.
for network in 'torus:8x8x2 --npus 128' 'Ring(8)_Ring(8)_Ring(2)'; do
    # shellcheck disable=SC2086 # words
    draws $network
    [ "$(columns_and_rows)" = 16x16 ] || fail "$network has $(columns_and_rows) places"
done
draws "$inputs/platforms/tpuv4_4x4x4.yml"
[ "$(wc -l <nodes)" -eq 64 ] || fail "a TPU's torus has $(wc -l <nodes) nodes"
# 1,024 NPUs are drawn whole.
draws torus:32x32 --npus 1024
[ "$(columns_and_rows)" = 32x32 ] || fail "torus:32x32 has $(columns_and_rows) places"

# ---- circles ----

# is_circle N: so many nodes, all as far from the middle, by a point
is_circle() {
    awk -v n="$1" '
        { x[NR] = $2; y[NR] = $3; mx += $2; my += $3 }
        END {
            mx /= NR; my /= NR
            for (i = 1; i <= NR; i++) {
                r = sqrt((x[i] - mx) ^ 2 + (y[i] - my) ^ 2)
                if (i == 1 || r < low) low = r
                if (i == 1 || r > high) high = r
            }
            exit !(NR == n && high - low <= 2)
        }' nodes || fail "no circle of $1 nodes"
}
for circulant in circulant:1,19 circulant:1,5,11; do
    draws "$circulant" --npus 64
    is_circle 64
done
draws 'Ring(8)'
is_circle 8
draws "$inputs/platforms/dgx1_v100.yml"
draws dgx1_v100
is_circle 8
shows 'dgx1_v100.yml: 8 NPUs'
shows '8 links, each 2 side by side of 22.30 GB/s (178.4 Gb/s)'

# Servers that are a circulant: their NPUs around them.
# shellcheck disable=SC2086 # options
draws circulant:1,5/8@300GB/s --npus 128 $speed
cp nodes all
awk '$1 < 128' all >nodes
is_circle 128
awk '$1 >= 128' all >nodes
is_circle 16

# ---- rows ----

# shellcheck disable=SC2086 # options
draws fat-tree:4 --npus 16 $speed
[ "$(awk '{ n[$3]++ } END { for (y in n) print n[y] }' nodes | sort -n | tr '\n' ' ')" = "4 8 8 16 " ] ||
    fail "fat-tree:4 has other rows: $(cat nodes)"
for name in NPUs 'edge switches' 'aggregation switches' 'core switches' '48 links of 12.50 GB/s (100 Gb/s), 1.000 us'; do
    shows "$name"
done
draws fat-tree:8 --npus 128
shows '0-3'
shows 'NPUs at one switch are one node'
# shellcheck disable=SC2086 # options
draws clusters:8,4 --npus 32 $speed
shows '32 links of 12.50 GB/s (100 Gb/s), 1.000 us'
shows '4 links of 25.00 GB/s (200 Gb/s), 1.000 us'
# shellcheck disable=SC2086 # options
draws fat-tree/8@300GB/s:server --npus 64 $speed
shows servers
shows '64 links of 300.00 GB/s (2400 Gb/s), 1.000 us'
shows 'a line is a link each way; bandwidths are one way; green boxes are servers; blue boxes are switches'
# shellcheck disable=SC2086 # options
draws fat-tree/8@300GB/s --npus 128 $speed # each server's NPUs are one node
shows 0-7
shows servers
shows 'green boxes are servers; blue boxes are switches'
# shellcheck disable=SC2086 # options
draws circulant:1/4@300GB/s --npus 16 $speed
shows 'green boxes are servers'
! grep -q 'blue boxes' x.svg || fail 'a picture without switches tells of them'

# ---- others ----

for network in 'ideal-switch --npus 16' 'dragonfly:4 --npus 72' 'expander:4 --npus 64' 'hypercube --npus 16' 'full-mesh --npus 8' \
    'fat-tree --npus 1024' 'sip-ring:4 --npus 16 --bandwidth 400Gb/s' 'sip-ocs:4 --npus 16 --bandwidth 400Gb/s' \
    'Switch(8)' 'FC(8)' 'Ring(4)_FC(4)_Switch(4)' 'Switch(8)_Switch(128)' "$inputs/platforms/conv_4d.yml"; do
    # shellcheck disable=SC2086 # words
    draws $network
done

# ---- names ----

cat >named.dot <<'END'
digraph cluster {
    node [kind=npu]; "gpu_node_0 (rack A)"; "gpu_node_1 <b>&"; "a"; "gpu_node_3 of which the name is long enough to leave a circle";
    tor_1 [kind=switch]; tor_2 [kind=switch]; spine_1 [kind=switch];
    edge [bandwidth="100 Gb/s", latency="1 us", dir=both];
    "gpu_node_0 (rack A)" -> tor_1; tor_1 -> "gpu_node_0 (rack A)"; "gpu_node_1 <b>&" -> tor_1; tor_1 -> "gpu_node_1 <b>&";
    a -> tor_2; tor_2 -> a; "gpu_node_3 of which the name is long enough to leave a circle" -> tor_2;
    tor_2 -> "gpu_node_3 of which the name is long enough to leave a circle";
    tor_1 -> spine_1; spine_1 -> tor_1; tor_2 -> spine_1 [bandwidth="40 Gb/s"]; spine_1 -> tor_2;
}
END
draws named.dot
for name in 'gpu_node_0 (rack A)' 'gpu_node_1 <b>&' 'gpu_node_3 of which the name is long enough to leave a circle' tor_1 spine_1 \
    'named.dot: 4 NPUs, 3 switches' '11 links of 12.50 GB/s (100 Gb/s), 1.000 us' '1 link of 5.00 GB/s (40 Gb/s), 1.000 us' \
    'an arrow is a link one way'; do
    shows "$name"
done

# ---- heatmaps ----

# heat TITLE OPTION...: x.svg, the traffic of a run
heat() {
    title=$1
    shift
    "$ORRERY_BIN" run "$@" --traffic-matrix x.svg >/dev/null 2>err || fail "$title: $(tail -1 err)"
    python3 "$tools/check_svg.py" x.svg >wrong 2>&1 || fail "$title: $(cat wrong)"
    shows "$title"
}
heat 'mlp_data_parallel on 8 x DGX A100' "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/mlp_data_parallel.yml"
for text in 'Bytes that each NPU (row) sends to each other (column)' 'bytes of a cell' 'from NPU' 'to NPU'; do
    shows "$text"
done
heat 'all_to_all' --topology 'Switch(256)' --bandwidth '1 GB/s' --set 'workload={generate: all_to_all, bytes: 1 MB}'
shows 'A cell is the sum over 2 x 2 NPUs.'
long=$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
heat xxxxxxx "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/mlp_data_parallel.yml" --set "name=$long$long$long$long"

# ---- plots ----

# A mark for each size of each variant, on axes with names, beside a legend.
"$ORRERY_BIN" bench-collective "$inputs/platforms/conv_3d.yml" --max '4 MiB' --plot x.svg --csv x.csv >/dev/null || fail 'bench-collective: no plot'
python3 "$tools/check_svg.py" x.svg >wrong 2>&1 || fail "bench-collective: $(cat wrong)"
for text in 'all_reduce on 512 NPUs' 'double_binary_tree, baseline' '4 MiB' 'bus bandwidth, GB/s' 'size of the data'; do
    shows "$text"
done
[ "$(cat marks)" -eq $(($(wc -l <x.csv) - 1)) ] || fail "bench-collective: $(cat marks) marks of $(wc -l <x.csv) lines"
cat >measured.csv <<'END'
collective,npus,npus_per_node,bytes,time_us
all_reduce,16,8,1048576,100
all_reduce,16,8,4194304,200
all_reduce,16,8,16777216,600
END
"$ORRERY_BIN" bench-collective "$inputs/platforms/dgx_a100_64.yml" --measured measured.csv --plot x.svg >/dev/null 2>err ||
    fail "bench-collective --measured: $(cat err)"
python3 "$tools/check_svg.py" x.svg >wrong 2>&1 || fail "bench-collective --measured: $(cat wrong)"
for text in 'measured and expected' 'all_reduce on 16 NPUs of 2 nodes' '16 MiB' 'bus bandwidth, GB/s'; do
    shows "$text"
done
[ "$(cat marks)" -eq 3 ] || fail "bench-collective --measured: $(cat marks) marks"

# Series, groups and a title with long names make the canvas larger.
for bars in 0 1; do
    printf '%s\n' 'a series with a name that is long enough to leave it,a group_of some length that is too long,3' \
        'b,another group,1' | awk -F, -f "$ORRERY_SOURCE_DIR/examples/figures/plot.awk" -v bars=$bars -v xlabel='size, MiB' -v ylabel='time, us' \
        -v title="A title that says so much of what is shown that it takes more than the usual width of such a figure, $bars" >x.svg
    python3 "$tools/check_svg.py" x.svg >wrong 2>&1 || fail "plot.awk, bars=$bars: $(cat wrong)"
done

[ "$failures" -eq 0 ] && echo "pictures: as they should be"
exit $((failures > 0))
