"""Parts of Python: they run, equal built-in ones, and what is wrong in them reaches the caller."""
import shutil
import subprocess

import pytest
from conftest import ROOT

import orrery

REDUCE = {"workload": {"generate": "all_reduce", "bytes": "1 MB"}}
CIRCUITS = {"network": {"graph": {"npus": 8}, "reroute": True,
                        "circuits": {"ports": 2, "bandwidth": "10 GB/s", "latency": "1 us", "period": "1 ms"}}}
ring_number = iter(range(100))


LONG = {"workload": {"generate": "all_reduce", "bytes": "100 MB"}}


def add_ring(reduce_of=lambda step, n: step < n - 1, block=lambda rank, step, n, sums: (rank - step - sums) % n):
    """The ring of the list as a collective of Python: to the next rank, blocks backwards."""
    name = f"python_ring_{next(ring_number)}"

    @orrery.collective(name)
    def ring(view):
        n, rank, size = view.ranks, view.rank, view.block_bytes
        sends, receives = [], []
        for step in range(2 * (n - 1)):
            sums = reduce_of(step, n)
            sends.append(dict(to=(rank + 1) % n, to_receive=step, need=step, bytes=size, blocks=[block(rank, step % (n - 1), n, sums)]))
            receives.append(dict(sender=(rank - 1) % n, reduce=sums, bytes=size))
        return sends, receives

    return name


def platform(algorithm, **network):
    return {"network": {"topology": "Ring(4)", "bandwidth": "1 GB/s", **network}, "system": {"chunks": 1, "algorithms": {"all_reduce": algorithm}}}


def test_ring_of_python_is_that_of_the_list():
    assert orrery.run(platform(add_ring()), REDUCE).wall_ps == orrery.run(platform("ring"), REDUCE).wall_ps == 1_500_000_000


@pytest.mark.parametrize("arguments, said", [
    ({"reduce_of": lambda step, n: True}, "rank 1 receive 1: counts twice the contribution of rank 0"),
    ({"block": lambda rank, step, n, sums: rank}, "overwrites the contribution of rank 1 to block 0"),
    ({"block": lambda rank, step, n, sums: 99}, "all_reduce of 2 ranks"),
])
def test_wrong_collective_is_refused(arguments, said):
    with pytest.raises(orrery.InputError, match=said):
        add_ring(**arguments)


def test_exception_of_a_collective_reaches_the_caller():
    with pytest.raises(ZeroDivisionError) as told:
        add_ring(reduce_of=lambda step, n: 1 // 0)
    assert told.traceback[-1].name == "<lambda>"
    with pytest.raises(KeyError, match="to"):
        orrery.collective("python_without")(lambda view: ([dict(bytes=1)], [dict(sender=0, bytes=1)]))
    assert orrery.run(platform("ring"), REDUCE).wall_ps == 1_500_000_000


def test_controller_of_python():
    seen = []

    @orrery.controller("python_neighbours")
    def neighbours(view):
        seen.append((view.nodes, view.ports, len(view.waiting), len(view.present[0])))
        return [(i, (i + step) % view.nodes) for i in range(view.nodes) for step in (1, -1)]

    job = orrery.run(CIRCUITS, LONG, **{"network.circuits.controller": "python_neighbours"})
    assert job.wall_ps > 0 and set(seen) == {(8, 2, 8, 8)}


def test_matrix_of_a_controller():
    numpy = pytest.importorskip("numpy")
    orrery.controller("python_matrix")(lambda view: numpy.roll(numpy.eye(view.nodes, dtype=int), 1, axis=1) * 2)
    assert orrery.run(CIRCUITS, LONG, **{"network.circuits.controller": "python_matrix"}).wall_ps > 0


@pytest.mark.parametrize("name, decide, error, said", [
    ("python_many", lambda view: [(0, 1)] * 3, orrery.InputError, "python_many: sets 3 circuits from node 0, which has 2 ports"),
    ("python_itself", lambda view: [(0, 0)], orrery.InputError, "python_itself: sets a circuit from node 0 to itself"),
    ("python_nowhere", lambda view: [(0, 8)], IndexError, "a circuit from 0 to 8, but there are 8 nodes"),
    ("python_raises", lambda view: view.nothing, AttributeError, "nothing"),
])
def test_wrong_decision_is_named(name, decide, error, said):
    orrery.controller(name)(decide)
    with pytest.raises(error, match=said):
        orrery.run(CIRCUITS, LONG, **{"network.circuits.controller": name})


def test_backend_of_python():
    nets = []

    @orrery.backend("python_net")
    class PythonNet:
        def __init__(self, net, network):
            self.net, self.dim = net, network.dims[0]
            nets.append(network.npus)

        def send(self, message):
            time_ps = int(message.bytes * 1e12 / self.dim.bandwidth_bytes_per_s) + self.dim.latency_ps
            self.net.schedule(self.net.now_ps + time_ps, lambda: self.net.delivered(message.id))

    assert orrery.run(platform("ring", backend="python_net"), REDUCE).wall_ps == 1_500_000_000 and nets[0] == 4


@pytest.mark.parametrize("name, send, error, said", [
    ("python_twice", lambda net, id: (net.delivered(id), net.delivered(id)), orrery.InputError, "python_twice: delivers a message .* twice"),
    ("python_past", lambda net, id: net.schedule(-1, print), orrery.InputError, "python_past: schedules a call in the past"),
    ("python_lost", lambda net, id: None, orrery.DeadlockError, "all_reduce"),
    ("python_error", lambda net, id: [][id], IndexError, "list index"),
])
def test_wrong_backend_is_named(name, send, error, said):
    class Wrong:
        def __init__(self, net, network):
            self.net = net

        def send(self, message):
            send(self.net, message.id)

    orrery.backend(name)(Wrong) if _room() else pytest.skip("8 backends are there")
    with pytest.raises(error, match=said):
        orrery.run(platform("ring", backend=name), REDUCE)


def _room():
    from orrery._extend import _kept

    return sum(extension.backends for extension, _ in _kept) < 8


def test_name_that_is_taken_is_an_error():
    with pytest.raises(orrery.InputError, match="Python: controller utility: there is one of this name already"):
        orrery.controller("utility")(lambda view: [])
    with pytest.raises(orrery.InputError, match='got "My Controller"'):
        orrery.controller("My Controller")(lambda view: [])
    with pytest.raises(ValueError):
        orrery.collective("python_kinds", kinds=["all_reducing"])


def test_shared_object(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    source, plugin = ROOT / "examples" / "plugin" / "packets.c", tmp_path / "packets.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", ROOT / "include", "-o", plugin, source, "-lm"], check=True)
    try:
        assert orrery.check_plugin(plugin) == "network backend packets: ok, 5 jobs, each twice\n"
    except orrery.InputError as error:
        assert "at most 8 parts" in str(error)
    with pytest.raises(orrery.InputError, match="nope.so: cannot be loaded"):
        orrery.load_plugin(tmp_path / "nope.so")
