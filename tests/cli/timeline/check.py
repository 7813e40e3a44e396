#!/usr/bin/env python3
"""Holds a timeline to the rules of the trace-event format, and to the results of its run.

    usage: check.py TIMELINE.json RESULTS.json [NAME=VALUE...]

RESULTS.json is what --json says of the same run with --per-npu. Prints what is wrong, one line each. NAME=VALUE
compares a count: "npus", "slices", "flows", "tracks", "counters" (of memory), "joined" (slices that are several), "curves" (dimensions with a
counter of links in use) of the timeline.
"""
import bisect
import itertools
import json
import math
import re
import sys

MOST_TRACKS = 12  # of an NPU
problems = []
SIX_DECIMALS = re.compile(r"-?[0-9]+\.[0-9]{6}").fullmatch


def wrong(text):
    if len(problems) < 20:
        problems.append(text)


def ps(value):
    """Microseconds with six decimals, as they are written, as whole ps."""
    value = str(value)
    if not SIX_DECIMALS(value):
        wrong(f"{value} is not a time with six decimals")
        return round(float(value) * 1e6)
    return int(value.replace(".", ""))


def perfetto_ns(value):
    """As Perfetto reads a time: the nearest ns of the double, halves away from 0."""
    return math.floor(float(value) * 1000.0 + 0.5)


REQUIRED = {
    "M": {"name", "pid", "args"},
    "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
    "s": {"name", "cat", "pid", "tid", "ts", "id"},
    "f": {"name", "cat", "pid", "tid", "ts", "id", "bp"},
    "C": {"name", "pid", "ts", "args"},
}


class Slice:
    def __init__(self, event):
        self.event = event
        self.start = ps(event["ts"])
        self.drawn_end = self.start + ps(event["dur"])
        args = event["args"]
        self.end = self.start + ps(args["duration_us"]) if "duration_us" in args else self.drawn_end
        if not 0 <= self.end - self.drawn_end <= 1000:
            wrong(f"a slice is drawn {self.end - self.drawn_end} ps shorter: {event}")
        self.shown = (perfetto_ns(event["ts"]), perfetto_ns(event["ts"]) + perfetto_ns(event["dur"]))


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=str)


def check_fields(events):
    for event in events:
        missing = REQUIRED.get(event["ph"], {"a known ph"}) - set(event)
        if missing:
            wrong(f"{event} lacks {missing}")
        if not event["name"]:
            wrong(f"{event} has no name")


def check_nesting(track, slices):
    """Neither as written nor as Perfetto rounds them may slices of a track overlap in part."""
    for what, interval in (("", lambda s: (s.start, s.end)), (" in Perfetto", lambda s: s.shown)):
        open_ends = []
        for start, end in sorted(map(interval, slices), key=lambda i: (i[0], -i[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                wrong(f"track {track}: a slice from {start} to {end} overlaps one to {open_ends[-1]}{what}")
            open_ends.append(end)


def check_tracks(tracks):
    """Few enough to be seen, and what waits in its own colour, which nothing else has."""
    of = {}
    for pid, tid in tracks:
        of.setdefault(pid, set()).add(tid)
    for pid, tids in of.items():
        if len(tids) > MOST_TRACKS:
            wrong(f"NPU {pid} has {len(tids)} tracks, expected at most {MOST_TRACKS}")
    for slices in tracks.values():
        for s in slices:
            if (s.event.get("cname") == "thread_state_iowait") != (s.event["cat"] == "waiting"):
                wrong(f"{s.event['cat']} has the colour {s.event.get('cname')}")


def check_joined(slices):
    """A slice that is several says each of them, and spans them."""
    for s in slices:
        args = s.event["args"]
        if "joined" not in args:
            continue
        if len(args["joined"]) != args["count"] or args["count"] < 2:
            wrong(f"{s.event['name']}: {len(args['joined'])} joined, count {args['count']}")
        message = s.event["cat"] in ("send", "receive")
        starts = [ps(one["transfer_us" if message else "start_us"]) for one in args["joined"]]
        if (min(starts), max(ps(one["end_us"]) for one in args["joined"])) != (s.start, s.end):
            wrong(f"{s.event['name']} does not span what is joined")


def check_links(timeline):
    """What the curve of a dimension's links covers is its busy time, and no curve is above its links."""
    curves = {}
    for event in timeline["traceEvents"]:
        if event["ph"] == "C" and event["name"].startswith("links in use, dimension "):
            number = int(event["name"].split(":")[0].split()[-1])
            curves.setdefault(number, []).append((ps(event["ts"]), float(event["args"]["links"])))
    for number, dim in enumerate(timeline["otherData"]["dims"], 1):
        curve, busy = curves.get(number, []), int(dim.get("busy_ps", 0))
        covered = sum((later[0] - at[0]) * at[1] for at, later in zip(curve, curve[1:]))
        if abs(covered - busy) > 1e-4 * busy:
            wrong(f"dimension {number}: its links are in use for {covered} ps, expected {busy}")
        if curve and curve[-1][1] != 0:
            wrong(f"dimension {number}: links are in use at the end")
        if max([links for _, links in curve], default=0) > dim["links"] * (1 + 1e-6):
            wrong(f"dimension {number}: {max(links for _, links in curve)} links in use of {dim['links']}")
    return len(curves)


def latest_ends(slices):
    """Starts in order, and the latest end of what starts by then."""
    slices = sorted((s.start, s.end) for s in slices)
    return [start for start, _ in slices], list(itertools.accumulate((end for _, end in slices), max))


def check_flows(events, tracks):
    ends = {"s": {}, "f": {}}
    spans = {track: latest_ends(slices) for track, slices in tracks.items()}
    for event in events:
        if event["ph"] in ends:
            if event["id"] in ends[event["ph"]]:
                wrong(f"two {event['ph']} of flow {event['id']}")
            ends[event["ph"]][event["id"]] = event
            at = ps(event["ts"])
            starts, latest = spans.get((event["pid"], event["tid"]), ([], []))
            before = bisect.bisect_right(starts, at)
            if before == 0 or latest[before - 1] < at:
                wrong(f"{event} is in no slice")
    if set(ends["s"]) != set(ends["f"]):
        wrong("flows have no start or no end")
    for number, start in ends["s"].items():
        end = ends["f"].get(number, start)
        if ps(start["ts"]) > ps(end["ts"]):
            wrong(f"flow {number} ends before it starts")
        if (start["name"], start["cat"]) != (end["name"], end["cat"]):
            wrong(f"flow {number} has two names")
    return len(ends["s"])


def check_names(events, tracks):
    named = {"process_name": [], "thread_name": [], "process_sort_index": [], "thread_sort_index": []}
    for event in events:
        if event["ph"] == "M":
            named[event["name"]].append((event["pid"], event.get("tid")))
    for what, found in named.items():
        if len(set(found)) != len(found):
            wrong(f"{what} twice for one")
    pids = {pid for pid, _ in named["process_name"]}
    for event in events:
        if event["pid"] not in pids:
            wrong(f"process {event['pid']} has no name")
    for track in tracks:
        if track not in named["thread_name"] or track not in named["thread_sort_index"]:
            wrong(f"track {track} has no name or place")
        if track[1] in pids or track[1] == 0:
            wrong(f"track {track}: its tid is a pid")
    if set(named["process_name"]) != set(named["process_sort_index"]):
        wrong("processes without a place")
    return pids


def union(intervals):
    total, reached = 0, -1
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def part_of(track, category):
    """The part of an NPU's time that a slice's exposed time counts as."""
    if category in ("cpu", "waiting"):
        return category
    if category in ("load", "store"):
        return "exposed_local_memory" if track.startswith("local") else "exposed_remote_memory"
    return "exposed_communication"


def check_totals(results, tracks, names, pids):
    times = {int(row["ranks"]): row for row in results["classes"]}
    for pid in pids:
        mine = [(names[track], s) for track, slices in tracks.items() if track[0] == pid for s in slices]
        compute = union((s.start, s.end) for _, s in mine if s.event["cat"] == "compute")
        if compute != times[pid]["compute_ps"]:
            wrong(f"NPU {pid}: compute slices cover {compute} ps, expected {times[pid]['compute_ps']}")
        exposed = dict.fromkeys(("cpu", "exposed_local_memory", "exposed_remote_memory", "exposed_communication",
                                 "waiting"), 0)
        for name, s in mine:
            if "exposed_us" in s.event["args"]:
                exposed[part_of(name, s.event["cat"])] += ps(s.event["args"]["exposed_us"])
            exposed["waiting"] += ps(s.event["args"].get("exposed_waiting_us", "0.000000"))
        for part, found in exposed.items():
            if found != times[pid][f"{part}_ps"]:
                wrong(f"NPU {pid}: {part} {found} ps, expected {times[pid][f'{part}_ps']}")
        busy = union((s.start, s.end) for _, s in mine if s.event["cat"] != "chunk")  # may be for others
        if busy != results["wall_ps"] - times[pid]["idle_ps"]:
            wrong(f"NPU {pid}: busy for {busy} ps, but idle for {times[pid]['idle_ps']}")


def main():
    timeline, results = read(sys.argv[1]), read(sys.argv[2])
    events = timeline["traceEvents"]
    check_fields(events)
    tracks, names = {}, {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(Slice(event))
        elif event["name"] == "thread_name":
            names[(event["pid"], event["tid"])] = event["args"]["name"]
    for track, slices in tracks.items():
        check_nesting(track, slices)
        check_joined(slices)
    check_tracks(tracks)
    flows = check_flows(events, tracks)
    pids = check_names(events, tracks)
    check_totals(results, tracks, names, pids - {timeline["otherData"]["npus"]})
    curves = check_links(timeline)
    if timeline["otherData"]["wall_ps"] != results["wall_ps"]:
        wrong("otherData has another wall_ps")
    found = {"npus": len(pids - {timeline["otherData"]["npus"]}), "curves": curves, "slices": sum(map(len, tracks.values())), "flows": flows, "tracks": len(tracks),
             "counters": sum(event["ph"] == "C" and not event["name"].startswith("links in use") for event in events),
             "joined": sum("joined" in s.event["args"] for slices in tracks.values() for s in slices)}
    for expected in sys.argv[3:]:
        name, value = expected.split("=")
        if found[name] != int(value):
            wrong(f"{name}: {found[name]}, expected {value}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
