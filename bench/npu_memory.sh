#!/bin/bash
# Memory per NPU when each is simulated: an all-reduce of 1 MiB on 65,536 NPUs and on 256 of the same kind, peak
# resident memory of the one minus that of the other over the difference in NPUs, with 1 chunk and with 5.
#
#   usage: bench/npu_memory.sh
#
# Prints a Markdown table, bytes per NPU; a quarter of the difference is a chunk's, the rest everything else.
# ORRERY_BIN names another orrery than build/release/bin/orrery. Needs GNU time (Debian: time).
set -euo pipefail
if [ ! -x /usr/bin/time ]; then
    echo "bench/npu_memory.sh: there is no /usr/bin/time; install the package time" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# kib NOTATION CHUNKS
kib() {
    /usr/bin/time -f %M -o "$work/rss" "$orrery" run --topology "$1" --bandwidth 50GB/s --latency 500ns \
        --set 'workload={generate: all_reduce, bytes: 1MiB}' --set system.algorithms.default=by_block --set "system.chunks=$2" --fold off >"$work/out"
    cat "$work/rss"
}

# per_npu LARGE SMALL CHUNKS
per_npu() {
    echo $((($(kib "$1" "$3") - $(kib "$2" "$3")) * 1024 / (65536 - 256)))
}

# row LARGE SMALL
row() {
    local one five
    one=$(per_npu "$1" "$2" 1)
    five=$(per_npu "$1" "$2" 5)
    echo "| $1 | $one | $five | $(((five - one) / 4)) | $((one - (five - one) / 4)) |"
}

echo "| platform | 1 chunk | 5 chunks | of a chunk | without chunks |"
echo "| --- | --- | --- | --- | --- |"
row 'Ring(16)_Ring(16)_Ring(16)_Ring(16)' 'Ring(4)_Ring(4)_Ring(4)_Ring(4)'
row 'Switch(16)_Switch(64)_Switch(64)' 'Switch(4)_Switch(8)_Switch(8)'
row 'Ring(16)_FC(16)_Switch(256)' 'Ring(4)_FC(4)_Switch(16)'
row 'Switch(65536)' 'Switch(256)'
