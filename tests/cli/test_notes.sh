#!/bin/sh
# Inputs that work, but are told about: a scheduler on one dimension, less than a byte for each NPU.
set -u

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# says TEXT WALL_PS OPTION...: the run of x.yml takes so long, and says this on standard error
says() {
    text=$1 expected=$2
    shift 2
    "$ORRERY_BIN" run x.yml --json - "$@" >out 2>err || {
        printf '%s: exit status %s\n' "$*" "$?"
        failures=$((failures + 1))
    }
    found=$(sed -n 's/^  "wall_ps": \([0-9]*\),$/\1/p' out)
    [ "$found" = "$expected" ] && [ "$(cat err)" = "$text" ] || {
        printf '%s: %s ps, expected %s; said: %s\n' "$*" "$found" "$expected" "$(cat err)"
        failures=$((failures + 1))
    }
}

# One chunk of 4000 bytes on Ring(4): six blocks of 1000 bytes, each 1 us on the wire and 1 us of
# latency.
cat >x.yml <<'END'
network: {topology: Ring(4), bandwidth: 1 GB/s, latency: 1 us}
system: {chunks: 1, scheduler: themis}
workload: {generate: all_reduce, bytes: 4000 B}
END
nothing='system.scheduler: on one dimension there is nothing to schedule:'
says "x.yml:2:32: warning: $nothing themis is as baseline" 12000000
for scheduler in best greedy; do
    says "command line:1:1: warning: $nothing $scheduler is as baseline" 12000000 \
        --set system.scheduler=$scheduler
done
says "" 12000000 --set system.scheduler=baseline
# A second dimension of one NPU changes nothing.
says "x.yml:2:32: warning: $nothing themis is as baseline" 12000000 \
    --set 'network.topology=Ring(4)_Switch(1)' --set 'network.bandwidth=1_1 GB/s' --set 'network.latency=1_1 us'
# With two there is something to schedule: reduce-scatter of 4000 bytes on 4 and all-gather back,
# 6 x (1 + 1) us; between them two blocks of 500 bytes, 2 x (0.5 + 1) us.
says "" 15000000 \
    --set 'network.topology=Ring(4)_Ring(2)' --set 'network.bandwidth=1_1 GB/s' --set 'network.latency=1_1 us'

# 3 bytes are blocks of 1: six messages of 1 ns and 1 us. 4 are the same, without a note.
less='bytes are less than one for each of the 4 NPUs; every block that is sent has at least a byte'
says "command line:1:1: warning: workload.bytes: 3 $less" 6006000 \
    --set system.scheduler=baseline --set 'workload.bytes=3 B'
says "" 6006000 --set system.scheduler=baseline --set 'workload.bytes=4 B'
# An all-gather's bytes are each NPU's own: three messages of 3 ns.
says "" 3009000 --set system.scheduler=baseline --set 'workload={generate: all_gather, bytes: 3 B}'

[ "$failures" -eq 0 ] && echo "notes: as expected"
exit $((failures > 0))
