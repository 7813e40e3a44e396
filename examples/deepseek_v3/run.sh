#!/bin/sh
# What do the means of DeepSeek-V3's training bring? A step on 2,048 H800 with all of them, and without each.
#
#   usage: examples/deepseek_v3/run.sh [OUTDIR]
#
# Published: 180,000 GPU hours for 10^12 tokens, all included: 1,543 tokens/s a GPU; 80 GB (74.5 GiB) a GPU.
# Prints a line for each; writes JSON to OUTDIR (default: a temporary folder, removed at the end). ORRERY_BIN names another
# orrery than build/release/bin/orrery. QUICK=1: fewer micro-batches.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}

if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
if [ $# -ge 1 ]; then
    out=$1
    mkdir -p "$out"
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
batch=15360
[ "${QUICK:-0}" = 0 ] || batch=4096

# line NAME TEXT OPTION...
line() {
    name=$1
    text=$2
    shift 2
    "$orrery" run "$here/job.yml" --set workload.training.batch=$batch "$@" --json "$out/$name.json" >"$out/$name.txt" 2>/dev/null
    awk -v text="$text" -v tokens=$((batch * 4096 / 2048)) '
        /"wall_ps":/ && step == 0 { gsub(/[^0-9]/, "", $2); step = $2 / 1e12 }
        /^stages? [0-9-]+ .* of / && $(NF - 4) > most { most = $(NF - 4) }
        END { printf "%-44s %7.2f s %7.0f %8.1f GiB\n", text, step, tokens / step, most }' "$out/$name.json" "$out/$name.txt"
}

training=workload.training
printf '%-44s %9s %7s %12s\n' "2,048 H800" step tokens/s memory
line all "all"
line even "tokens even over the experts" --set workload.transformer.expert_busiest=1
line sms "no SMs held by the exchange of tokens" --set compute.token_sms=0
line schedule_1f1b "1F1B for DualPipe" --set workload.parallel.schedule=1f1b
line schedule_zb "ZB-H1 for DualPipe" --set workload.parallel.schedule=zb-h1
line alltoall "tokens to each expert by itself (NCCL)" --set workload.parallel.dispatcher=alltoall
line groups "tokens to any node" --set workload.transformer.groups_per_token=8
line dispatch "tokens in BF16" --set $training.dispatch_type=element
line products "products in BF16" --set "$training.bf16_products=[attention, dense, experts, shared_experts, mtp]"
line kept "inputs of SwiGLU kept in BF16" --set $training.activation_type=element
line again "up-projections and SwiGLU kept" --set $training.recompute_modules=layernorm
line moments "FP32 moments" --set $training.moment_bytes=4
