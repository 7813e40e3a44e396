#!/bin/sh
# Gradients that are reduced as they are ready, and at the end of the backward pass: times by hand,
# folded and with every NPU.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# wall ARGUMENT...: the time of a run, or what it says
wall() {
    rm -f out.json
    "$ORRERY_BIN" run p.yml "$@" --json out.json >out.txt 2>&1 || cat out.txt
    sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out.json 2>/dev/null
}

# takes WHAT K L AS_READY AT_END: m.yml on k x l NPUs, in nanoseconds. Links of 500 ns and 1 byte a
# nanosecond: two of them take a handshake of 2 x 501 ns, and a tail of 2 x 500 + 1 ns: 2003 ns.
takes() {
    for order in as_ready at_end; do
        want=$4
        [ "$order" = as_ready ] || want=$5
        cat >p.yml <<END
network:
  graph: {fabric: ideal-switch, npus: $(($2 * $3)), bandwidth: 1 GB/s, latency: 500 ns}
  backend: flow
  shares: maxmin
  packet: 1 B
compute: {peak: 1000 PFLOP/s}
workload:
  model: m.yml
  part_times: {minimum: 10 us}
  strategy: {groups: {model: $2, data: $3}, gradients: $order}
  all_reduce: ring_stream
END
        for fold in auto off; do
            found=$(wall --fold "$fold")
            [ "$found" = "${want}000" ] || fail "$1, $order, fold $fold: expected $want ns, got $found ps"
        done
    done
}

# Two groups of one: a, b forward 10 us each, backward 20. b's 12000 bytes are ready at 40 us, a's
# 2000 at 60; both at the end share the links for 14 us.
cat >m.yml <<'END'
model:
  batch: 2
  element_bytes: 2
  operators:
    - data: {name: in, shape: [100]}
    - measured: {name: a, input: in, out: 500, forward: 20 us, backward: 40 us, weights: 1000}
    - measured: {name: b, input: a, out: 500, forward: 20 us, backward: 40 us, weights: 6000}
END
takes 'two groups of one' 1 2 64003 76003

# The same of a model that lists its gradients: a is done at 10 us, b at 20: 20 + 12 against 20 + 14.
sed 's/batch: 2/batch: 2\n  gradients: listed/; s/, backward: 40 us//' m.yml >listed.yml
mv listed.yml m.yml
takes 'listed gradients' 1 2 34003 36003

# Weights used by two operators are complete after the backward pass of the first: 70 us of 30
# forward and 20 each back, before c's 20; then 40000 bytes.
cat >m.yml <<'END'
model:
  batch: 2
  element_bytes: 2
  operators:
    - data: {name: in, shape: [100]}
    - measured: {name: c, input: in, out: 500, forward: 20 us, backward: 40 us}
    - measured: {name: a, input: c, out: 500, forward: 20 us, backward: 40 us, weights: 20000}
    - measured: {name: again, input: a, out: 500, forward: 20 us, backward: 40 us, weights: 20000, shared: a}
END
takes 'shared weights' 1 2 112003 132003

# Dense layers of 12000 bytes that take the minimum, 10 us each way: the upper's gradient from 30 us
# on, the lower's from 40 on: the links carry 24000 bytes from the first on. At the end from 40 on.
cat >m.yml <<'END'
model:
  batch: 2
  element_bytes: 2
  operators:
    - data: {name: in, shape: [100]}
    - dense: {name: lower, input: in, out: 60, bias: false}
    - dense: {name: upper, input: lower, out: 100, bias: false}
END
takes 'dense layers' 1 2 56003 66003

# Copies of the weights in groups of two, by samples: 12000 bytes are scattered (6000 to the other),
# reduced across the groups (6000) and gathered (6000), each 8003 ns, from 40 us on or from 60.
cat >m.yml <<'END'
model:
  batch: 4
  element_bytes: 2
  operators:
    - data: {name: in, shape: [100]}
    - measured: {name: a, input: in, out: 500, forward: 40 us, backward: 80 us}
    - measured: {name: b, input: a, out: 500, forward: 40 us, backward: 80 us, weights: 6000}
END
takes 'copies in groups of two' 2 2 64009 84009

# What a strategy says is written, and refused where it is wrong.
"$ORRERY_BIN" model demand m.yml --devices 2 --save-strategy - >out.txt 2>&1 || fail "$(cat out.txt)"
! grep -q gradients out.txt || fail 'a strategy with gradients as they are ready names them'
printf 'strategy: {devices: 2, gradients: at_end}\n' >s.yml
"$ORRERY_BIN" model demand m.yml --strategy s.yml --save-strategy - >out.txt 2>&1 || fail "$(cat out.txt)"
grep -q '^  gradients: at_end$' out.txt || fail "the strategy written: $(cat out.txt)"
printf 'strategy:\n  devices: 2\n  gradients: late\n' >s.yml
"$ORRERY_BIN" model demand m.yml --strategy s.yml >out.txt 2>&1
grep -q '^s.yml:3:14: strategy.gradients: expected ' out.txt || fail "gradients: late: $(cat out.txt)"

# The numbers of docs/how-to/models.md: 18.051 and 19.259 ms.
for order in as_ready at_end; do
    want=18.051
    [ "$order" = as_ready ] || want=19.259
    cat >p.yml <<END
network: {graph: {fabric: ideal-switch, npus: 1024, bandwidth: 8 Tb/s, latency: 500 ns}, backend: flow, shares: maxmin}
compute: {peak: 15 TFLOP/s}
memory: {local: {bandwidth: 900 GB/s}}
workload:
  model: sipml/transformer
  part_times: {fixed: 25 us, minimum: 1 us, launch: 1 us, linear: true}
  strategy: {groups: {model: 1, data: 1024}, gradients: $order}
  all_reduce: ring_stream
END
    "$ORRERY_BIN" run p.yml >out.txt 2>&1
    grep -q "^job time $want ms on 1024 NPUs" out.txt || fail "sipml/transformer, $order: $(head -n 2 out.txt)"
done

# A plan has the key, and writes a strategy that has it.
cat >p.yml <<'END'
plan:
  model: m.yml
  servers: 4
  gradients: at_end
  interfaces: {degree: 2, bandwidth: 100 Gb/s, latency: 1 us}
  rounds: 1
  topologies: 2
  search: {budget: 50, chains: 1}
  compare: none
END
"$ORRERY_BIN" plan topoopt p.yml -o plan >out.txt 2>&1 || fail "plan topoopt: $(cat out.txt)"
grep -q '^  gradients: at_end$' plan/strategy.yml || fail "the strategy of a plan: $(cat plan/strategy.yml)"
"$ORRERY_BIN" plan evaluate plan/platform.yml plan/workload.yml >out.txt 2>&1 || fail "plan evaluate: $(cat out.txt)"

[ "$failures" -eq 0 ]
