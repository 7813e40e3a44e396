"""Parts of one's own: network backends, controllers and collectives as functions of Python, or of shared objects."""
from __future__ import annotations

import ctypes
import os
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Union

from ._errors import error_of
from ._fill import fill, plain
from ._handle import Stream, outside
from ._library import lib
from .abi import constants, types

KINDS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier")
_kept: list[Any] = []  # parts live as long as the process


def _check(status: int, error: Any) -> None:
    outside.check()
    if status != constants.OK:
        raise error_of(status, error.value.decode(errors="replace"))


def load_plugin(path: "Union[str, os.PathLike[str]]") -> None:
    """Adds the parts of a shared object that defines orrery_plugin (orrery/extend.h)."""
    error = ctypes.create_string_buffer(4096)
    _check(lib().orrery_load_plugin(os.fsencode(path), error, len(error)), error)


def check_plugin(path: "Union[str, os.PathLike[str]]") -> str:
    """Tests the parts of a shared object by their contracts: a line for each, or the first broken contract as an error."""
    error = ctypes.create_string_buffer(4096)
    with Stream() as stream:
        status = lib().orrery_check_plugin(os.fsencode(path), stream.file, error, len(error))
        told = stream.close().decode()
    _check(status, error)
    return told


def _add(kind: str, name: str, part: Any) -> None:
    extension = fill(types.Extension, version=constants.EXTEND_VERSION, name="Python")
    setattr(extension, kind, ctypes.pointer(part))
    setattr(extension, f"{kind}s", 1)
    _kept.append((extension, part))
    error = ctypes.create_string_buffer(4096)
    _check(lib().orrery_extend(ctypes.byref(extension), error, len(error)), error)


# ---- controllers ----


def controller(name: str, summary: str = "of Python") -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A controller of circuits, ``network.circuits.controller: NAME``, as a function of what it sees: nodes, ports, duplex,
    now_ps, and waiting, offered, total, present by pair, ``view.waiting[i][j]``. It returns the pairs (i, j) that get a
    circuit (twice: two), or a matrix of numbers of circuits.

    >>> @controller("doctest_ring")
    ... def ring(view):
    ...     return [(i, (i + 1) % view.nodes) for i in range(view.nodes)]
    >>> platform = {"network": {"graph": {"npus": 4}, "reroute": True, "circuits": {"ports": 1, "bandwidth": "10 GB/s",
    ...     "period": "1 ms", "controller": "doctest_ring"}}}
    >>> from orrery import run
    >>> run(platform, {"workload": {"generate": "all_reduce", "bytes": "1 MB"}}).wall_ps > 0
    True
    """

    def add(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def decide(_: Any, view: Any, chosen: Any) -> None:
            nodes = view[0].nodes
            for (i, j), count in _circuits(function(_seen(view[0])), nodes).items():
                chosen[i * nodes + j] = count

        part = fill(types.Controller, name=name, summary=summary)
        part.decide = outside.wrap(types.OnControllerDecide, decide)
        _add("controller", name, part)
        return function

    return add


def _seen(view: Any) -> SimpleNamespace:
    nodes = view.nodes
    matrices = {member: [getattr(view, member)[i * nodes:(i + 1) * nodes] for i in range(nodes)]
                for member in ("offered", "waiting", "total", "present")}
    return SimpleNamespace(nodes=nodes, ports=view.ports, duplex=view.duplex, now_ps=view.now_ps, **matrices)


def _circuits(given: Any, nodes: int) -> dict[tuple[int, int], int]:
    rows = plain(given) if hasattr(given, "tolist") else list(given)
    found: dict[tuple[int, int], int] = {}
    if len(rows) == nodes and all(isinstance(row, (list, tuple)) and len(row) == nodes for row in rows) and nodes != 2:
        return {(i, j): int(rows[i][j]) for i in range(nodes) for j in range(nodes) if rows[i][j]}
    for i, j in rows:
        if not (0 <= i < nodes and 0 <= j < nodes):
            raise IndexError(f"a circuit from {i} to {j}, but there are {nodes} nodes")
        found[i, j] = found.get((i, j), 0) + 1
    return found


# ---- collectives ----


class View(NamedTuple):
    """A collective as a rank sees it."""

    kind: str
    ranks: int
    rank: int
    root: int
    bytes: int

    @property
    def block_bytes(self) -> int:
        """Bytes of a block: ceil(bytes / ranks)."""
        return -(-self.bytes // self.ranks)


def collective(name: str, kinds: Iterable[str] = ("all_reduce",), summary: str = "of Python", in_order: bool = True) -> Any:
    """A collective algorithm, ``system.algorithms.all_reduce: NAME``, as a function that gives the program of a rank:
    (sends, receives), lists of dicts. A send: to, to_receive, need, bytes, blocks; a receive: sender, reduce, bytes (and
    after, where not in_order), as orrery/extend.h says. It is proved for 2 to 8 ranks.

    >>> @collective("doctest_star", kinds=["broadcast"])
    ... def star(view):
    ...     others = [rank for rank in range(view.ranks) if rank != view.root]
    ...     if view.rank != view.root:
    ...         return [], [dict(sender=view.root, bytes=view.bytes)]
    ...     return [dict(to=rank, bytes=view.bytes, blocks=range(view.ranks)) for rank in others], []
    """
    numbers = {KINDS.index(kind) for kind in kinds}

    def add(function: Callable[[View], Any]) -> Callable[[View], Any]:
        @lru_cache(maxsize=4096)
        def program(view: View) -> Any:
            sends, receives = function(view)
            return list(sends), list(receives)

        part = fill(types.Collective, name=name, summary=summary, in_order=in_order)
        part.supports = outside.wrap(types.OnCollectiveSupports, lambda _, kind, ranks: kind in numbers, False)
        part.sends = outside.wrap(types.OnCollectiveSends, lambda _, view: len(program(_view(view))[0]), 0)
        part.receives = outside.wrap(types.OnCollectiveSends, lambda _, view: len(program(_view(view))[1]), 0)
        part.send = outside.wrap(types.OnCollectiveSend, lambda _, view, k, out: _put_send(program(_view(view))[0][k], out[0]))
        part.receive = outside.wrap(types.OnCollectiveReceive,
                                    lambda _, view, k, out: _put_receive(program(_view(view))[1][k], out[0]))
        part.blocks = outside.wrap(types.OnCollectiveBlocks, lambda _, view, k, visit, context: _visit(
            program(_view(view))[0][k], visit, context))
        _add("collective", name, part)
        return function

    return add


def _view(view: Any) -> View:
    at = view[0]
    return View(KINDS[at.kind], at.ranks, at.rank, at.root, at.bytes)


def _put_send(step: Mapping[str, Any], out: Any) -> None:
    out.to, out.to_receive = step["to"], step.get("to_receive", 0)
    out.need, out.bytes = step.get("need", 0), step["bytes"]


def _put_receive(step: Mapping[str, Any], out: Any) -> None:
    setattr(out, "from", step["sender"])
    out.reduce, out.after, out.bytes = step.get("reduce", False), step.get("after", 0), step["bytes"]


def _visit(step: Mapping[str, Any], visit: Any, context: Any) -> None:
    for block in step["blocks"]:
        visit(context, block)


# ---- network backends ----


class Net:
    """What a backend may call: now_ps, schedule(at_ps, function), delivered(id)."""

    def __init__(self, net: Any):
        self._net, self._next = net, 0
        self._calls: dict[int, Callable[[], Any]] = {}
        self._call = outside.wrap(types.OnNetCall, lambda _, number: self._calls.pop(number)())

    @property
    def now_ps(self) -> int:
        """The simulated time."""
        return self._net[0].now_ps(ctypes.cast(self._net, ctypes.c_void_p))

    def schedule(self, at_ps: int, function: Callable[[], Any]) -> None:
        """Calls a function at a time, not before now."""
        self._calls[self._next] = function
        self._net[0].schedule(ctypes.cast(self._net, ctypes.c_void_p), int(at_ps), self._call, self._next)
        self._next += 1

    def delivered(self, id: int) -> None:
        """The message has arrived; once for each."""
        self._net[0].delivered(ctypes.cast(self._net, ctypes.c_void_p), id)


def backend(name: str, summary: str = "of Python") -> Callable[[Any], Any]:
    """A network backend, ``network.backend: NAME``, as a class: ``__init__(self, net, network)`` with a Net and
    network.npus, network.dims (block, npus, bandwidth_bytes_per_s, latency_ps of each); ``send(self, message)`` with
    message.id, sender, to, bytes.

    >>> @backend("doctest_microsecond")
    ... class Microsecond:
    ...     def __init__(self, net, network):
    ...         self.net = net
    ...     def send(self, message):
    ...         self.net.schedule(self.net.now_ps + 10**6, lambda: self.net.delivered(message.id))
    >>> from orrery import run
    >>> run({"network": {"topology": "Ring(4)", "bandwidth": "1 GB/s", "backend": "doctest_microsecond"},
    ...      "system": {"chunks": 1, "algorithms": {"all_reduce": "ring"}}},
    ...     {"workload": {"generate": "all_reduce", "bytes": "1 MB"}}).wall_ps
    6000000
    """

    def add(kind: Any) -> Any:
        nets: dict[int, Any] = {}

        def create(_: Any, net: Any, network: Any) -> int:
            at = network[0]
            dims = [SimpleNamespace(**{member: getattr(dim, member) for member, *_ in types.NetworkDim._fields_})
                    for dim in at.dim[:at.dims]]
            number = max(nets, default=0) + 1
            nets[number] = kind(Net(net), SimpleNamespace(npus=at.npus, dims=dims))
            return number

        def send(number: int, message: Any) -> None:
            at = message[0]
            nets[number].send(SimpleNamespace(id=at.id, sender=getattr(at, "from"), to=at.to, bytes=at.bytes))

        part = fill(types.Backend, name=name, summary=summary)
        part.create = outside.wrap(types.OnBackendCreate, create)
        part.destroy = types.OnBackendDestroy(lambda number: nets.pop(number, None) and None)
        part.send = outside.wrap(types.OnBackendSend, send)
        _add("backend", name, part)
        return kind

    return add
