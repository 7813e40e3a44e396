#!/bin/sh
# The DGX-1 that ships: what a step of the three convolutional networks computes on its V100, and the
# all-reduce of all their gradients around its six rings.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

printf 'include: [%s/platforms/dgx1_v100.yml, %s/compute/v100.yml]\n' "$ORRERY_SOURCE_DIR/inputs" \
    "$ORRERY_SOURCE_DIR/inputs" >dgx1.yml

# step MODEL BATCH COMPUTE RINGS: a step of BATCH images a GPU in fp32; compute in ms, all-reduce in ms
step() {
    "$ORRERY_BIN" run dgx1.yml "$1" --set "workload.training={batch: $((8 * $2)), element_bytes: 4, gradient_bytes: 4,
        optimizer: sgd, overlap: false, bucket: 1 GiB}" --json - >out 2>err || fail "$1 $2: exit status $?: $(cat err)"
    found=$(awk '/^      "compute_ps":/ && !c { c = $2 + 0 } /^      "exposed_communication_ps":/ && !e { e = $2 + 0 }
        END { printf "%.2f %.3f", c / 1e9, e / 1e9 }' out)
    [ "$found" = "$3 $4" ] || fail "$1, batch $2: compute and all-reduce take $found ms, expected $3 $4"
}

# Rings: 2 x 7 steps of 4.7 us, in each N / 8 / 6 bytes at 22.3 GB/s: 65.8 us + 1.75 N / 133.8 GB/s. ZFNet has
# 62,357,608 parameters, N = 249,430,432 bytes: 65.8 + 3262.4 us = 3.328 ms. VGG-16: 138,357,544, 65.8 + 7238.4 us;
# ResNet-50: 25,557,032, 65.8 + 1337.1 us.
step zfnet 16 10.72 3.328
step zfnet 32 19.72 3.328
step zfnet 64 38.32 3.328
step vgg16 16 130.10 7.304
step vgg16 32 256.43 7.304
step vgg16 64 510.41 7.304
step resnet50 16 42.32 1.403
step resnet50 32 84.16 1.403
step resnet50 64 167.87 1.403

# tells LINE ARGUMENT...: a line of what is warned of
tells() {
    line=$1
    shift
    "$ORRERY_BIN" run "$@" --set workload.generate=all_reduce --set 'workload.bytes=64 MiB' >out 2>err ||
        fail "$*: exit status $?: $(cat err)"
    grep -qF "$line" err || fail "$*: expected \"$line\", got: $(cat err)"
}
# What is said of all-reduces in phases does nothing while they are done as a whole.
whole='has no effect: all-reduces are monolithic (system.monolithic_all_reduce; expected phases there)'
tells "system.algorithms.all_reduce $whole" dgx1_v100 --set system.algorithms.all_reduce=tree
tells "system.chunks_of.all_reduce $whole" dgx1_v100 --set system.chunks_of.all_reduce=7
# Trees have no channels in a network that changes, nor in one of dimensions.
tells 'system.trees: their edges have no channels of their own: in a network with changes messages use routes' \
    dgx1_v100_trees --set 'network.changes=[{at: 2 s, link: 2-3, working: 1}]'
printf '%s\n' 'network: {topology: FC(4), bandwidth: 1 GB/s, latency: 0 ns}' \
    'system: {algorithms: {all_reduce: trees}, trees: "- 0 0 1", tree_channels: own}' >dims.yml
tells 'system.tree_channels has no effect: channels need the links of a network.graph' dims.yml
# What communication free is a bound of: the overhead of messages is communication too.
"$ORRERY_BIN" whatif dgx1_v100_trees --set workload.generate=all_reduce --set 'workload.bytes=64 MiB' >out 2>err ||
    fail "what-if: exit status $?: $(cat err)"
grep -q '^communication free  *0 ps ' out || fail "what-if: $(cat out)"

[ "$failures" -eq 0 ] && echo "the DGX-1: compute and rings as they should be"
exit $((failures > 0))
