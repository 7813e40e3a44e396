#!/bin/sh
# Names of earlier versions are still taken, and say the same: options, values, and hyphens in place of
# underscores in names of a list.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# same BEFORE NOW: two command lines print the same, and end well
same() {
    eval "\"\$ORRERY_BIN\" $1" >before 2>&1 </dev/null || fail "orrery $1: $(cat before)"
    eval "\"\$ORRERY_BIN\" $2" >now 2>&1 </dev/null || fail "orrery $2: $(cat now)"
    cmp -s before now || fail "orrery $1 (<) is not orrery $2 (>): $(diff before now)"
}

cat >tasks.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=893600 }"];
  node0 -> node1;
}
END
for model in maxmin equal; do
    printf 'cluster: {servers: 4, fabric: "clusters:2,2", link_bandwidth: 1 GB/s, flow_model: %s}\n' $model >$model.yml
    echo 'jobs: [{name: a, taskgraph: tasks.dot}]' >>$model.yml
done
graph='run --taskgraph tasks.dot --fabric ideal-switch --link-bandwidth 1GB/s'
small="run --topology 'Switch(8)' --bandwidth '1 GB/s' --set 'workload={generate: all_reduce, bytes: 1 MiB}'"
network="--topology 'Ring(4)' --bandwidth '1 GB/s'"
printf 'network: {graph: {fabric: "circulant:1,2", npus: 5, bandwidth: 1 GB/s}, backend: flow}\n' >five.yml
printf 'workload: {generate: all_reduce, bytes: 1 MiB}\n' >>five.yml

same 'gen all_reduce --npus 4 --bytes 1MiB --out x' 'gen all_reduce --npus 4 --bytes 1MiB --output x'
same 'gen all-reduce --npus 4 --bytes 1MiB --out=x' 'gen all_reduce --npus 4 --bytes 1MiB -o x'
same 'trace scale x --from 4 --to 8 -o y' 'trace scale x --traces 4 --npus 8 -o y'
same 'convert chakra x.0.et --out z' 'convert chakra x.0.et --output z'
same "bench-collective $network --max 4MiB --step 2" "bench-collective $network --max 4MiB --factor 2"
same "bench-collective $network --max 1MiB --collective all-gather" "bench-collective $network --max 1MiB --collective all_gather"
same "$graph --flow-model maxmin" "$graph --flow-model equal"
same "$graph --all-reduce double-binary-tree:4" "$graph --all-reduce double_binary_tree:4"
sed 's/maxmin/equal/' maxmin.yml | cmp -s - equal.yml || fail 'the files of jobs differ'
"$ORRERY_BIN" run --cluster maxmin.yml | sed 's/maxmin.yml/equal.yml/' >before
"$ORRERY_BIN" run --cluster equal.yml >now
cmp -s before now || fail "flow_model: maxmin (<) is not equal (>): $(diff before now)"
same "$small --set system.algorithms.all_reduce=halving-doubling" "$small --set system.algorithms.all_reduce=halving_doubling"
same 'failures five.yml --sample 1 --links 1 --mtbf 1000h --repair 5min --restart 1min' \
    'failures five.yml --sample 1 --links 1 --mtbf 1000h --repair-time 5min --restart-time 1min'

# Only of trace scale, and no node's name makes it that.
"$ORRERY_BIN" trace cut x.0.et --from scale --to end -o cut.et >now 2>&1
grep -qF 'no node is named "scale"' now || fail "trace cut --from scale: $(cat now)"

# What is new is said of what is wrong, whatever the name that was given.
"$ORRERY_BIN" bench-collective --topology 'Ring(4)' --bandwidth '1 GB/s' --step 1 2>&1 | grep -q -- '--factor: expected' ||
    fail 'bench-collective --step 1 does not name --factor'
# The help names today's only.
for command in gen convert trace bench-collective sweep failures fit plan; do
    "$ORRERY_BIN" $command --help | grep -oE -- '--(out|batch-size|restart|repair|threads)( |$)' >old &&
        fail "orrery $command --help: $(cat old)"
done

[ "$failures" -eq 0 ] && echo 'former names: say the same'
exit $((failures > 0))
