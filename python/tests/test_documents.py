"""Examples in docstrings and in docs/how-to/python.md run, and print what they say."""
import ast
import doctest
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

import orrery

MODULES = ["orrery", *[f"orrery.{module.name}" for module in pkgutil.iter_modules(orrery.__path__)]]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_how_to(tmp_path, monkeypatch):
    monkeypatch.setenv("ORRERY_PLOTS", "svg")
    monkeypatch.chdir(tmp_path)
    tried = doctest.testfile(str(ROOT / "docs" / "how-to" / "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried.failed == 0 and tried.attempted > 10


def test_every_public_name_is_described():
    assert [name for name in orrery.__all__ if not name.startswith("_") and not (getattr(orrery, name).__doc__ or "").strip()] == []


def test_package_is_typed():
    assert os.path.exists(os.path.join(os.path.dirname(orrery.__file__), "py.typed"))


def test_example_sweeps_and_plots(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "sweep.py", tmp_path / "points.svg"], check=True,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "ORRERY_PLOTS": "svg"})
    assert done.stdout.startswith("100 points, the fastest takes 19.941 ms: 600 GB/s, ")
    assert (tmp_path / "points.svg").read_text().count("<circle") == 100


def test_package_is_found_from_the_tree_and_installed(tmp_path):
    """pip makes a package without a compiler or the network; where it lies, it finds the library that it took along."""
    made = subprocess.run([sys.executable, "-c", "import orrery_build; print(orrery_build.build_wheel('.'))"], cwd=tmp_path, check=True,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python" / "build_backend")})
    with zipfile.ZipFile(tmp_path / made.stdout.strip()) as wheel:
        wheel.extractall(tmp_path / "site")
    environment = {name: value for name, value in os.environ.items() if name != "ORRERY_LIBRARY"}
    said = subprocess.run([sys.executable, "-c", "import orrery; print(orrery.run('dgx_a100_64', 'all_reduce_1gb').npus, orrery.inputs_folder())"],
                          cwd=tmp_path, check=True, capture_output=True, text=True, env={**environment, "PYTHONPATH": str(tmp_path / "site")})
    assert said.stdout == f"64 {tmp_path}/site/orrery/share/orrery\n"


def test_notebook_runs(capsys, tmp_path, monkeypatch):
    """Its cells, one behind the other, each with a last value that notebooks can show; by nbconvert where it is there."""
    path = ROOT / "examples" / "python" / "links.ipynb"
    monkeypatch.setenv("ORRERY_PLOTS", "svg")
    names, shown = {}, []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            *body, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(body, []), path.name, "exec"), names)
            assert isinstance(last, ast.Expr)
            shown.append(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
    assert all(hasattr(value, "_repr_html_") or hasattr(value, "_repr_svg_") for value in shown) and len(shown) == 5
    assert capsys.readouterr().out.startswith("between servers ")
    try:
        import nbconvert  # noqa: F401
    except ImportError:
        return
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--output-dir", tmp_path, path], check=True,
                   capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
