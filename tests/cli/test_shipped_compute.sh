#!/bin/sh
# What ships counts alike: every decoder with its causal mask, here and in the rows that efficiencies are fitted to; every
# accelerator with an efficiency and its source; and GPUs compare as they should.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

root=$ORRERY_SOURCE_DIR

# ---- decoders ----

# Of transformers only BERT is an encoder.
for file in "$root"/inputs/models/*.yml "$root"/inputs/workloads/*.yml "$root"/bench/iterations/*.yml "$root"/examples/*/*.yml; do
    grep -q '^ *transformer:' "$file" || continue
    case $file in */bert*) continue ;; esac
    grep -q 'causal: true' "$file" || fail "$file: a decoder without causal: true"
done

# ---- platforms ----

# Papers' platforms and V100 in fp32 state theirs; all others are fitted or taken over.
for file in "$root"/inputs/platforms/*.yml; do
    name=$(basename "$file" .yml)
    "$ORRERY_BIN" run "$name" mlp_data_parallel --json result.json >out 2>err || fail "$name: $(cat err)"
    [ ! -s err ] || fail "$name: $(cat err)"
    case $name in
    base_512 | conv_* | w_* | dgx1_v100 | dgx1_v100_trees) expected=stated ;;
    *_h200_* | *_b300_* | h800_* | mi355x_* | tpuv4_* | dgx1_v100_16) expected='taken over' ;;
    *) expected=fitted ;;
    esac
    grep -q "\"compute_basis\": \"$expected\"" result.json || fail "$name: not $expected: $(grep compute_basis result.json)"
done

# A file of inputs/compute beside a platform comes before what that includes, also its own.
for platform in hgx_h200_64 dgx_a100_64 gb200_nvl72 dgx1_v100_16; do
    for file in "$root"/inputs/compute/*.yml; do
        echo "include: [$root/inputs/platforms/$platform.yml, $file]" >pair.yml
        "$ORRERY_BIN" run pair.yml all_reduce_1gb >out 2>err || fail "$platform with $file: $(cat err)"
    done
done

# The same node with another GPU in it: LLaMA 3 70B in bf16 on 512.
cat >l70.yml <<'END'
workload:
  transformer:
    {layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, gated: true, sequence: 4096, vocabulary: 128256,
     tied: false, bias: false, dropout: false, norm: rmsnorm, causal: true}
  parallel: {tensor: 8, sequence: true, pipeline: 4, data: 16, zero: 1}
  training: {batch: 1024, micro_batch: 1, recompute: selective, gradient_bytes: 4}
END
wall() {
    "$ORRERY_BIN" run "$1" l70.yml --set 'network.topology=Switch(8)_Switch(64)' --json result.json >out 2>err || fail "$1: $(cat err)"
    awk '/^  "wall_ps":/ { print $2 + 0 }' result.json
}
h100=$(wall hgx_h100_256)
# between GPU LEAST MOST: times as fast as an H100
between() {
    awk -v a="$h100" -v b="$(wall "$1")" -v low="$2" -v high="$3" 'BEGIN { exit !(a / b >= low && a / b <= high) }' ||
        fail "$1: not $2 to $3 times as fast as an H100"
}
between hgx_h200_64 1.0 1.2
between hgx_b200_64 1.4 2.6
between hgx_b300_64 1.4 2.6

# FP8 products over the FP8 peak: at most all of it, without an efficiency too.
cat >l8.yml <<'END'
workload:
  transformer:
    {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, norm: rmsnorm, bias: false, vocabulary: 128256,
     sequence: 8192, causal: true}
  parallel: {zero: 3}
  training: {batch: 128, micro_batch: 1, product_type: fp8}
END
for name in gb200_nvl72 gb300_nvl72 hgx_h200_64 mi300x_64; do
    for efficiency in '' --set=compute.efficiency=1; do
        "$ORRERY_BIN" run "$name" l8.yml --set 'network.topology=Switch(8)' $efficiency --ignore-capacity --json result.json \
            >out 2>err || fail "$name: $(cat err)"
        awk '/"model_flops_utilization"/ { mfu = $2 + 0 } END { exit !(mfu > 0.1 && mfu <= 1) }' result.json ||
            fail "$name $efficiency: $(grep utilization result.json)"
    done
done

# ---- libraries ----

# reduces PLATFORM GPU: an all-reduce of 1 GB with the constants of this GPU, ps
reduces() {
    "$ORRERY_BIN" run "$1" all_reduce_1gb --set "system.library.gpu=$2" --json result.json >out 2>err || fail "$1, $2: $(cat err)"
    awk '/^  "wall_ps":/ { print $2 + 0 }' result.json
}
while read -r platform fitted others; do
    expected=$(reduces "$platform" "$fitted")
    for gpu in $others; do
        [ "$(reduces "$platform" "$gpu")" = "$expected" ] || fail "$gpu is not as $fitted"
    done
done <<'END'
hgx_h100_256 h100 h200 h800
hgx_b200_64 b200 b300 gb200 gb300
mi300x_64 mi300x mi325x mi350x mi355x
END
# No NVLink, and no reduction in switches: 24 of 32 GB/s of PCIe, 1.75 GB of each of 8 GPUs in a ring.
ps=$("$ORRERY_BIN" run --topology 'Switch(8)' --bandwidth 32GB/s --bandwidth-is npu --set 'system.library={name: nccl, gpu: l40s}' \
    --set 'workload={generate: all_reduce, bytes: 1 GB}' --json - 2>err | awk '/^  "wall_ps":/ { print $2 + 0 }')
awk -v ps="${ps:-0}" 'BEGIN { exit !(ps > 72.9e9 && ps < 74e9) }' || fail "an L40S reduces 1 GB in ${ps:-?} ps: $(cat err)"

[ "$failures" -eq 0 ] && echo "shipped compute: as stated"
exit $((failures > 0))
