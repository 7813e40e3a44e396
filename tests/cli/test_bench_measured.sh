#!/bin/sh
# orrery bench-collective --measured: the model's own times come back, slower ones are called so, and refusals.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" bench-collective "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF -- "$expected" err || fail "$*: no \"$expected\" in: $(cat err)"
}

network='network: {topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s}, {bandwidth: 25 GB/s}]}'
printf '%s\n' "$network" >plain.yml
printf '%s\nsystem: {library: {name: nccl, gpu: a100}}\n' "$network" >library.yml

# wall PLATFORM WORKLOAD...: us that `orrery run` takes.
wall() {
    "$ORRERY_BIN" run "$1" --set "workload={$2}" --json - | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' |
        awk '{printf "%.6f", $1 / 1000000}'
}

# With its own times as measured ones the errors are none, on groups as on all NPUs. All-gathers: nccl-tests count what is
# gathered.
pair='group: pair, groups: {pair: [0, 1, 8, 9]}'
for platform in plain library; do
    {
        echo collective,npus,npus_per_node,bytes,time_us
        echo "all_reduce,32,8,67108864,$(wall $platform.yml 'generate: all_reduce, bytes: 64 MiB')"
        echo "all_reduce,32,8,65536,$(wall $platform.yml 'generate: all_reduce, bytes: 64 KiB')"
        echo "all_reduce,4,2,67108864,$(wall $platform.yml "generate: all_reduce, bytes: 64 MiB, $pair")"
        echo "all_gather,4,2,67108864,$(wall $platform.yml "generate: all_gather, bytes: 16 MiB, $pair")"
        echo "broadcast,4,2,67108864,$(wall $platform.yml "generate: broadcast, bytes: 64 MiB, $pair")"
        echo "all_reduce,32,8,16,1"
    } >$platform.csv
    "$ORRERY_BIN" bench-collective $platform.yml --measured $platform.csv --csv csv >out 2>err ||
        fail "$platform: exit status $?: $(cat err)"
    [ "$(wc -l <csv)" -eq 6 ] || fail "$platform: $(cat csv)"
    tail -n +2 csv | awk -F, '$7 > 1e-4 || $7 < -1e-4 || $8 < $9 * 0.9999 || $8 > $9 * 1.0001 {exit 1}' ||
        fail "$platform: not its own times: $(cat csv)"
    [ "$(grep -c ': normal (0.0 % ' out)" -eq 4 ] || fail "$platform: $(cat out)"
    grep -q '^all 5 rows, median error: 0.00 % at >= 1 MiB (4 rows), 0.00 % below (1 row)$' out || fail "$platform: $(cat out)"
    grep -q '^note: 1 row of less than a byte for each NPU left out$' out || fail "$platform: $(cat out)"
done

# Times that are twice as long: half the bandwidth, and 15 % is where normal ends.
slower() {
    awk -F, -v OFS=, -v by="$1" 'NR > 1 {$5 *= by} {print}' library.csv >slow.csv
    "$ORRERY_BIN" bench-collective library.yml --measured slow.csv >out 2>err || fail "x $1: exit status $?: $(cat err)"
}
slower 2
[ "$(grep -c ": 50.0 % below what the platform's library gives\$" out)" -eq 4 ] || fail "twice as slow: $(cat out)"
grep -q '^bus bandwidth at the largest sizes: 0 of 4 normal; farthest off: ' out || fail "twice as slow: $(cat out)"
slower 1.17
[ "$(grep -c ': normal (14.5 % below)$' out)" -eq 4 ] || fail "1.17: $(cat out)"
slower 1.18
[ "$(grep -c ": 15.3 % below what the platform's library gives\$" out)" -eq 4 ] || fail "1.18: $(cat out)"
sed 's/,1$/,1/' plain.csv | awk -F, -v OFS=, 'NR > 1 {$5 /= 2} {print}' >fast.csv
"$ORRERY_BIN" bench-collective plain.yml --measured fast.csv >out 2>err || fail "fast: exit status $?: $(cat err)"
[ "$(grep -c ': 100.0 % above what the platform gives$' out)" -eq 4 ] || fail "fast: $(cat out)"

# Several files, what they do not say, and the platform as an option.
printf 'bytes,time_us\n1048576,100\n' >bare.csv
"$ORRERY_BIN" bench-collective --platform library.yml --collective all_to_all --npus 16 --npus-per-node 8 --measured bare.csv \
    library.csv >out 2>err || fail "two files: exit status $?: $(cat err)"
grep -qx 'all_to_all on 16 NPUs of 2 nodes' out || fail "two files: $(cat out)"
grep -qx 'broadcast on 4 NPUs of 2 nodes' out || fail "two files: $(cat out)"

# ---- one meaning of bytes ----

# An all-gather's bytes are one rank's part in benches and traces, and the total in measured tables: 1 MiB by each of 32 is
# 32 MiB. A table may have either. A bench reads back as it is, with no error; rows of other algorithms are left out.
part=$(wall library.yml 'generate: all_gather, bytes: 1 MiB')
printf 'collective,npus,npus_per_node,bytes_per_rank,time_us\nall_gather,32,8,1048576,%s\n' "$part" >part.csv
printf 'collective,npus,npus_per_node,bytes,time_us\nall_gather,32,8,33554432,%s\n' "$part" >total.csv
printf 'collective,npus,npus_per_node,bytes,bytes_per_rank,time_us\nall_reduce,32,8,33554432,33554432,%s\n' \
    "$(wall library.yml 'generate: all_reduce, bytes: 32 MiB')" >both.csv
for name in part total both; do
    "$ORRERY_BIN" bench-collective library.yml --measured $name.csv --csv csv >out 2>err || fail "$name: $(cat err)"
    grep -q ',32,8,33554432,' csv && grep -q ': normal (0.0 % ' out || fail "$name: $(cat csv out)"
done
for kind in all_reduce all_to_all all_gather reduce_scatter; do
    for platform in plain library; do
        "$ORRERY_BIN" bench-collective $platform.yml --collective $kind --max '4 MiB' --csv bench.csv >out 2>err
        "$ORRERY_BIN" bench-collective $platform.yml --measured bench.csv --csv csv >out 2>err ||
            fail "$kind of $platform: exit status $?: $(cat err)"
        [ "$(wc -l <csv)" -eq 3 ] || fail "$kind of $platform: $(cat csv)"
        tail -n +2 csv | awk -F, '$7 > 1e-9 || $7 < -1e-9 {exit 1}' || fail "$kind of $platform: $(cat csv)"
        grep -Eq '^note: [0-9]+ rows of a bench left out: the first of a size is what the platform takes$' out ||
            fail "$kind of $platform: $(cat out)"
    done
done
grep -q '^1048576,nccl ring LL,.*,32768,1048576,reduce_scatter,32,8$' bench.csv || fail "reduce_scatter: $(cat bench.csv)"

# ---- refusals ----

row() {
    printf 'collective,npus,npus_per_node,bytes,time_us\n%s\n' "$1" >bad.csv
}
row all_reduce,64,8,1048576,100
refuses 'bad.csv:2:1: 64 NPUs, 8 of each node: more nodes than the platform has; library.yml has 4 nodes of 8 NPUs' \
    library.yml --measured bad.csv
row all_reduce,32,16,1048576,100
refuses 'bad.csv:2:1: 32 NPUs, 16 of each node: more of a node than the platform has' library.yml --measured bad.csv
row all_reduce,16,8,4,100
refuses 'bad.csv: no row has a byte for each NPU, and none can be run' library.yml --measured bad.csv
row all_reduce,16,8,1048576,-1
refuses 'bad.csv:2:' library.yml --measured bad.csv
printf 'collective,npus,npus_per_node,bytes,bytes_per_rank,time_us\nall_gather,32,8,1048576,1048576,60\n' >bad.csv
refuses 'bad.csv:2:17: bytes: expected that of all ranks as nccl-tests count, 32 x bytes_per_rank = 33554432, got 1048576' \
    library.yml --measured bad.csv
printf 'collective,npus,npus_per_node,bytes_per_rank,time_us\nall_gather,32,8,1 MiB,60\n' >bad.csv
refuses 'bad.csv:2:17: bytes_per_rank: expected a number without a unit, got "1 MiB": write 1048576' library.yml --measured bad.csv
printf 'collective,npus,npus_per_node,bytes_per_rank,time_us\nall_gather,32,8,18446744073709551615,60\n' >bad.csv
refuses 'bytes_per_rank: 32 ranks have too many bytes' library.yml --measured bad.csv
refuses 'nothing.csv: cannot open' library.yml --measured nothing.csv
refuses '--measured takes the sizes of its files, and no --min' library.yml --measured library.csv --min '1 MiB'
refuses '--npus goes with --measured FILE' library.yml --npus 8
refuses '--npus: expected a whole number from 1 to 2147483647, got "0"' library.yml --measured library.csv --npus 0

# A generated collective of a group that is not listed, or without its root.
cannot() {
    "$ORRERY_BIN" run plain.yml --set "workload={$2}" >out 2>err
    [ $? -eq 2 ] || fail "$2: exit status"
    grep -qF "$1" err || fail "$2: no \"$1\" in $(cat err)"
}
cannot 'workload.group: expected a group of workload.groups, got "p"' 'generate: all_reduce, bytes: 1 MiB, group: p'
cannot 'root: expected a rank of the group "p", got 0' 'generate: reduce, bytes: 1 MiB, root: 0, group: p, groups: {p: [1, 2]}'
cannot 'workload.groups.p[1]: expected a whole number from 0 to 31, got "32"' 'generate: all_reduce, bytes: 1 MiB, group: p, groups: {p: [1, 32]}'

[ "$failures" -eq 0 ] && echo "bench-collective --measured: as worked out"
