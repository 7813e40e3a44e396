#!/bin/sh
# orrery plan llm: what it finds is what runs, the same at any number of threads; the best of whole spaces is among those that
# are simulated; limits and bad input.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# llm NAME ARGUMENT...: $work/NAME.json, .csv, .txt
llm() {
    name=$1
    shift
    "$ORRERY_BIN" plan llm "$@" --json "$work/$name.json" --csv "$work/$name.csv" >"$work/$name.txt" 2>"$work/$name.err" ||
        fail "plan llm $*: $(cat "$work/$name.err")"
}

# refused TEXT ARGUMENT...
refused() {
    expected=$1
    shift
    "$ORRERY_BIN" plan llm "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || fail "plan llm $*: expected status 2"
    grep -qF -- "$expected" "$work/err" || fail "plan llm $*: expected '$expected', got $(cat "$work/err")"
}

# column NAME FIELD: of the first layout
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' "$work/$1.csv"
}

model='workload: {transformer: {layers: 8, hidden: 2048, heads: 16, sequence: 2048, vocabulary: 32000, causal: true}, training: {batch: 64}}'
experts='workload: {transformer: {layers: 8, hidden: 1024, heads: 8, sequence: 1024, vocabulary: 32000, experts: 8, experts_per_token: 2}, training: {batch: 64}}'
echo "$model" >"$work/dense.yml"
echo "$experts" >"$work/experts.yml"

# Threads, and the run of the best.
llm one hgx_h100_256 "$work/dense.yml" --npus 16 --best 6 --jobs 1 --tokens 1e12 --price '2 $/h'
llm two hgx_h100_256 "$work/dense.yml" --npus 16 --best 6 --jobs 2 --tokens 1e12 --price '2 $/h'
cmp -s "$work/one.csv" "$work/two.csv" && cmp -s "$work/one.txt" "$work/two.txt" || fail "threads change the plan"
grep -q '"estimates": [1-9]' "$work/one.json" && grep -q '"estimate_s": ' "$work/one.json" || fail "$(cat "$work/one.json")"
set -- $(awk -F, 'NR == 1 { split("tensor context expert pipeline chunks data zero", key, " "); for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { for (k = 1; k <= 7; k++) printf "--set workload.parallel.%s=%s ", key[k], $at[key[k]]
        printf "--set workload.training.micro_batch=%s --set workload.training.recompute=%s ", $at["micro_batch"], $at["recompute"]
        printf "--set workload.parallel.schedule=%s --set workload.parallel.sequence=%s", ($at["chunks"] > 1 ? "interleaved" : "1f1b"),
            ($at["tensor"] > 1 ? "true" : "false") }' "$work/one.csv")
"$ORRERY_BIN" run hgx_h100_256 "$work/dense.yml" --npus 16 "$@" --json "$work/run.json" >/dev/null 2>&1
grep -q "\"wall_ps\": $(column one simulated_ps)," "$work/run.json" || fail "the best layout does not run as told: $(column one layout)"
awk -v step="$(column one simulated_ps)" -v days="$(column one days)" -v cost="$(column one cost)" 'BEGIN {
    want = 1e12 / (64 * 2048 / (step / 1e12)) / 86400
    exit !(days / want > 0.999999 && days / want < 1.000001 && cost / (days * 24 * 16 * 2) > 0.999999 && cost / (days * 24 * 16 * 2) < 1.000001) }' ||
    fail "days or cost: $(column one days), $(column one cost)"

# The fastest of all layouts is among the 20 with the least estimates.
for case in "dense 8 hgx_h100_256" "experts 8 hgx_h100_256" "dense 16 hgx_b200_64" "experts 16 dgx_a100_64"; do
    set -- $case
    llm some "$3" "$work/$1.yml" --npus "$2" --best 20
    llm all "$3" "$work/$1.yml" --npus "$2" --best 1000
    [ "$(column some simulated_ps)" = "$(column all simulated_ps)" ] ||
        fail "$case: $(column some layout) $(column some simulated_ps), but $(column all layout) $(column all simulated_ps)"
done

# A limit of memory holds, and costs time.
llm less hgx_h100_256 "$work/dense.yml" --npus 16 --best 6 --memory '4 GB'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["memory_bytes"] > 4e9 { exit 1 }' "$work/less.csv" || fail "more than 4 GB"
[ "$(column less simulated_ps)" -ge "$(column one simulated_ps)" ] || fail "less memory is faster"

refused "workload.training.batch is missing" hgx_h100_256 gpt3_175b
refused "no layout fits into 74.51 GiB of memory; t16 p1 d1 mb1 zero0 recompute full needs the least, 163.43 GiB" hgx_h100_256 gpt3_175b \
    --npus 16 --set workload.training.batch=64
refused "the workload has no layouts to choose from; expected a section \`transformer\`, or operators (\`model\`) with \`parallel\`" hgx_h100_256 vgg16
refused "7 samples are not a multiple of" hgx_h100_256 gpt3_175b --npus 24 --set workload.training.batch=7
refused "--price: expected dollars an hour" hgx_h100_256 gpt3_175b --price 3
refused "--memory" hgx_h100_256 gpt3_175b --memory much

[ "$failures" -eq 0 ] && echo "plan llm: as told"
exit $((failures > 0))
