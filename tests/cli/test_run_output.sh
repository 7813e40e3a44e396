#!/bin/sh
# The whole output of small runs: the table with its classes of NPUs and its units, one row for
# each NPU, and the reference's lines. The times are worked out in the comments.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/lib.sh"

# prints OPTION... <<END: a run of the good files with these options prints what stands before END
prints() {
    cat >want
    cases=$((cases + 1))
    "$ORRERY_BIN" run --workload-configuration good --system-configuration good.json \
        --network-configuration good.yml "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 0 ] || fail "exit status $status, expected 0" "$*"
    [ ! -s err ] || fail "standard error is: $(cat err)" "$*"
    cmp -s want out || fail "standard output is: $(cat out)
expected: $(cat want)" "$*"
}

# ---- one all-reduce: all NPUs are alike ----

# 2 chunks x 5449 ns (test_odd_input.sh); 4 NPUs send 2 x 6 blocks of 8192 bytes each.
prints <<'END'
job time 10.898 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0-3                           4      10.898 us           0 ps              -           0 ps           0 ps      10.898 us              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns           48     384.00 KiB            -

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                    4      64.00 KiB          1      10.898 us      10.898 us      10.898 us              -      9.02 GB/s  ring

48 messages, 132 events
END
prints --format table --per-npu <<'END'
job time 10.898 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0                             1      10.898 us           0 ps              -           0 ps           0 ps      10.898 us              -           0 ps
1                             1      10.898 us           0 ps              -           0 ps           0 ps      10.898 us              -           0 ps
2                             1      10.898 us           0 ps              -           0 ps           0 ps      10.898 us              -           0 ps
3                             1      10.898 us           0 ps              -           0 ps           0 ps      10.898 us              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns           48     384.00 KiB            -

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                    4      64.00 KiB          1      10.898 us      10.898 us      10.898 us              -      9.02 GB/s  ring

48 messages, 132 events
END
prints --format=astra <<'END'
sys[0] finished, 10898 cycles, exposed communication 10898 cycles.
sys[0], Wall time: 10898
sys[0], Comm time: 10898
sys[0], Total compute-communication overlap: 0
sys[1] finished, 10898 cycles, exposed communication 10898 cycles.
sys[1], Wall time: 10898
sys[1], Comm time: 10898
sys[1], Total compute-communication overlap: 0
sys[2] finished, 10898 cycles, exposed communication 10898 cycles.
sys[2], Wall time: 10898
sys[2], Comm time: 10898
sys[2], Total compute-communication overlap: 0
sys[3] finished, 10898 cycles, exposed communication 10898 cycles.
sys[3], Wall time: 10898
sys[3], Comm time: 10898
sys[3], Total compute-communication overlap: 0
END

# Without the reference's rules: a port sends one block at a time, memory is overlapped. A block
# takes 152.588 ns on the wire, so that chunk 2 follows chunk 1 by that much:
# 6 x (152.588 + 500 + 10) + 152.588 = 4128.116 ns.
prints --compat off <<'END'
job time 4.128 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0-3                           4       4.128 us           0 ps           0 ps           0 ps           0 ps       4.128 us           0 ps           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns           48     384.00 KiB       22.2 %

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                    4      64.00 KiB          1       4.128 us       4.128 us       4.128 us           0 ps     23.81 GB/s  ring

48 messages, 148 events
END

# ---- ranks that differ: compute of 2, 1, 1 and 1 us, then a message from NPU 0 to NPU 3 ----

mkdir differ
traces differ/t 3 <<'END'
node 1 4 compute
micros 1
END
trace differ/t.0.et <<'END'
node 1 4 compute
micros 2
node 2 5 send
int comm_dst 3
int comm_size 1048576
data 1
END
trace differ/t.3.et <<'END'
node 1 4 compute
micros 1
node 2 6 receive
int comm_src 0
int comm_size 1048576
data 1
END

# The message leaves at 2 us and takes 500 + floor(1048576 / 53.687) = 20031 ns over one hop.
prints --workload-configuration differ/t <<'END'
job time 22.031 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0                             1      22.031 us       2.000 us              -           0 ps           0 ps      20.031 us              -           0 ps
1-2                           2       1.000 us       1.000 us              -           0 ps           0 ps           0 ps              -      21.031 us
3                             1      22.031 us       1.000 us              -           0 ps           0 ps      21.031 us              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns            1       1.00 MiB            -

operators                       kind                count          bytes           mean        longest        exposed        waiting
receive                         receive                 1       1.00 MiB      21.031 us      21.031 us       5.258 us              -
send                            send                    1       1.00 MiB      20.031 us      20.031 us       5.008 us              -
compute                         compute                 4            0 B       1.250 us       2.000 us       1.250 us              -

1 message, 9 events
END
prints --workload-configuration differ/t --per-npu <<'END'
job time 22.031 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0                             1      22.031 us       2.000 us              -           0 ps           0 ps      20.031 us              -           0 ps
1                             1       1.000 us       1.000 us              -           0 ps           0 ps           0 ps              -      21.031 us
2                             1       1.000 us       1.000 us              -           0 ps           0 ps           0 ps              -      21.031 us
3                             1      22.031 us       1.000 us              -           0 ps           0 ps      21.031 us              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns            1       1.00 MiB            -

operators                       kind                count          bytes           mean        longest        exposed        waiting
receive                         receive                 1       1.00 MiB      21.031 us      21.031 us       5.258 us              -
send                            send                    1       1.00 MiB      20.031 us      20.031 us       5.008 us              -
compute                         compute                 4            0 B       1.250 us       2.000 us       1.250 us              -

1 message, 9 events
END
# In the order in which they finish.
prints --workload-configuration differ/t --format astra <<'END'
sys[1] finished, 1000 cycles, exposed communication 0 cycles.
sys[1], Wall time: 1000
sys[1], GPU time: 1000
sys[1], Total compute-communication overlap: 0
sys[2] finished, 1000 cycles, exposed communication 0 cycles.
sys[2], Wall time: 1000
sys[2], GPU time: 1000
sys[2], Total compute-communication overlap: 0
sys[0] finished, 22031 cycles, exposed communication 20031 cycles.
sys[0], Wall time: 22031
sys[0], Comm time: 20031
sys[0], GPU time: 2000
sys[0], Total compute-communication overlap: 0
sys[3] finished, 22031 cycles, exposed communication 21031 cycles.
sys[3], Wall time: 22031
sys[3], Comm time: 21031
sys[3], GPU time: 1000
sys[3], Total compute-communication overlap: 0
END

# Times of each kind of node are unions of intervals: two computations of 5 and 2 us one after the other, an all-reduce of
# 10898 ns and a call of 1 us on the CPU beside them. Computation and communication have 7 us in common.
for rank in 0 1 2 3; do
    mkdir -p beside
    trace beside/t.$rank.et <<'END'
node 1 4 first
micros 5
node 2 4 second
micros 2
data 1
node 3 7 reduce
int comm_type 0
int comm_size 65536
node 4 4 launch
micros 1
bool is_cpu_op 1
END
done
for rank in 0 1 2 3; do
    printf 'sys[%d] finished, 10898 cycles, exposed communication 3898 cycles.\n' $rank
    printf 'sys[%d], %s\n' $rank 'Wall time: 10898' $rank 'Comm time: 10898' $rank 'GPU time: 7000' $rank 'CPU time: 1000' \
        $rank 'Total compute-communication overlap: 7000'
done >lines
prints --workload-configuration beside/t --format astra <lines

# ---- two dimensions, and names of more ranks than fit ----

cat >wide.yml <<'END'
topology: [ FullyConnected, Switch ]
npus_count: [ 2, 16 ]
bandwidth: [ 100.0, 25.0 ]
latency: [ 20.0, 1000.0 ]
END
printf '{ "local-mem-bw": 1600, "all-reduce-implementation": ["direct", "halvingDoubling"] }\n' \
    >wide.json
cat >even <<'END'
node 1 4 compute
micros 3
END
mkdir wide
rank=0
while [ "$rank" -lt 32 ]; do
    if [ $((rank % 2)) -eq 0 ]; then
        trace "wide/t.$rank.et" <even
    else
        sed 's/3/5/' even | trace "wide/t.$rank.et"
    fi
    rank=$((rank + 1))
done
prints --workload-configuration wide/t --system-configuration wide.json \
    --network-configuration wide.yml <<'END'
job time 5.000 us on 32 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0,2,4,6,8,10,12,14,...       16       3.000 us       3.000 us              -           0 ps           0 ps           0 ps              -       2.000 us
1,3,5,7,9,11,13,15,...       16       5.000 us       5.000 us              -           0 ps           0 ps           0 ps              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    fully_connected       2    107.37 GB/s    20.000 ns            0            0 B            -
2    switch               16     26.84 GB/s     1.000 us            0            0 B            -

operators                       kind                count          bytes           mean        longest        exposed        waiting
compute                         compute                32            0 B       4.000 us       5.000 us       4.000 us              -

0 messages, 64 events
END

traces reduce 32 <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 1073741824
END
# Reduce-scatter of 2^30 bytes among 2: 10 + 20 + 2^29 / 107.374 + 10 + 3 x floor(2^29 / 1600)
# = 6006672 ns; all-reduce of 2^29 among 16 by halving and doubling: 37956490; all-gather: 5000040.
prints --workload-configuration reduce --system-configuration wide.json \
    --network-configuration wide.yml <<'END'
job time 48.963 ms on 32 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0-31                         32      48.963 ms           0 ps              -           0 ps           0 ps      48.963 ms              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    fully_connected       2    107.37 GB/s    20.000 ns           64      32.00 GiB            -
2    switch               16     26.84 GB/s     1.000 us          256      30.00 GiB            -

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                   32       1.00 GiB          1      48.963 ms      48.963 ms      48.963 ms              -     42.49 GB/s  direct+halving_doubling

320 messages, 896 events
END

# ---- what is exposed, and why the job takes so long ----

# On every NPU 8 us of compute, beside an all-reduce of 10.898 us (above) that starts with it: 2.898
# us of it are exposed. Then 1 us of compute more. The path is the all-reduce and what follows. Of
# its 12 steps, 500 ns each are latency, floor(500 + 8192 / 53.687) - 500 = 152 ns bandwidth, 10 ns
# the endpoint; so is the start of each chunk, 2 x 10 ns. The rest is reduction: 3 floor(8192 / 1600)
# = 15 ns in each step. 12 x 500 = 6000, 12 x 152 = 1824.
traces both 4 <<'END'
node 1 4 forward
micros 8
node 2 7 all-reduce
int comm_type 0
int comm_size 65536
node 3 4 update
micros 1
data 1
data 2
END
prints --workload-configuration both --why <<'END'
job time 11.898 us on 4 NPUs

NPUs                      count         finish        compute            CPU      local mem     remote mem  communication        waiting           idle
0-3                           4      11.898 us       9.000 us              -           0 ps           0 ps       2.898 us              -           0 ps

dim  block              NPUs      bandwidth      latency     messages          bytes  utilization
1    ring                  4     53.69 GB/s   500.000 ns           48     384.00 KiB            -

collectives                NPUs          bytes      count           mean        longest        exposed        waiting  bus bandwidth  algorithms
all_reduce                    4      64.00 KiB          1      10.898 us      10.898 us       2.898 us              -      9.02 GB/s  ring

operators                       kind                count          bytes           mean        longest        exposed        waiting
forward                         compute                 4            0 B       8.000 us       8.000 us       8.000 us              -
update                          compute                 4            0 B       1.000 us       1.000 us       1.000 us              -

why the job takes 11.898 us: its critical path was spent on
   50.4 %        6.000 us  dimension 1 latency
   24.7 %        2.934 us  local reduction
   15.3 %        1.824 us  dimension 1 bandwidth
    8.4 %        1.000 us  compute
    1.2 %      140.000 ns  endpoint delay

on the path at            for    NPU  node
0 ps                10.898 us      0  all-reduce (node 2)
10.898 us            1.000 us      0  update (node 3)

48 messages, 140 events
END

finish
