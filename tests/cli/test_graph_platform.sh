#!/bin/sh
# Platforms whose network is a graph: the example runs, links and traffic are
# told, what-if scales the links, and what does not go with a graph is refused.
set -u

# What libraries for drawing keep for the whole process.

example=$ORRERY_SOURCE_DIR/examples/fabrics
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# equal WHAT EXPECTED FOUND
equal() {
    [ "$2" = "$3" ] || fail "$1: expected $2, found $3"
}

# ---- the example ----

export ORRERY_BIN
"$example/run.sh" out >shown 2>&1 || fail "run.sh: exit status $?: $(cat shown)"
[ -s out/torus.svg ] || fail "no picture"

# ---- the pages' own examples ----

# The first two blocks of the section on graphs, as they stand: a fabric with a failure and a change, and links.
awk '/^## / { section = /^## Graphs/ } /^[^ ]/ { on = 0 } section && /^    network:/ { n++; on = 1 }
    on { sub(/^    /, ""); print >("page" n ".yml") }' \
    "$ORRERY_SOURCE_DIR/docs/file-formats.md"
for page in page1 page2; do
    "$ORRERY_BIN" run $page.yml --set 'workload={generate: all_reduce, bytes: 1 MiB}' --set system.chunks=1 \
        >printed 2>err ||
        fail "docs/file-formats.md, $page: $(cat err)"
    grep -v 'network.graph.rings has no effect' err >said && fail "docs/file-formats.md, $page: $(cat said)"
done

# ---- links and traffic, by hand ----

# Three NPUs at a switch, ring all-reduce of 3 MiB in one chunk: 4 steps of 1 MiB from each NPU to
# the next, so every link carries 4 MiB, and each NPU sends 4 MiB to the next one only. With
# 1 MiB/us a link and no latency: 4 us.
cat >star.yml <<'END'
network:
  graph:
    npus: 3
    switches: 1
    names: [a, b, c, tor]
    bandwidth: 1048.576 GB/s
    links: [{from: a, to: tor}, {from: b, to: tor}, {from: c, to: tor}]
system: {chunks: 1, algorithms: {all_reduce: ring}}
workload: {generate: all_reduce, bytes: 3 MiB}
END
for backend in flow congestion; do
    "$ORRERY_BIN" run star.yml --set network.backend=$backend --link-stats links.csv \
        --traffic-matrix traffic.csv --json - >result.json || fail "star: exit status $?"
    # store-and-forward takes twice as long: the switch sends on what it has as a whole
    us=$(sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p' result.json)
    equal "$backend: wall_ps" "$([ $backend = flow ] && echo 4000000 || echo 8000000)" "$us"
    equal "$backend: links" "from,to,links,bandwidth_bytes_per_s,latency_ps,bytes
a,tor 4194304
b,tor 4194304
c,tor 4194304
tor,a 4194304
tor,b 4194304
tor,c 4194304" "$(awk -F, 'NR == 1 { print $1 "," $2 "," $3 "," $4 "," $5 "," $6 }
        NR > 1 { print $1 "," $2 " " $6 }' links.csv)"
    equal "$backend: traffic" 'from\to,0,1,2
0,0,4194304,0
1,0,0,4194304
2,4194304,0,0' "$(cat traffic.csv)"
    grep -q '"bandwidth_tax": 1.0' result.json || fail "$backend: $(cat result.json)"
done
"$ORRERY_BIN" run star.yml >shown || fail "star: exit status $?"
grep -q '^6 links, used 100.0 % on average, 100.0 % from a to tor; bandwidth tax 1.000$' shown ||
    fail "star: $(cat shown)"
"$ORRERY_BIN" run star.yml --traffic-matrix traffic.svg >shown || fail "svg: exit status $?"
grep -q '<svg' traffic.svg || fail "no heatmap"

# Traffic of any network, and every NPU of it though they do alike.
"$ORRERY_BIN" run --topology 'Ring(4)' --bandwidth '1 GB/s' \
    --set system.algorithms.all_reduce=ring --set 'workload={generate: all_reduce, bytes: 4 MiB}' --traffic-matrix ring.csv >shown ||
    fail "ring: exit status $?"
equal "traffic of a ring" 'from\to,0,1,2,3
0,0,6291456,0,0
1,0,0,6291456,0
2,0,0,0,6291456
3,6291456,0,0,0' "$(cat ring.csv)"

# More rows than CSV is written for: told before the run, without a file.
"$ORRERY_BIN" run --topology 'Ring(16385)' --bandwidth '1 GB/s' \
    --set 'workload={generate: all_reduce, bytes: 4 MiB}' --traffic-matrix many.csv >shown 2>said
equal "16385 NPUs: exit status" 2 "$?"
equal "16385 NPUs" 'orrery run: --traffic-matrix: expected at most 16384 servers for CSV, got 16385; a file that ends in .svg takes more' "$(cat said)"
[ -e many.csv ] && fail "many.csv is left behind"

# ---- reruns, failures, what if ----

cat >tree.yml <<'END'
network:
  graph: {npus: 16, fabric: fat-tree, bandwidth: 100 Gb/s, latency: 1 us}
workload: {generate: all_to_all, bytes: 16 MiB}
END
time_of() { "$ORRERY_BIN" run "$@" --json - | sed -n 's/.*"wall_ps": \([0-9]*\).*/\1/p'; }
first=$(time_of tree.yml)
equal "a rerun" "$first" "$(time_of tree.yml)"
[ "$first" != "$(time_of tree.yml --set network.seed=2)" ] || fail "the seed chooses no paths"
[ "$(time_of tree.yml --set 'network.failures=[16-24]')" -gt "$first" ] ||
    fail "a failed uplink makes nothing slower"
"$ORRERY_BIN" whatif tree.yml >shown || fail "whatif: exit status $?"
# The fullest of the links between switches has 1.288 ms of work, an NPU's own 1.258 ms.
for line in 'communication free' '2x bandwidth of links between switches' 'no latency ' \
    'without effect: 2x bandwidth of links of NPUs'; do
    grep -q "^$line" shown || fail "whatif: no $line: $(cat shown)"
done
"$ORRERY_BIN" bench-collective tree.yml --min '1 MiB' --max '1 MiB' >shown ||
    fail "bench-collective: exit status $?"
grep -q 'halving_doubling' shown || fail "bench-collective: $(cat shown)"
for routing in shortest ecmp k-shortest; do
    [ -n "$(time_of tree.yml --set network.routing=$routing)" ] || fail "routing $routing"
done

# Around the ring of eight, 2 x 7 x (100 us + 1 us): k-shortest leaves its steps on their links, and
# takes them off these where it may.
cat >jumps.yml <<'END'
network: {graph: {npus: 8, fabric: "circulant:1,3", bandwidth: 10 GB/s, latency: 1 us}, routing: k-shortest}
system: {chunks: 1, algorithms: {all_reduce: ring}}
workload: {generate: all_reduce, bytes: 8 MB}
END
equal "a ring by k-shortest" 1414000000 "$(time_of jumps.yml)"
equal "a ring by ecmp" 1414000000 "$(time_of jumps.yml --set network.routing=ecmp)"
[ "$(time_of jumps.yml --set network.ring_links=false)" -gt 2000000000 ] ||
    fail "network.ring_links: false changes nothing"

one='--set system.chunks=1 --set network.backend=congestion'
# shellcheck disable=SC2086 # words
[ "$(time_of tree.yml $one --set 'network.packet=64 KiB')" -lt \
    "$(time_of tree.yml $one)" ] || fail "packets are no faster"
[ -n "$(time_of tree.yml --set 'network.packet=9000 B' --set network.shares=windows)" ] ||
    fail "windows"

# ---- links that change ----

# A link down for good: the job cannot finish, and the link is named. Down from 1 us until 2 us of
# the 4 us: 5 us.
"$ORRERY_BIN" run star.yml --set 'network.changes=[{at: 1 us, link: a-tor, bandwidth: 0}]' \
    >shown 2>&1
equal "a link that stays down: exit status" 3 $?
grep -q 'flows\{0,1\} \(is\|are\) stalled; the link from a to tor carries nothing' shown ||
    fail "a link that stays down: $(cat shown)"
equal "a link that comes back" 5000000 "$(time_of star.yml --set \
    'network.changes=[{at: 1 us, link: a-tor, bandwidth: 0}, {at: 2 us, link: a-tor, bandwidth: 1048.576 GB/s}]')"

# An all-reduce of 4 MB on a torus of 2x2, 10 GB/s and 1 us: 2 MB each way in dimension 1 (201 us),
# 1 MB twice in dimension 2 (202), 2 MB in dimension 1 again: 604 us. The link 0-1 dies at half of
# that: from 403 us on 0 and 1 send each other their 2 MB over 2 and 3, whose link carries 2 MB each
# way too. congestion: 0-2 until 604, 2-3, free since 603, until 805, 3-1 until 1006 us; flow: two
# flows share 2-3, 400 us and three latencies, 806 us. When it dies at 503 us, in the middle of the
# last 2 MB: congestion starts anew, 0-2 until 704, 905, 1106 us; flow has 1 MB left on both flows:
# 200 us and three latencies, 706 us.
cat >torus.yml <<'EOF'
network:
  graph: {npus: 4, fabric: "torus:2x2", bandwidth: 10 GB/s, latency: 1 us}
  reroute: true
system: {chunks: 1, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 4 MB}
EOF
for backend in congestion flow; do
    equal "a torus on $backend" 604000000 "$(time_of torus.yml --set network.backend=$backend)"
done
for case in congestion:302:1006 congestion:503:1106 flow:302:806 flow:503:706; do
    at=${case#*:} backend=${case%%:*}
    equal "a link that dies: $case" "${at#*:}000000" "$(time_of torus.yml --set \
        "network.changes=[{at: ${at%:*} us, link: 0-1, working: 0}]" --set network.backend=$backend)"
done

# ---- refused ----

# refuses EXPECTED ARGUMENT...
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" run "$@" >shown 2>&1
    equal "run $*: exit status" 2 $?
    equal "run $*" "$expected" "$(cat shown)"
}
refuses "orrery run: --link-stats: the platform's network is a stack of dimensions; links need network.graph" \
    --topology 'Ring(4)' --bandwidth '1 GB/s' --set 'workload={generate: all_reduce, bytes: 4 MiB}' \
    --link-stats -
refuses "--set: system.dimension_service: phase needs a network of dimensions, got a graph; expected message" \
    tree.yml --set system.dimension_service=phase
refuses "--set: system.algorithms.all_reduce: switch_reduce reduces inside a switch, but dimension 1 is no switch" \
    tree.yml --set 'system.algorithms={all_reduce: switch_reduce}'

[ $failures -eq 0 ]
