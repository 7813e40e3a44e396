"""Finds the shared library and gives its functions their types."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
import threading
from pathlib import Path
from typing import Any, Iterator, Optional

from ._errors import LibraryError
from .abi import FUNCTIONS, constants

_VERSION = ".".join(constants.VERSION.split(".")[:2])
_NAME = f"liborrery.so.{_VERSION}"
_loading = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def _in_build_folders(tree: Path) -> Iterator[Path]:
    """The libraries of a source tree: release first, then the one built last."""
    found = [path for path in tree.glob(f"build/*/lib/{_NAME}")]
    return iter(sorted(found, key=lambda path: (path.parts[-3] != "release", -path.stat().st_mtime)))


def _in_prefixes(package: Path) -> Iterator[Path]:
    for prefix in [*package.parents, Path(sys.prefix), Path(sys.base_prefix), Path("/usr/local"), Path("/usr")]:
        for lib in ("lib", "lib64", f"lib/{os.uname().machine}-linux-gnu"):
            if (prefix / lib / _NAME).exists():
                yield prefix / lib / _NAME


def _candidates() -> Iterator[str]:
    """Files to try, the best first: in the package, in the tree that it lies in, in prefixes, where the loader looks."""
    package = Path(__file__).resolve().parent
    if (package / "lib" / _NAME).exists():
        yield str(package / "lib" / _NAME)
    if (package.parents[1] / "include" / "orrery" / "orrery.h").exists():
        yield from map(str, _in_build_folders(package.parents[1]))
    yield from map(str, _in_prefixes(package))
    yield _NAME


def _check_version(library: ctypes.CDLL, path: str) -> None:
    library.orrery_version.restype = ctypes.c_char_p
    version = library.orrery_version().decode()
    if version.split(".")[:2] != _VERSION.split("."):
        raise LibraryError(f"{path} is version {version}, expected {_VERSION}: the package and the library of one version")


def _with_plugins(library: ctypes.CDLL) -> ctypes.CDLL:
    """Loads the plugins of ORRERY_PLUGINS, as the command does when it starts."""
    error = ctypes.create_string_buffer(4096)
    if library.orrery_load_plugins(error, len(error)) != constants.OK:
        raise LibraryError(error.value.decode(errors="replace"))
    return library


def _open(path: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(path)
        _check_version(library, path)
    except (OSError, AttributeError) as error:
        raise LibraryError(f"{path} is no Orrery library: {error}") from None
    for name, (result, parameters) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError(f"{path} has no function {name}: build it anew") from None
        function.restype, function.argtypes = result, parameters
    return library


def _find() -> ctypes.CDLL:
    named = os.environ.get("ORRERY_LIBRARY")
    if named:
        return _open(os.path.abspath(named) if os.sep in named else named)  # it may ask later where it lies
    for path in _candidates():
        if path != _NAME or _is_known_to_loader():
            return _open(path)
    raise LibraryError(f"there is no {_NAME}: build it (cmake --build --preset release --target liborrery_shared), install "
                       "it, or name it by ORRERY_LIBRARY=FILE.so")


def _is_known_to_loader() -> bool:
    try:
        ctypes.CDLL(_NAME)
    except OSError:
        return False
    return True


def lib() -> Any:
    """The C library, loaded at the first call: ``lib().orrery_version()``. Its functions run without the interpreter's
    lock. Searched for: ORRERY_LIBRARY=FILE.so, in the package, in the build folders of the tree, in prefixes."""
    global _loaded
    if _loaded is None:
        with _loading:
            _loaded = _loaded or _with_plugins(_find())
    return _loaded


def version() -> str:
    """The version of the C library.

    >>> version().split(".")[0]
    '0'
    """
    return lib().orrery_version().decode()
