"""Profiles of torch.profiler, made up, and what `orrery trace info` tells of them: python3 profiles.py
info|recorded|convert|both.

`info` holds own profiles, whose times are worked out by hand below, and wrong ones against the command; `recorded` holds
every profile of ORRERY_SHARED against intervals merged here. `convert` makes jobs of own profiles alone; `both` compares
jobs of recorded profiles alone with those of execution traces. The command is ORRERY_BIN; files go to the working folder."""
import glob
import gzip
import json
import os
import subprocess
import sys

US = 1000000  # picoseconds
failures = 0


def check(what, found, wanted):
    global failures
    if found != wanted:
        print(f"{what}: expected {wanted}, found {found}")
        failures += 1


def row(category, name, start, duration, tid=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 4242, "tid": tid, "ts": start, "dur": duration, "args": args}


def launch(start, correlation, name="cudaLaunchKernel", duration=3):
    return row("cuda_runtime", name, start, duration, correlation=correlation)


def work(name, stream, start, end, correlation, category="kernel", **args):
    return row(category, name, start, end - start, stream, device=0, stream=stream, correlation=correlation, **args)


def step_rows(at, number, hip=False):
    """One step of 300 us from `at` on, whose times from the GPU's view are VIEW below:

    stream 7:  A 10..60, B 100..130, copy 180..190, C 193..200, D 240..250; stream 20: all-reduce 62..162
    A ends at 60, and the all-reduce, launched at 5, begins on another stream: 2 us for a stream.
    It ends at 162, and the copy is launched at 170: 18 us for a launch. From the copy to C, launched at 175: 3 us, other.
    C ends at 200, and D is launched at 230: 40 us, of which the host communicates 205..225: 20 us for a peer."""
    c = 100 * number
    names = ("hipLaunchKernel", "hipMemcpyAsync") if hip else ("cudaLaunchKernel", "cudaMemcpyAsync")
    nccl = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)" if hip else "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"
    return [row("user_annotation", f"ProfilerStep#{number}", at, 290),
            row("gpu_user_annotation", f"ProfilerStep#{number}", at + 10, 240, 7),
            row("cpu_op", "aten::mm", at, 20, **{"External id": c}),
            launch(at, c + 1, names[0]), work("void gemm<BlockAllReduce>(float*)", 7, at + 10, at + 60, c + 1),
            launch(at + 5, c + 2, names[0]), work(nccl, 20, at + 62, at + 162, c + 2),
            launch(at + 50, c + 3, names[0]), work("add", 7, at + 100, at + 130, c + 3),
            launch(at + 170, c + 4, names[1]), work("Memcpy HtoD", 7, at + 180, at + 190, c + 4, "gpu_memcpy", bytes=4096),
            launch(at + 175, c + 5, names[0]), work("add", 7, at + 193, at + 200, c + 5),
            row("cpu_op", "gloo:all_reduce", at + 205, 20), launch(at + 230, c + 6, names[0]),
            work("add", 7, at + 240, at + 250, c + 6)]


VIEW = {"span_ps": 240 * US, "compute_ps": 97 * US, "communication_ps": 100 * US, "exposed_communication_ps": 70 * US,
        "overlapped_communication_ps": 30 * US, "memory_copy_ps": 10 * US, "idle_ps": 63 * US,
        "idle": {"launch": 38 * US, "stream": 2 * US, "peer": 20 * US, "end_of_step": 0, "other": 3 * US}}


def profile(path, rows, rank=None, world=None, base=1700000000000000000, **more):
    data = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}]}
    if rank is not None:
        data["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world, **more}
    data["traceEvents"] = rows
    data["baseTimeNanoseconds"] = base
    with gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w") as file:
        json.dump(data, file)
    return path


def orrery(*words):
    done = subprocess.run([os.environ["ORRERY_BIN"], *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def info(*words):
    status, out, err = orrery("trace", "info", *words, "--json", "-")
    check("trace info " + " ".join(words), status, 0)
    return json.loads(out)["ranks"] if status == 0 else [], err


def check_view(what, rank, view):
    for name, value in view.items():
        check(f"{what}: {name}", rank.get(name), value)


def refuses(text, *words):
    status, out, err = orrery("trace", "info", *words)
    check("trace info " + " ".join(words), (status, text if text in err else err), (2, text))


def steps():
    """Three steps of which the last one has no work any more; 10 us between two steps."""
    return step_rows(1000, 5) + step_rows(1300, 6) + [row("user_annotation", "ProfilerStep#7", 1600, 290)]


def check_info():
    os.mkdir("run")
    # names as profilers write them say nothing of ranks, and the first is of the second rank
    profile("run/node1_4242.1700000000000.pt.trace.json.gz", steps(), 1, 2)
    profile("run/node1_4243.1700000000000.pt.trace.json.gz", steps(), 0, 2)
    with open("run/notes.json", "w") as file:
        file.write("{}")
    for words in (("run",), ("run/*.gz",), (sorted(glob.glob("run/*.gz"))[0], sorted(glob.glob("run/*.gz"))[1])):
        ranks, err = info(*words)
        check("ranks in order", [rank["rank"] for rank in ranks], [0, 1])
        check("warnings", err, "")
        for rank in ranks:
            check("the last step that is whole", rank["step"], 6)
            check_view(" ".join(words), rank, VIEW)
    check("the file of a rank", [rank["file"] for rank in info("run")[0]],
          ["run/node1_4243.1700000000000.pt.trace.json.gz", "run/node1_4242.1700000000000.pt.trace.json.gz"])
    check_view("--step 5", info("run", "--step", "5")[0][0], VIEW)
    # both: D of step 5 ends at 1250 and A of step 6 begins at 1310, launched at 1300, when the step begins
    both = {name: 2 * value for name, value in VIEW.items() if name != "idle"}
    both.update(span_ps=540 * US, idle_ps=186 * US,
                idle={"launch": 86 * US, "stream": 4 * US, "peer": 40 * US, "end_of_step": 50 * US, "other": 6 * US})
    check_view("--step all", info("run", "--step", "all")[0][0], both)
    # ROCm, one file: names of HIP, NCCL's generic kernel
    ranks, _ = info(profile("hip.json", step_rows(1000, 1, hip=True)))
    check_view("ROCm", ranks[0], VIEW)
    # times with decimals are told to the nanosecond, ids beyond 2^53 are told apart
    big = 9007199254740992
    ranks, _ = info(profile("big.json", [
        row("user_annotation", "ProfilerStep#1", 900.0, 500), launch(1000.001, big), work("a", 7, 1001.001, 1002.002, big),
        launch(1003.5, big + 1), work("b", 7, 1004.004, 1005.005, big + 1)]))
    check_view("decimals", ranks[0], {"span_ps": 4004000, "idle_ps": 2002000, "without_launch": 0,
                                      "idle": {"launch": 2002000, "stream": 0, "peer": 0, "end_of_step": 0, "other": 0}})
    # kernels of other libraries that communicate, and those that do not
    ranks, _ = info(profile("other.json", [
        row("user_annotation", "ProfilerStep#1", 900, 500),
        *[work(name, i, 1000 + 10 * i, 1010 + 10 * i, i) for i, name in enumerate((
            "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)", "combine", "nvshmemi_transfer_rma", "void rcclKernel()",
            "void vllm::cross_device_reduce_1stage<float, 8>(int)", "void flash_fwd_splitkv_combine_kernel<32>(int)",
            "void softmax<BlockAllReduce>(ncclless::x)"))]]))
    check("communication by name", ranks[0]["communication_ps"], 60 * US)
    # output
    status, out, _ = orrery("trace", "info", "run", "--csv", "-")
    check("CSV", [status, len(out.splitlines()), out.splitlines()[0].split(",")[:4]], [0, 3, ["rank", "file", "step", "span_ps"]])
    status, out, _ = orrery("trace", "info", "run", "--report", "page.html")
    check("the table", "of the GPU's time: 40.4 % compute, 29.2 % exposed communication, 26.2 % idle" in out, True)
    with open("page.html") as page:
        check("the page", "2 profiles; of the GPU's time 40.4 % is compute" in page.read(), True)


def check_wrong():
    rows = step_rows(1000, 5)
    refuses("rank 0 is given twice, also by", profile("a.json", rows, 0, 2), profile("b.json", rows, 0, 2))
    refuses("not of one run with a.json: 4 ranks (distributedInfo), there 2", "a.json", profile("c.json", rows, 1, 4))
    refuses("not of one run with a.json: recorded", "a.json", profile("d.json", rows, 1, 2, base=1700000900000000000))
    refuses("its whole steps begin with 9, and there they end with 5", "a.json", profile("e.json", step_rows(1000, 9), 1, 2))
    refuses("process group \"0\" has 4 ranks (pg_config), there 2",
            profile("f.json", rows, 0, 2, pg_config=[{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}]),
            profile("g.json", rows, 1, 2, pg_config=[{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": [0, 1, 2, 3]}]))
    refuses("--step 7: the profile has no such step: it has step 5", "a.json", "--step", "7")
    refuses("--step: expected the number of a step or \"all\", got \"last\"", "a.json", "--step", "last")
    refuses("no kernel and no copy of a GPU is in the profile: record it with activities=",
            profile("h.json", [row("cpu_op", "aten::mm", 1, 2)], 0, 1))
    with open(profile("i.json.gz", steps(), 0, 1), "rb") as file:
        data = file.read()
    with open("i.json.gz", "wb") as file:
        file.write(data[:len(data) // 2])
    refuses("i.json.gz:1:", "i.json.gz")
    refuses("the file ends too early", "i.json.gz")
    os.mkdir("empty")
    refuses("expected profiles of torch.profiler in the folder", "empty")
    refuses("no file has such a name", "none*.json")
    # what is only told
    _, err = info("a.json")
    check("missing ranks", "1 of 2 ranks has no profile here (1)" in err, True)
    ranks, err = info(profile("j.json", [work("a", 7, 1, 2, 1)]))
    check("no steps", "no rows \"ProfilerStep#N\"" in err, True)
    check("no launch", (ranks[0]["without_launch"], "step" in ranks[0]), (1, False))
    check("the only step", [info("a.json", *words)[0][0]["step"] for words in ((), ("--step", "5"))], [5, 5])


# ---- jobs of profiles alone ----

def job_rows(at, number, group="[0, 1]", mark=True, **more):
    """A step of 180 us: a product of 1024 x 1024 matrices in BF16 on stream 7, 50 us; an all-reduce of 1 Mi elements on
    stream 20, 100 us, launched inside of its record, which waits for the product; an addition that waits for both; and the
    host waits for all, from 100 to 176 us."""
    c = 100 * number
    # above 2^53, and apart in the last bit
    comm = {"Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576, "Group size": 2,
            "dtype": "BFloat16", "Process Group Name": "1", "Process Group Ranks": group, "Seq": number,
            "Comms Id": 12345678901234567890 + number, **more}
    marks = [row("user_annotation", f"ProfilerStep#{number}", at, 180)] if mark else []
    return marks + [
        row("cpu_op", "aten::mm", at, 20, **{"Input Dims": [[1024, 1024], [1024, 1024]], "Input type": ["c10::BFloat16"] * 2}),
        launch(at + 2, c + 1), work("gemm", 7, at + 10, at + 60, c + 1),
        row("cpu_op", "record_param_comms", at + 30, 20, **comm), launch(at + 32, c + 9, "cudaStreamWaitEvent", 1),
        launch(at + 35, c + 2, "cudaLaunchKernelExC"), work("ncclDevKernel_AllReduce", 20, at + 61, at + 161, c + 2, **comm),
        row("cpu_op", "aten::add", at + 60, 10), launch(at + 61, c + 8, "cudaStreamWaitEvent", 1),
        launch(at + 63, c + 3), work("add", 7, at + 163, at + 173, c + 3),
        launch(at + 100, c + 7, "cudaDeviceSynchronize", 76)]


def convert(*words):
    for old in glob.glob("job.*"):
        os.remove(old)
    status, out, err = orrery("convert", "pytorch", *words, "-o", "job", "--report", "-")
    check("convert " + " ".join(words), (status, err), (0, ""))
    return json.loads(out) if status == 0 else {"ranks": [], "notes": [], "communication": []}


def run(npus, bandwidth="100 GB/s", *more, groups="job"):
    with open("job.yml", "w") as file:
        file.write(f"workload: {{traces: {groups}, groups_file: {groups}.groups.json}}\n")
    status, out, err = orrery("run", "--topology", f"Switch({npus})", "--bandwidth", bandwidth, "--latency", "0 ns", "job.yml",
                              "--set", "compute.mode=replay", *more, "--json", "-")
    check("run", (status, err), (0, ""))
    return json.loads(out) if status == 0 else {"wall_ps": 0, "classes": []}


def wall(npus, bandwidth="100 GB/s", *more, groups="job"):
    return run(npus, bandwidth, *more, groups=groups)["wall_ps"]


def findings(report):
    return {note["finding"].split(":")[0]: note["count"] for note in report["notes"]}


def refuses_conversion(text, *words):
    status, _, err = orrery("convert", "pytorch", *words, "-o", "bad")
    check("convert " + " ".join(words), (status, text if text in err else err), (2, text))


def check_convert():
    os.mkdir("pair")
    for rank in range(2):
        profile(f"pair/host_{rank}.17.pt.trace.json.gz", job_rows(1000, 5) + job_rows(1200, 6), rank, 2)
    report = convert("--kineto", "pair")
    check("notes", findings(report), {})
    check("communication", [(each["kind"], each["count"], each["bytes"]) for each in report["communication"]],
          [("ALL_REDUCE", 2, 4 << 20)])
    check("recorded", [rank["recorded_ps"] for rank in report["ranks"]], [180 * US] * 2)
    replayed = wall(2, "100 GB/s", "--set", "compute.replay_only=true")
    # the product begins with the end of its launch, at 5, the all-reduce behind it at 55, the addition at 155; the host goes
    # on 3 us behind that, at 168, and the step's row ends 4 us later
    check("the last step, replayed", replayed, 172 * US)
    # the GPU's view: nothing until 5, and from 165 on; the host's synchronizing call, of 7 us behind that, is no work
    again = run(2, "100 GB/s", "--set", "compute.replay_only=true")["classes"]
    check("the GPU's view", [each.get("gpu") for each in again],
          [{"span_ps": 172 * US, "compute_ps": 60 * US, "communication_ps": 100 * US, "exposed_communication_ps": 100 * US,
            "memory_copy_ps": 0, "idle_ps": 12 * US,
            "idle": {"launch": 5 * US, "stream": 0, "peer": 0, "end_of_step": 7 * US, "other": 0}}])
    check("waiting for the GPU", [each["waiting_ps"] for each in again], [7 * US])
    # a CPU twice as fast halves the launch, at 2.5 us now, and not the 7 us of the synchronizing call
    check("a faster CPU", wall(2, "100 GB/s", "--set", "compute.replay_only=true", "--set", "compute.cpu=2"), int(169.5 * US))
    # 2 MiB at 100 GB/s between two: 21 us for 100 us
    simulated = wall(2)
    check("with communication simulated, 79 us less", abs(replayed - simulated - 79 * US) < 2 * US, True)
    for words in (("--kineto", "pair/*.gz"), sorted(glob.glob("pair/*.gz")), ("--kineto", "pair", "--step", "5")):
        check("the same, as " + " ".join(words), convert(*words)["communication"], report["communication"])
    status, out, _ = orrery("trace", "stats", "job.0.et", "--json", "-")
    check("operations of the product", "2147483648" in out, True)
    # rank 0 began to record one all-reduce earlier, and says so by its id, or by group and number
    for ids in ({}, {"Comms Id": None}):
        profile("early.json", job_rows(1000, 5, mark=False, **ids) + job_rows(1200, 6, mark=False, **ids), 0, 2)
        profile("late.json", job_rows(1200, 6, mark=False, **ids), 1, 2)
        report = convert("early.json", "late.json")
        check("one without a partner", findings(report)["communication that not all of its ranks recorded"], 1)
        check("it runs", wall(2) > 0, True)
    # one of two ranks: nothing but what was recorded
    report = convert("pair/host_1.17.pt.trace.json.gz")
    check("one of two", "one rank of several" in findings(report), True)
    check("one of two takes as long", wall(1, "1 GB/s"), 172 * US)
    # ranks cut with "...": from start and stride, or not at all
    spread = {"Global rank start": 1, "Global rank stride": 2}
    for rank in range(4):
        profile(f"cut{rank}.json", job_rows(1000, 5, "[%d, ...]" % (rank % 2), **{**spread, "Global rank start": rank % 2}), rank, 4)
        profile(f"lost{rank}.json", job_rows(1000, 5, "[%d, ...]" % (rank % 2)), rank, 4)
    convert(*[f"cut{rank}.json" for rank in range(4)])
    with open("job.groups.json") as file:
        check("groups", sorted(json.load(file).values()), [[0, 2], [1, 3]])
    refuses_conversion("lost0.json: process group \"1\" of 2 ranks: the list of its ranks is cut short",
                       *[f"lost{rank}.json" for rank in range(4)])
    # the whole job
    status, _, err = orrery("import", "pair", "-o", "imported.yml")
    check("import", (status, err), (0, ""))
    check("imported", wall(2, groups="imported"), simulated)
    status, out, _ = orrery("import", "pair")
    check("import tells the GPU's view", "exposed communication" in out, True)
    # what is refused
    refuses_conversion("step 9 is not in the profile: its whole steps are 5 to 6", "--kineto", "pair", "--step", "9")
    refuses_conversion("rank 3 is missing", *[f"cut{rank}.json" for rank in range(3)])
    refuses_conversion("as that of cut0.json does: expected each rank once", "cut0.json", profile("again.json", job_rows(1000, 5), 0, 4))
    refuses_conversion("not of one run with", "cut0.json", profile("later.json", job_rows(1000, 5), 1, 4, base=1700000900000000000))
    refuses_conversion("no operators and launches of the host are in the profile", profile("gpu.json", [work("a", 7, 1, 2, 1)], 0, 1))
    refuses_conversion("no kernel and no copy of a GPU is in the profile", profile("cpu.json", [row("cpu_op", "a", 1, 2)], 0, 1))
    refuses_conversion("--npus goes with {rank}", "--kineto", "pair", "--npus", "2")


def check_hidden():
    """Communication beside a call of the host that waits for the GPU: 100 us are exposed, and no work of the CPU."""
    def node(number, name, kind, micros, deps=(), **attr):
        attrs = [{"name": "is_cpu_op", "bool_val": name.startswith("cuda")}]
        attrs += [{"name": key, "int64_val": str(value)} for key, value in attr.items()]
        return {"id": str(number), "name": name, "type": kind, "duration_micros": str(micros), "data_deps": list(deps), "attr": attrs}

    for rank in range(2):
        with open(f"hidden.{rank}.json", "w") as file:
            for each in ({"version": "0.0.4"}, node(1, "kernel A", 4, 10), node(2, "nccl all_reduce", 7, 100, ["1"], comm_type=0, comm_size=1048576),
                         node(3, "kernel B", 4, 10, ["2"]), node(4, "cudaDeviceSynchronize", 4, 120)):
                file.write(json.dumps(each) + "\n")
    status, _, err = orrery("convert", "chakra", "hidden.0.json", "hidden.1.json", "-o", "hidden")
    check("convert chakra", (status, err), (0, ""))
    told = run(2, "300 GB/s", "--set", "compute.replay_only=true", groups="hidden")["classes"]
    check("today's view", [(each["cpu_ps"], each["exposed_communication_ps"]) for each in told], [(0, 100 * US)])
    check("the GPU's view", [each["gpu"]["exposed_communication_ps"] for each in told], [100 * US])
    status, out, _ = orrery("run", "--topology", "Switch(2)", "--bandwidth", "300 GB/s", "--latency", "1 us", "job.yml", "--set",
                            "compute={mode: replay, replay_only: true}", "--csv", "-")
    check("CSV", out.splitlines()[1].split(",")[-5:], [str(each * US) for each in (20, 100, 100, 0, 0)])


def check_both():
    data = os.path.join(os.environ["ORRERY_SHARED"], "data/pytorch")
    for folder, name in (("megatron_tp8", "megatron"), ("dlrm8", "dlrm")):
        files = os.path.join(data, folder, name)
        told = []
        for words in (("--et", files + "_et_{rank}.json.gz", "--kineto", files + "_kineto_{rank}.json.gz", "--npus", "8"),
                      ("--kineto", os.path.join(data, folder))):
            report = convert(*words)
            with open("job.groups.json") as file:
                told.append((report["communication"], report["recorded"], json.load(file)))
            told.append(wall(8))
        check(f"{name}: collectives, bytes, groups", told[2], told[0])
        check(f"{name}: job times {told[1]} and {told[3]} within 1 %", abs(told[3] - told[1]) < 0.01 * told[1], True)
    # alone, on its own machine: within 2 % of the recorded time
    convert(os.path.join(data, "linear/linear_kineto.json.gz"))
    check("linear", abs(wall(1) - 2003701 * US) < 0.02 * 2003701 * US, True)
    convert(os.path.join(data, "resnet/resnet_kineto.json.gz"))
    check("resnet", abs(wall(1) - 14525826 * US) < 0.02 * 14525826 * US, True)


# ---- recorded profiles ----

def merged(rows):
    out = []
    for start, end in sorted((each["ts"], each["ts"] + each["dur"]) for each in rows):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def total(intervals):
    return sum(end - start for start, end in intervals)


def told(path):
    """The same by merging intervals: of two unions, the length of both is that of each minus that of either."""
    with gzip.open(path) if path.endswith(".gz") else open(path) as file:
        rows = [each for each in json.load(file)["traceEvents"]
                if each.get("ph") == "X" and each.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    communication = [each for each in rows if "nccl" in each["name"].lower()]
    copies = [each for each in rows if each["cat"] != "kernel"]
    compute = [each for each in rows if each["cat"] == "kernel" and "nccl" not in each["name"].lower()]
    everything = merged(rows)
    span = everything[-1][1] - everything[0][0]
    return {"span_ps": span, "compute_ps": total(merged(compute)), "communication_ps": total(merged(communication)),
            "exposed_communication_ps": total(everything) - total(merged(compute + copies)),
            "memory_copy_ps": total(merged(copies)), "idle_ps": span - total(everything)}


def check_recorded():
    data = os.path.join(os.environ["ORRERY_SHARED"], "data/pytorch")
    for words in (("megatron_tp8",), ("dlrm8",), ("linear/linear_kineto.json.gz",)):
        ranks, _ = info(os.path.join(data, *words))
        check(f"ranks of {words}", len(ranks), 1 if "/" in words[0] else 8)
        for rank in ranks:
            for name, value in told(rank["file"]).items():
                if abs(rank[name] - value * US) > 1e-3 * abs(value * US) + 1:
                    check(f"{rank['file']}: {name}", rank[name], value * US)
            check(f"{rank['file']}: causes", sum(rank["idle"].values()), rank["idle_ps"])


if __name__ == "__main__":
    for each in {"info": (check_info, check_wrong), "recorded": (check_recorded,), "convert": (check_convert, check_hidden),
                 "both": (check_both,)}[sys.argv[1]]:
        each()
    sys.exit(1 if failures else 0)
