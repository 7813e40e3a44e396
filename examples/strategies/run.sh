#!/bin/bash
# The whole chain on a model of one's own: model -> strategy -> task graph -> time.
#
#   usage: examples/strategies/run.sh [OUTDIR]
#
# model.yml is a model as a graph of operators, platform.yml eight GPUs; each of the other files is a
# strategy. Prints what the model is, and for every strategy what it sends in an iteration and how
# long that takes; the time is that of the model under the strategy, and of the task graph that is
# made of them (OUTDIR/NAME.otg), which must be the same. OUTDIR/NAME.svg shows who sends how much to
# whom.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/strategies/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"

# milliseconds ARGUMENT...: the time of a run
milliseconds() {
    "$orrery" run "$@" --json - | awk '/^  "wall_ps":/ { printf "%.3f\n", $2 / 1e9 }'
}

"$orrery" model show "$here/model.yml" --platform "$here/platform.yml" |
    grep -E '^(operators|weights|time)'
echo
printf '%-15s %18s %18s %10s %12s\n' strategy 'transfers, bytes' 'reduced, bytes' tasks 'time, ms'
for name in data_parallel columns wide two_groups; do
    strategy=$here/$name.yml
    printf 'workload: {model: "%s", strategy: "%s"}\n' "$here/model.yml" "$strategy" >"$work/job.yml"
    "$orrery" model demand "$here/model.yml" --strategy "$strategy" --svg "$out/$name.svg" >"$work/sent"
    "$orrery" model tasks "$here/model.yml" --strategy "$strategy" --platform "$here/platform.yml" \
        --expand -o "$out/$name.otg" >/dev/null
    time=$(milliseconds "$here/platform.yml" "$work/job.yml")
    again=$(milliseconds --taskgraph "$out/$name.otg" "$here/platform.yml")
    if [ "$time" != "$again" ]; then
        echo "examples/strategies/run.sh: $name takes $time ms, and its task graph $again" >&2
        exit 1
    fi
    tasks=$("$orrery" run --taskgraph "$out/$name.otg" "$here/platform.yml" | sed -n '1s/.*: \([0-9]*\) tasks.*/\1/p')
    printf '%-15s %18s %18s %10s %12s\n' "$name" \
        "$(sed -n 's/^transfers .*(\([0-9]*\) bytes).*/\1/p' "$work/sent")" \
        "$(sed -n 's/^all-reduces .*(\([0-9]*\) bytes).*/\1/p' "$work/sent")" "$tasks" "$time"
done
