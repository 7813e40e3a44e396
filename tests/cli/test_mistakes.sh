#!/bin/sh
# Mistakes that a new user makes, and all that is said to them: tests/cli/mistakes.txt holds command lines,
# the exit status of each and its output, to the byte. A message names the place, what was expected there
# and what to do next.
#
#   usage: tests/cli/test_mistakes.sh [--update]
#
# A case is a line "$ ARGUMENTS" (as a shell would read them), the lines that are printed, and "=> STATUS".
# INPUTS stands for the folder of the inputs that ship. --update writes what is printed now into the file.
set -u

update=${1:-}
here=$(cd "$(dirname "$0")" && pwd)
source=${ORRERY_SOURCE_DIR:-$(cd "$here/../.." && pwd)}
orrery=${ORRERY_BIN:-$source/build/release/bin/orrery}
cases=$here/mistakes.txt
least=70
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/here"
cd "$work/here" || exit 1
failures=0
ORRERY_INPUTS=$source/inputs
COLUMNS=100
LC_ALL=C.UTF-8
export ORRERY_INPUTS COLUMNS LC_ALL
unset ORRERY_COLOR NO_COLOR

# ---- the files that are at hand ----

"$orrery" gen all_reduce --npus 4 --bytes 1MiB -o ar >/dev/null || exit 1
cp "$source/inputs/platforms/conv_3d.yml" platform.yml
cp "$source/inputs/workloads/all_reduce_1gb.yml" workload.yml
cp "$source/inputs/astra/ring8.yml" astra_network.yml
cp "$source/inputs/astra/system.json" astra_system.json
cp "$source/inputs/astra/memory.json" astra_memory.json
"$orrery" run platform.yml workload.yml --json result.json >/dev/null || exit 1
gzip -c platform.yml >platform.yml.gz
mkdir folder
: >empty.yml
printf 'network:\n\ttopology: Ring(4)\n' >tab.yml
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s\n' >brace.yml
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s}\nworkload: {traces: ar}\n' >job.yml
printf 'network: {topology: Ring(8), bandwidth: 1 GB/s}\nworkload: {traces: ar}\n' >eight.yml
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s}\nworkload: {traces: none}\n' >none.yml
printf 'network: {topology: Ring(4), bandwidth: [1 GB/s, 2 GB/s]}\nworkload: {traces: ar}\n' >two.yml
printf 'network: {topology: Ring(4)}\nworkload: {traces: ar}\n' >slow.yml
printf 'network: {topology: Ring(4), bandwidth: 1 GB/s}\nworkload: {generate: mlp, layers: 2, bytes: 1 MB}\n' >mlp.yml
printf 'sweep:\n  platform: conv_3d\n  workload: all_reduce_1gb\n  axes: {system.chunks: [1, 2]}\n' >sweep.yml
sed 's/chunks/chunk/' sweep.yml >axis.yml
sed 's/conv_3d/conv3d/' sweep.yml >input.yml
sed 's/axes:/axis:/' sweep.yml >axes.yml
printf 'cluster: {servers: 4, fabric: fat-tree, link_bandwidth: 1 GB/s}\njobs: [{taskgraph: tasks.dot}]\n' >jobs.yml
cat >tasks.dot <<'END'
digraph g {
  node0 [label="{ npu_id=0 | fwd | FORWARD | COMP_NODE | runtime=0.001 }"];
  node1 [label="{ npu_id=0 | x | COMM | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=893600 }"];
  node0 -> node1;
}
END
cat >infragraph.yml <<'END'
name: two-hosts
devices:
- {name: host, components: [{name: xpu, count: 4, choice: xpu}]}
instances: [{name: h, device: host, count: 2}]
edges: []
END
printf '<system version="1">\n  <cpu numaid="0"/>\n</system>\n' >topology.xml
printf '<?xml version="1.0"?>\n<graphml><graph><node id="a"/></graph></graphml>\n' >net.graphml
printf '<algo name="ag" nchannels="1" ngpus="2" coll="allgather"></algo>\n' >algorithm.xml
printf '10 4 2 0 8 H100\n8 9\n0 8 2880Gbps 0.000025ms 0\n' >simai.txt
printf '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "k"}]}\n' >kineto.json
printf '{"schema": "1.1.1-chakra.0.0.4", "nodes": []}\n' >pytorch.json
printf '{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32}\n' >config.json
printf '{"train_batch_size": 32, "zero_optimization": {"stage": 3}}\n' >deepspeed.json
printf 'size,time\n1,2\n' >times.csv
printf '<!DOCTYPE html>\n<html></html>\n' >page.html
printf '{"version":"0.0.4"}\n{"id":"0","name":"waits","type":"COMM_RECV_NODE","attr":[{"name":"comm_size","int64Val":"1024"},{"name":"comm_src","int64Val":"1"}]}\n' >wait.0.et
printf '{"version":"0.0.4"}\n' >wait.1.et
printf 'network: {topology: Ring(2), bandwidth: 1 GB/s}\nworkload: {traces: wait}\n' >wait.yml

# ---- the cases ----

: >"$work/printed"
while IFS= read -r line; do
    case $line in
    '$ '*)
        printf '%s\n' "$line"
        eval "set -- ${line#??}"
        "$orrery" "$@" >"$work/output" 2>&1 </dev/null
        status=$?
        sed "s|$source/inputs|INPUTS|g" "$work/output"
        printf '=> %d\n' $status
        ;;
    '#'* | '') printf '%s\n' "$line" ;;
    esac
done <"$cases" >"$work/printed"

if [ "$update" = --update ]; then
    cp "$work/printed" "$cases"
    exit 0
fi

if ! cmp -s "$cases" "$work/printed"; then
    echo "$cases is not what is said (>); if it should be: tests/cli/test_mistakes.sh --update"
    diff "$cases" "$work/printed"
    failures=1
fi

# Every case ends badly, and its message says what to do: what was expected, meant or needed, where help is, or
# where a file belongs.
awk -v least="$least" '
    /^\$ / { asked = $0; said = ""; count++; next }
    /^=> / { status = $2; judge(); said = ""; next }
    /^#/ || /^$/ { next }
    { said = said $0 "\n" }
    function judge() {
        if (status != 2 && status != 3) { print asked ": ends with " status; bad = 1 }
        if (said !~ /expected|did you mean|try .orrery|See orrery|goes? with|needs|such as|missing|not read|orrery |waits? for|cannot be|remove one|--ignore-capacity|spaces|has not sent|from 0 on|gunzip|--workload-configuration/) {
            print asked ": does not tell what to do: " said; bad = 1
        }
        if (said ~ /command line:1/ || length(said) > 1500) { print asked ": no place, or too long"; bad = 1 }
    }
    END {
        if (count < least) { print count " cases, expected at least " least; bad = 1 }
        print count " mistakes: as told"
        exit bad
    }' "$work/printed" >"$work/judged" || failures=1
[ "$failures" -eq 0 ] || cat "$work/judged"
[ "$failures" -ne 0 ] || tail -1 "$work/judged"
exit "$failures"
