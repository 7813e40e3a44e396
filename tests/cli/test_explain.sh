#!/bin/sh
# --explain prints a job as one file: run again, it gives the same results to the byte, of every platform and workload
# that ships, of what --set changes, and of files in other folders. What does not apply is told with =all only.
set -u

inputs=$ORRERY_SOURCE_DIR/inputs
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 same=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# Warnings name their place, which is another one.
without_places() {
    sed -E 's/^( *")[^" ]*:[0-9]+:[0-9]+: (warning: )/\1\2/' "$1"
}

# again ARGUMENT...: runs the job and its file; 1 where the job is refused
again() {
    "$ORRERY_BIN" run "$@" --json first.json >out 2>err || return 1
    "$ORRERY_BIN" run "$@" --explain >job.yml 2>err || fail "$*: --explain: $(cat err)"
    "$ORRERY_BIN" run job.yml --json second.json >out 2>err || fail "$*: its file: $(cat err)"
    without_places first.json >a
    without_places second.json >b
    cmp -s a b || fail "$*: its file gives something else: $(diff a b | head -5)"
    same=$((same + 1))
    return 0
}

# As above, of jobs that have to fit.
fits() {
    again "$@" || fail "$*: refused: $(cat err)"
}

# ---- all that ships ----

# Models in a few layers, so that a run is short.
small='--ignore-capacity --set workload.transformer.layers=24 --set workload.training.batch=512'
for platform in "$inputs"/platforms/*.yml; do
    platform=$(basename "$platform" .yml)
    runs=$same
    for workload in all_reduce_1gb mlp_data_parallel; do
        again "$platform" $workload --set system.chunks=4 || continue
    done
    [ "$same" -gt "$runs" ] || fail "$platform: nothing runs on it: $(cat err)"
done
for workload in "$inputs"/workloads/*.yml "$inputs"/models/*.yml; do
    workload=$(basename "$workload" .yml)
    runs=$same
    for platform in hgx_h200_64 hgx_h100_256 conv_4d; do
        case $workload in
        gpt3_175b_3d) again $platform "$workload" --ignore-capacity --set system.chunks=4 --set workload.transformer.layers=24 && break ;;
        gpt* | llama* | mixtral* | t5* | bert* | switch* | transformer*)
            # shellcheck disable=SC2086
            again $platform "$workload" $small --set system.chunks=4 && break
            ;;
        gradient_queue_*) again "$inputs/workloads/$workload.yml" && break ;;
        *) again $platform "$workload" && break ;;
        esac
    done
    [ "$same" -gt "$runs" ] || fail "$workload runs on none of three platforms: $(tail -1 err)"
done

# ---- graphs, failures, libraries, options ----

cat >graph.yml <<'END'
network:
  graph: {npus: 16, fabric: torus:4x4, bandwidth: 100 Gb/s, latency: 1 us}
  failures: [0-1]
  reroute: true
workload: {generate: all_reduce, bytes: 1 MB}
END
fits graph.yml
fits --topology 'Ring(4)_Switch(2)' --bandwidth 100_50GB/s --latency 1us all_reduce_1gb --set system.chunks=4
fits dgx_a100_64 all_reduce_1gb --set 'compute.slowdown={stragglers: [{ranks: "8-15", factor: 1.3}]}' \
    --set 'network.dims[1].latency=9 us' --set 'system.library.launch=3 us'
fits dgx_a100_64 all_reduce_1gb --set system.library.name=none --set network.backend=congestion \
    --set 'name="a: b, {c} \"d\" # e"' --set system.chunks=4
mkdir far
"$ORRERY_BIN" gen all_reduce --npus 4 --bytes 1MB --output far/traces >out 2>err || fail "gen: $(cat err)"
printf 'include: far.inc.yml\nworkload: {traces: traces}\n' >far/work.yml
printf 'name: "far: away"\n' >far/far.inc.yml
fits --topology 'Ring(4)' --bandwidth 10GB/s far/work.yml
grep -q '^  traces: far/traces ' job.yml || fail "the traces: $(grep traces job.yml)"

# ---- what it says ----

"$ORRERY_BIN" run dgx_a100_64 all_reduce_1gb --explain --set system.priority=lifo >job.yml 2>err || fail "$(cat err)"
says() {
    tr -s ' ' <job.yml | grep -qF -- "$1" || fail "--explain has no line: $1"
}
says ' priority: lifo # command line'
says ' name: nccl # '
says 'dgx_a100_64.yml:18'
says ' # port_order: age # default'
says '# all_reduce of 1.00 GiB on 64 NPUs: nccl '
for absent in 'pool' 'circuits' 'tree_channels' 'slowdown' 'workload.layers' 'endpoint_delay'; do
    grep -q "$absent" job.yml && fail "--explain tells $absent, which does not apply"
done
"$ORRERY_BIN" run dgx_a100_64 all_reduce_1gb --explain=all >all.txt 2>err || fail "$(cat err)"
for told in '^memory.pool.chunk ' '^network.circuits.ports ' '^system.endpoint_delay ' '^system.priority  *fifo  *default$'; do
    grep -q "$told" all.txt || fail "--explain=all has no line: $told"
done
"$ORRERY_BIN" run dgx_a100_64 all_reduce_1gb --explain=some >out 2>err
[ $? -eq 2 ] && grep -q 'expected nothing or =all, got =some' err || fail "--explain=some: $(cat err)"

[ "$same" -ge 40 ] || fail "only $same jobs were run again"
[ "$failures" -eq 0 ] && echo "$same jobs and their files: the same"
exit $((failures > 0))
