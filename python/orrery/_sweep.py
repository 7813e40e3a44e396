"""Sweeps: a job at every point of a design space, from a file, or from axes that are lists and functions of Python."""
from __future__ import annotations

import ctypes
import itertools
import os
import warnings
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from ._errors import InputError, OrreryError, OrreryWarning
from ._fill import fill, plain, to_json
from ._handle import Stream
from ._inputs import Platform, Workload, _is_file, _part
from ._interrupt import Interrupts
from ._job import Job
from ._library import lib
from ._progress import Bar, Progress
from ._results import Table
from ._studies import Study
from .abi import constants, types

Point = dict[str, Any]


class Sweep(Table):
    """The points of a sweep: a table with a column for each axis, result and metric, and `error` (None: none).
    ``stopped``: Ctrl-C ended it; the points that were done are here."""

    def __init__(self, axes: Sequence[str], columns: Mapping[str, list[Any]], stopped: bool):
        super().__init__(list(columns), columns.__getitem__, len(next(iter(columns.values()), [])))
        self.axes, self.stopped = tuple(axes), stopped

    def best(self, by: str = "wall_ps") -> Any:
        """The row with the least value; points with an error do not count."""
        known = [index for index, value in enumerate(self[by]) if value is not None]
        if not known:
            raise InputError(f"no point has {by}: {next((text for text in self['error'] if text), 'there are none')}")
        return super().__getitem__(min(known, key=lambda index: self[by][index]))

    def plot(self, x: Optional[str] = None, y: str = "wall_ps", group: Optional[str] = None) -> Any:
        """y over x (default: the first axis), a line for each value of `group` (default: the second axis): axes of
        matplotlib where it is there, else an SVG with ``save(path)``."""
        from ._plots import lines

        x = x or self.axes[0]
        group = group or next((axis for axis in self.axes if axis != x), None)
        series: dict[str, list[tuple[Any, Any]]] = {}
        for row in self:
            if row[y] is not None:
                series.setdefault("" if group is None else str(row[group]), []).append((row[x], row[y]))
        return lines(series, x, y, "" if group is None else group)

    def _repr_html_(self) -> str:
        from ._plots import svg_of

        return svg_of(self) + super()._repr_html_()


def sweep(platform: Any, workload: Any = None, axes: Optional[Mapping[str, Iterable[Any]]] = None, *,
          points: Optional[Iterable[Mapping[str, Any]]] = None, where: Optional[Callable[[Point], bool]] = None,
          settings: Optional[Mapping[str, Any]] = None, results: Sequence[str] = ("wall_ps",),
          metrics: Optional[Mapping[str, Callable[[Job], Any]]] = None, record: Union[str, Iterable[str]] = (),
          threads: int = 0, progress: Progress = None, **options: Any) -> Any:
    """Runs a job at every point.

    `axes`: values by key, ``{"system.chunks": [1, 4, 16]}``, lists, ranges or arrays; every combination is a point. A key
    without a dot is a name for functions only. `points`: or dicts, each a point. `where`: whether to run a point.
    `settings`: values by key for all points; a function is called with the point. `platform` and `workload` may be
    functions of the point, too. `results`: names of results that become columns; `metrics`: functions of the finished job.
    An error of the library is the point's, in the column `error`; one of a function ends the sweep. Ctrl-C ends it with
    what is done. Returns a Sweep.

    Without `axes` and `points`, `platform` is a file of ``orrery sweep``, its text or a dict; the study's tables are
    points, by_time, by_cost, by_both and pareto. `options` of these: output, restart, retry, list.

    >>> s = sweep("dgx_a100_64", "all_reduce_1gb", {"system.chunks": [1, 4]}, metrics={"ms": lambda job: job.wall_ps * 1e-9})
    >>> s.columns
    ('system.chunks', 'wall_ps', 'ms', 'error')
    """
    if axes is None and points is None:
        return _file_sweep(platform, threads, progress, options)
    if options:
        raise TypeError(f"unexpected argument {next(iter(options))!r}: values for all points are `settings`")
    given = _Points(axes or {}, points, where)
    runner = _Runner(platform, workload, settings or {}, results, metrics or {}, record)
    return runner.run(given, threads or os.cpu_count() or 1, progress)


class _Points:
    """The points, as dicts of their values in the order of the axes."""

    def __init__(self, axes: Mapping[str, Iterable[Any]], points: Optional[Iterable[Mapping[str, Any]]],
                 where: Optional[Callable[[Point], bool]]):
        values = {key: _values(key, given) for key, given in axes.items()}
        every = [dict(zip(values, combination)) for combination in itertools.product(*values.values())] if values else [{}]
        more = [dict(point) for point in points] if points is not None else [{}]
        self.points = [{**one, **other} for one in every for other in more]
        if where is not None:
            self.points = [point for point in self.points if where(point)]
        self.axes = list(dict.fromkeys(key for point in self.points for key in point))


def _values(key: str, given: Iterable[Any]) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not (hasattr(given, "__iter__") or hasattr(given, "tolist")):
        raise InputError(f"{key}: expected a list of values, got {given!r}")
    values = plain(given) if hasattr(given, "tolist") else list(given)
    if not isinstance(values, list) or not values:
        raise InputError(f"{key}: expected at least one value")
    return values


class _Runner:
    """Runs points on threads, each with a job of its own; platforms and workloads that no function makes are shared."""

    def __init__(self, platform: Any, workload: Any, settings: Mapping[str, Any], results: Sequence[str],
                 metrics: Mapping[str, Callable[[Job], Any]], record: Union[str, Iterable[str]]):
        self.platform, self.workload = _shared(Platform, platform), _shared(Workload, workload)
        self.settings, self.results, self.metrics, self.record = settings, tuple(results), metrics, record
        self.stopped = False  # no lock: a handler of signals sets it
        self.running: set[Job] = set()

    def run(self, given: _Points, threads: int, progress: Progress) -> Sweep:
        bar = Bar(progress, "sweep", "point")
        pool = ThreadPoolExecutor(threads, "orrery-sweep")
        futures: list[Future] = []
        with Interrupts(lambda: setattr(self, "stopped", True)):
            try:
                futures.extend(pool.submit(self._point, point) for point in given.points)
                self._wait(futures, bar)
            except BaseException:
                self._stop(futures)
                raise
            finally:
                pool.shutdown(wait=True)
                bar.close()
        rows = [None if future.cancelled() else future.result() for future in futures]
        if self.stopped:
            warnings.warn(f"the sweep was stopped: {sum(row is not None for row in rows)} of {len(rows)} points are done",
                          OrreryWarning, stacklevel=3)
        return self._table(given, [(point, row) for point, row in zip(given.points, rows) if row is not None])

    def _wait(self, futures: Sequence[Future], bar: Bar) -> None:
        """Until all have ended or one has raised; the main thread wakes up now and then to hear Ctrl-C."""
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, 0.2, FIRST_COMPLETED)
            if self.stopped:
                self._stop(waiting)
            for future in done:
                if not future.cancelled():
                    future.result()
            if done:
                bar.at(len(futures) - len(waiting), len(futures))

    def _stop(self, futures: Iterable[Future]) -> None:
        self.stopped = True
        for future in list(futures):
            future.cancel()
        for job in list(self.running):
            job.stop()

    def _point(self, point: Point) -> Optional[Point]:
        if self.stopped:
            return None
        settings = {key: value for key, value in point.items() if "." in key}
        settings.update({key: value(point) if callable(value) else value for key, value in self.settings.items()})
        platform = self.platform(point) if callable(self.platform) else self.platform
        workload = self.workload(point) if callable(self.workload) else self.workload
        try:
            job = Job(platform, workload, record=self.record, settings=settings)
        except OrreryError as error:
            return {"error": str(error)}
        with job:
            return self._results(job)

    def _results(self, job: Job) -> Optional[Point]:
        self.running.add(job)
        try:
            job.run()
            if not job.ran:
                return None
            row: Point = {name: job.value(name) for name in self.results}
        except OrreryError as error:
            return {"error": str(error)}
        finally:
            self.running.discard(job)
        return {**row, **{name: metric(job) for name, metric in self.metrics.items()}, "error": None}

    def _table(self, given: _Points, done: list[tuple[Point, Point]]) -> Sweep:
        columns = {axis: [point.get(axis) for point, _ in done] for axis in given.axes}
        for name in (*self.results, *self.metrics, "error"):
            columns[name] = [row.get(name) for _, row in done]
        return Sweep(given.axes, columns, self.stopped)


def _shared(kind: Any, given: Any) -> Any:
    return given if given is None or callable(given) else _part(kind, given)


# ---- files of orrery sweep ----


class SweepStudy(Study):
    """A sweep of a file; the columns of its points are also its axes. ``stopped``: Ctrl-C ended it, and points that did not
    run have failed."""

    stopped = False

    def has_results(self) -> bool:
        """Whether it ran to its end, or was stopped in memory."""
        try:
            return self.rows("points") > 0
        except OrreryError:
            return False

    def _columns(self, table: str) -> list[str]:
        if table not in self.tables:
            return []
        with Stream() as stream:
            status = lib().orrery_study_write(self._handle, stream.file, constants.FORM_CSV)
            head = stream.close().decode().splitlines() if status == 0 else []
        known = super()._columns("points")
        return [*known, *[name for name in (head[0].split(",") if head else []) if "." in name]]


def _file_sweep(given: Any, threads: int, progress: Progress, options: Mapping[str, Any]) -> SweepStudy:
    from ._handle import Callbacks

    bar, callbacks = Bar(progress, "sweep", "point"), Callbacks()
    heard = callbacks.wrap(types.OnSweepProgress, lambda _, at: bar.at(at[0].done, at[0].points))
    text = to_json(given) if isinstance(given, Mapping) else None if _is_file(given) else given
    struct = fill(types.Sweep, file=given if text is None else None, text=text, threads=True, jobs=threads,
                  progress=heard if progress else None, **options)
    stop = ctypes.c_int(0)
    struct.stop = ctypes.pointer(stop)
    study = SweepStudy("sweep", tables=["points", "by_time", "by_cost", "by_both", "pareto"])
    try:
        study.call_interruptible("orrery_sweep", ctypes.byref(struct), stop=lambda: setattr(stop, "value", 1))
    except KeyboardInterrupt as interrupt:
        if not study.has_results():  # with files: what is done is in them
            raise interrupt
        study.stopped = True
        warnings.warn("the sweep was stopped: points that did not run have failed", OrreryWarning, stacklevel=3)
    finally:
        bar.close()
    callbacks.check()
    return study
