"""What a job is made of: inputs that ship, platforms and workloads as objects."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

from ._errors import InputError
from ._fill import Settings, fill, plain, setting_text, setting_texts, to_json
from ._handle import STREAM, Handle
from ._library import lib
from .abi import constants, types

Given = Union[str, "os.PathLike[str]", Mapping[str, Any], "Platform", "Workload", None]


class Shipped(NamedTuple):
    """An input that ships: its name, and the first sentence of its comment."""

    name: str
    comment: str


class Catalogue(Handle):
    """Inputs that ship, and schemas."""

    names = "orrery_catalogue"

    def folder(self) -> str:
        """The folder of the inputs that ship."""
        return os.fsdecode(self.raw("orrery_inputs_folder"))

    def find(self, kind: str, name: str) -> str:
        """The path of an input: a file, or the name of one of `kind` ("platforms", "workloads") that ships."""
        found = self.raw("orrery_find_input", kind.encode(), os.fsencode(name))
        if found is None:
            raise InputError(self.raw("orrery_catalogue_error").decode(errors="replace"))
        return os.fsdecode(found)

    def shipped(self, kind: str) -> list[Shipped]:
        """All inputs of a kind."""
        found: list[Shipped] = []
        one = fill(types.Shipped)
        while self.raw("orrery_shipped", kind.encode(), len(found), ctypes.byref(one)):
            found.append(Shipped(one.name.decode(), (one.comment or b"").decode()))
        return found

    def schema(self, what: str) -> str:
        """The output of ``orrery schema WHAT``."""
        return self.write("orrery_write_schema", what.encode(), STREAM)

    def text(self) -> str:
        """The list of all inputs, as --list-inputs."""
        return self.write("orrery_write_inputs")


def inputs(kind: str = "platforms") -> list[Shipped]:
    """The inputs that ship, of a kind: "platforms", "workloads", "models" or "plans".

    >>> "dgx_a100_64" in [one.name for one in inputs()]
    True
    """
    with Catalogue() as catalogue:
        found = catalogue.shipped(kind)
    if not found:
        raise InputError(f'{kind}: expected "platforms", "workloads", "models" or "plans"')
    return found


def schema(what: str = "platform") -> str:
    """The JSON Schema of the files "platform", "workload", "sweep", "jobs", "model", "strategy" or "plan"; or the Markdown
    reference of "keys" or "results"."""
    with Catalogue() as catalogue:
        return catalogue.schema(what)


_folders: list[str] = []


def inputs_folder() -> str:
    """The folder of the inputs that ship."""
    if not _folders:
        with Catalogue() as catalogue:
            _folders.append(catalogue.folder())
    return _folders[0]


def find_input(kind: str, name: "Union[str, os.PathLike[str]]") -> str:
    """The path of a file, or of an input that ships, by the rules of the command."""
    with Catalogue() as catalogue:
        return catalogue.find(kind, os.fspath(name))


class _Part(Handle):
    """A platform or a workload. The first job that loads it makes it constant; any number of threads may load it."""

    kind = ""

    def __init__(self, given: Given = None, *, text: Optional[str] = None, set: Settings = None):
        if isinstance(given, str) and "\n" in given:
            given, text = None, given
        super().__init__()
        if isinstance(given, Mapping):
            self.parse(given)
        elif isinstance(given, (str, os.PathLike)):
            self.read(given)
        elif given is not None:
            raise TypeError(f"expected a name, a path, a text or a dict, got {type(given).__name__}")
        if text is not None:
            self.parse(text)
        for assignment in setting_texts(set):
            self.call(f"{self.names}_set", assignment.encode())

    def read(self, name: "Union[str, os.PathLike[str]]") -> None:
        """Adds the sections of a file, or of an input that ships, with what it includes."""
        path = find_input(self.kind, name)
        self.call(f"{self.names}_read", os.fsencode(path), os.fsencode(inputs_folder()))

    def parse(self, sections: Union[str, Mapping[str, Any]]) -> None:
        """Adds sections of a text in YAML or JSON, or of a dict; NumPy arrays may stand where lists do."""
        if not isinstance(sections, (str, Mapping)):
            raise TypeError(f"expected a text or a dict of sections, got {type(sections).__name__}")
        try:
            text = sections if isinstance(sections, str) else to_json(sections)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.kind[:-1]}: {error}") from None
        if "\0" in text:
            raise InputError(f"{self.kind[:-1]}: a text with a zero byte")
        self.call(f"{self.names}_parse", text.encode())

    def __setitem__(self, key: str, value: Any) -> None:
        """Sets a value, over those read: ``platform["network.dims[1].bandwidth"] = "100 GB/s"``."""
        self.call(f"{self.names}_set", setting_text(key, value).encode())


class Platform(_Part):
    """A platform: a file or one that ships by name, a dict of sections, or a text.

    >>> Platform({"network": {"topology": "Ring(8)", "bandwidth": "100 GB/s"}}).closed
    False
    """

    names = "orrery_platform"
    kind = "platforms"

    @classmethod
    def from_links(cls, bandwidth: Any, *, npus: Optional[int] = None, latency: Any = "1 us", **sections: Any) -> "Platform":
        """A network of links, from a square matrix (NumPy or lists): ``bandwidth[i][j]`` in bytes/s of the link from node i
        to j, 0: none. `npus`: the first so many nodes are NPUs (default: all), the others switches. `latency`: of all
        links, "1 us", or a matrix in ps. `sections`: further sections, such as ``compute={...}``.

        >>> ring = [[1e11 if abs(i - j) in (1, 3) else 0 for j in range(4)] for i in range(4)]
        >>> Platform.from_links(ring, latency="500 ns").closed
        False
        """
        rows = _matrix("bandwidth", bandwidth)
        nodes = len(rows)
        delay = _matrix("latency", latency, nodes) if not isinstance(latency, str) else None
        count = nodes if npus is None else int(npus)
        if not 1 <= count <= nodes:
            raise InputError(f"npus: expected 1 to {nodes}, got {count}")
        links = [{"from": i, "to": j, "one_way": True, "bandwidth": f"{rows[i][j]!r} B/s",
                  "latency": latency if delay is None else f"{delay[i][j]!r} ps"}
                 for i in range(nodes) for j in range(nodes) if rows[i][j] > 0]
        graph = {"npus": count, "switches": nodes - count, "links": links}
        return cls({"network": {"graph": graph, **sections.pop("network", {})}, **sections})


def _matrix(name: str, given: Any, nodes: Optional[int] = None) -> list[list[float]]:
    rows = plain(given) if not isinstance(given, (list, tuple)) else given
    try:
        found = [[float(value) for value in row] for row in rows]
    except TypeError:
        raise InputError(f"{name}: expected a square matrix, got {type(given).__name__} of another shape") from None
    expected = len(found) if nodes is None else nodes
    for i, row in enumerate(found):
        if len(row) != expected or len(found) != expected:
            raise InputError(f"{name}: expected a matrix of {expected} x {expected}, got row {i} of {len(found)} with "
                             f"{len(row)} values")
        for j, value in enumerate(row):
            if not 0 <= value < float("inf"):
                raise InputError(f"{name}[{i}][{j}]: expected a number of at least 0, got {value}")
    return found


_KINDS = {"compute": constants.NODE_COMPUTE, "cpu": constants.NODE_CPU, "load": constants.NODE_LOAD,
          "store": constants.NODE_STORE, "collective": constants.NODE_COLLECTIVE, "send": constants.NODE_SEND,
          "receive": constants.NODE_RECEIVE}


class Workload(_Part):
    """A workload: a file or one that ships by name, a dict of sections, a text; or nodes that are added one by one.

    >>> w = Workload()
    >>> layer = w.add("compute", flops=3 * 10**12)
    >>> w.add("collective", collective="all_reduce", bytes=64 << 20, after=[layer])
    1
    """

    names = "orrery_workload"
    kind = "workloads"

    def __init__(self, given: Given = None, *, text: Optional[str] = None, set: Settings = None):
        super().__init__(given, text=text, set=set)
        self._next: dict[int, int] = {}

    def add(self, kind: str, *, trace: int = 0, id: Optional[int] = None, after: Sequence[int] = (),
            name: Optional[str] = None, **members: Any) -> int:
        """Adds a node to the `trace`-th trace and returns its id. With one trace, all NPUs run it; otherwise there is one
        for each NPU, from 0. `kind`: "compute", "cpu", "load", "store", "collective", "send", "receive"; `after`: ids that
        it waits for; `members`: duration_ps, flops, bytes, remote, collective, group, root, peer, tag."""
        if kind not in _KINDS:
            raise InputError(f"kind: expected one of {', '.join(_KINDS)}, got {kind!r}")
        known = {member for member, _ in types.TraceNode._fields_}
        for member in members:
            if member not in known:
                raise TypeError(f"unexpected argument {member!r}: expected one of {', '.join(sorted(known))}")
        number = self._next.get(trace, 0) if id is None else int(id)
        waits = [int(one) for one in (after.tolist() if hasattr(after, "tolist") else after)]
        node = fill(types.TraceNode, id=number, kind=_KINDS[kind], name=name, after_count=len(waits),
                    **{key: _number(value) for key, value in members.items()})
        if waits:
            node.after = (ctypes.c_uint64 * len(waits))(*waits)
        self.call("orrery_workload_add", trace, ctypes.byref(node))
        self._next[trace] = max(self._next.get(trace, 0), number + 1)
        return number

    def add_arrays(self, kind: Union[str, Iterable[str]], *, trace: int = 0, edges: Any = (), **columns: Any) -> range:
        """Adds as many nodes as the columns have values, such as ``flops=numpy.full(8, 3e12)``, and returns their ids.
        `edges`: pairs (before, after) of positions among them, an array of m x 2."""
        values = {name: plain(column) if hasattr(column, "tolist") else column for name, column in columns.items()}
        lengths = {name: len(column) for name, column in values.items() if isinstance(column, (list, tuple))}
        if not lengths or len(set(lengths.values())) != 1:
            raise InputError(f"expected columns of one length, got {lengths or 'none'}")
        count = next(iter(lengths.values()))
        kinds = [kind] * count if isinstance(kind, str) else list(kind)
        if len(kinds) != count:
            raise InputError(f"kind: expected {count} kinds, got {len(kinds)}")
        before = _edges(edges, count)
        first = self._next.get(trace, 0)
        for row in range(count):
            members = {name: column[row] if name in lengths else column for name, column in values.items()}
            self.add(kinds[row], trace=trace, after=[first + one for one in before[row]], **members)
        return range(first, first + count)

    def describe(self, npus: int) -> str:
        """A generated model in words, as ``orrery gen WORKLOAD.yml``: parameters, operations, memory, communication."""
        return self.write("orrery_workload_describe", npus, STREAM)

    def save(self, prefix: "Union[str, os.PathLike[str]]", npus: int, *, gzip: bool = False) -> None:
        """Writes the traces to PREFIX.RANK.et."""
        self.call("orrery_workload_save", npus, os.fsencode(prefix), gzip)


def _number(value: Any) -> Any:
    """Whole numbers as int: NumPy has columns of reals."""
    if hasattr(value, "item"):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _edges(edges: Any, count: int) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in range(count)]
    pairs = edges.tolist() if hasattr(edges, "tolist") else list(edges)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(0 <= int(one) < count for one in pair):
            raise InputError(f"edges: expected pairs of positions below {count}, got {pair!r}")
        before[int(pair[1])].append(int(pair[0]))
    return before


def patterns() -> dict[str, str]:
    """The patterns of generated workloads (`generate`), each with what it is."""
    found: dict[str, str] = {}
    summary = ctypes.c_char_p()
    while True:
        name = lib().orrery_pattern(len(found), ctypes.byref(summary))
        if name is None:
            return found
        found[name.decode()] = (summary.value or b"").decode()


class Source:
    """Platform, workload and settings as the struct that the library takes: `files` or `parts`."""

    def __init__(self, platform: Given, workload: Given = None, settings: Settings = None,
                 more: Optional[Mapping[str, Any]] = None):
        texts = setting_texts(settings, more)
        self.files: Any = None
        self.parts: Any = None
        if _is_file(platform) and _is_file(workload):
            self.files = fill(types.Inputs, platform=_path("platforms", platform), workload=_path("workloads", workload),
                              set=texts or None, set_count=len(texts), library=inputs_folder())
            return
        self.platform = _part(Platform, platform)
        self.workload = None if workload is None else _part(Workload, workload)
        self.parts = fill(types.Parts, platform=self.platform.open_handle,
                          workload=None if self.workload is None else self.workload.open_handle,
                          set=texts or None, set_count=len(texts))

    def members(self) -> dict[str, Any]:
        """The members `files` and `parts` of structs of studies."""
        return {"files": self.files, "parts": self.parts}


def _is_file(given: Given) -> bool:
    return given is None or (isinstance(given, (str, Path, os.PathLike)) and "\n" not in os.fspath(given))


def _path(kind: str, given: Any) -> Optional[str]:
    return None if given is None else find_input(kind, given)


def _part(kind: Any, given: Given) -> Any:
    if isinstance(given, kind):
        return given
    if isinstance(given, (str, os.PathLike, Mapping)):
        return kind(given)
    raise TypeError(f"{kind.__name__.lower()}: expected a name, a path, a text, a dict or a {kind.__name__}, "
                    f"got {type(given).__name__}")
