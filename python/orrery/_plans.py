"""Plans: strategy, topology and routes of a job (TopoOpt), or its degree of model parallelism (SiP-ML)."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._errors import InputError
from ._fill import Settings, fill, setting_texts, snapshot, to_json
from ._handle import STREAM, Handle
from ._inputs import find_input
from ._library import lib
from ._progress import Bar, Progress
from .abi import constants, types

VIEWS = {name.removeprefix("PLAN_").lower(): getattr(constants, name) for name in constants.ENUMS["plan_view"]}


class Plan(Handle):
    """A plan: its figures as attributes (``plan.predicted_ps``), its files as texts (``plan.text("routes")``)."""

    names = "orrery_plan"

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.figures: dict[str, Any] = {}

    def _make(self, given: Any, progress: Progress) -> "Plan":
        stop = ctypes.c_int(0)
        given.stop = ctypes.pointer(stop)
        bar = Bar(progress, "plan", "evaluation")
        if progress:
            self._heard = self._callbacks.wrap(types.OnPlanInputProgress, lambda _, at: bar.at(at[0].evaluations, at[0].budget))
            given.progress = self._heard

        def set_stop() -> None:
            stop.value = 1

        try:
            self.call_interruptible(f"orrery_plan_{self.kind}", ctypes.byref(given), stop=set_stop)
        except KeyboardInterrupt:
            if not self._is_planned():
                raise
        finally:
            bar.close()
        self._is_planned()
        return self

    def _is_planned(self) -> bool:
        kind, function = (types.PlanFigures, "orrery_plan_figures") if self.kind == "topoopt" else \
            (types.PlanSipMlFigures, "orrery_plan_sip_ml_figures")
        figures = fill(kind)
        try:
            self.call(function, ctypes.byref(figures))
        except InputError:
            return False
        self.figures = snapshot(figures)
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures" or name not in self.figures:
            raise AttributeError(name)
        return self.figures[name]

    def text(self, view: str = "text") -> str:
        """"text", "json", "strategy", "model", "platform", "workload"; of TopoOpt also "dot", "svg", "routes", "rings", ...;
        of SiP-ML "points", "traffic", ..."""
        return self.bytes(view).decode()

    def bytes(self, view: str) -> bytes:
        """The same as bytes: "tasks" is binary."""
        if view not in VIEWS:
            raise InputError(f"view: expected one of {', '.join(VIEWS)}, got {view!r}")
        return self.write_bytes("orrery_plan_write", STREAM, VIEWS[view])

    def json(self) -> str:
        """The output of --json, to the byte."""
        return self.text("json")

    def save(self, folder: "Union[str, os.PathLike[str]]") -> None:
        """Writes all files of the plan into a folder."""
        self.call("orrery_plan_write_files", os.fsencode(folder))

    @staticmethod
    def files() -> list[str]:
        """The names of all files that ``save`` may write."""
        names, found = lib().orrery_plan_files(), list[str]()
        while names[len(found)] is not None:
            found.append(names[len(found)].decode())
        return found

    def __repr__(self) -> str:
        return f"<Plan: {self.kind}>"

    def _repr_svg_(self) -> Optional[str]:
        return self.text("svg") if self.kind == "topoopt" else self.text("traffic_svg")


def _plan(kind: str, given: Any, settings: Settings, more: Mapping[str, Any], progress: Progress, **members: Any) -> Plan:
    texts = setting_texts(settings, more)
    if isinstance(given, Mapping):
        source = {"text": to_json(given)}
    else:
        source = {"text": given} if isinstance(given, str) and "\n" in given else {"path": find_input("plans", given)}
    struct = fill(types.PlanInput, set=texts or None, set_count=len(texts), **source, **members)
    return Plan(kind)._make(struct, progress)


def plan_topoopt(plan: Any, *, threads: int = 0, resume: Optional[str] = None, check: bool = False, no_run: bool = False,
                 progress: Progress = None, settings: Settings = None, **more: Any) -> Plan:
    """Plans by TopoOpt: a file with a section `plan`, one that ships, a dict or a text. Ctrl-C ends the search with the
    best so far (``plan.stopped``). `no_run`: only predicts."""
    return _plan("topoopt", plan, settings, more, progress, threads=threads, resume=resume, check=check, no_run=no_run)


def plan_sip_ml(plan: Any, *, threads: int = 0, check: bool = False, no_run: bool = False, progress: Progress = None,
                settings: Settings = None, **more: Any) -> Plan:
    """Plans by SiP-ML's search: the point with the shortest time to accuracy, ``plan.best``."""
    return _plan("sip_ml", plan, settings, more, progress, threads=threads, check=check, no_run=no_run)
