"""A simulation: load, run, results."""
from __future__ import annotations

import ctypes
import gzip as _gzip
import json as _json
import os
import time
from html import escape
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from ._errors import InputError
from ._fill import Settings, fill, of_c, setting_texts, snapshot, text_array
from ._handle import STREAM
from ._inputs import Given, Source
from ._interrupt import Interrupts
from ._library import lib
from ._progress import Bar, Progress
from ._results import Results, Table
from .abi import constants, types

RECORDS = {"nodes": constants.RECORD_NODES, "path": constants.RECORD_PATH, "traffic": constants.RECORD_TRAFFIC,
           "slopes": constants.RECORD_SLOPES, "uncertainty": constants.RECORD_UNCERTAINTY,
           "link_use": constants.RECORD_LINK_USE}
_SLICE_S = 0.05


def record_flags(record: Union[str, Iterable[str]]) -> int:
    flags = 0
    for name in (record,) if isinstance(record, str) else record:
        if name not in RECORDS:
            raise InputError(f"record: expected one of {', '.join(RECORDS)}, got {name!r}")
        flags |= RECORDS[name]
    return flags


class Job(Results):
    """A job of a platform and a workload. Loaded when it is made; ``run()`` runs it, then its results are attributes:
    ``job.wall_ps``, ``job.dims``, ``job.table("npus")``. ``to_dict()``, ``json()`` and others give all of them.

    `platform`, `workload`: a name or a path, a dict of sections, a text, or an object; without a workload it is a section
    of the platform. `record`: what is kept for later questions: "nodes", "path", "traffic", "slopes", "uncertainty",
    "link_use". `settings`, and values named by a path with dots, override both. `scale`: quantities times a factor,
    ``{"bandwidth": 2}``. `fold`, `check_capacity`: as in the C library.

    >>> with Job({"network": {"topology": "Ring(8)", "bandwidth": "100 GB/s"}},
    ...          {"workload": {"generate": "all_reduce", "bytes": "800 MB"}}).run() as job:
    ...     job.wall_ps
    7000000000
    """

    names = "orrery"
    main = "job"
    tables = ("dims", "gpu", "collectives", "operators", "links", "memory", "critical_path.parts", "critical_path.steps",
              "uncertainty", "uncertainty.slopes")

    def __init__(self, platform: Given = None, workload: Given = None, *, record: Union[str, Iterable[str]] = (),
                 settings: Settings = None, scale: Optional[Mapping[Any, float]] = None, fold: bool = True,
                 check_capacity: bool = True, **more: Any):
        super().__init__()
        self._stopped = False
        self._prepare(record, scale, fold, check_capacity)
        self._source: Optional[Source] = Source(platform, workload, settings, more)
        if self._source.files is not None:
            self.call("orrery_load", ctypes.byref(self._source.files))
        else:
            self.call("orrery_load_parts", ctypes.byref(self._source.parts))

    def _prepare(self, record: Union[str, Iterable[str]], scale: Optional[Mapping[Any, float]], fold: bool,
                 check_capacity: bool) -> None:
        self.record = record_flags(record)
        self.ran = False
        self.raw("orrery_record", self.record)
        if not fold:
            self.raw("orrery_fold", False)
        if not check_capacity:
            self.raw("orrery_check_capacity", False)
        for what, factor in (scale or {}).items():
            self.call("orrery_scale", ctypes.byref(_scale(what, factor)))

    @classmethod
    def _empty(cls, record: Union[str, Iterable[str]], scale: Optional[Mapping[Any, float]] = None, fold: bool = True,
               check_capacity: bool = True) -> "Job":
        job = cls.__new__(cls)
        super(Job, job).__init__()
        job._stopped, job._source = False, None
        job._prepare(record, scale, fold, check_capacity)
        return job

    @classmethod
    def astra_sim(cls, workload: str, system: str, network: str, *, record: Union[str, Iterable[str]] = (),
                  scale: Optional[Mapping[Any, float]] = None, **options: Any) -> "Job":
        """A job of ASTRA-sim's files, by its rules. `options`: remote_memory, comm_group, backend, queues_per_dim,
        injection_scale, rendezvous, default_rules, dimension_scheduling."""
        job = cls._empty(record, scale)
        given = fill(types.AstraSim, workload=workload, system=system, network=network, **options)
        job.call("orrery_load_astra_sim", ctypes.byref(given))
        return job

    @classmethod
    def cluster(cls, file: "Union[str, os.PathLike[str]]", *, record: Union[str, Iterable[str]] = (),
                settings: Settings = None, **more: Any) -> "Job":
        """The jobs of a file of ``orrery run --cluster`` as one simulation; ``jobs`` has the times of each."""
        job, texts = cls._empty(record), setting_texts(settings, more)
        job.call("orrery_load_cluster", os.fsencode(file), text_array(texts), len(texts))
        return job

    # ---- running ----

    def run(self, progress: Progress = None) -> "Job":
        """Runs to the end, without the interpreter's lock, and returns itself. Ctrl-C and ``stop()`` leave it where it is:
        ``run()`` goes on from there. `progress`: True for a bar, or a function of (NPUs that have finished, NPUs)."""
        bar, _ = Bar(progress, "run", "NPU"), self.open_handle
        self._stopped = False
        finished, instants = ctypes.c_bool(self.ran), 2000
        with Interrupts(self.stop) as interrupts:
            try:
                while not finished.value and not self._stopped:
                    begin = time.perf_counter()
                    self.call("orrery_run_some", instants, ctypes.byref(finished))
                    self.ran = finished.value
                    took = time.perf_counter() - begin
                    instants = min(max(int(instants * min(_SLICE_S / max(took, 1e-6), 8)), 1), 1 << 40)
                    if progress:
                        bar.at(self.progress()["npus_finished"], self.raw("orrery_npus"))
            finally:
                bar.close()
        interrupts.tell()
        return self

    def stop(self) -> None:
        """Makes ``run()``, on another thread, return soon."""
        self._stopped = True

    def progress(self) -> dict[str, int]:
        """How far it is: now_ps, events, npus_finished."""
        at = types.Progress()
        self.raw("orrery_progress", ctypes.byref(at))
        return snapshot(at)

    # ---- results ----

    @property
    def per_npu(self) -> Table:
        """The times of each NPU."""
        return self.table("npus")

    @property
    def warnings(self) -> list[str]:
        """The warnings so far."""
        found: list[str] = []
        while True:
            text = self.raw("orrery_warning", len(found))
            if text is None:
                return found
            found.append(text.decode())

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """Of a cluster: name, ranks, start_ps, end_ps and iteration_ps of each job."""
        found = []
        for index in range(self.raw("orrery_jobs")):
            times = types.JobTimes()
            self.call("orrery_job", index, ctypes.byref(times))
            row = snapshot(times)
            row["ranks"] = times.ranks[:times.npus]
            row["iteration_ps"] = times.iteration_ps[:times.iterations]
            found.append(row)
        return found

    @property
    def iteration_times_ps(self) -> list[int]:
        """The duration of each iteration."""
        return [self.raw("orrery_iteration_ps", index) for index in range(self.raw("orrery_iterations"))]

    @property
    def choices(self) -> Table:
        """The algorithms that were chosen for collectives."""
        return self._struct_table("orrery_choices", "orrery_choice", types.Choice)

    @property
    def summary(self) -> Table:
        """The nodes by collective and operator; needs record="nodes"."""
        return self._struct_table("orrery_summarize", "orrery_summary", types.SummaryRow)

    def _struct_table(self, count: str, get: str, kind: Any) -> Table:
        rows, found = ctypes.c_size_t(), []
        self.call(count, ctypes.byref(rows))
        for index in range(rows.value):
            row = kind()
            self.call(get, index, ctypes.byref(row))
            found.append(snapshot(row))
        return Table.of({name: [row[name] for row in found] for name, _ in kind._fields_ if not name.startswith("_")})

    def _indexed(self, count: int, get: str, kind: Any, *before: Any) -> Iterator[dict[str, Any]]:
        row = kind()
        for index in range(count):
            self.call(get, *before, index, ctypes.byref(row))
            yield snapshot(row)

    def nodes(self, rank: int) -> Table:
        """The nodes of a rank's trace with their times; needs record="nodes"."""
        return _columns(types.Node, self._indexed(self.raw("orrery_nodes", rank), "orrery_node", types.Node, rank))

    @property
    def links(self) -> Table:
        """The links of a graph, with what they carried."""
        return _columns(types.Link, self._indexed(self.raw("orrery_links"), "orrery_link", types.Link))

    @property
    def pairs(self) -> Table:
        """Bytes and messages between NPUs; needs record="traffic"."""
        return _columns(types.Pair, self._indexed(self.raw("orrery_pairs"), "orrery_pair", types.Pair))

    def memory_use(self, rank: int = 0) -> dict[str, Any]:
        """The bytes of live tensors of a rank over time: peak_bytes, peak_ps, step: [(at_ps, bytes)]."""
        use = types.MemoryUse()
        self.call("orrery_memory_use", rank, ctypes.byref(use))
        found = snapshot(use)
        found["step"] = [(one.at_ps, one.bytes) for one in use.step[:use.steps]]
        return found

    def link_use(self, dim: int) -> tuple[int, list[float]]:
        """(length of a step in ps, busy links of each step) of a dimension; needs record="link_use"."""
        steps = self.raw("orrery_link_steps")
        busy = (ctypes.c_double * max(steps.steps, 1))()
        self.call("orrery_link_use", dim, busy, steps.steps)
        return steps.step_ps, list(busy[:steps.steps])

    @property
    def finish_order(self) -> list[int]:
        """Ranks in the order of their finish."""
        return self.raw("orrery_finish_order")[:self.raw("orrery_npus")]

    def explain(self) -> list[tuple[str, str, str]]:
        """Every value in force: (key, value, where it comes from)."""
        found: list[tuple[str, str, str]] = []
        emit = self._callbacks.wrap(types.OnExplainEmit, lambda _, *texts: found.append((of_c(texts[0]), of_c(texts[1]), of_c(texts[2]))))
        self.raw("orrery_explain", emit, None)
        return found

    # ---- texts ----

    def json(self, per_npu: bool = False) -> str:
        """The output of --json, to the byte. With record="nodes" it has collectives and operators."""
        return self.write("orrery_write_json", STREAM, per_npu)

    def data(self, per_npu: bool = False) -> dict[str, Any]:
        """The same as a dict."""
        return _json.loads(self.json(per_npu))

    def text(self, per_npu: bool = False) -> str:
        """The tables of ``orrery run``."""
        return self.write("orrery_write_table", STREAM, per_npu)

    def csv(self) -> str:
        """The output of --csv: a line for each NPU."""
        return self.write("orrery_write_csv")

    def timeline(self, ranks: Optional[str] = None, *, gzip: bool = False) -> bytes:
        """A timeline for Perfetto; needs record="nodes". `ranks`: "all", "classes" (default) or "0-3,8"."""
        text = self.write_bytes("orrery_write_timeline", STREAM, None if ranks is None else ranks.encode(), False)
        return _gzip.compress(text, mtime=0) if gzip else text

    def traffic(self, picture: bool = True) -> str:
        """Bytes between any two NPUs as SVG or CSV; needs record="traffic"."""
        return self.write("orrery_write_traffic", STREAM, picture)

    def link_stats(self) -> str:
        """Bytes and utilization of every link of a graph, as --link-stats."""
        return self.write("orrery_write_links")

    def memory_timeline(self) -> str:
        """The bytes of live tensors over time, as --memory-timeline; needs record="nodes"."""
        return self.write("orrery_write_memory")

    def file(self) -> str:
        """The job as one file with the same results, as --explain."""
        return self.write("orrery_write_job")

    def folding(self) -> str:
        """Which NPUs are simulated for others, as --explain-fold."""
        return self.write("orrery_write_fold")

    def plot(self) -> Any:
        """Where the time goes, a bar for each NPU with other times: axes of matplotlib where it is there, else an SVG."""
        from ._plots import bars

        rows = self.data()["classes"]
        parts = [name for name in rows[0] if name.endswith("_ps") and name != "finish_ps"]
        return bars([f"NPU {row['ranks']}" for row in rows[:40]],
                    {name[:-3].replace("_", " "): [row[name] * 1e-9 for row in rows[:40]] for name in parts}, "ms")

    def __repr__(self) -> str:
        if self.closed:
            return "<Job: closed>"
        npus = lib().orrery_npus(self._handle)
        return f"<Job: {lib().orrery_wall_ps(self._handle)} ps on {npus} NPUs>" if self.ran else f"<Job: {npus} NPUs, not run>"

    def _repr_html_(self) -> str:
        if self.closed or not self.ran:
            return f"<p>{escape(repr(self))}</p>"
        from ._plots import svg_of

        rows = self.data()["classes"]
        table = Table.of({name: [row.get(name) for row in rows] for name in rows[0] if name != "gpu"})
        return f"<p>job time {self.wall_ps * 1e-9:.6g} ms on {self.npus} NPUs</p>{table._repr_html_()}{svg_of(self)}"


def _columns(kind: Any, rows: Iterable[Mapping[str, Any]]) -> Table:
    found: dict[str, list[Any]] = {name: [] for name, _ in kind._fields_}
    for row in rows:
        for name, value in row.items():
            found[name].append(value)
    return Table.of(found)


_QUANTITIES = {"bandwidth": constants.BANDWIDTH, "latency": constants.LATENCY, "compute_rate": constants.COMPUTE_RATE,
               "memory_rate": constants.MEMORY_RATE, "endpoint_delay": constants.ENDPOINT_DELAY,
               "cpu_rate": constants.CPU_RATE, "message_overhead": constants.MESSAGE_OVERHEAD}


def _scale(what: Any, factor: float) -> Any:
    """A quantity by name, or (name, dimension from 0)."""
    name, dim = (what, constants.ALL_DIMS) if isinstance(what, str) else what
    if name not in _QUANTITIES:
        raise InputError(f"scale: expected one of {', '.join(_QUANTITIES)}, got {name!r}")
    return types.Scale(quantity=_QUANTITIES[name], dim=dim, factor=float(factor))


def run(platform: Given = None, workload: Given = None, *, progress: Progress = None, **options: Any) -> Job:
    """Simulates a job, and returns it with its results; options are those of Job.

    >>> r = run("dgx_a100_64", "all_reduce_1gb", **{"system.chunks": 4})
    >>> r.npus, r.wall_ps == r.per_npu.finish_ps[0]
    (64, True)
    """
    return Job(platform, workload, **options).run(progress)
