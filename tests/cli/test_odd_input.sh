#!/bin/sh
# Odd inputs that must work, with exact results; the hand calculations are in the comments.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/lib.sh"

# gives OPTION... <<END: a run of the good files with these options succeeds, and prints (warnings
# first) what stands before END
gives() {
    cat >want
    cases=$((cases + 1))
    "$ORRERY_BIN" run --workload-configuration good --system-configuration good.json \
        --network-configuration good.yml --format astra "$@" >out 2>err </dev/null
    status=$?
    cat err out | grep -v '^sys\[[0-9]*\], ' >both # without the times of each kind of node
    [ "$status" -eq 0 ] || fail "exit status $status, expected 0" "$*"
    cmp -s want both || fail "the output is: $(cat both)
expected: $(cat want)" "$*"
}

# Two chunks of 32768 bytes, one after the other, in blocks of 8192: the ring takes
# 10 + 6 x (floor(500 + 8192 / 53.687) + 10) + 3 x 3 x floor(8192 / 50) = 5449 ns for each.
gives <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END

# ---- sizes ----

# Every chunk has at least a byte for each NPU, so 2 chunks of 4 bytes: 2 x (10 + 6 x (500 + 10)).
traces zero 4 <<'END'
node 1 7 nothing to reduce
int comm_type 0
int comm_size 0
END
gives --workload-configuration zero <<'END'
sys[0] finished, 6140 cycles, exposed communication 6140 cycles.
sys[1] finished, 6140 cycles, exposed communication 6140 cycles.
sys[2] finished, 6140 cycles, exposed communication 6140 cycles.
sys[3] finished, 6140 cycles, exposed communication 6140 cycles.
END
# Orrery's own rules: one chunk, 6 messages of 0 bytes.
gives --workload-configuration zero --compat off <<'END'
sys[0] finished, 3060 cycles, exposed communication 3060 cycles.
sys[1] finished, 3060 cycles, exposed communication 3060 cycles.
sys[2] finished, 3060 cycles, exposed communication 3060 cycles.
sys[3] finished, 3060 cycles, exposed communication 3060 cycles.
END

printf 'topology: [ Ring ]\nnpus_count: [ 1 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n' >alone.yml
gives --network-configuration alone.yml <<'END'
warning: good.1.et exists, but the platform has only 1 NPUs: the traces of the ranks from 1 on are not used
sys[0] finished, 0 cycles, exposed communication 0 cycles.
END
gives --network-configuration alone.yml --compat off <<'END'
warning: good.1.et exists, but the platform has only 1 NPUs: the traces of the ranks from 1 on are not used
sys[0] finished, 0 cycles, exposed communication 0 cycles.
END

# A dimension of one NPU is as if it were not there.
cat >flat.yml <<'END'
topology: [ Switch, Ring, FullyConnected ]
npus_count: [ 1, 4, 1 ]
bandwidth: [ 1, 50, 1 ]
latency: [ 9, 500, 9 ]
END
printf '{ "preferred-dataset-splits": 2, "local-mem-bw": 50,
  "all-reduce-implementation": ["ring", "ring", "ring"] }\n' >flat.json
gives --network-configuration flat.yml --system-configuration flat.json <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END

traces empty 4 <<'END'
END
gives --workload-configuration empty <<'END'
sys[0] finished, 0 cycles, exposed communication 0 cycles.
sys[1] finished, 0 cycles, exposed communication 0 cycles.
sys[2] finished, 0 cycles, exposed communication 0 cycles.
sys[3] finished, 0 cycles, exposed communication 0 cycles.
END

# One file for all ranks, and a broadcast recorded with 7 us that is replayed.
trace single.et <<'END'
node 1 7 broadcast
micros 7
int comm_type 5
int comm_size 1024
END
gives --workload-configuration single.et <<'END'
sys[0] finished, 7000 cycles, exposed communication 7000 cycles.
sys[1] finished, 7000 cycles, exposed communication 7000 cycles.
sys[2] finished, 7000 cycles, exposed communication 7000 cycles.
sys[3] finished, 7000 cycles, exposed communication 7000 cycles.
END

# ---- files ----

# 2 x (6 x 652 + 9 x 163).
sed 's/"endpoint-delay": 10/"endpoint-delay": 0/' good.json >zero.json
gives --system-configuration zero.json <<'END'
sys[0] finished, 10758 cycles, exposed communication 10758 cycles.
sys[1] finished, 10758 cycles, exposed communication 10758 cycles.
sys[2] finished, 10758 cycles, exposed communication 10758 cycles.
sys[3] finished, 10758 cycles, exposed communication 10758 cycles.
END

printf '{\n\t"scheduling-policy":\t"LIFO",\n\t"endpoint-delay":\t10,\n' >tabs.json
printf '\t"preferred-dataset-splits":\t2,\n\t"all-reduce-implementation": [\t"ring" ],\n' >>tabs.json
printf '\t"local-mem-bw":\t50\n}\n' >>tabs.json
gives --system-configuration tabs.json <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END

# A key that the reference ignores is warned about once, and changes nothing.
sed 's/"endpoint-delay": 10/"endpoint-delay": 10,\
    "boost-mode": 1,\
    "intra-dimension-scheduling": "FIFO",\
    "inter-dimension-scheduling": "baseline"/' good.json >ignored.json
gives --system-configuration ignored.json <<'END'
ignored.json:4:19: warning: boost-mode is ignored: the program whose file this is does not read it either
ignored.json:5:35: warning: intra-dimension-scheduling is ignored: the program whose file this is does not read it either; --set compat.dimension_scheduling=true obeys it
ignored.json:6:35: warning: inter-dimension-scheduling is ignored: the program whose file this is does not read it either; --set compat.dimension_scheduling=true obeys it
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END

# ---- options ----

gives --num-queues-per-dim=1 --injection-scale 1 --rendezvous-protocol=false <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END
gives --comm-group-configuration empty --fold=auto --network-backend=analytical <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END
gives --compute-scale 2 --logging-folder=log <<'END'
orrery run: warning: --compute-scale is ignored: it has no effect in the reference either
orrery run: warning: --logging-folder is ignored: it has no effect in the reference either
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
END

finish
