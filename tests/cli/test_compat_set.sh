#!/bin/sh
# --set with the ASTRA-sim simulator's files: compat.dimension_scheduling, and all else refused.
# Hand calculations are in the comments.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/lib.sh"

# cycles N OPTION...: every rank of a run with these options ends at N
cycles() {
    expected=$1
    shift
    cases=$((cases + 1))
    "$ORRERY_BIN" run --workload-configuration good --system-configuration good.json \
        --network-configuration good.yml --format astra "$@" >out 2>err </dev/null ||
        fail "exit status $?: $(cat err)" "$*"
    awk -v n="$expected" '$2 == "finished," && $3 != n { bad = 1 } END { exit bad || NR == 0 }' out ||
        fail "expected $expected cycles: $(head -1 out)" "$*"
}

# says TEXT OPTION...: the run says this on standard error
says() {
    text=$1
    shift
    cycles "$@"
    [ "$(cat err)" = "$text" ] || fail "standard error is: $(cat err)" "$*"
}

on=compat.dimension_scheduling=true

# ---- what it does ----

# One dimension: the greedy scheduler's all-reduce is a reduce-scatter and an all-gather, each with
# an endpoint delay at its start. D = floor(500 + 8192 / 53.687) = 652, R = 3 floor(8192 / 50) = 489:
# 2 chunks x (10 + 3 (652 + 10 + 489) + 10 + 3 (652 + 10)) = 2 x (3463 + 1996).
sed 's/"endpoint-delay"/"inter-dimension-scheduling": "themis", "endpoint-delay"/' good.json >greedy.json
says "" 10918 --system-configuration greedy.json --set $on
sed 's/themis/offlineGreedy/' greedy.json >greedy2.json
says "" 10918 --system-configuration greedy2.json --set $on
says "" 10918 --system-configuration greedy.json --set compat.dimension_scheduling=false --set $on
# Without it, 2 x (10 + 6 (652 + 10) + 3 x 489), and a warning.
warning='greedy.json:3:35: warning: inter-dimension-scheduling is ignored: the program whose file this is does not read it either; --set compat.dimension_scheduling=true obeys it'
says "$warning" 10898 --system-configuration greedy.json
says "$warning" 10898 --system-configuration greedy.json --set compat.dimension_scheduling=false
sed 's/themis/baseline/' greedy.json >baseline.json
says "" 10898 --system-configuration baseline.json --set $on

# Its last chunk is what remains, where the baseline's is a full one. 65538 bytes are chunks of
# 32769, 32769: as many. 65537 are 32768, 32768 and 1, in blocks of 0 bytes that still take
# 10 + 3 (500 + 10) + 10 + 3 (500 + 10) = 3080; the baseline has a third chunk of 5449.
traces odd 4 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 65537
END
cycles 13998 --workload-configuration odd --system-configuration greedy.json --set $on
cycles 16347 --workload-configuration odd

# Smallest chunk first, 3 chunks of 32768 on two rings. Dimension 1: reduce-scatter 3463 and
# all-gather 1996 as above. Dimension 2, blocks of 4096: D = floor(4096 / 53.687) = 76,
# R = 3 floor(4096 / 50) = 243, so the all-reduce takes 10 + 2 (76 + 10) + 243 = 425.
# First in, first out, dimension 1 is never idle: 3 (3463 + 1996). By size, all-gathers of equal
# size go before reduce-scatters that wait, so the third chunk comes last and alone: 425 more.
cat >rings.yml <<'END'
topology: [ Ring, Ring ]
npus_count: [ 4, 2 ]
bandwidth: [ 50, 50 ]
latency: [ 500, 0 ]
END
cat >scf.json <<'END'
{ "preferred-dataset-splits": 3, "local-mem-bw": 50, "intra-dimension-scheduling": "SCF",
  "all-reduce-implementation": ["ring", "ring"] }
END
traces three 8 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 98304
END
set -- --network-configuration rings.yml --workload-configuration three
says "" 16802 "$@" --system-configuration scf.json --set $on
sed 's/SCF/smallestFirst/' scf.json >scf2.json
says "" 16802 "$@" --system-configuration scf2.json --set $on
sed 's/SCF/FIFO/' scf.json >fifo.json
says "" 16377 "$@" --system-configuration fifo.json --set $on
cycles 16377 "$@" --system-configuration scf.json

# ---- what is refused ----

sed 's/themis/roundRobin/' greedy.json >round.json
refuses 2 --system-configuration round.json --set $on <<'END'
round.json:3:35: inter-dimension-scheduling: expected baseline, ascending, themis or offlineGreedy, got "roundRobin"
END
sed 's/SCF/RG/' scf.json >rg.json
refuses 2 --system-configuration rg.json --set $on <<'END'
rg.json:1:84: intra-dimension-scheduling: expected FIFO, SCF or smallestFirst, got "RG"
END
refuses 2 --set compat.dimension_sheduling=true <<'END'
--set: compat.dimension_sheduling: unknown key in compat; did you mean "dimension_scheduling"?
END
refuses 2 --set compat.dimension_scheduling=maybe <<'END'
--set: compat.dimension_scheduling: expected true or false, got "maybe"
END
refuses 2 --set compat.dimension_scheduling=2 <<'END'
--set: compat.dimension_scheduling: expected true or false, got "2"
END
refuses 2 --set compat.dimension_scheduling= <<'END'
--set compat.dimension_scheduling: a value is missing after the =
END
refuses 2 --set compat.chunks=3 <<'END'
--set: compat.chunks: unknown key in compat; expected dimension_scheduling
END
refuses 2 --set compat=true <<'END'
--set: compat: expected a mapping of keys to values, got "true"
END
refuses 2 --set system.chunks=3 <<'END'
--set system.chunks=3: expected compat.dimension_scheduling, all that can be set with ASTRA-sim's files: the rest is in them, under their rules
END
refuses 2 --set compact.dimension_scheduling=true <<'END'
--set compact.dimension_scheduling=true: expected compat.dimension_scheduling, all that can be set with ASTRA-sim's files: the rest is in them, under their rules
END
refuses 2 --set compat.dimension_scheduling <<'END'
--set: expected PATH=VALUE, such as network.dims[1].bandwidth=100GB/s, got "compat.dimension_scheduling"
END
refuses 2 --compat off --set $on <<'END'
compat.dimension_scheduling goes with the reference's rules (--compat astra-sim)
END
refuses 2 --explain --set $on <<'END'
orrery run: --explain needs Orrery files (PLATFORM.yml)
try 'orrery run --help'
END

finish
