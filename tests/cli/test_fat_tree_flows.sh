#!/bin/sh
# All-to-alls on fat-trees by flows, windows and packets. 128 hosts at 100 Gb/s, 32 MiB each: the NIC
# takes 127/128 x 32 MiB / 12.5 GB/s = 2.66 ms, and hashed ways by Monte Carlo 3.1 to 3.3 ms.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >job.yml <<'YML'
network:
  graph: {npus: 128, fabric: 'fat-tree:8', bandwidth: 100 Gb/s, latency: 1 us}
system:
  chunks: 1
  algorithms: {all_to_all: direct}
workload:
  generate: all_to_all
  bytes: 32 MiB
YML

# within WHAT LOW HIGH [OPTION]...: the time in us
within() {
    what=$1 low=$2 high=$3
    shift 3
    "$ORRERY_BIN" run job.yml "$@" --json out.json >out 2>&1
    us=$(sed -n 's/^ *"wall_ps": \([0-9]*\).*/\1/p' out.json | head -n 1 | awk '{printf "%d", $1 / 1e6}')
    if [ "${us:-0}" -lt "$low" ] || [ "${us:-0}" -gt "$high" ]; then
        echo "$what: expected $low to $high us, found ${us:-nothing}: $(head -n 3 out)"
        failures=$((failures + 1))
    fi
}

size() { echo "--set network.graph.npus=$1 --set network.graph.fabric=fat-tree:$2 --set workload.bytes=$3MiB"; }

within flows 2800 3500
within 'flows, seed 2' 2800 3500 --set network.seed=2
within 'flows, 64 chunks' 2700 3200 --set system.chunks=64
within windows 2800 3500 --set network.shares=windows --set 'network.packet=8936 B'
within 'flows, k-shortest' 2800 4000 --set network.routing=k-shortest
within 'packets' 3200 3500 --set network.backend=congestion --set 'network.packet=9000 B'
# 15/16 x 8 MiB / 12.5 GB/s = 629 us; packets 928 us in one chunk, 650 in 64.
within '16 hosts' 800 980 $(size 16 4 8)
within '16 hosts, 64 chunks' 629 700 $(size 16 4 8) --set system.chunks=64
# The NIC takes 1,300 and 2,642 us; packets 1,834 and 3,365.
within '32 hosts' 1400 1900 $(size 32 8 16)
within '64 hosts' 2700 3500 $(size 64 8 32)
# 53 million messages in 64 chunks; one for each pair of hosts is a million.
[ -z "${ORRERY_LONG:-}" ] ||
    within '1024 hosts, 64 chunks' 2700 3300 $(size 1024 16 32) --set system.chunks=64
# Reduce-scatter and all-gather, in chunks one behind the other: packets 5,394 us.
within 'all-reduce, direct, 64 chunks' 5300 6300 --set workload.generate=all_reduce \
    --set system.algorithms.all_reduce=direct --set system.chunks=64
# One after the other, windows do not starve what ends: as equal shares.
within 'windows, pairwise' 5000 9000 --set system.algorithms.all_to_all=pairwise \
    --set network.shares=windows --set 'network.packet=8936 B'

exit $failures
