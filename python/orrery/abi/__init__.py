"""The C library as it is: constants, structs and prototypes of include/orrery/*.h, made by python/generate_abi.py.

``orrery.abi.constants.RECORD_NODES``, ``orrery.abi.types.SummaryRow``, and ``orrery.lib().orrery_summary(...)``: every
public function can be called. The classes of the package ``orrery`` are made of them.
"""
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def _follow_headers() -> None:
    """In the tree: makes the files anew where the headers have changed."""
    generator = Path(__file__).resolve().parents[2] / "generate_abi.py"
    if not (generator.exists() and (generator.parents[1] / "include" / "orrery" / "orrery.h").exists()):
        return
    spec = importlib.util.spec_from_file_location("orrery_generate_abi", generator)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            module.refresh()
        except OSError:  # a tree that may not be written: they are made in memory
            for name, text in module.texts().items():
                _load(name[:-3], text)


def _load(name: str, text: str) -> None:
    made = ModuleType(f"{__name__}.{name}")
    made.__package__ = __name__
    sys.modules[made.__name__] = made
    exec(text, made.__dict__)


_follow_headers()

from . import constants, types  # noqa: E402
from .functions import FUNCTIONS  # noqa: E402

__all__ = ["FUNCTIONS", "constants", "types"]
