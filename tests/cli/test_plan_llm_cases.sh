#!/bin/sh
# orrery plan llm over axes and under limits: cases, ranking, fronts, what limits cost; job files and frameworks' arguments of
# what it finds.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

echo 'workload: {transformer: {layers: 8, hidden: 2048, heads: 16, sequence: 2048, vocabulary: 32000, causal: true}, training: {batch: 64}}' \
    >"$work/dense.yml"
cd "$work" || exit 1

# llm NAME ARGUMENT...: NAME.json, NAME.csv, NAME.txt
llm() {
    name=$1
    shift
    "$ORRERY_BIN" plan llm hgx_h100_256 dense.yml "$@" --json "$name.json" --csv "$name.csv" >"$name.txt" 2>err ||
        fail "plan llm $*: $(cat err)"
}

# refused TEXT ARGUMENT...
refused() {
    expected=$1
    shift
    "$ORRERY_BIN" plan llm hgx_h100_256 dense.yml --npus 16 "$@" >out 2>err
    [ $? -eq 2 ] || fail "plan llm $*: expected status 2"
    grep -qF -- "$expected" err || fail "plan llm $*: expected '$expected', got $(cat err)"
}

# column FILE FIELD [LINE]: of the first layout, or of that in a line
column() {
    python3 -c 'import csv, sys; print(list(csv.DictReader(open(sys.argv[1])))[int(sys.argv[3])][sys.argv[2]])' "$1.csv" "$2" "${3:-0}"
}

# Each case's best is that of a search of its own; the whole is ranked by the time of a token, whose tokens differ.
llm all --axis npus=8:32 --axis batch=64,96 --best 12 --tokens 1e12 --price '2 $/h'
python3 - <<'END' || fail "cases: $(cat all.json)"
import csv, json
found = json.load(open("all.json"))
assert [c["of"] for c in found["cases"]] == ["npus %d, batch %d" % (n, b) for n in (8, 16, 32) for b in (64, 96)]
assert sum(c["estimates"] for c in found["cases"]) == found["estimates"]
rows = list(csv.DictReader(open("all.csv")))
tokens = [int(r["simulated_ps"]) / float(r["batch_tokens"]) for r in rows]
assert tokens == sorted(tokens), tokens
assert len({r["of"] for r in rows}) == 6
assert all(float(r["batch_tokens"]) == float(r["batch"]) * 2048 for r in rows)
END
! grep -qw nan all.csv || fail "all.csv has numbers that are none"
for npus in 8 16 32; do
    llm "one$npus" --npus "$npus" --set workload.training.batch=96 --best 12
    best=$(python3 -c 'import csv, sys; print(min(int(r["simulated_ps"]) for r in csv.DictReader(open("all.csv")) if r["of"] == sys.argv[1]))' \
        "npus $npus, batch 96")
    [ "$(column "one$npus" simulated_ps)" = "$best" ] || fail "npus $npus: $(column "one$npus" simulated_ps), among all $best"
done

# Ranked by cost the dollars rise; the front has nothing that another equals or beats; limits hold, and say what they cost.
llm cheap --axis npus=8:32 --best 12 --tokens 1e12 --price '2 $/h' --gpu-power '700 W' --energy-price '0.1 $/kWh' --rank-by 'cost + energy_dollars' \
    --front time_s,memory_bytes,cost --where 'days <= 60 && memory_bytes < 40 GB'
python3 - <<'END' || fail "cheap: $(cat cheap.json)"
import csv, json
rows = list(csv.DictReader(open("cheap.csv")))
paid = [float(r["cost"]) + float(r["energy_dollars"]) for r in rows if r["within"] == "1" or r["within"] == "true"]
assert len(paid) > 6 and paid == sorted(paid), paid
for r in rows:
    hours = float(r["days"]) * 24 * int(r["npus"])
    assert abs(float(r["cost"]) / (hours * 2) - 1) < 1e-9 and abs(float(r["kwh"]) / (hours * 0.7) - 1) < 1e-9
    assert abs(float(r["energy_dollars"]) / (float(r["kwh"]) * 0.1) - 1) < 1e-9
    assert float(r["days"]) <= 60 and int(r["memory_bytes"]) < 40e9
axes = [(float(r["time_s"]), int(r["memory_bytes"]), float(r["cost"]), r["on_front"] in ("1", "true")) for r in rows]
for a in axes:
    beaten = any(b is not a and all(x <= y for x, y in zip(b[:3], a[:3])) and b[:3] != a[:3] for b in axes)
    assert beaten != a[3] or (not beaten and axes.index(a) > 0 and a[:3] in [b[:3] for b in axes[:axes.index(a)]]), a
limits = json.load(open("cheap.json"))["limits"]
assert limits[0]["limit"] == "memory" and limits[1]["excluded"] > 0
END
llm free --npus 16 --best 12
llm held --npus 16 --best 12 --where "memory_bytes <= 3 GB"
grep -q '^memory_bytes <= 3 GB holds up t.* % better as estimated' held.txt || fail "held: $(cat held.txt)"
awk -v free="$(column free simulated_ps)" -v held="$(column held simulated_ps)" 'BEGIN { exit !(held + 0 >= free + 0) }' || fail "a limit is faster"

# A page has the search, its map and a run of the best; the fit of the platform's compute says how sure the best is.
"$ORRERY_BIN" plan llm hgx_h100_256 dense.yml --npus 16 --best 3 --json page.json --report page.html >out 2>err || fail "page: $(cat err)"
python3 - <<'END' || fail "page.html"
import json, re
text = open("page.html").read()
data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.S).group(1))
found = json.load(open("page.json"))
assert [r["kind"] for r in data["results"]] == ["layout_search", "run"], [r["kind"] for r in data["results"]]
assert data["results"][0]["verdict"].startswith("Of %d layouts that fit the best is %s: " % (found["estimates"], found["best"][0]["layout"]))
assert data["results"][1]["data"]["wall_ps"] == found["best"][0]["simulated_ps"]
best = {}
for cell in found["map"]:
    best[cell["tensor"], cell["pipeline"]] = cell["time_s"]
assert len(best) == len(found["map"]) and min(best.values()) == min(c["time_s"] for c in found["map"])
assert abs(min(best.values()) * 1e12 - min(b["estimated_ps"] for b in found["best"])) < 2
assert found["low_ps"] < found["best"][0]["simulated_ps"] < found["high_ps"]
shares = [sum(b[k] for k in ("compute", "recomputed", "exchange", "bubble", "weights")) for b in found["best"]]
assert all(abs(s - 1) < 1e-9 for s in shares), shares
END

# Job files run as told; frameworks' arguments are read again as the same layout.
"$ORRERY_BIN" plan llm hgx_h100_256 dense.yml --npus 16 --best 2 --where 'tensor > 1 && pipeline > 1' -o jobs --csv jobs.csv >out 2>err || fail "$(cat err)"
for i in 1 2; do
    "$ORRERY_BIN" run "jobs/$i.yml" --json run.json >out 2>err || fail "jobs/$i.yml: $(cat err)"
    grep -q "\"wall_ps\": $(column jobs simulated_ps $((i - 1)))," run.json || fail "jobs/$i.yml takes another time"
done

cat >config.json <<'END'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 16,
 "num_hidden_layers": 8, "num_key_value_heads": 16, "vocab_size": 32000, "max_position_embeddings": 2048, "torch_dtype": "bfloat16"}
END

# same FRAMEWORK FILE WHERE KEY...: the arguments of the best, imported, have its values
same() {
    "$ORRERY_BIN" plan llm hgx_h100_256 dense.yml --npus 16 --best 1 --where "$3" --csv best.csv >out 2>err || fail "$1: $(cat err)"
    "$ORRERY_BIN" plan llm hgx_h100_256 dense.yml --npus 16 --best 1 --where "$3" --emit "$1" >"$2" 2>err || fail "$1: $(cat err)"
    [ "$1" != megatron ] || { tr '\n' ' ' <"$2" | sed 's/^/torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 8 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --vocab-size 32000 --bf16 /' >t && mv t "$2"; }
    model=
    [ "$1" = megatron ] || model=config.json
    "$ORRERY_BIN" import $model "$2" -o job.yml >out 2>err || fail "$1: $(cat out err)"
    framework=$1
    shift 3
    for key; do
        value=$(column best "$key")
        [ "$value" = 1 ] && ! grep -qE "^ +$key: " job.yml || grep -qE "^ +$key: $value( |\$)" job.yml || fail "$framework: $key is $value, imported $(cat job.yml)"
    done
}
same megatron train.sh 'tensor > 1 && pipeline > 1 && chunks > 1 && zero == 1' tensor pipeline chunks zero micro_batch
same megatron train.sh 'tensor > 1 && context > 1 && zero == 3' tensor context zero micro_batch
same torchtitan train.toml 'pipeline > 1 && chunks == 1 && tensor > 1 && zero == 3' tensor pipeline zero micro_batch
same deepspeed ds.json 'tensor == 1 && pipeline == 1 && context == 1 && zero == 2' zero micro_batch

refused 'axis: expected PATH=VALUE,VALUE,...' --axis npus
refused 'axis batch: expected 1 to 256 values' --axis batch=
refused 'axis batch: expected a range FROM:TO of whole numbers, which is doubled from one to the other, got "64:32"' --axis batch=64:32
refused 'where: unknown name "cots"; did you mean "cost"?' --where 'cots < 5'
refused 'where: cost needs what is not given, such as the tokens: 15e12' --where 'cost < 5'
refused 'front: expected two or three results' --front time_s
refused 'no layout is within the limits; ' --where 'time_s < 1 ms'
refused ' is the nearest, and misses "time_s < 1 ms" by ' --where 'time_s < 1 ms'
refused '--emit: expected megatron, deepspeed or torchtitan, got "nemo"' --emit nemo
refused "deepspeed's file has no word for a pipeline" --where 'pipeline > 1 && tensor == 1' --emit deepspeed --best 1
refused "torchtitan's file has no word for an optimizer sharded without" --where 'zero == 1 && data > 1' --emit torchtitan --best 1
refused '--gpu-power: expected a power' --gpu-power 700
refused '--energy-price: expected dollars' --energy-price 8

[ "$failures" -eq 0 ]
