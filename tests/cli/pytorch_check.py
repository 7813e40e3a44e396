#!/usr/bin/env python3
"""Holds converted PyTorch traces against the recordings that they come from, which are read here
by other means.

    pytorch_check.py counts PROFILE TRACE.et.json    one communication node for each kernel of NCCL
    pytorch_check.py times REPORT.json RUN.json      the step, replayed or simulated, per rank
    pytorch_check.py ends PROFILES TIMELINE.json     the ends of collectives across ranks

Prints what it found; exit status 1 when that is out of bounds.
"""

import gzip
import json
import sys

US = 1e6  # picoseconds


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def kernels(profile):
    """(kind, start, end in us) of NCCL's kernels, in the order of their starts."""
    kinds = {"allreduce": "ALL_REDUCE", "sendrecv": "ALL_TO_ALL", "allgather": "ALL_GATHER",
             "reducescatter": "REDUCE_SCATTER", "broadcast": "BROADCAST"}
    found = []
    for event in profile["traceEvents"]:
        name = event.get("name", "").lower()
        if event.get("cat") == "kernel" and name.startswith("nccl"):
            kind = next(v for k, v in kinds.items() if k in name.replace("_", ""))
            found.append((kind, event["ts"], event["ts"] + event["dur"]))
    return sorted(found, key=lambda k: k[1])


def records(trace):
    """(kind, bytes) of the recorded communication that moves data, in the order of operators."""
    found = []
    for node in sorted(trace["nodes"], key=lambda n: n["id"]):
        if node["name"] != "record_param_comms":
            continue
        inputs = node["inputs"]
        if not isinstance(inputs[0], list):
            continue  # a wait
        tensors = inputs[0] if isinstance(inputs[0][0], list) else [inputs[0]]
        name = inputs[4].replace("_", "")
        if len(inputs) > 7 and inputs[7] == 1:
            continue  # a group of one rank
        kind = "ALL_TO_ALL" if "alltoall" in name else "ALL_REDUCE" if "allreduce" in name else name
        found.append((kind, sum(t[3] * t[4] for t in tensors)))
    return found


def nodes_of(path):
    """(kind, bytes) of the collectives of a trace printed by `orrery trace print`."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if " COMM_COLL_NODE " in line:
                words = line.rsplit('"', 1)[1].split()
                found.append((words[0], int(words[2])))
    return found


def check_counts(et, profile, printed):
    """Every kernel of NCCL is one node of its kind, and bytes are those of the records."""
    expected = [k[0] for k in kernels(load(profile))]
    nodes = nodes_of(printed)
    recorded = records(load(et))
    if [n[0] for n in nodes] != expected:
        print(f"{profile}: kernels {expected}, nodes {[n[0] for n in nodes]}")
        return 1
    if sorted(nodes) != sorted(recorded):
        print(f"{et}: records {sorted(recorded)}, nodes {sorted(nodes)}")
        return 1
    return 0


def check_times(report, run, percent):
    """Each rank's time in the run against the recorded one."""
    ranks = load(report)["ranks"]
    classes = load(run)["classes"]
    worst = 0.0
    for rank in ranks:
        finish = next(c["finish_ps"] for c in classes if rank["rank"] in members(c))
        took = finish - rank["start_ps"]
        error = 100.0 * (took - rank["recorded_ps"]) / rank["recorded_ps"]
        worst = max(worst, abs(error))
        print(f"rank {rank['rank']}: recorded {rank['recorded_ps'] / US:.0f} us, "
              f"run {took / US:.0f} us, {error:+.2f} %")
    return 0 if worst <= percent else 1


def members(row):
    found = set()
    for part in str(row["ranks"]).split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def print_kinds(profiles, took):
    """What collectives of each kind took on the rank that waited least, against the recording."""
    recorded = [kernels(load(profiles.replace("{rank}", str(rank)))) for rank in range(8)]
    simulated = [[t for _, t in sorted(took[p])] for p in sorted(took)]
    kinds = {}
    for i, (kind, _, _) in enumerate(recorded[0]):
        then = min(rank[i][2] - rank[i][1] for rank in recorded)
        now = min(rank[i] for rank in simulated)
        kinds.setdefault(kind, []).append((then, now))
    for kind, pairs in sorted(kinds.items()):
        then, now = (sorted(p[k] for p in pairs)[len(pairs) // 2] for k in (0, 1))
        print(f"{kind}: {len(pairs)}, median recorded {then:.1f} us, simulated {now:.1f} us, "
              f"{100.0 * (now - then) / then:+.1f} %")


def check_ends(profiles, timeline, tolerance):
    """Each collective ends on all ranks as nearly at once as it did when recorded."""
    spread = []
    for rank in range(8):
        spread.append([k[2] for k in kernels(load(profiles.replace("{rank}", str(rank))))])
    recorded = max(max(e) - min(e) for e in zip(*spread))
    ends, took = {}, {}
    for event in load(timeline)["traceEvents"]:
        if event.get("cat") == "collective":
            ends.setdefault(event["pid"], []).append(event["ts"] + event["dur"])
            took.setdefault(event["pid"], []).append((event["ts"] + event["dur"], event["dur"]))
    simulated = max(max(e) - min(e) for e in zip(*(sorted(ends[p]) for p in sorted(ends))))
    print_kinds(profiles, took)
    print(f"ends of {len(spread[0])} collectives apart: recorded {recorded:.1f} us at most, "
          f"simulated {simulated:.3f} us")
    return 0 if len(ends) == 8 and simulated <= tolerance else 1


def main(arguments):
    if arguments[0] == "counts":
        return check_counts(*arguments[1:4])
    if arguments[0] == "times":
        return check_times(arguments[1], arguments[2], float(arguments[3]))
    return check_ends(arguments[1], arguments[2], float(arguments[3]))


sys.exit(main(sys.argv[1:]))
