#!/bin/sh
# orrery sweep: what is said of the points that failed; constraints on results, prices, fronts and rankings over expressions
# of results, none of which runs a point again.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# runs NAME: the sweep NAME.yml with results beside; what it prints is in `out`
runs() {
    "$ORRERY_BIN" sweep "$1.yml" -o results --json "$1.json" >out 2>err </dev/null || fail "$1: exit status $?: $(cat err)"
}

# refuses MESSAGE LINE...: a sweep with these lines
refuses() {
    want=$1
    shift
    { printf 'sweep:\n  platform: ring.yml\n  axes: {system.chunks: [1, 2]}\n'; printf '  %s\n' "$@"; } >bad.yml
    "$ORRERY_BIN" sweep bad.yml -o bad >out 2>said </dev/null
    status=$?
    [ $status -eq 2 ] || fail "$*: exit status $status"
    grep -qF "$want" said || fail "$*: expected $want, got $(cat said)"
}

cat >ring.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s}
workload: {generate: all_reduce, bytes: 8000 B}
END

# ---- why points failed comes first, grouped by the message without its numbers ----

cat >failed.yml <<'END'
sweep:
  platform: ring.yml
  axes:
    workload.bytes: [8 kB, 16 kB]
    system.chunks: [1, 0, -1, 2, -2]
    system.scheduler: [baseline, nonsense]
END
runs failed
cat >want <<'END'
20 points, 16 failed: results.csv, results.jsonl
    12 failed, such as point 2: system.chunks: expected a whole number from 1 to 4096, got "0"
     4 failed, such as point 1: system.scheduler: expected auto, baseline, themis, best or greedy, got "nonsense"
END
head -3 out | sed 's/: command line:[0-9:]*//' | diff want - >difference || fail "reasons: $(cat difference)"
python3 - <<'END' || fail "reasons in the document"
import json
head = json.load(open("failed.json"))["sweep"]
assert [(r["points"], r["first"], r["status"]) for r in head["reasons"]] == [(12, 2, "failed"), (4, 1, "failed")], head["reasons"]
END
rm results.*

# ---- constraints on results, prices, fronts ----

cat >base.yml <<'END'
sweep:
  platform: hgx_h100_256
  workload: llama3_70b
  axes:
    workload.parallel.tensor: [2, 4, 8]
    workload.parallel.pipeline: [1, 2, 4]
    workload.parallel.zero: [1, 3]
END
runs base
cp results.jsonl base.jsonl

# All that names results without a price in the cost leaves points as they ran.
{
    cat base.yml
    cat <<'END'
  where: [memory_bytes <= 50 GB, npus >= 256]
  prices: {gpu_hour: 2.95 $/h, energy: 0.08 $/kWh, gpu_power: 1 kW, pue: 1.2, tokens: 15e12}
  front: [gpu_dollars + energy_dollars, memory_bytes, -tokens_per_s * workload.transformer.layers / 80]
  rank_by: MFU
END
} >money.yml
runs money
grep -q '^18 of 18 points are done already$' err || fail "points ran again: $(cat err)"
grep -q '^18 points, 5 failed, 5 of them to fit, 5 beyond sweep.where: ' out || fail "head: $(head -1 out)"
sed 's/, "where": false, "pareto": false}$/}/; s/, "pareto": [a-z]*}$/}/' results.jsonl >stripped
sed 's/, "pareto": [a-z]*}$/}/' base.jsonl | cmp -s - stripped || fail "results changed"
python3 - <<'END' || fail "money"
import csv, json
d = json.load(open("money.json"))
ok = {p["point"]: p for p in d["points"] if p["status"] == "ok"}
met = {n: p for n, p in ok.items() if p["memory_bytes"] <= 50e9}
assert all(("where" in p) == (n not in met) for n, p in ok.items())
assert d["sweep"]["excluded"] == len(ok) - len(met) == 5
hours = {n: 15e12 / p["tokens_per_s"] / 3600 for n, p in met.items()}
goals = {n: (hours[n] * 256 * 2.95 + hours[n] * 256 * 1.2 * 0.08, p["memory_bytes"], -p["tokens_per_s"])
         for n, p in met.items()}
beaten = {n for n in goals for m in goals if m != n and all(a <= b for a, b in zip(goals[m], goals[n]))}
assert d["pareto"] == sorted(set(goals) - beaten, key=lambda n: goals[n]), d["pareto"]
assert d["ranked"] == sorted(met, key=lambda n: -met[n]["model_flops_utilization"]), d["ranked"]
assert [p["point"] for p in d["points"] if p.get("pareto")] == sorted(d["pareto"])
rows = list(csv.DictReader(open("results.csv")))
assert [r["where"] for r in rows] == ["" if i not in ok else "01"[i in met] for i in range(18)]
END
grep -q '^best by MFU$' out || fail "no ranking: $(cat out)"
grep -qF 'no other point is as good in all of gpu_dollars + energy_dollars, memory_bytes, -tokens' out || fail "front: $(cat out)"

# The front of time and cost is the default one.
{ cat base.yml; printf '  front: [time_s, npus * time_s]\n'; } >same.yml
runs same
python3 -c 'import json; assert json.load(open("same.json"))["pareto"] == json.load(open("base.json"))["pareto"]' || fail "same front"

# Nothing fulfils it.
{ cat base.yml; printf '  where: cost <= 1\n'; } >none.yml
runs none
grep -q '13 beyond sweep.where' out || fail "none: $(cat out)"

# A cost of results and prices is a result: with other prices the points run again.
{ cat base.yml; printf '  cost: gpu_dollars\n  prices: {gpu_hour: 2 $/h}\n  where: cost <= 0.3\n'; } >cost.yml
"$ORRERY_BIN" sweep cost.yml -o cost --json cost.json >out 2>err || fail "cost: $(cat err)"
python3 - <<'END' || fail "cost"
import json
d = json.load(open("cost.json"))
ok = [p for p in d["points"] if p["status"] == "ok"]
assert all(abs(p["cost"] / (p["wall_ps"] * 1e-12 / 3600 * 256 * 2) - 1) < 1e-9 for p in ok)
assert d["sweep"]["excluded"] == sum(p["cost"] > 0.3 for p in ok) > 0
END
sed 's/2 \$/3 $/' cost.yml >dearer.yml
"$ORRERY_BIN" sweep dearer.yml -o cost >out 2>err && fail "results of other prices were taken"

# ---- refused ----

refuses 'bad.yml:4:22: sweep.prices.gpu_hour: expected dollars for a unit, such as 2.95 $/h, got "3"' 'prices: {gpu_hour: 3}'
refuses 'sweep.prices.energy: expected dollars for a unit, such as 2.95 $/kWh, got "3 $/h"' 'prices: {energy: 3 $/h}'
refuses 'sweep.prices.gpu_power: expected a power such as 700 W or 1.2 kW, got "700"' 'prices: {gpu_power: 700}'
refuses 'energy_dollars needs sweep.prices, such as prices: {energy: 0.08 $/kWh}' 'prices: {gpu_power: 700 W}' 'rank_by: energy_dollars'
refuses 'sweep.front' 'front: [time_s]'
refuses 'unknown name "memory_byte"; did you mean "memory_bytes"?' 'front: [time_s, memory_byte]'
[ $failures -eq 0 ]
