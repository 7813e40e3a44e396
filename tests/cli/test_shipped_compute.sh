#!/bin/sh
# What ships counts alike: every decoder with its causal mask, here and in the rows that efficiencies are fitted to.
set -u

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

[ "$failures" -eq 0 ] && echo "shipped compute: as stated"
exit $((failures > 0))
