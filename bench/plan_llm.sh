#!/bin/sh
# Layouts that `orrery plan llm` estimates in a second of processor time, and how far estimates are from the runs of the best.
#
#   usage: bench/plan_llm.sh [CASE...]      "PLATFORM MODEL NPUS BATCH"; default: the cases below
#
# ORRERY_BIN names another orrery than build/release/bin/orrery. The first case is that of Calculon's published search, 437
# layouts a second.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- "hgx_h100_256 gpt3_175b 1024 1536" "hgx_h100_256 llama3_405b 8192 2048" "hgx_h100_256 llama2_70b 256 512" \
    "hgx_h100_256 mixtral_8x7b 128 256" "gb200_nvl72_512 gpt_1t 512 1024"

printf '%-16s %-14s %6s %10s %10s %12s %10s %10s\n' platform model NPUs estimated 'too large' 'a second' 'best (s)' 'worst err.'
for case; do
    # shellcheck disable=SC2086 # words of a case
    set -- $case
    "$orrery" plan llm "$1" "$2" --npus "$3" --set "workload.training.batch=$4" --json "$work/plan.json" >/dev/null
    awk -v platform="$1" -v model="$2" '
        /"npus"|"estimates"|"estimate_s"|"too_large"/ { split($0, of, /[":, ]+/); value[of[2]] = of[3] }
        /"error"/ { split($0, of, /[:,]/); size = of[2] < 0 ? -of[2] : of[2] + 0; worst = size > worst ? size : worst }
        /"simulated_ps"/ && !best { split($0, of, /[:,]/); best = of[2] / 1e12 }
        END { printf "%-16s %-14s %6d %10d %10d %12.0f %10.3f %8.1f %%\n", platform, model, value["npus"], value["estimates"],
            value["too_large"], value["estimates"] / value["estimate_s"], best, 100 * worst }' "$work/plan.json"
done
