#!/bin/sh
# Layers of transformers written as operators of one's own take, in tensor, context and expert
# parallelism, pipelines, with ZeRO and recomputation, the time of the generated ones.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

cat >platform.yml <<'END'
name: eight GPUs
network:
  topology: Switch(2)_Switch(4)
  bandwidth_is: npu
  dims:
    - {bandwidth: 100 GB/s, latency: 1 us}
    - {bandwidth: 100 GB/s, latency: 1 us}
system: {chunks: 1}
compute: {peak: 100 TFLOP/s, efficiency: 1}
END
cat >dense.yml <<'END'
workload:
  model:
    element_bytes: 2
    operators:
      - data: {name: tokens, shape: [2048, 4096]}
      - block:
          name: layer
          repeat: 4
          operators:
            - layer_norm: {name: norm}
            - dense: {name: qkv, out: 12288}
            - attention_core: {name: core, heads: 32, causal: true}
            - dense: {name: proj, out: 4096}
            - add: {name: sum, input: [proj, above]}
            - layer_norm: {name: norm2}
            - dense: {name: up, out: 16384}
            - activation: {name: act}
            - dense: {name: down, out: 4096}
            - add: {name: sum2, input: [down, sum]}
  training: {batch: 16, micro_batch: 1}
END
cat >dense_generated.yml <<'END'
workload:
  transformer: {layers: 4, hidden: 4096, heads: 32, sequence: 2048, vocabulary: 0, causal: true, dropout: false}
  training: {batch: 16, micro_batch: 1}
END
cat >experts.yml <<'END'
workload:
  model:
    element_bytes: 2
    operators:
      - data: {name: tokens, shape: [512, 1024]}
      - block:
          name: layer
          repeat: 4
          operators:
            - layer_norm: {name: norm}
            - dense: {name: qkv, out: 3072}
            - attention_core: {name: core, heads: 16, causal: true}
            - dense: {name: proj, out: 1024}
            - add: {name: sum, input: [proj, above]}
            - layer_norm: {name: norm2}
            - router: {name: router, experts: 8}
            - expert_dense: {name: up, experts: 8, per_token: 2, out: 4096, input: [norm2, router]}
            - activation: {name: act}
            - expert_dense: {name: down, experts: 8, out: 1024, tokens: 512}
            - add: {name: sum2, input: [down, sum]}
  training: {batch: 16, micro_batch: 1}
END
cat >experts_generated.yml <<'END'
workload:
  transformer:
    {layers: 4, hidden: 1024, heads: 16, ffn: 4096, sequence: 512, vocabulary: 0, causal: true, dropout: false,
     experts: 8, experts_per_token: 2}
  training: {batch: 16, micro_batch: 1}
END

# time_of FILE PARALLEL [TRAINING]: in ps
time_of() {
    "$ORRERY_BIN" run platform.yml "$1" --set "workload.parallel={$2}" --set "workload.training.recompute=${3:-none}" \
        --json - 2>stderr | sed -n 's/^ *"wall_ps": \([0-9]*\).*/\1/p' | head -n 1
}

# alike MODEL PERMILLE PARALLEL [RECOMPUTE]
alike() {
    own=$(time_of "$1.yml" "$3" "${4:-}")
    generated=$(time_of "$1_generated.yml" "$3" "${4:-}")
    awk -v a="$own" -v b="$generated" -v limit="$2" 'BEGIN { d = a - b; exit !(a > 0 && 1000 * (d < 0 ? -d : d) <= limit * b) }' ||
        fail "$1 {$3} ${4:-}: own ${own:-none} ps, generated ${generated:-none} ps $(cat stderr)"
}

alike dense 0.01 'tensor: 2'
alike dense 0.01 'tensor: 8'
alike dense 0.01 'tensor: 2, sequence: true'
alike dense 0.01 'tensor: 4, sequence: true, zero: 3'
alike dense 0.01 'tensor: 2, pipeline: 2, zero: 1'
alike dense 0.01 'tensor: 2, pipeline: 2, sequence: true'
alike dense 0.01 'tensor: 2, pipeline: 2, schedule: interleaved' full
alike dense 0.01 'context: 2, pipeline: 2'
alike dense 0.01 'tensor: 2, context: 2, sequence: true' full
# Norms that are computed again, named by pattern, as the module of that name.
for parallel in 'tensor: 1' 'tensor: 2, sequence: true'; do
    for file in dense.yml dense_generated.yml; do
        key='recompute_operators=["*norm*"]'
        [ $file = dense.yml ] || key='recompute_modules=[layernorm]'
        "$ORRERY_BIN" run platform.yml $file --set "workload.parallel={$parallel}" --set workload.training.recompute=selective \
            --set "workload.training.$key" >"$file.out" 2>stderr || fail "$file {$parallel} $key: $(cat stderr)"
    done
    [ "$(head -n 1 dense.yml.out | cut -c1-15)" = "$(head -n 1 dense_generated.yml.out | cut -c1-15)" ] ||
        fail "norms again {$parallel}: $(head -n 1 dense.yml.out) $(head -n 1 dense_generated.yml.out)"
done
# The router runs beside the tokens that are sent.
alike experts 0.5 'expert: 8'
alike experts 0.5 'tensor: 2, expert: 2, sequence: true'
alike experts 1.5 'tensor: 2, sequence: true'

# The estimate knows them: layouts are searched as those of the generated layers are.
for file in dense experts; do
    "$ORRERY_BIN" plan llm platform.yml $file.yml --set 'workload.parallel={tensor: 1}' --best 2 >stdout 2>stderr ||
        fail "plan llm $file: $(cat stderr)"
    grep -q '^[0-9]* layouts of 8 NPUs fit' stdout && grep -q '^[1-9][0-9.]* samples/s$' stdout ||
        fail "layouts of $file: $(cat stdout)"
done

[ "$failures" -eq 0 ] && echo 'own operators: as the generated layers'
exit $((failures > 0))
