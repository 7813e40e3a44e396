#!/bin/sh
# Fabrics by the names of network.design: what they stand for, runs of a model and of a task graph on
# them, sweeps over them, and plans judged on them.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# time of the last run, in ps
wall() {
    sed -n 's/.*"\(wall_ps\|iteration_ps\)": \([0-9]*\).*/\2/p' out | head -n 1
}

run() {
    "$ORRERY_BIN" run "$@" --json out >printed 2>err </dev/null || fail "run $*: $(cat err)"
    [ -s err ] && fail "run $*: $(cat err)"
}

cat >design.yml <<'END'
network:
  design: {name: topoopt, degree: 4, bandwidth: 100 Gb/s}
  shares: maxmin
END
cat >written.yml <<'END'
network:
  graph: {npus: 16, fabric: "circulant:1,3", bandwidth: 100 Gb/s, latency: 1 us}
  shares: maxmin
END

printf 'compute: {peak: 1 TFLOP/s}\nnetwork: {topology: Switch(16), bandwidth: 1 GB/s}\n' >rate.yml
cat >model.yml <<'END'
model:
  batch: 64
  operators:
    - data: {name: numbers, shape: [256]}
    - dense: {out: 1024}
    - dense: {out: 256}
END

# A design is what it stands for, to the picosecond, in task graphs and in models.
"$ORRERY_BIN" model tasks model.yml --devices 16 --platform rate.yml -o d.otg >/dev/null 2>err || fail "model tasks: $(cat err)"
for kind in --taskgraph=d.otg work.yml; do
    printf 'workload: {taskgraph: d.otg}\n' >work.yml
    run design.yml $kind
    by_name=$(wall)
    run written.yml $kind
    [ "$by_name" = "$(wall)" ] || fail "$kind: by name $by_name ps, written $(wall) ps"
done
run --platform design.yml --taskgraph d.otg
by_option=$(wall)
run design.yml --taskgraph d.otg
[ "$by_option" = "$(wall)" ] || fail "--platform: $by_option ps, else $(wall) ps"

# What it stands for is shown.
"$ORRERY_BIN" topo show design.yml --set network.design.servers=16 >shown 2>err || fail "topo show: $(cat err)"
grep -q '^design  *graph: {npus: 16, fabric: "circulant:1,3", bandwidth: 100Gb/s, latency: 1 us}$' shown ||
    fail "topo show: $(grep design shown)"
"$ORRERY_BIN" topo show design.yml --set network.design.servers=16 --json - >shown 2>err
grep -q '"design": "graph: {npus: 16' shown || fail "topo show --json: $(grep design shown)"
"$ORRERY_BIN" run design.yml work.yml --explain=all >shown 2>err || fail "--explain: $(cat err)"
grep -q 'network.design  *graph: {npus: 16' shown || fail "--explain: $(grep design shown)"

# Sweeps go over designs and their bandwidths, with keys that only one of them has.
cat >sweep.yml <<'END'
sweep:
  platform: design.yml
  workload: work.yml
  axes:
    network.design.name: [topoopt, ideal-switch, fat-tree, sip-appendix-f]
    network.design.bandwidth: [25 Gb/s, 100 Gb/s]
END
"$ORRERY_BIN" sweep sweep.yml >printed 2>err || fail "sweep: $(cat err)"
[ "$(grep -c ',ok,16,' sweep.csv)" = 8 ] || fail "sweep: $(cat sweep.csv)"

# Constraints know the servers that a design takes from its task graph.
# where EXPRESSION POINTS: so many of the eight points fulfil it
where() {
    { cat sweep.yml && printf "  where: '%s'\n" "$1"; } >where.yml
    "$ORRERY_BIN" sweep where.yml --dry-run >printed 2>err
    [ "$(grep -c '^[0-9]' printed)" = "$2" ] || fail "where $1: $(cat printed err)"
}
where 'npus <= 15' 0
where 'npus == 16' 8
where 'network.design.degree > 4' 0
where 'name == "topoopt" && npus == 16' 2

# Rings stand beside a design, and options of links do nothing there, which is told; so are keys of other designs.
sed 's/  shares/  graph: {rings: "totient:3"}\n&/' design.yml >rings.yml
"$ORRERY_BIN" topo show rings.yml --set network.design.servers=16 >shown 2>err || fail "rings: $(cat err)"
[ -s err ] && fail "rings: $(cat err)"
run rings.yml --taskgraph d.otg
given="network.design gives its links' bandwidth and latency; those of options do nothing"
# told MESSAGE ARGUMENT...: the command does its work, and its only warning ends so
told() {
    message=$1
    shift
    "$ORRERY_BIN" "$@" >printed 2>err </dev/null || fail "$*: $(cat err)"
    [ "$(grep -c . err)" = 1 ] && grep -qF -- "$message" err || fail "$*: expected one warning \"$message\", got $(cat err)"
}
told "$given" run design.yml --taskgraph d.otg --link-bandwidth '10 GB/s'
told "$given" run rings.yml --taskgraph d.otg --link-latency '2 us' --set network.shares=maxmin
told "$given" topo show design.yml --set network.design.servers=16 --bandwidth 10GB/s
for verb in "topo show design.yml --set network.design.servers=16" "run design.yml --taskgraph d.otg" "run design.yml work.yml"; do
    told 'only the design fat-tree has one' $verb --set network.design.rule=affordable
done

# Plans are judged on them, as on what they stand for.
cat >model_work.yml <<'END'
workload:
  model: model.yml
  all_reduce: ring
END
for network in design written; do
    servers=network.design.servers=16
    [ $network = design ] || servers=network.graph.npus=16
    { cat "$network.yml" && printf 'compute: {peak: 1 TFLOP/s}\n'; } >machine.yml
    "$ORRERY_BIN" plan evaluate machine.yml model_work.yml --json - >"$network.json" 2>err \
        --set "$servers" || fail "plan evaluate: $(cat err)"
done
cmp -s design.json written.json || fail "plan evaluate: $(diff design.json written.json)"

# The evaluator follows no circuits.
"$ORRERY_BIN" plan evaluate machine.yml model_work.yml --set network.circuits.ports=2 \
    --set network.circuits.bandwidth=1GB/s --set network.circuits.period=1ms --set network.graph.npus=16 --set network.graph.fabric=ideal-switch \
    >printed 2>err && fail 'circuits are evaluated'
grep -q 'expected a network without circuits' err || fail "circuits: $(cat err)"

# Wrong combinations name the key.
"$ORRERY_BIN" topo show design.yml --set network.design.name=fat-tree --set network.design.servers=16 \
    --set network.design.layer=tor >printed 2>err && fail 'a fat-tree has no optical layer'
grep -q 'network.design.layer: expected server' err || fail "layer: $(cat err)"

[ "$failures" -eq 0 ]
