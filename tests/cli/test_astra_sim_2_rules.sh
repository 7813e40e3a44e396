#!/bin/sh
# The rules of ASTRA-sim 2.0 by one include: Table IV on its shipped platforms to the microsecond, and Fig. 9.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
printf 'workload: {generate: all_reduce, bytes: 1 GiB}\n' >all_reduce.yml

# takes TIME ARGUMENT...: in us or ms, as printed
takes() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" run "$@" 2>&1 | sed -n '1s/job time \(.*\) on .*/\1/p')
    if [ "$found" != "$expected" ]; then
        echo "orrery run $*: $found, expected $expected" >&2
        failures=$((failures + 1))
    fi
}

# Table IV: 4392.85, 2212.60, 1753.48 and 1879.17 us in the paper.
for name in base_512 conv_1024 conv_2048 conv_4096; do
    takes '4.391 ms' $name all_reduce.yml
done
takes '2.211 ms' w_1024 all_reduce.yml
takes '1.750 ms' w_2048 all_reduce.yml
takes '1.875 ms' w_4096 all_reduce.yml

# On another platform: Fig. 9a, Themis on Conv-4D.
printf 'include: [conv_4d, rules/astra_sim_2]\nsystem: {scheduler: themis}\n' >conv_4d.yml
takes '3.406 ms' conv_4d.yml all_reduce.yml

# Fig. 9b, Transformer-1T: messages share the ports of their senders.
takes '696.136 ms' base_512 transformer_1t --set workload.parallel.tensor=128
takes '467.614 ms' w_4096 transformer_1t --set workload.parallel.tensor=128
exit "$((failures > 0))"
