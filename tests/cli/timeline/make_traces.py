#!/usr/bin/env python3
"""Makes the traces that the test of timelines needs and `orrery gen` has not.

    usage: make_traces.py KIND PREFIX [NPUS]

Writes PREFIX.<rank>.et for 4 NPUs, or so many, as JSON, one message a line, and PREFIX.subsets.json, groups of 2 and
3 of them.
"""
import itertools
import json
import sys

NPUS = int(sys.argv[3]) if len(sys.argv) > 3 else 4


def node(number, kind, name, after=(), **attrs):
    arms = {bool: "boolVal", int: "int64Val", str: "stringVal"}
    listed = [{"name": key, arms[type(value)]: value} for key, value in attrs.items() if type(value) is not list]
    listed += [{"name": key, "stringList": {"values": value}} for key, value in attrs.items() if type(value) is list]
    for attr in listed:
        if "int64Val" in attr:
            attr["int64Val"] = str(attr["int64Val"])
    return {"id": str(number), "name": name, "type": kind, "dataDeps": [str(a) for a in after],
            "attr": [{"name": "is_cpu_op", "boolVal": False}] + listed}


def shift(rank):
    """Each NPU sends to the next: two messages of one tag and size, received before they come."""
    left, right = (rank - 1) % NPUS, (rank + 1) % NPUS
    nodes = [node(i, "COMM_RECV_NODE", "recv", comm_size=5000, comm_src=left) for i in (0, 1)]
    nodes.append(node(2, "COMP_NODE", "think", num_ops=1000000, tensor_size=1000))
    nodes += [node(3 + i, "COMM_SEND_NODE", "", [2], comm_size=5000, comm_dst=right) for i in (0, 1)]
    return nodes


def groups(rank):
    """Collectives of all NPUs, of a pair and of the other pairing at a time, beside compute and a load."""
    pair, other = ("1", "2")[rank // 2], ("3", "4")[rank % 2]
    return [node(0, "COMM_COLL_NODE", "", comm_type=0, comm_size=26214400),
            node(1, "COMM_COLL_NODE", "pair", comm_type=0, comm_size=300000, pg_name=pair),
            node(2, "COMM_COLL_NODE", "other", comm_type=0, comm_size=300000, pg_name=other),
            node(3, "COMP_NODE", "compute", num_ops=7000000007, tensor_size=1000),
            node(4, "MEM_LOAD_NODE", "", tensor_size=3333333, tensor_loc=1),
            node(5, "COMP_NODE", "compute more", [3], num_ops=7000000009 + rank, tensor_size=1000),
            node(6, "COMM_COLL_NODE", "last", [5], comm_type=0, comm_size=300000)]


def steps(rank):
    """One compute node behind the other, with times that are no whole ns."""
    return [node(i, "COMP_NODE", f"step {i}", [i - 1] if i else [], num_ops=1150003 + 77 * i + rank, tensor_size=8)
            for i in range(400)]


def one(rank):
    return [node(7, "COMP_NODE", "only", num_ops=1000, tensor_size=8)]


def names(rank):
    return [node(i, "COMP_NODE", name, num_ops=1000, tensor_size=8)
            for i, name in enumerate(['a "quoted" \\ name', "tab\tnewline\nbell\x07 delete\x7f", "größe → 10 µs 🚀",
                                      "RAW"])]


def tensors(rank):
    return [node(0, "COMP_NODE", "write", num_ops=1000000, tensor_size=8, outputs=["a", "1000"]),
            node(1, "COMP_NODE", "read", [0], num_ops=1000000, tensor_size=8, inputs=["a", "1000"],
                 outputs=["b", "500"])]


def subsets():
    """Of two and of three NPUs, numbered from 1."""
    return list(itertools.chain(*(itertools.combinations(range(NPUS), size) for size in (2, 3))))


def crowd(rank):
    """More at a time than there are tracks: a collective of every subset of 2 and 3 NPUs, and messages to all peers,
    beside compute."""
    made = [node(0, "COMP_NODE", "think", num_ops=1000000, tensor_size=1000)]
    for number, group in enumerate(subsets(), 1):
        if rank in group:
            made.append(node(len(made), "COMM_COLL_NODE", f"of {group}", comm_type=0, comm_size=300000 + 1000 * number,
                             pg_name=str(number)))
    return made + [dict(one, id=str(len(made) + i)) for i, one in enumerate(peers(rank))]


def peers(rank):
    """Each sends to each other, all at once."""
    made = []
    for peer in range(NPUS):
        if peer != rank:
            made.append(node(len(made), "COMM_RECV_NODE", "", comm_size=70000, comm_src=peer))
            made.append(node(len(made), "COMM_SEND_NODE", "", comm_size=70000, comm_dst=peer))
    return made


KINDS = {"shift": shift, "groups": groups, "steps": steps, "one": one, "none": lambda rank: [], "names": names,
         "tensors": tensors, "crowd": crowd, "peers": peers}
for rank in range(NPUS):
    with open(f"{sys.argv[2]}.{rank}.et", "w", encoding="utf-8") as out:
        print('{"version":"0.0.4"}', file=out)
        for made in KINDS[sys.argv[1]](rank):
            print(json.dumps(made, ensure_ascii=False), file=out)
with open(f"{sys.argv[2]}.subsets.json", "w", encoding="utf-8") as out:
    json.dump({str(number): group for number, group in enumerate(subsets(), 1)}, out)
