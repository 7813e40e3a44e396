#!/bin/sh
# Pages of runs in a browser: every figure is the result's, nothing is asked for, names and order hold for those who
# do not see it, keys work; and every one of these checks fails where the page is spoilt.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
inputs=$ORRERY_SOURCE_DIR/inputs
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# makes NAME ARGUMENT...: NAME.html of a run, NAME.json what it is made from
makes() {
    name=$1
    shift
    "$ORRERY_BIN" run "$@" --report "$name.html" --json "$name.json" --details >/dev/null 2>err ||
        fail "$name: exit status $?: $(cat err)"
}

# ---- what runs there are ----

makes dims "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/mlp_data_parallel.yml"
makes graph "$inputs/platforms/dgx1_v100.yml" "$inputs/workloads/all_reduce_1gb.yml"
makes torus --topology 'Ring(4)_Ring(4)' --bandwidth '50 GB/s' --latency '500 ns' --set network.backend=congestion \
    --set 'workload={generate: all_to_all, bytes: 1 MiB}'
cat >model.yml <<'END'
workload:
  transformer: {layers: 4, hidden: 1024, heads: 8, sequence: 128, vocabulary: 1000}
  parallel: {tensor: 2, pipeline: 2}
  training: {batch: 32}
END
makes model "$inputs/platforms/dgx_a100_64.yml" model.yml
"$ORRERY_BIN" gen all_reduce --npus 8 --bytes "1 MiB" --output reduce >/dev/null || fail "no traces"
makes astra --workload-configuration reduce --system-configuration "$inputs/astra/system.json" \
    --network-configuration "$inputs/astra/ring8.yml" --remote-memory-configuration "$inputs/astra/memory.json"

# Live tensors: NPU 0 loads, computes and stores.
cat >tensors.yml <<'END'
network: {dims: [{block: switch, npus: 2, bandwidth: 1 GB/s}]}
memory:
  local: {bandwidth: 1 GB/s}
  pool: {per_npu: {bandwidth: 1 GB/s}, chunk: 1 kB}
compute: {peak: 1 GFLOP/s}
workload: {traces: t}
END
node() { # ID NAME KIND BYTES PARENT TENSORS-IN TENSORS-OUT
    printf '{"id": "%s", "name": "%s", "type": "%s", "dataDeps": [%s],
      "attr": [{"name": "tensor_size", "uint64Val": "%s"}, {"name": "is_cpu_op", "boolVal": false},
               {"name": "num_ops", "int64Val": "1000000"},
               {"name": "inputs", "stringList": {"values": [%s]}}, {"name": "outputs", "stringList": {"values": [%s]}}]}\n' \
        "$1" "$2" "$3" "$5" "$4" "$6" "$7"
}
for rank in 0 1; do
    {
        echo '{"version": "0.0.4"}'
        node 1 "load w" MEM_LOAD_NODE 4000000 '' '"w", "4000000"' '"w", "4000000"'
        node 2 "use w" COMP_NODE 1000 '"1"' '"w", "4000000"' '"y", "1000000"'
        node 3 "store y" MEM_STORE_NODE 1000000 '"2"' '"y", "1000000"' '"y", "1000000"'
    } >t.$rank.et
done
makes tensors tensors.yml

# What a run did not tell, the page does not invent.
"$ORRERY_BIN" run "$inputs/platforms/dgx_a100_64.yml" "$inputs/workloads/mlp_data_parallel.yml" --json bare.json >/dev/null
"$ORRERY_BIN" report bare.json -o bare.html || fail "report bare.json: exit status $?"

# ---- pages that are spoilt ----

# spoils NAME SED...: a copy of dims.html in which something is wrong
spoils() {
    name=$1
    shift
    sed "$@" dims.html >"$name.html"
    ! cmp -s dims.html "$name.html" || fail "$name.html is not spoilt"
}

spoils warns 's/^showPage();/console.warn("a warning"); showPage();/'
spoils throws 's/^showPage();/showPage(); setTimeout(() => { throw new Error("late"); }, 0);/'
spoils breaks 's/^showPage();/showPage(); nothing.here();/'
spoils asks -e 's/<meta http-equiv[^>]*>//' -e 's|<footer|<img src="http://localhost:9/x.png" alt="x"><footer|'
spoils refused 's|<footer|<img src="http://localhost:9/x.png" alt="x"><footer|'
spoils fetches -e 's/<meta http-equiv[^>]*>//' -e "s/^showPage();/showPage(); new Image().src = \"ht\" + \"tp:\/\/localhost:9\/\";/"
wall=$(sed -n 's/^ *"wall_ps": \([0-9]*\),*$/\1/p' dims.json | head -1)
spoils linked 's|<footer|<!-- https://example.org/ --><footer|'
spoils other "s/\"wall_ps\":$wall/\"wall_ps\":$((wall + 1))/g"
spoils millis 's/\["ms", 1e9\]/["ms", 1.1e9]/'
spoils fewer 's/const size = 24, gap = 8, left = roomFor(rows), end = WIDTH - 110;/rows = rows.map((row) => ({...row, parts: row.parts.slice(1)})); &/'
spoils shorter 's/const width = part.value/const width = 0.1 * max + part.value/'
spoils added 's/^showPage();/showPage(); document.querySelector("dd").setAttribute("onclick", "hurt()");/'
spoils unnamed 's/role: "img", "aria-label": label/role: "img"/'
spoils twice 's/++madeIds/7/'
spoils tabs 's/svg("svg", {class: "chart timeline", role: "application", tabindex: "0"/svg("svg", {class: "chart timeline", role: "application", tabindex: "3"/'
spoils deaf 's/ArrowRight: () => move(0.2)/ArrowRight: () => 0/'
spoils unsorted 's/return down ? -less : less;/return 0;/'
spoils faint 's/--soft: #5a6474/--soft: #aab4c4/'
spoils alike 's/(prefers-color-scheme: dark)/(prefers-color-scheme: none)/'

python3 "$ORRERY_SOURCE_DIR/tests/cli/page/check.py" >said 2>&1 <<'END'
open dims.html
clean
title "dgx_a100_64, mlp_data_parallel"
figures dims.json
says Memory "Not shown: bytes over time: the traces have no lifetimes of tensors."
says Memory "Not shown: the need of a model: the workload is no generated model."
says "Use of the network" "Not shown: use of single links: the network is a stack of dimensions; links need network.graph."
inert
accessible
keyboard
colours
print 2
clean

open graph.html
clean
figures graph.json
accessible

open torus.html
clean
figures torus.json

open model.html
clean
figures model.json
accessible
keyboard

open astra.html
clean
figures astra.json
says "Use of the network" "not counted by this backend"
accessible

open tensors.html
clean
figures tensors.json
accessible

open bare.html
clean
figures bare.json
accessible
says Timeline "Not shown: the result was made without details (orrery run ... --details, or --report FILE)."
says Traffic "Not shown: the result was made without details"
says "The network" "Not shown: the result was made without details"
says Memory "Not shown: bytes over time: the result was made without details"
says "What would help" "Not shown: no changes were tried (orrery whatif --report FILE, or orrery run --report FILE)."
says "Critical path" "Not shown: the run did not record it (orrery run --why, or --report FILE)."
says Configuration "Version and command are not in the result."
fails "says not" says Timeline "every operation"
fails timeline keyboard

open warns.html
fails "a warning" quiet
open throws.html
fails "Error: late" quiet
open breaks.html
fails "nothing is not defined" quiet
open asks.html
fails "asks for http://localhost:9/x.png" alone
open refused.html
fails "violates the following Content Security Policy" quiet
open fetches.html
fails "asks for http://localhost:9/" alone
open linked.html
fails "https: stands in the page" alone
open other.html
clean
fails "wall_ps: 37128763341 is no result" figures dims.json
open millis.html
fails "is told of 37128763340" figures dims.json
open fewer.html
fails "1 bars for 2 times of classes" figures dims.json
open shorter.html
fails "long" figures dims.json
open added.html
fails "attributes that run something" inert
open unnamed.html
fails "pictures without a name" accessible
open twice.html
fails "ids twice" accessible
open tabs.html
fails "places in the order of Tab" accessible
open deaf.html
fails "ArrowRight changes nothing" keyboard
open unsorted.html
fails "time: " keyboard
open faint.html
fails "light: " colours
open alike.html
fails "dark is rgb(255, 255, 255)" colours
END
status=$?
[ $status -ne 77 ] || { cat said; exit 77; }
[ $status -eq 0 ] || fail "$(cat said)"

[ "$failures" -eq 0 ] && echo "pages of runs are as they must be"
[ "$failures" -eq 0 ]
