#!/bin/sh
# What messages teach works: every example inside the messages about files of other programs, and about sizes, is run as it
# stands there.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# said ARGUMENT...: what a run that is refused says, in the file said.
said() {
    "$ORRERY_BIN" run "$@" >out 2>said </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
}
# works WHAT ARGUMENT...: runs without a word.
works() {
    what=$1
    shift
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null || fail "$what: exit status $?: $(cat err)"
    ! grep -Eq 'has no effect|ignored|deprecated' err || fail "$what: $(cat err)"
}

# ---- files of other programs ----

# A model's config.json: its example is a workload with the numbers of the file.
config() {
    printf '%s\n' "$1" >config.json
    said hgx_h100_256 config.json
    sed -n "s/^.*such as \(workload: {.*}\)\$/\1/p" said >example.yml
    [ -s example.yml ] || fail "config.json: no example in $(cat said)"
    works config.json hgx_h100_256 example.yml
    grep -q '^job time' out && grep -q 'GEMM\|gemm\|compute' out || fail "config.json: nothing is computed: $(cat out)"
    grep -qF "transformer: {$2}" example.yml || fail "config.json: no $2 in $(cat example.yml)"
}
config '{"model_type": "llama", "hidden_size": 8192}' 'layers: 32, hidden: 8192, heads: 64, sequence: 4096, vocabulary: 128256, causal: true'
config '{"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64, "num_hidden_layers": 80,
    "num_key_value_heads": 8, "hidden_act": "silu", "max_position_embeddings": 131072, "vocab_size": 128256}' \
    'layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, gated: true, sequence: 8192, vocabulary: 128256, causal: true'
config '{"activation_function": "gelu_new", "model_type": "gpt2", "n_ctx": 1024, "n_embd": 1600, "n_head": 25, "n_inner": null, "n_layer": 48,
    "n_positions": 1024, "vocab_size": 50257}' \
    'layers: 48, hidden: 1600, heads: 25, sequence: 1024, vocabulary: 50257, causal: true'
config '{"architectures": ["T5ForConditionalGeneration"], "d_ff": 65536, "d_kv": 128, "d_model": 1024, "is_encoder_decoder": true,
    "model_type": "t5", "n_positions": 512, "num_heads": 128, "num_layers": 24, "vocab_size": 32128}' \
    'layers: 24, encoder_layers: 24, hidden: 1024, heads: 128, head_size: 128, ffn: 65536, sequence: 512, vocabulary: 32128, causal: true'
config '{"model_type": "mixtral", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768,
    "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8, "vocab_size": 32000}' \
    'layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, sequence: 8192, vocabulary: 32000, experts: 8, experts_per_token: 2, causal: true'
config '{"model_type": "qwen3_moe", "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144, "max_position_embeddings": 40960,
    "moe_intermediate_size": 768, "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_key_value_heads": 4, "vocab_size": 151936}' \
    'layers: 48, hidden: 2048, heads: 32, kv_heads: 4, head_size: 128, ffn: 6144, gated: true, sequence: 8192, vocabulary: 151936, experts: 128, experts_per_token: 8, expert_ffn: 768, causal: true'
config '{"model_type": "deepseek_v3", "hidden_act": "silu", "hidden_size": 7168, "intermediate_size": 18432, "max_position_embeddings": 163840,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61,
    "num_key_value_heads": 128, "v_head_dim": 128, "vocab_size": 129280}' \
    'layers: 61, hidden: 7168, heads: 128, head_size: 128, ffn: 18432, gated: true, sequence: 8192, vocabulary: 129280, experts: 256, experts_per_token: 8, expert_ffn: 2048, causal: true'
# A configuration of DeepSpeed: its options go with a model, and change it.
for config in '{"zero_optimization": {"stage": 3}}' '{"train_batch_size": 1024}'; do
    printf '%s\n' "$config" >ds.json
    said hgx_h100_256 ds.json
    options=$(sed -n 's/^.*such as \(--set .*\)$/\1/p' said)
    [ -n "$options" ] || fail "ds.json: no example in $(cat said)"
    # shellcheck disable=SC2086
    works ds.json hgx_h100_256 llama2_70b --npus 64 --ignore-capacity $options
    cp out with
    works ds.json hgx_h100_256 llama2_70b --npus 64 --ignore-capacity
    ! cmp -s out with || fail "ds.json: the options change nothing"
done
# A section by itself: how it is run.
printf 'workload: {generate: all_reduce, bytes: 1 MiB}\n' >w.yml
said w.yml w.yml
command=$(sed -n 's/^.*: \(orrery run PLATFORM.yml FILE\) runs it$/\1/p' said)
[ -z "$command" ] || works 'a workload' hgx_h100_256 w.yml

# ---- networks ----

# A network without dimensions: each of the examples is one.
printf 'network: {backend: analytical}\n' >empty.yml
said empty.yml w.yml
sed -n 's/^.*such as \(dims: \[.*\]\), or "topology".*$/network: {\1}/p' said >dims.yml
sed -n 's/^.*such as \(topology: .*\); or "graph".*$/network: {\1}/p' said >topology.yml
sed -n 's/^.*such as \(graph: {.*}\)$/network: {\1}/p' said >graph.yml
for name in dims topology graph; do
    [ -s $name.yml ] || fail "$name: no example in $(cat said)"
    works "$name" $name.yml w.yml
done

# A graph whose edges have no bandwidth: an option gives it to all.
printf 'digraph g {\n  0 -> 1;\n  1 -> 0;\n}\n' >g.dot
"$ORRERY_BIN" topo show g.dot >out 2>said && fail "g.dot: exit status 0"
grep -qF 'got ""; or one of all links: --bandwidth, or network.graph.bandwidth' said || fail "g.dot: $(cat said)"
"$ORRERY_BIN" topo show g.dot --bandwidth '50 GB/s' >out 2>err || fail "g.dot: $(cat err)"
printf 'network: {graph: {file: g.dot, bandwidth: 50 GB/s}}\n' >graph.yml
works g.dot graph.yml w.yml

# ---- sweeps ----

# A choice has a colon that YAML takes for a key's: the example is in quotes, and works.
printf 'workload: {generate: all_reduce, bytes: 1 MiB}\nnetwork: {topology: Switch(4), bandwidth: 1 GB/s}\n' >base.yml
sweep() {
    printf 'sweep:\n  platform: base.yml\n  axes: {system.chunks: [1, 2]}\n  %s\n' "$1" >sweep.yml
    "$ORRERY_BIN" sweep sweep.yml -o "out$#$2" >out 2>said </dev/null
}
sweep 'cost: npus > 100 ? 1 : 2' a && fail "a choice without quotes: exit status 0"
cost=$(sed -n 's/^.*has to be in quotes, such as \(cost: ".*"\)$/\1/p' said)
[ -n "$cost" ] || fail "a choice without quotes: $(cat said)"
sweep "$cost" b || fail "$cost: $(cat said)"
sweep 'where: [cost <= 3]' c || fail "where cost: $(cat said)"
sweep 'cost: cost * 2' d && fail "a cost of costs: exit status 0"
grep -qF 'the cost is what this expression says' said || fail "a cost of costs: $(cat said)"
sweep 'where: [costs <= 3]' e && fail "where costs: exit status 0"
grep -qF 'did you mean "cost"?' said || fail "where costs: $(cat said)"

# ---- other words ----

printf 'model:\n  batch: 4\n  operators:\n    - data: {name: t, shape: [8]}\n    - moe: {experts: 4}\n' >m.yml
"$ORRERY_BIN" model show m.yml >out 2>said && fail "moe: exit status 0"
grep -qF 'model.operators[1].moe: unknown key in an operator; did you mean "expert_dense"?' said || fail "moe: $(cat said)"

# ---- a platform of another size ----

# The platform that ships has 256 NPUs, Switch(8)_Switch(32); a layout of 512 or 64 says what scales it, and that works.
model='workload: {transformer: {layers: 8, hidden: 1024, heads: 16, sequence: 512, vocabulary: 1024}, parallel: {tensor: 8, data: DATA}}'
for data in 64 8; do
    printf '%s\n' "$model" | sed "s/DATA/$data/" >model.yml
    said hgx_h100_256 model.yml
    option=$(sed -n 's/^.*the platform has 256; \(--npus [0-9]*\) scales its outermost dimension.*$/\1/p' said)
    [ "$option" = "--npus $((8 * data))" ] || fail "data $data: $(cat said)"
    # shellcheck disable=SC2086
    works "data $data" hgx_h100_256 model.yml $option
    grep -q "^job time .* on $((8 * data)) NPUs$" out || fail "data $data: $(cat out)"
    grep -Eq "^2 +switch +$data " out || fail "data $data: the outermost dimension: $(cat out)"
done
# As a key, on dims too, and down to one node.
works 'network.npus' hgx_h100_256 w.yml --set network.npus=8
grep -q '^job time .* on 8 NPUs$' out || fail "one node: $(cat out)"
printf 'network: {dims: [{block: ring, npus: 4, bandwidth: 1 GB/s}, {block: switch, npus: 2, bandwidth: 1 GB/s}]}\n' >dims.yml
works 'dims' dims.yml w.yml --npus 12
grep -Eq '^2 +switch +3 ' out || fail "dims: $(cat out)"
# What the inner dimensions do not divide is refused with what they do.
said hgx_h100_256 w.yml --npus 60
grep -qF 'network.npus: the outermost dimension is scaled, and the inner ones have 8 NPUs, which do not divide 60; expected 56 or 64' \
    said || fail "60: $(cat said)"
said hgx_h100_256 w.yml --npus 4
grep -qF 'which do not divide 4; expected 8' said || fail "4: $(cat said)"
said hgx_h100_256 w.yml --npus many
grep -qF -- '--npus: expected a whole number from 1 to 2147483647, got "many"' said || fail "many: $(cat said)"
said graph.yml w.yml --npus 128
grep -qF 'network.npus: dimensions are scaled; a graph has its own' said || fail "a graph: $(cat said)"
sed -n 's/^.*such as \(graph: {.*}\)$/network: {\1}/p' said >graph.yml
works 'a graph' graph.yml w.yml

[ "$failures" -eq 0 ] && echo "advice: works"
exit $((failures > 0))
