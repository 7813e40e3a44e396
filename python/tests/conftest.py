"""What the tests of the Python package share: it is loaded from the tree; ORRERY_BUILD_DIR names the build whose library and
command are tested."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
BUILD = Path(os.environ.get("ORRERY_BUILD_DIR", ROOT / "build" / "release")).resolve()
os.environ.setdefault("ORRERY_LIBRARY", str(BUILD / "lib" / "liborrery.so"))
COMMAND = os.environ.get("ORRERY_BIN", str(BUILD / "bin" / "orrery"))

RING = {"network": {"topology": "Ring(4)_Switch(2)", "dims": [{"bandwidth": "100 GB/s"}, {"bandwidth": "50 GB/s"}]},
        "compute": {"peak": "100 TFLOP/s"}, "system": {"chunks": 4, "algorithms": {"default": "by_block"}}}
REDUCE = {"workload": {"generate": "all_reduce", "bytes": "16 MB"}}


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def orrery_command():
    """Runs the command, and returns what it prints; without the preloaded libraries of sanitizers."""

    def run(*arguments):
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run([COMMAND, *map(str, arguments)], check=True, capture_output=True, env=environment).stdout.decode()

    return run


@pytest.fixture
def platform():
    import orrery

    return orrery.Platform(RING)


@pytest.fixture
def workload():
    import orrery

    return orrery.Workload(REDUCE)
