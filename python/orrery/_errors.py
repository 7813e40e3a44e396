"""Errors and warnings: exceptions that know their place in the input."""
from __future__ import annotations

import re
from typing import Optional, Type

from .abi import constants

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): ")
_BINARY = re.compile(r"(?P<file>[^:\n]+): record (?P<record>\d+), byte offset (?P<byte>\d+): ")


class OrreryWarning(UserWarning):
    """A warning of the library: valid input that is probably not what was meant."""


class OrreryError(Exception):
    """An error of the library.

    ``file``, ``line``, ``column`` are the place in a text (from 1), ``record`` and ``byte`` that in a binary file; None:
    there is none. ``message`` is what is said of it.
    """

    def __init__(self, text: str):
        super().__init__(text)
        found = _PLACE.match(text) or _BINARY.match(text)
        place = found.groupdict() if found else {}
        self.message: str = text[found.end():] if found else text
        self.file: Optional[str] = place.get("file")
        self.line = _number(place.get("line"))
        self.column = _number(place.get("column"))
        self.record = _number(place.get("record"))
        self.byte = _number(place.get("byte"))

    def __str__(self) -> str:
        return str(self.args[0])


def _number(text: Optional[str]) -> Optional[int]:
    return int(text) if text else None


class InputError(OrreryError, ValueError):
    """Bad usage, configuration or trace."""


class DeadlockError(OrreryError):
    """The simulated job cannot finish; the message names the nodes."""


class OutOfMemoryError(OrreryError, MemoryError):
    """Out of memory."""


class FileError(OrreryError, OSError):
    """A file cannot be read or written."""

    def __init__(self, text: str):
        OrreryError.__init__(self, text)


class InternalError(OrreryError):
    """A fault of Orrery's own."""


class LibraryError(OrreryError, ImportError):
    """The C library is missing, or is another version."""


class ClosedError(OrreryError, ValueError):
    """A closed object was used."""


class BusyError(OrreryError, RuntimeError):
    """An object was used while another thread used it."""


_CLASSES: dict[int, Type[OrreryError]] = {
    constants.ERROR_INPUT: InputError,
    constants.ERROR_DEADLOCK: DeadlockError,
    constants.ERROR_MEMORY: OutOfMemoryError,
    constants.ERROR_IO: FileError,
}


def error_of(status: int, text: str) -> OrreryError:
    """The exception for a status of the C library and its message."""
    return _CLASSES.get(status, InternalError)(text)
