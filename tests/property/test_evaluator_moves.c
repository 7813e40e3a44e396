/* After any moves an evaluator answers what a new one does that was told of the last state only:
 * the same picoseconds, and the same bytes on every link; after tens of thousands of them too, and
 * then it has no more memory and takes no longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/evaluator/evaluator.h"

enum { SEARCH = 30000, LONG_SEARCH = 100000, MAX_BYTES = 5 << 20 };
enum { JOBS = 60, MOVES = 12, OPS = 7, EDGES = 9, DEVICES = 12, MAX_TRANSFERS = 144 };

static const char *const fabrics[] = {"ideal-switch", "circulant:1,5", "fat-tree:4", "circulant:1"};

/* What was set, as an evaluator is told. */
struct job {
    struct eval_edge edge[EDGES];
    uint32_t parts[OPS], device[OPS][DEVICES];
    sim_time time_ps[OPS];
    uint64_t gradient[OPS], bytes[OPS];
};

static void move(struct job *job, uint32_t op, struct orr_rng *rng)
{
    const uint32_t parts =
        (uint32_t)orr_rng_below(rng, 3) == 0 ? DEVICES : 1 + (uint32_t)orr_rng_below(rng, DEVICES);
    const uint32_t first = (uint32_t)orr_rng_below(rng, DEVICES);
    job->parts[op] = parts;
    for (uint32_t i = 0; i < parts; i++) {
        job->device[op][i] = parts == DEVICES ? i : (first + i) % DEVICES;
    }
    job->time_ps[op] = (sim_time)(orr_rng_below(rng, 5) * 10 * ORR_PS_PER_US / parts);
    job->gradient[op] = orr_rng_below(rng, 3) * orr_rng_below(rng, 2000000);
    job->bytes[op] = orr_rng_below(rng, 2) == 0 ? 100000 : orr_rng_below(rng, 3000000);
}

static void draw(struct job *job, struct orr_rng *rng)
{
    for (uint32_t e = 0; e < EDGES; e++) {
        job->edge[e].to = 1 + (uint32_t)orr_rng_below(rng, OPS - 1);
        job->edge[e].from = (uint32_t)orr_rng_below(rng, job->edge[e].to);
    }
    for (uint32_t op = 0; op < OPS; op++) {
        move(job, op, rng);
    }
}

static void tell_op(struct evaluator *evaluator, const struct job *job, uint32_t op)
{
    const struct eval_parts parts = {.parts = job->parts[op],
                                     .device = job->device[op],
                                     .forward_ps = job->time_ps[op],
                                     .backward_ps = 2 * job->time_ps[op]};
    const struct eval_reduce reduce = {
        .bytes = job->gradient[op], .members = job->parts[op], .member = job->device[op]};
    assert_true(orr_eval_set_parts(evaluator, op, &parts));
    assert_true(orr_eval_set_reduces(evaluator, op, &reduce, job->gradient[op] != 0));
}

/* Part i to part i where there are equally many, else each to each. */
static void tell_edge(struct evaluator *evaluator, const struct job *job, uint32_t index)
{
    const struct eval_edge *edge = &job->edge[index];
    const uint32_t from = job->parts[edge->from], to = job->parts[edge->to];
    struct eval_transfer transfer[MAX_TRANSFERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < from; i++) {
        for (uint32_t j = 0; j < to; j++) {
            if (from != to || i == j) {
                const uint64_t bytes = job->bytes[edge->from] / (from > to ? from : to);
                transfer[count++] = (struct eval_transfer){job->device[edge->from][i],
                                                           job->device[edge->to][j], bytes};
            }
        }
    }
    assert_true(orr_eval_set_edge(evaluator, index, transfer, count));
}

static void tell_move(struct evaluator *evaluator, const struct job *job, uint32_t op)
{
    tell_op(evaluator, job, op);
    for (uint32_t e = 0; e < EDGES; e++) {
        if (job->edge[e].from == op || job->edge[e].to == op) {
            tell_edge(evaluator, job, e);
        }
    }
}

struct answer {
    sim_time time_ps;
    uint64_t bytes[1000];
};

static void ask(struct evaluator *evaluator, struct answer *out)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_evaluate(evaluator, &out->time_ps, &diag) != ORR_OK ||
        orr_eval_report(evaluator, out->bytes, NULL, &diag) != ORR_OK) {
        fail_msg("%s", diag.message);
    }
}

static struct evaluator *make(const struct net_graph *graph, const struct net_routing *routing,
                              const struct job *job)
{
    const struct eval_setup setup = {.graph = graph,
                                     .routes = {.routing = routing, .seed = 3},
                                     .model = orr_net_flow_packets(false),
                                     .devices = DEVICES,
                                     .ops = OPS,
                                     .edges = EDGES,
                                     .edge = job->edge};
    struct evaluator *evaluator = NULL;
    struct orr_diag diag;
    assert_true(graph->links <= 1000);
    assert_int_equal(orr_evaluator_create(&evaluator, &setup, &diag), ORR_OK);
    return evaluator;
}

static void check_job(const struct net_graph *graph, const struct net_routing *routing,
                      struct orr_rng *rng)
{
    struct job job;
    draw(&job, rng);
    struct evaluator *kept = make(graph, routing, &job);
    for (uint32_t op = 0; op < OPS; op++) {
        tell_move(kept, &job, op);
    }
    for (int i = 0; i < MOVES; i++) {
        const uint32_t op = (uint32_t)orr_rng_below(rng, OPS);
        struct answer moved, anew;
        move(&job, op, rng);
        tell_move(kept, &job, op);
        ask(kept, &moved);
        struct evaluator *fresh = make(graph, routing, &job);
        for (uint32_t other = OPS; other-- > 0;) {
            tell_move(fresh, &job, other);
        }
        ask(fresh, &anew);
        orr_evaluator_destroy(fresh);
        assert_int_equal(moved.time_ps, anew.time_ps);
        assert_memory_equal(moved.bytes, anew.bytes, graph->links * sizeof(uint64_t));
        orr_eval_forget(kept);
        ask(kept, &anew);
        assert_int_equal(moved.time_ps, anew.time_ps);
    }
    orr_evaluator_destroy(kept);
}

static void test_moves_give_what_a_new_evaluator_gives(void **state)
{
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 23, 0);
    for (int i = 0; i < JOBS; i++) {
        const struct net_fabric fabric = {
            .text = fabrics[i % 4],
            .npus = DEVICES,
            .kind = {.bytes_per_s = i % 3 == 0 ? 1.25e9 : 12.5e9, .latency_ps = ORR_PS_PER_US}};
        struct orr_arena *arena = orr_arena_create();
        struct net_graph graph;
        const struct net_routing *routing;
        struct orr_diag diag;
        orr_diag_init(&diag);
        assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, &diag), ORR_OK);
        check_job(&graph, routing, &rng);
        orr_arena_destroy(arena);
    }
}

/* Devices anywhere, in any order: hardly ever the same twice. */
static void scatter(struct job *job, uint32_t op, struct orr_rng *rng)
{
    move(job, op, rng);
    for (uint32_t i = 0; i < DEVICES; i++) {
        const uint32_t j = (uint32_t)orr_rng_below(rng, i + 1);
        job->device[op][i] = job->device[op][j];
        job->device[op][j] = i;
    }
    job->gradient[op] = 1 + orr_rng_below(rng, 2000000);
}

static void assert_answers_as_new(struct evaluator *kept, const struct net_graph *graph,
                                  const struct job *job)
{
    struct answer moved, anew;
    struct evaluator *fresh = make(graph, &orr_routing_ecmp_pairs, job);
    for (uint32_t op = 0; op < OPS; op++) {
        tell_move(fresh, job, op);
    }
    ask(kept, &moved);
    ask(fresh, &anew);
    orr_evaluator_destroy(fresh);
    assert_int_equal(moved.time_ps, anew.time_ps);
    assert_memory_equal(moved.bytes, anew.bytes, graph->links * sizeof(uint64_t));
}

/* CPU seconds of a tenth of the search. */
static double search(struct evaluator *kept, const struct net_graph *graph, struct job *job,
                     struct orr_rng *rng)
{
    const clock_t begin = clock();
    const int tenth = (getenv("ORRERY_LONG") != NULL ? LONG_SEARCH : SEARCH) / 10;
    clock_t compared = 0;
    struct orr_diag diag;
    sim_time time_ps;
    orr_diag_init(&diag);
    for (int i = 0; i < tenth; i++) {
        const uint32_t op = (uint32_t)orr_rng_below(rng, OPS);
        scatter(job, op, rng);
        tell_move(kept, job, op);
        if (i % 10 == 0 && orr_evaluate(kept, &time_ps, &diag) != ORR_OK) {
            fail_msg("%d: %s", i, diag.message);
        }
        if (i % 500 == 0) {
            const clock_t before = clock();
            assert_answers_as_new(kept, graph, job);
            compared += clock() - before;
        }
    }
    return (double)(clock() - begin - compared) / CLOCKS_PER_SEC;
}

/* A known set of members takes some 500 bytes here: all of them would take 12 MB. */
static void test_a_long_search_stays_as_fast_and_as_small(void **state)
{
    (void)state;
    const struct net_fabric fabric = {.text = "circulant:1,5",
                                      .npus = DEVICES,
                                      .kind = {.bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US}};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    const struct net_routing *routing;
    struct orr_diag diag;
    struct orr_rng rng;
    struct job job;
    double seconds[10];
    orr_diag_init(&diag);
    orr_rng_init(&rng, 5, 0);
    assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, &diag), ORR_OK);
    draw(&job, &rng);
    struct evaluator *kept = make(&graph, &orr_routing_ecmp_pairs, &job);
    for (uint32_t op = 0; op < OPS; op++) {
        tell_move(kept, &job, op);
    }
    for (int tenth = 0; tenth < 10; tenth++) {
        seconds[tenth] = search(kept, &graph, &job, &rng);
        assert_true(orr_evaluator_bytes(kept) < MAX_BYTES);
    }
    assert_true(seconds[9] < 3 * seconds[1] + 0.1);
    orr_evaluator_destroy(kept);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_give_what_a_new_evaluator_gives),
        cmocka_unit_test(test_a_long_search_stays_as_fast_and_as_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
