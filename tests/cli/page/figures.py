"""The figures of a page against those of the results that it is made from."""
import re

import reading

PARTS = ["compute_ps", "cpu_ps", "exposed_local_memory_ps", "exposed_remote_memory_ps", "exposed_communication_ps",
         "waiting_ps", "idle_ps"]
HEADLINE = ["wall_ps", "npus", "iteration_ps", "tokens_per_s", "samples_per_s", "model_flops_utilization", "messages", "events"]
MOST_ROWS = 400


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool) or not all(isinstance(each, (int, float)) for each in (a, b)):
        return a == b
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def rank_count(ranks):
    ends = [[int(end) for end in part.split("-")] for part in ranks.split(",")]
    return sum(each[-1] - each[0] + 1 for each in ends)


def objects_in(value):
    """All objects of a result, at whatever depth."""
    if isinstance(value, dict):
        yield value
        for name, each in value.items():
            if name not in ("config", "origins"):
                yield from objects_in(each)
    elif isinstance(value, list) and not (value and isinstance(value[0], (int, float))):
        for each in value:
            yield from objects_in(each)


# ---- what is not in a result as it is ----

def traffic_sums(run):
    traffic = run.get("details", {}).get("traffic")
    if not traffic:
        return []
    rows, block = traffic["bytes"], traffic["block"]
    return [{"from": str(i) if block == 1 else f"{i * block} on", "sent_bytes": sum(row),
             "received_bytes": sum(other[i] for other in rows)} for i, row in enumerate(rows)]


def timeline_tracks(run):
    timeline = run.get("details", {}).get("timeline") or {"npus": []}
    return [{"npu": npu["rank"], "resource": track["resource"], "operations": sum(track["slices"][3::4]),
             "busy_ps": sum(track["slices"][1::4])} for npu in timeline["npus"] for track in npu["tracks"]]


def stage_needs(run):
    parts = ["weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes"]
    return [{"stage": i, "total_bytes": sum(stage[part] for part in parts), **stage}
            for i, stage in enumerate(run.get("details", {}).get("stages", []))]


def sweep_counts(sweep):
    points = sweep.get("points")
    if not isinstance(points, list):
        return {}
    ran = sum(point.get("status") == "ok" for point in points)
    return {"points": len(points), "ran": ran, "failed": len(points) - ran}


def sweep_points(sweep):
    """Those that ran, with what they are judged by."""
    points = [point for point in sweep["points"] if point.get("status") == "ok"]
    judged = ["wall_ps", "cost", "model_flops_utilization", "tokens_per_s", "memory_bytes", "exposed_communication_ps", "waiting_ps"]
    return points, ["point", *(key for key in judged if any(point.get(key) for point in points))]


def job_rows(cluster):
    """Jobs on a cluster: of each how many iterations it has."""
    rows = [{**job, "count": len(job["iterations_ps"]) if "iterations_ps" in job else job["iterations"]} for job in cluster["jobs"]]
    return rows, ["name", "start_ps", "end_ps", "count", "mean_ps"]


def means_of(run, row):
    """Times of the command's table: a collective counts once, whatever its NPUs, an operator on each of them."""
    nodes = row["count"] * row.get("npus", 1)
    return {"mean_ps": row["time_ps"] / nodes if nodes else 0, "exposed_per_npu_ps": row["exposed_ps"] / run["npus"],
            "waiting_per_npu_ps": row["exposed_waiting_ps"] / run["npus"]}


def largest(rows, key):
    return sorted(rows, key=lambda row: -row[key])[:MOST_ROWS]


def use_of(dim):
    """0 of a dimension that carried bytes is a backend's that does not count its use."""
    return dim["utilization"] if dim["utilization"] > 0 or dim["bytes"] == 0 else "-"


def lists_of(run):
    """Name: (rows, keys of them that the page must show)."""
    path, details = run.get("critical_path", {}), run.get("details", {})
    whatif = run.get("whatif", run if "changes" in run else {"changes": []})
    wall = run["wall_ps"]
    used = [part for part in PARTS if any(each[part] for each in run.get("classes", []))]
    lists = {
        "classes": ([{"count": rank_count(each["ranks"]), **each} for each in run.get("classes", [])[:256]],
                    ["ranks", "count", "finish_ps", *used]),
        "dims": ([{"dim": i + 1, **each, "utilization": use_of(each)} for i, each in enumerate(run.get("dims", []))],
                 ["dim", "block", "npus", "bandwidth_bytes_per_s", "latency_ps", "messages", "bytes", "utilization"]),
        "critical path": ([{"share": part["ps"] / wall, **part} for part in path.get("parts", [])], ["what", "ps", "share"]),
        "its steps": (largest(path.get("steps", []), "duration_ps"), ["npu", "name", "start_ps", "duration_ps"]),
        "changes": ([{"share": each["saved_ps"] / whatif["wall_ps"], **each} for each in whatif["changes"]],
                    ["what", "wall_ps", "saved_ps", "share", "exposed_communication_ps", "waiting_ps", "bound"]),
        "links": (details.get("links", {}).get("most_used", []), ["from", "to", "bytes", "utilization", "bandwidth_bytes_per_s"]),
        "traffic": (traffic_sums(run), ["from", "sent_bytes", "received_bytes"]),
        "tracks": (timeline_tracks(run), ["npu", "resource", "operations", "busy_ps"]),
        "stages": (stage_needs(run), ["stage", "weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes",
                                      "total_bytes", "capacity_bytes"]),
        "memory": (details.get("memory", []), ["rank", "peak_bytes", "peak_ps"]),
    }
    for name in ("collectives", "operators"):
        rows = [{**row, **means_of(run, row)} for row in run.get(name) or []]
        keys = ["count", "mean_ps", "longest_ps", "exposed_per_npu_ps", "waiting_per_npu_ps"]
        lists[name] = (largest(rows, "exposed_ps"), keys if rows else [])
    return lists


# ---- a page of one result ----

class Universe:
    """All rows that a page may show."""

    def __init__(self, rows):
        self.rows, self.by_names = rows, {}

    def has(self, names, values):
        if names not in self.by_names:
            self.by_names[names] = [tuple(row[name] for name in names) for row in self.rows if all(name in row for name in names)]
            self.by_names[names, "exact"] = set(map(repr, self.by_names[names]))
        return repr(values) in self.by_names[names, "exact"] or any(
            all(map(same, values, row)) for row in self.by_names[names])


def row_of(cells):
    """Numbers as numbers, what has no number as text."""
    return {cell["name"]: cell["value"] if cell["value"] is not None else cell["text"] for cell in cells}


def check_texts(cells):
    for cell in cells:
        if cell["value"] is not None:
            assert reading.told(cell["text"], cell["value"]), f"{cell['name']}: {cell['text']!r} is told of {cell['value']!r}"


def check_row(table, cells, universe):
    numbers = [cell for cell in cells if cell["value"] is not None]
    names = tuple(cell["name"] for cell in numbers)
    values = tuple(cell["value"] for cell in numbers)
    assert not numbers or universe.has(names, values), f"table {table['caption']!r}: no result has {dict(zip(names, values))}"


def check_covered(name, rows, keys, found):
    """Every row stands in the page with all keys. `found`: rows of the page."""
    shown = [row for row in found if all(key in row for key in keys)]
    exact = {repr([row[key] for key in keys]) for row in shown}
    for row in rows:
        assert all(key in row for key in keys), f"{name}: the result tells only {list(row)}"
        want = [row[key] for key in keys]
        assert repr(want) in exact or any(all(same(a, row2[key]) for a, key in zip(want, keys)) for row2 in shown), \
            f"{name}: {dict(zip(keys, want))} is not in the page"


def check_facts(facts, results):
    """A fact is a result's number of that name; what is told of one NPU is named so."""
    for fact in facts:
        if fact["value"] is None:
            continue
        name, value = fact["name"], fact["value"]
        objects = [each for result in results for each in objects_in(result)]
        options = [each[name] for each in objects if name in each]
        if name.endswith("_per_npu"):
            options += [each[name[:-8]] / each["npus"] for each in objects if name[:-8] in each and each.get("npus")]
        assert any(same(value, each) for each in options), f"{name}: {value} is no result: {str(options)[:200]}"
    check_texts(fact for fact in facts if fact["value"] is not None)


def check_breakdown(page, run):
    """The bars of classes are as long as their times, and tell them."""
    bars = page.value("""[...document.querySelectorAll('svg.chart')].filter((each) => /^Time of each class/.test(each.getAttribute('aria-label')))
        .flatMap((each) => [...each.querySelectorAll('rect')].map((bar) => ({width: Number(bar.getAttribute('width')), x: Number(bar.getAttribute('x')),
          text: bar.textContent})))""")
    want = [(each["ranks"], each[part]) for each in run["classes"][:24] for part in PARTS if each[part] > 0]
    assert len(bars) == len(want), f"{len(bars)} bars for {len(want)} times of classes"
    longest = max(range(len(want)), key=lambda i: want[i][1])
    scale = bars[longest]["width"] / want[longest][1]
    for bar, (ranks, time) in zip(bars, want):
        found = re.match(r"^NPUs? (\S+): .*? ([\d.]+ [a-z]+)$", bar["text"])
        assert found and found[1] == ranks, f"a bar of {ranks} says {bar['text']!r}"
        assert reading.told(found[2], time), f"a bar of {time} ps says {found[2]}"
        assert abs(bar["width"] - max(scale * time, 0.3)) < 1e-6 * scale * time + 1e-6, f"a bar of {time} ps is {bar['width']} long"


def check_heatmap(page, run):
    """A cell for each pair of blocks that has traffic, which tells it."""
    traffic = run.get("details", {}).get("traffic")
    cells = page.value("[...document.querySelectorAll('svg.chart rect[class^=heat-] title')].map((each) => each.textContent)")
    want = [value for row in (traffic or {"bytes": []})["bytes"] for value in row if value > 0]
    assert len(cells) == len(want), f"{len(cells)} cells of {len(want)} pairs"
    for cell, value in zip(cells, want):
        assert reading.told(cell.split(": ")[1], value), f"a cell of {value} bytes says {cell}"


def check_picture(page, run):
    drawn = page.value("[...document.querySelectorAll('figure.paper img')].map((each) => each.complete && each.naturalWidth > 0)")
    wanted = [True] if "network" in run.get("details", {}) else []
    assert drawn == wanted, f"pictures of the network: {drawn}"


def check(page, results):
    """A page of one result."""
    (result,) = results
    found = reading.shown(page)
    assert found["stray"] == 0, f"{found['stray']} figures stand outside of tables and facts"
    lists = lists_of(result) if "wall_ps" in result and ("classes" in result or "changes" in result) else {}
    if "points" in result:
        lists["points"] = sweep_points(result)
    if "jobs" in result:
        lists["jobs"] = job_rows(result)
    universe = Universe([*objects_in(result), *(row for rows, _ in lists.values() for row in rows)])
    check_facts(found["facts"], [result, sweep_counts(result)])
    rows = []
    for table in found["tables"]:
        for cells in table["rows"]:
            check_row(table, cells, universe)
            check_texts(cells)
            rows.append(row_of(cells))
    for name, (want, keys) in lists.items():
        check_covered(name, want, keys, rows)
    if "classes" in result and "wall_ps" in result:
        facts = {fact["name"]: fact["value"] for fact in found["facts"]}
        missing = [name for name in HEADLINE if result.get(name) and name not in facts]
        assert not missing, f"not told: {missing}"
        check_breakdown(page, result)
        check_heatmap(page, result)
        check_picture(page, result)
    assert found["facts"] or found["tables"], "the page has no figures"


# ---- several runs side by side ----

def mean(run, key):
    npus = [rank_count(each["ranks"]) for each in run["classes"]]
    return sum(count * each[key] for count, each in zip(npus, run["classes"])) / sum(npus)


def path_part(run, what):
    return sum(part["ps"] for part in run["critical_path"]["parts"] if part["what"] == what) if "critical_path" in run else None


def expected_together(runs):
    """Rows of values, a column for each run."""
    rows = [[run.get(key) for run in runs] for key in
            (*HEADLINE, "model_flops_per_s") if key != "events" and any(key in run for run in runs)]
    rows += [[mean(run, key) for run in runs] for key in PARTS if any(each[key] for run in runs for each in run["classes"])]
    causes = {part["what"] for run in runs for part in run.get("critical_path", {}).get("parts", [])}
    return rows + [[path_part(run, what) for run in runs] for what in causes]


def check_ratio(text, value, first):
    """"2.378 s (64.0x)": the value, and where it differs how many times the first."""
    found = re.match(r"^(.*?)(?: \(([^()]+)x\))?$", text)
    assert reading.told(found[1], value), f"{text!r} is told of {value}"
    assert (found[2] is not None) == (bool(first) and value not in (0, first)), f"{text!r} of {value}, the first {first}"
    if found[2] is not None:
        assert reading.told(found[2], value / first), f"{text!r} is {value / first} times"


def check_together(page, runs):
    found = reading.shown(page)
    tables = [[row for row in table["rows"]] for table in found["tables"] if table["section"] in ("Side by side",)]
    shown = []
    for cells in (row for table in tables for row in table):
        values = [cell["value"] for cell in cells[1:]]
        shown.append(values)
        for cell in cells[1:]:
            if cell["value"] is not None:
                check_ratio(cell["text"], cell["value"], values[0] if cell is not cells[1] else None)
    want = expected_together(runs)
    for rows, others, what in ((want, shown, "not in the page"), (shown, want, "no figures of the runs")):
        for row in rows:
            assert any(all(map(same, row, other)) for other in others), f"{row}: {what}"
    check_settings(found, runs)
    for fact in found["facts"]:
        run = runs[fact["result"]]
        check_facts([fact], [run])


def says(value):
    """Whether a setting says something itself, and not that it is as another."""
    return value not in (None, "-") and not value.startswith("as ")


def check_settings(found, runs):
    configs = [run["config"] for run in runs]
    keys = {key for config in configs for key in config}
    want = {key: [config.get(key, "-") for config in configs] for key in keys
            if any(config.get(key) != configs[0].get(key) for config in configs) and any(says(config.get(key)) for config in configs)}
    shown = {row[0]["text"]: [cell["text"] for cell in row[1:]] for table in found["tables"]
             if table["section"] == "What differs in the settings" for row in table["rows"]}
    assert shown == want, f"settings that differ: {sorted(set(want) ^ set(shown))[:5] or 'other values'}"
