#!/bin/sh
# orrery bench-collective: times and bandwidths by hand, the mark of the fastest, and refusals.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" bench-collective "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF -- "$expected" err || fail "$*: no \"$expected\" in: $(cat err)"
}

# without_sizes FILE: takes out the last five columns, which make it a measured table.
without_sizes() {
    sed 's/\(,[^,]*\)\{5\}$//' "$1" >short && mv short "$1"
}

# One chunk on Ring(4): 4000 bytes are six blocks of 1000 bytes, 1 us on the wire and 1 us of latency
# each: 12 us. algbw 4000 / 12 us = 333.333 MB/s, busbw 2 (4 - 1) / 4 of it = 500 MB/s. 16000 bytes:
# 6 (4 + 1) = 30 us, 533.333 and 800 MB/s.
set -- --topology 'Ring(4)' --bandwidth '1 GB/s' --latency '1 us' --set system.chunks=1
"$ORRERY_BIN" bench-collective "$@" --min '4000 B' --max '16000 B' --csv csv >out 2>err ||
    fail "exit status $?: $(cat err)"
grep -q '^4000,ring,.*,4000,4000,all_reduce,4,4$' csv || fail "sizes: $(cat csv)"
without_sizes csv
cp csv csv1
grep -qx '4000,ring,baseline,12000000,3.33333e+08,5e+08,0' csv ||
    grep -qx '4000,ring,baseline,12000000,3.33333e+08,5e+08,1' csv || fail "4000 B: $(cat csv)"
grep -q '^16000,by block,baseline,30000000,5.33333e+08,8e+08,' csv || fail "16000 B: $(cat csv)"
[ "$(grep -c ',1$' csv)" -eq 2 ] || fail "not one mark for each size: $(cat csv)"
[ "$(grep -c '  \*$' out)" -eq 2 ] || fail "not one mark for each size: $(cat out)"
grep -qx 'all_reduce on 4 NPUs; one dimension: there is nothing to schedule' out || fail "$(cat out)"
! grep -q themis csv || fail "a single dimension has nothing to schedule: $(cat csv)"

# The mark is at the smallest time, and a run with these settings takes that time.
conv=$ORRERY_SOURCE_DIR/inputs/platforms/conv_3d.yml
"$ORRERY_BIN" bench-collective "$conv" --min '16 MiB' --max '16 MiB' --csv csv --jobs 2 >/dev/null
without_sizes csv
least=$(tail -n +2 csv | sort -t, -k4n | head -1 | cut -d, -f4)
[ "$(sed -n 's/,1$//p' csv | cut -d, -f4)" = "$least" ] || fail "the mark is not at $least: $(cat csv)"
themis=$("$ORRERY_BIN" run "$conv" --set 'workload={generate: all_reduce, bytes: 16 MiB}' \
    --set system.scheduler=themis --json - | sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p')
grep -q "^16777216,by block,themis,$themis," csv || fail "themis alone takes $themis: $(cat csv)"
baseline=$(sed -n 's/^16777216,by block,baseline,\([0-9]*\),.*/\1/p' csv)
best=$(sed -n 's/^16777216,by block,best,\([0-9]*\),.*/\1/p' csv)
[ "$best" -eq "$((themis < baseline ? themis : baseline))" ] || fail "best is neither: $(cat csv)"

# The turnaround: of one chunk the whole time; all other columns stay. 8000 bytes in two chunks, whose blocks of 1000 bytes
# share the ports: a port sends one of each in turn, and a step's 1 us of latency is over when the other's 1 us is. Six steps
# of 2 us; the first chunk is there at 12 us, the second 1 us later.
"$ORRERY_BIN" bench-collective "$@" --min '4000 B' --max '16000 B' --turnaround --csv turn >out 2>err ||
    fail "--turnaround: exit status $?: $(cat err)"
without_sizes turn
sed 's/,[^,]*$//' turn | cmp - csv1 || fail "--turnaround changes other columns: $(cat turn)"
tail -n +2 turn | awk -F, '$4 != $8 {exit 1}' || fail "one chunk turns at its end: $(cat turn)"
grep -q '^4000,ring,baseline,12000000,3.33333e+08,5e+08,0,12000000$' turn || fail "turnaround: $(cat turn)"
grep -q ' busbw     turnaround$' out && grep -q ' ring  *baseline .* 12.000 us$' out || fail "turnaround: $(cat out)"
"$ORRERY_BIN" bench-collective "$@" --set system.chunks=2 --min '8000 B' --max '8000 B' --turnaround --csv turn >out 2>err ||
    fail "--turnaround, 2 chunks: exit status $?: $(cat err)"
without_sizes turn
grep -q '^8000,ring,baseline,13000000,.*,12000000$' turn || fail "2 chunks: $(cat turn)"

# turns WALL TURNAROUND OPTION...: 64 MiB on a DGX-1 by the paper's two trees, in 25 chunks each of 1342178 bytes at 22.3 GB/s
# and 7 us: 67.187 us a step. Deepest path 4 hops each way (a detour among them): the first chunk is back after 8 steps, the
# last after 8 + 24. Where the root waits for all, 4 + 24 steps up and 4 + 24 down: back after 28 + 4 = 32 steps, all after 56.
trees=$ORRERY_SOURCE_DIR/inputs/platforms/dgx1_v100_trees.yml
turns() {
    wall=$1 turnaround=$2
    shift 2
    "$ORRERY_BIN" bench-collective "$trees" --min '64 MiB' --max '64 MiB' --turnaround --csv - "$@" >turn 2>err ||
        fail "trees $*: exit status $?: $(cat err)"
    without_sizes turn
    [ "$(wc -l <turn)" -eq 2 ] || fail "trees $*: only they take these settings: $(cat turn)"
    grep -q "^67108864,trees,auto,$wall,.*,1,$turnaround$" turn || fail "trees $*: $(cat turn)"
}
turns 2149995360 537498840
turns 3762491880 2149995360 --set system.phased=true
# As many chunks of a collective as are named are of any algorithm's: the trees stand before the others.
"$ORRERY_BIN" bench-collective "$trees" --set system.chunks_of.all_reduce=50 --min '64 MiB' --max '64 MiB' --turnaround \
    --csv turn >out 2>err || fail "trees among others: exit status $?: $(cat err)"
without_sizes turn
sed -n 2p turn | grep -q '^67108864,trees,auto,2149995360,.*,537498840$' && grep -q '^67108864,ring,' turn ||
    fail "trees among others: $(cat turn)"

# All-reduces as a whole stand before the others too, which do not take their place: 64 MiB around six rings are 14 steps of
# 4.7 us and 1398102 bytes at 22.3 GB/s, 943.53 us; chunks around the same rings overlap their steps; a single ring is not as fast.
"$ORRERY_BIN" bench-collective "${trees%_trees.yml}.yml" --min '64 MiB' --max '64 MiB' --csv turn >out 2>err ||
    fail "whole: exit status $?: $(cat err)"
without_sizes turn
sed -n 2p turn | grep -q '^67108864,whole ring,auto,94353....,.*,0$' || fail "whole: $(cat turn)"
grep -q '^67108864,auto,auto,9114[0-9]*,.*,1$' turn || fail "rings in phases: $(cat turn)"
awk -F, '$2 == "ring" && $4 > 2e9 { found = 1 } END { exit !found }' turn || fail "one ring: $(cat turn)"

# Old and new side by side. Rings of the library between two nodes of 8: all-gathers of 1 GiB by each are bound by NICs of
# 50 GB/s, 0.9 of 8 of them; of 100 GB/s by NVLink, 370 GB/s. 15/16 x 16 GiB / 360 GB/s = 44.7392 ms, / 370 = 43.5301 ms, and
# 8 + 6.6 + 14 x 3.4 + 14 us of launch and steps.
"$ORRERY_BIN" bench-collective hgx_h100_256 --set 'network.topology=Switch(8)_Switch(2)' --collective all_gather --min '1 GiB' \
    --max '1 GiB' --compare 'network.dims[1].bandwidth=100 GB/s' --csv csv --json json >out 2>err ||
    fail "--compare: exit status $?: $(cat err)"
grep -Eq '^1073741824,nccl ring Simple,4481544[0-9]*,.*,nccl ring Simple,4360627[0-9]*,.*,0\.973' csv || fail "--compare: $(cat csv)"
grep -qx 'all_gather on 16 NPUs; compared with: network.dims\[1\].bandwidth=100 GB/s' out && grep -q ' -2.7 %$' out ||
    fail "--compare: $(cat out)"
grep -q '"compared_runs"' json || fail "--compare: $(cat json)"
"$ORRERY_BIN" bench-collective "$@" --min '4000 B' --max '16000 B' --compare system.chunks=2 >out 2>err ||
    fail "--compare: exit status $?: $(cat err)"
grep -Eq '^ +4.00 kB|^ +3.91 KiB' out && [ "$(grep -c ' %$' out)" -eq 2 ] || fail "--compare: $(cat out)"
# The other name says the same.
"$ORRERY_BIN" bench-collective "$@" --min '4000 B' --max '16000 B' --beside system.chunks=2 2>err | cmp - out || fail "--beside: $(cat err)"
refuses '--compare: expected PATH=VALUE such as' "$@" --compare 2
refuses '--compare goes without --turnaround' "$@" --compare system.chunks=2 --turnaround
refuses '--compare: expected a platform of as many NPUs, 4, got one of 8' "$@" --compare 'network.topology=Ring(8)'

# A library says what it takes at every size, with its launch; what it does not run is marked, and is not the fastest.
"$ORRERY_BIN" bench-collective hgx_h100_256 --set 'network.topology=Switch(8)_Switch(2)' --min '64 KiB' --max '64 MiB' \
    --factor 1024 --json json >out 2>err || fail "library: exit status $?: $(cat err)"
grep -Eq '^ +64.00 KiB  nccl tree LL .*  \*$' out && grep -Eq '^ +64.00 MiB  nccl nvls_tree .*  \*$' out || fail "library: $(cat out)"
grep -q ' direct  .*  idealised$' out && [ "$(grep -c '\*$' out)" -eq 2 ] || fail "library: $(cat out)"
grep -qx "\* what the platform's library takes, with its launch of 8.000 us (system.library)" out || fail "library: $(cat out)"
grep -q '"launch_ps": 8000000' json && grep -q '"idealised": true' json || fail "library: $(cat json)"

refuses '--min: expected at least a byte for each of the 4 NPUs, got 3 B' "$@" --min '3 B'
refuses '--max is below --min' "$@" --min '2 MiB' --max '1 MiB'
refuses '--min: expected a size such as "1 MiB", got "much"' "$@" --min much
refuses '--factor: expected a whole number from 2 to 1024, got "1"' "$@" --factor 1
refuses '--collective: expected all_reduce, all_gather, reduce_scatter or all_to_all, got "sum"' \
    "$@" --collective sum
refuses '--plot: expected a file that ends in .svg, got "x.png"' "$@" --max '1 MiB' --plot x.png
refuses 'a platform is missing'

# ---- --bound ----

# DGX-1: 7 x 64 MiB over the six links of 22.3 GB/s of a GPU, 3.511 ms; a notation has a graph as well.
"$ORRERY_BIN" bench-collective dgx1_v100 --collective all_gather --bound --min '64 MiB' --max '64 MiB' --json b.json >b.txt ||
    fail "--bound: $(cat b.txt)"
grep -q '"bound_ps": 3510927116' b.json && grep -q '"optimum_ps": 3510927116' b.json && grep -q '3.511 ms, the optimum' b.txt ||
    fail "--bound: $(grep bound_ps b.json) $(cat b.txt)"
"$ORRERY_BIN" bench-collective --topology 'Switch(8)' --bandwidth '100 GB/s' --latency '1 us' --bound --min '1 MB' --max '1 MB' >b.txt &&
    grep -q '17.500 us, the optimum' b.txt || fail "--bound on a switch: $(cat b.txt)"

[ "$failures" -eq 0 ] && echo "bench-collective: as worked out"
exit $((failures > 0))
