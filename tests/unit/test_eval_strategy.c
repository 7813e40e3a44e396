/* The evaluator told of strategies: by hand, and that a move is as if all had been told anew. */
#include "strategy_fixture.h"

#include "core/rng.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "tests/unit/strategy_fixture.h"
#include "workload/strategy/strategy.h"

enum { DEVICES = 8, OPS = 8 };
#define US ((sim_time)ORR_PS_PER_US)

struct world {
    struct toy toy;
    struct net_graph graph;
    struct strategy strategy;
    struct net_flow_model model;
};

static struct eval_strategy *evaluate(struct world *world)
{
    const struct eval_strategy_setup setup = {
        .model = &world->toy.graph,
        .strategy = &world->strategy,
        .network = {.graph = &world->graph,
                    .routes = {.routing = &orr_routing_ecmp_pairs},
                    .model = world->model}};
    struct eval_strategy *evaluated = NULL;
    assert_int_equal(orr_eval_strategy_create(&evaluated, &setup, &world->toy.diag), ORR_OK);
    for (uint32_t op = 0; op < world->toy.graph.ops; op++) {
        orr_eval_strategy_set_time(evaluated, op, (1 + op) * 10 * US / world->strategy.op[op].parts,
                                   (2 + op) * 10 * US / world->strategy.op[op].parts);
    }
    assert_true(orr_eval_strategy_update_all(evaluated));
    return evaluated;
}

static sim_time time_of(struct eval_strategy *evaluated)
{
    struct orr_diag diag;
    sim_time time_ps = 0;
    orr_diag_init(&diag);
    if (orr_evaluate(orr_eval_strategy_evaluator(evaluated), &time_ps, &diag) != ORR_OK) {
        fail_msg("%s", diag.message);
    }
    return time_ps;
}

static void open_world(struct world *world, const char *fabric, uint32_t devices)
{
    toy_init(&world->toy, 64);
    world->model = (struct net_flow_model){0};
    const struct net_fabric built = {
        .text = fabric, .npus = devices, .kind = {.bytes_per_s = 1e9, .latency_ps = 0}};
    const struct net_routing *routing;
    assert_int_equal(
        orr_net_build_fabric(&built, world->toy.arena, &world->graph, &routing, &world->toy.diag),
        ORR_OK);
}

/* Two operators on 4 devices by samples: (10 + 20 + 20 + 30) / 4 us, and then the first one's
 * gradients, 8000 bytes around both rings of circulant:1 at 1 GB/s: one round, as they are few, of
 * 8000 x 6 / 16 / 2 bytes. */
static void test_data_parallelism_computes_and_reduces(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, "circulant:1", 4);
    const uint32_t first = toy_op(&world.toy, "first", 100, 8000, NULL);
    (void)toy_after(&world.toy, "second", 100, 0, first);
    toy_draft(&world.toy, 4, 1);
    assert_true(orr_strategy_data_parallel(&world.toy.draft));
    world.strategy = orr_strategy_drafted(&world.toy.draft);
    struct eval_strategy *evaluated = evaluate(&world);
    assert_int_equal(time_of(evaluated), 20 * US + 1500 * ORR_PS_PER_NS);
    orr_eval_strategy_destroy(evaluated);
    toy_fini(&world.toy);
}

/* Both operators have 8000 bytes, 1.5 us around the rings. As they are ready: the second's from 15
 * us on, the first's from 20 us on. At the end: both from 20 us on, on the same links. */
static void test_gradients_at_end_do_not_overlap(void **state)
{
    (void)state;
    for (int at_end = 0; at_end < 2; at_end++) {
        struct world world;
        open_world(&world, "circulant:1", 4);
        const uint32_t first = toy_op(&world.toy, "first", 100, 8000, NULL);
        (void)toy_after(&world.toy, "second", 100, 8000, first);
        toy_draft(&world.toy, 4, 1);
        assert_true(orr_strategy_data_parallel(&world.toy.draft));
        world.strategy = orr_strategy_drafted(&world.toy.draft);
        world.strategy.server.reduce_at_end = at_end == 1;
        struct eval_strategy *evaluated = evaluate(&world);
        assert_int_equal(time_of(evaluated), (at_end == 1 ? 23000 : 21500) * ORR_PS_PER_NS);
        orr_eval_strategy_destroy(evaluated);
        toy_fini(&world.toy);
    }
}

/* Devices 0 and 1 have halves of a and c, 2 and 3 of b; nothing is sent. Forwards 5 (a), 15 (c), 10
 * us (b), backwards 10, 20, 15: a's gradient is there at 30 us, and the devices end at 50 us; b's
 * are at 25 us, and wait for nobody else's. 8000 bytes between two take one round, as they are few,
 * of 8000 x 2 / 4 bytes. */
static void test_gradients_wait_for_the_ends_of_their_own_devices(void **state)
{
    static const struct {
        uint64_t bytes_of_b;
        bool at_end;
        sim_time us;
    } cases[] = {{8000, false, 50}, {8000, true, 54}, {80000, false, 105}, {80000, true, 105}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world world;
        open_world(&world, "ideal-switch", 4);
        const uint32_t a = toy_op(&world.toy, "a", 100, 8000, NULL);
        const uint32_t b = toy_op(&world.toy, "b", 100, cases[i].bytes_of_b, NULL);
        const uint32_t c = toy_op(&world.toy, "c", 100, 0, NULL);
        toy_draft(&world.toy, 4, 1);
        toy_split(&world.toy, a, SAMPLE, 2, 0);
        toy_split(&world.toy, b, SAMPLE, 2, 2);
        toy_split(&world.toy, c, SAMPLE, 2, 0);
        world.strategy = orr_strategy_drafted(&world.toy.draft);
        world.strategy.server.reduce_at_end = cases[i].at_end;
        struct eval_strategy *evaluated = evaluate(&world);
        assert_int_equal(time_of(evaluated), cases[i].us * US);
        orr_eval_strategy_destroy(evaluated);
        toy_fini(&world.toy);
    }
}

/* Gradients that the model lists: 10 / 4 and 20 / 4 us, one after the other, and what is reduced
 * for 1.5 us when the last of the operators with the weights is done; else beside the second one.
 */
static void test_listed_gradients_have_no_backward_pass(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct world world;
        open_world(&world, "circulant:1", 4);
        const uint32_t first = toy_op(&world.toy, "first", 100, 8000, NULL);
        const uint32_t second = toy_after(&world.toy, "second", 100, shared ? 8000 : 0, first);
        world.toy.op[second].owner = shared ? first : second;
        world.toy.graph.lists_gradients = true;
        toy_draft(&world.toy, 4, 1);
        assert_true(orr_strategy_data_parallel(&world.toy.draft));
        world.strategy = orr_strategy_drafted(&world.toy.draft);
        struct eval_strategy *evaluated = evaluate(&world);
        assert_int_equal(time_of(evaluated), shared ? 9 * US : 7500 * ORR_PS_PER_NS);
        orr_eval_strategy_destroy(evaluated);
        toy_fini(&world.toy);
    }
}

/* 800 bytes to a device of its own take 0.8 us there, and do not come back: not in the time, and
 * not on the links. */
static void test_listed_gradients_send_nothing_back(void **state)
{
    (void)state;
    struct world world;
    struct eval_critical critical;
    open_world(&world, "ideal-switch", 2);
    world.toy.graph.batch = 8;
    const uint32_t first = toy_op(&world.toy, "first", 100, 0, NULL);
    const uint32_t second = toy_after(&world.toy, "second", 100, 0, first);
    world.toy.graph.lists_gradients = true;
    toy_draft(&world.toy, 2, 1);
    toy_split(&world.toy, first, SAMPLE, 1, 0);
    toy_split(&world.toy, second, SAMPLE, 1, 1);
    world.strategy = orr_strategy_drafted(&world.toy.draft);
    struct eval_strategy *evaluated = evaluate(&world);
    assert_int_equal(time_of(evaluated), 10 * US + 800 * ORR_PS_PER_NS + 20 * US);
    uint64_t *bytes = orr_arena_array(world.toy.arena, world.graph.links, sizeof *bytes), all = 0;
    assert_int_equal(
        orr_eval_report(orr_eval_strategy_evaluator(evaluated), bytes, &critical, &world.toy.diag),
        ORR_OK);
    for (uint32_t link = 0; link < world.graph.links; link++) {
        all += bytes[link];
    }
    assert_int_equal(all, 2 * 800); /* to the switch, and from it */
    assert_int_equal(critical.resource, EVAL_DEVICE);
    assert_int_equal(critical.busy_ps, 20 * US);
    orr_eval_strategy_destroy(evaluated);
    /* A packet of 8936 bytes over both links, a byte each way before it: 47.874 us, as simulated.
     */
    world.model = orr_net_flow_packets(false);
    evaluated = evaluate(&world);
    assert_int_equal(time_of(evaluated), 47874 * ORR_PS_PER_NS);
    orr_eval_strategy_destroy(evaluated);
    toy_fini(&world.toy);
}

/* Operators behind one or two earlier ones. */
static void make_model(struct toy *toy, struct orr_rng *rng)
{
    for (uint32_t op = 0; op < OPS; op++) {
        const uint32_t a = op == 0 ? UINT32_MAX : (uint32_t)orr_rng_below(rng, op);
        const uint32_t b = op < 2 ? UINT32_MAX : (uint32_t)orr_rng_below(rng, op);
        const uint32_t input[2] = {a, a == b ? UINT32_MAX : b};
        (void)toy_op(toy, "op", 1000 + orr_rng_below(rng, 5000), orr_rng_below(rng, 3) * 100000,
                     input);
    }
}

/* Splits an operator anew. */
static void move(struct toy *toy, uint32_t op, struct orr_rng *rng)
{
    uint32_t degree[TOY_DIMS] = {1, 1, 1, 1, 1}, device[DEVICES], parts = 1;
    const uint32_t dim = (uint32_t)orr_rng_below(rng, INPUT + 1);
    degree[dim] = 1u << orr_rng_below(rng, 4);
    parts = degree[dim];
    const uint32_t first = (uint32_t)orr_rng_below(rng, DEVICES);
    for (uint32_t i = 0; i < parts; i++) {
        device[i] = (first + i) % DEVICES;
    }
    assert_true(orr_strategy_set(&toy->draft, op, degree, device));
}

static void test_a_move_is_as_if_all_were_told_anew(void **state)
{
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 5, 0);
    for (int job = 0; job < 20; job++) {
        struct world world;
        open_world(&world, job % 2 == 0 ? "circulant:1,3" : "ideal-switch", DEVICES);
        make_model(&world.toy, &rng);
        toy_draft(&world.toy, DEVICES, 1);
        assert_true(orr_strategy_data_parallel(&world.toy.draft));
        world.toy.draft.strategy.server.reduce_at_end = job >= 10;
        world.strategy = orr_strategy_drafted(&world.toy.draft);
        struct eval_strategy *kept = evaluate(&world);
        for (int i = 0; i < 10; i++) {
            const uint32_t op = (uint32_t)orr_rng_below(&rng, OPS);
            move(&world.toy, op, &rng);
            world.strategy = orr_strategy_drafted(&world.toy.draft);
            orr_eval_strategy_set_time(kept, op, (1 + op) * 10 * US / world.strategy.op[op].parts,
                                       (2 + op) * 10 * US / world.strategy.op[op].parts);
            assert_true(orr_eval_strategy_update_op(kept, op));
            struct eval_strategy *fresh = evaluate(&world);
            assert_int_equal(time_of(kept), time_of(fresh));
            orr_eval_strategy_destroy(fresh);
        }
        orr_eval_strategy_destroy(kept);
        toy_fini(&world.toy);
    }
}

/* Two groups of two: each does its half, and both reduce with the other's device of equal place. */
static void test_groups_do_alike(void **state)
{
    (void)state;
    struct world one, two;
    struct world *worlds[] = {&one, &two};
    sim_time time_ps[2];
    for (uint32_t copies = 1; copies <= 2; copies++) {
        struct world *world = worlds[copies - 1];
        open_world(world, "ideal-switch", 4);
        const uint32_t first = toy_op(&world->toy, "first", 100, 0, NULL);
        (void)toy_after(&world->toy, "second", 100, 0, first);
        toy_draft(&world->toy, 4, copies);
        assert_true(orr_strategy_data_parallel(&world->toy.draft));
        world->strategy = orr_strategy_drafted(&world->toy.draft);
        struct eval_strategy *evaluated = evaluate(world);
        time_ps[copies - 1] = time_of(evaluated);
        orr_eval_strategy_destroy(evaluated);
    }
    assert_int_equal(time_ps[0], 20 * US);
    assert_int_equal(time_ps[1], 40 * US); /* times were of parts of two */
    toy_fini(&one.toy);
    toy_fini(&two.toy);
}

/* Iterations of a thousand seconds and more, in which a round of an all-reduce is as short as two
 * times that can be told apart: they end. 2000 s of both passes, and a round of 1.5 us or less. */
static void test_short_rounds_of_long_iterations_end(void **state)
{
    (void)state;
    for (uint64_t bytes = 8; bytes <= 8000; bytes += 444) {
        struct world world;
        open_world(&world, "circulant:1", 4);
        (void)toy_op(&world.toy, "only", 100, bytes, NULL);
        toy_draft(&world.toy, 4, 1);
        assert_true(orr_strategy_data_parallel(&world.toy.draft));
        world.strategy = orr_strategy_drafted(&world.toy.draft);
        struct eval_strategy *evaluated = evaluate(&world);
        orr_eval_strategy_set_time(evaluated, 0, 1000 * ORR_PS_PER_S, 1000 * ORR_PS_PER_S);
        assert_true(orr_eval_strategy_update_op(evaluated, 0));
        const sim_time time_ps = time_of(evaluated);
        assert_true(time_ps >= 2000 * ORR_PS_PER_S && time_ps < 2000 * ORR_PS_PER_S + 2 * US);
        orr_eval_strategy_destroy(evaluated);
        toy_fini(&world.toy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_parallelism_computes_and_reduces),
        cmocka_unit_test(test_gradients_at_end_do_not_overlap),
        cmocka_unit_test(test_gradients_wait_for_the_ends_of_their_own_devices),
        cmocka_unit_test(test_listed_gradients_have_no_backward_pass),
        cmocka_unit_test(test_listed_gradients_send_nothing_back),
        cmocka_unit_test(test_a_move_is_as_if_all_were_told_anew),
        cmocka_unit_test(test_groups_do_alike),
        cmocka_unit_test(test_short_rounds_of_long_iterations_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
