#!/bin/sh
# orrery taskgraph: what a graph holds (by hand below), its forms, the same time by each of them, and
# what is said about wrong arguments and files.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says STATUS ARGUMENT... <<END: ends with the status and prints this
says() {
    expected=$1
    shift
    cat >want
    "$ORRERY_BIN" taskgraph "$@" >out 2>err </dev/null
    status=$?
    cat err out >both
    [ "$status" -eq "$expected" ] && cmp -s want both ||
        fail "orrery taskgraph $*: exit status $status, expected $expected
$(diff want both)"
}

# Two groups of two NPUs. Of each: 2 + 2 ms on NPU 1, a transfer of 1 MB, an all-reduce of its own; one
# across both groups. Plain: 4 x 2 tasks and 1; dependencies 5 x 2, for those of a group.
cat >g.json <<'END'
{
  "format": "orrery task graph",
  "version": 1,
  "npus": 4,
  "copies": 2,
  "tasks": [
    {"role": "compute", "pass": "forward", "name": "conv1", "npu": 0, "time": "1 ms", "next": [1]},
    {"role": "transfer", "from": 0, "to": 1, "bytes": "1000000 B", "next": [2]},
    {"role": "compute", "pass": "forward", "name": "conv2", "npu": 1, "time": "2 ms", "next": [3]},
    {"role": "compute", "pass": "backward", "name": "conv2", "npu": 1, "time": "2 ms", "next": [4, 5]},
    {"role": "all-reduce", "members": [0, 1], "bytes": "4000000 B"},
    {"role": "all-reduce", "members": [1], "across": true, "bytes": "8000000 B"}
  ]
}
END

says 0 show g.json <<'END'
g.json: 11 tasks of 4 NPUs, 10 dependencies

copies       2 groups of 2 NPUs; the file has the 6 tasks of one, 1 all-reduce across all
compute      4.000 ms on the NPU that computes most
transfers    1.91 MiB between NPUs, 0 B inside of them

role              tasks    forward   backward     update    barrier      other
compute               6          4          2          0          0          0
transfer              2          0          0          0          0          2
all-reduce            3          0          0          0          0          3

all-reduces        NPUs        bytes
3                     2    15.26 MiB
END
says 0 check g.json <<'END'
g.json: ok, 11 tasks of 4 NPUs, 10 dependencies
END

# ---- forms ----

says 0 convert g.json -o g.otg </dev/null
says 0 convert g.otg -o again.json </dev/null
cmp -s g.json again.json || fail "JSON -> binary -> JSON: $(diff g.json again.json)"
gzip -c g.otg >g.otg.gz
says 0 convert g.otg --link-bandwidth '100 Gb/s' -o g.fbuf </dev/null

# time FILE: how long an iteration is
time_of() {
    "$ORRERY_BIN" run --taskgraph "$1" --fabric ideal-switch --link-bandwidth '100 Gb/s' 2>&1 |
        grep -E '^iteration|orrery|:' | grep iteration
}
want=$(time_of g.json)
[ -n "$want" ] || fail "g.json does not run: $("$ORRERY_BIN" run --taskgraph g.json --fabric ideal-switch 2>&1)"
for file in g.otg g.otg.gz g.fbuf; do
    [ "$(time_of $file)" = "$want" ] || fail "$file: expected $want, got $(time_of $file)"
done

# The network that is written into the FlatBuffer: a switch.
"$ORRERY_BIN" run --taskgraph g.fbuf >out 2>&1 || fail "g.fbuf on its own network: $(cat out)"
grep -q "^$want" out || fail "g.fbuf on its own network: expected $want, got $(cat out)"

printf 'cluster: {servers: 8, fabric: ideal-switch, link_bandwidth: 100 Gb/s}\njobs: [{taskgraph: g.otg}, {name: h, taskgraph: g.json}]\n' >jobs.yml
"$ORRERY_BIN" run --cluster jobs.yml >out 2>&1 || fail "jobs of both forms: $(cat out)"
printf 'network: {graph: {fabric: ideal-switch, npus: 4, bandwidth: 100 Gb/s}}\nworkload: {taskgraph: g.otg}\n' >p.yml
"$ORRERY_BIN" run p.yml >out 2>&1 || fail "workload.taskgraph: $(cat out)"

# A published graph by way of our form, and back: the same time to the picosecond.
published="${ORRERY_SHARED:-}/data/flexflow/taskgraphs/100transformer_16.fbuf"
if [ -f "$published" ]; then
    "$ORRERY_BIN" taskgraph convert "$published" -o t.otg 2>err || fail "$published: $(cat err)"
    "$ORRERY_BIN" taskgraph convert t.otg -o t.fbuf --link-bandwidth '100 Gb/s' 2>err ||
        fail "t.otg: $(cat err)"
    for file in "$published" t.otg t.fbuf; do
        "$ORRERY_BIN" run --taskgraph "$file" --fabric circulant:1,5 --link-bandwidth '100 Gb/s' --json - |
            grep '"wall_ps"'
    done >walls
    [ "$(sort -u walls | wc -l)" -eq 1 ] || fail "times of $published differ: $(cat walls)"
fi

# ---- alike groups, written out ----

cat >alike.json <<'END'
{"format": "orrery task graph", "version": 1, "npus": 6, "copies": 3, "tasks": [
  {"role": "compute", "npu": 0, "time": "1 ms", "next": [1, 2]},
  {"role": "transfer", "from": 0, "to": 1, "bytes": "1000 B"},
  {"role": "all-reduce", "members": [0], "across": true, "bytes": "4000 B"}]}
END
"$ORRERY_BIN" taskgraph convert alike.json --expand -o alike.out.json 2>err || fail "--expand: $(cat err)"
# Of each of 3 groups a computation and a transfer; the all-reduce is one, among 3.
[ "$(grep -c '"role"' alike.out.json)" -eq 7 ] && ! grep -q '"copies": 3' alike.out.json ||
    fail "--expand wrote $(cat alike.out.json)"

# ---- what is refused ----

says 2 show missing.otg <<'END'
missing.otg: cannot open: No such file or directory
END
sed 's/"next": \[4, 5\]/"next": [2]/' g.json >cycle.json
says 2 check cycle.json <<'END'
cycle.json:9:5: tasks[2] (compute, forward, conv2): expected tasks without a cycle, got one of 2: tasks[3] (compute, backward, conv2) -> tasks[2] (compute, forward, conv2) -> tasks[3] (compute, backward, conv2)
END
head -c 60 g.otg >cut.otg
"$ORRERY_BIN" taskgraph check cut.otg >out 2>&1
[ $? -eq 2 ] && grep -q '^cut.otg: byte offset 56: expected the checksum .*the file is truncated' out ||
    fail "a file that is cut off: $(cat out)"
sed 's/"bytes": "4000000 B"/"bytes": "4000000 B", "next": [0]/; s/"next": \[1\]/"next": []/' g.json >behind.json
sed -i 's/"from": 0, "to": 1, "bytes": "1000000 B", "next": \[2\]/"from": 0, "to": 1, "bytes": "1000000 B"/' behind.json
says 2 convert behind.json -o behind.fbuf <<'END'
behind.json: tasks[8] (all-reduce): expected nothing to wait for an all-reduce: FlatBuffers of FlexFlow have no such dependency, got 1
END
says 2 convert g.json -o g.dot <<'END'
orrery taskgraph: --output: expected a file that ends in .otg, .json or .fbuf, got g.dot
try 'orrery taskgraph --help'
END
says 2 convert g.json <<'END'
orrery taskgraph: convert needs a file to write: -o FILE.otg
try 'orrery taskgraph --help'
END
says 2 show g.json -o x.otg <<'END'
orrery taskgraph: --output, --link-bandwidth and --expand go with convert
try 'orrery taskgraph --help'
END
says 2 look g.json <<'END'
orrery taskgraph: expected show, check or convert, got "look"
try 'orrery taskgraph --help'
END

[ "$failures" -eq 0 ] && echo "orrery taskgraph: as documented"
exit "$failures"
