/* A program of C++17 (tests/cli/test_cpp.sh): numbers as in C, errors as exceptions, a run that is stopped and goes on. */
#include <orrery/orrery.hpp>

#include <iostream>
#include <stdexcept>
#include <utility>

/* Names of one's own beside those of the header. */
struct job {
    int error, study, text;
};

static int failures;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::cout << "not so: " << what << '\n';
        failures++;
    }
}

template <class Call> static std::string refused(Call call)
{
    try {
        call();
    } catch (const orr::error &error) {
        return error.what();
    }
    return "";
}

int main()
{
    const orr::platform ring(orr::text, "network: {topology: Ring(8), bandwidth: 100 GB/s}\nsystem: {chunks: 1}\n");
    const orr::workload reduce(orr::text, "workload: {generate: all_reduce, bytes: 800 MB}");
    orr::job run(ring, reduce, {}, ORRERY_RECORD_NODES);
    expect(run.run().wall_ps() == 7000000000, "2 * 7/8 * 800 MB / 200 GB/s = 7 ms");
    expect(run.npus() == 8 && run.rows("npus") == 8 && run.integer("npus.finish_ps", 3) == 7000000000, "results by name");
    expect(run.times(7).exposed_communication_ps == 7000000000 && run.words("dims.block") == "ring", "times and texts");
    expect(run.json().find("\"wall_ps\": 7000000000") != std::string::npos && run.table().find("job time 7.000 ms") == 0, "texts");
    expect(run.warnings().empty(), "no warnings");

    orr::job moved = std::move(run);
    expect(moved.wall_ps() == 7000000000, "moved");

    orr::job half(ring, reduce, {"system.chunks=64"});
    expect(!half.run([](const struct orrery_progress &) { return false; }, 1), "stopped");
    try {
        half.run([](const struct orrery_progress &) -> bool { throw std::logic_error("own"); }, 1);
        expect(false, "an exception of a callback");
    } catch (const std::logic_error &) {
    }
    expect(half.run([](const struct orrery_progress &) { return true; }), "goes on");

    orr::workload nodes;
    auto node = orr::sized<struct orrery_trace_node>();
    node.kind = ORRERY_NODE_CPU, node.duration_ps = 42;
    nodes.add(0, node);
    expect(orr::job(ring, nodes).run().wall_ps() == 42, "a node");

    auto parts = orr::sized<struct orrery_parts>();
    parts.platform = ring.get(), parts.workload = reduce.get();
    auto given = orr::sized<struct orrery_whatif>();
    given.parts = &parts;
    orr::study study;
    study.run(orrery_whatif, given);
    expect(study.words("changes.what", 1) == "2x bandwidth of dimension 1" && study.integer("changes.wall_ps", 1) == 3500000000, "a what-if");

    auto input = orr::sized<struct orrery_topology_input>();
    input.network = "torus:8x8", input.npus = 64, input.bandwidth = "100 Gb/s";
    expect(orr::topology(input).figures().diameter == 8, "a network");

    expect(refused([&] { orr::job(ring, reduce, {"system.chunkz=1"}); }).find("system.chunkz: unknown key") != std::string::npos, "an unknown key");
    expect(refused([] { orr::platform(orr::text, "network: ["); }).find("text:2:1: syntax error") == 0, "a place");
    expect(refused([] { orr::load_plugin("./nope.so"); }).find("./nope.so: cannot be loaded") == 0, "a plugin");
    std::cout << (failures == 0 ? "C++: as expected\n" : "");
    return failures;
}
