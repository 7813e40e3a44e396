#!/bin/sh
# orrery trace stats, diff, critical-path, cut and scale: what they print and write, and what they
# refuse.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/trace.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# says STATUS ARGUMENT... <<END: ends with the status, and says this on standard error and output
says() {
    expected=$1
    shift
    cat >want
    "$ORRERY_BIN" trace "$@" >out 2>err </dev/null
    status=$?
    cat err out | sed 's/ *$//' >both
    [ "$status" -eq "$expected" ] && cmp -s want both ||
        fail "orrery trace $*: exit status $status, expected $expected
$(diff want both)"
}

# has TEXT: the last output holds it
has() {
    grep -qF -- "$1" out || fail "the output lacks: $1"
}

# ---- two steps: CPU operations, kernels, an all-reduce ----
#
# 3 (2 us) -> 4 (5) -> 8 (5) is the longest chain, 12 us. 3 -> 4 -> 5 (4) takes 11, so 5 has 1 us, of
# 12, to spare; 3 -> 7 (3) -> 8 takes 10, so 7 has 2.

trace a.et <<'END'
node 1 1 process_group:init
values ['[{"pg_name": "1", "ranks": [0, 1]}]']
node 2 4 ProfilerStep#7
bool is_cpu_op 1
node 3 4 aten::mm
bool is_cpu_op 1
micros 2
data 2
node 4 4 gemm
bool is_cpu_op 0
micros 5
data 3
node 5 7 nccl
int comm_type 0
int comm_size 4096
text pg_name 1
bool is_cpu_op 0
micros 4
data 4
node 6 4 ProfilerStep#8
bool is_cpu_op 1
data 3
node 7 4 aten::mm
bool is_cpu_op 1
micros 3
data 6
node 8 4 gemm
bool is_cpu_op 0
micros 5
data 7
data 4
END

says 0 stats a.et <<'END'
trace: a.et
nodes: 8, edges: 7, depth: 5 nodes
recorded time: 19.000 us in all, 12.000 us along the longest path

kind                  nodes      timed          time    share
METADATA_NODE             1          0          0 ps    0.0 %
COMP_NODE                 6          4     15.000 us   78.9 %
COMM_COLL_NODE            1          1      4.000 us   21.1 %

device                nodes      timed          time    share
CPU                       4          2      5.000 us   26.3 %
accelerator               3          3     14.000 us   73.7 %
not said                  1          0          0 ps    0.0 %

computation
   nodes          time    share          mean  operations       bytes  device       operator
       2     10.000 us   66.7 %      5.000 us           0         0 B  accelerator  gemm
       2      5.000 us   33.3 %      2.500 us           0         0 B  CPU          aten::mm
       1          0 ps    0.0 %          0 ps           0         0 B  CPU          ProfilerStep#7
       1          0 ps    0.0 %          0 ps           0         0 B  CPU          ProfilerStep#8

communication           nodes        bytes         mean          time  group
ALL_REDUCE                  1     4.00 KiB     4.00 KiB      4.000 us  1
END

says 0 critical-path a.et --top 2 <<'END'
trace: a.et
critical path: 12.000 us, 3 of 8 nodes, by recorded durations and dependencies alone

kind                  nodes          time    share
COMP_NODE                 3     12.000 us  100.0 %

operators
   nodes          time    share          mean  operations       bytes  device       operator
       2     10.000 us   83.3 %      5.000 us           0         0 B  accelerator  gemm
       1      2.000 us   16.7 %      2.000 us           0         0 B  CPU          aten::mm

could end later, the path no longer       nodes          time
not at all                                    3     12.000 us
by at most 1 % of it                          3     12.000 us
by at most 10 % of it                         4     16.000 us
all nodes with a duration                     5     19.000 us

        start          time         id  kind            name
         0 ps      2.000 us          3  COMP_NODE       aten::mm
     2.000 us      5.000 us          4  COMP_NODE       gemm
              and 1 more (--top 0 shows all)
END

"$ORRERY_BIN" trace stats --json - a.et a.et >out || fail "stats --json fails"
has '"critical_duration_ps": 12000000,'
has '"group": "1",'
[ "$(grep -c '"file": "a.et"' out)" -eq 2 ] || fail "stats --json of two files"
"$ORRERY_BIN" trace critical-path --json - a.et >out || fail "critical-path --json fails"
has '"length_ps": 12000000,'
has '"start_ps": 7000000,'

traces mlp 2 <<'END'
node 1 4 compute
END
says 2 critical-path mlp.0.et <<'END'
mlp.0.et: no node has a recorded duration, so there is no longest path by durations; orrery run --why finds that of a simulated run
END

# ---- cut ----

says 0 cut a.et <<'END'
trace: a.et
2 steps

      step      nodes    from id  marker
         7          4          2  ProfilerStep#7
         8          3          6  ProfilerStep#8
END
says 0 cut a.et --step 8 -o b.et <<'END'
wrote b.et
nodes: 4 of 8
dependencies: 2; dropped, on nodes outside: 2, of nodes: 2
nodes from outside kept, as they define process groups: 1
END
says 0 print b.et <<'END'
1 METADATA_NODE "process_group:init" us 0 after nothing
6 COMP_NODE "ProfilerStep#8" cpu ops 0 bytes 0 us 0 after nothing
7 COMP_NODE "aten::mm" cpu ops 0 bytes 0 us 3 after 6
8 COMP_NODE "gemm" ops 0 bytes 0 us 5 after 7
END
says 0 cut a.et --from gemm --to 'Step#8' -o b.et.gz <<'END'
wrote b.et.gz
nodes: 3 of 8
dependencies: 1; dropped, on nodes outside: 1, of nodes: 1
nodes from outside kept, as they define process groups: 1
END
says 0 info b.et.gz <<'END'
trace: b.et.gz
version: 0.0.4
nodes: 3
  METADATA_NODE        1
  COMP_NODE            1
  COMM_COLL_NODE       1
edges: 1
depth: 2 nodes
data:
  ALL_REDUCE           1 node, 4096 bytes (4.00 KiB)
operations: 0
recorded time: 9 us in all, 9 us along the longest path
groups: "1"
END
says 2 cut a.et --step 9 -o c.et <<'END'
a.et: there is no step 9; the steps are 7, 8
END
says 2 cut a.et --step 7 --marker layer -o c.et <<'END'
a.et: no node's name marks a step: expected one that holds "layer"
END
says 2 cut a.et --from nothing -o c.et <<'END'
a.et: no node is named "nothing", nor contains it in its name
END
says 2 cut a.et --step 7 <<'END'
orrery trace: cut: -o FILE is missing
try 'orrery trace --help'
END
says 2 cut absent --step 7 -o c <<'END'
absent: cannot open: No such file or directory
END

# All ranks, with their groups.
cp a.et s.0.et
gzip -c a.et >s.1.et.gz
echo '{"1": [0, 1]}' >s.groups.json
says 0 cut s --step 7 -o t --gzip <<'END'
wrote 2 traces: t.0.et.gz to t.1.et.gz, and the groups
nodes: 10 of 16
dependencies: 6; dropped, on nodes outside: 0, of nodes: 0
nodes from outside kept, as they define process groups: 2
END
cmp -s s.groups.json t.groups.json || fail "the groups are not copied"

# ---- diff ----

says 0 diff a.et s.1.et.gz <<'END'
A: a.et, 8 nodes, 7 edges
B: s.1.et.gz, 8 nodes, 7 edges
no difference
END
trace c.et <<'END'
node 11 1 process_group:init
values ['[{"pg_name": "1", "ranks": [0, 1]}]']
node 12 4 ProfilerStep#7
bool is_cpu_op 1
node 13 4 aten::mm
bool is_cpu_op 1
micros 6
data 12
node 14 4 gemm
bool is_cpu_op 0
micros 5
data 13
node 15 7 nccl
int comm_type 0
int comm_size 8192
text pg_name 1
bool is_cpu_op 0
micros 4
data 13
node 16 4 ProfilerStep#8
bool is_cpu_op 1
data 13
node 17 4 aten::mm
bool is_cpu_op 1
micros 3
data 16
node 18 4 memset
bool is_cpu_op 0
END
says 0 diff a.et c.et <<'END'
A: a.et, 8 nodes, 7 edges
B: c.et, 8 nodes, 5 edges
7 nodes in both, 1 only in A, 1 only in B
1 in both differ in duration
1 in both differ in bytes
1 in both differ in dependencies: 1 only in A, 1 only in B

kind                nodes A    nodes B        time A        time B     bytes A     bytes B
METADATA_NODE             1          1          0 ps          0 ps         0 B         0 B
COMP_NODE                 6          6     15.000 us     14.000 us         0 B         0 B
COMM_COLL_NODE            1          1      4.000 us      4.000 us    4.00 KiB    8.00 KiB

- only in A, + only in B, ~ in both
- 8 COMP_NODE gemm
+ 18 COMP_NODE memset
~ 3 COMP_NODE aten::mm (13 in B); duration 2.000 us -> 6.000 us
~ 5 COMM_COLL_NODE nccl (15 in B); bytes 4096 -> 8192; only A after 4; only B after 13
END
"$ORRERY_BIN" trace diff --json - --top 1 a.et c.et >out || fail "diff --json fails"
has '"same": false,'
has '"differences": 4,'
[ "$(grep -c '"name":' out)" -eq 1 ] || fail "diff --json --top 1 lists more than one"
says 2 diff a.et <<'END'
orrery trace: diff: two traces are needed
try 'orrery trace --help'
END

# ---- scale ----
#
# 4 ranks to 3: an all-gather of 1000 bytes of each of 4 ranks is 4000 in all, 1333 1/3 of each of 3.

traces d 4 <<'END'
node 1 1 process_group:init
values ['[{"pg_name": "1", "ranks": [0, 1, 2, 3], "group_size": 4}, {"pg_name": "2", "ranks": [0, 1]}]']
node 2 4 forward
micros 5
node 3 7 gather
int comm_type 2
int comm_size 1000
text pg_name 1
micros 7
data 2
node 4 7 reduce
int comm_type 0
int comm_size 500
text pg_name 3
data 3
END
echo '{"3": [0, 1, 2, 3], "4": [0, 2]}' >d.groups.json
trace d.2.et <<'END'
node 1 1 process_group:init
values ['[{"pg_name": "1", "ranks": [0, 1, 2, 3]}]']
node 12 4 forward
micros 6
node 13 7 gather
int comm_type 2
int comm_size 1000
text pg_name 1
micros 8
data 12
node 14 7 reduce
int comm_type 0
int comm_size 500
text pg_name 3
data 13
END
says 0 scale d --traces 4 --npus 3 -o e <<'END'
wrote 3 traces of 4 nodes: e.0.et to e.2.et, and the groups
4 ranks to 3, each with the work of one: the job's batch grows with them
all-gathers of a rank: 1, of the same whole in shards of another size; rounded up: 1
computation on shards (a sharded optimizer) is not scaled: traces do not identify it
recorded durations of collectives left out, as they are of 4 ranks: 1 of a rank
groups of some ranks left out, as no node uses them: 1
END
says 0 print e.2.et <<'END'
1 METADATA_NODE "process_group:init" us 0 after nothing
12 COMP_NODE "forward" ops 0 bytes 0 us 6 after nothing
13 COMM_COLL_NODE "gather" ALL_GATHER bytes 1334 group "1" us 0 after 12
14 COMM_COLL_NODE "reduce" ALL_REDUCE bytes 500 group "3" us 0 after 13
END
"$ORRERY_BIN" trace print --json - e.0.et >out || fail "print --json fails"
has '[{\"pg_name\": \"1\", \"ranks\": [], \"group_size\": 3}]'
[ "$(tr -d ' \n' <e.groups.json)" = '{"3":[0,1,2]}' ] || fail "the groups are $(cat e.groups.json)"
says 2 scale d --traces 3 --npus 8 -o f <<'END'
d: --traces says 3 ranks, but there are traces of 4
END
says 2 scale absent --npus 8 -o f <<'END'
absent: no file absent.0.et or absent.0.et.gz; for one file for all ranks, set their number with --traces
END

# More ranks of one file: rank 5 of 7 has the trace of rank 1 of 4. The runs agree with each other.
"$ORRERY_BIN" gen mlp --npus 4 --bytes 1MiB --layers 2 --output g >/dev/null
"$ORRERY_BIN" gen mlp --npus 6 --bytes 1MiB --layers 2 --output h >/dev/null
"$ORRERY_BIN" trace scale g --npus 6 -o i >/dev/null || fail "generated traces are not scaled"
for rank in 0 1 2 3 4 5; do
    cmp -s "h.$rank.et" "i.$rank.et" || fail "rank $rank is not what is generated for 6 ranks"
done

# refused NAME WHY <<NODES: 2 ranks of this trace, rank 1 with a node less when NAME is fewer
refused() {
    traces "$1" 2
    printf '%s\n' "$2" | says 2 scale "$1" --npus 4 -o f
}
refused send 'send.0.et: node 1 (x) of rank 0 sends to one other rank; only data-parallel traces can be scaled, in which ranks communicate by collectives' <<'END'
node 1 5 x
int comm_dst 1
int comm_size 8
END
refused a2a 'a2a.0.et: node 1 (x) of rank 0 is ALL_TO_ALL, whose size follows no known rule of the number of ranks' <<'END'
node 1 7 x
int comm_type 6
int comm_size 8
END
refused dims "dims.0.et: node 1 (x) of rank 0 involves some of the platform's dimensions only (involved_dim), which is not all ranks" <<'END'
node 1 7 x
int comm_type 0
int comm_size 8
bools involved_dim 1 0
END
refused untold 'untold.0.et: node 1 (x) of rank 0 uses the communicator group "5", whose ranks neither untold.groups.json nor the trace'"'"'s metadata lists' <<'END'
node 1 7 x
int comm_type 0
int comm_size 8
text pg_name 5
END
echo '{"5": [1, 0]}' >part.groups.json
refused part 'part.0.et: node 1 (x) of rank 0 uses the communicator group "5", which is not all 2 ranks in order (it has 2); only data-parallel traces can be scaled, whose groups are of all ranks' <<'END'
node 1 7 x
int comm_type 0
int comm_size 8
text pg_name 5
END

traces two 2 <<'END'
node 1 4 x
node 2 4 y
data 1
END
trace two.1.et <<'END'
node 5 4 x
int num_ops 7
node 6 4 y
data 5
END
says 2 scale two --npus 4 -o f <<'END'
two.1.et: node 5 (x) of rank 1 and node 1 (x) of rank 0 have different numbers of operations; only traces of ranks that do the same can be scaled
END
trace two.1.et <<'END'
node 5 4 x
node 6 4 y
END
says 2 scale two --npus 4 -o f <<'END'
two.1.et: node 5 (x) of rank 1 and node 1 (x) of rank 0 have different nodes that depend on them; only traces of ranks that do the same can be scaled
END
trace two.1.et <<'END'
node 5 4 x
END
says 2 scale two --npus 4 -o f <<'END'
two.1.et: rank 1 has 1 nodes, but rank 0 has 2; only traces of ranks that do the same can be scaled
END
traces root 4 <<'END'
node 1 7 x
int comm_type 5
int comm_size 8
int comm_root 3
END
says 2 scale root --npus 2 -o f <<'END'
root.0.et: node 1 (x) of rank 0 has the root 3, which is not among 2 ranks
END
[ ! -e f.0.et ] || fail "a refused set was written"

# ---- options ----

says 2 info a.et --json - <<'END'
orrery trace: info: --json, --csv, --report and --step are for profiles of torch.profiler; `orrery trace stats --json` has numbers of a.et
try 'orrery trace --help'
END
says 2 dot --json - a.et <<'END'
orrery trace: --json goes with info, print, stats, diff and critical-path
try 'orrery trace --help'
END
says 2 stats --step 7 a.et <<'END'
orrery trace: --step goes with info and cut
try 'orrery trace --help'
END
says 2 sats a.et <<'END'
orrery trace: expected info, print, check, dot, stats, diff, critical-path, cut or scale, got "sats"; did you mean "stats"?
try 'orrery trace --help'
END
says 2 stats --top x a.et <<'END'
orrery trace: --top: expected a whole number from 0 to 2147483647, got "x"
END

[ "$failures" -eq 0 ] && echo "orrery trace: as documented"
exit $((failures > 0))
