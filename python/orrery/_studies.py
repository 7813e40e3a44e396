"""Studies of many runs, and what files say: what-if, bench, diff, layouts, goodput, schedules, launch files, profiles."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from ._errors import InputError
from ._fill import Settings, fill, plain, setting_texts, to_json
from ._handle import STREAM, Callbacks
from ._inputs import Given, Source, find_input
from ._job import Job
from ._library import lib
from ._results import Results, Table
from .abi import constants, types

Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
_FORMS = {"table": constants.FORM_TABLE, "json": constants.FORM_JSON, "csv": constants.FORM_CSV}


class Study(Results):
    """The results of a study: tables by name, ``study.changes``, and texts as the command writes them."""

    names = "orrery_study"

    def __init__(self, kind: str, main: str = "", tables: Sequence[str] = ()):
        super().__init__()
        self.kind, self.main, self.tables = kind, main, tuple(tables)

    def _do(self, function: str, given: Any) -> "Study":
        """Calls a function of the library with a struct, so that Ctrl-C is heard, and warnings are told."""
        if any(name == "warn" for name, _ in given._fields_):
            warned = self._warned
            self._kept = self._callbacks.wrap(types.OnWarning, lambda _, text: warned.append(text.decode()))
            given.warn = self._kept
        self.call_interruptible(function, ctypes.byref(given))
        return self

    def text(self) -> str:
        """The tables of the command."""
        return self._form("table")

    def json(self) -> str:
        """The output of --json, to the byte."""
        return self._form("json")

    def csv(self) -> str:
        """The output of --csv."""
        return self._form("csv")

    def _form(self, form: str) -> str:
        return self.write("orrery_study_write", STREAM, _FORMS[form])

    def frame(self) -> Table:
        """The main table of the study."""
        return self.table(self.tables[0])

    def to_frame(self) -> Any:
        """The main table as a pandas.DataFrame."""
        return self.frame().to_frame()

    def __repr__(self) -> str:
        return f"<Study: {self.kind}>"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


def whatif(platform: Given = None, workload: Given = None, *, change: Union[Settings, str] = None, factor: float = 0,
           threads: int = 0, settings: Settings = None, **more: Any) -> Study:
    """Runs a job as it is and with one thing changed at a time: ``study.changes``, the fastest first. `change`: further
    changes, texts such as "network.dims[1].bandwidth=100 GB/s" or a dict; `factor`: of bandwidth and rates (2).

    >>> whatif("dgx_a100_64", "all_reduce_1gb").changes.what[0]
    'baseline'
    """
    source = Source(platform, workload, settings, more)
    texts = setting_texts([change] if isinstance(change, str) else change)
    given = fill(types.Whatif, change=texts or None, changes=len(texts), factor=float(factor), threads=threads,
                 **source.members())
    return Study("what-if", tables=["changes"])._do("orrery_whatif", given)


def bench_collective(platform: Given = None, *, collective: Optional[str] = None, min_bytes: int = 0, max_bytes: int = 0,
                     step: int = 0, turnaround: bool = False, threads: int = 0, measured: Optional[Paths] = None,
                     npus: int = 0, npus_per_node: int = 0, settings: Settings = None, **more: Any) -> Study:
    """A collective of all NPUs in a range of sizes with each algorithm and scheduler: ``study.runs``. `measured`: files of
    measured times (CSV, nccl-tests), which are compared instead: ``study.measured_runs``, ``study.measured``."""
    source = Source(platform, None, settings, more)
    if measured is not None:
        data = _measured(measured)
        given = fill(types.BenchMeasured, data=data, sources=len(data), collective=collective, npus=npus,
                     npus_per_node=npus_per_node, threads=threads, **source.members())
        return Study("measured times", tables=["measured_runs", "measured"])._do("orrery_bench_measured", given)
    given = fill(types.Bench, collective=collective, min_bytes=min_bytes, max_bytes=max_bytes, step=step, threads=threads,
                 turnaround=turnaround, **source.members())
    return Study("bench", tables=["runs"])._do("orrery_bench_collective", given)


def _paths(given: Paths) -> list[str]:
    return [os.fspath(one) for one in ([given] if isinstance(given, (str, os.PathLike)) else given)]


def _measured(given: Paths) -> Any:
    paths = _paths(given)
    return (types.Measured * len(paths))(*[types.Measured(path=os.fsencode(path)) for path in paths])


def _side(given: Any) -> Any:
    if isinstance(given, Job):
        return types.DiffSide(job=given.open_handle)
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return types.DiffSide(text=given.encode())
    if isinstance(given, (str, os.PathLike)):
        return types.DiffSide(path=os.fsencode(given))
    raise TypeError(f"expected a Job, the path of a result, or its JSON, got {type(given).__name__}")


def diff(a: Any, b: Any) -> Study:
    """Compares two results: jobs that have run, files of ``orrery run --json``, or their texts. ``study.differences``,
    ``study.settings``, and both times as attributes."""
    given = fill(types.Diff)
    given.a, given.b = _side(a), _side(b)
    return Study("diff", "diff", ["differences", "settings"])._do("orrery_diff", given)


class LayoutStudy(Study):
    """The best layouts of a language model: ``best`` (the best first), ``cases`` and ``limits``."""

    _searched: Any = None  # what the library reads again for `layout`

    def layout(self, index: int = 0, form: str = "job") -> str:
        """A layout of ``best`` as a file: "job" (a whole job, for run), "megatron", "deepspeed", "torchtitan" (arguments)."""
        return self.write("orrery_write_layout", index, form.encode(), STREAM)


def plan_llm(platform: Given, workload: Given, *, best: int = 0, memory_bytes: int = 0, threads: int = 0, tokens: float = 0,
             dollars_per_gpu_hour: float = 0, axes: Union[Mapping[str, Any], Iterable[str]] = (), where: Sequence[str] = (),
             rank_by: Optional[str] = None, front: Sequence[str] = (), dollars_per_kwh: float = 0, watts_per_gpu: float = 0,
             settings: Settings = None, **more: Any) -> LayoutStudy:
    """The best layouts of a language model on a platform (files or names): ``study.best``, the best first. `axes`: layouts
    are searched at each combination, ``{"npus": [64, 128]}`` or texts such as "batch=256:2048"; `where`: limits, "cost <=
    5e6"; `rank_by`, `front`: expressions of results, less is better."""
    source = Source(platform, workload, settings, more)
    if source.files is None:
        raise TypeError("plan_llm: expected names or paths of a platform and a workload; values are set by settings")
    cases = [_axis(name, values) for name, values in axes.items()] if isinstance(axes, Mapping) else list(axes)
    given = fill(types.LayoutSearch, files=source.files, best=best, memory_bytes=memory_bytes, threads=threads,
                 tokens=float(tokens), dollars_per_gpu_hour=float(dollars_per_gpu_hour), axis=cases or None, axes=len(cases),
                 where=list(where) or None, wheres=len(where), rank_by=rank_by, front=list(front) or None, fronts=len(front),
                 dollars_per_kwh=float(dollars_per_kwh), watts_per_gpu=float(watts_per_gpu))
    study = LayoutStudy("layouts", "search", ["best", "cases", "limits"])
    study._searched = (source, given)
    study._do("orrery_search_layouts", given)
    return study


def _axis(name: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{name}={values}"
    return f"{name}={','.join(str(value) for value in (plain(values) if hasattr(values, 'tolist') else values))}"


def goodput(gpus: int, **figures: Any) -> Study:
    """How much of a training's time is useful; figures as in the C library, in seconds: mtbf_gpu_s, checkpoint_s, ...

    >>> round(goodput(16384, mtbf_gpu_s=50677 * 3600, checkpoint_s=30, restart_s=600).ettr, 2)
    0.88
    """
    given = fill(types.Goodput, gpus=gpus, **figures)
    return Study("goodput", "goodput", ["parts", "intervals"])._do("orrery_goodput", given)


class ScheduleStudy(Study):
    """A pipeline schedule."""

    def svg(self) -> str:
        """The schedule as a picture."""
        return self.write("orrery_schedule_draw")

    def _repr_svg_(self) -> str:
        return self.svg()


def schedule(kind: Optional[str] = None, stages: int = 0, micro_batches: int = 0, *, table: Optional[str] = None,
             chunks: int = 0, group: int = 0, memory: int = 0, **times: float) -> ScheduleStudy:
    """A pipeline schedule by name, or one of a CSV file; times: forward, backward_inputs, backward_weights, send, both.

    >>> schedule("1f1b", 4, 8).total
    33.0
    """
    given = fill(types.Schedule, kind=kind, stages=stages, micro_batches=micro_batches, table=table, chunks=chunks,
                 group=group, memory=memory)
    given.times = fill(types.PassTimes, **{name: float(value) for name, value in times.items()})
    study = ScheduleStudy("schedule", "schedule", ["devices", "slots"])
    study._do("orrery_schedule", given)
    return study


def schedules() -> dict[str, str]:
    """The schedules that have a name, each with what it is."""
    found: dict[str, str] = {}
    summary = ctypes.c_char_p()
    while True:
        name = lib().orrery_schedule_name(len(found), ctypes.byref(summary))
        if name is None:
            return found
        found[name.decode()] = (summary.value or b"").decode()


class ImportStudy(Study):
    """What launch files say."""

    def workload(self) -> str:
        """The model as a workload file, each value with the key that it comes from."""
        return self.write("orrery_import_workload")


def import_(files: Paths, *, npus: int = 0, sequence: int = 0, warn_not_understood: bool = False) -> ImportStudy:
    """What launch files (config.json, arguments of Megatron, ...) say: the model as attributes, ``study.values`` as a
    table, ``study.workload()`` as a file."""
    paths = _paths(files)
    given = fill(types.Import, file=paths, files=len(paths), npus=npus, sequence=sequence,
                 warn_not_understood=warn_not_understood)
    study = ImportStudy("import", "model", ["values"])
    study._do("orrery_import", given)
    return study


def profile(files: Paths, *, step: Optional[str] = None) -> Study:
    """What profiles of torch.profiler recorded, from the GPU's view: ``study.ranks``."""
    paths = _paths(files)
    given = fill(types.Profile, given=paths, givens=len(paths), step=step)
    return Study("profile", tables=["ranks"])._do("orrery_profile", given)


class Fit(Results):
    """Parameters fitted to measurements."""

    names = "orrery_fit"
    main = "fit"
    tables = ("fit_rows", "fit_iterations", "fit_errors", "fit_parameters")
    _views = {"text": constants.FIT_TEXT, "json": constants.FIT_JSON, "svg": constants.FIT_SVG,
              "platform": constants.FIT_PLATFORM, "compute": constants.FIT_COMPUTE}

    def text(self, view: str = "text") -> str:
        """"text", "json", "svg", "platform" (a file for run) or "compute"."""
        if view not in self._views:
            raise InputError(f"view: expected one of {', '.join(self._views)}, got {view!r}")
        return self.write("orrery_fit_write", STREAM, self._views[view])

    def json(self) -> str:
        """The output of --json, to the byte."""
        return self.text("json")

    def platform(self) -> str:
        """The fitted platform, in YAML."""
        return self.text("platform")

    def _repr_svg_(self) -> str:
        return self.text("svg")


def _fit(kind: Any, function: str, platform: Any, data: Paths, settings: Settings, more: Mapping[str, Any],
         **members: Any) -> Fit:
    texts, files, fit = setting_texts(settings, more), _measured(data), Fit()
    given = fill(kind, data=files, files=len(files), set=texts or None, set_count=len(texts), **members,
                 **_text_or_path("platform", "text", platform))
    fit.call_interruptible(function, ctypes.byref(given))
    return fit


def _text_or_path(path: str, text: str, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {text: to_json(given)}
    if isinstance(given, str) and "\n" in given:
        return {text: given}
    name = "workload_name" if path == "workload" else "name"
    return {path: find_input(f"{path}s", given), name: given}


def fit_collectives(platform: Any, data: Paths, *, holdout: Optional[str] = None, keep: bool = False,
                    collective: Optional[str] = None, npus: int = 0, npus_per_node: int = 0, settings: Settings = None,
                    **more: Any) -> Fit:
    """Fits the parameters of a platform's communication library to times of nccl-tests."""
    return _fit(types.FitCollectives, "orrery_fit_collectives", platform, data, settings, more, holdout=holdout,
                keep=int(keep), collective=collective, npus=npus, npus_per_node=npus_per_node)


def fit_compute(platform: Any, workload: Any, data: Paths, *, fit: Sequence[str] = (), fix: Sequence[str] = (),
                holdout: Optional[str] = None, keep: bool = False, skip_refused: bool = False, settings: Settings = None,
                **more: Any) -> Fit:
    """Fits a platform's compute efficiency to measured training iterations."""
    return _fit(types.FitCompute, "orrery_fit_compute", platform, data, settings, more, holdout=holdout, keep=int(keep),
                fit=list(fit) or None, fit_count=len(fit), fix=list(fix) or None, fix_count=len(fix),
                skip_refused=int(skip_refused), **_text_or_path("workload", "workload_text", workload))


def parallel(work: Callable[[int], Any], count: int, threads: int = 0) -> None:
    """Calls work(0) ... work(count - 1) on threads of the C library; the first exception is raised when all have ended."""
    callbacks = Callbacks()
    call = callbacks.wrap(types.OnParallelWork, lambda _, index: work(index))
    lib().orrery_parallel(threads, count, call, None)
    callbacks.check()

