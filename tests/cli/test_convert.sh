#!/bin/sh
# orrery convert: what it writes, says and refuses; converted text workloads run, with times that
# are calculated here by hand.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# refuses ARGUMENT... <<END: exit status 2, and that on standard error
refuses() {
    cat >want
    "$ORRERY_BIN" convert "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "orrery convert $*: exit status $status, expected 2"
    [ ! -s out ] || fail "orrery convert $*: standard output is not empty"
    sed 's:platforms in [^ ]*:platforms in INPUTS:' err >said
    cmp -s want said || fail "orrery convert $*: standard error is: $(cat err)
expected: $(cat want)"
}

# says ARGUMENT... <<END: exit status 0, and that on standard output
says() {
    cat >want
    "$ORRERY_BIN" convert "$@" >out 2>err </dev/null || fail "orrery convert $*: $(cat err)"
    [ ! -s err ] || fail "orrery convert $*: standard error is: $(cat err)"
    cmp -s want out || fail "orrery convert $*: standard output is: $(cat out)
expected: $(cat want)"
}

# takes PREFIX PLATFORM TIME: the converted traces run in that time
takes() {
    printf 'network: {%s, latency: 0 ns}\nsystem: {chunks: 1, algorithms: {default: by_block}}\n' "$2" >platform.yml
    printf 'workload: {traces: %s, groups_file: %s.groups.json}\n' "$1" "$1" >workload.yml
    "$ORRERY_BIN" run platform.yml workload.yml >out 2>err || fail "run of $1: $(cat err)"
    grep -q "^job time $3 on " out || fail "run of $1: $(head -1 out), expected $3"
}

# ---- text workloads ----

cat >data.txt <<'END'
DATA
2
a -1 100 NONE 0 50 NONE 0 200 ALLREDUCE 1000 10
b -1 300 NONE 0 70 NONE 0 400 ALLREDUCE 2000 20
END
says text data.txt --platform 'Ring(2)' -o data <<'END'
2 ranks: 4 nodes read, 4 matched, 0 not; 18 nodes written
  COMP_NODE                  14
  COMM_COLL_NODE              4
communication      group                   count        bytes
  ALL_REDUCE       all                         4     5.86 KiB
compute time       1.100 us (rank 0)
critical path      1.080 us (rank 0)
wrote data.0.et to data.1.et and data.groups.json
END
# Ring of 2 at 1 B/ns: an all-reduce of n bytes sends n/2 twice, n ns.
# forward 100 + 300, weights of b 400: 800; its all-reduce of 2000 B until 2800; that of a (ready at
# 800 + 70 + 200 = 1070) behind it until 3800; the update of a until 3810.
takes data 'topology: Ring(2), bandwidth: 1 GB/s' '3.810 us'

cat >model.txt <<'END'
HYBRID_TRANSFORMER	model_parallel_NPU_group: 2
1
a	-1	100	ALLREDUCE	1000	50	ALLREDUCE	500	200	ALLREDUCE	2000	10
END
says text model.txt --platform 'Ring(2)_Ring(2)' -o model --gzip <<'END'
4 ranks: 4 nodes read, 4 matched, 0 not; 28 nodes written
  COMP_NODE                  16
  COMM_COLL_NODE             12
communication      group                   count        bytes
  ALL_REDUCE       dims 0                      8     5.86 KiB
  ALL_REDUCE       dims 1                      4     7.81 KiB
compute time       360.000 ns (rank 0)
critical path      360.000 ns (rank 0)
wrote model.0.et.gz to model.3.et.gz and model.groups.json
END
# 100 + 1000 (dimension 0, 1 B/ns) + 50 + 500 + 200 + 2000/2 (dimension 1, 2 B/ns) + 10.
takes model 'topology: Ring(2)_Ring(2), bandwidth: [1 GB/s, 2 GB/s]' '2.860 us'

# The same groups where no dimension has 2 NPUs.
"$ORRERY_BIN" convert text model.txt --platform 'FC(4)' -o groups --report - >out ||
    fail "groups: exit status $?"
for piece in '"nodes_in": 1,' '"nodes_out": 7,' '"compute": 4,' '"collectives": 3,' \
    '"point_to_point": 0,' '"communication_bytes": 3500,' '"matched": 1,' '"unmatched": 0,' \
    '"compute_ps": 360000,' '"finding": "groups that end inside of a dimension'; do
    grep -qF "$piece" out || fail "the report lacks $piece"
done
[ "$(tr -d ' \n' <groups.groups.json)" = '{"1":[0,1],"2":[0,2],"3":[1,3],"4":[2,3]}' ] ||
    fail "groups: $(cat groups.groups.json)"
# 100 + 1000 + 50 + 500 + 200 + 2000 + 10, at 1 B/ns each.
takes groups 'topology: FC(4), bandwidth: 1 GB/s' '3.860 us'

says text data.txt --platform 'Ring(2)' --passes 2 -o twice <<'END'
2 ranks: 4 nodes read, 4 matched, 0 not; 36 nodes written
  COMP_NODE                  28
  COMM_COLL_NODE              8
communication      group                   count        bytes
  ALL_REDUCE       all                         8    11.72 KiB
compute time       2.200 us (rank 0)
critical path      2.160 us (rank 0)
wrote twice.0.et to twice.1.et and twice.groups.json
END
# The second pass begins behind the update of a at 3810, and takes as long.
takes twice 'topology: Ring(2), bandwidth: 1 GB/s' '7.620 us'

printf 'MICRO\n1\nx -1 1 ALLREDUCE 5 1 NONE 0 1 ALLREDUCE 8 1\n' >micro.txt
says text micro.txt --platform 'Switch(2)' -o micro <<'END'
2 ranks: 2 nodes read, 2 matched, 0 not; 2 nodes written
  COMM_COLL_NODE              2
communication      group                   count        bytes
  ALL_REDUCE       all                         2         16 B
compute time       0 ps (rank 0)
critical path      0 ps (rank 0)
note: communication that the policy does not have, left out: 1
  e.g. layer 0 (x): ALLREDUCE of 5 bytes, forward
wrote micro.0.et to micro.1.et and micro.groups.json
END

# ---- Chakra: layout 0.0.1, a computation of 250 cycles and an all-reduce of 1000 B behind it ----

# length; id, name, type; run time: 10 bytes. length; id, name, type; parent, size: 13 bytes
printf '\012\010\000\022\001c\030\003\070\372\001\015\010\001\022\001r\030\006\040\000\220\001\350\007' >old.0.et
says chakra old.0.et -o new <<'END'
1 rank: 2 nodes read, 2 matched, 0 not; 2 nodes written
  COMP_NODE                   1
  COMM_COLL_NODE              1
communication      group                   count        bytes
  ALL_REDUCE       all                         1       1000 B
compute time       250.000 ns (rank 0)
critical path      250.000 ns (rank 0)
note: files of layout 0.0.1, whose times are taken as cycles of 1 ns: 1
  e.g. old.0.et
wrote new.0.et and new.groups.json
END
cp old.0.et old.1.et
gzip -c old.0.et >zip.1.et.gz
"$ORRERY_BIN" convert chakra old.0.et zip.1.et.gz -o two >out || fail "two: exit status $?"
cmp -s two.0.et two.1.et || fail "the traces of old.0.et and zip.1.et.gz differ"
takes two 'topology: Ring(2), bandwidth: 1 GB/s' '1.250 us'
"$ORRERY_BIN" convert chakra two.0.et -o again >out || fail "again: exit status $?"
cmp -s two.0.et again.0.et || fail "a current trace is not kept as it is"

# ---- SiP-ML: one operator, 10 us and 100 B at size 1, 30 us and 300 B at size 3 ----

printf '\012\007\012\001m\020\012\060\144' >p_bs1.pb
printf '\012\010\012\001m\020\036\060\254\002' >p_bs3.pb
says sipml p_bs3.pb p_bs1.pb --batch 2 -o s <<'END'
1 rank: 1 node read, 1 matched, 0 not; 1 node written
  COMP_NODE                   1
compute time       20.000 us (rank 0)
critical path      20.000 us (rank 0)
note: a batch size between those of two files, interpolated: 1
  e.g. 2 from p_bs1.pb and p_bs3.pb
wrote s.0.et and s.groups.json
END
says sipml p_bs3.pb p_bs1.pb -o s <<'END'
1 rank: 1 node read, 1 matched, 0 not; 1 node written
  COMP_NODE                   1
compute time       10.000 us (rank 0)
critical path      10.000 us (rank 0)
wrote s.0.et and s.groups.json
END
"$ORRERY_BIN" convert sipml p_bs3.pb p_bs1.pb --batch 5 -o s >out || fail "beyond: $?"
grep -q '^compute time       50.000 us' out || fail "beyond: $(cat out)"
says sipml p_bs3.pb p_bs1.pb --batch 2 --save-model m.yml <<'END'
1 rank: 1 node read, 1 matched, 0 not; 1 node written
  COMP_NODE                   1
compute time       20.000 us (rank 0)
critical path      20.000 us (rank 0)
note: a batch size between those of two files, interpolated: 1
  e.g. 2 from p_bs1.pb and p_bs3.pb
END
tail -n 1 m.yml >line
[ "$(cat line)" = '    - measured: {name: "m", input: the samples, forward: 20000000 ps, out: 100}' ] ||
    fail "a model: $(cat m.yml)"
grep -q '^  batch: 2$' m.yml || fail "a model: $(cat m.yml)"

# ---- refused ----

refuses <<'END'
orrery convert: the format is missing
try 'orrery convert --help'
END
refuses txt data.txt -o x <<'END'
orrery convert: unknown format "txt"; did you mean "text"?
try 'orrery convert --help'
END
refuses text -o x --platform 'Ring(2)' <<'END'
orrery convert: no file given
try 'orrery convert --help'
END
refuses text data.txt --platform 'Ring(2)' <<'END'
orrery convert: -o PREFIX is missing
try 'orrery convert --help'
END
refuses text data.txt -o x <<'END'
orrery convert: --platform is missing; needed by text
try 'orrery convert --help'
END
refuses text data.txt more.txt -o x --platform 'Ring(2)' <<'END'
orrery convert: unexpected argument more.txt
try 'orrery convert --help'
END
refuses chakra old.0.et -o x --batch 4 <<'END'
orrery convert: --batch is not for chakra
try 'orrery convert --help'
END
refuses text data.txt -o x --platform 'Ring(2)' --passes 0 <<'END'
orrery convert: --passes: expected a whole number from 1 to 1000000, got "0"
END
refuses sipml p_bs1.pb -o x --batch 0 <<'END'
orrery convert: --batch: expected a number from 1 to 1e9, got "0"
END
refuses text data.txt -o x --platform nonsense <<'END'
orrery: "nonsense": no such file, and none of the platforms in INPUTS has this name
See orrery run --list-inputs.
END
refuses text data.txt -o x --platform 'Rung(2)' <<'END'
orrery convert: --platform: topology: expected Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4); did you mean "Ring"?
  Rung(2)
  ^
END
refuses text absent.txt -o x --platform 'Ring(2)' <<'END'
absent.txt: cannot open: No such file or directory
END
refuses text . -o x --platform 'Ring(2)' <<'END'
.: cannot be read: Is a directory
END
refuses text data.txt -o absent/x --platform 'Ring(2)' <<'END'
absent/x.0.et: cannot be written: No such file or directory
END
gzip -nc data.txt | head -c 60 >cut.txt.gz
refuses text cut.txt.gz -o x --platform 'Ring(2)' <<'END'
cut.txt.gz: the gzip data are damaged: unexpected end of file
END
printf 'DATA\n1\na -1 1 NONE 0 2 NONE 0 3 ALREDUCE 5 0\n' >bad.txt
refuses text bad.txt -o x --platform 'Ring(2)' <<'END'
bad.txt:3:26: layer 0 (a): communication of the weight gradient: expected NONE, ALLREDUCE, ALLTOALL, ALLREDUCEALLTOALL, ALLGATHER or REDUCESCATTER, got "ALREDUCE"; did you mean "ALLREDUCE"?
END
refuses text model.txt -o x --platform 'Ring(3)' <<'END'
model.txt:1:1: model_parallel_NPU_group: 2: expected a divisor of the number of NPUs; the platform has 3 NPUs
END
refuses chakra old.0.et old.1.et old.0.et -o x <<'END'
old.0.et: rank 0 is given twice, also by old.0.et
END
head -c 20 old.0.et >short.0.et
refuses chakra short.0.et -o x <<'END'
short.0.et: record 1, byte offset 11: the file ends inside of a record (9 bytes are left)
END
refuses sipml p_bs1.pb -o x --batch 4 <<'END'
p_bs1.pb: the profile is of batch size 1; for 4 at least one more is needed
END
cp p_bs1.pb plain.pb
refuses sipml p_bs1.pb plain.pb -o x <<'END'
plain.pb: the file name has no batch size; expected a name such as NAME_bs4.pb
END
refuses sipml data.txt -o x <<'END'
data.txt: record 0, byte offset 0: field 8 has the unknown wire type 4
END

# ---- real files, where they are ----

shared=${ORRERY_SHARED:-}/data/astra_text
if [ -d "$shared" ]; then
    # 1 MiB over 8 switched NPUs at 1 GB/s each: halving and doubling send 2 x 7/8 of it.
    "$ORRERY_BIN" convert text "$shared/all_reduce.txt" --platform 'Switch(8)' -o ar >out ||
        fail "all_reduce.txt: exit status $?"
    takes ar 'topology: Switch(8), bandwidth: 1 GB/s' '1.835 ms'
    # All times of VGG-16's layers, but the input gradient of the first.
    cycles=$(awk 'NR > 2 { sum += $3 + $6 + $9 + $12 } NR == 3 { sum -= $6 }
        END { print sum }' "$shared/vgg16.txt")
    "$ORRERY_BIN" convert text "$shared/vgg16.txt" --platform 'Ring(4)_Switch(8)' -o vgg \
        --report - >out || fail "vgg16.txt: exit status $?"
    grep -q "\"compute_ps\": ${cycles}000," out || fail "vgg16.txt: compute is not $cycles ns"
    # GPT-3: forward, gradients and updates of all layers; again forward 0-7, 9-16 and 18-25.
    cycles=$(awk 'NR > 2 { sum += $3 + $6 + $9 + ($10 != "NONE" ? $12 : 0)
        layer = NR - 3
        sum += layer < 26 && layer != 8 && layer != 17 ? $3 : 0 }
        END { print sum }' "$shared/gpt3_mp16.txt")
    "$ORRERY_BIN" convert text "$shared/gpt3_mp16.txt" --platform 'Ring(4)_Ring(4)_Switch(4)' \
        -o gpt --report - >out || fail "gpt3_mp16.txt: exit status $?"
    grep -q "\"compute_ps\": ${cycles}000," out || fail "gpt3_mp16.txt: compute is not $cycles ns"
    [ "$(grep -c '"group": "dims 0,1"' out)" -eq 2 ] ||
        fail "gpt3_mp16.txt: model groups are not dimensions 0 and 1"
    # All-reduces of 768 MiB in model groups, of a rank: 6 forwards (two in each of three blocks), those
    # again, 6 and the projection's of input gradients: 19; of 64 ranks 1216, 912 GiB. All-gathers: of 48 MiB
    # three, of the projection's 147456000 bytes one: 4 x 64, 64 x 298450944 bytes. Gradients of weights over
    # dimension 2: six matrices in each block and the projection's, 19 x 64.
    "$ORRERY_BIN" convert text "$shared/gpt3_mp16.txt" --platform 'Ring(4)_Ring(4)_Switch(4)' -o gpt >out
    for row in 'ALL_REDUCE dims 0,1 1216 912.00 GiB' 'ALL_GATHER dims 0,1 256 17.79 GiB' \
        'ALL_REDUCE dims 2 1216 43.80 GiB'; do
        tr -s ' ' <out | grep -qxF " $row" || fail "gpt3_mp16.txt: there is no row $row: $(cat out)"
    done
else
    echo "no data/astra_text: real files not tried"
fi

[ "$failures" -eq 0 ] && echo "convert: as expected"
exit $((failures > 0))
