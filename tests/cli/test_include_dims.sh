#!/bin/sh
# A platform that includes another one and changes its network: what both say of the dimensions is joined by
# dimension. Each file is as one that says it all, and what cannot be joined says how to write it.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

work='workload: {generate: all_reduce, bytes: 64 MB}'
printf 'network:\n  topology: Switch(8)_Switch(4)\n  bandwidth_is: npu\n  dims:\n    - {bandwidth: 300 GB/s, latency: 700 ns}\n    - {bandwidth: 25 GB/s, latency: 2.5 us}\n' >two.yml
printf 'network: {topology: Switch(8)_Switch(4), bandwidth: 300_25 GB/s, latency: 1 us}\n' >lists.yml
printf 'network: {dims: [{block: switch, npus: 8, bandwidth: 300 GB/s, latency: 1 us}, {block: ring, npus: 4, bandwidth: 25 GB/s}]}\n' >shapes.yml

# wall FILE: the job's time on it
wall() {
    "$ORRERY_BIN" run "$1" --json - 2>err | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p'
}

# is STEP INCLUDED NETWORK ALL: the included file with that network is the network ALL
is() {
    printf 'include: %s\nnetwork: %s\n%s\n' "$2" "$3" "$work" >joined.yml
    printf 'network: %s\n%s\n' "$4" "$work" >all.yml
    found=$(wall joined.yml)
    [ -n "$found" ] || fail "$1: $(cat err)"
    expected=$(wall all.yml)
    [ -n "$expected" ] && [ "$found" = "$expected" ] || fail "$1: $found ps, expected $expected"
    "$ORRERY_BIN" run joined.yml --explain >again.yml 2>err || fail "$1: --explain: $(cat err)"
    [ "$(wall again.yml)" = "$expected" ] || fail "$1: what --explain prints takes another time"
}

# says STEP INCLUDED NETWORK MESSAGE: it is refused so
says() {
    printf 'include: %s\nnetwork: %s\n%s\n' "$2" "$3" "$work" >joined.yml
    "$ORRERY_BIN" run joined.yml >out 2>err
    [ $? -eq 2 ] && [ "$(cat err)" = "$4" ] || fail "$1: $(cat err)"
}

first='{bandwidth: 300 GB/s, latency: 700 ns}' second='{bandwidth: 25 GB/s, latency: 2.5 us}'
is 'another topology' two.yml '{topology: Switch(4)_Switch(16)}' \
    "{topology: Switch(4)_Switch(16), bandwidth_is: npu, dims: [$first, $second]}"
is 'fewer dimensions' two.yml '{topology: Switch(16)}' "{topology: Switch(16), bandwidth_is: npu, dims: [$first]}"
is 'one number' two.yml '{dims: [{}, {bandwidth: 50 GB/s}]}' \
    "{topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [$first, {bandwidth: 50 GB/s, latency: 2.5 us}]}"
is 'one entry' two.yml '{dims: [{latency: 9 us}]}' \
    "{topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s, latency: 9 us}, $second]}"
is 'a third dimension' two.yml '{topology: Switch(8)_Switch(4)_Switch(2), dims: [{}, {}, {bandwidth: 10 GB/s, latency: 4 us}]}' \
    "{topology: Switch(8)_Switch(4)_Switch(2), bandwidth_is: npu, dims: [$first, $second, {bandwidth: 10 GB/s, latency: 4 us}]}"
is 'bandwidths' two.yml '{topology: Ring(4)_Ring(4), bandwidth: 100_50 GB/s}' \
    '{topology: Ring(4)_Ring(4), bandwidth_is: npu, bandwidth: 100_50 GB/s, latency: [700 ns, 2.5 us]}'
is 'latencies of all but one' two.yml '{latency: 3 us, dims: [{latency: 4 us}, {}]}' \
    '{topology: Switch(8)_Switch(4), bandwidth_is: npu, bandwidth: 300_25 GB/s, latency: [4 us, 3 us]}'
is 'one latency' two.yml '{latency: 3 us}' \
    '{topology: Switch(8)_Switch(4), bandwidth_is: npu, bandwidth: 300_25 GB/s, latency: 3 us}'
is 'all of three' two.yml '{topology: Ring(4)_Ring(4)_Ring(2), bandwidth: 100_50_10 GB/s, latency: 1 us}' \
    '{topology: Ring(4)_Ring(4)_Ring(2), bandwidth_is: npu, bandwidth: 100_50_10 GB/s, latency: 1 us}'
is 'lists that are cut' lists.yml '{topology: Ring(6)}' '{topology: Ring(6), bandwidth: 300 GB/s, latency: 1 us}'
is 'an entry over lists' lists.yml '{dims: [{}, {bandwidth: 50 GB/s}]}' \
    '{topology: Switch(8)_Switch(4), bandwidth: 300_50 GB/s, latency: 1 us}'
is 'a topology over shapes' shapes.yml '{topology: Ring(4)_Switch(2)}' \
    '{topology: Ring(4)_Switch(2), dims: [{bandwidth: 300 GB/s, latency: 1 us}, {bandwidth: 25 GB/s}]}'
is 'shapes over a topology' two.yml '{dims: [{block: ring, npus: 6, bandwidth: 80 GB/s}]}' \
    '{bandwidth_is: npu, dims: [{block: ring, npus: 6, bandwidth: 80 GB/s}]}'
is 'a ring for a switch' shapes.yml '{dims: [{block: ring, npus: 6, bandwidth: 80 GB/s}]}' \
    '{dims: [{block: ring, npus: 6, bandwidth: 80 GB/s}]}'

# Two levels down, and from the command line.
printf 'include: two.yml\nnetwork: {dims: [{}, {latency: 5 us}]}\n' >middle.yml
is 'two levels' middle.yml '{dims: [{bandwidth: 400 GB/s}]}' \
    '{topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [{bandwidth: 400 GB/s, latency: 700 ns}, {bandwidth: 25 GB/s, latency: 5 us}]}'
printf '%s\n' "$work" >work.yml
set_to=$("$ORRERY_BIN" run two.yml work.yml --set network.topology='Switch(16)' --set network.latency='3 us' --json - | grep wall_ps)
printf 'network: {topology: Switch(16), bandwidth_is: npu, bandwidth: 300 GB/s, latency: 3 us}\n' >set.yml
[ "$set_to" = "$("$ORRERY_BIN" run set.yml work.yml --json - | grep wall_ps)" ] || fail "--set: $set_to"

says 'bandwidths twice' two.yml '{bandwidth: 100_50 GB/s, dims: [{bandwidth: 5 GB/s}, {}]}' \
    'joined.yml:2:22: network.bandwidth: network.dims gives bandwidths already; remove one of the two'
says 'a dimension more' two.yml '{topology: Switch(8)_Switch(4)_Switch(2)}' \
    'joined.yml:2:21: network.topology has 3 dimensions, but network.dims at two.yml:5, which is included, has 2; give the others here too, such as dims: [{}, {}, {bandwidth: 50 GB/s, latency: 1 us}], or bandwidth and latency of all dimensions, such as bandwidth: [300 GB/s, 50 GB/s, 25 GB/s]'
says 'a value more' lists.yml '{topology: Switch(8)_Switch(4)_Switch(2)}' \
    'joined.yml:2:21: network.topology has 3 dimensions, but network.bandwidth at lists.yml:1, which is included, has 2 values; give bandwidth here too, of all 3 dimensions'
says 'too few bandwidths' two.yml '{topology: Switch(8)_Switch(4)_Switch(2), bandwidth: 100_50 GB/s}' \
    'joined.yml:2:63: network.bandwidth: expected one value, or one for each of the 3 dimensions; got 2'
says 'no dimension' two.yml '{topology: Ring(3), dims: [3]}' \
    'joined.yml:2:37: network.dims[0]: expected a mapping, such as {bandwidth: 50 GB/s}, got "3"'
says 'too many latencies' two.yml '{topology: Ring(3), latency: [1 us, 2 us]}' \
    'joined.yml:2:39: network.latency: expected one value; got 2'
says 'the same file' two.yml '{dims: [{bandwidth: 1 GB/s}, {bandwidth: 1 GB/s}, {bandwidth: 1 GB/s}]}' \
    'two.yml:2:13: network.topology has 2 dimensions, but network.dims has 3'

[ "$failures" -eq 0 ] && echo "dimensions of included files: as expected"
exit $((failures > 0))
