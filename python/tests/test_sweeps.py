"""Sweeps over lists and functions, and of files."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import REDUCE, RING, ROOT

import orrery

AXES = {"network.dims[0].bandwidth": ["50 GB/s", "100 GB/s"], "system.chunks": [1, 2, 4]}


def test_every_combination_is_a_point(platform, workload):
    sweep = orrery.sweep(platform, workload, AXES)
    assert len(sweep) == 6 and sweep["system.chunks"] == [1, 2, 4, 1, 2, 4] and sweep.error == [None] * 6
    for row in sweep:
        settings = {axis: row[axis] for axis in AXES}
        assert row.wall_ps == orrery.run(RING, REDUCE, settings=settings).wall_ps
    assert sweep.best().wall_ps == min(sweep.wall_ps)


def test_functions_of_the_point(platform, workload):
    sweep = orrery.sweep(platform, workload, {"share": [0.25, 0.5]}, metrics={"ms": lambda job: job.wall_ps * 1e-9}, results=["npus.idle_ps", "npus"],
                         settings={"network.dims[0].bandwidth": lambda p: f"{400 * p['share']} GB/s", "network.dims[1].bandwidth": "100 GB/s"})
    assert sweep.columns == ("share", "npus.idle_ps", "npus", "ms", "error") and sweep.npus == [8, 8]
    assert sweep.ms[0] == orrery.run(RING, REDUCE, **{"network.dims[0].bandwidth": "100 GB/s", "network.dims[1].bandwidth": "100 GB/s"}).wall_ps * 1e-9


def test_platform_of_a_function():
    sweep = orrery.sweep(lambda p: {"network": {"topology": f"Ring({p['npus']})", "bandwidth": "100 GB/s"}}, REDUCE, {"npus": range(2, 6)},
                         results=["job.npus"], threads=2)
    assert sweep["job.npus"] == [2, 3, 4, 5]


def test_points_and_where(platform, workload):
    sweep = orrery.sweep(platform, workload, points=[{"system.chunks": 1}, {"system.chunks": 2}], where=lambda p: p["system.chunks"] > 1)
    assert sweep.to_dict()["system.chunks"] == [2]


def test_arrays_are_axes(platform, workload):
    numpy = pytest.importorskip("numpy")
    assert orrery.sweep(platform, workload, {"system.chunks": numpy.array([1, 2])})["system.chunks"] == [1, 2]


def test_failed_point_is_a_result(platform, workload):
    sweep = orrery.sweep(platform, workload, {"system.chunks": [-1, 4]})
    assert sweep.wall_ps[0] is None and "system.chunks" in sweep.error[0] and sweep.error[1] is None and sweep.best()["system.chunks"] == 4
    with pytest.raises(orrery.InputError, match="no point has wall_ps"):
        orrery.sweep(platform, workload, {"system.chunks": [-1]}).best()


def test_exception_of_a_function_has_its_traceback(platform, workload):
    def metric(job):
        raise KeyError("of the metric")

    with pytest.raises(KeyError, match="of the metric") as told:
        orrery.sweep(platform, workload, AXES, metrics={"x": metric})
    assert told.traceback[-1].name == "metric"


@pytest.mark.parametrize("axes, said", [({"system.chunks": 4}, "expected a list"), ({"system.chunks": "4"}, "expected a list"),
                                        ({"system.chunks": []}, "at least one value"), ({"system.chunks": {"a": 1}}, "expected a list")])
def test_wrong_axes_are_errors(platform, workload, axes, said):
    with pytest.raises(orrery.InputError, match=said):
        orrery.sweep(platform, workload, axes)


def test_unknown_option_is_an_error(platform, workload):
    with pytest.raises(TypeError, match="unexpected argument 'retry'"):
        orrery.sweep(platform, workload, AXES, retry=True)


def test_sweep_of_a_file_is_that_of_the_command(orrery_command, tmp_path):
    text = ("sweep:\n  platform: dgx_a100_64\n  workload: all_reduce_1gb\n  axes:\n    system.chunks: [1, 4]\n"
            "    network.dims[0].bandwidth: [100 GB/s, 300 GB/s]\n")
    (tmp_path / "study.yml").write_text(text)
    orrery_command("sweep", tmp_path / "study.yml", "-o", tmp_path / "told", "--progress", "never")
    seen = []
    study = orrery.sweep(tmp_path / "study.yml", progress=lambda done, points: seen.append((done, points)))
    assert study.csv() == (tmp_path / "told.csv").read_text() and sorted(seen) == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert study.points["system.chunks"] == [1, 1, 4, 4] and len(study.by_time) == 4 and study.by_time.wall_ps == sorted(study.points.wall_ps)
    assert orrery.sweep(text).csv() == study.csv()


def test_exception_of_progress_reaches_the_caller():
    def progress(done, points):
        raise RuntimeError("of progress")

    with pytest.raises(RuntimeError, match="of progress") as told:
        orrery.sweep({"sweep": {"platform": "dgx_a100_64", "workload": "all_reduce_1gb", "axes": {"system.chunks": [1, 4]}}}, progress=progress)
    assert told.traceback[-1].name == "progress"
    with pytest.raises(RuntimeError, match="of progress"):
        orrery.run(RING, REDUCE, progress=progress)


def test_frame_of_pandas(platform, workload):
    pytest.importorskip("pandas")
    frame = orrery.sweep(platform, workload, AXES).to_frame()
    assert list(frame.columns) == [*AXES, "wall_ps"] and len(frame) == 6


def test_plots_without_matplotlib(platform, workload, monkeypatch, tmp_path):
    monkeypatch.setenv("ORRERY_PLOTS", "svg")
    sweep = orrery.sweep(platform, workload, AXES)
    picture = sweep.plot()
    picture.save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().count("<circle") == 6 and picture.count("<polyline") == 3
    assert sweep.plot("system.chunks").count("<polyline") == 2 and "<svg" in sweep._repr_html_()
    assert orrery.run(platform, workload).plot().count("<rect") >= 2


def test_plots_with_matplotlib(platform, workload, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.delenv("ORRERY_PLOTS", raising=False)
    assert len(orrery.sweep(platform, workload, AXES).plot("system.chunks").lines) == 2


SLOW = """
import orrery, sys
sys.path.insert(0, "python/tests")
from conftest import RING
slow = {"workload": {"generate": "all_reduce", "bytes": "16 GB"}}
print("begin", flush=True)
%s
"""


def interrupted(code):
    """Runs code, sends it SIGINT as soon as it has begun, and returns what it prints then."""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SLOW % code], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert process.stdout.readline() == "begin\n"
    assert process.stdout.readline() == "first\n"
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)[0], process.returncode


def test_ctrl_c_gives_what_is_done():
    said, status = interrupted("""
chunks = [1] * 3 + [4096] * 400
def told(done, points):
    if done >= 3: print("first", flush=True)
s = orrery.sweep(orrery.Platform(RING), slow, points=[{"system.chunks": c} for c in chunks], threads=2, progress=told, record="traffic")
print(s.stopped, 3 <= len(s) < 403, min(s.wall_ps) > 0)
""")
    assert (said.splitlines()[-1], status) == ("True True True", 0)


def test_ctrl_c_ends_the_sweep_of_a_file(tmp_path):
    (tmp_path / "platform.yml").write_text(json.dumps({**RING, "workload": {"generate": "all_reduce", "bytes": "16 GB"}}))
    said, status = interrupted(f"""
def told(done, points):
    print("first", flush=True)
axes = {{"system.chunks": list(range(2048, 4096, 4))}}
s = orrery.sweep({{"sweep": {{"platform": "{tmp_path}/platform.yml", "axes": axes}}}}, threads=2, progress=told)
ran = [error is None for error in s.points.error]
print(s.stopped, 0 < sum(ran) < len(ran) == 512, len(s.by_time) == sum(ran), {{error for error in s.points.error if error}})
""")
    assert (said.splitlines()[-1], status) == ("True True True {'the sweep was stopped before it'}", 0)


def test_ctrl_c_keeps_the_files_of_a_sweep(tmp_path):
    (tmp_path / "platform.yml").write_text(json.dumps({**RING, "workload": {"generate": "all_reduce", "bytes": "16 GB"}}))
    code = f"""
axes = {{"system.chunks": list(range(3200, 4096, 4))}}
given = dict(given={{"sweep": {{"platform": "{tmp_path}/platform.yml", "axes": axes}}}}, output="{tmp_path}/out")
def told(done, points):
    print("first", flush=True)
try:
    orrery.sweep(given["given"], output=given["output"], threads=2, progress=told)
except KeyboardInterrupt:
    print(len(orrery.sweep(given["given"], output=given["output"]).by_time))
"""
    said, status = interrupted(code)
    assert (said.splitlines()[-1], status) == ("224", 0)


def test_ctrl_c_leaves_a_job_where_it_is():
    said, status = interrupted("""
job = orrery.Job(RING, slow, fold=False, **{"system.chunks": 4096})
try:
    for _ in range(1000):
        print("first", flush=True)
        job.run()
        job = orrery.Job(RING, slow, fold=False, **{"system.chunks": 4096})
except KeyboardInterrupt:
    job = orrery.Job(RING, slow, fold=False, **{"system.chunks": 4096}) if job.ran else job
    print("left", job.ran, job.run().ran)
""")
    assert (said.splitlines()[-1], status) == ("left False True", 0)


def test_other_threads_sweep_too(platform, workload):
    found = []
    thread = threading.Thread(target=lambda: found.append(orrery.sweep(platform, workload, AXES)))
    thread.start()
    thread.join()
    assert len(found[0]) == 6 and time.monotonic() > 0
