"""Runs: numbers by hand, texts to the byte of the command's."""
import gc
import os
import resource
import threading

import pytest
from conftest import REDUCE, RING

import orrery

# all-reduce of 800 MB in a ring of 8, both ways: 2 * 7/8 * 800 MB / (2 * 100 GB/s) = 7 ms
RING_8 = {"network": {"topology": "Ring(8)", "bandwidth": "100 GB/s"}, "system": {"chunks": 1}}
MB_800 = {"workload": {"generate": "all_reduce", "bytes": "800 MB"}}


def test_ring_takes_what_the_formula_says():
    job = orrery.run(RING_8, MB_800)
    assert job.wall_ps == 7_000_000_000 and job.npus == 8 and len(job.per_npu) == 8


def test_results_by_name():
    job = orrery.run(RING_8, MB_800)
    assert job.value("job.wall_ps") == job.value("wall_ps") == job.wall_ps
    assert job.value("npus.idle_ps", 3) == job.per_npu[3].idle_ps == job.per_npu.idle_ps[3] == 0
    assert job.dims.block == ["ring"] and job.dims[0]["bandwidth_bytes_per_s"] == 1e11
    assert job.to_dict()["wall_s"] == 0.007
    assert {"wall_ps", "dims"} <= set(dir(job)) and "block" in dir(job.dims) and dict(job.dims[0])["npus"] == 8


@pytest.mark.parametrize("arguments, record", [([], "nodes"), (["--why"], ["nodes", "path"]), (["--per-npu"], "nodes")])
def test_json_is_that_of_the_command(orrery_command, arguments, record):
    job = orrery.run("dgx_a100_64", "all_reduce_1gb", record=record)
    assert job.json("--per-npu" in arguments) == orrery_command("run", "dgx_a100_64", "all_reduce_1gb", *arguments, "--json", "-")


def test_settings_are_those_of_the_command(orrery_command):
    job = orrery.run("dgx_a100_64", "all_reduce_1gb", record="nodes", **{"system.chunks": 4, "network.dims[0].bandwidth": "200 GB/s"})
    told = orrery_command("run", "dgx_a100_64", "all_reduce_1gb", "--set", "system.chunks=4", "--set",
                          "network.dims[0].bandwidth=200 GB/s", "--json", "-")
    assert job.json() == told


def test_tables_are_those_of_the_command(orrery_command):
    assert orrery.run("dgx_a100_64", "all_reduce_1gb", record="nodes").text() == orrery_command("run", "dgx_a100_64", "all_reduce_1gb")


def test_csv_is_that_of_the_command(orrery_command):
    assert orrery.run("dgx_a100_64", "all_reduce_1gb").csv() == orrery_command("run", "dgx_a100_64", "all_reduce_1gb", "--csv", "-")


def test_explained_file_has_the_same_results():
    job = orrery.run("dgx_a100_64", "all_reduce_1gb")
    assert orrery.run(job.file()).wall_ps == job.wall_ps


def test_recorded_data():
    job = orrery.run(RING, REDUCE, record=["nodes", "path", "traffic", "link_use"])
    assert job.nodes(0).collective == ["all_reduce"] and job.nodes(7).bytes == [16_000_000]
    assert sum(job.table("critical_path.parts").ps) == job.wall_ps
    assert sum(job.pairs.bytes) == sum(job.dims.bytes)
    step_ps, busy = job.link_use(0)
    assert step_ps * len(busy) >= job.wall_ps and max(busy) > 0
    assert job.timeline().startswith(b"{") and job.timeline(gzip=True)[:2] == b"\x1f\x8b"
    assert job.traffic().lstrip().startswith("<") and job.traffic(False).count("\n") >= 8
    assert job.choices.collective == ["all_reduce"] and job.summary.count == [8]


def test_finish_order_and_iterations():
    job = orrery.run(RING, REDUCE)
    assert sorted(job.finish_order) == list(range(8)) and job.iteration_times_ps == [job.wall_ps]


def test_scale_doubles_what_it_says():
    once, twice = orrery.run(RING_8, MB_800), orrery.run(RING_8, MB_800, scale={"bandwidth": 2})
    assert once.wall_ps == 2 * twice.wall_ps
    assert orrery.run(RING_8, MB_800, scale={("bandwidth", 0): 2}).wall_ps == twice.wall_ps


def test_unfolded_is_the_same():
    assert orrery.run(RING, REDUCE, fold=False).wall_ps == orrery.run(RING, REDUCE).wall_ps


def test_explain_names_origins():
    found = {key: (value, origin) for key, value, origin in orrery.Job("dgx_a100_64", "all_reduce_1gb", **{"system.chunks": 4}).explain()}
    assert found["system.chunks"] == ("4", "command line")


def test_warnings_are_warnings():
    with pytest.warns(orrery.OrreryWarning) as told:
        job = orrery.Job(RING, REDUCE, **{"workload.iterations": 2})
    assert [str(one.message) for one in told] == job.warnings and told[0].filename == __file__


def test_progress_is_told():
    seen = []
    orrery.run(RING, REDUCE, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (8, 8)


def test_stopped_job_goes_on():
    job = orrery.Job(RING, {"workload": {"generate": "all_reduce", "bytes": "16 GB"}}, fold=False, **{"system.chunks": 4096})
    calls = []

    def at(done, total):
        calls.append(done)
        job.stop()

    job.run(progress=at)
    assert len(calls) == 1 and not job.ran and job.progress()["events"] > 0
    with pytest.raises(orrery.InputError, match="not run"):
        job.value("wall_s")
    assert job.run().wall_ps == orrery.run(RING, {"workload": {"generate": "all_reduce", "bytes": "16 GB"}}, **{"system.chunks": 4096}).wall_ps


def test_closed_job_is_an_error():
    with orrery.run(RING, REDUCE) as job:
        assert job.wall_ps > 0
    assert job.closed and repr(job) == "<Job: closed>"
    for use in (lambda: job.wall_ps, job.json, job.run, lambda: job.dims, lambda: orrery.report(job)):
        with pytest.raises(orrery.OrreryError, match="closed"):
            use()
    job.close()


def test_object_is_for_one_thread():
    job = orrery.Job(RING, REDUCE)
    job._lock.acquire()
    with pytest.raises(orrery.BusyError):
        job.run()
    with pytest.raises(orrery.BusyError):
        job.close()
    job._lock.release()


def test_jobs_run_beside_each_other(platform, workload):
    walls, threads = [], []
    for _ in range(8):
        threads.append(threading.Thread(target=lambda: walls.append(orrery.run(platform, workload).wall_ps)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(walls) == 8 and len(set(walls)) == 1


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="sanitizers keep what is freed")
def test_nothing_is_kept_of_jobs(platform, workload):
    def some(count):
        for _ in range(count):
            orrery.run(platform, workload, record="nodes").json()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = some(200)
    assert some(400) - before < 1024  # KiB


def test_cluster(tmp_path):
    (tmp_path / "reduce.yml").write_text("workload: {generate: all_reduce, bytes: 1 MB}\n")
    (tmp_path / "jobs.yml").write_text("cluster: {servers: 8, fabric: 'fat-tree:8,2', link_bandwidth: 100 Gb/s}\n"
                                       "jobs: [{workload: reduce.yml, npus: 4, iterations: 2}]\n")
    job = orrery.Job.cluster(tmp_path / "jobs.yml").run()
    assert [(len(one["ranks"]), len(one["iteration_ps"])) for one in job.jobs] == [(4, 2)]
    assert sum(job.jobs[0]["iteration_ps"]) == job.jobs[0]["end_ps"] == job.wall_ps


def test_pictures_of_notebooks():
    job = orrery.run(RING, REDUCE)
    assert "<table>" in job._repr_html_() and "<svg" in job._repr_html_() and "<td>" in job.dims._repr_html_()
    assert "not run" in orrery.Job(RING, REDUCE)._repr_html_()


def test_gil_is_free_during_a_run():
    """Another thread counts during a call of C: with the lock held it would stand still in every one; on a busy machine it may
    in some."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    most = 0
    for _ in range(50):
        job = orrery.Job(RING, {"workload": {"generate": "all_reduce", "bytes": "16 GB"}}, fold=False, **{"system.chunks": 4096})
        finished, call = orrery.abi.types.c_bool(), orrery.lib().orrery_run_some
        before = counted[0]
        call(job.open_handle, 1 << 40, finished)
        most = max(most, counted[0] - before)
        if most > 1000:
            break
    stop.set()
    thread.join()
    assert finished.value and most > 1000
