/* TopoOpt's alternation on small models: the best pair by hand, never worse than data parallelism,
 * the same at any number of threads. */
#include "strategy_fixture.h"

#include "core/rng.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/permutations/permutations.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/unit/strategy_fixture.h"
#include "topoopt/search/topoopt.h"
#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"

#define US ((sim_time)ORR_PS_PER_US)

struct world {
    struct toy toy;
    struct model_speed speed;
    struct topoopt_problem problem;
    struct topoopt_options options;
    struct topoopt_result result;
};

/* Links of 1 GB/s without latency. */
static void open_world(struct world *world, uint32_t servers, uint32_t degree)
{
    *world = (struct world){.options = orr_topoopt_default_options()};
    toy_init(&world->toy, 64);
    world->problem =
        (struct topoopt_problem){.model = &world->toy.graph,
                                 .speed = &world->speed,
                                 .devices = servers,
                                 .copies = 1,
                                 .server = {.gpus = 1},
                                 .topology = {.degree = degree, .kind = {.bytes_per_s = 1e9}}};
    world->options.search.budget = 400;
    world->options.search.threads = 1;
}

/* 10 us forward and 20 us backward on one server. */
static uint32_t measured(struct world *world, uint32_t op)
{
    world->toy.op[op].measured = true;
    world->toy.op[op].forward_ps = 10 * US;
    world->toy.op[op].backward_ps = 20 * US;
    return op;
}

static void plan(struct world *world)
{
    if (orr_topoopt_plan(world->toy.arena, &world->problem, &world->options, &world->result,
                         &world->toy.diag) != ORR_OK) {
        fail_msg("%s", world->toy.diag.message);
    }
}

static bool never_worse(const struct topoopt_result *result)
{
    const struct topoopt_pair *best = &result->best, *against = &result->data_parallel;
    return best->missing_bytes != against->missing_bytes
               ? best->missing_bytes < against->missing_bytes
               : best->predicted_ps <= against->predicted_ps;
}

/* One operator without inputs on 4 servers, d = 2: by samples (10 + 20) / 4 us and an all-reduce of
 * 8 MB over two rings, 6 rounds of 1 MB: 6 ms. By what it gives nothing is reduced: 7.5 us. */
static void test_an_operator_is_split_by_its_output(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 4, 2);
    (void)measured(&world, toy_op(&world.toy, "only", 100, 8000000, NULL));
    plan(&world);
    assert_int_equal(world.result.data_parallel.predicted_ps, 7500 * ORR_PS_PER_NS + 6000 * US);
    assert_int_equal(world.result.best.predicted_ps, 7500 * ORR_PS_PER_NS);
    assert_int_equal(world.result.best.missing_bytes, 0);
    assert_true(world.result.best.origin != TOPOOPT_DATA_PARALLEL);
    assert_true(world.result.attempts > 1);
    assert_int_equal(world.result.attempt[0].origin, TOPOOPT_DATA_PARALLEL);
    assert_int_equal(world.result.attempt[0].outcome, TOPOOPT_KEPT);
    toy_fini(&world.toy);
}

/* Towers of layers that join in a last one. */
static void make_towers(struct world *world, uint32_t towers, uint32_t layers, uint64_t weights)
{
    uint32_t top[8];
    for (uint32_t t = 0; t < towers; t++) {
        top[t] = measured(world, toy_op(&world->toy, "first", 64, weights, NULL));
        for (uint32_t i = 1; i < layers; i++) {
            top[t] = measured(world, toy_after(&world->toy, "layer", 64, weights, top[t]));
        }
    }
    (void)measured(world, toy_after(&world->toy, "last", 4, 64, top[0]));
    for (uint32_t t = 1; t < towers; t++) {
        toy_input(&world->toy, top[t]);
    }
}

/* Only samples are split: what can be done is to have the towers on servers of their own. */
static void by_samples_alone(struct world *world)
{
    for (uint32_t op = 0; op < world->toy.graph.ops; op++) {
        world->toy.op[op].dims = 1;
    }
}

/* 2 towers of 3 layers of 8 MB on 8 servers, d = 4. Data parallelism reduces 48 MB around 4 rings,
 * 2 x 7/8 of them: 21 ms. A tower on half of the servers reduces 24 MB around the rings of 4 there:
 * 2 x 3/4 x 24 / 4 = 9 ms with 4 of them, 18 with 2. */
static void test_towers_go_apart(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 8, 4);
    make_towers(&world, 2, 3, 8000000);
    by_samples_alone(&world);
    world.options.search.budget = 3000;
    plan(&world);
    assert_true(world.result.data_parallel.predicted_ps > 21000 * US);
    assert_true(world.result.best.predicted_ps < 15000 * US);
    toy_fini(&world.toy);
}

static void assert_equal_pairs(const struct model_graph *model, const struct topoopt_pair *a,
                               const struct topoopt_pair *b)
{
    assert_int_equal(a->predicted_ps, b->predicted_ps);
    assert_int_equal(a->graph.links, b->graph.links);
    assert_int_equal(a->graph.paths, b->graph.paths);
    for (uint32_t i = 0; i < a->graph.links; i++) { /* field by field: records have gaps */
        assert_int_equal(a->graph.link[i].from, b->graph.link[i].from);
        assert_int_equal(a->graph.link[i].to, b->graph.link[i].to);
        assert_int_equal(a->graph.link[i].count, b->graph.link[i].count);
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        assert_int_equal(a->strategy.op[op].parts, b->strategy.op[op].parts);
        assert_memory_equal(orr_strategy_degrees(&a->strategy, op),
                            orr_strategy_degrees(&b->strategy, op),
                            model->op[op].dims * sizeof(uint32_t));
        assert_memory_equal(orr_strategy_devices(&a->strategy, op),
                            orr_strategy_devices(&b->strategy, op),
                            a->strategy.op[op].parts * sizeof(uint32_t));
    }
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct world world;
    struct topoopt_result one;
    open_world(&world, 12, 4);
    make_towers(&world, 3, 2, 50000);
    plan(&world);
    one = world.result;
    world.options.search.threads = 3;
    plan(&world);
    assert_equal_pairs(&world.toy.graph, &one.best, &world.result.best);
    assert_equal_pairs(&world.toy.graph, &one.naive, &world.result.naive);
    assert_int_equal(one.attempts, world.result.attempts);
    assert_int_equal(one.evaluations, world.result.evaluations);
    for (uint32_t i = 0; i < one.attempts; i++) {
        assert_int_equal(one.attempt[i].after_ps, world.result.attempt[i].after_ps);
        assert_int_equal(one.attempt[i].outcome, world.result.attempt[i].outcome);
    }
    toy_fini(&world.toy);
}

/* Models, servers, degrees and links here and there. */
static void test_no_plan_is_worse_than_data_parallelism(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 0);
    for (uint32_t i = 0; i < 24; i++) {
        struct world world;
        const uint32_t servers = 4 + 2 * (uint32_t)orr_rng_below(&rng, 7);
        open_world(&world, servers, 2 + (uint32_t)orr_rng_below(&rng, 2));
        make_towers(&world, 1 + (uint32_t)orr_rng_below(&rng, 4),
                    1 + (uint32_t)orr_rng_below(&rng, 3), UINT64_C(1000) << orr_rng_below(&rng, 8));
        world.problem.copies = i % 5 == 0 ? 2 : 1;
        world.problem.topology.links = i % 2 == 0 ? NET_DUPLEX : NET_ONE_WAY;
        world.options.search.budget = 150;
        world.options.rounds = (uint32_t)orr_rng_below(&rng, 4);
        plan(&world);
        assert_true(never_worse(&world.result));
        assert_true(world.result.naive.predicted_ps >= world.result.best.predicted_ps);
        toy_fini(&world.toy);
    }
}

/* 15 servers have 8 jumps one way that make a ring. One operator by samples reduces 15 MB: 28
 * rounds of 1 MB in all, over 8 rings at once 3.5 ms, and 2 us of work; more interfaces take no
 * more. */
static void test_more_interfaces_are_no_slower(void **state)
{
    (void)state;
    sim_time last_ps = ORR_TIME_MAX;
    for (uint32_t degree = 1; degree <= 14; degree++) {
        struct world world;
        open_world(&world, 15, degree);
        (void)measured(&world, toy_op(&world.toy, "only", 100, 15000000, NULL));
        world.problem.topology.links = NET_ONE_WAY;
        world.options.rounds = 0;
        world.options.search.budget = 0;
        plan(&world);
        const sim_time is_ps = world.result.data_parallel.predicted_ps;
        if (is_ps > last_ps) {
            fail_msg("%u interfaces: %lld ps, one less %lld", degree, (long long)is_ps,
                     (long long)last_ps);
        }
        if (degree == 8) {
            assert_in_range(is_ps, 3502 * US, 3502 * US + 1); /* rounded up once */
        }
        last_ps = is_ps;
        toy_fini(&world.toy);
    }
}

/* The naive way: the switch's strategy and one topology for it. */
static void test_no_rounds_is_the_naive_way(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 8, 4);
    make_towers(&world, 2, 3, 80000);
    world.options.rounds = 0;
    plan(&world);
    assert_int_equal(world.result.rounds, 0);
    assert_int_equal(world.result.naive.origin, TOPOOPT_ON_SWITCH);
    assert_true(never_worse(&world.result));
    assert_int_equal(world.result.best.predicted_ps,
                     world.result.naive.predicted_ps < world.result.data_parallel.predicted_ps
                         ? world.result.naive.predicted_ps
                         : world.result.data_parallel.predicted_ps);
    toy_fini(&world.toy);
}

/* 8 layers of 10,000 bytes, twice for the gradients: 160,000 where every server has all. */
static void test_memory_makes_it_split(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 8, 4);
    make_towers(&world, 2, 4, 10000);
    world.problem.memory_bytes = 100000;
    world.options.search.budget = 2000;
    plan(&world);
    assert_true(world.result.data_parallel.missing_bytes > 60000);
    assert_int_equal(world.result.best.missing_bytes, 0);
    toy_fini(&world.toy);
}

static void test_on_a_network_only_strategies_are_searched(void **state)
{
    (void)state;
    struct world world;
    struct net_graph graph;
    const struct net_routing *routing;
    open_world(&world, 4, 2);
    (void)measured(&world, toy_op(&world.toy, "only", 100, 8000000, NULL));
    const struct net_fabric fabric = {
        .text = "circulant:1", .npus = 4, .kind = {.bytes_per_s = 1e9}};
    assert_int_equal(
        orr_net_build_fabric(&fabric, world.toy.arena, &graph, &routing, &world.toy.diag), ORR_OK);
    const struct plan_network on = {&graph, {.routing = &orr_routing_ecmp_pairs}};
    world.problem.on = &on;
    plan(&world);
    assert_int_equal(world.result.data_parallel.predicted_ps, 7500 * ORR_PS_PER_NS + 6000 * US);
    assert_int_equal(world.result.best.predicted_ps, 7500 * ORR_PS_PER_NS);
    toy_fini(&world.toy);
}

/* Strategies by rule, and other topologies, are judged beside the budget. */
static void test_without_a_budget_pairs_are_judged(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 8, 4);
    make_towers(&world, 2, 3, 8000000);
    by_samples_alone(&world);
    world.options.search.budget = 0;
    plan(&world);
    assert_true(world.result.attempts > 1);
    assert_true(world.result.evaluations >= world.result.attempts);
    assert_true(never_worse(&world.result));
    toy_fini(&world.toy);
}

static void test_stopped_gives_the_best_so_far(void **state)
{
    (void)state;
    struct world world;
    const volatile sig_atomic_t stop = 1;
    open_world(&world, 8, 4);
    make_towers(&world, 2, 3, 80000);
    world.options.search.stop = &stop;
    plan(&world);
    assert_true(world.result.stopped);
    assert_true(never_worse(&world.result));
    toy_fini(&world.toy);
}

static void test_a_degree_that_cannot_be_is_told(void **state)
{
    (void)state;
    struct world world;
    open_world(&world, 4, 4);
    (void)measured(&world, toy_op(&world.toy, "only", 100, 8000000, NULL));
    assert_int_equal(orr_topoopt_plan(world.toy.arena, &world.problem, &world.options,
                                      &world.result, &world.toy.diag),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(world.toy.diag.message, "degree"));
    toy_fini(&world.toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_operator_is_split_by_its_output),
        cmocka_unit_test(test_towers_go_apart),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_no_plan_is_worse_than_data_parallelism),
        cmocka_unit_test(test_more_interfaces_are_no_slower),
        cmocka_unit_test(test_no_rounds_is_the_naive_way),
        cmocka_unit_test(test_memory_makes_it_split),
        cmocka_unit_test(test_on_a_network_only_strategies_are_searched),
        cmocka_unit_test(test_without_a_budget_pairs_are_judged),
        cmocka_unit_test(test_stopped_gives_the_best_so_far),
        cmocka_unit_test(test_a_degree_that_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
