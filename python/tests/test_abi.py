"""orrery.abi is what the headers declare: every function is there, every struct lies as the compiler lays it out."""
import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import orrery
from orrery import abi

HEADERS = sorted((ROOT / "include" / "orrery").glob("*.h"))
DECLARED = sorted(set(re.findall(r"\b(orrery_\w+)\(", " ".join(
    match for path in HEADERS for match in re.findall(r"ORRERY_API[^;]*;", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S))))))


def test_files_follow_the_headers():
    done = subprocess.run([sys.executable, ROOT / "python" / "generate_abi.py"], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("as before\n") and done.stdout.startswith(f"{len(DECLARED)} functions, ")


def test_changed_header_is_followed(tmp_path):
    """A tree with another constant: it is there at the next import, and the files are written once."""
    for folder in ("include/orrery", "python/orrery"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "python" / "generate_abi.py", tmp_path / "python")
    header = tmp_path / "include" / "orrery" / "study.h"
    header.write_text(header.read_text().replace("enum orrery_form {", "enum { ORRERY_NEW = 41 + 1 };\nenum orrery_form {"))
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", "import orrery.abi; print(orrery.abi.constants.NEW)"], check=True, text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(tmp_path / "python")})
        assert done.stdout == "42\n"


@pytest.mark.parametrize("name", DECLARED)
def test_function_is_reachable_with_its_types(name):
    function = getattr(orrery.lib(), name)
    assert (function.restype, function.argtypes) == (abi.FUNCTIONS[name][0], abi.FUNCTIONS[name][1])


def test_all_functions_are_declared():
    assert sorted(abi.FUNCTIONS) == DECLARED and len(DECLARED) > 200


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    """sizeof each struct and offsetof each member, as the C compiler has them."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("layout")
    lines = ["#include <signal.h>", "#include <stdio.h>", *[f'#include "orrery/{path.name}"' for path in HEADERS],
             "int main(void) {"]
    for name, kind in abi.types.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        lines += [f'printf("{name}.{member} %zu\\n", offsetof(struct {name}, {member}));'
                  for member, *_ in kind._fields_ if not member.startswith("_gap")]
    (folder / "layout.c").write_text("\n".join([*lines, "return 0; }"]))
    subprocess.run(["cc", "-I", ROOT / "include", "-o", folder / "layout", folder / "layout.c"], check=True)
    told = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True).stdout
    return {name: int(size) for name, size in map(str.split, told.splitlines())}


@pytest.mark.parametrize("name", sorted(abi.types.STRUCTS))
def test_struct_lies_as_in_c(layout, name):
    kind = abi.types.STRUCTS[name]
    assert ctypes.sizeof(kind) == layout[name]
    for member, *_ in kind._fields_:
        if not member.startswith("_gap"):
            assert getattr(kind, member).offset == layout[f"{name}.{member}"], member


def test_tree_that_may_not_be_written(tmp_path):
    for folder in ("include/orrery", "python/orrery"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", *["constants.py", "types.py", "functions.py"]))
    shutil.copy(ROOT / "python" / "generate_abi.py", tmp_path / "python")
    tmp_path.chmod(0o755)
    for parent in (tmp_path.parent, tmp_path.parent.parent):
        parent.chmod(0o755)
    (tmp_path / "python" / "orrery" / "abi").chmod(0o555)
    nobody = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    script = "import orrery; print(orrery.abi.constants.RECORD_PATH, orrery.abi.types.Inputs.__name__, len(orrery.abi.FUNCTIONS) > 200)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd="/",
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "python"), "PYTHONDONTWRITEBYTECODE": "1"}, **nobody)
    (tmp_path / "python" / "orrery" / "abi").chmod(0o755)
    assert done.stdout == "2 Inputs True\n", done.stderr
    assert not (tmp_path / "python" / "orrery" / "abi" / "constants.py").exists()


def test_version_is_that_of_the_library():
    assert orrery.version() == orrery.__version__


@pytest.mark.parametrize("value", [0, 1, -1, 2**63, -(2**63), 2**100, -(2**100)])
def test_wide_numbers(value):
    wide = abi.types.Wide(value & (2**64 - 1), value >> 64)
    assert int(wide) == value


def test_library_of_another_name_is_an_error(tmp_path):
    (tmp_path / "no.so").write_text("no library")
    script = "import orrery\ntry: orrery.version()\nexcept orrery.LibraryError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "python"), "ORRERY_LIBRARY": str(tmp_path / "no.so"), "PATH": "/usr/bin"})
    assert done.stdout.startswith(f"{tmp_path}/no.so is no Orrery library: "), done.stderr


def test_library_of_something_else_is_an_error():
    script = "import orrery\ntry: orrery.version()\nexcept orrery.LibraryError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "python"), "ORRERY_LIBRARY": "libm.so.6", "PATH": "/usr/bin"})
    assert done.stdout.startswith("libm.so.6 is no Orrery library: "), done.stderr
