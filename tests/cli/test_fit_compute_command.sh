#!/bin/sh
# orrery fit compute: measured training steps become a platform that computes as fast, its reports, what
# is said of rows that tell too little, and what is refused. Times are the model's own, with products at
# 0.62 of the peak and 140 us each, attention at 0.3, elementwise operations at 0.7 of the bandwidth.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENT...: exit status 2, this on standard error, and no file out.yml
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" fit "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qxF -e "$expected" err || fail "$*: expected \"$expected\", got: $(cat err)"
    [ ! -e out.yml ] || fail "$*: out.yml was written"
}

cat >pod.yml <<'END'
name: a pod
network:
  topology: Switch(8)_Switch(2)
  bandwidth_is: npu
  dims: [{bandwidth: 300 GB/s, latency: 700 ns}, {bandwidth: 25 GB/s, latency: 2 us}]
system: {chunks: 4, library: {name: nccl, gpu: a100}}
memory: {local: {bandwidth: 1555 GB/s, capacity: 1 GB}} # too little, which is not asked
compute: {peak: 312 TFLOP/s, cpu: 2}
END
cat >job.yml <<'END'
workload:
  transformer: {layers: 2, hidden: 2048, heads: 16, sequence: 1024, vocabulary: 32000}
  parallel: {tensor: 8}
  training: {batch: 16, micro_batch: 1, steps: 2}
END
truth='compute.efficiency=[{kind: default, points: 0.62, bandwidth: 0.7}, {kind: gemm, points: 0.62, constant: 140 us}, {kind: attention, points: 0.3}, {kind: elementwise, bandwidth: 0.7}, {kind: memory, bandwidth: 0.7}]'

# What a step of each shape takes: half of two.
echo 'name,#gpus,workload.transformer.hidden,workload.transformer.sequence,workload.training.micro_batch,workload.parallel.tensor,time_s' >rows.csv
while read -r hidden sequence micro tensor; do
    "$ORRERY_BIN" run pod.yml job.yml --ignore-capacity --json run.json --set "$truth" \
        --set "workload.transformer.hidden=$hidden" --set "workload.transformer.sequence=$sequence" \
        --set "workload.training.micro_batch=$micro" --set "workload.parallel.tensor=$tensor" >out 2>err ||
        fail "a row does not run: $(cat err)"
    time=$(awk -F '[:,]' '/"wall_ps"/ { printf "%.15g", $2 / 2e12; exit }' run.json)
    echo "h$hidden s$sequence,$tensor,$hidden,$sequence,$micro,$tensor,$time" >>rows.csv
done <<'END'
1024 1024 1 1
2048 1024 2 2
4096 1024 4 8
8192 1024 1 8
2048 4096 1 4
2048 8192 2 8
4096 512 4 4
1024 256 1 1
8192 2048 2 8
4096 16384 1 8
1024 2048 2 2
2048 512 8 8
END
to="--platform pod.yml --workload job.yml -o out.yml"

# shellcheck disable=SC2086 # words
"$ORRERY_BIN" fit compute rows.csv $to --holdout 'column:gpus=4' --report report.json --report report.svg \
    --save-compute compute.yml --set compute.fitted.stack=test --set compute.gpu=A100 >out 2>err ||
    fail "a fit: $(cat err)"
[ ! -s err ] || fail "a fit has warnings: $(cat err)"
grep -q '^pod.yml: job.yml, fitted to 10 rows of 1 file; 2 held out (column:gpus=4)$' out ||
    fail "no head: $(head -1 out)"
grep -Eq '^fitted +10 +0\.0 % +0\.0 % ' out || fail "not as measured: $(cat out)"
grep -Eq '^held out +2 +0\.0 % ' out || fail "held out: $(cat out)"
grep -Eq '^compute.efficiency.gemm.points +0\.62 +0\.75 .* yes' out || fail "not 0.62: $(cat out)"
grep -Eq '^compute.efficiency.gemm.constant +140 us +100 us .* yes' out || fail "not 140 us: $(cat out)"
grep -Eq '^compute.efficiency.attention.points +0\.3 +0\.4 .* yes' out || fail "not 0.3: $(cat out)"
grep -Eq '^compute.efficiency.elementwise.bandwidth +0\.7 +0\.5 .* yes' out || fail "not 0.7: $(cat out)"

# The platform: what was fitted, and all else as it was.
[ "$(sed -n 1p out.yml)" = '# Made by `orrery fit compute` of pod.yml.' ] || fail "$(sed -n 1p out.yml)"
grep -q '^# of which 2 were held out: column:gpus=4$' out.yml || fail "no rule in: $(cat out.yml)"
grep -Eq '^    - \{kind: gemm, points: 0\.6[0-9]*, constant: 1[34][0-9.]* us\}$' out.yml || fail "no gemm: $(cat out.yml)"
grep -Eq '^    - \{kind: default, scope: operator, points: 0\.6[0-9]*, bandwidth: 0\.[67][0-9]*\}$' out.yml ||
    fail "no default: $(cat out.yml)"
grep -q '^  cpu: 2$' out.yml && grep -q '^    stack: test$' out.yml && grep -q '^    gpu: A100$' out.yml &&
    grep -q '^    rows: 10$' out.yml && grep -q '^name: a pod$' out.yml || fail "the rest: $(cat out.yml)"
[ "$(grep -c '^      - \[.*1\]$' out.yml)" -eq 4 ] || fail "no correlations: $(cat out.yml)"
"$ORRERY_BIN" run out.yml job.yml --ignore-capacity --uncertainty >out 2>err || fail "the platform does not run: $(cat err)"
grep -Eq '^80 % between [0-9.]+ ms and [0-9.]+ ms \(compute as fitted to 10 rows: parameters [0-9.]+ %, residuals 1\.0 %\)$' out ||
    fail "no uncertainty: $(sed -n 2p out)"
cp out.yml first.yml

# The same again, byte by byte; as it stands; and of another GPU.
# shellcheck disable=SC2086
"$ORRERY_BIN" fit compute rows.csv $to --holdout 'column:gpus=4' --set compute.fitted.stack=test \
    --set compute.gpu=A100 --report again.json >out 2>err || fail "again: $(cat err)"
cmp -s out.yml first.yml || fail "another platform the second time"
cmp -s report.json again.json || fail "another report the second time"
"$ORRERY_BIN" fit compute rows.csv --platform first.yml --workload job.yml --evaluate >out 2>err ||
    fail "--evaluate: $(cat err)"
grep -q '^first.yml: job.yml, as it is, compared to 12 rows of 1 file$' out || fail "--evaluate: $(head -1 out)"
grep -Eq '^held out +12 +0\.0 % +0\.0 % ' out || fail "--evaluate: $(cat out)"
grep -Eq '^compute.efficiency.gemm.points +0\.6[0-9]* +0\.6[0-9]* +- +-' out || fail "--evaluate moved: $(cat out)"
cat >other.yml <<'END'
include: [pod.yml, compute.yml]
END
"$ORRERY_BIN" run other.yml job.yml --ignore-capacity >/dev/null 2>err || fail "the section alone: $(cat err)"
grep -q 'fitted to the GPU' err && fail "A100 and a100 differ: $(cat err)"
"$ORRERY_BIN" run other.yml job.yml --ignore-capacity --set system.library.gpu=h100 >/dev/null 2>err
grep -q 'compute.yml:[0-9]*:[0-9]*: warning: compute.fitted.gpu: the efficiency was fitted to the GPU A100, and the platform has h100 (system.library.gpu)$' err ||
    fail "no warning of another GPU: $(cat err)"
"$ORRERY_BIN" fit compute rows.csv --platform other.yml --workload job.yml --evaluate --set system.library.gpu=h100 >/dev/null 2>err
[ "$(grep -c 'warning: compute.fitted.gpu: the efficiency was fitted to the GPU A100, and the platform has h100 (system.library.gpu)$' err)" -eq 1 ] ||
    fail "a fit has no warning of another GPU: $(cat err)"

# Of rows of one's own, an earlier fit's software and source are not said; what is set is, and the GPU stays.
cat >>first.yml <<'END'
    source: somewhere
END
grep -q '^    stack: test$' first.yml || fail "no stack: $(cat first.yml)"
"$ORRERY_BIN" fit compute rows.csv --platform first.yml --workload job.yml -o again.yml >out 2>err || fail "fitted again: $(cat err)"
grep -q '^    gpu: A100$' again.yml || fail "no GPU: $(cat again.yml)"
grep -q 'stack:\|source:' again.yml && fail "what an earlier fit was of: $(cat again.yml)"
"$ORRERY_BIN" fit compute rows.csv --platform first.yml --workload job.yml -o again.yml --set compute.fitted.source=here \
    >out 2>err || fail "fitted again: $(cat err)"
grep -q '^    source: here$' again.yml || fail "no source: $(cat again.yml)"
grep -q 'stack:' again.yml && fail "what an earlier fit was of: $(cat again.yml)"

# Reports.
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "report.json is not right"
import json
report = json.load(open("report.json"))
assert report["workload"] == "job.yml" and report["refused_rows"] == 0 and "nvls_tree" not in report
assert len(report["rows"]) == 12 and report["fitted_rows"] == 10 and report["held_out_rows"] == 2
row = report["rows"][4]
assert row["name"] == "h2048 s4096" and row["held_out"] and row["file"] == "rows.csv" and row["line"] == 6, row
assert abs(row["model_s"] / row["measured_s"] - 1 - row["error"]) < 1e-12 and abs(row["error"]) < 0.001, row
assert report["fitted"][0]["count"] == 10 and "collective" not in report["fitted"][0]
assert report["held_out"][0]["worst_file"] == "rows.csv" and report["held_out"][0]["worst_name"][0] == "h"
assert [p["unit"] for p in report["parameters"]] == ["", "us", "", ""], report["parameters"]
assert all(p["identified"] and p["spread"] > 0 for p in report["parameters"])
END
fi
[ "$(grep -o '<circle' report.svg | wc -l)" -eq 12 ] || fail "not 12 points"
grep -q 'measured time, s' report.svg && grep -q '<title>h2048 s4096</title>' report.svg || fail "no names in the picture"

# Only some parameters, and others.
"$ORRERY_BIN" fit compute rows.csv --platform pod.yml --workload job.yml -o - --fix compute.efficiency.gemm.constant \
    --fit 'network.dims[0].bandwidth' >out 2>err || fail "--fit and --fix: $(cat err)"
grep -q 'constant: 100 us}$' out || fail "the constant moved: $(cat out)"
grep -q '^compute:$' out || fail "the platform only: $(cat out)"

# Rows that tell too little.
sed -n '1p;4p' rows.csv >few.csv
rm -f out.yml
"$ORRERY_BIN" fit compute few.csv --platform pod.yml --workload job.yml -o few.yml >out 2>err || fail "one row: $(cat err)"
[ "$(grep -c ' is not determined by these rows, and stays at ' out)" -eq 3 ] || fail "one row tells: $(cat out)"
grep -q 'to determine it: iterations that differ in hidden size$' out || fail "what is missing: $(cat out)"

# A bound: all of the data sheet.
sed 's/312 TFLOP/100 TFLOP/; s/1555 GB/500 GB/' pod.yml >slow.yml
"$ORRERY_BIN" fit compute rows.csv --platform slow.yml --workload job.yml -o slow_out.yml >out 2>err ||
    fail "a bound: $(cat err)"
grep -q 'warning: compute.efficiency.gemm.points met its bound of 1: all of what the data sheet says' err ||
    fail "no warning of a bound: $(cat err)"

# What is refused.
head -1 rows.csv >none.csv
sed 's/transformer.hidden/transformer.hiden/' rows.csv >key.csv
sed '1s/time_s/time_ms/' rows.csv >unit.csv
sed '3s/,[^,]*$/,-1/' rows.csv >negative.csv
sed '3s/,[^,]*$/,fast/' rows.csv >word.csv
sed '3s/,[^,]*$/,1e308/' rows.csv >far.csv
sed '3s/,[^,]*$/,1e-320/' rows.csv >near.csv
sed '3s/,2048,/,2047,/; 5s/,8192,/,8191,/' rows.csv >heads.csv
sed 's/peak: 312 TFLOP\/s, //' pod.yml >peakless.yml
sed 's/workload.transformer.hidden/compute.efficiency/' rows.csv >set.csv
# shellcheck disable=SC2086
{
    refuses 'key.csv:1:12: column 3: "workload.transformer.hiden" names no key of platforms or workloads; did you mean "workload.transformer.hidden"?' \
        compute key.csv $to
    refuses 'unit.csv:1:1: the header has no column time_s, the seconds that a training step took; is "time_ms" meant?' \
        compute unit.csv $to
    refuses 'negative.csv:3:29: time_s: expected seconds above 0, got "-1"' compute negative.csv $to
    refuses 'word.csv:3:29: time_s: expected seconds above 0, got "fast"' compute word.csv $to
    refuses 'far.csv:3:29: time_s: expected a time from 1 ps to 106 days, got "1e308"' compute far.csv $to
    refuses 'near.csv:3:29: time_s: expected a time from 1 ps to 106 days, got "1e-320"' compute near.csv $to
    refuses 'none.csv: there are no measured iterations: expected rows after the header' compute none.csv $to
    refuses 'holdout "column:name=nothing": none of the 12 rows is held out' compute rows.csv $to --holdout column:name=nothing
    refuses '2 of 12 measured iterations cannot run; correct or remove them, or leave them out with --skip-refused:' \
        compute heads.csv $to
    grep -q '^  heads.csv:3 (h2048 s1024): job.yml:2:49: workload.transformer.heads: 16 heads do not divide hidden, 2047' err ||
        fail "which rows are refused: $(cat err)"
    refuses "peakless.yml:8:10: the platform has no compute.peak, of which shares are fitted; expected compute: {peak: 312 TFLOP/s}, or --set 'compute.peak=312 TFLOP/s'" \
        compute rows.csv --platform peakless.yml --workload job.yml -o out.yml
    refuses 'set.csv: the column compute.efficiency sets what is fitted: compute.efficiency.gemm.points' compute set.csv $to
    refuses "pod.yml:3:13: --fit network.topology: expected the key of a number, a time or a rate" \
        compute rows.csv $to --fit network.topology
    refuses '--fit: "network.dims.1.bandwidth" names no key of platforms or workloads; did you mean "network.dims[].bandwidth"?' \
        compute rows.csv $to --fit network.dims.1.bandwidth
    refuses "orrery fit: --workload is missing: what was measured" compute rows.csv --platform pod.yml -o out.yml
    refuses "orrery fit: no files of measured times" compute $to
    refuses "orrery fit: --evaluate fits nothing, so it goes without --fit and --fix" compute rows.csv $to --evaluate --fix x
    refuses "orrery fit: one of -o, --save-compute and --report goes to -, not more" compute rows.csv \
        --platform pod.yml --workload job.yml -o - --save-compute -
    refuses "orrery fit: pod.yml: is an input; results would overwrite it" compute rows.csv --platform pod.yml \
        --workload job.yml -o pod.yml
    refuses "nowhere/out.yml: cannot be written: No such file or directory" compute rows.csv --platform pod.yml \
        --workload job.yml -o nowhere/out.yml
    refuses "nowhere/report.json: cannot be written: No such file or directory" compute rows.csv $to \
        --report nowhere/report.json # before it fits, and writes out.yml
    refuses "nowhere/c.yml: cannot be written: No such file or directory" compute rows.csv $to --save-compute nowhere/c.yml
    refuses ".: cannot be written: Is a directory" compute rows.csv --platform pod.yml --workload job.yml -o .
    refuses "orrery fit: rows.csv: is an input; results would overwrite it" compute rows.csv $to --save-compute rows.csv
}
# shellcheck disable=SC2086
"$ORRERY_BIN" fit compute heads.csv $to --skip-refused >out 2>err || fail "--skip-refused: $(cat err)"
grep -q 'fitted to 10 rows of 1 file' out && grep -q '^note: left out: heads.csv:3 (h2048 s1024): ' out ||
    fail "--skip-refused: $(cat out)"
grep -q '^# Fitted to heads.csv: 10 rows$' out.yml || fail "rows that were left out count: $(sed -n 2p out.yml)"

[ "$failures" -eq 0 ] && echo "orrery fit compute: as expected"
exit $((failures > 0))
