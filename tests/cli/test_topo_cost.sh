#!/bin/sh
# What hardware costs, as orrery topo show tells it and sweeps weigh it; by hand from Tables 1 and 2 of TopoOpt
# (docs/models.md, section 3; the counting itself is tests/unit/test_cost.c).
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# tells ARGUMENT... <<END: orrery topo show prints the lines before END at its end
tells() {
    cat >want
    "$ORRERY_BIN" topo show "$@" >out 2>&1 </dev/null || fail "$*: $(cat out)"
    tail -n "$(wc -l <want)" out >end
    cmp -s want end || fail "$*: $(diff want end)"
}

# refuses ARGUMENT... <<END: orrery ends with status 2 and these lines
refuses() {
    cat >want
    "$ORRERY_BIN" "$@" >out 2>&1 </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status: $(cat out)"
    cmp -s want out || fail "$*: $(diff want out)"
}

# ---- prices: 16 servers of 4 x 100 Gb/s ----
#
# A server: two cards 1630, 4 transceivers 396, 8 panel ports 800, 4 1x2 switches 100, 4 fibres 600.
cat >panels.yml <<'END'
network:
  graph: {npus: 16, fabric: "circulant:1,5", bandwidth: 100 Gb/s}
  cost:
    optical: patch-panel
    discounts: {panel_port: 0.5}
    watts: {nic: 20, transceiver: 3.5}
END
tells panels.yml <<'END'
cost of hardware            number        dollars          watts
NICs                            32          26080            640
transceivers                    64           6336            224
panel ports                    128           6400              0
1x2 switches                    64           1600              0
optical fibres                  64           9600              0
all                                         50016            864
END
tells panels.yml --discount panel_port=0 --cards single --fibres false --watts nic=0 --loss-budget 2 <<'END'
cost of hardware            number        dollars          watts
NICs                            64          43392              0
transceivers                    64           6336            224
panel ports                    128          12800              0
1x2 switches                    64           1600              0
all                                         64128            224
A circuit through a patch panel loses at most 1.96 dB of 2 dB.
END
tells circulant:1,5 --npus 16 --bandwidth 100Gb/s --optical silicon-photonics <<'END'
NICs                            32          26080
transceivers                    64           6336
OCS ports                       64              -
optical fibres                  64           9600
all                                             -
No price: silicon photonics switch, which is not commercial
END
tells ideal-switch --npus 16 --bandwidth 400Gb/s --ideal parallel-trees --degree 4 <<'END'
NICs                            64          43392
transceivers                   384          38016
switch ports                   320          59840
optical fibres                 192          28800
all                                        170048
END
# Nobody joins levels of a tree by an optical layer: its loss does not matter.
tells fat-tree --npus 16 --bandwidth 100Gb/s --optical ocs --loss-budget 2 --fibres false <<'END'
NICs                            16          10848
transceivers                    96           9504
switch ports                    80          14960
all                                         35312
END
tells circulant:1,5 --npus 16 --bandwidth 100Gb/s --optical ocs --loss-budget 2.7 <<'END'
all                                         75296
A circuit through an optical circuit switch (3D MEMS) loses at most 2.7 dB of 2.7 dB.
END
# SiP-ML: circuits, and nobody sells what moves them.
cat >circuits.yml <<'END'
network:
  graph: {npus: 8}
  circuits: {ports: 4, bandwidth: 100 Gb/s, period: 10 ms}
END
tells circuits.yml <<'END'
NICs                            16          13040
transceivers                    32           3168
optical fibres                  32           4800
all                                             -
No price: what moves the circuits
END
tells circuits.yml --optical ocs <<'END'
NICs                            16          13040
transceivers                    32           3168
OCS ports                       32          16640
optical fibres                  32           4800
all                                         37648
END
# Circuits that are dark for less than the switch takes, which is told; and for as long.
for technology in ocs patch-panel; do
    "$ORRERY_BIN" topo show circuits.yml --optical $technology --set network.circuits.reconfiguration=25us >/dev/null 2>err
    grep -q 'takes .* to reconfigure, but network.circuits are dark for less' err || fail "$technology in 25 us: $(cat err)"
done
"$ORRERY_BIN" topo show circuits.yml --optical ocs --set network.circuits.reconfiguration=10ms \
    --set network.circuits.period=1s >/dev/null 2>err || fail "ocs in 10 ms: $(cat err)"
[ ! -s err ] || fail "ocs in 10 ms: $(cat err)"
"$ORRERY_BIN" topo show circuits.yml --json - >out 2>err || fail "no JSON"
grep -q '"dollars": null' out || fail "JSON: a price without technology"
"$ORRERY_BIN" topo show panels.yml --json - >out || fail "no JSON"
for line in '"dollars": 50016.0' '"watts": 864.0' '"circuit_loss_db": 1.96' '"dollars_per_port": 50.0' '"joined": 16'; do
    grep -qF -- "$line" out || fail "JSON without $line"
done

# ---- what cannot be built ----

refuses topo show circulant:1,5 --npus 432 --bandwidth 100Gb/s --optical ocs <<'END'
cost of hardware: 432 NPUs need as many ports on each optical circuit switch (3D MEMS), which has 384 unless "ports" says otherwise
END
refuses topo show circulant:1,5 --npus 1009 --bandwidth 100Gb/s --optical patch-panel <<'END'
cost of hardware: 1009 NPUs need as many ports on each patch panel, which has 1008 unless "ports" says otherwise
END
"$ORRERY_BIN" topo show circulant:1,5 --npus 432 --bandwidth 100Gb/s --optical ocs --optical-ports 432 >out 2>&1 ||
    fail "432 ports are too few: $(cat out)"
"$ORRERY_BIN" topo show circulant:1,5/4 --npus 64 --bandwidth 100Gb/s --optical ocs --optical-ports 16 >out 2>&1 ||
    fail "16 racks do not fit: $(cat out)"
sed 's/optical: patch-panel/&\n    ports: 15/' panels.yml >few.yml
refuses topo show few.yml <<'END'
few.yml:5:5: network.cost.ports: 16 NPUs need as many ports on each patch panel, which has 15
END
sed 's/optical: patch-panel/&\n    loss_budget: 1.5/' panels.yml >dim.yml
refuses topo show dim.yml <<'END'
dim.yml:5:5: network.cost.loss_budget: a circuit loses 1.96 dB (patch panel 0.5 dB, 1x2 switch at each end 0.73 dB), which is more than the budget of 1.5 dB
END
refuses topo show circulant:1,5 --npus 16 --bandwidth 100Gb/s --optical ocs --loss-budget 2.6 <<'END'
cost of hardware: a circuit loses 2.7 dB (optical circuit switch (3D MEMS) 2.7 dB), which is more than the budget of 2.6 dB
END
refuses topo show panels.yml --discount nic=1.5 <<'END'
--set: network.cost.discounts.nic: expected a number from 0 to 1, got "1.5"
END
refuses topo show circulant:1,5 --npus 16 --bandwidth 100Gb/s --discount panel_port=-0.1 <<'END'
--set: network.cost.discounts.panel_port: expected a number from 0 to 1, got "-0.1"
END
refuses topo show circulant:1,5 --npus 16 --discount wire=0.1 <<'END'
orrery topo: --discount: expected PART=NUMBER with a part of nic, transceiver, switch_port, panel_port, ocs_port, one_by_two_switch or fibre, got "wire=0.1"
END
refuses topo show ideal-switch --npus 16 --bandwidth 400Gb/s --ideal parallel-trees <<'END'
cost of hardware: an ideal switch as parallel trees needs their number, "degree"
END
cat >ring.yml <<'END'
network:
  topology: Ring(8)
  bandwidth: 10 GB/s
  cost: {optical: ocs}
workload: {generate: all_reduce, bytes: 1 MB}
END
refuses run ring.yml <<'END'
ring.yml:4:3: network.cost: only a network.graph has a price
END

# ---- sweeps: 8 servers, 100 Gb/s an interface ----
#
# A server with four interfaces behind panels 3526, with one at an ideal switch 2657, with two behind panels 815 + 2 x 474.
cat >sweep.yml <<'END'
sweep:
  platform: base.yml
  axes:
    network.graph.fabric: ["circulant:1,3", ideal-switch, "circulant:1"]
  cost: network.dollars
END
cat >base.yml <<'END'
network:
  graph: {npus: 8, fabric: ideal-switch, bandwidth: 100 Gb/s, latency: 1 us}
  cost: {optical: patch-panel, watts: {nic: 20}}
workload: {generate: all_reduce, bytes: 8 MB}
END
# costs FILE: those of its points, as whole numbers
costs() {
    sed -n 's/.*"cost": *\([0-9]*\).*/\1/p' "$1" | tr '\n' ' '
}
"$ORRERY_BIN" sweep sweep.yml >out 2>&1 || fail "$(cat out)"
[ "$(costs sweep.jsonl)" = "28208 21256 14104 " ] || fail "dollars: $(costs sweep.jsonl)"
grep -q '^Pareto' out || fail "no Pareto list: $(cat out)"
sed -e 's/cost: network.dollars/cost: network.watts/' -e 's/  platform/  where: network.dollars <= 21256\n&/' sweep.yml >watts.yml
"$ORRERY_BIN" sweep watts.yml >out 2>&1 || fail "$(cat out)"
[ "$(costs watts.jsonl)" = "160 160 " ] || fail "watts: $(costs watts.jsonl)"
sed 's/optical: patch-panel, watts: {nic: 20}/optical: rotornet/' base.yml >blank.yml
sed 's/base.yml/blank.yml/' sweep.yml >none.yml
"$ORRERY_BIN" sweep none.yml >out 2>&1 || fail "$(cat out)"
# Nobody sells what joins two of the three: these keep their times, have no cost, and are no choice at any.
grep -q '^3 points, 0 failed' out || fail "without a price: $(cat out)"
[ "$(grep -c '"cost": null' none.jsonl)" = 2 ] || fail "cost: $(cut -c1-300 none.jsonl)"
[ "$(costs none.jsonl)" = " 21256  " ] || fail "dollars: $(costs none.jsonl)"
[ "$(sed -n '/^Pareto/,$p' out | grep -c '^ *[0-9]')" = 1 ] || fail "Pareto list: $(cat out)"
[ "$("$ORRERY_BIN" sweep none.yml --restart --best time | sed -n '/^best/,/^$/p' | grep -c ' -  ')" = 2 ] || fail "table by time"
[ "$("$ORRERY_BIN" sweep none.yml --restart --best cost | sed -n '/^best/,/^$/p' | grep -c '^ *[0-9]')" = 1 ] || fail "table by cost"
cp none.csv all.csv
"$ORRERY_BIN" sweep none.yml >out 2>&1 && cmp -s none.csv all.csv || fail "gone on: $(diff none.csv all.csv)"
column=$(head -n 1 none.csv | tr ',' '\n' | grep -n '^cost$' | cut -d: -f1)
[ "$(tail -n +2 none.csv | sed 's/"[^"]*"/f/g' | cut -d, -f"$column" | tr '\n' ' ')" = " 21256  " ] || fail "CSV: $(cat none.csv)"
sed 's/  platform/  where: network.dollars <= 30000\n&/' none.yml >paid.yml
"$ORRERY_BIN" sweep paid.yml --dry-run >out 2>err
[ "$(grep -c '^[0-9]' out)" = 1 ] || fail "where: $(cat out)"
grep -qx 'paid.yml: warning: sweep.where: 2 of 3 points are left out: the network has no price: RotorNet switch has none' err || fail "where: $(cat err)"
printf '%s\n' 'sweep:' '  platform: ring2.yml' '  axes: {network.latency: [1 us]}' '  cost: network.dollars' >blocks.yml
grep -v cost ring.yml >ring2.yml
"$ORRERY_BIN" sweep blocks.yml >out 2>&1
grep -qF 'only a network.graph has one' blocks.jsonl || fail "no reason: $(cut -c1-300 blocks.jsonl)"

[ "$failures" -eq 0 ]
