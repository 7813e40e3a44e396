"""Solves the graphs that test_matchings wrote into a folder by networkx, and fails where another
weight comes out."""

import os
import sys

import networkx


def read(path):
    graph = networkx.Graph()
    with open(path, encoding="ascii") as lines:
        nodes, weight = map(int, next(lines).split())
        graph.add_nodes_from(range(nodes))
        graph.add_weighted_edges_from(tuple(map(int, line.split())) for line in lines)
    return graph, weight


def main(folder, graphs):
    names = sorted(os.listdir(folder))
    wrong = 0
    for name in names:
        graph, weight = read(os.path.join(folder, name))
        pairs = networkx.max_weight_matching(graph)
        expected = sum(graph[a][b]["weight"] for a, b in pairs)
        if weight != expected:
            print(f"graph {name}: expected {expected}, got {weight}")
            wrong += 1
    print(f"{len(names)} graphs, {wrong} of another weight")
    return 0 if wrong == 0 and len(names) == int(graphs) else 1


sys.exit(main(*sys.argv[1:]))
