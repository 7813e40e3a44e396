#!/bin/sh
# orrery bench-collective --measured: is the bandwidth normal, by classes of sizes, and what is likely wrong if it is not.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# bench PLATFORM [OPTION...]: rows on standard input.
bench() {
    { echo collective,npus,npus_per_node,bytes,time_us && cat; } >rows.csv
    "$ORRERY_BIN" bench-collective "$@" --measured rows.csv --json rows.json >out 2>err ||
        fail "$*: exit status $?: $(cat err)"
}

# bus BANDWIDTH NPUS [COLLECTIVE]: a row of 16 GiB with that bus bandwidth in GB/s, on nodes of 8.
bus() {
    awk -v bus="$1" -v npus="$2" -v kind="${3:-all_reduce}" 'BEGIN {
        passes = (kind == "all_reduce" ? 2 : 1) * (npus - 1) / npus
        printf "%s,%d,8,17179869184,%.3f\n", kind, npus, passes * 17179869184 / bus / 1e3}'
}

says() {
    grep -qF -- "$1" out || fail "$2: no \"$1\" in: $(cat out)"
}

# ---- two nodes of Hopper ----

# Published: 471 and 472 GB/s with NICs of 400 Gb/s. The switches of a node bound: 0.59 x 450 = 265.5 GB/s, 1.875 of it is
# 497.8; 306 and less is not normal, whatever the platform says of NVLS trees.
for set in system.chunks=64 system.library.nvls_tree=true; do
    for bandwidth in 471.2 472.4; do
        bus $bandwidth 16 | bench hgx_h100_256 --set $set
        grep -Eq '^bus bandwidth at 16.00 GiB: measured 47.*, expected 497.19 GB/s: normal \(5\.[0-3] % below\)$' out ||
            fail "$bandwidth, $set: $(cat out)"
        ! grep -q '^likely' out || fail "a cause of what is normal: $(cat out)"
    done
    bus 306 16 | bench hgx_h100_256 --set $set
    says "expected 497.19 GB/s: 38.5 % below what the platform's library gives" "306, $set"
    ! grep -q normal out || fail "306 is called normal: $(cat out)"
done

# ---- causes ----

# cause BANDWIDTH NPUS TEXT [COLLECTIVE]: the likeliest.
cause() {
    bus "$1" "$2" "${4:-all_reduce}" | bench hgx_h100_256
    says "likely: $3" "$1 GB/s of $2"
}

# A ring of two nodes has 8 NICs of 50 GB/s, 0.9 of them. That is how it is set up, and normal for that.
cause 359.4 16 'no NVLS: '
says ': 0.0 % below, normal for that' 'a ring'
says 'or: a ring in place of a tree (NCCL_ALGO=Ring)' 'a ring'
# Half of the NICs: with switches that reduce 1.875 x 0.9 x 200 = 337.5 GB/s; in a ring 180.
cause 337 16 'half of the NICs, or all at half their rate; expected then 337.21 GB/s'
cause 179 8 'half of the NVLinks'
cause 180 16 'half of the NICs' all_gather
# A rail: 1.875 x 45 and, in a ring, 45. PCIe 5: 64 GB/s, of which collectives get 0.822; PCIe 4 half of it.
cause 84 16 'one rail: a single NIC of each node; expected then 84.36 GB/s'
cause 45 16 'one rail: a single NIC of each node; expected then 44.99 GB/s'
cause 52 8 'PCIe 5 in place of NVLink'
cause 26 8 'PCIe 4 in place of NVLink'
cause 365 8 'no NVLS: '
cause 105 16 'no GPU-direct' all_gather
# Faster: what links cannot carry is no cause of this platform.
cause 1000 16 'wrong data or another platform: links of this one cannot carry as much'
cause 718 16 'NVLinks of twice the rate'

# A platform without NVLS: no switch reduces; one without a library has no settings to blame.
printf 'network: {topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s}, {bandwidth: 25 GB/s}]}\n' >plain.yml
{ cat plain.yml && echo 'system: {library: {name: nccl, gpu: a100}}'; } >a100.yml
bus 90 16 all_gather | bench a100.yml
says 'likely: half of the NICs' 'A100'
bus 186 16 all_gather | bench plain.yml
says 'likely: half of the NICs' 'no library'

# ---- classes of sizes ----

# rows MORE FACTOR: what the platform says, and MORE us in front of it; FACTOR x in the middle.
rows() {
    "$ORRERY_BIN" bench-collective hgx_h100_256 --set 'network.topology=Switch(8)_Switch(2)' --min '1 KiB' --max '4 GiB' \
        --csv - | awk -F, -v more="$1" -v by="$2" '$2 ~ /^nccl/ {
            printf "all_reduce,16,8,%s,%.4f\n", $1, $4 / 1e6 * ($1 > 65536 && $1 < 67108864 ? by : 1) + more}'
}
# A launch that is 10 us longer is normal; one of 150 us more is a late start.
rows 10 1 | bench hgx_h100_256
says 'latency (to 64 KiB) 1.30 x the expected time, normal; middle sizes 1.1' 'launch'
says ' x the expected time, normal; bandwidth (from 64 MiB) 1.01 x the expected time, normal' 'launch'
! grep -q '^likely' out || fail "a cause of what is normal: $(cat out)"
rows 150 1 | bench hgx_h100_256
says 'latency (to 64 KiB) 5.5' 'latency'
says 'likely: a late start: slow launches by the host' 'latency'
says ': normal (0.9 % below)' 'latency'
grep -q '"cause": "a late start' rows.json || fail "no cause: $(cat rows.json)"
grep -q '"latency_ratio": 5.5' rows.json && grep -q '"bandwidth_ratio": 1.08' rows.json || fail "ratios: $(cat rows.json)"
# Nothing that is tried makes only the middle slow.
rows 0 4 | bench hgx_h100_256
says 'latency (to 64 KiB) 1.00 x the expected time, normal; middle sizes 4.00 x the expected time, too long; bandwidth (from 64 MiB) 1.00 x the expected time, normal' 'middle'
says 'likely: none of the causes that were tried explains these times' 'middle'
! grep -q '"cause"' rows.json || fail "a cause: $(cat rows.json)"

# Small and middle sizes alone are judged as their classes are, and say what they do not tell.
rows 10 1 >all.csv
awk -F, '$4 <= 65536' all.csv | bench hgx_h100_256
says ': normal (' 'small sizes'
says '; sizes from 64 MiB tell the bandwidth' 'small sizes'
! grep -q '^likely' out || fail "a cause of a normal latency: $(cat out)"
awk -F, '$4 < 67108864' all.csv | bench hgx_h100_256
says ': normal (' 'middle sizes'
! grep -q '^likely' out || fail "a cause of a normal middle: $(cat out)"
rows 150 1 | awk -F, '$4 <= 65536' | bench hgx_h100_256
! grep -q ': normal' out || fail "150 us more are called normal: $(cat out)"
says 'likely: a late start' 'small sizes, late'

# The expected times say what is in them.
says 'note: expected times include a launch of 8.000 us (system.library.launch)' 'launch'

# ---- recorded logs ----

measured=${ORRERY_SHARED:-$ORRERY_SOURCE_DIR/../shared}/cases/measured
if [ -d "$measured" ]; then
    for set in system.chunks=64 system.library.nvls_tree=true; do
        "$ORRERY_BIN" bench-collective hgx_h100_256 --set $set --measured "$measured/h100_2nodes.csv" >out 2>err
        says ': normal (5.2 % below)' "h100_2nodes.csv, $set"
    done
    "$ORRERY_BIN" bench-collective hgx_h100_256 --measured "$measured/ar8.txt" --collective all_reduce >out 2>err
    says ': normal (3.5 % above)' ar8.txt
    "$ORRERY_BIN" bench-collective hgx_h100_256 --measured "$measured/ar16.txt" --collective all_reduce >out 2>err
    says '; expected then 358.89 GB/s: 0.2 % above, normal for that' ar16.txt
fi

[ "$failures" -eq 0 ] && echo "verdicts: as worked out"
exit $((failures > 0))
