#!/bin/sh
# A new user's first own platform: copied from one that ships, three numbers changed, a key mistyped,
# a unit forgotten, and used with workloads of other sizes. Every text is what the user sees.
set -u

inputs=$ORRERY_SOURCE_DIR/inputs
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# says STEP STATUS ARGUMENT... <<END: a run with these arguments ends with the status, and prints
# (errors and warnings first) what stands before END
says() {
    step=$1 expected=$2
    shift 2
    cat >want
    "$ORRERY_BIN" run "$@" >out 2>err </dev/null
    status=$?
    cat err out | sed 's/[0-9]* events/N events/' >both # how many is not promised
    if [ "$status" -ne "$expected" ] || ! cmp -s want both; then
        printf '%s: exit status %s, expected %s; (<) is expected, (>) what it says:\n' "$step" \
            "$status" "$expected"
        diff want both
        failures=$((failures + 1))
    fi
}

# wall STEP PICOSECONDS ARGUMENT...: the job takes exactly so long
wall() {
    step=$1 expected=$2
    shift 2
    "$ORRERY_BIN" run "$@" --json - >out 2>&1
    found=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out)
    if [ "$found" != "$expected" ]; then
        printf '%s: takes %s ps, expected %s ps: %s\n' "$step" "$found" "$expected" "$(cat out)"
        failures=$((failures + 1))
    fi
}

# change OLD NEW: replaces a text of mine.yml, which must be there
change() {
    grep -qF -- "$1" mine.yml || {
        printf 'mine.yml does not have "%s"\n' "$1"
        failures=$((failures + 1))
    }
    sed "s|$1|$2|" mine.yml >changed && mv changed mine.yml
}

cp "$inputs/platforms/w_2d.yml" mine.yml
cp "$inputs/workloads/all_reduce_1gb.yml" job.yml

# ---- three numbers ----

# In one chunk nothing overlaps. 1 GiB there and back: 31/32 of it in dimension 1, 15/16 of 1/32 in
# dimension 2, both at 250 GiB/s an NPU: 2 (31/32 + 15/512) / 250 s.
change 'chunks: 64' 'chunks: 1'
wall 'one chunk' 7984375000 mine.yml job.yml
# The first dimension twice as fast: 2 (31/32 / 500 + 15/512 / 250) s.
sed "0,/250 GiB/s//500 GiB/" mine.yml >changed && mv changed mine.yml
wall 'twice the bandwidth' 4109375000 mine.yml job.yml
# Half as many NPUs in the second: 7/8 of 1/32; 2 (31/32 / 500 + 7/256 / 250) s.
change 'Switch(16)' 'Switch(8)'
wall 'half the NPUs' 4093750000 mine.yml job.yml
cp mine.yml good.yml

# ---- mistakes ----

sed '0,/bandwidth: 500/s//bandwith: 500/' good.yml >mine.yml
says 'a mistyped key' 2 mine.yml job.yml <<'END'
mine.yml:10:8: network.dims[0].bandwith: unknown key in a dimension whose shape network.topology gives; did you mean "bandwidth"?
END
sed 's/^system:/sistem:/' good.yml >mine.yml
says 'a mistyped section' 2 mine.yml job.yml <<'END'
mine.yml:12:1: sistem: unknown key in a platform with its workload; did you mean "system"?
END
sed 's/500 GiB.s/500/' good.yml >mine.yml
says 'a forgotten unit' 2 mine.yml job.yml <<'END'
mine.yml:10:19: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "500"; a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s
END
sed 's/500 GiB.s/500 Gbps/' good.yml >mine.yml
says 'a unit of other programs' 2 mine.yml job.yml <<'END'
mine.yml:10:19: network.dims[0].bandwidth: expected a positive bandwidth such as "50 GB/s", got "500 Gbps"; "Gbps" is none of the units B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s; did you mean GB/s or Gb/s?
END
sed 's/_Switch(8)//' good.yml >mine.yml
says 'a dimension taken out in one place' 2 mine.yml job.yml <<'END'
mine.yml:7:13: network.topology has 1 dimension, but network.dims has 2
END
cp good.yml mine.yml

# ---- other workloads ----

# Twice the bytes, twice the time: there is no latency.
sed 's/1 GiB/2 GiB/' job.yml >job2.yml
wall 'twice the bytes' 8187500000 mine.yml job2.yml
# Halving and doubling sends 2 log2(n) messages: 256 x 10, of 2 x 31/32 of 2 GiB together, and 256 x 6,
# of 2 x 7/8 of 1/32 of it. The first dimension is busy for 2 x 31/32 x 2 / 500 s of the 8.1875 ms: 94.7 %.
says 'twice the bytes' 0 mine.yml job2.yml <<'END'
job time 8.188 ms on 256 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0-255                       256       8.188 ms           0 ps           0 ps           0 ps           0 ps       8.188 ms           0 ps           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    switch               32    536.87 GB/s         0 ps         2560     992.00 GiB       94.7 %
2    switch                8    268.44 GB/s         0 ps         1536      28.00 GiB        5.3 %

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                  256       2.00 GiB          1       8.188 ms       8.188 ms       8.188 ms           0 ps    522.53 GB/s  halving_doubling

4096 messages, N events
END

"$ORRERY_BIN" gen all_reduce --npus 64 --bytes "1 GiB" --output small >/dev/null || failures=1
"$ORRERY_BIN" gen all_reduce --npus 512 --bytes "1 GiB" --output large >/dev/null || failures=1
printf 'workload: {traces: small}\n' >small.yml
says 'traces of fewer NPUs' 2 mine.yml small.yml <<'END'
small.yml:1:20: rank 64: no file small.64.et or small.64.et.gz; found ranks 0-63; expected one for each of the 256 NPUs of the platform
END
printf 'workload: {traces: large}\n' >large.yml
wall 'traces of more NPUs' 4093750000 mine.yml large.yml
grep -qx 'warning: large.256.et exists, but the platform has only 256 NPUs: the traces of the ranks from 256 on are not used' out || {
    printf 'traces of more NPUs: no warning: %s\n' "$(head -2 out)"
    failures=$((failures + 1))
}

# ---- what holds ----

"$ORRERY_BIN" run mine.yml job.yml --explain=all --set system.priority=lifo >out 2>&1
for line in 'network.dims[0].bandwidth        500 GiB/s                    mine.yml:10' \
    'network.dims[1].bandwidth        250 GiB/s                    mine.yml:11' \
    'network.dims[0].npus             -                            given by network.topology' \
    'network.dims[0].latency          as network.latency           default' \
    'network.dims[0].bandwidth_is     as network.bandwidth_is      default' \
    'system.chunks                    1                            mine.yml:13' \
    'system.priority                  lifo                         command line' \
    'system.algorithms.all_reduce     as default                   default' \
    'memory.local.bandwidth           no limit                     default' \
    'compute.peak                     234 TFLOP/s                  mine.yml:15' \
    'workload.bytes                   1 GiB                        job.yml:5'; do
    grep -qxF -- "$line" out || {
        printf 'explained without "%s"\n' "$line"
        failures=$((failures + 1))
    }
done

[ "$failures" -eq 0 ] && echo "the first own platform: as expected"
exit $((failures > 0))
