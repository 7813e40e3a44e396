#!/bin/sh
# Names of inputs that hold what a terminal obeys, markup, quotes and line feeds: of nodes, groups, keys,
# files, jobs and nodes of graphs, through the commands that print or draw them.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
cases=0
escape=$(printf '\033')

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# clean FILE: it has no control characters, and no line that begins with what stands behind the line feed in
# names
clean() {
    LC_ALL=C tr -d '\n\t' <"$1" | LC_ALL=C grep -q "$(printf '[\001-\037\177]\\|\302\205')" &&
        fail "${2:-$1}: control characters: $(cat -v "$1")"
    grep -q '^second' "$1" && fail "${2:-$1}: a name ends the line: $(cat -v "$1")"
    return 0
}

# prints STATUS ARGUMENT...: ends with the status, and what it prints is clean
prints() {
    expected=$1
    shift
    cases=$((cases + 1))
    "$ORRERY_BIN" "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || fail "$*: exit status $status, expected $expected: $(cat -v out err)"
    clean out "$*"
    clean err "$*"
}

# shows TEXT: it was printed
shows() {
    cat out err | grep -qF -- "$1" || fail "not shown: $1, but $(cat -v out err)"
}

# json FILE: it parses
json() {
    if command -v jq >path; then
        jq . "$1" >parsed 2>err || fail "$1 is no JSON: $(cat err)"
    fi
}

# svg FILE: it is well-formed, and no markup came from a name
svg() {
    if command -v xmllint >path; then
        xmllint --noout "$1" 2>err || fail "$1: not well-formed: $(cat -v err)"
    fi
    grep -q '<b>' "$1" && fail "$1 has markup of a name"
    clean "$1"
}

# As JSON and YAML both write it, and as it is to be seen.
name='red\u001b[31m<b>&\"\u0085\u007f\nsecond'
seen='red\x1b[31m<b>&"\xc2\x85\x7f\nsecond'
raw="red$escape[31m"

# ---- traces ----

version='{"version":"0.0.4"}'
collective='{"name":"is_cpu_op","boolVal":false},{"name":"comm_type","int64Val":"0"},{"name":"comm_size","int64Val":"1024"}'
for rank in 0 1; do
    cat >job.$rank.et <<END
$version
{"id":"0","name":"$name","type":"COMP_NODE","attr":[{"name":"num_ops","int64Val":"1000"},{"name":"tensor_size","int64Val":"1000"}]}
{"id":"1","name":"$name","type":"COMM_COLL_NODE","dataDeps":["0"],"attr":[$collective,{"name":"pg_name","stringVal":"$name"}]}
END
done
cat >platform.yml <<END
name: "$name"
network: {topology: Ring(2), bandwidth: 1 GB/s}
compute: {peak: 1 TFLOP/s}
memory: {local: {bandwidth: 1 GB/s}}
workload: {traces: job, groups: {"$name": [0, 1]}}
END
prints 0 run platform.yml --why
shows "$seen"
prints 0 run platform.yml --json result.json --csv result.csv --timeline timeline.json
json result.json
json timeline.json
clean result.json
clean result.csv
clean timeline.json
prints 0 run platform.yml --csv -
prints 0 run platform.yml --json -
prints 0 run platform.yml --explain
prints 0 run platform.yml --explain-fold
prints 0 whatif platform.yml
prints 0 diff result.json result.json
sed 's/"int64Val":"1024"/"int64Val":"2048"/' job.0.et >other.et
for command in info print check stats dot; do
    prints 0 trace $command job.0.et
done
prints 0 trace stats --json - job.0.et
json out
prints 0 trace print --json - job.0.et
prints 0 trace diff job.0.et other.et
shows 'red\x1b[31m'
prints 0 trace diff --json - job.0.et other.et
json out
prints 0 trace cut job.0.et
cp job.0.et "$raw.et"
prints 0 trace info "$raw.et"
shows 'red\x1b[31m.et'
prints 2 trace info "none$raw.et"
prints 2 run "none$raw.yml"
shows 'red\x1b[31m.yml'

# ---- errors ----

cat >waits.0.et <<END
$version
{"id":"0","name":"$name","type":"COMM_RECV_NODE","attr":[{"name":"is_cpu_op","boolVal":false},{"name":"comm_size","int64Val":"1024"},{"name":"comm_src","int64Val":"1"}]}
END
echo "$version" >waits.1.et
prints 3 run platform.yml --set 'workload={traces: waits}'
shows "$seen"
printf '%s\n' "\"$name\": 1" | cat platform.yml - >key.yml
prints 2 run key.yml
shows "$seen"
prints 2 run platform.yml --set "system={scheduler: \"$name\"}"
shows "$seen"
prints 2 run platform.yml --set "network.topology=\"$name\""
sed "s/COMM_COLL_NODE/$raw/" job.0.et >kind.et
prints 2 trace info kind.et
prints 2 "$raw"
prints 2 trace "$raw"
prints 2 run platform.yml --json "$raw/none"

# ---- graphs ----

cat >graph.yml <<END
network:
  graph:
    npus: 2
    switches: 1
    names: [a, b, "$name"]
    links:
      - {from: a, to: "$name", bandwidth: 1 GB/s}
      - {from: b, to: "$name", bandwidth: 1 GB/s}
workload: {generate: all_reduce, bytes: 1 MiB}
END
printf 'graph g {\n  a; b; "red\033[31m<b>&\\"\177\nsecond" [kind=switch];\n' >graph.dot
printf '  %s -- "red\033[31m<b>&\\"\177\nsecond" [bandwidth="1 GB/s"];\n' a b >>graph.dot
echo '}' >>graph.dot
for graph in graph.yml graph.dot; do
    prints 0 topo show $graph
    prints 0 topo show --json - $graph
    json out
    prints 0 topo check $graph
    prints 0 topo draw $graph -o picture.svg
    svg picture.svg
    grep -qF '\x1b[31m&lt;b&gt;&amp;' picture.svg || fail "$graph: the picture does not show the name"
    prints 0 topo draw $graph -o again.dot
    grep -q '=<' again.dot && fail "$graph: a label of markup: $(cat -v again.dot)"
    prints 0 topo draw again.dot -o twice.dot
    cmp -s again.dot twice.dot || fail "$graph does not read back: $(cat -v again.dot twice.dot)"
done
prints 0 run graph.yml --link-stats - --traffic-matrix traffic.svg
shows 'red\x1b[31m'
svg traffic.svg
prints 0 run graph.yml --link-stats links.csv --why
clean links.csv
prints 2 run graph.yml --set 'network.graph.links[1].to=9'

# ---- jobs and sweeps ----

cat >two.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=893600 }"];
  node0 -> node1;
}
END
cat >jobs.yml <<END
cluster: {servers: 4, fabric: "clusters:2,2", link_bandwidth: 1 GB/s}
jobs: [{name: "$name", taskgraph: two.dot}]
END
prints 0 run --cluster jobs.yml --json jobs.json --csv -
json jobs.json
prints 0 run --cluster jobs.yml
shows "$seen"
prints 2 run --cluster jobs.yml --set 'jobs[0].servers=[7, 8]'
cp two.dot "$raw.dot"
prints 0 run --taskgraph "$raw.dot" --fabric ideal-switch --link-bandwidth 1GB/s --traffic-matrix traffic.svg
shows 'red\x1b[31m.dot'
svg traffic.svg
sed "s/COMP_NODE/$raw/" two.dot >bad.dot
prints 2 run --taskgraph bad.dot --fabric ideal-switch --link-bandwidth 1GB/s
cat >sweep.yml <<END
sweep:
  platform: platform.yml
  axes:
    workload: [{traces: job, groups: {"$name": [0, 1]}}, {traces: "none$name"}]
    network.bandwidth: [1 GB/s, 2 GB/s]
END
prints 0 sweep sweep.yml --output swept
clean swept.csv
clean swept.jsonl

[ "$failures" -eq 0 ] && echo "$cases cases: names are clean"
exit $((failures > 0))
