/* SiP-ML's search: steps, estimates against hand calculations, and what its section of a plan
 * refuses, in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "core/arena.h"
#include "planner/plan_file/plan_job.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/search/sipml_estimate.h"
#include "sipml/search/sipml_routes.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_steps.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct plan_job job;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.arena = orr_arena_create();
    assert_non_null(fixture.arena);
    orr_diag_init(&fixture.diag);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

/* Two operators of 10 us forwards and 20 us backwards for both samples; the first gives 1000 B of
 * each, and both have 1 MB of weights. Links of 1 GB/s and 0.5 us to one switch. */
#define MODEL                                                                                      \
    "    batch: 2\n"                                                                               \
    "    element_bytes: 1\n"                                                                       \
    "    operators:\n"                                                                             \
    "      - data: {name: x, shape: [8]}\n"                                                        \
    "      - measured: {name: a, out: 1000, forward: 10 us, backward: 20 us, weights: 1000000}\n"  \
    "      - measured: {name: b, out: 8, forward: 10 us, backward: 20 us, weights: 1000000}\n"
#define NETWORK(npus)                                                                              \
    "network:\n"                                                                                   \
    "  graph: {fabric: ideal-switch, npus: " #npus ", bandwidth: 8 Gb/s, latency: 0.5 us}\n"       \
    "  backend: flow\n"                                                                            \
    "  shares: maxmin\n"

static const char two[] = "plan:\n  model:\n" MODEL NETWORK(2);
static const char four[] = "plan:\n  model:\n" MODEL NETWORK(4);

static enum orr_status read_plan(struct fixture *fixture, const char *text, const char *set)
{
    const struct plan_source source = {
        .kind = &orr_plan_kind_sip_ml, .text = text, .set = &set, .sets = set != NULL};
    orr_diag_init(&fixture->diag);
    return orr_plan_job_read(fixture->arena, &source, &fixture->job, &fixture->diag);
}

/* Within a billionth. */
static void equal(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * expected)) {
        fail_msg("%.12g, expected %.12g", value, expected);
    }
}

/* ---- steps ---- */

static void test_steps_of_the_curve_pass_through_the_count(void **state)
{
    /* S (1 + 128 / 1024) = 16384: S = 14563.555...; at 128 twice that, at 256 one and a half. */
    const struct sipml_steps steps = {.count = 16384, .at = 1024, .critical = 128};
    (void)state;
    equal(orr_sipml_steps(&steps, 1024), 16384);
    equal(orr_sipml_steps(&steps, 128), 16384 / 1.125 * 2);
    equal(orr_sipml_steps(&steps, 256), 16384 / 1.125 * 1.5);
}

static void test_steps_of_a_table_are_between_the_logarithms(void **state)
{
    /* From 256 to 1024 the steps fall to a quarter: half as many at twice the batch. */
    static const struct sipml_steps_row row[] = {{256, 40000}, {1024, 10000}, {4096, 9000}};
    const struct sipml_steps steps = {.row = row, .rows = 3};
    (void)state;
    equal(orr_sipml_steps(&steps, 256), 40000);
    equal(orr_sipml_steps(&steps, 512), 20000);
    equal(orr_sipml_steps(&steps, 1024), 10000);
    equal(orr_sipml_steps(&steps, 2048), sqrt(10000.0 * 9000));
    equal(orr_sipml_steps(&steps, 4096), 9000);
    assert_true(orr_sipml_steps_reach(&steps, 256));
    assert_false(orr_sipml_steps_reach(&steps, 255));
    assert_false(orr_sipml_steps_reach(&steps, 4097));
}

/* ---- estimates ---- */

/* Both operators whole, on these devices of a group, without what begins a flow: microseconds of an
 * iteration. */
static double estimated(struct fixture *fixture, uint32_t copies, uint32_t a, uint32_t b)
{
    const struct plan_job *job = &fixture->job;
    const uint32_t whole[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct sipml_network network = {
        .graph = job->network.graph, .routes = job->network.routes, .flows = {.packet_bytes = 0}};
    struct strategy_draft draft;
    struct sipml_estimate estimate;
    assert_true(orr_strategy_draft_init(&draft, fixture->arena, &job->model, job->servers, copies));
    draft.strategy.server = job->server;
    assert_true(orr_strategy_set(&draft, 0, whole, &a));
    assert_true(orr_strategy_set(&draft, 1, whole, &b));
    const struct strategy strategy = orr_strategy_drafted(&draft);
    const struct sipml_estimate_input of = {&job->model, &strategy, &job->speed, &network};
    assert_int_equal(orr_sipml_estimate(&of, &estimate, &fixture->diag), ORR_OK);
    return (double)estimate.iteration_ps * 1e-6;
}

static void test_estimate_of_a_chain_adds_transfers(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_plan(fixture, two, NULL), ORR_OK);
    /* a 10; 2000 B in 2 us, and two links of 0.5 us; b 10, and back 20; 3 us; a 20. */
    equal(estimated(fixture, 1, 0, 1), 10 + 3 + 10 + 20 + 3 + 20);
    equal(estimated(fixture, 1, 1, 1), 10 + 10 + 20 + 20);
}

static void test_estimate_of_groups_queues_their_rings(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_plan(fixture, two, NULL), ORR_OK);
    /* A sample each: 5 + 5 forwards, b is back at 20, a at 30. Each ring carries 2 (1/2) 1 MB in
     * 1000 us: b's until 1020, a's until 2020, which is there 1 us later. */
    equal(estimated(fixture, 2, 0, 0), 2021);
    assert_int_equal(read_plan(fixture, two, "plan.gradients=at_end"), ORR_OK);
    equal(estimated(fixture, 2, 0, 0), 2031);
}

static void test_estimate_shares_links_with_rings(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_plan(fixture, four, NULL), ORR_OK);
    /* a 5, 1000 B in 2 us, b 5, and back 10: 22. Its ring begins, and the gradient gets half of the
     * link: 2 us, and 1; a is back at 35, and its ring is there at 1036; that of b at 1024. */
    equal(estimated(fixture, 2, 0, 1), 1036);
    assert_int_equal(read_plan(fixture, four, "plan.gradients=at_end"), ORR_OK);
    /* b is back at 22, and its ring begins at once; the gradient takes 2 us: a is back at 34. */
    equal(estimated(fixture, 2, 0, 1), 34 + 1001);
}

/* ---- what is refused ---- */

static void refused(struct fixture *fixture, const char *text, const char *set, const char *message)
{
    char said[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES];
    assert_int_equal(read_plan(fixture, text, set), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, message);
}

static void test_plan_sip_ml_wrong_values_are_named(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, four, "plan.sip_ml.model_parallel=[1, 3]",
            "--set: plan.sip_ml.model_parallel: expected numbers that divide the 4 servers "
            "into equal groups, such as 1 and 2, got 3");
    refused(fixture, four, "plan.sip_ml.degree=1",
            "--set: plan.sip_ml.degree: expected a whole number from 2 to 4096, got \"1\"");
    refused(fixture, four, "plan.sip_ml.quantum=0 us",
            "--set: plan.sip_ml.quantum: expected a time from 1 ps to 1.000 s, got \"0 "
            "us\"");
    refused(fixture, four, "plan.sip_ml.steps={count: 10}",
            "--set: plan.sip_ml.steps: expected either count and at, such as {count: "
            "16384, at: 1024, critical_batch: 128}, or a table, such as {table: [{batch: 256, "
            "steps: 40000}, {batch: 1024, steps: 16384}]}");
    refused(fixture, four,
            "plan.sip_ml.steps={table: [{batch: 4, steps: 9}, {batch: 8, steps: 5}]}",
            "--set: plan.sip_ml.steps: the table has batches from 4 to 8 and no steps at 2, which "
            "is tried; expected a row of that batch, or other batches");
    refused(fixture, four,
            "plan.sip_ml.steps={table: [{batch: 4, steps: 9}, {batch: 4, steps: 5}]}",
            "--set: plan.sip_ml.steps.table[1].batch: expected rising batches, more "
            "than the 4 of the row before, got 4");
    refused(fixture, four, "network.backend=congestion",
            "--set: network.backend: expected flow, whose links messages share, for a "
            "plan of SiP-ML, got congestion");
    refused(fixture, "plan: {model: sipml/transformer, servers: 4}", NULL,
            "text:1:7: plan: a plan of SiP-ML needs the section network, such as network: {design: "
            "{name: elect-flat, servers: 1024, bandwidth: 8192 Gb/s}}; interfaces are of orrery "
            "plan topoopt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_the_curve_pass_through_the_count),
        cmocka_unit_test(test_steps_of_a_table_are_between_the_logarithms),
        cmocka_unit_test_setup_teardown(test_estimate_of_a_chain_adds_transfers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_estimate_of_groups_queues_their_rings, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_estimate_shares_links_with_rings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_sip_ml_wrong_values_are_named, setup, teardown),
    };
    return cmocka_run_group_tests_name("sipml_search", tests, NULL, NULL);
}
