#!/bin/sh
# TopoOpt's planner on the paper's six models at 128 servers: never worse than data parallelism with
# tables round robin (five bandwidths, d = 4 and 8), the naive method against the alternation, CANDLE at
# 10 Gb/s by simulation, CANDLE with memory checked, a mixture of experts, and how long plans take.
# Prints a line a case; fails where a plan is slower than data parallelism (by more than 1 % in a
# run, as the evaluator errs), CANDLE takes more than 30 s, does not fit, a plan more than 60 s at
# the default budget on one core (its run time is printed too), or a case prints nothing.
#
#   usage: bench/plan.sh [BUILD]          (default: build/release; needs ORRERY_SHARED, ../shared)
#   with QUICK=1: a few cases, a smaller budget; LONG=1: also ten times the budget, under 10 minutes
set -eu

cd "$(dirname "$0")/.."
build=${1:-build/release}
shared=${ORRERY_SHARED:-../shared}
profiles=$shared/data/flexflow/profiles
models=inputs/models/topoopt
bench=$build/bench/bench_plan
quick=${QUICK:-0}
[ -d "$profiles" ] || {
    echo "no profiles in $profiles" >&2
    exit 77
}
cmake --build "$build" --target bench_plan orrery >/dev/null
failed=0

profile_of() {
    case $1 in
    vgg) echo vgg128 ;;
    resnet50) echo resnet128 ;;
    bert_5_3) echo transformer128 ;;
    dlrm_5_3) echo dlrm128 ;;
    ncf) echo ncf128 ;;
    candle_5_3) echo candle_128 ;;
    *) echo "no profile of $1" >&2 && return 1 ;;
    esac
}

# model bandwidth degree key=value...: what bench_plan prints
plan() {
    model=$1 bandwidth=$2 degree=$3
    shift 3
    "$bench" "$models/$model.yml" "$profiles/$(profile_of "$model").json" 128 "$bandwidth" "$degree" "$@"
}

# Prints a case and judges it: predictions in s, then runs (0: none), missing bytes.
judge() {
    awk -v name="$1" 'BEGIN { missed = 1 }
    {
        missed = slower = $1 > $3 || ($4 > 0 && $6 > 0 && $4 > 1.01 * $6)
        printf "%-12s %5s Gb/s d %s  %10.4f %10.4f %10.4f   %10.4f %10.4f %10.4f   %6.3f %8.1f s%s\n", name, bandwidth,
            degree, $1, $2, $3, $4, $5, $6, $3 / $1, $10, slower ? "  SLOWER" : ""
    }
    END { exit missed }' bandwidth="$2" degree="$3" /dev/stdin
}

echo "                                    predicted: best      naive   data par.   run: best      naive   data par.  gain      CPU"
echo "never worse than data parallelism"
six="vgg resnet50 bert_5_3 dlrm_5_3 ncf candle_5_3"
for model in $six; do
    for degree in 4 8; do
        for bandwidth in 10 25 40 100 200; do
            [ "$quick" = 0 ] || [ "$model$bandwidth$degree" = vgg104 ] ||
                [ "$model$bandwidth$degree" = candle_5_3104 ] || continue
            plan "$model" $bandwidth $degree budget=400 rounds=1 run=2 |
                judge "$model" $bandwidth $degree || failed=1
        done
    done
done

budget=
[ "$quick" = 0 ] || budget=budget=400
echo "naive against alternating, at ${budget:-the default budget}"
for model in $six; do
    plan "$model" 100 4 ${budget:+"$budget"} | judge "$model" 100 4 || failed=1
done

echo "CANDLE at 10 Gb/s by simulation: at most 30 s"
plan candle_5_3 10 4 run=2 >"${TMPDIR:-/tmp}/plan.$$"
judge candle_5_3 10 4 <"${TMPDIR:-/tmp}/plan.$$" || failed=1
awk 'BEGIN { missed = 1 } { missed = $4 > 30 } END { exit missed }' "${TMPDIR:-/tmp}/plan.$$" || failed=1

echo "CANDLE with 80 GB a server: bytes missing of the plan, and of data parallelism"
plan candle_5_3 10 4 memory=80 ${budget:+"$budget"} run=1 | awk 'BEGIN { missed = 1 }
    { print $7, $8, $1 " s", $4 " s by simulation"; missed = $7 != 0 || $8 == 0 }
    END { exit missed }' || failed=1
rm -f "${TMPDIR:-/tmp}/plan.$$"

echo "a mixture of experts on 16 servers, against data parallelism"
cat >"${TMPDIR:-/tmp}/experts.$$.yml" <<END
plan:
  model:
    transformer:
      {layers: 2, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, sequence: 4096, vocabulary: 32000,
       experts: 8, experts_per_token: 2, tied: false, bias: false, dropout: false, norm: rmsnorm, causal: true}
  batch: 16
  servers: 16
  server: {gpus: 8, bandwidth: 600 GB/s}
  interfaces: {degree: 4, bandwidth: 100 Gb/s}
  search: {budget: 1500}
compute: {peak: 2496 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 16312 GB/s}}
END
"$build/bin/orrery" plan topoopt "${TMPDIR:-/tmp}/experts.$$.yml" |
    awk '/^  (the plan|data parallelism) / { print } /^  data parallelism/ { more = $5 > 1 } END { exit !more }' || failed=1
rm -f "${TMPDIR:-/tmp}/experts.$$.yml"

# at_most SECONDS MODEL: what bench_plan says of a plan and its run
at_most() {
    awk -v max="$1" -v name="$2" 'BEGIN { missed = 1 }
    { print name, $9, "evaluations,", $10, "s, and", $11, "s for its run"; missed = $10 >= max }
    END { exit missed }'
}

echo "one core, the default budget: under 60 s"
if [ "$quick" = 0 ]; then
    plan dlrm_5_3 100 4 run=1 | at_most 60 dlrm_5_3 || failed=1
    plan ncf 100 4 | at_most 60 ncf || failed=1
    "$bench" "$models/dlrm_5_4.yml" - 128 100 4 run=1 | at_most 60 dlrm_5_4 || failed=1
else
    plan vgg 100 4 run=1 | at_most 60 vgg || failed=1
fi
if [ "${LONG:-0}" = 1 ]; then
    plan dlrm_5_3 100 4 budget=20000 | at_most 600 dlrm_5_3 || failed=1
fi
exit $failed
