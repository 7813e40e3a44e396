"""Makes the package for pip (PEP 517) with nothing but Python: no setuptools, no compiler, no network.

The wheel takes along the shared library (ORRERY_LIBRARY, or that of the tree's build folders) and the inputs that ship, and
is for this machine then; without a built library it holds Python alone, and finds one at its prefix.
"""
import base64
import hashlib
import importlib.util
import os
import re
import sysconfig
import zipfile
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]
TREE = PYTHON.parent


def make_abi():
    """The types of the headers, which the package takes along."""
    spec = importlib.util.spec_from_file_location("generate_abi", PYTHON / "generate_abi.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.refresh()


def version():
    text = (PYTHON / "orrery" / "abi" / "constants.py").read_text()
    return re.search(r"^VERSION = '([^']+)'", text, flags=re.M)[1]


def library():
    """The shared library to take along; None: there is none."""
    named = os.environ.get("ORRERY_LIBRARY")
    if named:
        if not Path(named).is_file():
            raise SystemExit(f"ORRERY_LIBRARY={named}: no such file")
        return Path(named)
    name = f"liborrery.so.{'.'.join(version().split('.')[:2])}"
    built = sorted(TREE.glob(f"build/*/lib/{name}"), key=lambda path: (path.parts[-3] != "release", -path.stat().st_mtime))
    return built[0] if built else None


def contents(shared):
    """(name in the wheel, bytes) of all files."""
    for path in sorted((PYTHON / "orrery").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield str(path.relative_to(PYTHON)), path.read_bytes()
    if shared is not None:
        yield f"orrery/lib/liborrery.so.{'.'.join(version().split('.')[:2])}", shared.read_bytes()
        for path in sorted((TREE / "inputs").rglob("*")):
            if path.is_file():
                yield f"orrery/share/orrery/{path.relative_to(TREE / 'inputs')}", path.read_bytes()


def metadata():
    return f"Metadata-Version: 2.1\nName: orrery\nVersion: {version()}\nSummary: A simulator of distributed deep-learning " \
           "training\nRequires-Python: >=3.9\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    make_abi()
    shared = library()
    tag = "py3-none-any" if shared is None else f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info, name = f"orrery-{version()}.dist-info", f"orrery-{version()}-{tag}.whl"
    files = [*contents(shared), (f"{info}/METADATA", metadata().encode()),
             (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: orrery_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())]
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files:
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
        wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the package is made of the tree: pip install --no-build-isolation ./python")
