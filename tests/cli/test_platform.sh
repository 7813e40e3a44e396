#!/bin/sh
# Own files: platforms and workloads that ship, values set on the command line, their origin, and
# the results as JSON and CSV.
set -u

inputs=$ORRERY_SOURCE_DIR/inputs
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    printf '%s: %s\n' "$2" "$1"
    failures=$((failures + 1))
}

# wall PLATFORM EXPECTED [OPTION...]: wall_ps of 1 GiB all-reduce
wall() {
    platform=$1 expected=$2
    shift 2
    "$ORRERY_BIN" run "$inputs/platforms/$platform.yml" "$inputs/workloads/all_reduce_1gb.yml" \
        --json - "$@" >out.json 2>err || fail "exit status $?: $(cat err)" "$platform $*"
    found=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out.json)
    [ "$found" = "$expected" ] || fail "wall_ps is $found, expected $expected" "$platform $*"
}

# 64 chunks of 16 MiB, each 2 x 511/512 of it at 350 GiB/s: 5703125000 ps, and up to 1 ps more for
# each of the 64 x 18 messages that an NPU sends.
wall w_1d_350 5703125760
# The same at 600 GiB/s: 3326822916.7 ps.
wall w_1d_600 3326823680
# Twice the bandwidth of the only dimension is half the time.
wall w_1d_350 2851563264 --set "network.dims[0].bandwidth=700 GiB/s"
# Without a second chunk nothing overlaps: 31/32 of 1 GiB there and back on dimension 1 and 15/16 of
# 1/32 on dimension 2, at 250 GiB/s: 2 x (31/32 + 15/512) / 250 = 7984375000 ps, all whole.
wall w_2d 7984375000 --set system.chunks=1
# Themis evens the dimensions out: 512 NPUs cannot beat 2 x 511/512 / 500 GiB/s = 3992187500 ps.
wall w_2d 4052246251 --set system.scheduler=themis

says() { # says FILE TEXT NAME
    grep -qF -- "$2" "$1" || fail "no line \"$2\" in: $(head -5 "$1")" "$3"
}

"$ORRERY_BIN" run "$inputs/platforms/conv_4d.yml" "$inputs/workloads/all_reduce_1gb.yml" --explain=all \
    --set "network.dims[1].bandwidth=100GB/s" >explain 2>&1 || fail "exit status $?" explain
says explain "network.dims[1].bandwidth        100GB/s                      command line" explain
says explain "system.priority                  fifo                         default" explain
says explain "conv_4d.yml:7" explain

"$ORRERY_BIN" run "$inputs/platforms/gb200_nvl72.yml" "$inputs/workloads/all_reduce_1gb.yml" \
    --csv - >out.csv 2>err || fail "exit status $?" csv
[ "$(wc -l <out.csv)" -eq 73 ] || fail "expected a header and 72 lines" csv

for platform in "$inputs"/platforms/*.yml; do
    "$ORRERY_BIN" run "$platform" "$inputs/workloads/all_reduce_1gb.yml" \
        --set "workload.bytes=1 MiB" --set system.chunks=4 >out 2>&1 ||
        fail "$(cat out)" "$platform"
done

# refuses TEXT OPTION...: exit status 2 and the exact message
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" run "$@" >out 2>err
    status=$?
    [ "$status" -eq 2 ] || fail "exit status $status, expected 2" "$*"
    [ "$(cat err)" = "$expected" ] || fail "$(cat err)
expected: $expected" "$*"
}

cp "$inputs/platforms/w_2d.yml" p.yml
cp "$inputs/workloads/all_reduce_1gb.yml" w.yml
refuses 'p.yml:5:1: a platform with its workload needs the key "workload" (what to run; in a file of its own as a rule), such as workload: {generate: all_reduce, bytes: 1 GB}' p.yml
refuses '--set: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "300"; a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s' \
    p.yml w.yml --set 'network.dims[0].bandwidth=300'
refuses '--set: system.chunk: unknown key in the system section; did you mean "chunks"?' \
    p.yml w.yml --set system.chunk=3
refuses '--set: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)
  Ring(4)_Cube(8)
          ^' p.yml w.yml --set 'network.topology=Ring(4)_Cube(8)'
refuses '--set: workload.generate: expected all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, barrier, mlp or p2p, got "all_reduced"; did you mean "all_reduce"?' \
    p.yml w.yml --set workload.generate=all_reduced
refuses '--set network.dims[5].latency: there is no entry 5: network.dims has 2, from 0 on' \
    p.yml w.yml --set 'network.dims[5].latency=1 us'
sed 's/name: W-2D/name: W-2D\nworkload: {bytes: 3 MB}/' p.yml >both.yml
refuses 'w.yml:5:10: workload.bytes is set by two files: here and at both.yml:6:19; remove one' \
    both.yml w.yml

# What the job achieves: 2 x 1 GFLOP at half of 100 TFLOP/s are 40 us; 1000 tokens in that are 2.5e7 a
# second, and 2 GFLOP 50 TFLOP/s, half of the peak.
cat >rates.yml <<'END'
network: {topology: Ring(1), dims: [{bandwidth: 1 GB/s}]}
compute: {peak: 100 TFLOP/s, efficiency: 0.5}
workload: {generate: mlp, bytes: 2000 B, layers: 1, forward_flops: 1e9, backward_flops: 1e9,
           tokens: 1000, model_flops: 2e9}
END
"$ORRERY_BIN" run rates.yml --json rates.json >out 2>err || fail "$(cat err)" rates
grep -qxF '2.5e+07 tokens/s, 50 model TFLOP/s per NPU, 50.0 % of the peak (MFU)' out ||
    fail "$(cat out)" rates
grep -qx '  "tokens_per_s": 25000000.0,' rates.json || fail "$(grep tokens rates.json)" rates
grep -qx '  "model_flops_utilization": 0.5,' rates.json || fail "$(grep util rates.json)" rates

# A model without tokens: 1000 samples, 2 x 1000^3 operations forwards and as many for the weight
# gradient take 40 us each, the loss of 10^6 scores 20 ns twice: 80.04 us.
cat >rates.yml <<'END'
network: {topology: Ring(1), dims: [{bandwidth: 1 GB/s}]}
compute: {peak: 100 TFLOP/s, efficiency: 0.5}
workload:
  cnn: {input: {channels: 1000, height: 1, width: 1}, layers: [{dense: {out: 1000}}]}
  training: {batch: 1000, optimizer: none}
END
"$ORRERY_BIN" run rates.yml --json rates.json >out 2>err || fail "$(cat err)" samples
grep -qxF '1.24938e+07 samples/s, 49.98 model TFLOP/s per NPU, 50.0 % of the peak (MFU)' out ||
    fail "$(cat out)" samples
grep -q '  "samples_per_s": 12493753.1' rates.json || fail "$(grep samples rates.json)" samples

printf '%d passed\n' "$((failures == 0))"
exit "$((failures != 0))"
