#!/bin/bash
# Speed of converting PyTorch's traces to execution traces.
#
#   usage: bench/convert.sh ET [KINETO]
#
# Prints the bytes read (decompressed), the best user time of five, MB/s, peak memory, and memory for
# each byte read. A large pair is made from a small one by repeating its nodes and events.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
et=${1:?usage: bench/convert.sh ET [KINETO]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

options=(--et "$et")
[ $# -lt 2 ] || options+=(--kineto "$2")
bytes=$(for file in "$@"; do gzip -cdf "$file"; done | wc -c)
for _ in 1 2 3 4 5; do
    /usr/bin/time -f '%U %M' -a -o "$work/times" "$orrery" convert pytorch "${options[@]}" -o "$work/out.et" \
        >"$work/summary"
done
head -1 "$work/summary"
sort -n "$work/times" | awk -v bytes="$bytes" 'NR == 1 { s = $1 } { if ($2 > kb) kb = $2 }
    END { printf "%.1f MB read in %.2f s: %.0f MB/s; %.0f MB at most, %.2f B for each byte\n", bytes / 1e6, s,
                 bytes / 1e6 / s, kb / 1e3, kb * 1024 / bytes }'
