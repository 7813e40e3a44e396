"""Networks without a simulation; models as operator graphs; traces and their conversion; pages of results."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._errors import InputError
from ._fill import Settings, fill, setting_texts, snapshot
from ._handle import STREAM, Handle
from ._inputs import Platform
from ._job import Job
from ._studies import Paths, _paths
from .abi import constants, types

Path = Union[str, "os.PathLike[str]"]


def _views(enum: str) -> dict[str, int]:
    names = constants.ENUMS[enum]
    common = os.path.commonprefix(list(names))
    return {name.removeprefix(common[:common.rfind("_") + 1]).lower(): getattr(constants, name) for name in names}


def _view(views: Mapping[str, int], name: str) -> int:
    if name not in views:
        raise InputError(f"view: expected one of {', '.join(views)}, got {name!r}")
    return views[name]


class _Figures(Handle):
    """A handle that has figures, which are its attributes."""

    figures_kind: Any = None

    @property
    def figures(self) -> dict[str, Any]:
        """All figures by name."""
        struct = fill(self.figures_kind)
        self.call(f"{self.names}_figures", ctypes.byref(struct))
        return snapshot(struct)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {member for member, _ in self.figures_kind._fields_}:
            raise AttributeError(name)
        return self.figures[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *[member for member, _ in self.figures_kind._fields_]]


class Topology(_Figures):
    """A network: its figures as attributes (``t.diameter``), texts, pictures, embeddings, bounds.

    >>> Topology("torus:8x8", npus=64, bandwidth="100 Gb/s").diameter
    8
    """

    names = "orrery_topology"
    figures_kind = types.TopologyFigures
    views = _views("topology_view")

    def __init__(self, network: Union[str, "os.PathLike[str]", Mapping[str, Any], Platform, None] = None, *,
                 astra_network: Optional[str] = None, npus: int = 0, seed: int = 0, bandwidth: Optional[str] = None,
                 latency: Optional[str] = None, bandwidth_is: Optional[str] = None, optical: Optional[str] = None,
                 settings: Settings = None, **more: Any):
        super().__init__()
        if isinstance(network, Mapping) or (isinstance(network, str) and "\n" in network):
            network = Platform(network)
        texts = setting_texts(settings, more)
        members: dict[str, Any] = {"platform": network.open_handle} if isinstance(network, Platform) else {"network": network}
        given = fill(types.TopologyInput, astra_network=astra_network, npus=npus, seed=seed, bandwidth=bandwidth,
                     latency=latency, bandwidth_is=bandwidth_is, optical=optical, set=texts or None, set_count=len(texts),
                     **members)
        self.call("orrery_topology_read", ctypes.byref(given))

    def text(self, view: str = "show", rank: Optional[int] = None) -> str:
        """"show", "show_json", "check" or "check_json". `rank`: an NPU whose neighbours are shown."""
        return self.write("orrery_topology_write", STREAM, _view(self.views, view),
                          constants.NO_RANK if rank is None else rank)

    def dim(self, index: int) -> dict[str, Any]:
        """The figures of a dimension of a stack, from 0."""
        found = fill(types.TopologyDim)
        self.call("orrery_topology_dim", index, ctypes.byref(found))
        return snapshot(found)

    def draw(self, path: Path) -> None:
        """Draws it into a file: .svg, .pdf, .png or .dot."""
        self.call("orrery_topology_draw", os.fsencode(path))

    def picture(self, form: str = "svg") -> bytes:
        """A picture: "svg", "pdf", "png" or "dot"."""
        return self.write_bytes("orrery_topology_write_picture", STREAM, form.encode())

    def _repr_svg_(self) -> str:
        return self.picture("svg").decode()

    def embed(self, form: str = "text", **members: Any) -> str:
        """Trees or rings without common links: rings=True, trees="2", shape, detours, detour, ranks, around, strict, seed.
        `form`: "text", "json" or a picture."""
        members.setdefault("detour_count", len(members.get("detour") or ()))
        given = fill(types.TopologyEmbedding, **members)
        return self.write("orrery_topology_embed", ctypes.byref(given), STREAM, form.encode())

    def bound(self, collective: str, bytes: int, *, root: int = 0, form: str = "text") -> str:
        """How fast a collective of all NPUs can be: "text" or "json"."""
        given = fill(types.TopologyBound, collective=collective, bytes=bytes, root=root)
        return self.write("orrery_topology_write_bound", ctypes.byref(given), STREAM, form.encode())


def topology(network: Any = None, **options: Any) -> Topology:
    """A network, as Topology."""
    return Topology(network, **options)


class OperatorGraph(_Figures):
    """A model as a graph of operators; its figures as attributes (``g.operators``)."""

    names = "orrery_op_graph"
    figures_kind = types.OpGraphFigures
    views = _views("op_graph_view")

    def __init__(self, model: Path, *, batch: int = 0, devices: int = 0, profile: Optional[str] = None,
                 platform: Optional[str] = None, settings: Settings = None, **more: Any):
        super().__init__()
        texts = setting_texts(settings, more)
        given = fill(types.OpGraphInput, path=model, batch=batch, devices=devices, profile=profile, platform=platform,
                     set=texts or None, set_count=len(texts))
        self.call("orrery_op_graph_read", ctypes.byref(given))

    def text(self, view: str = "show") -> str:
        """"check", "show", "json" or "dot"."""
        return self.write("orrery_op_graph_write", STREAM, _view(self.views, view))


class Trace(_Figures):
    """The execution trace of one NPU; its figures as attributes (``t.nodes``)."""

    names = "orrery_trace"
    figures_kind = types.TraceFigures
    views = _views("trace_view")

    def __init__(self, path: Path):
        super().__init__()
        self.call("orrery_trace_read", os.fsencode(path))

    def text(self, view: str = "info", rows: int = 20) -> str:
        """"check", "info", "nodes", "stats", "path", "dot", and the first of these as "..._json"; `rows` 0: all."""
        return self.write("orrery_trace_write", STREAM, _view(self.views, view), rows)

    def critical_path(self) -> dict[str, Any]:
        """The longest chain by recorded durations: length_ps, and the ids of its nodes."""
        path = fill(types.TracePath)
        self.call("orrery_trace_path", ctypes.byref(path))
        return {"length_ps": path.length_ps, "id": path.id[:path.nodes]}

    def save(self, path: Path, *, gzip: bool = False) -> None:
        """Writes it to a file."""
        self.call("orrery_trace_save", os.fsencode(path), gzip)

    def diff(self, other: "Trace") -> dict[str, Any]:
        """What differs from another trace, whatever their ids."""
        found = fill(types.TraceDifference)
        self.call("orrery_trace_diff", other.open_handle, ctypes.byref(found))
        return snapshot(found)


class Conversion(Handle):
    """What a conversion did: ``counts``, ``notes``, and its report as text or JSON."""

    names = "orrery_conversion"

    @property
    def counts(self) -> dict[str, Any]:
        """Totals over all ranks."""
        found = fill(types.ConversionCounts)
        self.call("orrery_conversion_counts", ctypes.byref(found))
        return snapshot(found)

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What was guessed or left out."""
        found = []
        for index in range(self.counts["notes"]):
            note = fill(types.ConversionNote)
            self.call("orrery_conversion_note", index, ctypes.byref(note))
            found.append(snapshot(note))
        return found

    def text(self, json: bool = False) -> str:
        """The output of ``orrery convert``, or of --report."""
        return self.write("orrery_conversion_write", STREAM, json)


def convert(files: Paths = (), *, out: Path, format: Optional[str] = None, **options: Any) -> Conversion:
    """Converts traces of other tools to PREFIX.RANK.et (`out` is the prefix): "pytorch", "text", "chakra", "flexflow",
    "sipml". `options`: et, kineto, ranks, gzip, platform, passes, batch_size, missing_ranks, step."""
    paths, conversion = _paths(files), Conversion()
    given = fill(types.Convert, format=format, files=paths or None, file_count=len(paths), out=out, **options)
    conversion.call("orrery_convert", ctypes.byref(given))
    return conversion


class Page(Handle):
    """A page of results: one HTML file. Add jobs, studies, plans, fits, files or texts of --json."""

    names = "orrery_page"

    def __init__(self, title: Optional[str] = None):
        super().__init__(None if title is None else title.encode())

    def add(self, result: Any, name: Optional[str] = None) -> "Page":
        """Adds a result, and returns the page."""
        given = None if name is None else name.encode()
        if isinstance(result, Job):
            files = result._source.files if result._source is not None else None
            inputs = None if files is None else ctypes.byref(files)
            self.call("orrery_page_add_job", result.open_handle, inputs, given)
        elif hasattr(result, "json"):
            self.call("orrery_page_add", result.json().encode(), given)
        elif isinstance(result, str) and result.lstrip().startswith("{"):
            self.call("orrery_page_add", result.encode(), given)
        else:
            self.call("orrery_page_add_file", os.fsencode(result), given)
        return self

    def html(self) -> str:
        """The page."""
        return self.write("orrery_page_write")

    def save(self, path: Path) -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.html())

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.html())}" width="100%" height="700" frameborder="0"></iframe>'


def report(*results: Any, title: Optional[str] = None) -> Page:
    """A page of results: ``report(job, study).save("page.html")``. Jobs need record="nodes"."""
    page = Page(title)
    for result in results:
        page.add(result)
    return page


__all__ = ["Conversion", "OperatorGraph", "Page", "Topology", "Trace", "convert", "report", "topology"]
