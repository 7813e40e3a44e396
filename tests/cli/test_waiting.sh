#!/bin/sh
# Waiting is not communication: jobs by hand, with what each NPU waits and communicates for in ps; a CPU that is
# faster, durations that are scaled; and what a job leaves behind that nobody receives or starts.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

python3 "$ORRERY_SOURCE_DIR/tests/cli/waiting/make_traces.py" . || exit 1

# job NPUS NAME OPTION...: a job of traces on a switch of 1 GB/s without latency, in one chunk
job() {
    npus=$1 name=$2
    shift 2
    "$ORRERY_BIN" run --topology "Switch($npus)" --bandwidth "${rate:-1 GB/s}" --latency '0 ns' --set compute.mode=replay \
        --set system.chunks=1 --set "workload.traces=$name" "$@"
}

# spends NPUS NAME OPTION... <<END: of each NPU compute, CPU, communication, waiting and idle
spends() {
    cat >want
    job "$@" --csv - 2>err | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["compute_ps"], $at["cpu_ps"], $at["exposed_communication_ps"], $at["waiting_ps"], $at["idle_ps"] }' >out
    cmp -s want out || fail "$*: $(diff want out) $(cat err)"
}

# ---- a pipeline ----

# GPipe, 8 stages, 16 micro-batches of 10 us forwards and 20 us backwards, a byte between them: 1 ps, as any
# part of one counts as a whole one. NPU 0 computes 16 (10 + 20) us; between its last forward and its first backward it waits
# for 7 (10 + 20) us, 7/16 of that, and 14 messages of 1 ps, of which it sends the first and receives the last.
rate='1000000 GB/s' job 8 gpipe --csv - >out || fail "gpipe: exit status $?"
[ "$(sed -n 2p out | cut -d, -f3,7,8)" = "480000000,2,210000012" ] || fail "a pipeline: $(sed -n 2p out)"
# The same generated: communication below 0.1 %, waiting 7/16 of compute.
cat >model.yml <<'END'
network: {dims: [{block: switch, npus: 8, bandwidth: 1000000 GB/s, latency: 0 ns}]}
compute: {peak: 100 TFLOP/s}
workload:
  transformer: {layers: 8, hidden: 1024, heads: 16, sequence: 1024, vocabulary: 0}
  parallel: {pipeline: 8, schedule: gpipe}
  training: {batch: 16, micro_batch: 1, optimizer: sgd}
END
"$ORRERY_BIN" run model.yml --csv - >out || fail "a generated pipeline: exit status $?"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { share = $at["waiting_ps"] / $at["compute_ps"]
        exit !(share > 0.4374 && share < 0.4376 && $at["exposed_communication_ps"] < 0.001 * $at["compute_ps"]) }' out ||
    fail "a generated pipeline: $(sed -n 2p out)"
# Of that no bandwidth mends anything, and faster compute does.
"$ORRERY_BIN" whatif model.yml --csv - >out || fail "whatif: exit status $?"
awk -F, '{ waits[$1] = $6 }
    END { base = waits["baseline"]
        exit !(waits["2x bandwidth of dimension 1"] > 0.999 * base && waits["2x compute"] < 0.501 * base) }' out ||
    fail "whatif: $(cat out)"

# ---- receives, sends, collectives ----

# NPU 1 waits for 10 us, then NPU 0's message takes 10 us, and NPU 2's, sent at 15 us, from 20 us on, for its
# link is the same.
spends 3 two <<'END'
10000000 0 10000000 0 10000000
0 0 20000000 10000000 0
15000000 0 15000000 0 0
END
# The sends have started when the receives are posted, at 5 us; the second is over at 20 us.
spends 2 queue <<'END'
0 0 20000000 0 0
5000000 0 15000000 0 0
END
# Without rendezvous a send is communication, done at 10 us. With it, it waits for 10 us; then a request of 8,192
# bytes and the message: 18.192 us.
spends 2 ask <<'END'
0 0 10000000 0 0
10000000 0 0 0 0
END
printf 'topology: [ Switch ]\nnpus_count: [ 2 ]\nbandwidth: [ 0.931322574615478515625 ]\nlatency: [ 0.0 ]\n' >net.yml
printf '{"endpoint-delay": 0}\n' >sys.json
"$ORRERY_BIN" run --workload-configuration ask --system-configuration sys.json --network-configuration net.yml --compat off \
    --rendezvous-protocol=true --csv - | cut -d, -f3,7,8 | tr '\n' ' ' >out
grep -q ' 0,18192000,10000000 10000000,18192000,0 ' out || fail "rendezvous: $(cat out)"
# An all-reduce of 10,000 bytes on 2 NPUs: 5,000 each way, twice.
spends 2 late <<'END'
0 0 10000000 30000000 0
30000000 0 10000000 0 0
END
job 2 late --json late.json >/dev/null || fail "late: exit status $?"
# 2 (n-1)/n of 10,000 bytes in 10 us.
grep -q '"bus_bandwidth_bytes_per_s": 1000000000.0' late.json || fail "bus bandwidth: $(grep bus_ late.json)"
grep -q '"exposed_waiting_ps": 30000000' late.json || fail "waiting of a collective: $(cat late.json)"
job 2 barrier --csv - | cut -d, -f8 | tr '\n' ' ' | grep -qx 'waiting_ps 30000000 0 ' || fail "a barrier"
# The root's broadcast is over after 10 us, before it has begun elsewhere: it only waited.
job 2 root --csv - | sed -n 2p | cut -d, -f3,7,8 | grep -qx '50000000,0,10000000' ||
    fail "a root: $(job 2 root --csv - 2>&1)"

# ---- CPU ----

spends 2 cpu <<'END'
10000000 20000000 10000000 0 0
10000000 0 10000000 20000000 0
END
spends 2 cpu --set compute.cpu=2 <<'END'
10000000 5000000 10000000 0 0
10000000 0 10000000 5000000 0
END
spends 2 cpu --set compute.recorded_scale=0.5 <<'END'
5000000 25000000 10000000 0 0
5000000 0 10000000 25000000 0
END
"$ORRERY_BIN" whatif --topology 'Switch(2)' --bandwidth '1 GB/s' --latency '0 ns' --set compute.mode=replay \
    --set system.chunks=1 --set workload.traces=cpu --csv - | grep -qx '2x CPU,25000000,15000000,0,10000000,2500000' ||
    fail "whatif: no faster CPU"
job 2 cpu --set compute.cpu=0 >out 2>&1 && fail "compute.cpu: 0 is accepted"
grep -q 'compute.cpu: ' out || fail "compute.cpu: 0: $(cat out)"

# ---- what is left ----

# leaves NPUS NAME TEXT: exit status 3 and this on standard error, folded or not
leaves() {
    for fold in auto off; do
        job "$1" "$2" --fold $fold >out 2>err
        status=$?
        [ "$status" -eq 3 ] || fail "$2, --fold $fold: exit status $status, expected 3"
        [ "$(cat err)" = "$3" ] || fail "$2, --fold $fold: $(cat err)"
    done
}

leaves 4 lost 'the job ends with 1 send that nobody receives:
  NPU 0: node 1 (give), send to NPU 1, tag 7, 1000 bytes: NPU 1 never receives it'
leaves 4 missing 'the job ends with 1 collective that not all members start:
  NPU 0: node 5 (broadcast), broadcast of 1000 bytes: never started by NPU 2, NPU 3'
leaves 4 round 'the job ends with 4 sends that nobody receives:
  NPU 0: node 3 (give), send to NPU 1, tag 9, 1000 bytes: NPU 1 never receives it
  NPU 1: node 3 (give), send to NPU 2, tag 9, 1000 bytes: NPU 2 never receives it
  NPU 2: node 3 (give), send to NPU 3, tag 9, 1000 bytes: NPU 3 never receives it
  NPU 3: node 3 (give), send to NPU 0, tag 9, 1000 bytes: NPU 0 never receives it'

# Under the reference's rules it is a warning, and the five parts are those of the paper.
printf 'topology: [ Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ 1.0 ]\nlatency: [ 0.0 ]\n' >net.yml
printf '{"all-reduce-implementation": ["ring"]}' >sys.json
"$ORRERY_BIN" run --workload-configuration lost --system-configuration sys.json --network-configuration net.yml \
    >out 2>err || fail "the reference's rules: exit status $?"
grep -q 'warning: the job ends with 1 send that nobody receives:' err || fail "the reference's rules: $(cat err)"
printf 'topology: [ Switch ]\nnpus_count: [ 2 ]\nbandwidth: [ 1.0 ]\nlatency: [ 0.0 ]\n' >net.yml
"$ORRERY_BIN" run --workload-configuration cpu --system-configuration sys.json --network-configuration net.yml \
    --json cpu.json >out || fail "the reference's CPU: exit status $?"
grep -q '"cpu_ps": 0,' cpu.json || fail "the reference's rules tell the CPU apart"
grep -q '"compute_ps": 30000000,' cpu.json || fail "the reference's compute: $(cat cpu.json)"
grep -q '"waiting_ps": [1-9]' cpu.json && fail "the reference's rules tell waiting apart"

[ "$failures" -eq 0 ] && echo "waiting: as by hand"
exit $((failures > 0))
