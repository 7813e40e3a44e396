#!/usr/bin/env python3
"""Fits the efficiency curves of inputs/compute/a100.yml to measured data and prints the file.

    usage: ORRERY_SHARED=../shared bench/fit_efficiency.py a100 >inputs/compute/a100.yml

Two kinds of measurements, neither of which is copied here:
  * kernels: GPU kernels of one iteration of Megatron-LM on 8 x A100 80 GB (pytorch/megatron_tp8),
    matched with the operator that launched them, whose shapes give operations and bytes;
  * training: throughput of whole training jobs (measured/e2e_llmfoundry_fsdp.csv), as the share of
    the peak that the hardware operations are of (HFU). A job's time is that of its layers' products
    and of its attention: 1 / HFU = w_products / e(x) + w_attention / a, where x is the operations
    of the forward pass of a layer. Communication that is not hidden and the kernels in between are
    part of e, so e is a share of whole layers.
Every error is |model / measured - 1|. Needs Python 3 alone.
"""
import bisect
import collections
import csv
import gzip
import json
import math
import os
import statistics
import sys

SHARED = os.path.join(os.environ.get("ORRERY_SHARED", "../shared"), "data")
A100_FLOPS = 312e12
A100_BYTES_PER_S = 2039e9  # 80 GB: the GPU of the kernel measurements
TYPE_BYTES = {"c10::Half": 2, "float": 4, "long int": 8, "bool": 1, "unsigned char": 1}
# Hidden size of the models by name; 12 layers hidden^2 is their parameters without embeddings.
HIDDEN = {"125m": 768, "350m": 1024, "760m": 1536, "1b": 2048, "3b": 2560, "7b": 4096,
          "13b": 5120, "30b": 7168, "70b": 8192}
LAYERS = {"125m": 12, "350m": 24, "760m": 24, "1b": 24, "3b": 32, "7b": 32, "13b": 40,
          "30b": 48, "70b": 80}


# ---- fitting ----

def minimize(cost, start, step):
    """Pattern search: moves one parameter at a time, halves the step when none gets better."""
    best, least = list(start), cost(start)
    while step > 1e-6:
        improved = False
        for i in range(len(best)):
            for move in (step, -step):
                trial = list(best)
                trial[i] += move
                value = cost(trial)
                if value < least:
                    best, least, improved = trial, value, True
        step = step if improved else step / 2
    return best


def squares(model, samples):
    """Sum of squared logarithms of model / measured; the second of a sample is the measured."""
    return sum(math.log(max(model(s), 1e-9) / s[1]) ** 2 for s in samples)


def errors(model, samples):
    off = [abs(model(s) / s[1] - 1) for s in samples]
    return (f"mean {100 * statistics.mean(off):.1f} %, "
            f"median {100 * statistics.median(off):.1f} %, largest {100 * max(off):.1f} %")


def interpolate(points, size):
    """As workload/roofline/efficiency.c does."""
    if size <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if size < x1:
            return y0 + (y1 - y0) * math.log(size / x0) / math.log(x1 / x0)
    return points[-1][1]


# ---- kernels ----

def innermost(operators, at):
    """Of those of a thread, in the order of their starts, within each other or apart: the last one around a time."""
    for i in range(bisect.bisect_right(operators, at, key=lambda o: o["ts"]) - 1, -1, -1):
        if at <= operators[i]["ts"] + operators[i]["dur"]:
            return operators[i]
    return None


def read_rank(rank):
    """[(operator, shapes, types, us)]: each operator with the time of the kernels it launched."""
    path = os.path.join(SHARED, f"pytorch/megatron_tp8/megatron_kineto_{rank}.json.gz")
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    launch, operators = {}, collections.defaultdict(list)
    for event in events:
        category = event.get("cat")
        if category in ("cuda_runtime", "cuda_driver") and "correlation" in event["args"]:
            launch[event["args"]["correlation"]] = event
        elif category == "cpu_op":
            operators[event["tid"]].append(event)
    for list_of_thread in operators.values():
        list_of_thread.sort(key=lambda o: (o["ts"], -o["dur"]))
    spent = collections.defaultdict(float)
    for kernel in events:
        of_gpu = kernel.get("cat") == "kernel"
        call = launch.get(kernel["args"].get("correlation")) if of_gpu else None
        inner = innermost(operators[call["tid"]], call["ts"]) if call else None
        if inner and "Input Dims" in inner["args"]:
            spent[(inner["name"], json.dumps(inner["args"]["Input Dims"]),
                   json.dumps(inner["args"]["Input type"]), inner["ts"])] += kernel["dur"]
    return [(name, json.loads(dims), json.loads(types), us)
            for (name, dims, types, _), us in spent.items()]


def tensor_bytes(dims, types, index):
    return math.prod(dims[index]) * TYPE_BYTES.get(types[index], 0) if dims[index] else 0


def elementwise_bytes(name, dims, types):
    """Bytes read and written; None: not one whose traffic is known."""
    first = tensor_bytes(dims, types, 0)
    if name in ("aten::add", "aten::sub", "aten::div_", "aten::masked_fill_"):
        return 2 * first + tensor_bytes(dims, types, 1)
    if name in ("aten::exp", "FusedLayerNormAffineFunction", "ScaledUpperTriangMaskedSoftmax"):
        return 2 * first
    if name in ("aten::sum", "aten::max"):
        return first
    if name in ("aten::lt", "aten::ge"):
        return first + math.prod(dims[0])
    return None


def memory_bytes(name, dims, types):
    if name == "aten::copy_":
        return tensor_bytes(dims, types, 0) + tensor_bytes(dims, types, 1)
    if name == "aten::fill_":
        return tensor_bytes(dims, types, 0)
    if name == "aten::index_select":
        return 2 * math.prod(dims[2]) * dims[0][1] * TYPE_BYTES[types[0]]
    return None


def kernel_medians():
    """{(operator, shapes, types): median us over all ranks}."""
    times = collections.defaultdict(list)
    for rank in range(8):
        for name, dims, types, us in read_rank(rank):
            times[(name, json.dumps(dims), json.dumps(types))].append(us)
    return {key: statistics.median(us) for key, us in times.items()}


def sized_samples(medians, bytes_of):
    """[(bytes, us)] by size. Timestamps are whole us, so samples begin at 2 us."""
    samples = []
    for (name, dims, types), us in medians.items():
        size = bytes_of(name, json.loads(dims), json.loads(types))
        if size and us >= 2:
            samples.append((size, us))
    return sorted(samples)


def fit_line(samples, rate):
    """t = start + size / (share x rate): (start in us, share), and the model."""
    def model(p):
        return lambda s: max(p[0], 0) + s[0] / (max(p[1], 0.01) * rate) * 1e6
    p = minimize(lambda p: squares(model(p), samples), [2, 0.7], 0.25)
    return p, model(p)


def curve(p, rate, sizes):
    """What the line is as shares of the rate."""
    return [(size, round(size / (p[0] + size / (p[1] * rate) * 1e6) * 1e6 / rate, 4))
            for size in sizes]


def sizes_between(samples):
    """Powers of two: a line in between is at most 6 % (1.5 / sqrt(2)) above a share that grows as
    the size does."""
    sizes = [2 ** math.floor(math.log2(samples[0][0]))]
    while sizes[-1] < samples[-1][0]:
        sizes.append(sizes[-1] * 2)
    return sizes


def describe_bandwidth(samples):
    """(points, comment): fitted to all; the error of a fit to every second one is reported too."""
    p, model = fit_line(samples, A100_BYTES_PER_S)
    _, half = fit_line(samples[::2], A100_BYTES_PER_S)
    return curve(p, A100_BYTES_PER_S, sizes_between(samples)), [
        f"{len(samples)} operators, {samples[0][0]} to {samples[-1][0]} bytes: "
        f"{p[0]:.1f} us + bytes / ({p[1]:.2f} x 2039 GB/s);",
        f"error {errors(model, samples)};",
        f"fitted to every second, on the others {errors(half, samples[1::2])}"]


def product_samples(medians):
    """[(operations, us, bytes)] of plain and of batched half-precision products."""
    plain, batched = [], []
    for (name, dims, types), us in medians.items():
        dims, types = json.loads(dims), json.loads(types)
        if name == "aten::mm" and types[0] == "c10::Half":
            (m, k), (_, n) = dims[0], dims[1]
            plain.append((2 * m * k * n, us, 2 * (m * k + k * n + m * n)))
        elif name in ("aten::bmm", "aten::baddbmm") and types[0] == "c10::Half":
            (b, m, k), (_, _, n) = dims[-2:] if name == "aten::bmm" else dims[1:3]
            batched.append((2 * b * m * k * n, us, 2 * b * (m * k + k * n + m * n)))
    return sorted(plain), sorted(batched)


def describe_products(medians):
    plain, batched = product_samples(medians)
    p, model = fit_line(plain, A100_FLOPS)
    left_out = []
    for i, sample in enumerate(plain):
        _, others = fit_line(plain[:i] + plain[i + 1:], A100_FLOPS)
        left_out.append((sample[0], sample[1], others(sample)))
    share = statistics.geometric_mean(s[2] / s[1] * 1e6 / A100_BYTES_PER_S for s in batched)
    points = curve(p, A100_FLOPS, [34e9, 68e9, 137e9, 275e9, 430e9])
    return points, round(share, 2), [
        f"{len(plain)} shapes of aten::mm, {plain[0][0] / 1e9:.0f} to {plain[-1][0] / 1e9:.0f} "
        f"GFLOP: {p[0]:.1f} us + operations / ({p[1]:.2f} x 312 TFLOP/s);",
        f"error {errors(model, plain)};",
        f"each shape by a fit to the others: {errors(lambda s: s[2], left_out)}.",
        f"bandwidth: {len(batched)} batched products that the memory bounds,",
        f"error {errors(lambda s: s[2] / (share * A100_BYTES_PER_S) * 1e6, batched)}"]


# ---- training ----

def training_rows(gpu):
    """[((products' share of the operations, x), HFU, GPUs)] of bf16 rows."""
    path = os.path.join(SHARED, "measured/e2e_llmfoundry_fsdp.csv")
    with open(path, newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file)
                if r["GPU"].startswith(gpu) and "bf16" in r["Precision"]]
    samples = []
    for row in rows:
        hidden, sequence = HIDDEN[row["Model"]], float(row["SeqLen (T)"])
        products = 6 * float(row["NumParams"])
        attention = 12 * LAYERS[row["Model"]] * sequence * hidden
        operations = float(row["MicroBatchSize"]) * sequence * 24 * hidden ** 2
        samples.append(((products / (products + attention), operations),
                        float(row["HFU"]) / 100, int(row["# GPUs"])))
    return samples


def fit_training(samples, ends):
    """Shares of layers at both ends of x, and of attention."""
    def model(p):
        points = [(ends[0], max(p[0], 0.01)), (ends[1], max(p[1], 0.01))]
        return lambda s: 1 / (s[0][0] / interpolate(points, s[0][1])
                              + (1 - s[0][0]) / max(p[2], 0.01))
    p = minimize(lambda p: squares(model(p), samples), [0.5, 0.5, 0.4], 0.1)
    return p, model(p)


def describe_training(gpu):
    """(points of whole layers, share of attention, comment). Every third row of one node is held
    back; rows of several nodes are never fitted to."""
    samples = training_rows(gpu)
    node = [s for s in samples if s[2] <= 8]
    fitted = [s for i, s in enumerate(node) if i % 3 != 2]
    held = [s for i, s in enumerate(node) if i % 3 == 2]
    ends = [float(f"{f(s[0][1] for s in fitted):.1e}") for f in (min, max)]
    p, model = fit_training(fitted, ends)
    return [(end, round(share, 3)) for end, share in zip(ends, p)], round(p[2], 3), [
        f"{len(fitted)} jobs on 8 GPUs: error {errors(model, fitted)};",
        f"{len(held)} more on 8 GPUs, held back: {errors(model, held)};",
        f"{len(samples) - len(node)} on 16 to 512 GPUs, held back too: "
        f"{errors(model, [s for s in samples if s[2] > 8])}"]


# ---- files ----

def comment(lines):
    for line in lines:
        print(f"    # {line}".rstrip())


def flops_points(points):
    return ", ".join(f"[{size / 1e9:g} GFLOP, {share:g}]" for size, share in points)


def head(lines):
    for line in lines:
        print(f"# {line}")
    print("# To be used with a platform, as include: [PLATFORM.yml, THIS.yml], which says what the")
    print("# memory holds (memory.local.capacity).")
    print("# Written by bench/fit_efficiency.py; the model is in docs/models.md, section 2.")
    print("# Errors are |model / measured - 1|.")
    print("compute:\n  efficiency:")


def print_training(gpu):
    points, attention, lines = describe_training(gpu)
    comment(["Whole layers, by the operations of a layer's forward pass on a micro-batch, from",
             "the HFU of GPT training with FSDP in bf16: what lies between the products, and",
             "exposed communication, is in it."] + lines)
    print(f"    - {{kind: default, scope: layer, points: [{flops_points(points)}]}}")
    comment(["Fused attention, of the same fit. HFU counts the products of all pairs of tokens; here the causal",
             "mask halves the operations, and with them the share."])
    print(f"    - {{kind: attention, points: {attention / 2:g}}}")


def print_a100():
    head(["Efficiency of an A100: shares of 312 TFLOP/s (dense, fp16 or bf16) and of the memory",
          "bandwidth. From measured training jobs (measured/e2e_llmfoundry_fsdp.csv) and kernels",
          "(pytorch/megatron_tp8: A100 80 GB, 2039 GB/s)."])
    print_training("a100")
    medians = kernel_medians()
    points, share, lines = describe_products(medians)
    comment(["Single kernels from here on. Products, in half precision:"] + lines)
    print("    - kind: gemm\n      points:")
    for point in points:
        print(f"        - [{point[0] / 1e9:g} GFLOP, {point[1]:g}]")
    print(f"      bandwidth: {share:g}")
    for kind, bytes_of in (("elementwise", elementwise_bytes), ("memory", memory_bytes)):
        points, lines = describe_bandwidth(sized_samples(medians, bytes_of))
        comment([f"{kind.capitalize()} operations, which the memory bounds, so that the bandwidth",
                 "alone has a curve; what the 40 MB cache holds is faster than the fit."] + lines)
        print(f"    - kind: {kind}\n      bandwidth:")
        for point in points:
            print(f"        - [{point[0] // 1024} KiB, {point[1]:g}]")


if __name__ == "__main__":
    if sys.argv[1:] == ["a100"]:
        print_a100()
    else:
        sys.exit(__doc__)
