#!/usr/bin/env python3
"""Writes a task graph as FlexNet would (a FlatBuffer; docs/file-formats.md): data-parallel training
of a model of equal layers on some servers. Every layer has a forward and a backward task on each
server and an all-reduce of its weights behind the backward tasks. With --exchange there is an
embedding before the layers, whose servers send each other so many bytes in the forward pass, and
as many back in the backward pass.

    make_graph.py OUT.fbuf --servers 8 --layers 12 --forward-ms 3 --weight-bytes 30000000
"""
import argparse
import struct

FORWARD, BACKWARD, TRANSFER, ALL_REDUCE = 0, 1, 5, 6  # SimTaskType
GPU, NETWORK = 0, 14  # DeviceType
NOWHERE = 2**64 - 1


class Buffer:
    """Tables whose fields all have 8 bytes; what an offset leads to lies behind it."""

    def __init__(self):
        self.data = bytearray(8)

    def align(self):
        self.data += bytes(-len(self.data) % 8)
        return len(self.data)

    def put(self, at, form, value):
        struct.pack_into("<" + form, self.data, at, value)

    def link(self, at, to):
        self.put(at, "I", to - at)

    def table(self, fields):
        """Adds a table with the fields (a format of struct and a value); its place."""
        vtable = self.align()
        self.data += struct.pack("<HH", 4 + 2 * len(fields), 8 + 8 * len(fields))
        self.data += struct.pack(f"<{len(fields)}H", *(8 + 8 * i for i in range(len(fields))))
        table = self.align()
        self.data += struct.pack("<iI", table - vtable, 0)
        for form, value in fields:
            self.data += struct.pack("<" + form, value).ljust(8, b"\0")
        return table

    def vector(self, table, slot, form, values):
        """Adds a vector for a field of a table; the place of its first element."""
        self.align()
        self.data += bytes(4)
        self.link(table + 8 + 8 * slot, len(self.data))
        self.data += struct.pack(f"<I{len(values)}{form}", len(values), *values)
        return len(self.data) - len(values) * struct.calcsize(form)

    def tables(self, table, slot, count):
        return self.vector(table, slot, "I", [0] * count)


class Graph:
    def __init__(self, servers):
        self.servers = servers
        self.tasks = []  # [type, device, ms, bytes, next]
        self.devices = [(GPU, server, server) for server in range(servers)]
        self.links = {}

    def task(self, kind, device, ms=0.0, size=0, after=()):
        number = len(self.tasks)
        self.tasks.append([kind, device, ms, size, []])
        for before in after:
            self.tasks[before][4].append(number)
        return number

    def transfer(self, source, target, size, after):
        ends = (source, target)
        if ends not in self.links:
            self.links[ends] = len(self.devices)
            self.devices.append((NETWORK, NOWHERE, source * self.servers + target))
        return self.task(TRANSFER, self.links[ends], size=size, after=after)

    def exchange(self, size, after):
        """Everybody sends everybody else a part; for each server what it has to wait for."""
        part = size // self.servers
        comes = [[own] for own in after]
        for source in range(self.servers):
            for target in range(self.servers):
                if source != target:
                    comes[target].append(self.transfer(source, target, part, [after[source]]))
        return comes

    def all_reduce(self, size, after):
        number = self.task(ALL_REDUCE, None, size=size, after=after)
        self.tasks[number][4] = list(range(self.servers))

    def write(self, path):
        buffer = Buffer()
        root = buffer.table([("I", 1), ("I", self.servers)] + [("Q", 0)] * 10)
        buffer.link(0, root)
        at = buffer.tables(root, 9, len(self.devices))
        for number, (kind, server, link) in enumerate(self.devices):
            fields = [("h", kind), ("Q", 2**32 + number), ("Q", server), ("Q", link), ("Q", 0)]
            buffer.link(at + 4 * number, buffer.table(fields))
        at = buffer.tables(root, 8, len(self.tasks))
        for number, (kind, device, ms, size, following) in enumerate(self.tasks):
            where = 0 if device is None else 2**32 + device
            table = buffer.table([("h", kind), ("Q", number), ("Q", where), ("f", ms), ("Q", size),
                                  ("Q", 0)])
            buffer.link(at + 4 * number, table)
            buffer.vector(table, 5, "Q", following)
        # Vectors of no elements for what there is none of: links, operators, routes, rings.
        for slot in (6, 7, 10, 11):
            buffer.tables(root, slot, 0)
        buffer.align()
        with open(path, "wb") as out:
            out.write(buffer.data)


def build(options):
    graph = Graph(options.servers)
    servers = range(options.servers)
    waits = [[] for _ in servers]
    if options.exchange:
        embedding = [graph.task(FORWARD, s, options.forward_ms) for s in servers]
        waits = graph.exchange(options.exchange, embedding)
    for _ in range(options.layers):
        waits = [[graph.task(FORWARD, s, options.forward_ms, after=waits[s])] for s in servers]
    for _ in range(options.layers):
        waits = [[graph.task(BACKWARD, s, 2 * options.forward_ms, after=waits[s])] for s in servers]
        graph.all_reduce(options.weight_bytes, [task for own in waits for task in own])
    if options.exchange:
        back = graph.exchange(options.exchange, [own[0] for own in waits])
        for s in servers:
            graph.task(BACKWARD, s, 2 * options.forward_ms, after=back[s])
    return graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out")
    parser.add_argument("--servers", type=int, required=True)
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--forward-ms", type=float, required=True, help="of a layer")
    parser.add_argument("--weight-bytes", type=int, required=True, help="of a layer")
    parser.add_argument("--exchange", type=int, default=0, help="bytes a server sends")
    options = parser.parse_args()
    build(options).write(options.out)


main()
