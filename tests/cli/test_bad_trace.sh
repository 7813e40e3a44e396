#!/bin/sh
# Wrong traces (exit status 2) and jobs that cannot finish (3): the whole of what is said.
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/bad_input/lib.sh"

# groups TEXT
groups() {
    printf '{ %s }\n' "$1" >groups.json
}

# ---- traces ----

refuses 2 --workload-configuration absent <<'END'
rank 0: no file absent.0.et or absent.0.et.gz, nor of any other rank, nor a file absent for all; expected one for each of the 4 NPUs of the platform
END

traces three 3 <<'END'
node 1 4 compute
micros 1
END
refuses 2 --workload-configuration three <<'END'
rank 3: no file three.3.et or three.3.et.gz; found ranks 0-2; expected one for each of the 4 NPUs of the platform
END

# one DIRECTORY <<END: rank 0 has this trace, the others the good one
one() {
    mkdir -p "$1"
    trace "$1/t.0.et"
    for rank in 1 2 3; do
        cp good.0.et "$1/t.$rank.et"
    done
}

# 10 MB of zeros, a few kB when compressed: an empty header, and ten million times node 0, which are not held first.
mkdir zeros && head -c 10000000 /dev/zero | gzip -9 >zeros/t.0.et
for rank in 1 2 3; do
    cp good.0.et "zeros/t.$rank.et"
done
refuses 2 --workload-configuration zeros/t <<'END'
zeros/t.0.et: record 2, byte offset 2: duplicate node id: record 1 is node 0 and record 2 is node 0
END

# A size of a tensor that is none, where memory is told: before the run, not after its results.
mkdir -p tensor
for rank in 0 1 2 3; do
    printf '{"version": "0.0.4"}\n{"id": 1, "name": "a", "type": "COMP_NODE", "attr": [{"name": "outputs", "stringList": {"values": ["t", "many"]}}]}\n' \
        >tensor/t.$rank.et
done
printf '{"track-local-mem": 1}\n' >track.json
refuses 2 --workload-configuration tensor/t --system-configuration track.json <<'END'
tensor/t.0.et: node 1 (a): tensors are listed as name, size, name, size: expected a size >= 0, got "many"
END

one truncated <<'END'
node 1 4 compute
raw 020 010 001
END
refuses 2 --workload-configuration truncated/t <<'END'
truncated/t.0.et: record 2, byte offset 22: truncated: the record should have 16 bytes, but only 2 follow
END

one garbage <<'END'
raw 003 377 377 377
END
refuses 2 --workload-configuration garbage/t <<'END'
garbage/t.0.et: record 1, byte offset 8: the record's 3 bytes are not a Node message of the Chakra schema
END

one long <<'END'
raw 377 377 377 377 377 377
END
refuses 2 --workload-configuration long/t <<'END'
long/t.0.et: record 1, byte offset 8: the length of a record is not a varint of at most 5 bytes; is this an execution trace?
END

mkdir nothing && : >nothing/t.0.et
refuses 2 --workload-configuration nothing/t <<'END'
nothing/t.0.et: the file is empty; an execution trace begins with a GlobalMetadata record
END

one cycle <<'END'
node 1 4 first
data 3
node 2 4 second
data 1
node 3 4 third
ctrl 2
END
refuses 2 --workload-configuration cycle/t <<'END'
cycle/t.0.et: record 1, byte offset 8: cycle of dependencies: 1 (first) -> 2 (second) -> 3 (third) -> 1 (first)
END

one itself <<'END'
node 7 4 selfish
data 7
END
refuses 2 --workload-configuration itself/t <<'END'
itself/t.0.et: record 1, byte offset 8: cycle of dependencies: 7 (selfish) -> 7 (selfish)
END

one duplicate <<'END'
node 1 4 first
node 1 4 second
END
refuses 2 --workload-configuration duplicate/t <<'END'
duplicate/t.0.et: record 2, byte offset 20: duplicate node id: record 1 is node 1 (first) and record 2 is node 1 (second)
END

one parent <<'END'
node 1 4 orphan
data 99
END
refuses 2 --workload-configuration parent/t <<'END'
parent/t.0.et: record 1, byte offset 8: node 1 (orphan): depends on the data of node 99, but no node of the trace has this id
END

one type <<'END'
node 1 42 strange
END
refuses 2 --workload-configuration type/t <<'END'
type/t.0.et: record 1, byte offset 8: node 1 (strange): unknown node type 42; expected 0 (INVALID_NODE) to 7 (COMM_COLL_NODE)
END

one attribute <<'END'
node 1 7 no size
int comm_type 0
END
refuses 2 --workload-configuration attribute/t <<'END'
attribute/t.0.et: record 1, byte offset 8: node 1 (no size): a COMM_COLL_NODE needs the attribute "comm_size"
END

one untyped <<'END'
node 1 7 no type
int comm_size 1024
END
refuses 2 --workload-configuration untyped/t <<'END'
untyped/t.0.et: record 1, byte offset 8: node 1 (no type): a COMM_COLL_NODE needs the attribute "comm_type"
END

one comm <<'END'
node 1 7 strange
int comm_type 17
int comm_size 1024
END
refuses 2 --workload-configuration comm/t <<'END'
comm/t.0.et: record 1, byte offset 8: node 1 (strange): attribute "comm_type": expected a collective from 0 (ALL_REDUCE) to 9 (BARRIER), got 17
END

one negative <<'END'
node 1 7 less
int comm_type 0
int comm_size -5
END
refuses 2 --workload-configuration negative/t <<'END'
negative/t.0.et: record 1, byte offset 8: node 1 (less): attribute "comm_size": expected a whole number from 0 to 9223372036854775807, got -5
END

one word <<'END'
node 1 4 words
text num_ops many
END
refuses 2 --workload-configuration word/t <<'END'
word/t.0.et: record 1, byte offset 8: node 1 (words): attribute "num_ops": expected a whole number from 0 to 9223372036854775807, got "many"
END

one nodst <<'END'
node 1 5 send
int comm_size 8
END
refuses 2 --workload-configuration nodst/t <<'END'
nodst/t.0.et: record 1, byte offset 8: node 1 (send): a COMM_SEND_NODE needs the attribute "comm_dst"
END

one far <<'END'
node 1 5 send
int comm_dst 9
int comm_size 8
END
refuses 2 --workload-configuration far/t <<'END'
far/t.0.et: node 1 (send) of NPU 0 sends to NPU 9, which does not exist; the platform has the NPUs 0 to 3
END

one group <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 8
text pg_name 5
END
refuses 2 --workload-configuration group/t <<'END'
group/t.0.et: node 1 (all-reduce) of NPU 0 uses the communicator group "5", but there is no such group; the groups are "0" (all NPUs) only: give a group file
END

groups '"1": [2, 3], "2": [0, 1]'
one outside <<'END'
node 1 7 all-reduce
int comm_type 0
int comm_size 8
text pg_name 1
END
refuses 2 --workload-configuration outside/t --comm-group-configuration groups.json <<'END'
outside/t.0.et: node 1 (all-reduce) of NPU 0 uses the communicator group "1", but this NPU is not one of the group's ranks
END
refuses 2 --workload-configuration group/t --comm-group-configuration groups.json <<'END'
group/t.0.et: node 1 (all-reduce) of NPU 0 uses the communicator group "5", but there is no such group; the groups are "0", "1", "2"
END

one metadata <<'END'
node 1 1 process_groups
values ['[{"pg_name": "3", "ranks": [0, 9]}]']
END
refuses 2 --workload-configuration metadata/t <<'END'
metadata/t.0.et: process groups in metadata node 1 (process_groups): communicator group "3": rank 9 does not exist; the platform has the ranks 0 to 3
END

one memory <<'END'
node 1 2 load
int tensor_size 1024
END
refuses 2 --workload-configuration memory/t <<'END'
memory/t.0.et: node 1 (load) of NPU 0 accesses remote memory, but the platform has none; give a remote memory file with another memory-type than NO_MEMORY_EXPANSION
END

one root <<'END'
node 1 7 reduce
int comm_type 1
int comm_size 8
int comm_root 4
END
refuses 2 --workload-configuration root/t <<'END'
root/t.0.et: node 1 (reduce) of NPU 0 has the root 4, which is not in the communicator group "0"
END

# ---- jobs that cannot finish ----

one norecv <<'END'
node 1 6 receive
int comm_src 1
int comm_size 8
int comm_tag 7
END
refuses 3 --workload-configuration norecv/t <<'END'
deadlock: the job cannot finish: 4 nodes on 4 of 4 NPUs left at 2.964 us; stuck are
  NPU 0: node 1 (receive), receive from NPU 1, tag 7, 8 bytes: NPU 1 has not sent it
  NPU 1: node 1 (all-reduce), all_reduce of 65536 bytes: collective 1 of the group "0" waits for NPU 0 to start it
  NPU 2: node 1 (all-reduce), all_reduce of 65536 bytes: collective 1 of the group "0" waits for NPU 0 to start it
  NPU 3: node 1 (all-reduce), all_reduce of 65536 bytes: collective 1 of the group "0" waits for NPU 0 to start it
END

mkdir size
traces size/t 4 <<'END'
node 1 1 nothing
END
trace size/t.0.et <<'END'
node 1 6 receive
int comm_src 1
int comm_size 8
int comm_tag 7
END
trace size/t.1.et <<'END'
node 1 5 send
int comm_dst 0
int comm_size 16
int comm_tag 7
END
refuses 3 --workload-configuration size/t <<'END'
deadlock: the job cannot finish: 1 node on 1 of 4 NPUs left at 500.000 ns; stuck are
  NPU 0: node 1 (receive), receive from NPU 1, tag 7, 8 bytes: NPU 1 sent 16 bytes with tag 7 instead: sender and receiver must give the same size
END

trace size/t.1.et <<'END'
node 1 5 send
int comm_dst 0
int comm_size 8
int comm_tag 8
END
refuses 3 --workload-configuration size/t <<'END'
deadlock: the job cannot finish: 1 node on 1 of 4 NPUs left at 500.000 ns; stuck are
  NPU 0: node 1 (receive), receive from NPU 1, tag 7, 8 bytes: NPU 1 sent 8 bytes with tag 8, which matches no receive here
END

mkdir order
traces order/t 4 <<'END'
node 1 7 gradients
int comm_type 0
int comm_size 1024
node 2 7 weights
int comm_type 2
int comm_size 1024
data 1
END
trace order/t.0.et <<'END'
node 1 7 weights
int comm_type 2
int comm_size 1024
node 2 7 gradients
int comm_type 0
int comm_size 1024
data 1
END
refuses 3 --workload-configuration order/t <<'END'
deadlock: the job cannot finish: 8 nodes on 4 of 4 NPUs left at 519.000 ns; stuck are
  NPU 1: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 2: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 3: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 0: node 1 (weights), all_gather of 1024 bytes: collective 1 of the group "0" waits for NPU 1, NPU 2, NPU 3 to start it
END
refuses 3 --workload-configuration order/t --compat off <<'END'
deadlock: the job cannot finish: 8 nodes on 4 of 4 NPUs left at 519.074 ns; stuck are
  NPU 1: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 2: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 3: node 1 (gradients), all_reduce of 1024 bytes: it is collective 1 of the group "0" here, but on NPU 0 that one is all_gather of 1024 bytes (weights): all ranks of a group must start the same collectives in the same order
  NPU 0: node 1 (weights), all_gather of 1024 bytes: collective 1 of the group "0" waits for NPU 1, NPU 2, NPU 3 to start it
END

mkdir fewer
traces fewer/t 4 <<'END'
node 1 7 gradients
int comm_type 0
int comm_size 1024
END
trace fewer/t.3.et <<'END'
node 1 4 compute
micros 2
END
refuses 3 --workload-configuration fewer/t <<'END'
deadlock: the job cannot finish: 3 nodes on 3 of 4 NPUs left at 2.000 us; stuck are
  NPU 0: node 1 (gradients), all_reduce of 1024 bytes: collective 1 of the group "0" waits for NPU 3 to start it
  NPU 1: node 1 (gradients), all_reduce of 1024 bytes: collective 1 of the group "0" waits for NPU 3 to start it
  NPU 2: node 1 (gradients), all_reduce of 1024 bytes: collective 1 of the group "0" waits for NPU 3 to start it
END

# Both send before they receive: under rendezvous nobody asks, and there is one slot.
mkdir both
traces both/t 4 <<'END'
node 1 1 nothing
END
for pair in '0 1' '1 0'; do
    trace "both/t.${pair% *}.et" <<END
node 1 5 send
int comm_dst ${pair#* }
int comm_size 8
node 2 6 receive
int comm_src ${pair#* }
int comm_size 8
data 1
END
done
refuses 3 --workload-configuration both/t --rendezvous-protocol <<'END'
deadlock: the job cannot finish: 4 nodes on 2 of 4 NPUs left at 0 ps; stuck are
  NPU 0: node 1 (send), send to NPU 1, tag 0, 8 bytes: NPU 1 has not requested it: it has not started the receive
  NPU 1: node 1 (send), send to NPU 0, tag 0, 8 bytes: NPU 0 has not requested it: it has not started the receive
END

finish
