#!/bin/bash
# Points that need more memory than there is are marked, and a point whose run does not come back is named and
# passed.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# ---- memory ----

# 22e9 parameters x 16 bytes over 64 NPUs are 5.1 GiB, and 8 ranks to a layer's activations: too much for 1 GB, little of
# 40 GB. 7 ranks to a layer are no layout.
cat >fit.yml <<'END'
sweep:
  platform: dgx_a100_64
  workload: gpt_22b
  set: {workload.parallel.zero: 3, workload.training.recompute: full}
  axes:
    memory.local.capacity: [1 GB, 40 GB]
    workload.parallel.tensor: [8, 7]
END
"$ORRERY_BIN" sweep fit.yml >out 2>err || fail "fit: exit status $?: $(cat err)"
grep -qx '4 points, 3 failed, 1 of them to fit: fit.csv, fit.jsonl' out || fail "fit: $(cat out)"
grep -q '^0,1 GB,8,failed to fit,.*the model does not fit: an NPU of pipeline stage 0 needs ' fit.csv || fail "fit: $(cat fit.csv)"
grep -q '^1,1 GB,7,failed,.*tensor 7 .* does not divide' fit.csv || fail "fit: $(cat fit.csv)"
grep -q '^2,40 GB,8,ok,64,' fit.csv || fail "fit: $(cat fit.csv)"
grep -q '"point": 0,.*"status": "failed to fit", "error": ' fit.jsonl || fail "fit: $(cat fit.jsonl)"
cp fit.csv first.csv
"$ORRERY_BIN" sweep fit.yml --retry-failed >out 2>err || fail "retry: exit status $?: $(cat err)"
grep -qx '2 of 4 points are done already' err || fail "what does not fit is run once more: $(cat err)"
cmp -s fit.csv first.csv || fail "retry: $(diff first.csv fit.csv)"

# ---- a point whose run does not come back ----

# The first point takes minutes; the process that runs it is ended by a signal.
cat >slow.yml <<'END'
network: {dims: [{block: switch, npus: 1024, bandwidth: 100 GB/s}]}
system: {algorithms: {all_reduce: direct}}
compute: {peak: 1 TFLOP/s, slowdown: {jitter: {spread: 5 %}}}
workload: {generate: mlp, layers: 8, bytes: 1 MiB, batch: 1}
END
cat >lost.yml <<'END'
sweep:
  platform: slow.yml
  axes:
    network.dims[0].npus: [1024, 2, 4]
END
# Sanitizers would tell of the signal themselves, and end otherwise.
ASAN_OPTIONS="${ASAN_OPTIONS:-}:handle_segv=0" "$ORRERY_BIN" sweep lost.yml --jobs 1 >out 2>err &
sweep=$!
child=
for _ in $(seq 600); do
    if [ -e lost.jsonl ]; then
        child=$(cat /proc/$sweep/task/*/children 2>/dev/null)
        [ -n "$child" ] && break
    fi
    sleep 0.05
done
if [ -n "$child" ]; then
    sleep 0.2
    # shellcheck disable=SC2086
    kill -SEGV $child
    wait "$sweep" || fail "lost: exit status $?: $(cat err)"
    grep -q '^point 0 (npus=1024): internal error: the run of this point was ended by signal 11 (Segmentation fault)$' err ||
        fail "lost: $(cat err)"
    grep -q '^0,1024,failed,.*internal error: the run of this point was ended by signal 11' lost.csv || fail "lost: $(cat lost.csv)"
    [ "$(grep -c ',ok,' lost.csv)" = 2 ] || fail "lost: $(cat lost.csv)"
    "$ORRERY_BIN" sweep lost.yml >out 2>err || fail "again: exit status $?: $(cat err)"
    grep -qx '3 of 3 points are done already' err || fail "again: $(cat err)"
else
    kill "$sweep" # this kernel does not list children
    wait "$sweep"
fi
exit $((failures > 0))
