"""Results by name: values of a run or a study, and tables of them with rows and columns."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Callable, Iterator, NamedTuple, Optional, Union

from ._errors import InputError
from ._handle import Handle
from ._library import lib
from .abi import constants, types


class ResultInfo(NamedTuple):
    """What a result is: its table, name, unit ("ps", "bytes/s", ...) and meaning."""

    table: str
    name: str
    unit: str
    meaning: str


_infos: dict[str, list[ResultInfo]] = {}


def result_infos() -> dict[str, list[ResultInfo]]:
    """All results by table, as in docs/results.md.

    >>> result_infos()["job"][0][:3]
    ('job', 'wall_ps', 'ps')
    """
    if not _infos:
        info, index = types.ResultInfo(), 0
        found: dict[str, list[ResultInfo]] = {}
        while lib().orrery_result_info(index, ctypes.byref(info)):
            one = ResultInfo(info.place.decode(), info.name.decode(), info.unit.decode(), info.meaning.decode())
            found.setdefault(one.table, []).append(one)
            index += 1
        _infos.update(found)
    return _infos


def value_of(value: Any) -> Any:
    """A value of Python for a struct orrery_value: int, bool, float, text or None."""
    kind = value.kind
    if kind == constants.VALUE_INTEGER:
        return int(value.integer)
    if kind == constants.VALUE_REAL:
        return value.real
    if kind == constants.VALUE_TEXT:
        return value.text.decode(errors="replace")
    return bool(value.integer.low) if kind == constants.VALUE_BOOL else None


class Row(Mapping):
    """A row of a table: results as attributes (``row.idle_ps``) or by key (``row["idle_ps"]``)."""

    def __init__(self, table: "Table", index: int):
        self._table, self._index = table, index

    def __getitem__(self, name: str) -> Any:
        return self._table[name][self._index]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._table._column_as_attribute(name)[self._index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.columns)

    def __len__(self) -> int:
        return len(self._table.columns)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._table.columns]

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{name}={value!r}' for name, value in self.items() if value is not None)})"


class Table:
    """Rows of results. A column is a list: ``table.idle_ps`` or ``table["idle_ps"]``; a row: ``table[3]``. No Sequence: that
    has a method `count`, which is a column, too."""

    def __init__(self, columns: Sequence[str], read: Callable[[str], list[Any]], rows: int):
        self.columns = tuple(columns)
        self._read, self._rows = read, rows
        self._kept: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, columns: Mapping[str, list[Any]]) -> "Table":
        """A table of columns that are there already."""
        rows = len(next(iter(columns.values()), []))
        return cls(list(columns), columns.__getitem__, rows)

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Row]:
        return (Row(self, index) for index in range(self._rows))

    def __getitem__(self, at: Union[int, str, slice]) -> Any:
        if isinstance(at, str):
            if at not in self._kept:
                if at not in self.columns:
                    raise KeyError(f"{at!r}: expected one of {', '.join(self.columns)}")
                self._kept[at] = self._read(at)
            return self._kept[at]
        if isinstance(at, slice):
            return [Row(self, index) for index in range(*at.indices(self._rows))]
        if not -self._rows <= at < self._rows:
            raise IndexError(f"row {at} of {self._rows}")
        return Row(self, at % self._rows)

    def _column_as_attribute(self, name: str) -> list[Any]:
        if name not in self.columns:
            raise AttributeError(f"{name!r}: expected one of {', '.join(self.columns)}")
        return self[name]

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._column_as_attribute(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns that have a value, as lists by name."""
        found = {name: self[name] for name in self.columns}
        return {name: column for name, column in found.items() if any(value is not None for value in column)}

    def to_frame(self) -> Any:
        """A pandas.DataFrame of the columns that have a value; units stand in their names."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_numpy(self, name: str) -> Any:
        """A column as a NumPy array."""
        import numpy

        return numpy.array(self[name])

    def __repr__(self) -> str:
        return f"Table({self._rows} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        columns = self.to_dict()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        shown = [0, *range(1, min(self._rows, 60))] if self._rows else []
        body = "".join("<tr>" + "".join(f"<td>{_cell(columns[name][row])}</td>" for name in columns) + "</tr>" for row in shown)
        more = f"<p>{self._rows - len(shown)} more rows</p>" if self._rows > len(shown) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else escape(str(value))


class Results(Handle):
    """A handle whose results are read by name. `main` is the table whose results are attributes of the object itself."""

    main: str = ""
    tables: tuple[str, ...] = ()

    def value(self, name: str, row: int = 0) -> Any:
        """A result by its name in docs/results.md: ``value("npus.idle_ps", 3)``; None: not known for this row."""
        found = types.Value()
        self.call(self._value_function(), name.encode(), row, ctypes.byref(found))
        return value_of(found)

    def _value_function(self) -> str:
        return f"{self.names}_result"

    def rows(self, table: str) -> int:
        """The number of rows of a table."""
        count = ctypes.c_size_t()
        self.call(f"{self.names}_result_rows" if self.names == "orrery" else f"{self.names}_rows", table.encode(),
                  ctypes.byref(count))
        return count.value

    def table(self, name: str) -> Table:
        """A table by its name in docs/results.md: ``table("npus")``."""
        rows = self.rows(name)
        columns = self._columns(name)
        return Table(columns, lambda column: [self.value(f"{name}.{column}", row) for row in range(rows)], rows)

    def _columns(self, table: str) -> list[str]:
        """The results of a table that can be asked for by name: lists are tables of their own."""
        return [info.name for info in result_infos().get(table, []) if info.unit != "list" and _is_name(info.name)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self.main and name in self._columns(self.main):
            return self.value(f"{self.main}.{name}")
        for table in (name, f"{self.main}.{name}"):
            if table in self.tables:
                return self.table(table)
        raise AttributeError(f"{type(self).__name__} has no result {name!r}{self._nearest(name)}")

    def _nearest(self, name: str) -> str:
        import difflib

        names = [*self._columns(self.main), *self.tables]
        near: Optional[list[str]] = difflib.get_close_matches(name, names, 1)
        return f"; did you mean {near[0]!r}?" if near else f": expected one of {', '.join(names)}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns(self.main), *self.tables]

    def to_dict(self) -> dict[str, Any]:
        """The results of the object itself by name, those that are known."""
        found = {}
        for name in self._columns(self.main):
            try:
                value = self.value(f"{self.main}.{name}")
            except InputError:  # only told where something else was recorded
                continue
            if value is not None:
                found[name] = value
        return found


def _is_name(name: str) -> bool:
    return name.replace("_", "").isalnum() and name.islower()
