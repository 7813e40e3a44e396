#!/bin/bash
# Gain of overlapping: all-reduces by two trees on the NVLinks of a DGX-1 (22.3 GB/s, 7 us a message),
# phased (B) and overlapped (C1) by messages, against their schedules: 2 (K + 3) and K + 7 steps.
#
#   usage: bench/overlapped_trees.sh
#
# Prints a Markdown table; exit status 1 when C1 is slower than B, or a time is more than 1 % from its schedule.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/p.yml" <<'END'
network: {backend: congestion, message_overhead: 7 us, graph: {npus: 8, fabric: dgx1, bandwidth: 22.3 GB/s, latency: 0 ns}}
system:
  algorithms: {all_reduce: trees}
  chunks_of: {all_reduce: optimal}
  trees: ["- 2 4 2 0 6 4 6", "3 - 3 5 7 1 7 5"]
workload: {generate: all_reduce, bytes: 64 MiB}
END

time_of() {
    "$orrery" run "$work/p.yml" "$@" --json - | awk '/^  "wall_ps":/ { sub(",", "", $2); print $2 }'
}

for backend in congestion flow; do
    for mib in 1 4 16 32 64 128 256 512; do
        set -- --set "network.backend=$backend" --set "workload.bytes=${mib}MiB"
        echo "$backend $mib $(time_of "$@" --set system.phased=true) $(time_of "$@")"
    done
done | awk '
    function off(found, steps) { d = found / (steps * step) - 1; return d < 0 ? -d : d }
    BEGIN { print "| backend | MiB | B, us | C1, us | gain, % |\n| --- | --- | --- | --- | --- |" }
    {
        bytes = $2 * 1048576 / 2
        k = int(sqrt(3 * bytes / 22.3e9 / 7e-6) + 0.5)
        step = (7e-6 + bytes / k / 22.3e9) * 1e12
        printf "| %s | %d | %.1f | %.1f | %.1f |\n", $1, $2, $3 / 1e6, $4 / 1e6, 100 * ($3 / $4 - 1)
        wrong += $4 > $3 || off($3, 2 * (k + 3)) > 0.01 || off($4, k + 7) > 0.01
    }
    END { exit wrong != 0 }'
