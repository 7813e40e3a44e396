#!/bin/sh
# Communicator groups have any name: numbers from 0, and text, in group files, in traces and in metadata.
set -u
scratch=$(mktemp -d) && cd "$scratch" && trap 'rm -rf "$scratch"' EXIT || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# traces FIRST SECOND METADATA: four ranks; 0 and 1 reduce 1 MB in the group FIRST, 2 and 3 in SECOND (JSON values)
traces() {
    for rank in 0 1 2 3; do
        name=$1
        [ $rank -lt 2 ] || name=$2
        printf '%s\n' '{"version": "0.0.4"}' "${3-}" >t.$rank.et
        printf '{"id": "1", "name": "r", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "0"},
            {"name": "comm_size", "int64Val": "1000000"}, {"name": "pg_name", %s}]}\n' "$name" >>t.$rank.et
    done
}

text() { printf '"stringVal": "%s"' "$1"; }

cat >run.yml <<'END'
network: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}
system: {algorithms: {all_reduce: ring}, chunks: 1}
workload: {traces: t, groups_file: g.json}
END
cat >sys.json <<'END'
{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1,
 "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
 "all-to-all-implementation": ["ring"], "collective-optimization": "localBWAware", "local-mem-bw": 50, "roofline-enabled": 0}
END
printf 'topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 1000.0 ]\n' >net.yml

# A ring of two: 2 x (1 us + 500000 B / 50 GB/s) = 22 us.
for pair in '0 1' '1 2' '2 0' '0.0 0.1' 'tp-0 tp-1' '-1 -2' 'a/b 0' '99999999999999999999 01'; do
    set -- $pair
    traces "$(text "$1")" "$(text "$2")"
    printf '{"%s": [0, 1], "%s": [2, 3]}\n' "$1" "$2" >g.json
    "$ORRERY_BIN" run run.yml >out 2>&1 || fail "$pair: $(cat out)"
    grep -qx 'job time 22.000 us on 4 NPUs' out || fail "$pair: $(head -1 out)"
    grep -q warning out && fail "$pair: $(cat out)"
    "$ORRERY_BIN" run --workload-configuration t --system-configuration sys.json --network-configuration net.yml \
        --comm-group-configuration g.json >out 2>err || fail "$pair, rules of ASTRA-sim: $(cat err)"
    first=${first-$(cat out)}
    [ "$(cat out)" = "$first" ] || fail "$pair, rules of ASTRA-sim: $(head -1 out)"
done
traces "$(text 0)" "$(text tp-1)"
printf '{"0": [0, 1], "tp-1": [2, 3]}\n' >g.json
"$ORRERY_BIN" run --workload-configuration t --system-configuration sys.json --network-configuration net.yml \
    --comm-group-configuration g.json >out 2>err || fail "$(cat err)"
cat >expected <<'END'
g.json:1:7: warning: ASTRA-sim stops at the group "0": it takes whole numbers from 1 on; here any name is a group
g.json:1:23: warning: ASTRA-sim stops at the group "tp-1": it takes whole numbers from 1 on; here any name is a group
END
cmp -s expected err || fail "the warnings: $(cat err)"

# Names that are numbers in the trace.
traces '"int32Val": 0' '"int64Val": "-3"'
printf '{"0": [0, 1], "-3": [2, 3]}\n' >g.json
"$ORRERY_BIN" run run.yml >out 2>&1
grep -qx 'job time 22.000 us on 4 NPUs' out || fail "numbers: $(cat out)"

# Process groups in metadata: 0 is a part, or all.
cat >values <<'END'
{"id": "0", "name": "init", "type": "METADATA_NODE", "inputs": {"values": "['[{\"pg_name\": \"0\", \"ranks\": RANKS}, {\"pg_name\": \"b\", \"ranks\": [2, 3]}]']"}}
END
values() { sed "s/RANKS/$1/" values; }
sed -i 's/, groups_file: g.json//' run.yml
traces "$(text 0)" "$(text b)" "$(values '[0, 1]')"
"$ORRERY_BIN" run run.yml >out 2>&1
grep -qx 'job time 22.000 us on 4 NPUs' out || fail "metadata: $(cat out)"
# All four: 6 x (1 us + 250000 B / 50 GB/s) = 36 us.
for ranks in '[0, 1, 2, 3]' '[]'; do
    traces "$(text 0)" "$(text 0)" "$(values "$ranks")"
    "$ORRERY_BIN" run run.yml >out 2>&1
    grep -qx 'job time 36.000 us on 4 NPUs' out || fail "metadata, all: $(cat out)"
done
traces "$(text 0)" "$(text 0)"
"$ORRERY_BIN" run run.yml >out 2>&1
grep -qx 'job time 36.000 us on 4 NPUs' out || fail "not listed, all: $(cat out)"

# What is wrong.
refused() {
    "$ORRERY_BIN" run run.yml --set workload.groups_file=g.json >out 2>&1
    [ $? -eq 2 ] || fail "$1: exit status is not 2"
    grep -qF "$2" out || fail "$1: $(cat out)
expected: $2"
}
traces "$(text 0)" "$(text 0)"
printf '{"0": [0, 1], "0": [2, 3]}\n' >g.json
refused 'a group named twice' 'g.json:1:15: duplicate key "0": it is given already at line 1'
printf '{"0": [0, 1]}\n' >g.json
refused 'a rank outside of its group' 'of NPU 2 uses the communicator group "0", but'

[ "$failures" -eq 0 ] && echo "groups: any name"
exit $((failures > 0))
