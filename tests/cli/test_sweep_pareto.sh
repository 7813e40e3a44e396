#!/bin/sh
# orrery sweep: the front of each group by hand, with ties, failed points and points without a cost; what
# the document has; columns; the picture.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# prints COMMAND... <<END: the command prints what stands before END, and succeeds
prints() {
    cat >want
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 0 ] || fail "$*: exit status $status: $(cat err)"
    cmp -s want out || fail "$*: $(diff want out)"
}

# marks FILE: "POINT=MARK" of every point, from the CSV
marks() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s%s=%s", s, $1, $at["pareto"]; s = " " }' "$1"
}

# expect WHAT WANTED GOT
expect() {
    [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

# ---- by hand ----
#
# One chunk of all-reduce on Ring(2)_Ring(4), as in test_sweep.sh: 8 us / B1 + 6 us / B2 + 8 us. Cost 3 B1 + 4 B2.
# With one chunk both schedulers take the same time: every point of themis is a tie of one of baseline.
#              B1  B2      time   cost
#   0 and 1     1  0.5    28 us    5     baseline, themis
#   2 and 3     1  1      22 us    7
#   4 and 5     1  -1     fails
#   6 and 7     2  0.5    24 us    8     slower and dearer than 2 and 3
#   8 and 9     2  1      18 us   10
# Of all: 8, 2, 0, the first of equal ones. By scheduler: 8, 2, 0 and 9, 3, 1. By B2: of 0.5 GB/s 6 and 0,
# of 1 GB/s 8 and 2, of -1 GB/s none.
cat >small.yml <<'END'
network:
  topology: Ring(2)_Ring(4)
  dims:
    - {bandwidth: 1 GB/s, latency: 1 us}
    - {bandwidth: 0.5 GB/s, latency: 1 us}
system: {chunks: 1, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 8000 B}
END
cat >study.yml <<'END'
sweep:
  platform: small.yml
  axes:
    network.dims[0].bandwidth: [1 GB/s, 2 GB/s]
    network.dims[1].bandwidth: [0.5 GB/s, 1 GB/s, -1 GB/s]
    system.scheduler: [baseline, themis]
  cost: 3 * dims[0].bandwidth / 1 GB/s + 4 * network.dims[1].bandwidth / 1 GB/s
END
sed 's/^  cost/  group_by: scheduler\n  cost/' study.yml >grouped.yml

"$ORRERY_BIN" sweep study.yml >out 2>err || fail "study: exit status $?: $(cat err)"
expect "of all" "0=1 1=0 2=1 3=0 4= 5= 6=0 7=0 8=1 9=0 10= 11=" "$(marks study.csv)"
# The same results, grouped otherwise: nothing runs, and the marks are others.
prints "$ORRERY_BIN" sweep study.yml --group-by system.scheduler <<'END'
12 points, 4 failed: study.csv, study.jsonl
     4 failed, such as point 4: network.dims[1].bandwidth: expected a positive bandwidth such as "50 GB/s", got "-1 GB/s"; it is negative

Pareto by system.scheduler: no other point of its group is both as fast and as cheap

scheduler=baseline
point       time  cost  communication  dims[0].bandwidth  dims[1].bandwidth  scheduler
    8  18.000 us    10      18.000 us  2 GB/s             1 GB/s             baseline
    2  22.000 us     7      22.000 us  1 GB/s             1 GB/s             baseline
    0  28.000 us     5      28.000 us  1 GB/s             0.5 GB/s           baseline

scheduler=themis
point       time  cost  communication  dims[0].bandwidth  dims[1].bandwidth  scheduler
    9  18.000 us    10      18.000 us  2 GB/s             1 GB/s             themis
    3  22.000 us     7      22.000 us  1 GB/s             1 GB/s             themis
    1  28.000 us     5      28.000 us  1 GB/s             0.5 GB/s           themis
END
head -1 err | grep -qx '12 of 12 points are done already' || fail "points ran again: $(cat err)"
expect "by scheduler" "0=1 1=1 2=1 3=1 4= 5= 6=0 7=0 8=1 9=1 10= 11=" "$(marks study.csv)"
expect "lines" "6" "$(grep -c '"pareto": true}$' study.jsonl)"
expect "lines that are not" "2" "$(grep -c '"pareto": false}$' study.jsonl)"
# The file's group_by says the same, and does not change of which sweep the results are.
cp study.csv by_option.csv
cp grouped.yml study.yml
"$ORRERY_BIN" sweep study.yml >out 2>err || fail "group_by: exit status $?: $(cat err)"
head -1 err | grep -qx '12 of 12 points are done already' || fail "group_by: $(cat err)"
cmp -s study.csv by_option.csv || fail "group_by: $(diff by_option.csv study.csv)"
# An option comes before the file's. A group all of whose points failed has no front, and is not shown.
"$ORRERY_BIN" sweep study.yml --group-by 'dims[1].bandwidth' --json all.json >out 2>err || fail "option: $(cat err)"
expect "by B2" "0=1 1=0 2=1 3=0 4= 5= 6=1 7=0 8=1 9=0 10= 11=" "$(marks study.csv)"
expect "groups shown" "dims[1].bandwidth=1 GB/s dims[1].bandwidth=0.5 GB/s" \
    "$(grep '^dims\[1\].bandwidth=' out | tr '\n' ' ' | sed 's/ $//')"

# ---- the document ----

grep -qx '"pareto": \[8, 2, 0\],' all.json || fail "of all: $(grep '^"pareto"' all.json)"
grep -qx '"groups": \[{"group": "0.5 GB/s", "points": 4, "failed": 0, "pareto": \[6, 0\]}, {"group": "1 GB/s", "points": 4, "failed": 0, "pareto": \[8, 2\]}, {"group": "-1 GB/s", "points": 4, "failed": 4, "pareto": \[\]}\],' all.json ||
    fail "groups: $(grep '^"groups"' all.json)"
if command -v python3 >/dev/null; then
    cat >read.py <<'END'
import csv, json
all = json.load(open("all.json"))
head = all["sweep"]
assert (head["points"], head["failed"], head["failed_to_fit"]) == (12, 4, 0), head
assert head["group_by"] == "network.dims[1].bandwidth" and head["objectives"] == ["wall_ps", "cost"]
first, second, third = head["axes"]
assert first["label"] == "dims[0].bandwidth" and first["unit"] == "bytes/s" and first["kind"] == "number"
assert first["values"] == [{"label": "1 GB/s", "value": 1e9}, {"label": "2 GB/s", "value": 2e9}]
assert third == {"name": "system.scheduler", "label": "scheduler", "kind": "text", "unit": "",
                 "values": [{"label": "baseline"}, {"label": "themis"}]}, third
# "-1 GB/s" is no quantity
assert second["kind"] == "text" and second["values"][2] == {"label": "-1 GB/s"}
columns = {column["name"]: column for column in head["columns"]}
assert columns["wall_ps"]["label"] == "time" and columns["wall_ps"]["unit"] == "ps"
assert columns["model_flops_utilization"]["better"] == "more" and columns["wall_ps"]["better"] == "less"
lines = [json.loads(line) for line in open("study.jsonl")]
assert all["points"] == lines and len(lines) == 12
assert [point["status"] for point in lines].count("failed") == 4
assert "expected a positive bandwidth" in lines[4]["error"] and "pareto" not in lines[4], lines[4]
for point, row in zip(lines, csv.DictReader(open("study.csv"))):
    assert set(point) <= set(row) and row["status"] == point["status"]
    if point["status"] == "ok":
        assert set(columns) - set(point) == {"tokens_per_s", "model_flops_utilization", "memory_bytes"}
        assert int(row["wall_ps"]) == point["wall_ps"] and bool(int(row["pareto"])) == point["pareto"]
END
    python3 read.py 2>err || fail "the document: $(cat err)"
fi
"$ORRERY_BIN" sweep study.yml --json - >out 2>err || fail "--json -: $(cat err)"
[ "$(head -1 out)$(tail -1 out)" = '{}' ] || fail "--json -: tables too: $(tail -3 out)"
"$ORRERY_BIN" sweep study.yml --json /nowhere/x.json >out 2>err && fail "--json into no folder succeeds"
grep -q '^/nowhere/x.json: cannot be written: ' err || fail "--json: $(cat err)"

# ---- points without a cost ----

# Nobody sells what joins two of three fabrics (test_topo_cost.sh): these have no cost, and are on no front. In groups
# by themselves the front is empty, and it is the only one in the other.
cat >base.yml <<'END'
network:
  graph: {npus: 8, fabric: ideal-switch, bandwidth: 100 Gb/s, latency: 1 us}
  cost: {optical: rotornet}
workload: {generate: all_reduce, bytes: 8 MB}
END
cat >fabrics.yml <<'END'
sweep:
  platform: base.yml
  axes:
    network.graph.fabric: ["circulant:1,3", ideal-switch, "circulant:1"]
  cost: network.dollars
END
"$ORRERY_BIN" sweep fabrics.yml --group-by fabric --json fabrics.json >out 2>err || fail "fabrics: $(cat err)"
expect "costs told" 2 "$(grep -c '"cost": null' fabrics.jsonl)"
expect "without a cost" "0=0 1=1 2=0" "$(sed 's/"[^"]*"/f/g' fabrics.csv >plain.csv && marks plain.csv)"
expect "groups with a front" "fabric=ideal-switch" "$(grep '^fabric=' out)"
sed -i 's/ideal-switch, "c/"circulant:1,2", "c/' fabrics.yml
"$ORRERY_BIN" sweep fabrics.yml --restart >out 2>err || fail "fabrics: $(cat err)"
expect "no cost at all" "Pareto: none of the points has a cost" "$(tail -1 out)"

# ---- what models tell, and columns ----

# 8 NPUs of 10 TFLOP/s. MFU is flops over time and 8 x 10 TFLOP/s; memory what `orrery gen` says of an NPU.
cat >model.yml <<'END'
network: {topology: Switch(8), bandwidth: 100 GB/s}
compute: {peak: 10 TFLOP/s}
workload:
  transformer: {layers: 4, hidden: 1024, heads: 16, sequence: 1024, vocabulary: 32000}
  parallel: {tensor: 1}
  training: {batch: 16, micro_batch: 1}
END
cat >models.yml <<'END'
sweep:
  platform: model.yml
  axes:
    workload.parallel.tensor: [1, 2]
    workload.parallel.pipeline: [1, 2]
END
"$ORRERY_BIN" sweep models.yml --best time --top 4 >out 2>err || fail "models: exit status $?: $(cat err)"
grep -qx 'point  *time  *cost  *MFU  *memory  *\(waiting  *\)\{0,1\}communication  *tensor  pipeline' out || fail "models: $(cat out)"
awk 'length > 100 { print; exit 1 }' out || fail "models: a line is too wide"
"$ORRERY_BIN" run model.yml --json run.json --set workload.parallel.tensor=2 --set workload.parallel.pipeline=2 >run.txt 2>err ||
    fail "model: $(cat err)"
wall=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' run.json)
flops=$(sed -n 's/^  "model_flops_per_s": \([0-9.e+]*\),$/\1/p' run.json)
memory=$(sed -n 's/^  "memory_bytes": \([0-9]*\),\{0,1\}$/\1/p' run.json)
awk -F, -v wall="$wall" -v flops="$flops" -v memory="$memory" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == 3 { mfu = flops / 8e13
        good = $at["wall_ps"] == wall && $at["memory_bytes"] == memory && memory > 0 &&
            $at["model_flops_utilization"] / mfu < 1.000001 && $at["model_flops_utilization"] / mfu > 0.999999 }
    END { exit !good }' models.csv || fail "models: not $wall ps, $flops FLOP/s, $memory B: $(cat models.csv)"
# The total of the larger stage, as `orrery run` prints it.
shown=$("$ORRERY_BIN" sweep models.yml --columns point,memory --best time --top 4 2>/dev/null | awk '$1 == 3 { print $2 " " $3; exit }')
grep -q "^stage.* $shown" run.txt || fail "memory: $shown is not in: $(grep '^stage' run.txt)"
"$ORRERY_BIN" sweep models.yml --columns point,memory,tensor,time --best time --top 1 >out 2>err || fail "--columns: $(cat err)"
[ "$(sed -n 4p out)" = 'point      memory  tensor        time' ] || sed -n 4p out | grep -qx 'point  *memory  tensor  *time' ||
    fail "--columns: $(cat out)"
# What was asked for is shown, also where no point has it.
"$ORRERY_BIN" sweep study.yml --columns MFU,point,pareto --best time --top 1 >out 2>err || fail "--columns: $(cat err)"
[ "$(sed -n '5,6p' out)" = 'MFU  point  pareto
  -      8     yes' ] || fail "--columns: $(cat out)"

# ---- ten thousand groups ----

cat >groups.yml <<'END'
sweep:
  platform: small.yml
  axes:
    workload.bytes: {from: 1000 B, to: 10000 kB, step: 1000 B}
  group_by: bytes
END
"$ORRERY_BIN" sweep groups.yml --progress never >out 2>err || fail "groups: exit status $?: $(cat err)"
expect "groups" "and 9990 more groups" "$(tail -1 out)"
expect "groups shown" 10 "$(grep -c '^bytes=' out)"
[ "$(grep -c ',1,,[0-9]*$' groups.csv)" -eq 10000 ] || fail "each is alone in its group: $(tail -1 groups.csv)"

# ---- the picture ----

plots() {
    "$ORRERY_BIN" sweep "$@" >out 2>err </dev/null || fail "$*: exit status $?: $(cat err)"
}

# has FILE TEXT...: the picture has each of the texts
has() {
    file=$1
    shift
    for text; do
        grep -qF ">$text<" "$file" || fail "$file: no \"$text\""
    done
}

plots study.yml --plot study.svg
has study.svg 'time by cost: study.yml' '8 points; lines: no other of the group is better in both; 4 failed' 'time, us' cost baseline \
    themis scheduler
# A mark for each of 4 points and of 3 of the front: circles of baseline, squares of themis.
expect "circles" 7 "$(grep -c '^<circle [^>]*/>$' study.svg)"
expect "squares" 7 "$(grep -c '^<path d="M[^"]*z"/>$' study.svg)"
expect "lines" 2 "$(grep -c '^<path class="line"' study.svg)"
# B1 and B2 in GB/s, which are beside each other here: ticks at the values.
plots study.yml --plot x.svg --x 'dims[0].bandwidth' --y communication
has x.svg 'communication by dims[0].bandwidth: study.yml' 'dims[0].bandwidth, GB/s' 'communication, us' 1 2
# A text has a place for each of its values. MFU in percent; log scales over decades.
plots models.yml --plot m.svg --x memory --y MFU
has m.svg 'MFU, %'
plots groups.yml --plot g.svg --x bytes
has g.svg '9992 others' '10' '100' '1000' '10000'
# Markup in a name is text.
cp study.yml 'odd<b>&.yml'
plots 'odd<b>&.yml' --plot odd.svg
has odd.svg 'time by cost: odd&lt;b&gt;&amp;.yml'
"$ORRERY_BIN" sweep study.yml --plot a.svg --y MFU >out 2>err
status=$?
expect "nothing to plot: exit status" 2 "$status"
expect "nothing to plot" 'orrery sweep: --plot: there is nothing to plot: of 12 points 4 failed, and none of the others has both cost and MFU; --x and --y choose others' "$(tail -1 err)"
"$ORRERY_BIN" sweep study.yml --plot nowhere/a.svg >out 2>err && fail "a plot into no folder"
grep -q 'nowhere/a.svg: ' err || fail "a plot into no folder: $(cat err)"

[ "$failures" -eq 0 ] && echo "sweep: fronts as worked out"
exit $((failures > 0))
