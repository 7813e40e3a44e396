"""Structs of the C library filled with values of Python; settings as the texts that the library reads."""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Iterable, Mapping, Optional, Union

from ._errors import InputError

Settings = Union[Mapping[str, Any], Iterable[str], None]


def plain(value: Any) -> Any:
    """A value of Python's own types for one of NumPy's, pathlib's, ...; TypeError for one that is none of JSON's."""
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset, range, tuple)):
        return list(value)
    raise TypeError(f"expected a number, a text, a list, a dict or an array, got {type(value).__name__}")


def to_json(value: Any) -> str:
    """JSON of a value in which NumPy arrays may stand."""
    return json.dumps(value, default=plain, allow_nan=False)


def setting_text(key: str, value: Any) -> str:
    """``system.chunks=4``; lists and dicts are written as JSON.

    >>> setting_text("system.chunks", 4), setting_text("network.fluid", True)
    ('system.chunks=4', 'network.fluid=true')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    try:
        return f"{key}={value if isinstance(value, str) else to_json(value)}"
    except (TypeError, ValueError) as error:
        raise InputError(f"{key}: {error}") from None


def setting_texts(settings: Settings, more: Optional[Mapping[str, Any]] = None) -> list[str]:
    """All settings as texts. `settings` is a dict, or texts such as "system.chunks=4"; `more` are those given by name."""
    if isinstance(settings, str):
        raise TypeError('settings: expected a dict or a list of texts such as ["system.chunks=4"], got a text')
    texts = [setting_text(k, v) for k, v in settings.items()] if isinstance(settings, Mapping) else list(settings or ())
    for text in texts:
        if not isinstance(text, str) or "=" not in text:
            raise InputError(f'settings: expected texts such as "system.chunks=4", got {text!r}')
    for key, value in (more or {}).items():
        if "." not in key:
            raise TypeError(f"unexpected argument {key!r}: values of the input are named by a path with dots, such as "
                            "**{'system.chunks': 4}")
        texts.append(setting_text(key, value))
    return texts


def text_array(texts: Iterable[str]) -> Any:
    """const char *const * of texts."""
    encoded = [os.fsencode(text) for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def _encode(value: Any) -> Any:
    return os.fsencode(value) if isinstance(value, (str, os.PathLike)) else value


def fill(kind: Any, /, **members: Any) -> Any:
    """A struct with these members, and its size if it begins with one; texts and lists of texts are converted. None leaves
    a member as it is: absent."""
    struct = kind()
    first, first_type = kind._fields_[0]
    if first == "size" and first_type is ctypes.c_size_t:
        struct.size = ctypes.sizeof(kind)
    for name, value in members.items():
        if value is None:
            continue
        try:
            if isinstance(value, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) for one in value):
                value = text_array(value)
            elif isinstance(value, ctypes.Structure) and not isinstance(value, dict(kind._fields_)[name]):
                value = ctypes.pointer(value)
            setattr(struct, name, _encode(value))
        except (TypeError, KeyError) as error:
            raise TypeError(f"{name}: {error}") from None
    return struct


def snapshot(struct: Any) -> dict[str, Any]:
    """The members of a struct by name, texts and wide numbers as values of Python; sizes and gaps left out."""
    found = {}
    for name, _ in struct._fields_:
        if name != "size" and not name.startswith("_"):
            found[name] = of_c(getattr(struct, name))
    return found


def of_c(value: Any) -> Any:
    """A value of Python for one of a struct."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if hasattr(value, "high"):
        return int(value)
    if isinstance(value, ctypes.Structure):
        return snapshot(value)
    if isinstance(value, ctypes.Array):
        return [of_c(one) for one in value]
    return value
