#!/bin/sh
# Attention over context-parallel ranks: Llama 3 405B on 16 ranks of one of its 8 tensor-parallel ranks, samples of 131,072 tokens, at 400
# TFLOP/s. A step of a ring attends 2 x 16 x 128 x 8192^2 operations in 0.68719 ms and passes on 2 x 8192 x 128 x 2 B: 0.09321 ms at 45 GB/s,
# so the ring takes 16 steps of attention, 10.995 ms; at 4.5 GB/s 15 messages and a step, 14.668 ms. Backward attention is twice as long,
# and the gradients of the last step arrive a message later; at 4.5 GB/s 31 messages, 28.894 ms, and at most a step of 1.374 ms.
# Gathered, 15 x 4.19 MB take 1.398 ms before the attention.
python3 -c pass 2>/dev/null || { echo "skipped: needs Python 3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
cat >"$work/job.yml" <<END
workload:
  transformer: {layers: 1, hidden: 2048, heads: 16, kv_heads: 1, head_size: 128, ffn: 2048, gated: true, norm: rmsnorm, bias: false,
    causal: true, sequence: 131072, vocabulary: 0}
  parallel: {context: 16}
  training: {batch: 1, micro_batch: 1}
END

# spans EXCHANGE GB/S: microseconds from the first to the last of attention's nodes of NPU 0, forward and backward, and of what is before it
spans() {
    printf 'network: {topology: "Switch(16)", bandwidth: %s GB/s, latency: 0 ns}\ncompute: {peak: 400 TFLOP/s}\n' "$2" >"$work/platform.yml"
    "$ORRERY_BIN" run "$work/platform.yml" "$work/job.yml" --set "workload.parallel.context_exchange=$1" --timeline "$work/t.json" \
        >"$work/out" 2>&1 || cat "$work/out"
    python3 - "$work/t.json" <<'END'
import json
import sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("ph") == "X" and e.get("pid") == 0]
def span(name):
    found = [e for e in events if e["name"].startswith("layer 0 " + name)]
    return max(e["ts"] + e["dur"] for e in found) - min(e["ts"] for e in found) if found else 0
gradients = [e["ts"] + e["dur"] for e in events if e["name"].startswith("layer 0 their gradients received")]
backward = [e["ts"] for e in events if e["name"].startswith("layer 0 attention bwd")]
print(round(span("attention fwd")), round(max(gradients) - min(backward)) if gradients else round(span("attention bwd")),
      round(span("keys and values fwd")))
END
}

# expect EXCHANGE GB/S "FORWARD BACKWARD BEFORE"
expect() {
    found=$(spans "$1" "$2")
    [ "$found" = "$3" ] || { echo "FAILED: $1 at $2 GB/s: expected $3, got $found"; failures=$((failures + 1)); }
}

expect ring_attention 45 "10995 22083 0"
found=$(spans ring_attention 4.5)
set -- $found
[ "$1" = 14668 ] && [ "$2" -ge 28894 ] && [ "$2" -le 30268 ] || { echo "FAILED: ring at 4.5 GB/s: $found"; failures=$((failures + 1)); }
expect all_gather 45 "10995 21990 1398"
expect ulysses 45 "10995 21990 0"

[ "$failures" -eq 0 ] && echo "context exchange: as by hand"
exit $((failures > 0))
