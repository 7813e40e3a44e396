"""Handles of the C library: calls, their errors, warnings and callbacks; texts from streams."""
from __future__ import annotations

import ctypes
import sys
import threading
import warnings
from typing import Any, Callable, Optional

from ._errors import BusyError, ClosedError, OrreryWarning, error_of
from ._interrupt import interruptible
from ._library import lib
from .abi import FUNCTIONS, types

_libc = ctypes.CDLL(None, use_errno=True)
_libc.open_memstream.restype = ctypes.c_void_p
_libc.open_memstream.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
_libc.fclose.argtypes = [ctypes.c_void_p]
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None


class Callbacks:
    """Python functions that C calls. An exception in one is kept, and raised when the call of C has returned."""

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None

    def wrap(self, kind: Any, function: Callable[..., Any], otherwise: Any = None) -> Any:
        """The function for C; `otherwise`: what it returns when it, or one before it, has raised."""

        def guarded(*arguments: Any) -> Any:
            if self.error is not None:
                return otherwise
            try:
                return function(*arguments)
            except BaseException as error:  # noqa: BLE001: raised by `check`
                self.error = error
                return otherwise

        return kind(guarded)

    def check(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error


outside = Callbacks()  # of parts of Python's own (_extend.py), which any simulation calls


class Handle:
    """An object of the C library: `names` begin its functions, ``orrery_plan`` of ``orrery_plan_new``. Calls on it are for
    one thread at a time; another thread gets a BusyError."""

    names = "orrery"

    def __init__(self, *arguments: Any) -> None:
        self._lock = threading.Lock()
        self._callbacks = Callbacks()
        self._warned: list[str] = []
        self._handle: Optional[int] = None
        self._function("new")  # a library that is missing is told here
        self._handle = self._function("new")(*arguments)
        if self._handle is None:
            raise MemoryError("no memory for a handle")
        self._watch_warnings()

    def _function(self, name: str) -> Any:
        return getattr(lib(), f"{self.names}_{name}")

    def _watch_warnings(self) -> None:
        if f"{self.names}_on_warning" in FUNCTIONS:
            warned = self._warned  # not self: a circle would keep the handle until the next collection
            self._warn = self._callbacks.wrap(types.OnWarning, lambda _, text: warned.append(text.decode()))
            self._function("on_warning")(self._handle, self._warn, None)

    def call(self, function: str, *arguments: Any) -> None:
        """Calls ``lib().FUNCTION(handle, ...)``; a status that is not OK becomes an exception. Warnings follow."""
        self.raw(function, *arguments, check=True)

    def call_interruptible(self, function: str, *arguments: Any, stop: Optional[Callable[[], None]] = None) -> None:
        """The same for calls that take long: Ctrl-C is heard, and `stop` called (see interruptible)."""
        try:
            interruptible(lambda: self.raw(function, *arguments, check=True, tell=False), stop)
        finally:
            self._tell_warnings()

    def raw(self, function: str, *arguments: Any, check: bool = False, tell: bool = True) -> Any:
        """Calls a function with the handle, and returns its result."""
        if not self._lock.acquire(blocking=False):
            raise BusyError(f"this {type(self).__name__} is in use by another thread")
        try:
            handle = self.open_handle
            result = getattr(lib(), function)(handle, *arguments)
            text = self._function("error")(handle).decode(errors="replace") if check and result != 0 else ""
        finally:
            self._lock.release()
        self._callbacks.check()
        outside.check()
        if tell:
            self._tell_warnings()
        if check and result != 0:
            raise error_of(result, text)
        return result

    def _tell_warnings(self) -> None:
        while self._warned:
            warnings.warn(self._warned.pop(0), OrreryWarning, stacklevel=_outside())

    def write(self, function: str, *arguments: Any) -> str:
        """What ``FUNCTION(handle, stream, ...)`` writes; arguments hold the stream as STREAM, or it is the first."""
        return self.write_bytes(function, *arguments).decode()

    def write_bytes(self, function: str, *arguments: Any) -> bytes:
        given = arguments if STREAM in arguments else (STREAM, *arguments)
        with Stream() as stream:
            self.call(function, *[stream.file if one is STREAM else one for one in given])
            return stream.close()

    @property
    def open_handle(self) -> int:
        """The handle for structs that hold it; an error if it is closed."""
        if self._handle is None:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._handle is None

    def close(self) -> None:
        """Frees it; further use is an error. Closing twice is fine."""
        if not self._lock.acquire(blocking=False):
            raise BusyError(f"this {type(self).__name__} is in use by another thread")
        try:
            handle, self._handle = self._handle, None
        finally:
            self._lock.release()
        if handle is not None:
            self._function("free")(handle)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._function("free")(self._handle)
            self._handle = None


STREAM: Any = object()


def _outside() -> int:
    """How many frames up the caller of this package is, for warnings."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "orrery":
        frame, depth = frame.f_back, depth + 1
    return depth


class Stream:
    """A FILE * of the C library that collects what is written in memory."""

    def __init__(self) -> None:
        self._text, self._bytes = ctypes.c_void_p(), ctypes.c_size_t()
        self.file = _libc.open_memstream(ctypes.byref(self._text), ctypes.byref(self._bytes))
        if not self.file:
            raise MemoryError("no memory for a stream")

    def close(self) -> bytes:
        """Ends it, and returns what was written."""
        file, self.file = self.file, None
        failed = file is not None and _libc.fclose(file) != 0
        data = ctypes.string_at(self._text, self._bytes.value) if self._text and not failed else b""
        self._free()
        if failed:
            raise MemoryError("no memory for a text")
        return data

    def _free(self) -> None:
        _libc.free(self._text)
        self._text = ctypes.c_void_p()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.file is not None:
            _libc.fclose(self.file)
            self.file = None
        self._free()
