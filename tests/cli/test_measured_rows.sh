#!/bin/sh
# Tables of measured steps become rows of key paths (bench/iterations/*.awk), also of jobs that the tables at
# hand do not have: made-up rows.
set -u
LC_ALL=C
export LC_ALL

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
iterations=$ORRERY_SOURCE_DIR/bench/iterations

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# turned SET SCRIPT [GPU]: in.csv as key paths, out.csv
turned() {
    awk -v set="$1" -v gpu="${3:-}" -f "$iterations/common.awk" -f "$iterations/$2.awk" in.csv >out.csv 2>err
}

# of NAME COLUMN: the value of a row, by its name; with its file's header
of() {
    awk -F, -v name="$1" -v key="$2" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == key) at = c; next }
        $1 == name { print $at; exit }' out.csv
}

# is NAME COLUMN EXPECTED
is() {
    [ "$(of "$1" "$2")" = "$3" ] || fail "$1: $2: expected \"$3\", got \"$(of "$1" "$2")\""
}

# Nodes of 8 GPUs where they divide them, else the largest half of that which does; stages that do not divide
# the layers.
cat >in.csv <<'END_OF_ROWS'
Parameters (billion),# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,data parallelism,pipeline parallelism,iteration time (ms)
1,1,8,1,2048,16,24,2048,1,1,1,9000
2,12,48,2,2048,16,30,2048,2,6,1,8000
3,20,20,1,2048,16,30,2048,4,5,1,8000
4,2520,2520,1,20480,128,105,2048,8,9,35,36000
5,64,512,2,3072,32,30,2048,1,16,4,3700
END_OF_ROWS
turned vtrain megatron || fail "vTrain: $(cat err)"
is '1B t1 p1 d1 b1' network.topology 'Switch(1)_Switch(1)'
is '2B t2 p1 d6 b2' network.topology 'Switch(4)_Switch(3)'
is '3B t4 p1 d5 b1' network.topology 'Switch(4)_Switch(5)'
is '4B t8 p35 d9 b1' network.topology 'Switch(8)_Switch(315)'
is '4B t8 p35 d9 b1' workload.parallel.layers_per_stage ''
is '5B t1 p4 d16 b2' workload.parallel.layers_per_stage uneven
is '5B t1 p4 d16 b2' time_s 3.7

# Parts of a stage are whole layers, and interleaved only where stages divide the micro-batches.
cat >in.csv <<'END_OF_ROWS'
params_B,heads,hidden,layers,TP,PP,DP,ngpus,global_batch,TFLOPs_per_gpu
1,80,10240,86,8,4,48,1536,768,450
2,16,2048,24,1,3,1,3,4,400
3,16,2048,24,1,1,1,1,4,400
END_OF_ROWS
turned megatron_h100 megatron || fail "Megatron-Core: $(cat err)"
is 'Megatron-Core 1B' workload.parallel.chunks 7 # of 21 of 86 / 4 layers
is 'Megatron-Core 1B' workload.parallel.layers_per_stage uneven
is 'Megatron-Core 2B' workload.parallel.schedule 1f1b
is 'Megatron-Core 2B' workload.parallel.chunks ''
is 'Megatron-Core 3B' workload.training.micro_batch 4

# A row without heads contradicts itself.
cat >in.csv <<'END_OF_ROWS'
md_line,ngpus,size,hidden,layers,heads,DP,TP,PP,MBS,GBS,sec_per_iter,TFLOPs_per_gpu
1,384,176.6B,14336,70,112,8,4,12,2,2048,121.22,130
2,384,176.6B,14336,70,,8,4,12,2,2048,121.22,130
END_OF_ROWS
turned bloom megatron || fail "BLOOM: $(cat err)"
is 'BLOOM line 1' workload.parallel.layers_per_stage uneven
[ "$(wc -l <out.csv)" -eq 2 ] || fail "BLOOM: a row without heads: $(cat out.csv)"

# Names of models; one that is unknown is said, and not run as another.
cat >in.csv <<'END_OF_ROWS'
section,Model,SeqLen (T),# GPUs,GPU,MicroBatchSize,GlobalBatchSize,Throughput (T/s),GlobalBatchSize (T),Precision,Activation Checkpointing
"a, b",7b,2048,8,h100_80gb,4,64,100000,131072,amp_bf16,True
"a, b",mpt-7B,65536,8,h100_80gb,1,8,100000,524288,amp_bf16,False
"a, b",65b,2048,8,h100_80gb,4,64,100000,131072,amp_bf16,True
END_OF_ROWS
turned fsdp fsdp h100 || fail "FSDP: $(cat err)"
is '7b s2048 n8 h100_80gb b4' workload.transformer.hidden 4096
is '7b s65536 n8 h100_80gb b1' workload.transformer.layers 32
is '7b s65536 n8 h100_80gb b1' workload.training.recompute none
[ "$(wc -l <out.csv)" -eq 3 ] || fail "FSDP: a model that is unknown: $(cat out.csv)"
grep -q '^in.csv:4: left out: 65b is no size of MPT$' err || fail "FSDP: not said: $(cat err)"

[ "$failures" -eq 0 ] && echo "rows of measured steps: as expected"
exit $((failures > 0))
