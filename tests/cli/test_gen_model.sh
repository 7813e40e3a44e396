#!/bin/sh
# Generated models: what `gen` says of them, that its files run like the workload they were made
# from (under our own rules, and the reference's readers), and what is refused before any run.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/orrery-gen-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

cat >platform.yml <<'END'
network: {topology: Ring(4)_Switch(4), bandwidth: 100_25 GB/s, latency: 500 ns}
system: {chunks: 4}
compute: {peak: 100 TFLOP/s, fp8_peak: 200 TFLOP/s, alignment: 0.5}
memory: {local: {bandwidth: 1 TB/s}}
END

# same NAME PLAN TRAINING: traces in files take the time and the bytes of the workload itself
same() {
    name=$1 plan=$2 training=$3
    cat >"$name.yml" <<END
workload:
  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 1000, $4}
  parallel: {$plan}
  training: {$training}
END
    "$ORRERY_BIN" gen "$name.yml" --npus 16 --output "$name" >"$name.txt" || fail "$name: gen"
    printf 'workload: {traces: %s, groups_file: %s.groups.json}\n' "$name" "$name" >"$name.files.yml"
    # files are recognised as what they were made from: as many classes (groups of nodes and their rails are not)
    classes=$("$ORRERY_BIN" run platform.yml "$name.yml" --explain-fold | head -1)
    [ "$name" = nodes ] || [ "$("$ORRERY_BIN" run platform.yml "$name.files.yml" --explain-fold | head -1)" = "$classes" ] ||
        fail "$name: $classes as a model, but not as files"
    "$ORRERY_BIN" run platform.yml "$name.yml" --json "$name.a.json" >/dev/null || fail "$name: run"
    "$ORRERY_BIN" run platform.yml "$name.files.yml" --json "$name.b.json" >/dev/null || fail "$name: files"
    python3 - "$name" <<'END' || fail "$name: results differ"
import json, sys
a, b = (json.load(open(f"{sys.argv[1]}.{x}.json")) for x in "ab")
keys = ("wall_ps", "messages", "classes", "dims")
sys.exit(0 if all(a[k] == b[k] for k in keys) and a["wall_ps"] > 0 else 1)
END
}

same dense 'tensor: 2, pipeline: 4' 'batch: 8' ''
same tokens 'tensor: 4, sequence: true, context: 2, zero: 1' 'batch: 4, recompute: selective' ''
same turns 'pipeline: 2, schedule: interleaved, zero: 3' 'batch: 32, recompute: full, steps: 2' ''
same shares 'tensor: 4, pipeline: 2, schedule: interleaved' \
    'batch: 8, recompute: selective, fused_attention: false' ''
same spread 'tensor: 2, pipeline: 4, layers_per_stage: [2, 1, 1, 2], embedding_as_layer: true, head_as_layer: true' 'batch: 8' ''
same gpipe 'pipeline: 4, schedule: gpipe, order: pp-dp' 'batch: 8, overlap: false' ''
same fp8 'tensor: 8' 'batch: 8, product_type: fp8' ''
same experts 'expert: 4, tensor: 2, sequence: true, order: tp-ep-dp' 'batch: 8' 'experts: 8, moe_every: 2'
same turns_of_weights 'tensor: 2, pipeline: 4, schedule: zb-h2' 'batch: 16' ''
same nodes 'expert: 8, zero: 1, dispatcher: deepep, node: 4' 'batch: 64, dispatch_type: fp8_block' 'experts: 16, experts_per_token: 4, expert_groups: 4, groups_per_token: 2'
same replicas 'expert: 4' 'batch: 64' 'experts: 16, experts_per_token: 2, expert_draw: 3, expert_load: "zipf:0.5", expert_places: 24'
same uneven_experts 'expert: 4, tensor: 2, sequence: true, pipeline: 2' 'batch: 8' 'experts: 8, moe_every: 2, experts_per_token: 2, expert_load: "zipf:1"'

# What files say of products: 256 / 8 = 32 is no multiple of 64. As JSON they say the same.
"$ORRERY_BIN" trace print fp8.0.et >fp8.nodes
grep -q 'layer 0 ffn up fwd mb 0.* gemm unaligned fp8 us 0 ' fp8.nodes || fail "fp8: $(cat fp8.nodes)"
"$ORRERY_BIN" trace print --json - fp8.0.et >fp8.json
"$ORRERY_BIN" trace print fp8.json | diff fp8.nodes - >diff || fail "fp8 as JSON: $(cat diff)"
grep -Eq 'unaligned|fp8' "$("$ORRERY_BIN" trace print dense.0.et >dense.nodes; echo dense.nodes)" &&
    fail "dense: $(cat dense.nodes)"
said=$("$ORRERY_BIN" run platform.yml fp8.files.yml --set 'compute={peak: 100 TFLOP/s}' 2>&1 >/dev/null)
case $said in
fp8.0.et:*': a product of fp8 (orrery_op_type) needs the key compute.fp8_peak of the platform, such as fp8_peak: 1979 TFLOP/s') ;;
*) fail "fp8 without its peak: $said" ;;
esac

# what gen says: 4 (12 x 256^2 + 13 x 256) + 1000 x 256 + 2 x 256 = 3,415,552 parameters
grep -q '^transformer: 3.416 million parameters; a step has 8 samples, 1024 tokens' dense.txt ||
    fail "gen: $(head -1 dense.txt)"

# of stages of 1, 2, 2, 2, 1, 2, 2, 2 layers (of 256 hidden) those are told of that differ from the one before
cat >stages.yml <<'END'
workload:
  transformer: {layers: 14, hidden: 256, heads: 8, sequence: 128, vocabulary: 0}
  parallel: {pipeline: 8, layers_per_stage: [1, 2, 2, 2, 1, 2, 2, 2]}
END
told=$("$ORRERY_BIN" gen stages.yml --npus 8 | sed -n 's/^stage \([0-9]\).*iB$/\1/p' | uniq | tr '\n' ' ')
[ "$told" = '0 1 4 5 7 0 1 4 5 7 ' ] || fail "gen: stages $told"

# refused FILE TEXT MESSAGE: exit status 2, and the message on stderr, before anything runs
refused() {
    printf '%b' "$1" >bad.yml

    said=$("$ORRERY_BIN" run platform.yml bad.yml 2>&1 >/dev/null)
    status=$?
    [ $status -eq 2 ] || fail "exit status $status for: $1"
    [ "$said" = "orrery: $2" ] || [ "$said" = "$2" ] || fail "$(printf 'said     %s\nexpected %s' "$said" "$2")"
}
model='workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0}\n'
refused "$model  parallel: {tensor: 3}\n" \
    'bad.yml:3:13: workload.parallel.data: tensor 3 x context 1 x pipeline 1 does not divide the 16 NPUs of the platform; expected degrees whose product does'
refused "$model  parallel: {tensor: 2, data: 4}\n" \
    'bad.yml:3:31: workload.parallel.data: tensor 2 x context 1 x pipeline 1 x data 4 is 8 NPUs, but the platform has 16; --npus 8 scales its outermost dimension (network.npus)'
refused "$model  parallel: {tensor: 16}\n" \
    'bad.yml:3:22: workload.parallel.tensor: 16 does not divide the 8 heads'
refused "$model  parallel: {pipeline: 8}\n" \
    'bad.yml:3:24: workload.parallel.pipeline: 8 stages x 1 chunks are more than the 4 layers'
refused "$model  parallel: {expert: 3}\n" \
    'bad.yml:3:22: workload.parallel.expert: experts are spread over data-parallel ranks, but 3 does not divide the 16 of them'
refused "$model  parallel: {expert: 2}\n" \
    'bad.yml:3:22: workload.parallel.expert: the model has no experts; expected 1, got 2'
refused "$model  training: {batch: 24}\n" \
    'bad.yml:3:21: workload.training.batch: 24 samples are not a multiple of 16 data-parallel ranks x micro-batches of 1'
refused "$model  parallel: {pipeline: 4, schedule: interleaved, chunks: 1}\n  training: {batch: 12}\n" \
    'bad.yml:4:21: workload.training.batch: the interleaved schedule needs a multiple of the 4 stages as micro-batches, but the batch makes 3'
refused "$model  parallel: {order: tp-xp}\n" \
    'bad.yml:3:21: workload.parallel.order: expected tp, cp, ep, dp and pp in any order, such as tp-dp-pp, got "tp-xp" with the unknown "xp"'
refused "$model  parallel: {order: tp-tp}\n" \
    'bad.yml:3:21: workload.parallel.order: expected tp, cp, ep, dp and pp in any order, such as tp-dp-pp, got "tp-tp" with a second "tp"'
refused "$model  parallel: {order: tp-pp}\n" \
    'bad.yml:3:21: workload.parallel.order: "tp-pp" leaves out dp, whose degree is 16'
refused "$model  parallel: {chunks: 2}\n" \
    'bad.yml:3:22: workload.parallel.chunks: only the schedule interleaved has several chunks on a stage'
refused 'workload:\n  transformer: {layers: 4, hidden: 250, heads: 8, sequence: 128, vocabulary: 0}\n' \
    'bad.yml:2:48: workload.transformer.heads: 8 heads do not divide hidden, 250 (give head_size to set the width of a head)'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, kv_heads: 3, sequence: 128, vocabulary: 0}\n' \
    'bad.yml:2:61: workload.transformer.kv_heads: 3 heads of keys and values do not divide the 8 heads'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 100, vocabulary: 0}\n  parallel: {context: 8}\n' \
    'bad.yml:3:23: workload.parallel.context: 8 does not divide the 100 tokens of a sample'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 100, vocabulary: 0}\n  parallel: {tensor: 8, sequence: true}\n' \
    'bad.yml:3:22: workload.parallel.tensor: 8 does not divide the 100 tokens of a rank, as sequence: true needs'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 4, experts_per_token: 5}\n' \
    'bad.yml:2:112: workload.transformer.experts_per_token: a token cannot go to 5 of 4 experts'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_groups: 3}\n  parallel: {expert: 2}\n' \
    'bad.yml:2:108: workload.transformer.expert_groups: expected a divisor of the 8 experts, got 3'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_groups: 4, groups_per_token: 5}\n  parallel: {expert: 2}\n' \
    'bad.yml:2:129: workload.transformer.groups_per_token: a token cannot go to 5 of 4 groups'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, experts_per_token: 3, expert_groups: 4, groups_per_token: 1}\n  parallel: {expert: 2}\n' \
    'bad.yml:2:151: workload.transformer.groups_per_token: 1 groups have 2 experts, fewer than the 3 that a token goes to'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, experts_per_token: 3}\n  parallel: {expert: 8, dispatcher: deepep, node: 3}\n' \
    'bad.yml:3:37: workload.parallel.dispatcher: deepep needs as many ranks of experts in each node of 3 NPUs (node); 8 are 1 NPUs apart'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_load: "zipf:1"}\n  parallel: {expert: 4, dispatcher: deepep, node: 4}\n' \
    'bad.yml:2:106: workload.transformer.expert_load: tokens that go by nodes (parallel.dispatcher: deepep) need even loads, or loads that change (expert_draw)'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_draw: 1, expert_busiest: 1.5}\n  parallel: {expert: 4}\n' \
    'bad.yml:2:125: workload.transformer.expert_busiest: the loads say it already (expert_load, expert_draw)'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_draw: 1, expert_places: 6}\n  parallel: {expert: 4}\n' \
    'bad.yml:2:124: workload.transformer.expert_places: replicas do not fit: expected at least the 8 experts, got 6 places'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_draw: 1, expert_places: 10}\n  parallel: {expert: 4}\n' \
    'bad.yml:2:124: workload.transformer.expert_places: replicas do not fit: 4 ranks cannot have as many of 10 places each'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_places: 8}\n  parallel: {expert: 4}\n' \
    'bad.yml:2:108: workload.transformer.expert_places: expected loads that replicas even out: expert_draw, or expert_load with a file of counts'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_draw: 1, capacity: 1.25}\n  parallel: {expert: 4}\n' \
    'bad.yml:2:119: workload.transformer.capacity: with a capacity all experts have as many slots; expected 1 where loads change'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 8, expert_load: none.csv}\n  parallel: {expert: 4}\n' \
    'none.csv: cannot be opened'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 4, expert_load: [1, 2]}\n  parallel: {expert: 2}\n' \
    'bad.yml:2:106: workload.transformer.expert_load: expected a load for each of the 4 experts, got 2'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 4, expert_load: skewed}\n  parallel: {expert: 2}\n' \
    'bad.yml:2:106: workload.transformer.expert_load: expected even, zipf:EXPONENT such as zipf:0.8, or a list with the relative load of each expert, got "skewed"'
refused 'workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0, experts: 4}\n  parallel: {tensor: 2}\n' \
    'bad.yml:3:13: workload.parallel.sequence: experts on tensor-parallel ranks need sequence: true, or every rank would send the same tokens'
refused 'workload:\n  transformer: {layers: 4, encoder_layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0}\n  parallel: {pipeline: 2}\n' \
    'bad.yml:3:24: workload.parallel.pipeline: a model with an encoder and a decoder cannot be cut into stages'
refused 'workload:\n  generate: all_reduce\n  bytes: 1 MiB\n  parallel: {pipeline: 2}\n' \
    'bad.yml:4:3: workload.parallel: only a model takes this'

# Operators of one's own.
own='workload:\n  model: {operators: [{data: {shape: [16]}}, {dense: {out: 16}}, {dense: {out: 16}}]}\n'
refused "$own  parallel: {pipeline: 2}\n  strategy: {devices: 16}\n" \
    'bad.yml:4:3: workload.strategy: a model runs by a strategy or by parallel and training, not by both'
refused "$own  parallel: {context: 2}\n" \
    'bad.yml:3:23: workload.parallel.context: operator "dense 1" cannot be cut by tokens in 2 equal parts'
refused "$own  parallel: {tensor: 2, operators: {\"danse*\": output}}\n" \
    'bad.yml:3:37: workload.parallel.operators.danse*: the model has no operator "danse*"; did you mean "dense 1"?'
refused "$own  parallel: {pipeline: 4}\n" \
    'bad.yml:3:24: workload.parallel.pipeline: 4 stages x 1 chunks are more than the 2 layers'
refused "$own  parallel: {pipeline: 2}\n  training: {batch: 12}\n" \
    'bad.yml:4:21: workload.training.batch: 12 samples are not a multiple of 8 data-parallel ranks x micro-batches of 1'
refused 'workload:\n  model: {transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0}}\n  parallel: {pipeline: 2}\n' \
    'bad.yml:2:10: workload.model: expected operators beside parallel and training; a generated model stands in the workload itself (workload: {transformer: ...})'
refused "$own"'  transformer: {layers: 4, hidden: 256, heads: 8, sequence: 128, vocabulary: 0}\n' \
    'bad.yml:2:3: workload: expected one of the keys "traces" (a prefix of files), "taskgraph" (a file), "model" (a graph of operators), "generate" (a generator such as all_reduce) and "transformer", "dlrm" or "cnn" (a model), got both "model" and "transformer"'

# What fits: a layer on each of 4 stages, 56.70 / 4 MiB; of 16 ranks each a share of gradients and optimizer state, 6.03 + (6.03 +
# 36.15) / 16 + 8.50 MiB, or of the state alone, 12.06 + 36.15 / 16 + 8.50 MiB.
# 4 x 789,760 parameters of 2, 2 and 12 bytes; 4 layers keep 34 x 2 x 128 x 256 bytes; 50 MB are 47.68 MiB
printf "$model  training: {micro_batch: 2}\n" >big.yml
said=$("$ORRERY_BIN" run platform.yml big.yml --set memory.local.capacity=50MB 2>&1 >/dev/null)
[ "$said" = 'big.yml:2:16: workload.transformer: the model does not fit: an NPU of pipeline stage 0 needs 56.70 MiB (weights 6.03 MiB, gradients 6.03 MiB, optimizer 36.15 MiB, activations 8.50 MiB), but memory.local.capacity is 47.68 MiB
nearest layouts on the same 16 NPUs that fit:
  --set workload.parallel.pipeline=4 (14.18 MiB)
  --set workload.parallel.zero=2 (17.16 MiB)
  --set workload.parallel.zero=1 (22.81 MiB)
--ignore-capacity runs it all the same' ] ||
    fail "$said"

# 100,000 layers of 4 x 1e7^2 + 2 x 1e7 x 1e8 and 1.8e8 smaller ones = 2.4e15 parameters: bytes would pass 64 bits
refused 'workload:\n  transformer: {layers: 100000, hidden: 10000000, heads: 8, ffn: 100000000, sequence: 8, vocabulary: 0}\n' \
    'bad.yml:2:16: workload.transformer: the model has 2.4e+20 parameters; at most 1e+16 are supported'

# a name that is nothing is told so, with and without --out
for out in '' '--output x --bytes 1MB'; do
    # shellcheck disable=SC2086
    said=$("$ORRERY_BIN" gen gpt9 --npus 8 $out 2>&1) && fail "gpt9: exit status"
    case $said in
    *'"gpt9": no such file, and none of the workloads in '*) ;;
    *) fail "$said" ;;
    esac
done

[ $failures -eq 0 ] && echo "generated models: all as expected"
exit $((failures > 0))
