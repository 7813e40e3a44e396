#!/bin/bash
# Strategy, topology and routes planned together (TopoOpt, NSDI 2023), for jobs of 12 to 128 servers.
#
#   usage: examples/topoopt_plan/run.sh [OUTDIR]
#
# Each JOB.yml beside this script is planned into OUTDIR/JOB, and what was planned is run once more
# from its files, which must take the same time. Prints the iteration times: of the plan, as it is
# simulated; and, over that as it is predicted, those of the naive way (a strategy for the ideal switch,
# then one topology), of data parallelism on its best topology, and of the better of both strategies on
# an ideal switch and on a fat-tree that costs as much. Times are those of rooflines. With QUICK=1
# without the two large jobs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/topoopt_plan/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"

jobs=(dlrm_12 candle_16 experts_16)
[ -n "${QUICK:-}" ] || jobs+=(dlrm_128 gpt3_32)

# figures FOLDER: a line of the table, without the job's name
figures() {
    awk -F'[:,]' '
        FILENAME ~ /json$/ && /^  "servers":/ { servers = $2 }
        FILENAME ~ /json$/ && /^  "predicted_ps":/ { predicted = $2 }
        FILENAME ~ /json$/ && /^  "simulated_ps":/ { simulated = $2 }
        FILENAME ~ /json$/ && /^  "(naive|data_parallel|overruled)":/ { of = $1 }
        FILENAME ~ /json$/ && /^    "predicted_ps":/ { other[of] = $2 / predicted }
        FILENAME ~ /csv$/ && /^ideal switch,/ { ideal = $NF }
        FILENAME ~ /csv$/ && /^fat-tree of equal cost,/ { tree = $NF }
        END { printf "%8d %12.3f %10.2f %10.2f %10.2f %10.2f\n", servers, simulated / 1e9,
              other["  \"naive\""], other["  \"data_parallel\""], ideal, tree }' \
        "$1/plan.json" "$1/fabrics.csv"
}

printf '%-12s %8s %12s %10s %10s %10s %10s\n' '' '' 'the plan,' 'naive' 'data' 'ideal' 'fat-tree'
printf '%-12s %8s %12s %10s %10s %10s %10s\n' job servers 'ms' '/ plan' 'parallel' 'switch' 'same cost'
for job in "${jobs[@]}"; do
    "$orrery" plan topoopt "$here/$job.yml" -o "$out/$job" >/dev/null 2>"$work/said" || {
        cat "$work/said" >&2
        exit 1
    }
    planned=$(awk '/^  "simulated_ps":/ { sub(",", ""); print $2 }' "$out/$job/plan.json")
    ran=$("$orrery" run "$out/$job/platform.yml" "$out/$job/workload.yml" --json - |
        awk '/^  "wall_ps":/ { sub(",", ""); print $2 }')
    if [ "$planned" != "$ran" ]; then
        echo "examples/topoopt_plan/run.sh: $job was planned to take $planned ps, and runs in $ran" >&2
        exit 1
    fi
    printf '%-12s %s\n' "$job" "$(figures "$out/$job")"
done
echo
echo "What else is told of a plan (experts_16/plan.txt):"
sed -n '1,/^search/p' "$out/experts_16/plan.txt"
