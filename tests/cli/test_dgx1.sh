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

[ "$failures" -eq 0 ] && echo "the DGX-1: compute and rings as they should be"
exit $((failures > 0))
