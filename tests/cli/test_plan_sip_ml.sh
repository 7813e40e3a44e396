#!/bin/sh
# orrery plan sip-ml: plans of a small model, their files, worked examples, and what is refused.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

cat >job.yml <<'END'
plan:
  model:
    name: small
    batch: 64
    element_bytes: 2
    operators:
      - data: {name: numbers, shape: [512]}
      - dense: {name: first, out: 4096, bias: false}
      - activation: {name: bent}
      - dense: {name: second, out: 512, bias: false}
      - dense: {name: third, out: 4096, bias: false}
      - dense: {name: fourth, out: 512, bias: false}
      - add: {name: both, input: [fourth, second]}
  part_times: {fixed: 20 us, minimum: 1 us, launch: 1 us, linear: true}
  optimizer_bytes: 8
  sip_ml:
    batches: [16, 64, 256]
    steps: {count: 1000, at: 64, critical_batch: 64}
network:
  graph: {fabric: ideal-switch, npus: 16, bandwidth: 200 Gb/s, latency: 0.5 us}
  backend: flow
memory: {local: {bandwidth: 900 GB/s, capacity: 1 GB}}
compute: {peak: 15 TFLOP/s}
END

# plans WHAT ARGUMENT...: quietly
plans() {
    what=$1
    shift
    "$ORRERY_BIN" plan sip-ml "$@" >stdout 2>stderr || fail "$what: status $?: $(cat stderr)"
}

# value KEY FILE: of the first such line of JSON
value() {
    sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" | head -n 1
}

# A run of the files takes exactly the time that the plan says, and so does its task graph.
runs_as_planned() {
    time=$(value simulated_ps "$1/plan.json")
    "$ORRERY_BIN" run "$1/platform.yml" "$1/workload.yml" --json run.json >stdout 2>stderr ||
        fail "$1: does not run: $(cat stderr)"
    [ ! -s stderr ] || fail "$1: a run says $(cat stderr)"
    [ "$(value wall_ps run.json)" = "$time" ] ||
        fail "$1: runs in $(value wall_ps run.json) ps, planned $time"
    "$ORRERY_BIN" run "$1/platform.yml" --taskgraph "$1/taskgraph.otg" --all-reduce ring_stream \
        --json run.json >stdout 2>stderr || fail "$1: its task graph does not run: $(cat stderr)"
    [ "$(value wall_ps run.json)" = "$time" ] ||
        fail "$1: its task graph runs in $(value wall_ps run.json) ps, planned $time"
}

# ---- plans and their files ----

plans 'a plan' job.yml -o out --jobs 1
cmp -s stdout out/plan.txt || fail 'standard output is not plan.txt'
for file in plan.txt plan.json strategy.yml model.yml platform.yml workload.yml taskgraph.otg \
    points.csv traffic.csv traffic.svg; do
    [ -s "out/$file" ] || fail "$file is missing"
done
[ ! -e out/rings.csv ] || fail 'a plan of SiP-ML has the files of one of TopoOpt'
runs_as_planned out
plans 'again' job.yml -o again --jobs 3
diff -r out again >stderr || fail "two plans differ: $(cat stderr)"

python3 - out <<'END' || fail 'the plan is not the best of what was simulated'
import csv, json, sys
plan = json.load(open(sys.argv[1] + "/plan.json"))
points = plan["points"]
assert len(points) == 15, len(points)  # k = 1, 2, 4, 8, 16 at three batches
steps = lambda b: 1000 / 2 * (1 + 64 / b)
run = [p for p in points if p["simulated_ps"]]
assert 4 <= len(run) <= 5, len(run)  # the best four, and data parallelism
for p in points:
    assert p["model_parallel"] * p["data_parallel"] == 16
    assert abs(p["steps"] / steps(p["batch"]) - 1) < 1e-12
    if p["outcome"] == "fits":
        time = p["simulated_ps"] or p["estimated_ps"]
        assert abs(p["accuracy_s"] / (time * 1e-12 * p["steps"]) - 1) < 1e-12
        assert abs(p["samples_per_s"] / (p["batch"] / (time * 1e-12)) - 1) < 1e-12
best = plan["best"]
assert best in run and all(best["accuracy_s"] <= p["accuracy_s"] for p in run)
# No one left unsimulated was estimated to be better than the fourth.
worst = max(p["estimated_ps"] * p["steps"] for p in run if p != plan["data_parallel"])
assert all(p in run or p["estimated_ps"] * p["steps"] >= worst for p in points if p["outcome"] == "fits")
usual = plan["data_parallel"]
assert usual["model_parallel"] == 1 and usual in run
assert abs(plan["faster_than_data_parallel"] / (usual["accuracy_s"] / best["accuracy_s"]) - 1) < 1e-12
rows = list(csv.DictReader(open(sys.argv[1] + "/points.csv")))
assert [(int(r["k"]), int(r["batch"])) for r in rows] == [(p["model_parallel"], p["batch"]) for p in points]
END

# The traffic is symmetric in groups, and all that rings carry is 2 (l - 1) / l of the weights.
plans 'two groups' job.yml -o groups --set plan.sip_ml.model_parallel=8 --set plan.sip_ml.batches=64
runs_as_planned groups
python3 - groups/traffic.csv <<'END' || fail 'the traffic of two groups'
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1])))[1:]
byte = [[int(x) for x in row[1:]] for row in rows]
assert len(byte) == 16
assert all(byte[i][j] == byte[i + 8][j + 8] for i in range(8) for j in range(8))
# Only a ring leaves a group: of 2 groups each sends 2 (1/2) W, to the same place of the other.
weights = 2 * (512 * 4096 * 4)
assert json.load(open("groups/plan.json"))["peers"]["ring_bytes"] == weights
assert sum(byte[i][j] for i in range(8) for j in range(8, 16)) == weights
assert all(byte[i][j] == 0 for i in range(8) for j in range(8, 16) if j != i + 8)
END

# Other kinds of plans run as they are told, too.
for set in plan.gradients=at_end plan.sip_ml.rounding=nearest 'plan.sip_ml.quantum=2 us' \
    plan.sip_ml.degree=3 'plan.sip_ml.model_parallel=[16]' plan.sip_ml.simulate=15 \
    'plan.sip_ml.steps={table: [{batch: 16, steps: 900}, {batch: 256, steps: 300}]}'; do
    plans "$set" job.yml -o set --set "$set"
    runs_as_planned set
done
plans 'no run' job.yml --no-run --json
grep -q '"simulated": false' stdout || fail '--no-run has run'
plans 'a check' job.yml --check
[ "$(cat stdout)" = 'job.yml: ok' ] || fail "--check says $(cat stdout)"

# The same file serves orrery plan topoopt, which does not look at plan.sip_ml.
"$ORRERY_BIN" plan topoopt job.yml --no-run --set plan.search.budget=1 >stdout 2>stderr ||
    fail "topoopt: $(cat stderr)"

# How far estimates are from runs, of all points: 5 % at most here.
plans 'estimates' job.yml --set plan.sip_ml.simulate=15 --json
python3 - stdout <<'END' || fail 'estimates are far from runs'
import json, sys
for p in json.load(open(sys.argv[1]))["points"]:
    if p["simulated_ps"]:
        off = p["estimated_ps"] / p["simulated_ps"] - 1
        assert abs(off) <= 0.05, (p["model_parallel"], p["batch"], off)
END

# ---- worked examples of Algorithm 1 ----

# example DEGREE PART_OF...: parts of 10 us, the parents of each ("-": none); prints their devices
example() {
    {
        printf 'plan:\n  model:\n    batch: 4\n    gradients: listed\n    operators:\n'
        printf '      - data: {name: x, shape: [4]}\n'
        part=0
        degree=$1
        shift
        for of in "$@"; do
            input=x
            [ "$of" = - ] || input=$(printf 'o%s, ' $(echo "$of" | tr , ' '))
            printf '      - measured: {name: o%s, out: 4, forward: 10 us, input: [%s]}\n' "$part" "${input%, }"
            part=$((part + 1))
        done
        printf '  sip_ml: {model_parallel: 4, degree: %s}\n' "$degree"
        printf 'network: {graph: {fabric: ideal-switch, npus: 4, bandwidth: 100 Gb/s}}\n'
    } >example.yml
    plans "an example of degree $degree" example.yml -o example --no-run
    python3 - example/strategy.yml "$part" <<'END'
import re, sys
device = {}
for line in open(sys.argv[1]):
    found = re.match(r' *"?(o\d+)"?: .*devices: \[?(\d+)', line)
    if found:
        device[found.group(1)] = found.group(2)
print(" ".join(device.get("o%d" % i, "0") for i in range(int(sys.argv[2]))))
END
}

# is WHAT FOUND EXPECTED
is() {
    [ "$2" = "$3" ] || fail "$1: devices $2, expected $3"
}
is 'degree 3' "$(example 3 - 0 0 0 0 1 2 3 4)" '0 0 1 2 0 1 2 3 0'
is 'degree 4' "$(example 4 - 0 0 0 0 1 2 3 4)" '0 0 1 2 3 0 1 2 3'
is 'the trap' "$(example 3 - - - - 0,1,2,3 4 4 4 4 5 6 7 8)" '0 0 2 3 0 0 1 2 0 1 2 3 0'
grep -q '"repairs": 1,' example/plan.json && grep -q '"repair_rounds": 1,' example/plan.json ||
    fail "the trap: $(grep repair example/plan.json)"

# ---- thousands of operators with the same weights: they may be anywhere where no degree says otherwise ----

cat >steps.yml <<'END'
plan:
  model:
    batch: 64
    operators:
      - data: {name: x, shape: [64]}
      - dense: {name: first, out: 64}
      - block: {name: steps, repeat: 5000, shared: true, operators: [{dense: {out: 64}}]}
  part_times: {fixed: 25 us, linear: true}
  servers: 16
  sip_ml: {model_parallel: [1, 4]}
network: {design: {name: elect-flat, servers: 16, bandwidth: 8192 Gb/s}}
compute: {peak: 15 TFLOP/s}
memory: {local: {bandwidth: 900 GB/s, capacity: 32 GB}}
END
"$ORRERY_BIN" plan sip-ml steps.yml >stdout 2>stderr || fail "5000 steps with the same weights: $(cat stderr)"

# ---- a batch that was not measured: told of the point alone; from block to block: the model gets `parts` ----

cat >measured.json <<'END'
{"batch_size": 4, "ngpus": 1, "measurements": [
  {"name": "A", "pc_str": "2-1-1", "fw_time": 2.0, "bw_time": 4.0, "mem_req": 0},
  {"name": "A", "pc_str": "2-1-2", "fw_time": 1.0, "bw_time": 2.0, "mem_req": 0},
  {"name": "A", "pc_str": "2-1-4", "fw_time": 0.5, "bw_time": 1.0, "mem_req": 0}]}
END
cat >measured.yml <<'END'
plan:
  model: {batch: 4, operators: [{data: {name: x, shape: [64]}}, {dense: {name: a, out: 64, profile: A}}]}
  profile: measured.json
  servers: 4
  sip_ml: {model_parallel: 1, batches: [4, 64]}
network: {design: {name: elect-flat, servers: 4, bandwidth: 100 Gb/s}}
END
"$ORRERY_BIN" plan sip-ml measured.yml >stdout 2>stderr || fail "a batch that was not measured: $(cat stderr)"
grep -q 'refused: .*operator "a": measured.json has no measurement' stdout || fail "a batch that was not measured: $(cat stdout)"
"$ORRERY_BIN" plan sip-ml measured.yml --set plan.sip_ml.batches=64 >stdout 2>stderr && fail 'nothing was measured, and there is a plan'
grep -q 'operator "a": measured.json has no measurement' stderr || fail "no batch was measured: $(cat stderr)"

"$ORRERY_BIN" plan sip-ml job.yml --set plan.sip_ml.edges=block -o blocks >stdout 2>stderr || fail "blocks: $(cat stderr)"
grep -q 'parts: true' blocks/model.yml && grep -q 'split: {parts: ' blocks/strategy.yml || fail 'blocks: no operator is split in parts'
"$ORRERY_BIN" run blocks/platform.yml blocks/workload.yml >stdout 2>stderr || fail "blocks: $(cat stderr)"

# ---- what is refused ----

# refuses MESSAGE ARGUMENT...
refuses() {
    message=$1
    shift
    "$ORRERY_BIN" plan sip-ml "$@" >stdout 2>stderr
    status=$?
    [ "$status" -eq 2 ] || fail "$*: status $status"
    [ "$(cat stderr)" = "$message" ] || fail "$*: says $(cat stderr)
expected $message"
}
refuses "orrery plan: sip-ml has no --resume: it is over in seconds
try 'orrery plan --help'" job.yml --resume x
refuses 'job.yml:17:5: no batch gives each group as many samples, at least one: 16 devices are at least 16 groups, and the largest batch is 8; expected batches that the groups divide, such as 16, or larger plan.sip_ml.model_parallel' \
    job.yml --set plan.sip_ml.model_parallel=1 --set plan.sip_ml.batches=8

refuses 'job.yml:17:5: no (k, l, batch) fits the memory of a device, 1000000 B: the nearest is 16-way model x 1-way data parallelism at a batch of 256, whose fullest device needs 9994240 B, 8994240 more; expected more memory, another plan.sip_ml.model_parallel, smaller batches or fewer plan.optimizer_bytes' \
    job.yml --set 'plan.memory=1 MB'
refuses '--set: plan.sip_ml.model_parallel: expected numbers that divide the 16 servers into equal groups, such as 1 and 2, got 3' \
    job.yml --set plan.sip_ml.model_parallel=3
refuses '--set: plan.sip_ml.degree: expected a whole number from 2 to 4096, got "1"' job.yml --set plan.sip_ml.degree=1
refuses '--set: network: expected a mapping of keys to values, got "~"' job.yml --set 'network=~'

exit "$((failures > 0))"
