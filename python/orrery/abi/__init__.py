"""The C library as it is: constants, structs and prototypes of include/orrery/*.h, made by python/generate_abi.py.

``orrery.abi.constants.RECORD_NODES``, ``orrery.abi.types.SummaryRow``, and ``orrery.lib().orrery_summary(...)``: every
public function can be called. The classes of the package ``orrery`` are made of them.
"""
from . import constants, types
from .functions import FUNCTIONS

__all__ = ["FUNCTIONS", "constants", "types"]
