#!/bin/sh
# A network from a line of text: what it is as a graph, pictures of it, and an all-reduce on it and on
# another one of as many NPUs. Then graphs of servers that share NICs, electrical and optical: what they
# are like and what they cost.
#
#   usage: examples/topology/run.sh [OUTDIR]
#
# Pictures go to OUTDIR (default: a temporary directory). ORRERY_BIN names another orrery than
# build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
out=${1:-}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
if [ -z "$out" ]; then
    out=$(mktemp -d)
fi
mkdir -p "$out"

# A network of four dimensions and 512 NPUs, and one like it that is small enough to draw whole.
set -- --bandwidth '1000_200_100_50 GB/s' --latency '500 ns'
"$orrery" topo show 'Ring(2)_FC(8)_Ring(8)_Switch(4)' "$@" --rank 37
"$orrery" topo draw 'Ring(2)_FC(8)_Ring(8)_Switch(4)' "$@" -o "$out/blocks.svg"
"$orrery" topo draw 'Ring(2)_FC(4)_Ring(2)_Switch(2)' "$@" -o "$out/whole.svg"
echo
echo "pictures: $out/blocks.svg $out/whole.svg"
echo

for network in 'Ring(2)_FC(8)_Ring(8)_Switch(4)' 'Switch(4)_Ring(8)_FC(8)_Ring(2)'; do
    printf '1 GiB all-reduce on %s: ' "$network"
    "$orrery" run "$root/inputs/workloads/all_reduce_1gb.yml" --topology "$network" "$@" | head -1
done

# 16 servers of 8 NPUs with an NVSwitch inside and 400 Gb/s of network: one NIC at a fat-tree of
# switches, or four of 100 Gb/s linked directly to four others through optical patch panels.
echo
"$orrery" topo show 'fat-tree/8@300GB/s' --npus 128 --bandwidth '400 Gb/s'
echo
"$orrery" topo show 'circulant:1,5/8@300GB/s' --npus 128 --bandwidth '100 Gb/s' --optical patch-panel
"$orrery" topo draw 'circulant:1,5/8@300GB/s' --npus 128 --bandwidth '100 Gb/s' -o "$out/racks.svg"
"$orrery" topo draw 'circulant:1,5/8@300GB/s' --npus 128 --bandwidth '100 Gb/s' -o "$out/racks.dot"
echo "picture, and a graph to read again: $out/racks.svg $out/racks.dot"
