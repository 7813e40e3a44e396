"""Writes the traces and profiles of a job of 8 ranks, 2 stages x 2 tensor-parallel x 2 data-parallel ranks:
python3 pytorch_job.py FILE=RANK...; FILE=RANK@WORLD says another world size.

A rank r has the tensor group (2k, 2k + 1), the data group (r, r + 2 or r - 2) and the stage group (r, r + 4 or r - 4). It
multiplies (50 us), all-reduces 4 MB in its tensor group (100 us), sends 1 MB to the next stage or receives it (30 us), and
all-reduces 2 MB in its data group (200 us). Ranks of stage 1 multiply 10 us longer."""
import json
import sys

WORLD = 8


def groups_of(rank):
    data = rank // 4 * 4 + rank % 2
    return {"0": list(range(WORLD)), "1": [rank // 2 * 2, rank // 2 * 2 + 1], "2": [data, data + 2],
            "3": [rank % 4, rank % 4 + 4]}


def attrs(rf, tid=1):
    return [{"name": "rf_id", "type": "uint64", "value": rf}, {"name": "fw_parent", "type": "uint64", "value": 0},
            {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 0},
            {"name": "tid", "type": "uint64", "value": tid}, {"name": "fw_tid", "type": "uint64", "value": 0},
            {"name": "op_schema", "type": "string", "value": ""}]


def node(number, name, parent, values, rf, tid=1, types=None):
    return {"id": number, "name": name, "ctrl_deps": parent,
            "inputs": {"values": values, "shapes": [[] for _ in values], "types": types or ["" for _ in values]},
            "outputs": {"values": [], "shapes": [], "types": []}, "attrs": attrs(rf, tid)}


def write(index, rank, world):
    groups = groups_of(rank)
    config = [{"pg_name": name, "pg_desc": name, "pg_size": len(ranks), "ranks": ranks} for name, ranks in groups.items()]
    tensor = [100, 50, 0, 1024, 2, "cuda:0"]
    stage = rank // 4
    peer = 1 - stage
    comms = [("1", "allreduce", 2000000, 100, rank % 2),
             ("3", "send" if stage == 0 else "recv", 500000, 30, peer),
             ("2", "allreduce", 1000000, 200, rank // 2 % 2)]
    nodes = [node(2, "[pytorch|profiler|execution_trace|thread]", 1, [], 0),
             node(3, "## process_group:init ##", 2, [json.dumps(config)], 1, types=["String"]),
             node(4, "aten::mm", 2, [tensor, tensor], 2)]
    events = []
    number, rf, at, correlation = 5, 3, 1100.0, 102

    def event(category, name, ts, dur, args, tid=1):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 4242 if category != "kernel" else 0, "tid": tid,
                       "ts": ts, "dur": dur, "args": args})

    event("cpu_op", "aten::mm", 1000.0, 20, {"External id": 2, "Record function id": 2})
    event("cuda_runtime", "cudaLaunchKernel", 1002.0, 3, {"External id": 2, "correlation": 101})
    event("kernel", "gemm", 1006.0, 50 + 10 * stage, {"External id": 2, "device": 0, "stream": 7, "correlation": 101}, 7)
    for key, name, elements, took, position in comms:
        data = [200, 150, 0, elements, 2, "cuda:0"]
        values = [[data], [number, name in ("send", "recv")], [key, key], position, name, [], [], 0, 1, len(groups[key])]
        nodes.append(node(number, "record_param_comms", 2, values, rf))
        args = {"External id": rf, "Record function id": rf}
        event("cpu_op", "record_param_comms", at, 14, args)
        event("cuda_runtime", "cudaLaunchKernelExC", at + 2, 3, {"External id": rf, "correlation": correlation})
        event("kernel", "ncclDevKernel", at + 6, took,
              {"External id": rf, "device": 0, "stream": 7, "correlation": correlation}, 7)
        number, rf, at, correlation = number + 1, rf + 1, at + took + 50, correlation + 1
    nodes.append(node(1, "[pytorch|profiler|execution_trace|process]", 1, [], 0, 0))
    with open(f"et_{index}.json", "w") as out:
        json.dump({"schema": "1.1.0-chakra.0.0.4", "pid": 4242, "time": "2026-03-01 10:00:00", "start_ts": 1,
                   "nodes": nodes, "finish_ts": 2}, out)
    with open(f"kineto_{index}.json", "w") as out:
        json.dump({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world,
                                                           "pg_count": 4, "pg_config": config},
                   "traceEvents": events, "baseTimeNanoseconds": 0}, out)


for argument in sys.argv[1:]:
    file, rank = argument.split("=")
    rank, _, size = rank.partition("@")
    write(int(file), int(rank), int(size or WORLD))
