"""Orrery simulates the training of deep-learning models on clusters.

>>> import orrery
>>> job = orrery.run("dgx_a100_64", "all_reduce_1gb")
>>> job.npus
64

One function a question: run, whatif, sweep, diff, bench_collective, plan_llm, plan_topoopt, plan_sip_ml, topology, import_,
schedule, goodput, fit_collectives, fit_compute, convert, profile, report. `lib()` is the C library itself.
"""
from ._errors import (BusyError, ClosedError, DeadlockError, FileError, InputError, InternalError, LibraryError, OrreryError,
                      OrreryWarning, OutOfMemoryError)
from ._extend import backend, check_plugin, collective, controller, load_plugin
from ._inputs import Platform, Workload, find_input, inputs, inputs_folder, patterns, schema
from ._job import Job, run
from ._library import lib, version
from ._networks import Conversion, OperatorGraph, Page, Topology, Trace, convert, report, topology
from ._plans import Plan, plan_sip_ml, plan_topoopt
from ._results import ResultInfo, Results, Row, Table, result_infos
from ._studies import (Fit, Study, bench_collective, diff, fit_collectives, fit_compute, goodput, import_, parallel, plan_llm,
                       profile, schedule, schedules, whatif)
from ._sweep import Sweep, sweep
from .abi.constants import VERSION as __version__

__all__ = ["BusyError", "ClosedError", "Conversion", "DeadlockError", "FileError", "Fit", "InputError", "InternalError",
           "Job", "LibraryError", "OperatorGraph", "OrreryError", "OrreryWarning", "OutOfMemoryError", "Page", "Plan",
           "Platform", "ResultInfo", "Results", "Row", "Study", "Sweep", "Table", "Topology", "Trace", "Workload",
           "__version__", "backend", "bench_collective", "check_plugin", "collective", "controller", "convert", "diff", "find_input", "fit_collectives", "fit_compute", "goodput",
           "import_", "inputs", "inputs_folder", "lib", "load_plugin", "parallel", "patterns", "plan_llm", "plan_sip_ml", "plan_topoopt",
           "profile", "report", "result_infos", "run", "schedule", "schedules", "schema", "sweep", "topology", "version",
           "whatif"]
