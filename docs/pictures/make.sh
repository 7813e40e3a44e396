#!/bin/sh
# The pictures of README.md and docs/, as the command draws them.
#
#   usage: docs/pictures/make.sh [OUTDIR]     (default: docs/pictures)
#
# ORRERY_BIN names another orrery than build/release/bin/orrery.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
out=${1:-$here}

# Who sends how much to whom in a step of GPT 22B: 4-way tensor, 4-way pipeline and 4-way data parallelism on 64 A100s.
"$orrery" run dgx_a100_64 gpt_22b --set workload.parallel.tensor=4 --set workload.parallel.pipeline=4 \
    --set workload.training.batch=64 --traffic-matrix "$out/traffic.svg" >/dev/null
