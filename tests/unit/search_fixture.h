/* Searches for strategies of small models made by hand. Their parts take times by a roofline of 1
 * Gflop/s alone, their links carry 1 GB/s. */
#ifndef ORR_TESTS_UNIT_SEARCH_FIXTURE_H
#define ORR_TESTS_UNIT_SEARCH_FIXTURE_H

#include "strategy_fixture.h"

#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "planner/search/search.h"
#include "tests/unit/strategy_fixture.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/roofline/roofline.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

struct eval_strategy;

struct quest {
    struct toy toy;
    struct net_graph graph;
    struct model_speed speed;
    struct search_problem problem;
    struct search_options options;
    struct search_result result;
};

static inline void quest_init(struct quest *quest, uint64_t batch, const char *fabric,
                              uint32_t devices, uint32_t copies)
{
    *quest = (struct quest){.options = orr_search_default_options()};
    toy_init(&quest->toy, batch);
    const struct net_fabric built = {
        .text = fabric, .npus = devices, .kind = {.bytes_per_s = 1e9, .latency_ps = 0}};
    const struct net_routing *routing;
    if (orr_net_build_fabric(&built, quest->toy.arena, &quest->graph, &routing, &quest->toy.diag) !=
        ORR_OK) {
        fail_msg("%s", quest->toy.diag.message);
    }
    routing = routing == &orr_routing_ecmp ? &orr_routing_ecmp_pairs : routing;
    quest->speed.roofline = (struct wl_roofline){.peak_flops = 1e9};
    quest->problem = (struct search_problem){
        .model = &quest->toy.graph,
        .speed = &quest->speed,
        .devices = devices,
        .copies = copies,
        .server = {.gpus = 1},
        .network = {.graph = &quest->graph, .routes = {.routing = routing, .seed = 1}}};
    quest->options.threads = 1;
}

/* An operator behind others with flops of a sample in each pass, and the first `dims` dimensions.
 */
static inline uint32_t quest_op(struct quest *quest, const char *name, uint64_t flops,
                                uint64_t output_bytes, uint64_t weight_bytes,
                                const uint32_t input[2])
{
    const uint32_t op = toy_op(&quest->toy, name, output_bytes, weight_bytes, input);
    quest->toy.op[op].forward.flops = quest->toy.op[op].backward.flops = flops;
    quest->toy.op[op].dims = 3; /* samples, output, input */
    return op;
}

static inline uint32_t quest_after(struct quest *quest, const char *name, uint64_t flops,
                                   uint64_t output_bytes, uint64_t weight_bytes, uint32_t before)
{
    const uint32_t input[2] = {before, UINT32_MAX};
    return quest_op(quest, name, flops, output_bytes, weight_bytes, input);
}

static inline enum orr_status quest_run(struct quest *quest)
{
    orr_diag_init(&quest->toy.diag);
    return orr_search(quest->toy.arena, &quest->problem, &quest->options, NULL, 0, &quest->result,
                      &quest->toy.diag);
}

/* It runs, and what is found is a strategy. */
static inline void quest_search(struct quest *quest)
{
    if (quest_run(quest) != ORR_OK ||
        orr_strategy_check(&quest->toy.graph, &quest->result.best, &quest->toy.diag) != ORR_OK) {
        fail_msg("%s", quest->toy.diag.message);
    }
}

/* What a fresh evaluator says of a strategy. */
static inline sim_time quest_time(struct quest *quest, const struct strategy *strategy)
{
    const struct eval_strategy_setup setup = {
        .model = &quest->toy.graph, .strategy = strategy, .network = quest->problem.network};
    struct eval_strategy *evaluated = NULL;
    sim_time time_ps = 0;
    assert_int_equal(orr_eval_strategy_create(&evaluated, &setup, &quest->toy.diag), ORR_OK);
    for (uint32_t op = 0; op < quest->toy.graph.ops; op++) {
        struct model_times times;
        assert_int_equal(orr_model_part_time(&quest->toy.graph, op,
                                             orr_strategy_degrees(strategy, op), &quest->speed,
                                             orr_model_batch(&quest->toy.graph, strategy->devices) /
                                                 strategy->copies,
                                             &times, &quest->toy.diag),
                         ORR_OK);
        orr_eval_strategy_set_time(evaluated, op, times.forward_ps, times.backward_ps);
    }
    assert_true(orr_eval_strategy_update_all(evaluated));
    assert_int_equal(
        orr_evaluate(orr_eval_strategy_evaluator(evaluated), &time_ps, &quest->toy.diag), ORR_OK);
    orr_eval_strategy_destroy(evaluated);
    return time_ps;
}

static inline void quest_fini(struct quest *quest)
{
    toy_fini(&quest->toy);
}

#endif
