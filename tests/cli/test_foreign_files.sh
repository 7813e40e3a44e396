#!/bin/sh
# Files of other programs, given to any command, plain or compressed: each is named, with what to do with it.
set -u
scratch=$(mktemp -d) && cd "$scratch" && trap 'rm -rf "$scratch"' EXIT || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# ---- the files; the list of their names and what they are ----

: >list
is() { printf '%s|%s\n' "$1" "$2" >>list; }

printf '{"topology-name": "Hierarchical", "topologies-per-dim": ["Ring"], "dimensions-count": 1, "units-count": [8]}\n' >n1.json
is n1.json 'a network of ASTRA-sim 1.0'
printf 'scheduling-policy: LIFO\nendpoint-delay: 10\nall-reduce-implementation: ring_direct\nall-gather-implementation: ring\nall-to-all-implementation: direct\n' >s1.txt
is s1.txt 'a system file of ASTRA-sim 1.0'
printf '# a machine\nnum_nodes = 2\nnum_sockets_per_node = 2\nnum_gpus_per_socket = 4\n' >machine
is machine 'a machine model of FlexFlow'
printf '{\n "matrix": {"float16": {"tflops": 312}},\n "mem1": {"GiB": 80}, "networks": []}\n' >system.json
is system.json 'a system of Calculon'
printf '{"name": "gpt", "seq_size": 2048, "hidden": 768, "attn_heads": 12, "num_blocks": 12}\n' >application.json
is application.json 'a model of Calculon'
printf '{"num_procs": 64, "tensor_par": 8, "pipeline_par": 8}\n' >execution.json
is execution.json 'an execution of Calculon'
printf '{"num_nodes": 1, "link_bw": 112, "nodes": [{"instances": [{"npu_mem": {}, "num_npus": 1}]}]}\n' >serving.json
is serving.json 'a cluster of LLMServingSim'
printf '10 4 2 0 8 H100\n8 9\n0 8 2880Gbps 0.000025ms 0\n' >simai
is simai 'a topology of SimAI'
printf 'test\nTP:\n  allreduce,: 300\n  allgather,: 280\nPP:\n  busbw: 47.5\n' >busbw.yaml
is busbw.yaml 'a table of bus bandwidths of SimAI'
printf 'TP:\n  alltoall,: 300\n' >busbw2.yaml
is busbw2.yaml 'a table of bus bandwidths of SimAI'
printf '9 1 8\n8\n0 8 400Gbps 0.0005ms 0\n1 8 400Gbps 0.0005ms 0\n' >ns3
is ns3 'a topology of ns-3'
printf 'ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\n' >config.txt
is config.txt 'a configuration of ns-3'
printf '{"logical-dims": ["8", "4"]}\n' >logical.json
is logical.json "a logical topology of ASTRA-sim's ns-3 front end"
printf '# comment\nNodes 16\nTiers 3\nPodsize 4\n\nTier 0\nRadix_Up 2\n' >fat.topo
is fat.topo 'a topology of htsim'
printf 'Nodes 16\nConnections 1\n0->1 start 0 size 2000000\n' >perm.cm
is perm.cm 'a connection matrix of htsim'
printf '<algo name="ag" nchannels="1" ngpus="2" coll="allgather"></algo>\n' >algorithm.xml
is algorithm.xml 'an algorithm of MSCCL (XML)'
printf '<system version="1">\n  <cpu numaid="0"/>\n</system>\n' >topology.xml
is topology.xml 'a topology of NCCL (XML)'
printf '<!-- dump -->\n<graphs version="1"></graphs>\n' >graphs.xml
is graphs.xml "a file of NCCL's graphs (XML)"
printf 'Time (%%),Total Time (ns),Instances,Avg (ns),Name\n55.1,100,2,50,gemm\n' >sum.csv
is sum.csv 'a table of Nsight Systems (nsys stats)'
printf 'Start (ns),Duration (ns),CorrId,Name\n1,2,3,gemm\n' >trace.csv
is trace.csv 'a table of Nsight Systems (nsys stats)'
printf '\t\033[4mGPU0\tGPU1\tNIC0\tCPU Affinity\033[0m\nGPU0\t X \tNV18\tPXB\t0-55\nGPU1\tNV18\t X \tPXB\t0-55\n' >topo.txt
is topo.txt 'the output of nvidia-smi topo -m'
printf '        GPU0    GPU1\nGPU0     X      NV12\nGPU1    NV12     X\n' >topo2.txt
is topo2.txt 'the output of nvidia-smi topo -m'
printf '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{"ph": "X", "name": "k"}]}\n' >kineto.json
is kineto.json 'a profile or timeline of events (Kineto, Perfetto)'
printf '[{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2}]\n' >list.json
is list.json 'a profile or timeline of events (Kineto, Perfetto) as a bare list'
printf '{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": []}\n' >et.json
is et.json 'an execution trace of PyTorch'

# ---- the commands ----

inputs=$ORRERY_SOURCE_DIR/inputs
export ORRERY_INPUTS="$inputs"
cp "$inputs/platforms/conv_3d.yml" platform.yml
cp "$inputs/astra/ring8.yml" ring.yml
cp "$inputs/astra/system.json" astra.json
cat >commands <<'END'
run FILE
run platform.yml FILE
topo show FILE
sweep FILE -o o
model show FILE
plan topoopt FILE
run --cluster FILE
taskgraph show FILE
trace check FILE
bench-collective platform.yml --measured FILE --collective all_reduce
fit collectives --platform hgx_h100_256 FILE -o q.yml
diff FILE FILE
report FILE -o x.html
convert text FILE --platform platform.yml -o z
convert chakra FILE -o z
convert flexflow FILE -o z
convert sipml FILE -o z
convert pytorch --et FILE -o z
convert pytorch --et FILE --kineto FILE -o z
run --workload-configuration a --system-configuration FILE --network-configuration ring.yml
run --workload-configuration a --system-configuration astra.json --network-configuration FILE
run --workload-configuration a --system-configuration astra.json --network-configuration ring.yml --comm-group-configuration FILE
END
# names FILE WHAT COMMAND
names() {
    words=
    for word in $3; do
        [ "$word" != FILE ] || word=$1
        words="$words $word"
    done
    # shellcheck disable=SC2086
    "$ORRERY_BIN" $words >out 2>err </dev/null
    status=$?
    [ $status -eq 2 ] || fail "$3: $1: exit status $status"
    while read -r line; do
        case $line in
        *"$1: this is $2"*) return ;;
        esac
    done <err
    fail "$3: $1: $(cat err)"
}
# examples: those in the message err, one a line; patterns with FILE or PREFIX are none.
examples() {
    awk '{
        text = $0
        while (match(text, /(network|workload|system): \{|\{network: \{/)) {
            text = substr(text, RSTART)
            depth = end = 0
            for (i = 1; i <= length(text) && !end; i++) {
                c = substr(text, i, 1)
                depth += c == "{" ? 1 : c == "}" ? -1 : 0
                if (c == "}" && depth == 0) end = i
            }
            if (!end) break
            example = substr(text, 1, end)
            text = substr(text, end + 1)
            if (example !~ /FILE|PREFIX/) print example
        }
    }' err
}
printf 'workload: {generate: all_reduce, bytes: 1 MiB}\n' >w.yml
printf 'network: {topology: Switch(4), bandwidth: 50 GB/s}\n' >four.yml
# works EXAMPLE FILE: it runs.
works() {
    printf '%s\n' "$1" >example.yml
    case $1 in
    workload:*) set -- "$1" "$2" hgx_h100_256 example.yml ;;
    system:*)
        { cat four.yml && echo "$1"; } >example.yml
        set -- "$1" "$2" example.yml w.yml
        ;;
    *) set -- "$1" "$2" example.yml w.yml ;;
    esac
    "$ORRERY_BIN" run "$3" "$4" >out 2>said </dev/null && grep -q '^job time' out || fail "$2 teaches $1: $(cat said)"
}
# Every file with every command, and compressed with the first ones.
: >taught
while IFS='|' read -r file what; do
    gzip -kf "$file"
    while read -r command; do
        case $command in
        *pytorch*) [ "$file" = et.json ] && continue ;;
        esac
        names "$file" "$what" "$command"
        [ "$command" != 'run FILE' ] || examples >>taught
        case $command in
        'run FILE' | 'trace check FILE' | 'topo show FILE') names "$file.gz" "$what" "$command" ;;
        esac
    done <commands
done <list
sort -u taught >each
[ "$(wc -l <each)" -ge 7 ] || fail "few examples: $(cat each)"
while read -r example; do
    works "$example" 'a message'
done <each

# A custom collective, as MSCCL's message teaches: each rank sends its half and receives the other's.
names algorithm.xml 'an algorithm of MSCCL (XML)' 'run FILE'
grep -qF '{"all-reduce-implementation-custom": ["PREFIX"]}' err || fail "MSCCL: $(cat err)"
for rank in 0 1; do
    peer=$((1 - rank))
    attr='"attr": [{"name": "comm_size", "int64Val": "500000"}, {"name": "comm_src", "int32Val": '
    printf '{"version": "0.0.4"}\n{"id": 1, "name": "s", "type": "COMM_SEND_NODE", %s%d}, {"name": "comm_dst", "int32Val": %d}]}\n' \
        "$attr" $rank $peer >half.$rank.et
    printf '{"id": 2, "name": "r", "type": "COMM_RECV_NODE", %s%d}, {"name": "comm_dst", "int32Val": %d}]}\n' \
        "$attr" $peer $rank >>half.$rank.et
    printf '{"version": "0.0.4"}\n{"id": 1, "name": "a", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "1000000"}]}\n' >job.$rank.et
done
printf '{"all-reduce-implementation-custom": ["half"]}\n' >custom.json
printf 'topology: [Ring]\nnpus_count: [2]\nbandwidth: [50.0]\nlatency: [500.0]\n' >pair.yml
"$ORRERY_BIN" run --workload-configuration job --system-configuration custom.json --network-configuration pair.yml >out 2>err ||
    fail "a custom collective: $(cat err)"
grep -q '^job time' out || fail "a custom collective: $(cat out)"

# A profile and a trace that are swapped.
python=$(command -v python3) && [ -n "$python" ] && {
    python3 "$ORRERY_SOURCE_DIR/tests/cli/pytorch_job.py" 0=0
    names kineto_0.json 'a profile or timeline of events (Kineto, Perfetto)' 'convert pytorch --et FILE --kineto et_0.json -o z'
    grep -q -- '--kineto FILE' err || fail "swapped: $(cat err)"
    names et_0.json 'an execution trace of PyTorch' 'convert pytorch --et et_0.json --kineto FILE -o z'
}

# Options of other programs.
for option in --logical-topology-configuration=x --num-passes=2; do
    "$ORRERY_BIN" run $option >out 2>&1
    [ $? -eq 2 ] && grep -q "^orrery run: \"$option\" is an option of ASTRA-sim" out || fail "$option: $(cat out)"
done

[ "$failures" -eq 0 ] && echo "files of other programs: named by every command"
exit $((failures > 0))
