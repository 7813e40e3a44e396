#!/usr/bin/env python3
"""Measured training steps against simulated ones, row by row.

usage: bench/steps.sh TABLE.csv [--csv FILE] [--command ID] [--jobs N]

TABLE.csv has the columns of COLUMNS, and those of RECIPE where they are known. Each layout becomes a job on the platform of
its GPU with the model of its name, and runs once, folded. Predictions are made, and their hash printed, before the measured
column is read. A row that cannot be run says why, and counts. --csv writes the rows; --command prints the command of one.

ORRERY_BIN names another orrery than build/release/bin/orrery.
"""
import argparse
import concurrent.futures
import csv
import difflib
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ORRERY = os.environ.get("ORRERY_BIN", os.path.join(HERE, "../build/release/bin/orrery"))

MEASURED = "step_s"
NUMBERS = ["gpus", "tensor", "pipeline", "chunks", "context", "expert", "data", "fsdp", "batch", "micro_batch", "sequence"]
COLUMNS = ["id", "source", "release", "gpu", "model", "precision", *NUMBERS]
RECIPE = {"recompute": "none", "offload_layers": "0", "expert_overlap": "0", "dispatcher": "", "cuda_graph": "none",
          "tensor_overlap": ""}

# GPU: platform, GPUs of a domain of its fast links, platform of more than one domain where it is another one
PLATFORMS = {
    "A100": ("dgx_a100_64", 8, None), "H100": ("hgx_h100_256", 8, None), "H800": ("h800_2048", 8, None),
    "H200": ("hgx_h200_64", 8, None), "B200": ("hgx_b200_64", 8, None), "B300": ("hgx_b300_64", 8, None),
    "GB200": ("gb200_nvl72", 64, "gb200_nvl72_512"), "GB300": ("gb300_nvl72", 64, "gb300_nvl72_512"),
    "MI300X": ("mi300x_64", 8, None), "MI355X": ("mi355x_64", 8, None), "TPUV5P": ("tpuv5p_64", 64, None),
}

# Names of models in tables that are others here.
MODELS = {"llama31_405b": "llama3_405b"}

# Precision in tables: the start of the name, and training.precision.
PRECISIONS = [("bf16", "bf16"), ("mxfp8", "mxfp8"), ("fp8", "fp8_cs"), ("nvfp4", "nvfp4")]

# GPUs that need the transposed form of FP8 tensors, too.
HOPPER = ("H100", "H800", "H200")

# Modules that training.recompute_modules knows.
MODULES = ("core_attn", "mla_up_proj", "layernorm", "moe_act", "mlp", "moe", "shared_experts")

# The host's time of a layer with experts and a micro-batch, by whether exchanges overlap, and whether attention is in a CUDA
# graph. Megatron-Bridge's jobs that the host bounds, 25.09 to 26.06: 9.6 ms, 1.35 times as much with overlap, 0.7 with a graph.
HOST_EXPERTS_MS = {(False, False): "9.6", (True, False): "13", (False, True): "6.7", (True, True): "9.1"}

# NVFP4 of hybrids: Megatron-Bridge's recipes keep these products and layers in bf16.
NVFP4_HYBRIDS = {"nemotron3_super": 14, "nemotron3_ultra": 14}


class CannotRun(Exception):
    """Why a row is not run."""


def near(name, known):
    found = difflib.get_close_matches(name.lower(), [one.lower() for one in known], 1, 0.4)
    return f"; nearest: {found[0]}" if found else ""


def read_table(path):
    """Rows without what was measured."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if missing:
            sys.exit(f"{path}: no columns {', '.join(missing)}; expected {', '.join(COLUMNS)}, {MEASURED}")
        rows = list(reader)
    for row in rows:
        row.pop(MEASURED, None)
    return rows


def read_measured(path):
    """Seconds of a step by the row's number; None where they are not a positive number."""
    found = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            try:
                seconds = float(row.get(MEASURED) or "")
            except ValueError:
                seconds = 0.0
            found.append(seconds if 0 < seconds < float("inf") else None)
    return found


# ---- jobs ----

def numbers_of(row):
    found = {}
    for name in NUMBERS:
        text = row[name] or ""
        if not text.isdigit():
            raise CannotRun(f"{name} is '{text}', expected a whole number")
        found[name] = int(text)
    made = found["tensor"] * found["pipeline"] * found["context"] * found["data"]
    if made != found["gpus"]:
        raise CannotRun(f"tensor x pipeline x context x data is {made}, of {found['gpus']} GPUs")
    return found


def platform_of(row, gpus):
    """The platform's name, and the key that sizes it."""
    gpu = row["gpu"].upper()
    if gpu not in PLATFORMS:
        raise CannotRun(f"no platform of the GPU {row['gpu']}{near(gpu, PLATFORMS)}")
    name, domain, several = PLATFORMS[gpu]
    if gpus <= domain:
        return name, f"network.topology=Switch({gpus})" if several else f"network.topology=Switch({gpus})_Switch(1)"
    if gpus % domain:
        raise CannotRun(f"{gpus} GPUs are not whole domains of {domain}")
    return several or name, f"network.topology=Switch({domain})_Switch({gpus // domain})"


def precision_of(row):
    """The keys of a row's precision."""
    for start, name in PRECISIONS:
        if row["precision"].lower().startswith(start):
            keys = {"training.precision": name}
            if name == "fp8_cs" and row["gpu"].upper() not in HOPPER:
                keys["training.narrow_forms"] = 1
            if name == "nvfp4" and row["model"] in NVFP4_HYBRIDS:
                keys["training.bf16_products"] = "[attention,latent,mtp]"
                keys["training.layers_at_end_in_bf16"] = NVFP4_HYBRIDS[row["model"]]
            return keys
    raise CannotRun(f"precision {row['precision']} is none of {', '.join(start for start, _ in PRECISIONS)}")


def layers_of(model):
    """Layers of a model that ships, from its explained section."""
    path = os.path.join(HERE, "../inputs/models", model + ".yml")
    with open(path, encoding="utf-8") as file:
        found = re.search(r"\blayers: *(\d+)", file.read())
    return int(found.group(1)) if found else 0


def model_of(row):
    name = MODELS.get(row["model"], row["model"])
    shipped = [os.path.splitext(file)[0] for file in os.listdir(os.path.join(HERE, "../inputs/models"))]
    if name not in shipped:
        raise CannotRun(f"no model {row['model']} ships{near(name, shipped)}")
    return name


def job_of(row):
    """The arguments of `orrery run` for a row."""
    n = numbers_of(row)
    platform, size = platform_of(row, n["gpus"])
    model = model_of(row)
    keys = {
        "parallel.tensor": n["tensor"], "parallel.pipeline": n["pipeline"], "parallel.context": n["context"],
        "parallel.expert": n["expert"], "parallel.sequence": "true" if n["tensor"] > 1 else "false",
        "parallel.zero": 3 if n["fsdp"] else 1, "transformer.sequence": n["sequence"],
        "training.batch": n["batch"], "training.micro_batch": n["micro_batch"],
        **precision_of(row),
    }
    modules = (row.get("recompute") or "").split()
    if modules and all(word in MODULES for word in modules):
        keys.update({"training.recompute": "selective", "training.recompute_modules": f"[{','.join(modules)}]"})
    if (row.get("mtp_modules") or "").isdigit():
        keys["transformer.mtp_modules"] = row["mtp_modules"]
    if n["chunks"] > 1:
        keys.update({"parallel.schedule": "interleaved", "parallel.chunks": n["chunks"]})
    if row.get("expert_overlap") == "1":
        keys["parallel.schedule"] = "merged"
    if n["tensor"] > 1 and n["expert"] > 1:  # recipes of these years keep experts whole
        keys["parallel.expert_tensor"] = row.get("expert_tensor") or 1
    if n["context"] > 1:  # the default of Transformer Engine
        keys["parallel.context_exchange"] = "ring_attention"
    if (row.get("dispatcher") or "") in ("hybridep", "deepep"):
        keys.update({"parallel.dispatcher": "deepep", "parallel.node": min(n["gpus"], PLATFORMS[row["gpu"].upper()][1])})
    graph = row.get("cuda_graph") or "none"
    if graph != "full" and row.get("dispatcher"):
        keys["training.host_experts"] = HOST_EXPERTS_MS[row.get("expert_overlap") == "1", "attn" in graph] + " ms"
    if layers_of(model) % (n["pipeline"] * n["chunks"]):
        keys.update({"parallel.layers_per_stage": "uneven", "parallel.embedding_as_layer": "true",
                     "parallel.head_as_layer": "true"})
    sets = [size] + [f"workload.{key}={value}" for key, value in keys.items()]
    return [platform, model] + [word for one in sets for word in ("--set", one)] + ["--ignore-capacity"]


def left_out(row):
    """What of a row's recipe is not in its job."""
    done = {"dispatcher", "expert_overlap"}
    if all(word in MODULES for word in (row.get("recompute") or "").split()):
        done.add("recompute")
    return [f"{name} {row[name]}" for name, plain in RECIPE.items()
            if row.get(name) not in (None, "", plain) and name not in done]


# ---- runs ----

def run(arguments):
    done = subprocess.run([ORRERY, "run", *arguments, "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRun((done.stderr.strip().splitlines() or ["no message"])[0])
    result = json.loads(done.stdout)
    result["fits"] = "does not fit" not in done.stderr
    return result


def why(result):
    """Shares of the NPUs' time."""
    total = {"compute": 0.0, "communication": 0.0, "waiting": 0.0}
    npus = 0
    for one in result["classes"]:
        count = sum(int(last or first) - int(first) + 1 for first, last in re.findall(r"(\d+)(?:-(\d+))?", one["ranks"]))
        npus += count
        total["compute"] += count * one["compute_ps"]
        total["communication"] += count * one["exposed_communication_ps"]
        total["waiting"] += count * (one["waiting_ps"] + one["idle_ps"])
    return ", ".join(f"{name} {part / npus / result['wall_ps']:.0%}" for name, part in total.items() if part)


def predict(rows, threads):
    """(result or None, why not) of each row; a job that several rows share runs once."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        jobs, waiting = {}, []
        for row in rows:
            try:
                arguments = job_of(row)
                key = tuple(arguments)
                if key not in jobs:
                    jobs[key] = pool.submit(run, arguments)
                waiting.append(jobs[key])
            except CannotRun as reason:
                waiting.append(reason)
        found = []
        for one in waiting:
            try:
                found.append((None, str(one)) if isinstance(one, CannotRun) else (one.result(), ""))
            except CannotRun as reason:
                found.append((None, str(reason)))
        return found


# ---- report ----

def percentile(errors, share):
    """The smallest error that this share of the errors does not exceed."""
    ordered = sorted(errors)
    return ordered[min(len(ordered) - 1, max(0, int(share * len(ordered) + 0.999999) - 1))]


def summary(errors):
    if not errors:
        return "median -, p90 -"
    return f"median {100 * statistics.median(errors):.1f} %, p90 {100 * percentile(errors, 0.9):.1f} %"


def print_groups(rows, errors, heading):
    groups = {}
    for row, error in zip(rows, errors):
        groups.setdefault(row[heading], []).append(error)
    print(f"\n{heading}")
    for name in sorted(groups):
        run_ones = [error for error in groups[name] if error is not None]
        print(f"  {name:28} {len(groups[name]):4} rows, {len(run_ones):4} run, {summary(run_ones)}")


def name_of(row):
    layout = " ".join(f"{word}{row[name]}" for word, name in
                      [("t", "tensor"), ("p", "pipeline"), ("v", "chunks"), ("c", "context"), ("e", "expert")] if row[name] != "1")
    return f"{row['id']:6} {row['model']:20} {row['gpus']:>5} {row['gpu']:6} {row['precision'].split()[0]:6} {layout:16}"


def print_row(row, result, reason, measured, error):
    if result is None:
        print(f"{name_of(row)} cannot be run: {reason}")
    elif error is None:
        print(f"{name_of(row)} cannot be compared: {MEASURED} is not a positive number")
    else:
        without = left_out(row)
        fits = "" if result["fits"] else " (over the capacity)"
        print(f"{name_of(row)} measured {measured:9.4f} s, simulated {result['wall_ps'] / 1e12:9.4f} s, {100 * error:+6.1f} %, "
              f"{result.get('memory_bytes', 0) / 2**30:6.1f} GiB{fits}; {why(result)}"
              f"{'; without ' + ', '.join(without) if without else ''}")


def write_csv(path, rows, predictions, measured, errors):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["id", "model", "gpu", "gpus", "precision", "simulated_s", "measured_s", "error", "memory_bytes", "fits", "reason"])
        for row, (result, reason), seconds, error in zip(rows, predictions, measured, errors):
            told = [result["wall_ps"] / 1e12, seconds, error, result.get("memory_bytes", ""), int(result["fits"])] if result \
                else ["", seconds, "", "", ""]
            out.writerow([row["id"], row["model"], row["gpu"], row["gpus"], row["precision"], *told, reason])


def main():
    parser = argparse.ArgumentParser(prog="bench/steps.sh")
    parser.add_argument("table", metavar="TABLE.csv")
    parser.add_argument("--csv", metavar="FILE", help="write the rows to FILE as well")
    parser.add_argument("--command", metavar="ID", help="print the command of one row, and stop")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count())
    options = parser.parse_args()
    rows = read_table(options.table)
    if options.command:
        for row in rows:
            if row["id"] == options.command:
                print("orrery run " + " ".join(f"'{word}'" if "(" in word or " " in word else word for word in job_of(row)))
                return
        sys.exit(f"{options.table}: no row {options.command}")
    predictions = predict(rows, options.jobs)
    text = "".join(f"{row['id']},{result['wall_ps'] if result else ''}\n" for row, (result, _) in zip(rows, predictions))
    print(f"predictions of {len(rows)} rows, before {MEASURED} is read: sha256 {hashlib.sha256(text.encode()).hexdigest()}\n")
    measured = read_measured(options.table)
    errors = [result["wall_ps"] / 1e12 / seconds - 1 if result and seconds else None
              for (result, _), seconds in zip(predictions, measured)]
    for row, (result, reason), seconds, error in zip(rows, predictions, measured, errors):
        print_row(row, result, reason, seconds, error)
    if options.csv:
        write_csv(options.csv, rows, predictions, measured, errors)
    sizes = [None if error is None else abs(error) for error in errors]
    for heading in ("model", "gpu", "precision", "source"):
        print_groups(rows, sizes, heading)
    run_ones = [size for size in sizes if size is not None]
    over = sum(1 for result, _ in predictions if result and not result["fits"])
    print(f"\njobs over the capacity of their GPU: {over}")
    print(f"all: {len(rows)} rows, {len(run_ones)} run, {summary(run_ones)}")


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
    except OSError as problem:
        sys.exit(str(problem))
