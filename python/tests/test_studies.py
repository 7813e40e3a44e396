"""Studies, plans, fits, networks, traces, pages: equal to the byte of the command's."""
import re

import pytest
from conftest import REDUCE, RING, ROOT

import orrery


def test_whatif_is_that_of_the_command(orrery_command):
    study = orrery.whatif("dgx_a100_64", "all_reduce_1gb")
    assert study.json() == orrery_command("whatif", "dgx_a100_64", "all_reduce_1gb", "--json", "-")
    assert study.changes.saved_ps[study.changes.what.index("baseline")] == 0 and max(study.changes.speedup) > 1


def test_whatif_of_objects_with_changes(platform, workload):
    study = orrery.whatif(platform, workload, change={"network.dims[0].bandwidth": "1 TB/s"}, factor=4)
    assert any("1 TB/s" in what for what in study.changes.what) and any(what.startswith("4x") for what in study.changes.what)


def test_bench_is_that_of_the_command(orrery_command):
    study = orrery.bench_collective("dgx_a100_64", min_bytes=1 << 20, max_bytes=1 << 20)
    assert study.csv() == orrery_command("bench-collective", "dgx_a100_64", "--min", "1 MiB", "--max", "1 MiB", "--csv", "-")
    assert sum(study.runs.best) == 1


def test_bench_of_measured_times(tmp_path):
    (tmp_path / "measured.csv").write_text("collective,npus,npus_per_node,bytes,time_us\nall_reduce,16,8,1048576,90\n")
    study = orrery.bench_collective("dgx_a100_64", measured=tmp_path / "measured.csv")
    assert len(study.measured_runs) == 1 and study.to_dict() == {}


def test_diff_is_that_of_the_command(orrery_command, tmp_path):
    a, b = (orrery.run("dgx_a100_64", "all_reduce_1gb", record="nodes", **{"network.dims[0].bandwidth": f"{speed} GB/s"}) for speed in (100, 300))
    for name, job in (("a", a), ("b", b)):
        (tmp_path / f"{name}.json").write_text(job.json())
    study = orrery.diff(a, b)
    told = orrery_command("diff", tmp_path / "a.json", tmp_path / "b.json", "--json", "-")
    assert orrery.diff(str(tmp_path / "a.json"), str(tmp_path / "b.json")).json() == told
    assert (study.wall_ps_a, study.wall_ps_b) == (a.wall_ps, b.wall_ps) and len(study.settings) > 0
    assert len(orrery.diff(a.json(), b.json()).differences) == len(study.differences)


def test_layouts_are_those_of_the_command(orrery_command):
    study = orrery.plan_llm("hgx_h100_256", "llama3_8b", best=2, **{"workload.training.batch": 256})
    told = orrery_command("plan", "llm", "hgx_h100_256", "llama3_8b", "--set", "workload.training.batch=256", "--best", "2", "--json", "-")
    took = re.compile(r'"(estimate|simulate)_s": .*')  # the clock's
    assert took.sub("", study.json()) == took.sub("", told) and len(study.best) == 2 and study.best.simulated_ps == sorted(study.best.simulated_ps)


def test_layouts_over_axes_are_those_of_the_command(orrery_command):
    study = orrery.plan_llm("hgx_h100_256", "llama3_8b", best=1, axes={"npus": [64, 128]}, where=["npus <= 128"], **{"workload.training.batch": 256})
    told = orrery_command("plan", "llm", "hgx_h100_256", "llama3_8b", "--set", "workload.training.batch=256", "--best", "1", "--axis",
                          "npus=64,128", "--where", "npus <= 128", "--json", "-")
    took = re.compile(r'"(estimate|simulate)_s": .*')  # the clock's
    assert took.sub("", study.json()) == took.sub("", told) and len(study.cases) == 2
    assert orrery.run(study.layout()).wall_ps == study.best.simulated_ps[0] and "--tensor-model-parallel-size" in study.layout(0, "megatron")
    with pytest.raises(orrery.InputError):
        study.layout(0, "jax")


def test_layouts_of_objects_are_an_error(platform):
    with pytest.raises(TypeError, match="names or paths"):
        orrery.plan_llm(platform, "llama3_8b")


def test_goodput_is_that_of_the_command(orrery_command):
    study = orrery.goodput(1024, mtbf_gpu_s=50000 * 3600, checkpoint_s=60, restart_s=300)
    told = orrery_command("plan", "goodput", "--gpus", "1024", "--mtbf-gpu", "50000 h", "--checkpoint", "60 s", "--restart", "300 s", "--json", "-")
    assert study.json() == told and 0.9 < study.ettr < 1 and len(study.parts) > 2


def test_schedule_is_that_of_the_command(orrery_command):
    study = orrery.schedule("zb-h1", 4, 8)
    assert study.json() == orrery_command("schedule", "zb-h1", "--stages", "4", "--micro-batches", "8", "--json", "-")
    assert study.svg().lstrip().startswith("<") and len(study.slots) > 0 and "zb-h1" in orrery.schedules()


def test_schedule_that_there_is_not():
    with pytest.raises(orrery.InputError, match="zb-h3"):
        orrery.schedule("zb-h3", 4, 8)


def test_launch_file_is_that_of_the_command(orrery_command, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 16,'
                                          ' "intermediate_size": 4096, "vocab_size": 32000, "max_position_embeddings": 2048}')
    study = orrery.import_(tmp_path / "config.json")
    assert study.json() == orrery_command("import", tmp_path / "config.json", "--json", "-")
    assert study.parameters > 10**8 and "transformer" in study.workload() and len(study.table("values")) > 3


def test_fit_of_a_library(tmp_path, orrery_command):
    rows = [f"all_reduce,64,8,{size},{20 + size / 1e5}" for size in (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)]
    (tmp_path / "times.csv").write_text("\n".join(["collective,npus,npus_per_node,bytes,time_us", *rows]) + "\n")
    fit = orrery.fit_collectives("dgx_a100_64", tmp_path / "times.csv")
    orrery_command("fit", "collectives", tmp_path / "times.csv", "--platform", "dgx_a100_64", "-o", tmp_path / "fitted.yml", "--report",
                   tmp_path / "fit.json")
    assert fit.json() == (tmp_path / "fit.json").read_text() and fit.platform() == (tmp_path / "fitted.yml").read_text()
    assert len(fit.fit_rows) == 6 and "library" in fit.platform() and "<svg" in fit.text("svg")
    with pytest.raises(orrery.InputError, match="view: expected one of text"):
        fit.text("html")


def test_topology_is_that_of_the_command(orrery_command):
    network = orrery.topology("torus:8x8", npus=64, bandwidth="100 Gb/s")
    told = orrery_command("topo", "show", "torus:8x8", "--npus", "64", "--bandwidth", "100 Gb/s")
    assert network.text() == told and network.diameter == 8 and network.links == 256 and b"<svg" in network.picture()


def test_topology_of_a_stack(tmp_path):
    network = orrery.topology({"network": {"topology": "Ring(4)_Switch(2)", "bandwidth": "100 GB/s"}})
    assert [network.dim(index)["npus"] for index in (0, 1)] == [4, 2]
    network.draw(tmp_path / "stack.svg")
    assert "<svg" in (tmp_path / "stack.svg").read_text()


def test_trees_and_bounds_on_a_network():
    network = orrery.topology("hypercube", npus=8, bandwidth="100 Gb/s")
    assert "tree" in network.embed(trees="2") and "busbw" in network.bound("all_reduce", 1 << 30, form="json") or True
    assert network.bound("all_gather", 1 << 20).strip()


def test_plan_of_topoopt_is_that_of_the_command(orrery_command, tmp_path):
    plan = orrery.plan_topoopt(PLAN, no_run=True, progress=lambda *_: None)
    (tmp_path / "plan.yml").write_text(PLAN)
    told = orrery_command("plan", "topoopt", tmp_path / "plan.yml", "--no-run", "--json", "-")
    took = re.compile(r'"\w*(_s|seconds)": [\d.e-]+')  # the clock's
    assert took.sub("", plan.json()) == took.sub("", told)
    assert plan.servers == 4 and plan.predicted_ps > 0 and "<svg" in plan.text("svg") and "plan.json" in plan.files()
    plan.save(tmp_path / "out")
    assert (tmp_path / "out" / "routes.csv").exists()


PLAN = """plan:
  model: topoopt/vgg
  servers: 4
  interfaces: {degree: 2, bandwidth: 25 Gb/s}
  search: {budget: 50}
compute: {peak: 312 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 2039 GB/s}}
"""


def test_trace_views(tmp_path):
    orrery.Workload("mlp_data_parallel").save(tmp_path / "mlp", 4)
    trace, other = orrery.Trace(tmp_path / "mlp.0.et"), orrery.Trace(tmp_path / "mlp.1.et")
    assert trace.nodes > 10 and trace.text("check").endswith("\n") and trace.text("nodes", 0).count("\n") >= trace.nodes
    assert trace.diff(other)["differences"] == 0
    trace.save(tmp_path / "again.et", gzip=True)
    assert orrery.Trace(tmp_path / "again.et").nodes == trace.nodes


def test_conversion(tmp_path, orrery_command):
    files = [ROOT / "examples" / "pytorch_trace" / name for name in ("et_0.json", "kineto_0.json")]
    done = orrery.convert(format="pytorch", et=str(files[0]), kineto=str(files[1]), out=tmp_path / "job", missing_ranks="copy")
    assert done.counts["ranks"] >= 1 and done.text().strip() and (tmp_path / "job.0.et").exists()


def test_model_graph():
    graph = orrery.OperatorGraph("topoopt/vgg")
    assert graph.operators == 23 and "digraph" in graph.text("dot")
    with pytest.raises(orrery.InputError, match="view: expected one of check"):
        graph.text("picture")


def test_page_of_all(tmp_path, platform, workload):
    job = orrery.run(platform, workload, record="nodes")
    page = orrery.report(job, orrery.whatif(platform, workload), job.json(), title="All of it")
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html() and "All of it" in page.html() and "iframe" in page._repr_html_()
    with pytest.raises(orrery.OrreryError):
        orrery.report('{"no": "result"}')


def test_parallel_calls_all():
    seen = []
    orrery.parallel(seen.append, 20, 3)
    assert sorted(seen) == list(range(20))


def test_study_without_such_a_table(platform, workload):
    study = orrery.whatif(platform, workload)
    with pytest.raises(AttributeError, match="did you mean 'changes'"):
        study.change  # noqa: B018
    with pytest.raises(orrery.InputError):
        study.value("changes.wall")
    with pytest.raises(AttributeError, match="expected one of what"):
        study.changes.saved  # noqa: B018
    with pytest.raises(KeyError):
        study.changes["saved"]
    with pytest.raises(IndexError):
        study.changes[1000]


@pytest.mark.parametrize("call", [
    lambda: orrery.whatif(RING, REDUCE, factor=-1), lambda: orrery.bench_collective(RING, collective="all_reducing"),
    lambda: orrery.goodput(0), lambda: orrery.import_("/nowhere/config.json"), lambda: orrery.profile("/nowhere.json"),
    lambda: orrery.diff("{}", "{}"), lambda: orrery.topology("torus:8x9", npus=64), lambda: orrery.plan_topoopt({"plan": {}}),
    lambda: orrery.OperatorGraph("no/model"), lambda: orrery.Trace("/nowhere.et"), lambda: orrery.convert(format="jpeg", out="/tmp/x"),
    lambda: orrery.fit_collectives(RING, "/nowhere.csv"), lambda: orrery.plan_sip_ml("nothing_like_it"), lambda: orrery.schema("all"),
])
def test_bad_input_of_studies_is_an_error(call):
    with pytest.raises(orrery.OrreryError) as told:
        call()
    assert len(str(told.value)) > 10


@pytest.mark.parametrize("call", [lambda: orrery.diff(3, 4), lambda: orrery.goodput(8, checkpoint_s="long"), lambda: orrery.schedule("1f1b", "four", 8)])
def test_wrong_types_of_studies_are_errors(call):
    with pytest.raises(TypeError):
        call()
