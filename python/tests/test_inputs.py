"""Platforms and workloads in memory, and what is said of wrong ones."""
import math

import pytest
from conftest import REDUCE, RING

import orrery

SQUARE = [[0, 1e11, 1e11, 0], [1e11, 0, 0, 1e11], [1e11, 0, 0, 1e11], [0, 1e11, 1e11, 0]]


def test_dict_text_and_file_are_the_same(tmp_path):
    text = '{"network": {"topology": "Ring(8)", "bandwidth": "100 GB/s"}}\n'
    (tmp_path / "ring.yml").write_text(text)
    walls = {orrery.run(given, REDUCE).wall_ps for given in
             (text, tmp_path / "ring.yml", str(tmp_path / "ring.yml"), orrery.Platform(text=text), orrery.Platform(tmp_path / "ring.yml"))}
    assert len(walls) == 1


def test_values_are_set():
    platform = orrery.Platform(RING, set={"network.dims[0].bandwidth": "200 GB/s"})
    platform["network.dims[1].bandwidth"] = "100 GB/s"
    assert orrery.run(RING, REDUCE).wall_ps == 2 * orrery.run(platform, REDUCE).wall_ps


def test_network_of_a_matrix():
    """A square of 4 NPUs: a message of 4 MB over a link of 100 GB/s takes 40 us, and 1 us of latency."""
    workload = orrery.Workload()
    workload.add("send", trace=0, peer=1, bytes=4_000_000)
    workload.add("receive", trace=1, peer=0, bytes=4_000_000)
    for trace in (2, 3):
        workload.add("cpu", trace=trace, duration_ps=1)
    job = orrery.run(orrery.Platform.from_links(SQUARE), workload)
    assert job.wall_ps == 41_000_000
    assert len(job.links) == 8 and set(job.links.bandwidth_bytes_per_s) == {1e11}


def test_network_with_a_switch_and_latencies():
    star = [[0, 0, 1e10], [0, 0, 1e10], [1e10, 1e10, 0]]
    late = [[0, 0, 5000], [0, 0, 5000], [5000, 5000, 0]]
    platform = orrery.Platform.from_links(star, npus=2, latency=late)
    assert orrery.run(platform, REDUCE).links.latency_ps == [5000] * 4


def test_network_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert orrery.run(orrery.Platform.from_links(numpy.array(SQUARE)), REDUCE).npus == 4


@pytest.mark.parametrize("matrix, said", [
    ([[0, 1], [1]], "expected a matrix of 2 x 2, got row 1 of 2 with 1 values"),
    ([[0, 1, 2], [1, 0, 2]], "expected a matrix of 2 x 2, got row 0 of 2 with 3 values"),
    ([0, 1], "expected a square matrix, got list of another shape"),
    ([[0, -1], [1, 0]], r"bandwidth\[0\]\[1\]: expected a number of at least 0, got -1"),
    ([[0, math.nan], [1, 0]], r"bandwidth\[0\]\[1\]: expected a number of at least 0, got nan"),
    ([[0, math.inf], [1, 0]], r"bandwidth\[0\]\[1\]: expected a number of at least 0, got inf"),
])
def test_matrix_of_another_shape_is_an_error(matrix, said):
    with pytest.raises(orrery.InputError, match=said):
        orrery.Platform.from_links(matrix)


def test_array_of_another_shape_is_an_error():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(orrery.InputError, match="expected a matrix of 2 x 2, got row 0 of 2 with 3 values"):
        orrery.Platform.from_links(numpy.zeros((2, 3)))
    with pytest.raises(orrery.InputError, match="square matrix"):
        orrery.Platform.from_links(numpy.zeros((2, 2, 2)))


def test_workload_of_nodes():
    """3 TFLOP at 300 TFLOP/s take 10 ms; an all-reduce of 80 MB in a ring of 8 with 100 GB/s each way 0.7 ms behind them."""
    workload = orrery.Workload()
    layer = workload.add("compute", flops=3 * 10**12, name="layer")
    assert workload.add("collective", collective="all_reduce", bytes=80_000_000, after=[layer]) == 1
    platform = {"network": {"topology": "Ring(8)", "bandwidth": "100 GB/s"}, "compute": {"peak": "300 TFLOP/s"},
                "system": {"chunks": 1}}
    assert orrery.run(platform, workload).wall_ps == 10_700_000_000


def test_workload_of_columns():
    numpy = pytest.importorskip("numpy")
    platform = {"network": {"topology": "Ring(2)", "bandwidth": "1 GB/s"}, "compute": {"peak": "1 TFLOP/s"}}
    chain, free = orrery.Workload(), orrery.Workload()
    edges = numpy.array([[i, i + 1] for i in range(7)])
    assert chain.add_arrays("compute", flops=numpy.full(8, 1e9), edges=edges) == range(8)
    free.add_arrays(["cpu"] * 4, duration_ps=[5, 6, 7, 8])
    assert orrery.run(platform, chain).wall_ps == 8_000_000_000
    assert orrery.run(platform, free).wall_ps == 26


def test_point_to_point_of_two_traces():
    workload = orrery.Workload()
    workload.add("send", trace=0, peer=1, bytes=1_000_000)
    workload.add("receive", trace=1, peer=0, bytes=1_000_000)
    platform = {"network": {"topology": "Ring(2)", "bandwidth": "1 GB/s"}}
    assert orrery.run(platform, workload).wall_ps == 1_000_000_000


@pytest.mark.parametrize("call, error, said", [
    (lambda w: w.add("comput"), orrery.InputError, "kind: expected one of compute, cpu"),
    (lambda w: w.add("compute", flop=3), TypeError, "unexpected argument 'flop'"),
    (lambda w: w.add("compute", flops="many"), TypeError, "flops"),
    (lambda w: w.add_arrays("compute", flops=[1, 2], bytes=[1]), orrery.InputError, "columns of one length"),
    (lambda w: w.add_arrays("compute", flops=3), orrery.InputError, "columns of one length, got none"),
    (lambda w: w.add_arrays(["compute"], flops=[1, 2]), orrery.InputError, "expected 2 kinds, got 1"),
    (lambda w: w.add_arrays("compute", flops=[1, 2], edges=[(0, 2)]), orrery.InputError, r"positions below 2, got \(0, 2\)"),
    (lambda w: w.add_arrays("compute", flops=[1, 2], edges=[(0, 1, 1)]), orrery.InputError, "pairs of positions"),
])
def test_wrong_nodes_are_errors(call, error, said):
    with pytest.raises(error, match=said):
        call(orrery.Workload())


def test_node_that_waits_for_none_is_an_error_of_the_load():
    workload = orrery.Workload()
    workload.add("compute", flops=1, after=[7])
    with pytest.raises(orrery.InputError, match="7"):
        orrery.Job(RING, workload)


def test_cycle_is_an_error():
    workload = orrery.Workload()
    workload.add("compute", id=0, flops=1, after=[1])
    workload.add("compute", id=1, flops=1, after=[0])
    with pytest.raises(orrery.InputError, match="cycle|wait"):
        orrery.Job(RING, workload)


def test_deadlock_is_an_error_of_its_own():
    workload = orrery.Workload()
    workload.add("receive", trace=0, peer=1, bytes=10, tag=3)
    workload.add("compute", trace=1, flops=1)
    with pytest.raises(orrery.DeadlockError, match="receive"):
        orrery.run({"network": {"topology": "Ring(2)", "bandwidth": "1 GB/s"}, "compute": {"peak": "1 TFLOP/s"}}, workload)


def test_error_has_file_line_and_column(tmp_path):
    (tmp_path / "bad.yml").write_text("network:\n  topology: Ring(8)\n  bandwidth: fast\n")
    with pytest.raises(orrery.InputError) as told:
        orrery.run(tmp_path / "bad.yml", "all_reduce_1gb")
    error = told.value
    assert (error.file, error.line, error.column) == (str(tmp_path / "bad.yml"), 3, 14)
    assert error.message.startswith("network.bandwidth: expected a positive bandwidth") and isinstance(error, ValueError)


def test_error_of_a_dict_names_its_key():
    with pytest.raises(orrery.InputError, match="system.chunkz: unknown key"):
        orrery.run({"network": {"topology": "Ring(8)", "bandwidth": "1 GB/s"}, "system": {"chunkz": 1}}, "all_reduce_1gb")


def test_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(orrery.InputError, match="dgx_a100_64"):
        orrery.run("dgx_a100_65", "all_reduce_1gb")


def test_missing_file_is_an_error_of_files():
    with pytest.raises(orrery.FileError) as told:
        orrery.run("/nowhere/at/all.yml", "all_reduce_1gb")
    assert isinstance(told.value, OSError)


def test_binary_file_has_record_and_byte(tmp_path):
    (tmp_path / "job.0.et").write_bytes(b"\x05\x08\x01")
    with pytest.raises(orrery.OrreryError) as told:
        orrery.Trace(tmp_path / "job.0.et")
    assert told.value.file == str(tmp_path / "job.0.et") and told.value.byte is not None


@pytest.mark.parametrize("platform, workload, said", [
    (3, None, "expected a name, a path, a text, a dict or a Platform, got int"),
    ([1], None, "Platform, got list"),
    (RING, 3.5, "Workload, got float"),
    (orrery.Workload, None, "Platform, got type"),
])
def test_wrong_types_are_errors(platform, workload, said):
    with pytest.raises(TypeError, match=said):
        orrery.Job(platform, workload)


def test_workload_where_a_platform_belongs_is_an_error(workload):
    with pytest.raises(TypeError, match="expected .* a Platform, got Workload"):
        orrery.Job(workload, workload)


@pytest.mark.parametrize("value", [object(), float("nan"), {1: {2, 3}, "x": object()}, 1j])
def test_values_that_are_none_of_the_input_are_errors(value):
    with pytest.raises((orrery.InputError, TypeError)):
        orrery.Job(RING, REDUCE, settings={"system.chunks": value})


@pytest.mark.parametrize("settings", ["system.chunks=4", ["system.chunks"], [4]])
def test_settings_of_another_form_are_errors(settings):
    with pytest.raises((TypeError, orrery.InputError), match="settings"):
        orrery.Job(RING, REDUCE, settings=settings)


def test_unknown_argument_is_an_error():
    with pytest.raises(TypeError, match="unexpected argument 'chunks': values of the input are named by a path with dots"):
        orrery.run(RING, REDUCE, chunks=4)


def test_unknown_recording_is_an_error():
    with pytest.raises(orrery.InputError, match="record: expected one of nodes, path"):
        orrery.Job(RING, REDUCE, record="node")


def test_unknown_quantity_is_an_error():
    with pytest.raises(orrery.InputError, match="scale: expected one of bandwidth, latency"):
        orrery.Job(RING, REDUCE, scale={"speed": 2})
    with pytest.raises(orrery.InputError):
        orrery.Job(RING, REDUCE, scale={"bandwidth": -1})


def test_closed_platform_is_an_error(platform):
    platform.close()
    with pytest.raises(orrery.ClosedError, match="this Platform is closed"):
        orrery.Job(platform, REDUCE)


def test_loaded_platform_is_constant(platform, workload):
    orrery.Job(platform, workload)
    with pytest.raises(orrery.InputError):
        platform["system.chunks"] = 8


def test_numpy_numbers_are_settings():
    numpy = pytest.importorskip("numpy")
    assert orrery.Job(RING, REDUCE, settings={"system.chunks": numpy.int64(8)}).explain()
    with pytest.raises(orrery.InputError, match="system.chunks"):
        orrery.Job(RING, REDUCE, settings={"system.chunks": numpy.array([1, 2])})


def test_text_with_a_zero_byte_is_an_error():
    with pytest.raises(orrery.InputError, match="zero byte"):
        orrery.Platform(text="network: {\0}\n")


def test_catalogue():
    assert "hgx_h100_256" in [one.name for one in orrery.inputs("platforms")]
    assert all(orrery.inputs(kind) for kind in ("workloads", "models", "plans"))
    with pytest.raises(orrery.InputError, match='expected "platforms"'):
        orrery.inputs("platform")
    assert '"$schema"' in orrery.schema("platform") and orrery.schema("results").startswith("# Results")
    assert "all_reduce" in orrery.patterns()


def test_generated_model_is_described_and_saved(tmp_path):
    workload = orrery.Workload("all_reduce_1gb")
    workload.save(tmp_path / "step", 2)
    assert orrery.Trace(tmp_path / "step.0.et").nodes == 1
    assert "parameters" in orrery.Workload("llama3_8b").describe(8)
