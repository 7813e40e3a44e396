#!/bin/sh
# orrery plan evaluate: predictions beside runs, and what is refused.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

cat >"$dir/model.yml" <<'END'
model:
  batch: 64
  operators:
    - data: {name: numbers, shape: [256]}
    - dense: {out: 1024}
    - dense: {out: 1024}
    - dense: {out: 256}
END
cat >"$dir/platform.yml" <<'END'
network:
  backend: flow
  graph: {npus: 8, fabric: "circulant:1,3", bandwidth: 10 Gb/s, latency: 1 us}
compute: {peak: 1 TFLOP/s}
END
printf 'workload:\n  model: model.yml\n  all_reduce: ring\n' >"$dir/workload.yml"

# Within 2 % of the run, which --no-run leaves out.
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --json - >"$dir/out.json"
awk -F'[:,]' '/predicted_ps/ { p = $2 } /simulated_ps/ { s = $2 }
    END { exit !(p > 0 && p / s < 1.02 && p / s > 0.98) }' "$dir/out.json" ||
    fail "not within 2 %: $(cat "$dir/out.json")"
grep -q '"routing": "ecmp-pairs"' "$dir/out.json" || fail "routes are not by pairs"
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --no-run >"$dir/out.txt"
grep -q '^predicted' "$dir/out.txt" || fail "no prediction"
grep -q '^simulated' "$dir/out.txt" && fail "--no-run has run"
grep -q '^critical  *link ' "$dir/out.txt" || fail "not limited by a link: $(cat "$dir/out.txt")"

# What hosts pass on counts as links do: within 2 % too, and it is what limits a ring in the order of
# the servers, which goes by routes.
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --set network.graph.fabric=expander:3 \
    --set network.graph.rings=own --set 'network.forwarding_limit=5 Gb/s' --json - >"$dir/limited.json"
awk -F'[:,]' '/predicted_ps/ { p = $2 } /simulated_ps/ { s = $2 }
    END { exit !(p > 0 && p / s < 1.02 && p / s > 0.98) }' "$dir/limited.json" ||
    fail "hosts with a limit: not within 2 %: $(cat "$dir/limited.json")"
grep -q 'forwarding of host [0-7]' "$dir/limited.json" || fail "not limited by a host: $(cat "$dir/limited.json")"
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" \
    --set 'network.graph.fabric=circulant:1/2@logical' >"$dir/out.txt" 2>&1 && fail "logical servers were evaluated"
grep -q 'expected physical servers, got logical ones' "$dir/out.txt" || fail "logical servers: $(cat "$dir/out.txt")"

# Weights that several devices of each group hold are scattered, reduced and gathered.
printf 'workload:\n  model: model.yml\n  strategy: {groups: {model: 4, data: 2}}\n  all_reduce: ring\n' \
    >"$dir/groups.yml"
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/groups.yml" --json - \
    --set network.graph.fabric=ideal-switch >"$dir/out.json"
awk -F'[:,]' '/predicted_ps/ { p = $2 } /simulated_ps/ { s = $2 }
    END { exit !(p > 0 && p / s < 1.02 && p / s > 0.98) }' "$dir/out.json" ||
    fail "groups: not within 2 %: $(cat "$dir/out.json")"

# What routes the platform says are kept.
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --no-run \
    --set network.routing=ecmp >"$dir/out.txt"
grep -q '^routes  *ecmp$' "$dir/out.txt" || fail "routes were not kept"

# The time of orrery run, whose flows have congestion windows, stands beside it with the reason; with the rules that are
# named there, it is the simulated one.
wall() {
    "$ORRERY_BIN" run "$dir/platform.yml" "$dir/workload.yml" "$@" --json - | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p'
}
ps() {
    sed -n "s/^  \"$1\": \([0-9]*\),\$/\1/p" "$dir/out.json"
}
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --json - >"$dir/out.json"
[ "$(ps run_ps)" = "$(wall)" ] || fail "not the time of run, $(wall): $(cat "$dir/out.json")"
[ "$(ps simulated_ps)" = "$(wall --set network.shares=maxmin --set network.routing=ecmp-pairs)" ] ||
    fail "not the time of run with its rules: $(cat "$dir/out.json")"
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" >"$dir/out.txt"
grep -q '^orrery run  *[0-9.]* ms .*: shares by congestion windows, a path of its own for each message; as simulated here with --set network.shares=maxmin --set network.routing=ecmp-pairs$' \
    "$dir/out.txt" || fail "run is not told: $(cat "$dir/out.txt")"
"$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload.yml" --set network.shares=maxmin \
    --set network.routing=ecmp-pairs >"$dir/out.txt"
grep -q '^orrery run' "$dir/out.txt" && fail "the same is told twice: $(cat "$dir/out.txt")"

refused() {
    text=$1
    shift
    status=0
    "$ORRERY_BIN" plan "$@" >"$dir/out.txt" 2>&1 || status=$?
    [ $status -eq 2 ] || fail "plan $*: status $status"
    grep -q "$text" "$dir/out.txt" || fail "plan $*: $(cat "$dir/out.txt")"
}
refused 'expected topoopt, sip-ml, evaluate, llm or goodput, got' search
refused 'topoopt, sip-ml, evaluate, llm or goodput is missing'
refused 'expected equal shares' evaluate "$dir/platform.yml" "$dir/workload.yml" \
    --set network.packet=9000B --set network.shares=windows
refused 'all-reduces by ring' evaluate "$dir/platform.yml" "$dir/workload.yml" \
    --set workload.all_reduce=direct
printf 'workload: {generate: all_reduce, bytes: 1 MB}\n' >"$dir/other.yml"
refused 'a model and a strategy' evaluate "$dir/platform.yml" "$dir/other.yml"
