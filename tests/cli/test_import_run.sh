#!/bin/sh
# Launch files as jobs: --from runs what import writes, on as many NPUs as are asked for, and says
# what it did not understand.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/orrery-from-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# runs STATUS ARGUMENT...: runs orrery; keeps its output in out and err
runs() {
    expected=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err </dev/null
    status=$?
    what="orrery $*"
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected: $(cat err)"
}

# has out|err TEXT: somewhere in it
has() {
    grep -qF -- "$2" "$1" || fail "std$1 lacks: $2
$(cat "$1")"
}

fail() {
    printf '%s: %s\n' "$what" "$1"
    failures=$((failures + 1))
}

cat >platform.yml <<'END'
network: {topology: Ring(4)_Switch(4), bandwidth: 100_25 GB/s, latency: 500 ns}
compute: {peak: 100 TFLOP/s}
memory: {local: {bandwidth: 1 TB/s, capacity: 80 GB}}
END
cat >config.json <<'END'
{"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4,
 "intermediate_size": 4096, "vocab_size": 32000, "torch_dtype": "bfloat16"}
END
cat >run.sh <<'END'
torchrun --nproc_per_node 4 --nnodes 4 pretrain_gpt.py --tensor-model-parallel-size 4 --sequence-parallel --bf16 \
    --micro-batch-size 1 --global-batch-size 64 --seq-length 512 --use-distributed-optimizer --overlap-grad-reduce \
    --moe-grouped-gemm
END

# the same job, by way of a file and at once
runs 0 import config.json run.sh -o job.yml
runs 0 run platform.yml job.yml --json file.json
runs 0 run platform.yml --from config.json --from run.sh --json from.json
has err "run.sh: warning: not understood: moe_grouped_gemm"
cmp -s file.json from.json || fail "the job of a file is another one"
grep -q 'data: 4 ' job.yml || fail "16 processes in groups of 4 are 4 ranks: $(cat job.yml)"

# half of the NPUs, half of the ranks
runs 0 run platform.yml --from config.json --from run.sh --npus 8 --json half.json
has err "run.sh: warning: nnodes: 16 processes, but the job runs on 8 NPUs: 2 data-parallel ranks"
runs 0 run platform.yml --from config.json --from run.sh --npus 32
runs 2 run platform.yml --from config.json --from run.sh --npus 6
has err "npus: 6 processes are no multiple of tensor x pipeline x context = 4"
runs 2 import config.json run.sh --npus 6
has err "npus: 6 processes are no multiple of tensor x pipeline x context = 4"

# other commands that take a job
runs 0 whatif platform.yml --from config.json --from run.sh --compute 2x
runs 0 gen --from config.json --from run.sh --npus 16
has out "16 NPUs: tensor 4, context 1, expert 1, data 4, pipeline 1"
runs 0 run platform.yml --from config.json --from run.sh --explain
has out "batch: 64"

# what is none of a launch is named, and converted if it is a trace
runs 0 gen all_reduce --npus 1 --bytes 1MiB -o trace
runs 0 import trace.0.et
has out "trace.0.et: an execution trace"
has out "runs the traces PREFIX.RANK.et"
runs 0 import trace.0.et --json -
has out '"kind": "an execution trace"'
runs 0 import trace.0.et -o converted
has out "wrote converted.0.et"
[ -s converted.0.et ] || fail "there is no trace"
runs 0 import platform.yml
has out "platform.yml: a platform"
runs 2 import platform.yml -o job2.yml
has err "no workload can be written: the file is none of a launch"
runs 2 import trace.0.et run.sh
has err "trace.0.et: this is an execution trace, not a launch file"
runs 2 run platform.yml --from trace.0.et
has err "no workload can be written"

# what does not go together
runs 2 run platform.yml job.yml --from config.json
has err "--from goes without a workload, got job.yml"
runs 2 run platform.yml --from run.sh
has err "none of the files describes a model"
runs 2 run platform.yml --from nothing.json
has err "nothing.json: cannot be opened"
runs 2 gen mlp --from config.json --npus 4
has err "--from goes without a kind or workload, got mlp"

[ "$failures" -eq 0 ] || exit 1
echo "imported jobs run"
