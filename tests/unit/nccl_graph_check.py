"""Reads the files of test_nccl_graph: rings of all servers, those of each, and the map of ports."""

import csv
import glob
import os
import sys
import xml.etree.ElementTree


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def stops_of(channel):
    """Of a server each: (device that receives, GPUs, device that sends)."""
    stops, stop = [], []
    for element in channel:
        stop.append(element)
        if element.tag == "net" and len(stop) > 1:
            assert stop[0].tag == "net" and all(e.tag == "gpu" for e in stop[1:-1])
            gpus = [e.attrib for e in stop[1:-1]]
            stops.append((number(stop[0].get("dev")), gpus, number(stop[-1].get("dev"))))
            stop = []
    assert not stop
    return stops


def graphs_of(path):
    """The channels of each graph, as stops."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "graphs" and root.attrib == {"version": "1"}
    graphs = []
    for at, graph in enumerate(root):
        assert graph.tag == "graph" and graph.get("id") == "0" and graph.get("pattern") == "4"
        assert graph.get("group") in (None, str(at)) and number(graph.get("nchannels")) == len(graph)
        graphs.append([stops_of(channel) for channel in graph])
    return graphs


def wires_of(path):
    wires = set()
    with open(path, encoding="ascii", newline="") as lines:
        for row in csv.DictReader(lines):
            panel, ends = int(row["panel"]), (int(row["from"]), int(row["to"]))
            wires.add((panel,) + ends)
            if row["kind"] == "cable":
                wires.add((panel,) + ends[::-1])
    return wires


def server_of(stop):
    gpus = stop[1]
    assert [number(g["dev"]) for g in gpus] == list(range(len(gpus)))
    servers = {int(g["rank"]) // len(gpus) for g in gpus}
    assert len(servers) == 1
    return servers.pop()


def check(name):
    wires = wires_of(name + ".csv")
    graphs = graphs_of(name + ".xml")
    used, seen = set(), {}
    for group, channels in enumerate(graphs):
        for stops in channels:
            order = [server_of(stop) for stop in stops]
            assert sorted(order) == list(range(min(order), max(order) + 1))
            for at, here in enumerate(order):
                there = (at + 1) % len(order)
                wire = (stops[at][2], here, order[there])
                assert stops[there][0] == stops[at][2] and wire in wires and wire not in used
                used.add(wire)
                stop = (stops[at][0], len(stops[at][1]), stops[at][2])
                seen.setdefault((group, here), []).append(stop)
    assert seen
    for (group, server), expected in seen.items():
        if group == 0:
            (alone,) = graphs_of(f"{name}.{server}.xml")
            assert [(s[0], len(s[1]), s[2]) for (s,) in alone] == expected
    print(f"{os.path.basename(name)}: {len(graphs)} groups, {len(used)} of {len(wires)} wires")


names = [path[:-4] for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.csv")))]
assert len(names) == 5
for each in names:
    check(each)
