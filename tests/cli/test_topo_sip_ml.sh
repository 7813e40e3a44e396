#!/bin/sh
# orrery topo sip-ml: the numbers of SiP-ML's sections 3.1, 3.3 and 5 (by hand in tests/unit/test_sip_hardware.c), in each
# format, and what is said about wrong options.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# tells LINE ARGUMENT...: the line is among what is printed
tells() {
    line=$1
    shift
    "$ORRERY_BIN" topo sip-ml "$@" >out 2>&1 </dev/null || fail "$*: $(cat out)"
    grep -qxF -e "$line" out || fail "$*: no line \"$line\" in: $(cat out)"
}

# refuses LINE ARGUMENT...: exit status 2, and this is what is said first
refuses() {
    line=$1
    shift
    "$ORRERY_BIN" topo sip-ml "$@" >out 2>&1 </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status: $(cat out)"
    [ "$(head -n 1 out)" = "$line" ] || fail "$*: said \"$(head -n 1 out)\", expected \"$line\""
}

# ---- tables ----

tells '220      11           0.9167            0.9091' --reconfiguration '20 us' --hold '220 us'
tells ' 100       4           0.8000            0.7500'
tells '        10       0.625              16           2              4'
tells '        10       0.525              19           2              4' --ring-db 0.025
tells 'SiP-Ring       320           25           8000          320      4         4096' --wavelengths 320
tells 'SiP-OCS         16          625          10000          400      5         5120' --bandwidth '10 Tb/s'
tells 'chips in mass production   740.80   chip   3792896   3792896            0.452'
tells 'Clos        yes       3   144  28753920  6.625        yes   1023     1.0000   1.0000'
tells 'BCube       yes       1    48   9584640  2.625        yes    385     1.0000   0.9531'
tells 'BCube       yes       1    48   9584640  2.625        yes     62     1.0000   0.5000' --radix 32
tells 'flat        yes       1    16  8519680  2.625        yes   1023     1.0000   1.0000' --ocs-ports 1024
# An OCS of 1024 ports: 64 + 64 of 16; 16 in the middle of 64 ports: 4 + 4, and 16 of 4 ports, four an OCS; 320 in all.
tells 'Clos        yes       5  5120  42598400  10.625         no   1023     1.0000   1.0000' --ocs-ports 16
tells '  64       16     80      3        2    196      132     47     1.0000   1.0000' --rows 32,64
# Without other groups, nobody sends between them.
tells '  32       32     64      3        2    196      132     62     0.0606        -' --group 1024
tells '100       -           1.0000            1.0000' --reconfiguration '0 us' --hold '100 us'

# Beyond what a column holds.
tells 'chips in mass production    5e+28   chip  2.56e+32  2.56e+32         3.051758e+25' --mass-factor 1e-11 --run-euros 1e12 --dollars-per-euro 1e7

# ---- CSV and JSON ----

"$ORRERY_BIN" topo sip-ml --csv all.csv >out 2>&1 || fail "--csv: $(cat out)"
[ -s out ] && fail "--csv FILE prints: $(cat out)"
for line in table,row,figure,value duty_cycle,250,slot_duty,0.9 power_budget,10,reach,16 interfaces,SiP-OCS,chips,5 \
    'cost,chips of a small run,dollars_each,4408' switches,Clos,switches,144 switches,BCube,around,0.953125 bcube,1,most,3 rings,32,rings,64; do
    grep -qxF "$line" all.csv || fail "CSV without $line"
done
awk -F, 'NF != 4 { exit 1 }' all.csv || fail "CSV: a line has other than four fields"
"$ORRERY_BIN" topo sip-ml --csv - --gpus 64 >out 2>&1 && grep -qx 'switches,flat,possible,yes' out || fail "--csv -: $(cat out)"
"$ORRERY_BIN" topo sip-ml --json --gpus 64 >out 2>&1 || fail "--json: $(cat out)"
for line in '"gpus": 64' '"bandwidth_bytes_per_s": 1024000000000.0' '"reconfiguration_ps": 25000000' '"possible": true' '"reach": 16' \
    '"run_euros": 80000.0' '"fabric": "BCube"'; do
    grep -qF -- "$line" out || fail "JSON without $line"
done

# ---- what cannot be ----

refuses 'orrery topo: --gpus: expected a whole number from 2 to 16777216, got "0"' --gpus 0
refuses 'orrery topo: --wavelengths: expected a whole number from 1 on, got "0"' --wavelengths 0
refuses 'orrery topo: --wavelengths: expected a whole number from 1 to 4096, got "5000"' --wavelengths 5000
refuses 'orrery topo: --ocs: expected a whole number from 1 to 4096, got "0"' --ocs 0
refuses 'orrery topo: --hold: expected at most 32 times above 0 such as "100 us,1 ms", got "0 us"' --hold '0 us'
refuses 'orrery topo: --hold: expected at most 32 times above 0 such as "100 us,1 ms", got "1 us,"' --hold '1 us,'
refuses 'orrery topo: --ocs-ports: expected a whole number from 2 to 16777216, got "1"' --ocs-ports 1
refuses 'orrery topo: --radix: expected a whole number from 2 to 384, got "385"' --radix 385
refuses 'orrery topo: --radix: expected a whole number from 1 on, got "0"' --radix 0
refuses 'orrery topo: --budget-db: expected at least the 0.625 dB that light loses at one node, got "0.6"' --budget-db 0.6
refuses 'orrery topo: --budget-db: expected a number from 0 to 1e12, got "-1"' --budget-db -1
refuses 'orrery topo: --coupler-db: expected a loss of a node above 0, got 0 with ring-db' --coupler-db 0 --ring-db 0
refuses 'orrery topo: --bandwidth: expected a positive bandwidth such as "50 GB/s", got "8192"' --bandwidth 8192
refuses 'orrery topo: --reconfiguration: expected at most 12 hours, got 1e+06 s' --reconfiguration '1000000 s'
refuses 'orrery topo: --rows: expected numbers that divide the 1024 GPUs, got "7"' --rows 16,7
refuses 'orrery topo: --rows: expected at most 16 numbers of rows such as "16,32", got "0"' --rows 0
refuses 'orrery topo: --mass-factor: expected a number above 0, got "0"' --mass-factor 0
refuses 'orrery topo: --group: expected a whole number from 1 to 1024, got "1025"' --group 1025
refuses 'orrery topo: --group: expected at most 16 of 16777216 GPUs, whose pairs are looked at, got "32"' --gpus 16777216 --group 32
refuses 'orrery topo: expected one of --json and --csv' --json --csv -
refuses 'orrery topo: unexpected argument torus:4x4' torus:4x4
[ "$failures" -eq 0 ] && echo "orrery topo sip-ml: as expected"
exit $((failures > 0))
