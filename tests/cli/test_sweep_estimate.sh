#!/bin/sh
# Sweeps with `estimate: true`: the points with the least estimates run, those that cannot be estimated too; the best of all is
# among them, and results resume.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# sweep FILE LINE...: the sweep of 24 layouts, 6 of which do not divide the NPUs
sweep() {
    file=$1
    shift
    cat >"$file" <<END
sweep:
  platform: hgx_h100_256
  workload: dense.yml
  set: {network.npus: 16, memory.ignore_capacity: true, workload.parallel.sequence: true}
  axes:
    workload.parallel.tensor: [1, 2, 4, 3]
    workload.training.micro_batch: [1, 2]
    workload.parallel.zero: [0, 1, 2]
END
    for line; do
        printf '  %s\n' "$line" >>"$file"
    done
}

echo 'workload: {transformer: {layers: 8, hidden: 2112, heads: 12, sequence: 1024, vocabulary: 32000, causal: true}, training: {batch: 64}}' >dense.yml
sweep all.yml
sweep some.yml 'estimate: true' 'simulate: 5'
"$ORRERY_BIN" sweep all.yml --json all.json >all.txt 2>err
[ $? -le 2 ] || fail "all: $(cat err)"
"$ORRERY_BIN" sweep some.yml --json some.json >some.txt 2>err
grep -q '^11 points, 6 failed, 13 more by their estimates not among the 5 fastest: ' some.txt || fail "some: $(cat some.txt)"
python3 - <<'END' || fail "points: $(cat some.txt)"
import json
every = [p for p in json.load(open("all.json"))["points"]]
some = json.load(open("some.json"))
assert some["sweep"]["estimated"] == 13, some["sweep"]
ran = [p for p in some["points"] if p["status"] == "ok"]
assert len(ran) == 5 and len(some["points"]) == 11
key = lambda p: tuple(p["workload." + k] for k in ("parallel.tensor", "training.micro_batch", "parallel.zero"))
times = {key(p): p["wall_ps"] for p in every if p["status"] == "ok"}
assert len(times) == 18
assert all(times[key(p)] == p["wall_ps"] for p in ran)
assert min(times.values()) == min(p["wall_ps"] for p in ran)
assert {key(p) for p in every if p["status"] != "ok"} == {key(p) for p in some["points"] if p["status"] != "ok"}
END
"$ORRERY_BIN" sweep some.yml >again.txt 2>err
cmp -s some.txt again.txt || grep -q '^11 points, 6 failed' again.txt || fail "resumed: $(cat again.txt err)"

# What cannot be estimated runs.
cat >reduce.yml <<'END'
sweep:
  platform: dgx_a100_64
  workload: all_reduce_1gb
  axes: {system.chunks: [2, 4, 8]}
  estimate: true
  simulate: 1
END
"$ORRERY_BIN" sweep reduce.yml >out 2>err || fail "reduce: $(cat err)"
grep -q '^3 points, 0 failed: ' out || fail "reduce: $(cat out)"

sweep wrong.yml 'simulate: 5'
"$ORRERY_BIN" sweep wrong.yml >out 2>err
[ $? -eq 2 ] && grep -q 'wrong.yml:9:13: sweep.simulate: expected sweep.estimate: true with it, got "5"' err || fail "simulate alone: $(cat err)"

[ "$failures" -eq 0 ]
