#!/usr/bin/env python3
"""Makes the traces of the test of waiting.

    usage: make_traces.py DIRECTORY

Writes DIRECTORY/NAME.<rank>.et as JSON, one message a line; durations are recorded, in microseconds.
"""
import json
import sys


def node(number, kind, name, after=(), cpu=False, us=0, **attrs):
    arms = {int: "int64Val", str: "stringVal"}
    listed = [{"name": key, arms[type(value)]: str(value)} for key, value in attrs.items()]
    made = {"id": str(number), "name": name, "type": kind, "dataDeps": [str(a) for a in after],
            "attr": [{"name": "is_cpu_op", "boolVal": cpu}] + listed}
    if us:
        made["durationMicros"] = str(us)
    return made


def compute(number, us, after=(), cpu=False):
    return node(number, "COMP_NODE", "host" if cpu else "work", after, cpu, us)


def send(number, to, size, after=(), tag=0):
    return node(number, "COMM_SEND_NODE", "give", after, comm_size=size, comm_dst=to, comm_tag=tag)


def receive(number, source, size, after=(), tag=0):
    return node(number, "COMM_RECV_NODE", "take", after, comm_size=size, comm_src=source, comm_tag=tag)


def collective(number, kind, size, after=()):
    kinds = {"all_reduce": 0, "broadcast": 5, "barrier": 9}
    return node(number, "COMM_COLL_NODE", kind, after, comm_type=kinds[kind], comm_size=size)


STAGES, BATCHES, FORWARD, BACKWARD = 8, 16, 10, 20


def stage(s):
    """A stage of GPipe: all micro-batches forwards, then all backwards, one byte between stages."""
    nodes, last = [], None
    for way, us in ((1, FORWARD), (-1, BACKWARD)):
        source, target = s - way, s + way
        for batch in range(BATCHES):
            after = [last] if last is not None else []
            if 0 <= source < STAGES:
                after = after + [len(nodes)]
                nodes.append(receive(len(nodes), source, 1, tag=batch))
            last = len(nodes)
            nodes.append(compute(last, us, after))
            if 0 <= target < STAGES:
                nodes.append(send(len(nodes), target, 1, [last], batch))
    return nodes


JOBS = {
    "gpipe": [stage(s) for s in range(STAGES)],
    # 10,000 bytes take 10 us at 1 GB/s.
    "two": [[compute(0, 10), send(1, 1, 10000, [0])], [receive(0, 0, 10000), receive(1, 2, 10000)],
            [compute(0, 15), send(1, 1, 10000, [0])]],
    # The second send has started before its receive is posted: that does not wait.
    "queue": [[send(0, 1, 10000), send(1, 1, 10000)], [compute(0, 5), receive(1, 0, 10000, [0]), receive(2, 0, 10000, [0])]],
    "ask": [[send(0, 1, 10000)], [compute(0, 10), receive(1, 0, 10000, [0])]],
    "late": [[collective(0, "all_reduce", 10000)], [compute(0, 30), collective(1, "all_reduce", 10000, [0])]],
    "barrier": [[collective(0, "barrier", 0)], [compute(0, 30), collective(1, "barrier", 0, [0])]],
    # The root has sent all before anybody else begins.
    "root": [[collective(0, "broadcast", 10000), compute(1, 50, [0])], [compute(0, 40), collective(1, "broadcast", 10000, [0])]],
    "cpu": [[compute(0, 10), compute(1, 30, cpu=True), collective(2, "all_reduce", 10000, [1])],
            [compute(0, 10), collective(1, "all_reduce", 10000, [0])]],
    # What is left.
    "lost": [[send(0, 1, 1000, tag=7), send(1, 1, 1000, [0], 7)], [receive(0, 0, 1000, tag=7)], [], []],
    "missing": [[collective(5, "broadcast", 1000)], [collective(5, "broadcast", 1000)], [], []],
    "round": [[send(3, (r + 1) % 4, 1000, tag=9)] for r in range(4)],
}
for name, ranks in JOBS.items():
    for rank, nodes in enumerate(ranks):
        with open(f"{sys.argv[1]}/{name}.{rank}.et", "w", encoding="utf-8") as out:
            print('{"version":"0.0.4"}', file=out)
            for made in nodes:
                print(json.dumps(made), file=out)
