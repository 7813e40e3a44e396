"""Writes the trace of a gradient queue as JSON: python3 make_queue.py FILE FORWARD_MS...

A backward pass of 10 ms, an all-reduce of the gradients of five layers of 1, 2, 3, 4 and 5 MB, the forward pass of the
next iteration, whose layer l waits for the bytes up to its own, its backward pass and its all-reduce."""
import json
import sys


def node(number, name, kind, deps, ms=0, **attributes):
    made = {"id": str(number), "name": name, "type": kind, "dataDeps": [str(d) for d in deps],
            "durationMicros": str(1000 * ms), "attr": []}
    for key, value in attributes.items():
        arm = {"uint64List": {"values": value}} if isinstance(value, list) else {"int64Val": str(value)}
        made["attr"].append({"name": key, **arm})
    return made


def main():
    name, forward = sys.argv[1], [int(ms) for ms in sys.argv[2:]]
    nodes = [{"version": "0.0.4"},
             node(1, "backward 1", "COMP_NODE", [], 10),
             node(2, "all-reduce 1", "COMM_COLL_NODE", [1], comm_type=0, comm_size=15000000)]
    end = 0
    for layer, ms in enumerate(forward):
        end += (layer + 1) * 1000000
        nodes.append(node(3 + layer, f"forward {layer + 1}", "COMP_NODE", [2] + ([2 + layer] if layer else []), ms,
                          orrery_prefix_of=["2"], orrery_prefix_bytes=[str(end)]))
    nodes.append(node(8, "backward 2", "COMP_NODE", [7], 10))
    nodes.append(node(9, "all-reduce 2", "COMM_COLL_NODE", [8], comm_type=0, comm_size=15000000))
    with open(name, "w") as out:
        out.write("\n".join(json.dumps(n) for n in nodes) + "\n")


main()
