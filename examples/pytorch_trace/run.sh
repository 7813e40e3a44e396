#!/bin/bash
# A recorded run of PyTorch, and what other machines would make of it.
#
#   usage: examples/pytorch_trace/run.sh [OUTDIR]
#
# et_{0,1}.json and kineto_{0,1}.json beside this file are two ranks that train two layers of 4096 x
# 4096 data-parallel, as torch.profiler writes them (made up, and small). They become execution
# traces, which are run as recorded, with communication simulated, over a link twice as fast, and on a
# GPU twice as fast. The profiles alone say where the GPU's time went, and make the same job. Writes
# OUTDIR/step.{0,1}.et, step.groups.json and report.json, and OUTDIR/alone.yml with its traces.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/pytorch_trace/run.sh: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)

"$orrery" convert pytorch --et "$here/et_{rank}.json" --kineto "$here/kineto_{rank}.json" --npus 2 \
    -o "$out/step"
"$orrery" convert pytorch --et "$here/et_{rank}.json" --kineto "$here/kineto_{rank}.json" --npus 2 \
    -o "$out/step" --report "$out/report.json"
"$orrery" trace info "$here"
"$orrery" import "$here" -o "$out/alone.yml" | sed -n '/^communication/,/ALL_REDUCE/p'
echo
"$orrery" trace stats "$out/step.0.et" | sed -n 1,20p
echo
printf 'workload: {traces: %s/step, groups_file: %s/step.groups.json}\n' "$out" "$out" >"$work/step.yml"

# run WHAT BANDWIDTH OPTION...
run() {
    local what=$1 bandwidth=$2
    shift 2
    "$orrery" run --topology 'Switch(2)' --bandwidth "$bandwidth" --latency '2 us' "$work/step.yml" "$@" |
        awk -v what="$what" '/^job time/ { printf "%-44s %s %s\n", what, $3, $4 }'
}
run 'as recorded' '67 GB/s' --set compute.mode=replay --set compute.replay_only=true
run 'communication simulated, 67 GB/s' '67 GB/s' --set compute.mode=replay
"$orrery" run --topology 'Switch(2)' --bandwidth '67 GB/s' --latency '2 us' "$out/alone.yml" --set compute.mode=replay |
    awk '/^job time/ { printf "%-44s %s %s\n", "the same of profiles alone", $3, $4 }'
run 'twice the bandwidth' '134 GB/s' --set compute.mode=replay
run 'a GPU of 170 TFLOP/s and 2 TB/s' '67 GB/s' --set 'compute={peak: 170 TFLOP/s}' \
    --set 'memory={local: {bandwidth: 2 TB/s}}'
echo
"$orrery" whatif --topology 'Switch(2)' --bandwidth '67 GB/s' --latency '2 us' "$work/step.yml" \
    --set compute.mode=replay | sed -n 1,12p
