#!/bin/sh
# Sums over a million NPUs are what they are by hand, though 64 bits do not hold them.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# expect PATTERN: a line of the table
expect() {
    if ! grep -q "$1" out.txt; then
        printf '%s times: no "%s" in\n%s\n' "$repeat" "$1" "$(cat out.txt)"
        failures=$((failures + 1))
    fi
}

run() {
    repeat=$1
    "$ORRERY_BIN" run --topology 'Ring(1024)_Ring(1024)' --bandwidth '1 TB/s' --latency '0 ns' \
        --set "workload={generate: all_reduce, bytes: 1 TB, repeat: $repeat}" --set system.chunks=1 \
        --set 'system.algorithms.all_reduce=ring' --json out.json >out.txt 2>&1 || failures=$((failures + 1))
}

# An all-reduce sends 2 x 1023 blocks of 1 TB / 1024 over dimension 1: 2 s, by one of two ports. Of the
# 2^20 NPUs together, 8 of them are 16760832 x 10^12 bytes and 16 x 10^12 x 2^20 ps, which is more than 2^63.
run 8
expect '^1 .* 15243887.90 TiB  *50.0 %$'
expect '^all_reduce .* 8  *2.000 s  *2.000 s  *16.000 s '
# 9 of them have more bytes than 2^64: 18855936 x 10^12.
run 9
expect '^1 .* 17149373.89 TiB  *50.0 %$'
expect '^all_reduce .* 9  *2.000 s  *2.000 s  *18.000 s '
grep -q '"bytes": 1.8855936e19,' out.json || {
    printf '9 times: %s\n' "$(grep '"bytes"' out.json)"
    failures=$((failures + 1))
}

exit $failures
