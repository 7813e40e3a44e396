#!/bin/sh
# orrery whatif and orrery diff: the ranking and the differences of small jobs, by hand, and that a
# prediction is what a run with that change gives.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

inputs=$ORRERY_SOURCE_DIR/inputs

# prints COMMAND... <<END: the command prints what stands before END, and succeeds
prints() {
    cat >want
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 0 ] || fail "$*: exit status $status: $(cat err)"
    cmp -s want out || fail "$*: $(diff want out)"
}

# refuses TEXT COMMAND...: exit status 2, and this on standard error
refuses() {
    expected=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF -- "$expected" err || fail "$*: no \"$expected\" in: $(cat err)"
}

# wall FILE.json
wall() {
    sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' "$1"
}

# ---- by hand: one chunk of all-reduce on Ring(2)_Ring(4), by rings one way ----
#
# 8000 bytes. Dimension 1, reduce-scatter among 2: one block of 4000 bytes, 4 us + 1 us. Dimension 2,
# all-reduce of 4000 among 4: six blocks of 1000 bytes, 6 (2 us + 1 us) = 18 us. Dimension 1,
# all-gather: 5 us. 28 us in all, of which 8 us are bandwidth of dimension 1, 12 us bandwidth of
# dimension 2 and 8 us latency, 2 of dimension 1 and 6 of dimension 2.
cat >small.yml <<'END'
network:
  topology: Ring(2)_Ring(4)
  dims:
    - {bandwidth: 1 GB/s, latency: 1 us}
    - {bandwidth: 0.5 GB/s, latency: 1 us}
system: {chunks: 1, algorithms: {all_reduce: ring}}
workload: {generate: all_reduce, bytes: 8000 B}
END
prints "$ORRERY_BIN" whatif small.yml --change 'network.dims[1].bandwidth=0.25GB/s' <<'END'
job time 28.000 us on 8 NPUs

what if                                            job time          saved              speed-up  communication        waiting
no latency                                        20.000 us       8.000 us     28.6 %     1.400x      20.000 us           0 ps
2x bandwidth of dimension 2                       22.000 us       6.000 us     21.4 %     1.273x      22.000 us           0 ps
no latency in dimension 2                         22.000 us       6.000 us     21.4 %     1.273x      22.000 us           0 ps
2x bandwidth of dimension 1                       24.000 us       4.000 us     14.3 %     1.167x      24.000 us           0 ps
no latency in dimension 1                         26.000 us       2.000 us      7.1 %     1.077x      26.000 us           0 ps
baseline                                          28.000 us           0 ps      0.0 %     1.000x      28.000 us           0 ps
network.dims[1].bandwidth=0.25GB/s                40.000 us     -12.000 us    -42.9 %     0.700x      40.000 us           0 ps

without effect: 2x compute, 2x CPU, infinitely fast memory, no endpoint delay

upper bounds                                       job time          saved              speed-up  communication        waiting
communication free                                     0 ps      28.000 us    100.0 %          -           0 ps           0 ps
compute free                                      28.000 us           0 ps      0.0 %     1.000x      28.000 us           0 ps
END
# 4 times: 8 us become 2 us, 12 us become 3 us.
"$ORRERY_BIN" whatif small.yml --factor 4 --csv - >out || fail "--factor 4: exit status $?"
grep -qx '4x bandwidth of dimension 1,22000000,6000000,0,22000000,0' out || fail "--factor 4: $(cat out)"
grep -qx '4x bandwidth of dimension 2,19000000,9000000,0,19000000,0' out || fail "--factor 4: $(cat out)"
"$ORRERY_BIN" whatif small.yml --jobs 1 >one || fail "--jobs 1: exit status $?"
"$ORRERY_BIN" whatif small.yml --jobs 3 >three || fail "--jobs 3: exit status $?"
cmp -s one three || fail "the result depends on --jobs"

# ---- by hand: compute of 10 us (1 GFLOP at 100 TFLOP/s), as recorded too ----

cat >compute.yml <<'END'
network: {topology: Ring(2), dims: [{bandwidth: 1 GB/s}]}
compute: {peak: 100 TFLOP/s}
workload: {generate: mlp, bytes: 2000 B, layers: 1, forward_flops: 1e9, backward_flops: 1e9}
END
"$ORRERY_BIN" whatif compute.yml --csv - >out || fail "compute: exit status $?"
base=$(sed -n 's/^baseline,\([0-9]*\),.*/\1/p' out)
faster=$(sed -n 's/^2x compute,\([0-9]*\),.*/\1/p' out)
[ $((base - faster)) -eq 10000000 ] || fail "2x compute saves $((base - faster)) ps, expected 10 us"

# ---- a prediction is a run: Conv-4D, a 1 GB all-reduce; dimension 2 is what limits it ----

conv=$inputs/platforms/conv_4d.yml
job=$inputs/workloads/all_reduce_1gb.yml
"$ORRERY_BIN" whatif "$conv" "$job" --csv predicted.csv >out || fail "conv_4d: exit status $?"
sed -n 4p out | grep -q '^2x bandwidth of dimension 2 ' || fail "dimension 2 is not first: $(cat out)"
"$ORRERY_BIN" run "$conv" "$job" --why --json base.json >/dev/null || fail "run: exit status $?"
dim=1
for change in 'network.dims[0].bandwidth=500GiB/s' 'network.dims[1].bandwidth=400GiB/s' \
    'network.dims[2].bandwidth=200GiB/s' 'network.dims[3].bandwidth=100GiB/s'; do
    "$ORRERY_BIN" run "$conv" "$job" --why --set "$change" --json "dim$dim.json" >/dev/null ||
        fail "--set $change: exit status $?"
    predicted=$(sed -n "s/^2x bandwidth of dimension $dim,\([0-9]*\),.*/\1/p" predicted.csv)
    [ "$predicted" = "$(wall "dim$dim.json")" ] ||
        fail "dimension $dim: predicted $predicted, run $(wall "dim$dim.json")"
    dim=$((dim + 1))
done
largest=$(grep -A1 '"what": "dimension' base.json | grep -c '"dim": 2')
[ "$largest" -eq 1 ] || fail "the critical path has no bandwidth of dimension 2"

# The files of ASTRA-sim go the same way.
mkdir astra
printf 'topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' >astra/net.yml
printf '{"all-reduce-implementation": ["ring"], "local-mem-bw": 1600}\n' >astra/sys.json
"$ORRERY_BIN" gen all_reduce --npus 2 --bytes "1 MiB" --output astra/t >/dev/null
set -- --workload-configuration astra/t --system-configuration astra/sys.json
"$ORRERY_BIN" whatif "$@" --network-configuration astra/net.yml --csv - >out ||
    fail "ASTRA-sim's files: exit status $?"
sed -i 's/50\.0/100.0/' astra/net.yml
"$ORRERY_BIN" run "$@" --network-configuration astra/net.yml --json twice.json >/dev/null
grep -q "^2x bandwidth of dimension 1,$(wall twice.json)," out ||
    fail "ASTRA-sim's files: not $(wall twice.json) in $(cat out)"

# ---- diff ----

"$ORRERY_BIN" run small.yml --why --json a.json >/dev/null
"$ORRERY_BIN" run small.yml --why --set 'network.dims[1].bandwidth=1GB/s' --json b.json >/dev/null
prints "$ORRERY_BIN" diff a.json b.json <<'END'
28.000 us -> 22.000 us: B is 6.000 us faster (1.273x), most of it exposed communication (-6.000 us)

changed settings
network.dims[1].bandwidth                    0.5 GB/s -> 1GB/s

time of the last NPU                                      A              B           B - A
compute                                                0 ps           0 ps           +0 ps
CPU                                                    0 ps           0 ps           +0 ps
exposed local memory                                   0 ps           0 ps           +0 ps
exposed remote memory                                  0 ps           0 ps           +0 ps
exposed communication                             28.000 us      22.000 us       -6.000 us    -21.4 %
waiting                                                0 ps           0 ps           +0 ps
idle                                                   0 ps           0 ps           +0 ps

critical path                                             A              B           B - A
dimension 2 bandwidth                             12.000 us       6.000 us       -6.000 us    -50.0 %

dimensions                                                A              B           B - A
dimension 2 bandwidth in bytes/s                500.00 MB/s      1.00 GB/s    +500.00 MB/s   +100.0 %

collectives                                               A              B           B - A
all_reduce of 7.81 KiB on 8 NPUs                  28.000 us      22.000 us       -6.000 us    -21.4 %
END
prints "$ORRERY_BIN" diff a.json a.json <<'END'
both take 28.000 us
no difference
END
"$ORRERY_BIN" run small.yml --set 'network.topology=Ring(2)_Ring(2)' --json c.json >/dev/null
"$ORRERY_BIN" diff a.json c.json >out || fail "other NPUs: exit status $?"
grep -qx 'A has 8 NPUs, B has 4' out || fail "other NPUs: $(cat out)"
"$ORRERY_BIN" diff a.json b.json --csv - >out || fail "--csv: exit status $?"
grep -qx 'time of the last NPU,exposed communication,28000000,22000000,-6000000' out ||
    fail "--csv: $(cat out)"
"$ORRERY_BIN" diff a.json b.json --json diff.json >/dev/null || fail "--json: exit status $?"
grep -q '"wall_ps_b": 22000000' diff.json || fail "--json: $(cat diff.json)"

# ---- bad input ----

printf '{"wall_ps": 5}\n' >short.json
printf '{"wall_ps": "5"}\n' >text.json
printf '{\n' >broken.json
printf '{"wall_ps": 5, "classes": [{"compute_ps": 5}]}\n' >part.json
printf '[]\n' >list.json
sed 's/"idle_ps": 0/"idle_ps": 7/' a.json >sum.json
# Results of versions that do not tell CPU and waiting apart.
sed '/"cpu_ps"/d; /waiting_ps"/d' a.json >old.json
"$ORRERY_BIN" diff old.json a.json >out || fail "results of an earlier version: exit status $?"
grep -qx 'both take 28.000 us' out || fail "results of an earlier version: $(cat out)"
refuses 'no.json: cannot be opened' "$ORRERY_BIN" diff a.json no.json
refuses 'broken.json:2:1: not JSON: ' "$ORRERY_BIN" diff broken.json a.json
refuses 'text.json: no result of orrery run --json: it needs "wall_ps", a whole number' \
    "$ORRERY_BIN" diff text.json a.json
refuses 'list.json: no result of orrery run --json: it needs "wall_ps", a whole number' \
    "$ORRERY_BIN" diff list.json a.json
refuses 'short.json: no result of orrery run --json: it needs "classes", a list that is not empty' \
    "$ORRERY_BIN" diff a.json short.json
refuses 'part.json: no result of orrery run --json: a class needs "exposed_local_memory_ps", a whole number' \
    "$ORRERY_BIN" diff a.json part.json
refuses "sum.json: the parts of a class add up to 28000007 ps, not to the job's 28000000 ps" \
    "$ORRERY_BIN" diff a.json sum.json
refuses 'orrery diff: two results are needed' "$ORRERY_BIN" diff a.json
refuses 'orrery diff: unexpected argument c.json' "$ORRERY_BIN" diff a.json b.json c.json
refuses 'orrery diff: unknown option "--jsn"; did you mean "--json"?' "$ORRERY_BIN" diff --jsn x
refuses 'cannot be written' "$ORRERY_BIN" diff a.json b.json --csv no/where.csv
refuses 'orrery whatif: --factor: expected a number above 0, got "0"' \
    "$ORRERY_BIN" whatif small.yml --factor 0
refuses 'orrery whatif: --factor: expected a number above 0, got "2x"' \
    "$ORRERY_BIN" whatif small.yml --factor 2x
refuses 'orrery whatif: --jobs: expected a whole number from 1 to 256, got "none"' \
    "$ORRERY_BIN" whatif small.yml --jobs none
refuses 'orrery whatif: a platform is missing: a file, or a name that orrery run --list-inputs shows' "$ORRERY_BIN" whatif
refuses '--change network.dims[7].bandwidth=1GB/s: network.dims[7].bandwidth: there is no entry 7: network.dims has 2' \
    "$ORRERY_BIN" whatif small.yml --change 'network.dims[7].bandwidth=1GB/s'
refuses '--change system.chunks=zero: system.chunks: expected a whole number from 1 to 4096, got "zero"' \
    "$ORRERY_BIN" whatif small.yml --change system.chunks=zero
refuses 'orrery whatif: --change needs Orrery files (PLATFORM.yml)' \
    "$ORRERY_BIN" whatif "$@" --network-configuration astra/net.yml --change system.chunks=1
refuses 'cannot be written' "$ORRERY_BIN" whatif small.yml --json no/where.json

[ "$failures" -eq 0 ] && echo "whatif and diff: as worked out"
exit $((failures > 0))
