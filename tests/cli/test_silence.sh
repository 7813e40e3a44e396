#!/bin/sh
# What has no effect says so: keys without a type, gradients that follow elements, recomputation of nothing, layouts that save
# nothing, ports that beat their links under ASTRA-sim's rules.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# run OPTION...: out and err.
run() {
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null
    status=$?
}
warns() {
    grep -qF -- "$1" err || fail "$2: no \"$1\" in: $(cat err)"
}

cat >job.yml <<'END'
network: {topology: Switch(4), bandwidth: 100 GB/s, latency: 1 us}
compute: {peak: 100 TFLOP/s}
memory: {local: {bandwidth: 2 TB/s}}
workload:
  transformer: {layers: 2, hidden: 1024, heads: 16, sequence: 512, vocabulary: 1024}
  training: {batch: 4, micro_batch: 1}
END
run job.yml
[ "$status" -eq 0 ] && [ ! -s err ] || fail "the job says: $(cat err)"

# ---- memory ----

run job.yml --set memory.remote.bandwidth='100 GB/s' --set memory.remote.latency='1 us'
warns 'memory.remote.bandwidth has no effect: there is no remote memory without memory.remote.type, such as type: per_npu' remote
warns 'memory.remote.latency has no effect' remote
run job.yml --set memory.remote.bandwidth='100 GB/s' --set memory.remote.type=per_npu
[ ! -s err ] || fail "a remote memory: $(cat err)"
run job.yml --set memory.local.contention=fair
warns 'memory.local.contention has no effect: computations of an NPU run one at a time' contention
printf 'network: {topology: Switch(4), bandwidth: 1 GB/s, latency: 1 us}\nmemory: {local: {contention: fair}}\n' >bare.yml
run bare.yml --set 'workload={generate: all_reduce, bytes: 1 MiB}'
warns 'memory.local.contention has no effect: memory.local has no bandwidth to be shared' 'no bandwidth'

# ---- gradients ----

# A layer's 12,596,224 parameters are reduced at once: 24.03 MiB of 2 bytes, 48.05 of 4, which elements ask for.
reduced() {
    expected=$1
    shift
    run job.yml "$@"
    grep -Eq "^all_reduce +4 +$expected MiB " out || fail "$expected MiB: $(cat out)"
}
reduced 24.03
reduced 48.05 --set workload.training.element_bytes=4
reduced 24.03 --set workload.training.element_bytes=4 --set workload.training.gradient_bytes=2
reduced 48.05 --set workload.training.gradient_bytes=4

# ---- recomputation, layouts ----

run job.yml --set workload.training.recompute=selective
warns 'workload.training.recompute: selective saves no memory: fused attention keeps no scores' selective
run job.yml --set workload.training.recompute=selective --set workload.training.fused_attention=false
[ ! -s err ] || fail "selective with scores: $(cat err)"

cat >large.yml <<'END'
network: {topology: Switch(8), bandwidth: 300 GB/s, latency: 1 us}
compute: {peak: 312 TFLOP/s}
memory: {local: {bandwidth: 2 TB/s, capacity: 34 GB}}
workload:
  transformer: {layers: 32, hidden: 4096, heads: 32, sequence: 2048, vocabulary: 32000}
  parallel: {tensor: 8}
  training: {batch: 8, micro_batch: 8}
END
# One data-parallel rank shares nothing: ZeRO is no layout, and selective recomputation none either.
run large.yml
[ "$status" -eq 2 ] || fail "too large: exit status $status"
[ "$(grep -c '^  --set' err)" -eq 1 ] || fail "layouts: $(cat err)"
warns '  --set workload.training.recompute=full (17.50 GiB)' layouts
# What is offered runs.
run large.yml --set workload.training.recompute=full
[ "$status" -eq 0 ] || fail "the layout: $(cat err)"

# ---- ASTRA-sim's rules ----

"$ORRERY_BIN" gen all_reduce --npus 8 --bytes '64 MiB' -o t >/dev/null || fail "gen"
printf 'topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400.0 ]\nlatency: [ 500.0 ]\n' >net.yml
for chunks in 4 1; do
    sed "s/per-dimension\": 1/per-dimension\": $chunks/" "$ORRERY_SOURCE_DIR/inputs/astra/system.json" >system$chunks.json
    run --workload-configuration t --network-configuration net.yml --system-configuration system$chunks.json
    mv out out$chunks
done
grep -q "^note: all_reduce has 1.06 TB/s of links of 429.50 GB/s: under ASTRA-sim's rules messages do not know of each other,$" out4 ||
    fail "four chunks at once: $(cat out4)"
! grep -q '^note' out1 || fail "one chunk at a time: $(cat out1)"
run --workload-configuration t --network-configuration net.yml --system-configuration system4.json --compat off
! grep -q '^note' out || fail "own rules: $(cat out)"
sed 's/{/{"boost-mode": 1,/' system1.json >boost.json
run --workload-configuration t --network-configuration net.yml --system-configuration boost.json
warns 'boost-mode is ignored' boost
sed 's/{/{"boost-mode": 0,/' system1.json >boost.json
run --workload-configuration t --network-configuration net.yml --system-configuration boost.json
[ ! -s err ] || fail "boost-mode off: $(cat err)"

[ "$failures" -eq 0 ] && echo "what has no effect says so"
exit $((failures > 0))
