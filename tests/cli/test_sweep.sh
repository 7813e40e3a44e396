#!/bin/sh
# orrery sweep: the points and their order, results of a small job by hand, the best points, and that
# neither the number of threads nor that of MPI ranks changes a byte.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# prints COMMAND... <<END: the command prints what stands before END, and succeeds
prints() {
    cat >want
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 0 ] || fail "$*: exit status $status: $(cat err)"
    cmp -s want out || fail "$*: $(diff want out)"
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ: $(diff "$1" "$2" | head -5)"
}

# ---- by hand: one chunk of all-reduce on Ring(2)_Ring(4), as in test_whatif.sh ----
#
# 8000 bytes take 8 us / B1 + 6 us / B2 + 8 us of latency, with bandwidths B1, B2 in GB/s; 28 us at 1
# and 0.5. Cost: 3 B1 + 4 B2.
#   point 0   B1 1  B2 0.5   28 us   cost 5    140
#   point 1   B1 1  B2 1     22 us   cost 7    154
#   point 2   B1 2  B2 0.5   24 us   cost 8    192   slower and dearer than point 1
#   point 3   B1 2  B2 1     18 us   cost 10   180
cat >small.yml <<'END'
network:
  topology: Ring(2)_Ring(4)
  dims:
    - {bandwidth: 1 GB/s, latency: 1 us}
    - {bandwidth: 0.5 GB/s, latency: 1 us}
system: {chunks: 1, algorithms: {default: by_block}}
workload: {generate: all_reduce, bytes: 8000 B}
END
cat >study.yml <<'END'
sweep:
  platform: small.yml
  axes:
    network.dims[0].bandwidth: [1 GB/s, 2 GB/s]
    network.dims[1].bandwidth: [0.5 GB/s, 1 GB/s]
  cost: 3 * dims[0].bandwidth / 1 GB/s + 4 * network.dims[1].bandwidth / 1 GB/s
END
prints "$ORRERY_BIN" sweep study.yml --best 'time*cost' --top 3 <<'END'
4 points, 0 failed: study.csv, study.jsonl

best by time*cost
point       time  cost  time*cost  communication  dims[0].bandwidth  dims[1].bandwidth
    0  28.000 us     5    0.00014      28.000 us  1 GB/s             0.5 GB/s
    1  22.000 us     7   0.000154      22.000 us  1 GB/s             1 GB/s
    3  18.000 us    10    0.00018      18.000 us  2 GB/s             1 GB/s

Pareto: no other point is both as fast and as cheap
point       time  cost  time*cost  communication  dims[0].bandwidth  dims[1].bandwidth
    3  18.000 us    10    0.00018      18.000 us  2 GB/s             1 GB/s
    1  22.000 us     7   0.000154      22.000 us  1 GB/s             1 GB/s
    0  28.000 us     5    0.00014      28.000 us  1 GB/s             0.5 GB/s
END
[ -s err ] && fail "a sweep without failures says: $(cat err)"
"$ORRERY_BIN" run small.yml --json run.json >/dev/null
events=$(sed -n 's/^  "events": \([0-9]*\),$/\1/p' run.json)
messages=$(sed -n 's/^  "messages": \([0-9]*\),$/\1/p' run.json)
cat >want.csv <<END
point,network.dims[0].bandwidth,network.dims[1].bandwidth,status,npus,wall_ps,wall_s,compute_ps,cpu_ps,exposed_local_memory_ps,exposed_remote_memory_ps,exposed_communication_ps,waiting_ps,idle_ps,cost,tokens_per_s,model_flops_utilization,memory_bytes,events,messages,pareto,error,network.dims[0].bandwidth_bytes_per_s,network.dims[1].bandwidth_bytes_per_s
0,1 GB/s,0.5 GB/s,ok,8,28000000,2.8e-05,0,0,0,0,28000000,0,0,5,,,,$events,$messages,1,,1000000000,500000000
1,1 GB/s,1 GB/s,ok,8,22000000,2.2e-05,0,0,0,0,22000000,0,0,7,,,,$events,$messages,1,,1000000000,1000000000
2,2 GB/s,0.5 GB/s,ok,8,24000000,2.4e-05,0,0,0,0,24000000,0,0,8,,,,$events,$messages,0,,2000000000,500000000
3,2 GB/s,1 GB/s,ok,8,18000000,1.8e-05,0,0,0,0,18000000,0,0,10,,,,$events,$messages,1,,2000000000,1000000000
END
same want.csv study.csv
head -1 study.jsonl >out
printf '%s\n' "{\"point\": 0, \"network.dims[0].bandwidth\": \"1 GB/s\", \"network.dims[1].bandwidth\": \"0.5 GB/s\", \"network.dims[0].bandwidth_bytes_per_s\": 1000000000.0, \"network.dims[1].bandwidth_bytes_per_s\": 500000000.0, \"status\": \"ok\", \"npus\": 8, \"wall_ps\": 28000000, \"wall_s\": 2.8e-5, \"compute_ps\": 0, \"cpu_ps\": 0, \"exposed_local_memory_ps\": 0, \"exposed_remote_memory_ps\": 0, \"exposed_communication_ps\": 28000000, \"waiting_ps\": 0, \"idle_ps\": 0, \"cost\": 5.0, \"events\": $events, \"messages\": $messages, \"pareto\": true}" >want
same want out

# The same again: nothing runs.
"$ORRERY_BIN" sweep study.yml --best cost --top 1 >out 2>err || fail "again: exit status $?"
[ "$(cat err)" = '4 of 4 points are done already' ] || fail "again: $(cat err)"
[ "$(sed -n 5p out | cut -c1-22)" = "    0  28.000 us     5" ] || fail "cost: $(cat out)"
same want.csv study.csv

# ---- order: the last axis runs fastest; zipped axes are one factor, where the first of them is ----

cat >order.yml <<'END'
sweep:
  platform: small.yml
  set: {"network.dims[0].latency": 2 us}
  axes:
    system.chunks: [1, 2]
    workload.bytes: {from: 1 KiB, to: 20 KiB, times: 4}
    system.scheduler: [baseline, themis]
    network.dims[0].bandwidth: {from: 1 GB/s, to: 2000 MB/s, step: 0.5 GB/s}
  zip:
    - ["network.dims[0].bandwidth", workload.bytes]
  where:
    - chunks * bytes < 32 KiB
    - scheduler == "themis" || bandwidth > 1 GB/s
END
prints "$ORRERY_BIN" sweep order.yml --dry-run <<'END'
point,system.chunks,workload.bytes,system.scheduler,network.dims[0].bandwidth
0,1,1 KiB,themis,1 GB/s
1,1,4 KiB,baseline,1.5 GB/s
2,1,4 KiB,themis,1.5 GB/s
3,1,16 KiB,baseline,2 GB/s
4,1,16 KiB,themis,2 GB/s
5,2,1 KiB,themis,1 GB/s
6,2,4 KiB,baseline,1.5 GB/s
7,2,4 KiB,themis,1.5 GB/s
END
# A point is the run with its values, and those that are fixed.
"$ORRERY_BIN" sweep order.yml >/dev/null 2>&1 || fail "order: exit status $?"
"$ORRERY_BIN" run small.yml --set 'network.dims[0].latency=2us' --set system.chunks=2 \
    --set 'workload.bytes=4KiB' --set system.scheduler=themis \
    --set 'network.dims[0].bandwidth=1.5GB/s' --json run.json >/dev/null || fail "run: exit status $?"
wall=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' run.json)
grep -q "^7,2,4 KiB,themis,1.5 GB/s,ok,8,$wall," order.csv || fail "not $wall: $(tail -1 order.csv)"

# ---- axes of files and of whole sections; npus and values of files in expressions ----

mkdir inner
sed 's/Ring(4)/Ring(8)/' small.yml >inner/large.yml
cat >inner/files.yml <<'END'
sweep:
  axes:
    platform: [../small.yml, large.yml]
    network.dims[1].bandwidth: [2 GB/s]
    workload:
      - {generate: all_reduce, bytes: 8000 B}
      - {generate: all_gather, bytes: 8000 B}
      - all_reduce_1gb
  where: "npus == 8 || dims[1].bandwidth == 2 GB/s && workload != '{generate: all_gather, bytes: 8000 B}'"
  cost: npus * 2.5 + network.dims[0].latency / 1 us
  output: files
END
# The file all_reduce_1gb has the section workload, and so have the platforms: what cannot be read
# fails, whatever the constraint.
"$ORRERY_BIN" sweep inner/files.yml >out 2>err || fail "files: exit status $?: $(cat err)"
grep -q '^0,../small.yml,.*"{generate: all_reduce, bytes: 8000 B}",ok,8,' files.csv ||
    fail "files: $(cat files.csv)"
[ "$(grep -c ',ok,16,' files.csv)" -eq 1 ] || fail "files: large: $(cat files.csv)"
grep -q '^3,large.yml,.*,41,,,,' files.csv || fail "files: cost: $(cat files.csv)"
grep -q '^2,../small.yml,2 GB/s,all_reduce_1gb,failed,.*workload.generate is set by two files' \
    files.csv || fail "files: conflict: $(cat files.csv)"
grep -q '^point 2 (platform=../small.yml, .*): .*is set by two files' err || fail "files: $(cat err)"
tail -1 err | grep -qx '2 of 5 points failed; see files.jsonl' || fail "files: $(cat err)"
[ "$(cut -d, -f1 files.csv | tr '\n' ' ')" = 'point 0 1 2 3 4 ' ] ||
    fail "files: order"
[ "$(python3 -c '
import csv
print({len(row) for row in csv.reader(open("files.csv"))})' 2>/dev/null || echo '{24}')" = '{24}' ] ||
    fail "files: columns"

# A range may go down.
cat >down.yml <<'END'
sweep:
  platform: small.yml
  axes: {workload.bytes: {from: 8 kB, to: 1000 B, step: -3500 B}}
END
prints "$ORRERY_BIN" sweep down.yml --dry-run <<'END'
point,workload.bytes
0,8 kB
1,4.5 kB
2,1 kB
END

# ---- threads and ranks ----

cat >many.yml <<'END'
sweep:
  platform: small.yml
  axes:
    network.dims[0].bandwidth: {from: 0.25 GB/s, to: 4 GB/s, step: 0.25 GB/s}
    system.chunks: [1, 3, 0, 4]
    workload.bytes: [8000 B, 1 MB, -5]
END
"$ORRERY_BIN" sweep many.yml --jobs 1 --output one >/dev/null 2>&1 || fail "--jobs 1: status $?"
[ "$(wc -l <one.jsonl)" -eq 192 ] || fail "one.jsonl: $(wc -l <one.jsonl) lines"
[ "$(grep -c '"status": "failed"' one.jsonl)" -eq 96 ] || fail "one.jsonl: failures"
for jobs in 2 5; do
    "$ORRERY_BIN" sweep many.yml --jobs $jobs --output many >/dev/null 2>err --restart ||
        fail "--jobs $jobs: status $?"
    same one.csv many.csv
    same one.jsonl many.jsonl
done
[ "$(grep -c '^point ' err)" -eq 10 ] || fail "failures told: $(grep -c '^point ' err)"
grep -qx 'further failures are only counted; many.jsonl has them all' err || fail "$(cat err)"
"$ORRERY_BIN" sweep many.yml --output slow --progress always 2>err >/dev/null || fail "--progress"
grep -qx '\[####################\] 192 of 192 points done, 96 failed, 0 s left' err ||
    fail "--progress: $(cat err)"

# MPI's own memory at its end is none of ours.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export ASAN_OPTIONS
if command -v mpirun >/dev/null && ldd "$ORRERY_BIN" | grep -q libmpi; then
    for ranks in 2 3; do
        mpirun --allow-run-as-root --oversubscribe -n $ranks "$ORRERY_BIN" sweep many.yml \
            --output ranks --restart >out 2>err </dev/null || fail "$ranks ranks: status $?: $(cat err)"
        same one.csv ranks.csv
        same one.jsonl ranks.jsonl
        [ "$(grep -c '^192 points, 96 failed' out)" -eq 1 ] || fail "$ranks ranks: $(cat out)"
    done
    mpirun --allow-run-as-root --oversubscribe -n 2 "$ORRERY_BIN" sweep missing.yml >out 2>err \
        </dev/null
    [ $? -eq 2 ] || fail "ranks without a file: exit status"
    [ "$(grep -c '^missing.yml: cannot be opened' err)" -eq 1 ] || fail "said twice: $(cat err)"
else
    echo "no MPI here: not tested with ranks"
fi

[ "$failures" -eq 0 ] && echo "sweep: as worked out"
exit $((failures > 0))
