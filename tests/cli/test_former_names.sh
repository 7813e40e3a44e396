#!/bin/sh
# Deprecated names of options, keys and values are still accepted, with a warning that names the current
# one, and give the same output; so do hyphens in place of underscores in names of a list.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# same BEFORE NOW [WARNING]: two command lines print the same, and end well; the first warns
same() {
    eval "\"\$ORRERY_BIN\" $1" >before 2>err </dev/null || fail "orrery $1: $(cat err)"
    eval "\"\$ORRERY_BIN\" $2" >now 2>&1 </dev/null || fail "orrery $2: $(cat now)"
    cmp -s before now || fail "orrery $1 (<) is not orrery $2 (>): $(diff before now)"
    [ -z "${3-}" ] || grep -qF -- "$3" err || fail "orrery $1: expected the warning \"$3\" in: $(cat err)"
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
dead="run five.yml --set system.monolithic_all_reduce=ring --set 'network.failures=[0-1]'"
cat >pool.yml <<'END'
network: {dims: [{block: switch, npus: 4, bandwidth: 50 GB/s}]}
memory:
  pool: {hierarchical: {groups: 4, switches: 2, nodes: 2, group_bandwidth: 100 GB/s, fabric_bandwidth: 256 GB/s}}
workload: {generate: all_reduce, bytes: 1 MiB}
END
pool='run pool.yml'

same 'gen all_reduce --npus 4 --bytes 1MiB --out x' 'gen all_reduce --npus 4 --bytes 1MiB --output x'
same 'gen all-reduce --npus 4 --bytes 1MiB --out=x' 'gen all_reduce --npus 4 --bytes 1MiB -o x'
same 'trace scale x --from 4 --to 8 -o y' 'trace scale x --traces 4 --npus 8 -o y'
same 'convert chakra x.0.et --out z' 'convert chakra x.0.et --output z'
same "bench-collective $network --max 4MiB --step 2" "bench-collective $network --max 4MiB --factor 2"
same "bench-collective $network --max 1MiB --collective all-gather" "bench-collective $network --max 1MiB --collective all_gather"
same "$graph --flow-model equal" "$graph --flow-model maxmin" 'equal is deprecated; write --flow-model=maxmin'
same "$graph --flow-model=equal" "$graph --flow-model maxmin" 'equal is deprecated; write --flow-model=maxmin'
same "$graph --all-reduce double-binary-tree:4" "$graph --all-reduce double_binary_tree:4"
sed 's/maxmin/equal/' maxmin.yml | cmp -s - equal.yml || fail 'the files of jobs differ'
"$ORRERY_BIN" run --cluster maxmin.yml | sed 's/maxmin.yml/equal.yml/' >before
"$ORRERY_BIN" run --cluster equal.yml >now 2>err
cmp -s before now || fail "flow_model: maxmin (<) is not equal (>): $(diff before now)"
grep -qx 'equal.yml:1:83: warning: "equal" is deprecated; write "maxmin"' err || fail "flow_model: equal: $(cat err)"
same "run --cluster maxmin.yml --beside cluster.servers=8" "run --cluster maxmin.yml --compare cluster.servers=8" \
    '--beside is deprecated; write --compare'
same 'run five.yml --set system.whole_all_reduce=ring' 'run five.yml --set system.monolithic_all_reduce=ring' \
    '"whole_all_reduce" is deprecated; write "monolithic_all_reduce"'
printf 'include: five.yml\nsystem: {whole_all_reduce: ring}\n' >whole.yml
same 'run whole.yml' 'run five.yml --set system.monolithic_all_reduce=ring' \
    'whole.yml:2:10: warning: "whole_all_reduce" is deprecated; write "monolithic_all_reduce"'
same "$dead --set network.ring_recovery=borrow" "$dead --set network.ring_recovery=detour" '"borrow" is deprecated; write "detour"'
for accesses in 'together closed_form' 'events event_driven'; do
    same "$pool --set memory.pool.accesses=${accesses% *}" "$pool --set memory.pool.accesses=${accesses#* }" \
        "\"${accesses% *}\" is deprecated; write \"${accesses#* }\""
done
same 'topo trees dgx1_v100 --shape usual --around' 'topo trees dgx1_v100 --shape double-binary --detour-always' \
    '--around is deprecated; write --detour-always'
printf 'sweep: {platform: five.yml, axes: {workload.bytes: [1 MiB, 2 MiB]}}\n' >sweep.yml
same 'sweep sweep.yml --anew -o s --progress never' 'sweep sweep.yml --restart -o s --progress never' '--anew is deprecated; write --restart'
printf 'collective,npus,npus_per_node,bytes,time_us\nall_reduce,8,8,1048576,50\n' >rows.csv
same 'fit collectives rows.csv --platform dgx_a100_64 --keep' 'fit collectives rows.csv --platform dgx_a100_64 --evaluate' \
    '--keep is deprecated; write --evaluate'
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
for command in gen convert trace bench-collective run sweep failures fit plan topo; do
    "$ORRERY_BIN" $command --help | grep -oE -- '--(out|batch-size|beside|anew|keep|around|repair|threads)( |$)' >old &&
        fail "orrery $command --help: $(cat old)"
done

[ "$failures" -eq 0 ] && echo 'former names: say the same'
exit $((failures > 0))
