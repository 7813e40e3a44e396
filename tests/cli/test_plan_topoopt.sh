#!/bin/sh
# orrery plan topoopt: plans of a small model, their files, and what is refused.
set -u

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

cat >model.yml <<'END'
model:
  batch: 64
  operators:
    - data: {name: numbers, shape: [256]}
    - block:
        name: tables
        copies: 4
        operators:
          - embedding: {rows: 100000, columns: 64}
    - dense: {name: wide, out: 4096, input: numbers}
    - dense: {name: back, out: 256}
    - concat: {name: both, input: [tables, back]}
    - dense: {name: head, out: 1024}
    - dense: {name: last, out: 1}
END
cat >job.yml <<'END'
plan:
  model: model.yml
  servers: 8
  interfaces:
    degree: 4
    bandwidth: 10 Gb/s
  search: {budget: 2000}
compute: {peak: 10 TFLOP/s}
END

# plans WHAT ARGUMENT...: into out, quietly
plans() {
    what=$1
    shift
    "$ORRERY_BIN" plan topoopt "$@" >stdout 2>stderr || fail "$what: status $?: $(cat stderr)"
}

# value KEY FILE: of the first such line of JSON
value() {
    sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" | head -n 1
}

# A run of the files takes exactly the time that the plan says, without a word of what is in them.
runs_as_planned() {
    "$ORRERY_BIN" run "$1/platform.yml" "$1/workload.yml" --json run.json >stdout 2>stderr ||
        fail "$1: does not run: $(cat stderr)"
    [ ! -s stderr ] || fail "$1: a run says $(cat stderr)"
    [ "$(value wall_ps run.json)" = "$(value simulated_ps "$1/plan.json")" ] ||
        fail "$1: runs in $(value wall_ps run.json) ps, planned $(value simulated_ps "$1/plan.json")"
}

plans 'a plan' job.yml -o out --jobs 1
runs_as_planned out

# What servers pass on is limited and delayed in the plan's run too.
plans forwarding job.yml -o forwarding --set 'plan.compare=[]' --set 'plan.interfaces.forwarding=10 us' \
    --set 'plan.interfaces.forwarding_limit=1 Gb/s'
runs_as_planned forwarding
[ "$(grep -c '^  forwarding: 10 us$\|^  forwarding_limit: 1 Gb/s$' forwarding/platform.yml)" -eq 2 ] ||
    fail "forwarding is not in the platform: $(grep forw forwarding/platform.yml)"
cmp -s stdout out/plan.txt && fail 'the table of a run is that of the plan'
for file in plan.txt plan.json strategy.yml model.yml platform.yml workload.yml topology.dot \
    topology.svg routes.csv rings.csv ports.csv nccl.xml tried.csv fabrics.csv resume.yml; do
    [ -s "out/$file" ] || fail "$file is missing"
done
grep -q '^<graphs' out/nccl.xml || fail "no graphs of NCCL: $(head -n 2 out/nccl.xml)"
plans 'a plan with rings' job.yml -o rings --no-run --set plan.model=topoopt/vgg --set plan.search.budget=1
python3 - rings <<'END' || fail 'the rings of nccl.xml are not those of rings.csv'
import csv, sys, xml.etree.ElementTree
steps = {}
for row in csv.DictReader(open(sys.argv[1] + "/rings.csv")):
    steps.setdefault((row["group"], row["ring"]), []).append(int(row["from"]))
orders = []
for graph in xml.etree.ElementTree.parse(sys.argv[1] + "/nccl.xml").getroot():
    for channel in graph:
        gpus = channel.findall("gpu")
        width = max(int(g.get("dev"), 0) for g in gpus) + 1
        orders.append((graph.get("group"), [int(g.get("rank")) // width for g in gpus[::width]]))
sys.exit(not orders or sorted(orders) != sorted((group, order) for (group, ring), order in steps.items()))
END
[ ! -e out/profile.json ] || fail 'a profile that there is not'
plans 'again' job.yml -o again --jobs 3
cmp -s stdout out/plan.txt || fail 'standard output is not plan.txt'
diff -r out again >stderr || fail "two plans differ: $(cat stderr)"
plans 'JSON' job.yml --json --no-run
[ "$(value predicted_ps stdout)" = "$(value predicted_ps out/plan.json)" ] || fail '--no-run: another plan'
grep -q '"simulated_ps": null' stdout || fail '--no-run has run'

# Never worse than data parallelism, nor than the naive way.
python3 - out/plan.json <<'END' || fail 'the plan is worse than data parallelism, or than the naive one'
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["predicted_ps"] <= plan["data_parallel"]["predicted_ps"]
assert plan["predicted_ps"] <= plan["naive"]["predicted_ps"]
assert plan["simulated_ps"] > 0
if plan["strategy"]["from"] != "data parallelism":
    assert plan["simulated_ps"] <= plan["data_parallel"]["simulated_ps"]
    assert plan["overruled"] is None
assert [f["fabric"] for f in plan["fabrics"]][:2] == ["ideal switch", "fat-tree of equal cost"]
END

# Other kinds of plans run as they are told, too.
for set in plan.groups=2 plan.interfaces.links=one-way plan.rounds=0 plan.search.budget=0 \
    plan.interfaces.degree=7 plan.compare=none 'plan.compare=[full-mesh]' \
    'plan.part_times={fixed: 10 us}' plan.batch=128 \
    'plan.model={dlrm: {tables: 4, rows: 900, embedding: 8, dense: 16, bottom: [8], top: [4, 1]}, training: {batch: 64}}'; do
    plans "$set" job.yml -o set --set "$set"
    runs_as_planned set
done
"$ORRERY_BIN" plan topoopt job.yml --set plan.batch=128 -o set >stdout 2>stderr
grep -q '^  batch: 128$' set/model.yml || fail 'the batch of the plan is not in its model'

# A network that is there stays.
cat >fixed.yml <<'END'
plan: {model: model.yml, search: {budget: 500}}
network: {graph: {npus: 8, fabric: fat-tree, bandwidth: 10 Gb/s, latency: 1 us}}
compute: {peak: 10 TFLOP/s}
END
plans 'a network that stays' fixed.yml -o fixed
runs_as_planned fixed
[ "$(wc -l <fixed/rings.csv)" -eq 1 ] || fail 'rings of a network that stays'

# What was measured is copied, and a strategy to begin with is taken.
cat >profile.json <<'END'
{"batch_size": 64, "ngpus": 8, "measurements": [
  {"name": "w", "pc_str": "2-1-8", "fw_time": 1, "bw_time": 2, "mem_req": 0},
  {"name": "w", "pc_str": "2-1-1", "fw_time": 8, "bw_time": 16, "mem_req": 0}]}
END
sed 's/name: wide,/name: wide, profile: w,/' model.yml >measured.yml
plans 'measured' job.yml -o measured --set plan.model=measured.yml --set plan.profile=profile.json
runs_as_planned measured
grep -q warning stderr && fail "a profile that is used is warned of: $(cat stderr)"
plans 'measured' job.yml --set plan.model=measured.yml --set plan.profile=profile.json --no-run \
    --set plan.search.budget=0 --set plan.rounds=0 --set plan.compare=none
grep -q '^strategy  *data parallelism$' stdout || fail 'another strategy without a search'
grep -q '^model .* operators, 1 of them with measured times, 64 samples an iteration$' stdout ||
    fail "not told what was measured: $(grep '^model' stdout)"
"$ORRERY_BIN" plan topoopt job.yml --check --set plan.profile=profile.json >stdout 2>stderr
grep -q '^--set: warning: plan.profile: .*profile.json has no measured times of operators of the model$' stderr ||
    fail "a profile of other operators: $(cat stderr)"
cmp -s profile.json measured/profile.json || fail 'the profile was not copied'
plans 'a start' job.yml -o start --set plan.strategy=out/strategy.yml --set plan.search.budget=0
runs_as_planned start
[ "$(value predicted_ps start/plan.json)" -le "$(value predicted_ps out/plan.json)" ] ||
    fail 'what it begins with is better than what it finds'

# ---- going on, and stopping ----

plans 'resumed' job.yml -o resumed --resume out/resume.yml
[ "$(value predicted_ps resumed/plan.json)" -le "$(value predicted_ps out/plan.json)" ] ||
    fail 'what it was resumed from is better than what it finds'

: >stderr # of the command before
"$ORRERY_BIN" plan topoopt job.yml -o stopped --set plan.search.budget=1000000000 \
    --set plan.rounds=1000 --set plan.converge=false --progress always >stdout 2>stderr &
plan=$!
for _ in $(seq 3000); do # until the search has begun: its first line of progress
    [ -s stderr ] && break
    sleep 0.1
done
kill -TERM $plan
wait $plan
status=$?
[ $status -eq 143 ] || fail "stopped: status $status: $(cat stderr)"
grep -q 'orrery plan: stopped; this is the best so far, --resume stopped/resume.yml goes on$' stderr ||
    fail "stopped: $(cat stderr)"
grep -q 'stopped: this is the best so far$' stopped/plan.txt || fail 'a plan that was stopped does not say so'
"$ORRERY_BIN" run stopped/platform.yml stopped/workload.yml >stdout 2>stderr ||
    fail "what was stopped does not run: $(cat stderr)"
plans 'going on' job.yml -o resumed --resume stopped/resume.yml

# ---- what is refused ----

# refuses TEXT ARGUMENT...
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" plan "$@" >stdout 2>stderr
    status=$?
    if [ $status -ne 2 ] || [ -s stdout ] || [ "$(sed 's/in [0-9]* evaluations/in N evaluations/' stderr)" != "$expected" ]; then
        fail "orrery plan $*: status $status; $(cat stderr)"
    fi
}
try="
try 'orrery plan --help'"
refuses "orrery plan: expected topoopt, sip-ml, evaluate, llm or goodput, got \"search\"$try" search
refuses "orrery plan: topoopt, sip-ml, evaluate, llm or goodput is missing$try"
refuses "orrery plan: a file JOB.yml is missing$try" topoopt
refuses "orrery plan: unexpected argument two.yml$try" topoopt job.yml two.yml
refuses 'orrery plan: --jobs: expected a whole number from 1 to 4096, got "0"' topoopt job.yml --jobs 0
refuses 'orrery plan: --progress: expected auto, always or never, got "often"' topoopt job.yml --progress often
refuses 'orrery plan: ./model.yml: is an input (model.yml); results would overwrite it' topoopt job.yml -o .
sed 's/degree: 4/degree: 0/' job.yml >zero.yml
refuses 'zero.yml:5:13: plan.interfaces.degree: expected a whole number from 1 to 4095, got "0"' \
    topoopt zero.yml
refuses '--set: found no strategy that fits the memory of a device in N evaluations; the nearest one: the strategy does not fit: device 0 needs 27.16 MiB, most of it for operator "embedding 1", but has 976.56 KiB; 26.21 MiB (27482049 bytes) are missing' \
    topoopt job.yml --set plan.memory=1MB --set plan.search.budget=0
for set in 'plan.interfaces.bandwidth=0.01 b/s' 'compute.peak=1 FLOP/s'; do
    refuses "job.yml:2:3: an iteration takes longer than 104 days, the longest time that can be counted, with every strategy tried in N evaluations; expected faster links and devices, or a smaller batch" \
        topoopt job.yml --set "$set" --set plan.compare=none --set plan.search.budget=0
done
refuses '--set: plan.servers: expected all 8 NPUs of the network, which a run of the plan simulates, got 4' \
    topoopt fixed.yml --set plan.servers=4
refuses '--set: plan.compare: expected fabrics or none, got none together with 1 more' \
    topoopt job.yml --set 'plan.compare=[none, full-mesh]'
# A fabric that circuits serve is told, with its line, and the others go on.
"$ORRERY_BIN" plan topoopt job.yml --no-run --set 'plan.compare=["sip-ocs:4", full-mesh]' --set plan.search.budget=0 >stdout 2>stderr ||
    fail "circuits among the fabrics: $(cat stderr)"
grep -q 'warning: plan.compare: circuits serve "sip-ocs:4", which a plan cannot be compared with' stderr && grep -q '^  full-mesh ' stdout ||
    fail "circuits among the fabrics: $(cat stderr stdout)"
"$ORRERY_BIN" plan topoopt job.yml --no-run --set 'plan.compare=[full-mesh, ocs-reconfig]' --set plan.search.budget=0 >stdout 2>stderr &&
    grep -q 'warning: plan.compare: circuits serve "ocs-reconfig"' stderr && grep -q '^  full-mesh ' stdout ||
    fail "a design of circuits among the fabrics: $(cat stderr stdout)"
refuses '--set: plan.compare: expected torus:AxBx..., such as torus:4x3, with /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server] for each level of switches below, or /SERVERS@logical as the last one; got "torus"' \
    topoopt job.yml --set 'plan.compare=[full-mesh, torus]'
refuses 'orrery plan: --output: out/plan.txt: expected a folder' topoopt job.yml -o out/plan.txt
refuses 'orrery plan: --output: nowhere/out: the folder cannot be made: No such file or directory' \
    topoopt job.yml -o nowhere/out
[ ! -d /proc/self ] || refuses 'orrery plan: --output: /proc: nothing can be written there: No such file or directory' \
    topoopt job.yml -o /proc
refuses 'job.yml:7:11: an exhaustive search: expected at most 10000000 strategies, got a space of 30967746727968750' \
    topoopt job.yml --set plan.search.exhaustive=true
sed 's/plan: [0-9a-f]*/plan: 0123456789abcdef/' out/resume.yml >stale.yml
refuses "stale.yml:1:16: resume.plan: the file is of another plan, or its model, servers or links have changed since; expected $(sed -n 's/.*plan: \([0-9a-f]*\),.*/\1/p' out/resume.yml), got 0123456789abcdef" \
    topoopt job.yml --resume stale.yml
"$ORRERY_BIN" plan topoopt job.yml --resume out/resume.yml --set plan.servers=10 >stdout 2>stderr &&
    fail 'a plan of 8 servers was resumed with 10'
grep -q 'resume.plan: the file is of another plan' stderr || fail "another plan: $(cat stderr)"
refuses 'job.yml: this is a planning job, not a file to resume from: orrery plan topoopt FILE or orrery plan sip-ml FILE runs it' \
    topoopt job.yml --resume job.yml

# GPT-3 175B under 640 GB a server: by hand (8 servers side by side, 4 groups) 4.697 s on a switch and
# 15.75 s on a topology of its own; layouts alone come as near.
cat >gpt3.yml <<'END'
plan:
  model: gpt3_175b
  batch: 32
  server: {gpus: 8, bandwidth: 600 GB/s}
  optimizer_bytes: 12
  memory: 640 GB
  rounds: 1
  topologies: 1
  compare: none
  search: {budget: 0}
compute: {peak: 2496 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 16312 GB/s}}
END
cp gpt3.yml gpt3_switch.yml
cat >>gpt3_switch.yml <<'END'
network: {graph: {npus: 32, fabric: ideal-switch, bandwidth: 800 Gb/s, latency: 1 us}}
END
# at_most SECONDS FOLDER
at_most() {
    awk -v limit="$1" -v got="$(value predicted_ps "$2/plan.json")" 'BEGIN { exit !(got > 0 && got / 1e12 <= limit) }' ||
        fail "$2: expected at most $1 s, got $(value predicted_ps "$2/plan.json") ps"
}
plans 'GPT-3 on a switch' gpt3_switch.yml -o gpt3_switch
at_most 4.9 gpt3_switch
# Its best layout, with a pipeline.
planned=$(sed -n '/"layout": {/,/}/s/^ *"simulated_ps": \([0-9]*\),$/\1/p' gpt3_switch/plan.json)
"$ORRERY_BIN" run gpt3_switch/layout.yml --json run.json >stdout 2>stderr || fail "layout.yml does not run: $(cat stderr)"
[ "$(value wall_ps run.json)" = "$planned" ] || fail "the layout runs in $(value wall_ps run.json) ps, planned $planned"
grep -q '^  a layout .* simulated on the network; t[0-9]* p[248] .* that fit$' gpt3_switch/plan.txt ||
    fail "no layout told: $(cat gpt3_switch/plan.txt)"
[ "${planned:-0}" -gt 0 ] && [ "$planned" -lt 2400000000000 ] || fail "the layout takes ${planned:-no} ps"
plans 'GPT-3 on its topology' gpt3.yml --no-run -o gpt3 --set plan.servers=32 \
    --set 'plan.interfaces={degree: 4, bandwidth: 200 Gb/s}'
at_most 16 gpt3
refuses '--set: found no strategy that fits the memory of a device in N evaluations; the nearest one: the strategy does not fit: device 0 needs 1.80 TiB, most of it for operator "dense 4", but has 93.13 GiB; 1.70 TiB (1874392258560 bytes) are missing; of layouts, tensor parallelism of 16 needs the least, 379.57 GiB' \
    topoopt gpt3_switch.yml --no-run --set 'plan.memory=100 GB' --set plan.search.budget=20 --set plan.rounds=0

# Layouts on a topology of their own; none where there is no batch to share, or none is wanted.
cat >small.yml <<'END'
plan:
  model: {transformer: {layers: 8, hidden: 1024, heads: 16, sequence: 512, vocabulary: 0}}
  batch: 32
  servers: 8
  interfaces: {degree: 4, bandwidth: 10 Gb/s}
  compare: none
  search: {budget: 0}
compute: {peak: 100 TFLOP/s}
END
plans 'a small one' small.yml -o small
grep -q '^    "layout": "t[0-9]* p[0-9]* .*",$' small/plan.json || fail "no layout: $(cat small/plan.json)"
"$ORRERY_BIN" run small/layout.yml >stdout 2>stderr || fail "the small one's layout does not run: $(cat stderr)"
plans 'without layouts' small.yml -o none --set plan.layout_runs=0
grep -q '^  "layout": null,$' none/plan.json || fail "a layout that is not wanted: $(cat none/plan.json)"
[ ! -e none/layout.yml ] || fail 'layout.yml without a layout'
refuses '--set: plan.layout_runs: expected a whole number from 0 to 20, got "21"' topoopt small.yml --set plan.layout_runs=21

[ "$failures" -eq 0 ] && echo 'orrery plan topoopt: as told'
exit $((failures > 0))
