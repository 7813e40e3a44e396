#!/bin/sh
# orrery plan sip-ml on networks whose circuits are set for what a strategy sends: plans of a small
# Transformer, their files and circuits, and what is refused.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

devices=32
ocs='--set network.design.name=sip-ocs --set network.design.degree=16'
ring='--set network.design.name=sip-ring --set network.design.degree=320'

# plans FOLDER ARGUMENT...: into a folder
plans() {
    into=$1
    shift
    "$ORRERY_BIN" plan sip-ml sipml/transformer_p1 --set "network.design.servers=$devices" \
        --set plan.sip_ml.batches=128 "$@" -o "$into" >stdout 2>stderr ||
        fail "$into: status $?: $(cat stderr)"
}

# value KEY FILE: of the first such line of JSON
value() {
    sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" | head -n 1
}

# A run of the files takes exactly the time that the plan says, and says nothing else; so does its
# task graph, with all-reduces as the workload has them.
runs_as_planned() {
    time=$(value simulated_ps "$1/plan.json")
    "$ORRERY_BIN" run "$1/platform.yml" "$1/workload.yml" --json run.json >stdout 2>stderr ||
        fail "$1: does not run: $(cat stderr)"
    [ ! -s stderr ] || fail "$1: a run says $(cat stderr)"
    [ "$(value wall_ps run.json)" = "$time" ] ||
        fail "$1: runs in $(value wall_ps run.json) ps, planned $time"
    "$ORRERY_BIN" run "$1/platform.yml" --taskgraph "$1/taskgraph.otg" --all-reduce "$2" \
        --json run.json >stdout 2>stderr || fail "$1: its task graph does not run: $(cat stderr)"
    [ "$(value wall_ps run.json)" = "$time" ] ||
        fail "$1: its task graph runs in $(value wall_ps run.json) ps, planned $time"
}

# ---- plans and their files ----

# shellcheck disable=SC2086 # several words each
{
    plans ocs $ocs --set 'plan.sip_ml.batches=[128, 512]'
    plans ocs_again $ocs --set 'plan.sip_ml.batches=[128, 512]' --jobs 3
    plans few $ocs --set network.design.degree=8
    plans ring $ring
    plans held $ring --set network.circuits.hold=never
}
for folder in ocs few ring held; do
    grep -q '^circuits  ' "$folder/plan.txt" || fail "$folder: no circuits in plan.txt"
    [ -s "$folder/circuits.csv" ] || fail "$folder: no circuits.csv"
done
diff -r ocs ocs_again >stderr || fail "two plans differ: $(cat stderr)"
runs_as_planned ocs ring_stream
runs_as_planned few ring_stream
runs_as_planned ring bidirectional_ring_stream
grep -q '^    weights: \[0.5, 1, 2, 4, 8\]$' ocs/platform.yml || fail 'no weights are tried'
grep -q weights ring/platform.yml && fail 'weights are tried where circuits are set anew'
grep -q '^  all_reduce: bidirectional_ring_stream$' ring/workload.yml || fail 'ring: one way'

# What the file says of circuits stays; weights of its own are those that are tried.
# shellcheck disable=SC2086
plans own $ocs --set 'network.circuits.weights=[1, 3]' --set 'network.circuits.latency=2 us'
runs_as_planned own ring_stream
grep -q '^    weights: \[1, 3\]$' own/platform.yml || grep -q 'weights: \[1, 3\]' own/platform.yml || fail 'its own weights are not tried'
python3 - <<'END' || fail 'its own weights'
import json
assert json.load(open("own/plan.json"))["circuits"]["weight"] in (1, 3)
END

# ---- circuits ----

python3 - <<'END' || fail 'the circuits'
import csv, json
N = 32
def load(folder):
    return json.load(open(folder + "/plan.json")), list(csv.DictReader(open(folder + "/circuits.csv")))
for folder, ports in ("ocs", 16), ("few", 8):
    plan, rows = load(folder)
    c, k = plan["circuits"], plan["best"]["model_parallel"]
    assert plan["degree"] == ports and c["controller"] == "sip_ocs" and c["ports"] == ports
    assert c["hold_ps"] is None and c["rate"] == c["bound"] and c["deficit"] == 0
    send = [sum(p["circuits"] for p in c["pairs"] if p["from"] == i) for i in range(k)]
    hear = [sum(p["circuits"] for p in c["pairs"] if p["to"] % k == i) for i in range(k)]
    assert max(send) <= ports and max(hear) <= ports
    assert c["left_over"] == ports * k - sum(send)
    for p in c["pairs"]:
        assert p["circuits"] >= 1
        assert abs(p["bytes_per_s"] / (p["circuits"] * 8192e9 / 8 / ports) - 1) < 1e-12
        inside = p["to"] < k
        assert abs(p["counted_bytes"] - p["bytes"] * (c["weight"] if inside else 1)) <= 1
        assert p["counted_bytes"] * c["rate"]["circuits"] <= p["circuits"] * c["rate"]["bytes"]
        assert sum(b - a + 1 for a, b in p["switches"]) == p["circuits"]
    # Every switch joins GPUs one to one, and all groups are alike.
    assert len(rows) == N * ports
    joined = {}
    for s in range(ports):
        to = [r["to"] for r in rows if int(r["switch"]) == s]
        there = [t for t in to if t]
        assert len(to) == N and len(set(there)) == len(there)
        for i, t in enumerate(to):
            if t:
                pair = i, int(t)
                joined[pair] = joined.get(pair, 0) + 1
    expected = {((p["from"] + b) % N, (p["to"] + b) % N): p["circuits"] for p in c["pairs"] for b in range(0, N, k)}
    assert joined == expected
    # The bytes are those of the traffic.
    matrix = [[int(x) for x in r[1:]] for r in list(csv.reader(open(folder + "/traffic.csv")))[1:]]
    assert {(p["from"], p["to"]): p["bytes"] for p in c["pairs"]} == {
        (i, j): matrix[i][j] for i in range(k) for j in range(N) if matrix[i][j]}
for folder in "ring", "held":
    plan, rows = load(folder)
    c, k = plan["circuits"], plan["best"]["model_parallel"]
    assert plan["degree"] == 16 and c["controller"] == "sip_ring" and c["ports"] == 320
    assert c["hold_ps"] == (100000000 if folder == "ring" else None) and c["weight"] == 1
    taken = {}
    for p, r in zip(c["pairs"], rows):
        on = [w for a, b in p["wavelengths"] for w in range(a, b + 1)]
        assert len(on) == p["circuits"] == int(r["circuits"]) and all(0 <= w < 320 for w in on)
        ahead = (p["to"] - p["from"]) % N
        assert p["way"] == r["way"] == ("up" if ahead <= N / 2 else "down")
        at = p["from"] if p["way"] == "up" else p["to"]
        for hop in range(min(ahead, N - ahead)):
            for w in on:
                place = p["way"], (at + hop) % k, w  # of all groups the first one's ring
                assert place not in taken, place
                taken[place] = True
    assert len(rows) == len(c["pairs"])
END

# ---- no circuits are better than one switch with all of their bandwidth ----

ways='1 4 8'
[ -z "${ORRERY_LONG:-}" ] || ways='1 4 8 16'
for k in $ways; do
    for b in 1024 8192; do
        # shellcheck disable=SC2086
        for fabric in flat "$ocs" "$ring"; do
            set=
            [ "$fabric" = flat ] || set=$fabric
            "$ORRERY_BIN" plan sip-ml sipml/transformer_p1 --set "network.design.servers=$devices" $set --set "network.design.bandwidth=$b Gb/s" \
                --set "plan.sip_ml.model_parallel=[$k]" --set plan.sip_ml.batches=256 --json >one.json 2>stderr || fail "$k $b $fabric: $(cat stderr)"
            time=$(value simulated_ps one.json)
            if [ "$fabric" = flat ]; then
                flat=$time
            elif [ "$time" -lt "$flat" ]; then
                fail "$k-way, $b Gb/s, $fabric: $time ps, less than the $flat of elect-flat"
            fi
        done
    done
done

# Estimates on circuits that are set once are near their runs; on a ring, whose far pairs have few
# wavelengths for bursts, by a quarter.
# shellcheck disable=SC2086
for fabric in "0.02 $ocs" "0.25 $ring --set network.circuits.hold=never"; do
    plans near ${fabric#* } --set 'plan.sip_ml.batches=[128, 512]' --set plan.sip_ml.simulate=99
    python3 - "${fabric%% *}" <<'END' || fail "$fabric: estimates are far from runs"
import json, sys
points = json.load(open("near/plan.json"))["points"]
assert sum(p["simulated_ps"] is not None for p in points) >= 6
for p in points:
    if p["simulated_ps"] and p["data_parallel"] > 1:
        off = p["estimated_ps"] / p["simulated_ps"] - 1
        assert abs(off) <= float(sys.argv[1]), (p["model_parallel"], p["batch"], off)
END
done

# ---- what is refused ----

# refuses MESSAGE ARGUMENT...
refuses() {
    message=$1
    shift
    "$ORRERY_BIN" plan sip-ml sipml/transformer_p1 --set network.design.servers=64 --set plan.sip_ml.batches=512 "$@" >stdout 2>stderr
    status=$?
    [ "$status" -eq 2 ] || fail "$*: status $status"
    [ "$(sed 's|^[^ ]*/||' stderr)" = "$message" ] || fail "$*: says $(cat stderr)
expected $message"
}
# shellcheck disable=SC2086
{
    refuses 'transformer_p1.yml:16:5: GPU 0 sends to 4 others, for which there are 2 switches' \
        $ocs --set network.design.degree=2 --set plan.sip_ml.degree=16 --set plan.sip_ml.model_parallel=4
    refuses 'transformer_p1.yml:16:5: GPU 0 sends to GPU 32, but it is 32 GPUs away, and light reaches 16' \
        $ring --set plan.sip_ml.model_parallel=32
    refuses '--set: network.design.degree: expected a whole number from 1 to 1024, got "0"' \
        $ring --set network.design.degree=0
    refuses '--set: network.circuits.weights: expected a list of 1 to 64 entries, got 0' \
        $ocs --set 'network.circuits.weights=[]'
}

# What others of the search have circuits for is the plan; the one without is told why.
# shellcheck disable=SC2086
plans some $ring --set network.design.servers=64
grep -q '^ *32 .* refused: GPU 0 sends to GPU 32, but it is 32 GPUs away' some/plan.txt || fail "$(cat some/plan.txt)"

# Small switches beside each other, and rows and columns of rings: as their runs have them.
# shellcheck disable=SC2086
{
    plans beside $ocs --set network.circuits.radix=8 --set 'plan.sip_ml.model_parallel=8'
    runs_as_planned beside ring_stream
    plans rows $ring --set network.circuits.rows=4 --set 'plan.sip_ml.model_parallel=8' --set network.circuits.hold=never
    runs_as_planned rows bidirectional_ring_stream
}
grep -q '^from,to,bytes,circuits,way,which$' beside/circuits.csv || fail "$(head -n 1 beside/circuits.csv)"
python3 - <<'END' || fail 'estimates beside runs'
import json
for folder in "beside", "rows":
    best = json.load(open(folder + "/plan.json"))["best"]
    assert abs(best["estimated_ps"] / best["simulated_ps"] - 1) <= 0.1, (folder, best)
END

# An older network has no circuits.
plans flat
[ ! -e flat/circuits.csv ] || fail 'elect-flat has circuits.csv'
grep -q circuits flat/plan.txt flat/plan.json && fail 'elect-flat tells of circuits'

exit "$((failures > 0))"
