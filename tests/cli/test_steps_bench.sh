#!/bin/sh
# bench/steps.sh on rows of our own: those that cannot be run say why, and predictions come before what was measured.
set -u
command -v python3 >/dev/null || exit 77

steps=$ORRERY_SOURCE_DIR/bench/steps.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says TEXT: that the last report has
says() { grep -qF -- "$1" "$work/out" || fail "expected '$1': $(cat "$work/out")"; }

heading=id,source,release,gpu,gpus,model,tensor,pipeline,chunks,context,expert,data,fsdp,batch,micro_batch,sequence,precision,step_s
cat >"$work/own.csv" <<END
$heading
a,own,1,H100,8,llama3_8b,1,1,1,1,1,8,0,8,1,2048,bf16,1.0
b,own,1,H100,8,llama3_8b,1,1,1,1,1,8,0,8,1,2048,bf16,0.5
c,own,1,H1000,8,llama3_8b,1,1,1,1,1,8,0,8,1,2048,bf16,1.0
d,own,1,H100,8,llama3_9b,1,1,1,1,1,8,0,8,1,2048,bf16,1.0
e,own,1,H100,8,llama3_8b,2,1,1,1,1,8,0,8,1,2048,bf16,1.0
f,own,1,H100,8,llama3_8b,1,1,1,1,1,8,0,8,1,2048,int3,1.0
g,own,1,H100,8,llama3_8b,1,1,1,1,1,8,0,8,1,2048,bf16,-1.0
h,own,1,H100,8,llama3_8b,1,1,one,1,1,8,0,8,1,2048,bf16,1.0
END
"$steps" "$work/own.csv" >"$work/out" 2>&1 || fail "own rows: $(cat "$work/out")"
says "no platform of the GPU H1000; nearest: h100"
says "no model llama3_9b ships; nearest: llama3_8b"
says "tensor x pipeline x context x data is 16, of 8 GPUs"
says "precision int3 is none of bf16"
says "step_s is not a positive number"
says "chunks is 'one', expected a whole number"
says "all: 8 rows, 2 run, "
hash=$(sed -n 's/.*sha256 //p' "$work/out")

# Predictions do not know what was measured; a row's command gives its time.
sed '2,$s/[^,]*$/7/' "$work/own.csv" >"$work/other.csv"
"$steps" "$work/other.csv" >"$work/out" 2>&1
says "sha256 $hash"
eval "${ORRERY_BIN} $("$steps" "$work/own.csv" --command a | sed 's/^orrery //') --json $work/a.json" >/dev/null 2>&1
"$steps" "$work/own.csv" --csv "$work/rows.csv" >/dev/null
awk -F, 'FNR == NR { if (/"wall_ps"/) { split($0, of, ": "); wall = of[2] / 1e12 } next }
    $1 == "a" || $1 == "b" { n++; bad += $6 != wall || $8 - (wall / $7 - 1) > 1e-9 || wall / $7 - 1 - $8 > 1e-9 }
    END { exit n != 2 || bad }' "$work/a.json" "$work/rows.csv" || fail "rows: $(cat "$work/rows.csv")"

cut -d, -f1-9 "$work/own.csv" >"$work/narrow.csv"
"$steps" "$work/narrow.csv" >"$work/out" 2>&1 && fail "a table without columns was taken"
says "no columns precision, context, expert, data, fsdp, batch, micro_batch, sequence"

exit $((failures > 0))
