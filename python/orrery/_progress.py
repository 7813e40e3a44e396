"""Progress: a bar of tqdm where it is there, or a function of the caller's."""
from __future__ import annotations

from typing import Any, Callable, Union

Progress = Union[bool, Callable[..., Any], None]


class Bar:
    """Told how much of a total is done; ``progress=True``: shown by tqdm, if it is there; a function: called with
    (done, total)."""

    def __init__(self, progress: Progress, what: str, unit: str):
        self._call = progress if callable(progress) else None
        self._bar: Any = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(desc=what, unit=unit)

    def at(self, done: int, total: int) -> None:
        if self._call is not None:
            self._call(done, total)
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
