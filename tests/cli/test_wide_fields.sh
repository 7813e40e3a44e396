#!/bin/sh
# Collectives of more messages than 2^24, the widest that fields of labels once held: the times are
# those of the formula, to the picosecond.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# wall PICOSECONDS TOPOLOGY SET...: an all-reduce of 1 GiB over links of 100 GB/s and 1 us
wall() {
    expected=$1 topology=$2
    shift 2
    "$ORRERY_BIN" run --topology "$topology" --bandwidth '100 GB/s' --latency '1 us' \
        --set 'workload={generate: all_reduce, bytes: 1 GiB}' "$@" --json out.json >out.txt 2>err.txt
    status=$?
    got=$(sed -n 's/^ *"wall_ps": \([0-9]*\),$/\1/p' out.json | head -1)
    if [ $status -ne 0 ] || [ "$got" != "$expected" ]; then
        printf '%s: exit status %d, %s ps, expected %s: %s\n' "$topology" $status "$got" "$expected" "$(cat err.txt)"
        failures=$((failures + 1))
    fi
}

# 2 (n - 1) = 16777218 steps of 1 us + 640 ps (blocks of 64 bytes), and the second chunk 640 ps behind.
wall 16787955420160 'Ring(8388610)' --set system.chunks=2
# 2 (n - 1) = 8388610 steps of 1 us + 1280 ps (halves of 128 bytes) in either lane.
[ -z "${ORRERY_LONG:-}" ] ||
    wall 8399347420800 'Ring(4194306)' --set system.chunks=1 --set system.algorithms.all_reduce=bidirectional_ring

# More messages than their index holds: refused, with the limit.
"$ORRERY_BIN" run --topology 'Ring(1100000000)' --bandwidth '100 GB/s' --latency '1 us' --set system.chunks=1 \
    --set 'workload={generate: all_reduce, bytes: 1 GiB}' --set system.algorithms.all_reduce=bidirectional_ring \
    >out.txt 2>err.txt
status=$?
if [ $status -ne 2 ] || ! grep -q 'up to 4400000000 messages for a chunk; at most 2^32 are supported' err.txt; then
    printf 'too many messages: exit status %d: %s\n' $status "$(cat err.txt)"
    failures=$((failures + 1))
fi

exit $failures
