#!/bin/sh
# Measured times at batches that were not measured: several profiles, and models with times of their
# own at another batch than theirs. Times by hand.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# time_of WANT ARGUMENT...: the time of the first task of a task graph
time_of() {
    want=$1
    shift
    "$ORRERY_BIN" model tasks "$@" -o t.json >out.txt 2>&1 || fail "model tasks $*: $(cat out.txt)"
    found=$(sed -n 's/.*"time": *"\([^"]*\)".*/\1/p' t.json | head -n 1)
    [ "$found" = "$want" ] || fail "model tasks $*: expected $want, got $found"
}

# refuses TEXT ARGUMENT...
refuses() {
    text=$1
    shift
    "$ORRERY_BIN" model tasks "$@" -o t.json >out.txt 2>&1
    [ $? -eq 2 ] || fail "model tasks $*: expected exit status 2"
    grep -qF -- "$text" out.txt || fail "model tasks $*: expected \"$text\", got: $(cat out.txt)"
}

cat >m.yml <<'END'
model: {batch: 160, operators: [{data: {shape: [64]}}, {dense: {name: a, out: 64, profile: A}}]}
END
printf '{"batch_size": 64, "measurements": [{"name": "A", "pc_str": "2-1-1", "fw_time": 6, "bw_time": 9}]}\n' >64.json
printf '{"batch_size": 256, "measurements": [{"name": "A", "pc_str": "2-1-1", "fw_time": 20, "bw_time": 30}]}\n' >256.json
printf 'profiles: [64.json, 256.json]\n' >both.yml

# 160 samples are half way: 13 ms. One profile alone does not say.
time_of '13 ms' m.yml --devices 1 --profile both.yml
refuses 'm.yml:1:64: operator "a": 64.json has no measurement of "A" for this split, with 160 of 64 samples a part (measured: 64), and there is no peak rate' \
    m.yml --devices 1 --profile 64.json
cat >p.yml <<'END'
network: {graph: {fabric: ideal-switch, npus: 2, bandwidth: 1 GB/s}}
workload: {model: m.yml, profile: both.yml, strategy: {groups: {model: 1, data: 2}}, all_reduce: ring}
END
"$ORRERY_BIN" run p.yml >out.txt 2>&1 || fail "run: $(cat out.txt)"

# Both measured 32 and 64 samples a part (the first profile holds: 4 and 6 ms); beyond them 6 + 96/16
# = 12 ms for 160 samples, 4 - 16/16 = 3 ms for 16.
printf '{"batch_size": 64, "measurements": [{"name": "A", "pc_str": "2-1-1", "fw_time": 6, "bw_time": 9}, {"name": "A", "pc_str": "2-1-2", "fw_time": 4, "bw_time": 6}]}\n' >first.json
printf '{"batch_size": 128, "measurements": [{"name": "A", "pc_str": "2-1-2", "fw_time": 7, "bw_time": 9}, {"name": "A", "pc_str": "2-1-4", "fw_time": 5, "bw_time": 6}]}\n' >second.json
printf 'profiles: [first.json, second.json]\n' >same.yml
time_of '12 ms' m.yml --devices 1 --profile same.yml
time_of '3 ms' m.yml --devices 1 --profile same.yml --batch 16

# What lists of profiles may not have.
printf 'profiles: [64.json, 64.json]\n' >twice.yml
refuses 'twice.yml:1:21: profiles[1]: expected a profile of another batch size than 64.json, got 64 of both' \
    m.yml --devices 1 --profile twice.yml
printf 'profiles: [64.json, gone.json]\n' >gone.yml
refuses 'gone.json' m.yml --devices 1 --profile gone.yml
printf 'profiles: []\n' >none.yml
refuses 'none.yml:1:11: profiles: expected a list of 1 to 1000 entries, got 0' m.yml --devices 1 --profile none.yml
printf 'profiles: [both.yml]\n' >nested.yml
refuses 'both.yml:1:1: ' m.yml --devices 1 --profile nested.yml
printf 'profiles: 3\n' >text.yml
refuses 'text.yml:1:11: ' m.yml --devices 1 --profile text.yml

# An operator measured for 64 samples, with the gradients listed: 64 us; of 128 in two groups each
# has 64 samples, of 32 each 16.
cat >own.yml <<'END'
model:
  batch: 64
  gradients: listed
  operators:
    - data: {name: x, shape: [64]}
    - measured: {name: a, input: x, out: 64, forward: 64 us, weights: 640}
END
printf 'strategy: {groups: {model: 1, data: 2}}\n' >s.yml
time_of '32 us' own.yml --strategy s.yml
time_of '64 us' own.yml --strategy s.yml --batch 128
time_of '16 us' own.yml --strategy s.yml --batch 32
refuses 'expected a batch that 2 groups divide, got 33 samples' own.yml --strategy s.yml --batch 33
sed 's/batch: 64/batch: 64\n  measured_batch: 16/' own.yml >other.yml
time_of '128 us' other.yml --strategy s.yml

# A plan for another batch writes a model with the times of its own: 4 x 64 us for 64 samples are 128
# us for 128 on four servers.
cat >own.yml <<'END'
model:
  batch: 64
  operators:
    - data: {name: x, shape: [64]}
    - measured: {name: a, input: x, out: 64, forward: 64 us, backward: 192 us}
END
cat >plan.yml <<'END'
plan:
  model: own.yml
  batch: 128
  servers: 4
  interfaces: {degree: 2, bandwidth: 100 Gb/s, latency: 1 us}
  rounds: 1
  topologies: 2
  search: {budget: 50, chains: 1}
  compare: none
END
"$ORRERY_BIN" plan topoopt plan.yml -o plan >out.txt 2>&1 || fail "plan topoopt: $(cat out.txt)"
grep -q '128.000 us predicted, 128.000 us simulated' out.txt || fail "plan topoopt: $(cat out.txt)"
grep -q '^  measured_batch: 64$' plan/model.yml || fail "the model of a plan: $(cat plan/model.yml)"

# 64 us for the 64 samples of a device: in 16 groups, and in one with the samples in 16 parts.
cat >each.yml <<'END'
model:
  batch_per_device: 64
  operators:
    - data: {name: x, shape: [64]}
    - measured: {name: a, input: x, out: 64, forward: 64 us}
END
printf 'strategy: {groups: {model: 1, data: 16}}\n' >groups.yml
printf 'strategy: {groups: {model: 16, data: 1}, operators: {a: {split: {sample: 16}}}}\n' >split.yml
time_of '64 us' each.yml --strategy groups.yml
time_of '64 us' each.yml --strategy split.yml

# For which batch a time is must be known where several are tried.
sed '/batch_per_device/d' each.yml >unsaid.yml
sed 's/batch_per_device/measured_batch/' each.yml >said.yml
cat >batches.yml <<'END'
plan:
  model: unsaid.yml
  sip_ml: {batches: [64, 128]}
network: {graph: {fabric: ideal-switch, npus: 2, bandwidth: 1 GB/s}, backend: flow}
END
"$ORRERY_BIN" plan sip-ml batches.yml >out.txt 2>&1 && fail 'a plan for batches of which no time is known'
grep -qF 'batches.yml:3:22: plan.sip_ml.batches: the model does not say for which batch operator "a" was measured' out.txt ||
    fail "a plan for batches of which no time is known: $(cat out.txt)"
"$ORRERY_BIN" plan sip-ml batches.yml --set plan.model=said.yml >out.txt 2>&1 ||
    fail "a plan for several batches: $(cat out.txt)"

# The folder of a plan with a list of profiles has copies of them, so that it runs, elsewhere too; a
# list of one as well.
cat >list.yml <<'END'
plan:
  model: m.yml
  profile: both.yml
  servers: 2
  interfaces: {degree: 1, bandwidth: 100 Gb/s, latency: 1 us}
  rounds: 1
  topologies: 2
  search: {budget: 50, chains: 1}
  compare: none
compute: {peak: 10 TFLOP/s}
END
printf 'profiles: [64.json]\n' >one.yml
sed 's/160/64/' m.yml >m64.yml
# runs_elsewhere ARGUMENT...: plans, moves the folder and runs it
runs_elsewhere() {
    rm -rf listed moved
    "$ORRERY_BIN" plan topoopt list.yml -o listed "$@" >out.txt 2>&1 || fail "plan $*: $(cat out.txt)"
    mkdir moved
    mv listed moved/plan
    "$ORRERY_BIN" run moved/plan/platform.yml moved/plan/workload.yml >out.txt 2>&1 ||
        fail "run of a plan $*: $(cat out.txt)"
}
runs_elsewhere
[ "$(cat moved/plan/profile.json)" = '{"profiles": ["profile_1.json", "profile_2.json"]}' ] ||
    fail "the list of a plan: $(cat moved/plan/profile.json)"
cmp -s 256.json moved/plan/profile_2.json || fail 'a listed profile was not copied'
runs_elsewhere --set plan.model=m64.yml --set plan.profile=one.yml

# A profile of the plan is not written over by a copy of another.
mkdir mine
cp 64.json mine/profile_2.json
cp 256.json mine/profile_1.json
printf 'profiles: [profile_2.json, profile_1.json]\n' >mine/list.yml
"$ORRERY_BIN" plan topoopt list.yml -o mine --set plan.profile=mine/list.yml >out.txt 2>&1 &&
    fail 'a plan over its own profiles'
grep -q 'profile_1.json' out.txt || fail "a plan over its own profiles: $(cat out.txt)"
cmp -s 64.json mine/profile_2.json && cmp -s 256.json mine/profile_1.json ||
    fail 'profiles were written over'

[ "$failures" -eq 0 ]
