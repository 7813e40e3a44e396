#!/bin/bash
# Measures how busy a sweep of small points keeps the processors: 1,000 all-reduces on 64 NPUs.
#
#   usage: bench/sweep.sh [POINTS]          a multiple of 20; default 1000
#
# ORRERY_BIN names another orrery than build/release/bin/orrery. Prints for threads, and for MPI ranks
# where mpirun is there, a row of a Markdown table: wall time, processor time (user + sys), and the
# share of the processors' time that is. On a machine that does something else as well the share is
# less; the last column is then what all programs together take.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
points=${1:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cores=$(nproc)

cat >platform.yml <<'END'
network:
  topology: Ring(4)_FC(4)_Switch(4)
  dims: [{bandwidth: 100 GB/s}, {bandwidth: 50 GB/s}, {bandwidth: 25 GB/s}]
system: {chunks: 32, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 64 MiB}
END
cat >sweep.yml <<END
sweep:
  platform: platform.yml
  axes:
    network.dims[0].bandwidth: {from: 1 GB/s, to: $((points / 20)) GB/s, step: 1 GB/s}
    network.dims[1].bandwidth: {from: 5 GB/s, to: 50 GB/s, step: 5 GB/s}
    system.scheduler: [baseline, themis]
END

# All processors' time so far, busy and whole.
machine() {
    awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print all - $5 - $6, all }' /proc/stat
}

# measure NAME COMMAND...
measure() {
    local name=$1 times
    shift
    read -r busy_before all_before < <(machine)
    TIMEFORMAT='%R %U %S'
    times=$({ time "$@" >out 2>err </dev/null; } 2>&1)
    read -r busy_after all_after < <(machine)
    awk -v name="$name" -v cores="$cores" -v times="$times" -v points="$points" \
        -v busy=$((busy_after - busy_before)) -v all=$((all_after - all_before)) 'BEGIN {
        split(times, t, " ")
        printf("| %s | %.2f | %.2f | %.2f | %.1f %% | %.1f %% | %.0f |\n", name, t[1], t[2], t[3],
            100 * (t[2] + t[3]) / (t[1] * cores), (all > 0 ? 100 * busy / all : 0), points / t[1]) }'
}

echo "$points points, $cores processors, $(date +%F)"
echo
echo "| how | wall s | user s | sys s | busy | machine busy | points/s |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
measure "--jobs 1" "$orrery" sweep sweep.yml --output one --jobs 1
measure "--jobs $cores" "$orrery" sweep sweep.yml --output all --jobs "$cores"
cmp one.jsonl all.jsonl
if command -v mpirun >/dev/null && ldd "$orrery" | grep -q libmpi; then
    measure "$cores ranks" mpirun --allow-run-as-root --oversubscribe -n "$cores" "$orrery" \
        sweep sweep.yml --output ranks
    cmp one.jsonl ranks.jsonl
fi
