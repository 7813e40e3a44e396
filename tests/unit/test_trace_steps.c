/* Steps of traces: which nodes mark them, which nodes are of them, and cutting one out. */
#include "core/rng.h"
#include "tests/unit/trace_fixture.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace_cut.h"
#include "workload/trace/trace_steps.h"

enum { CPU = ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG, GPU = ORR_NODE_HAS_CPU_FLAG };

static struct orr_steps find(void **state, const struct orr_trace *trace, const char *pattern)
{
    struct orr_steps steps;
    assert_int_equal(orr_steps_find(*state, trace, pattern, &steps, NULL), ORR_OK);
    return steps;
}

/* The labels, each with a blank behind. */
static void expect_labels(void **state, const struct orr_trace *trace, const char *pattern,
                          const char *expected)
{
    char text[256] = "";
    const struct orr_steps steps = find(state, trace, pattern);
    for (uint32_t i = 0; i < steps.steps; i++) {
        (void)strcat(strcat(text, steps.step[i].label), " ");
    }
    assert_string_equal(text, expected);
}

static void test_find_usual_names(void **state)
{
    static const struct written nodes[] = {
        {AT(1, "ProfilerStep#10", 0)},  {AT(2, "step_size", 0)},       {AT(3, "iteration 11", 0)},
        {AT(4, "Iter_12", 0)},          {AT(5, "step 12 layer 3", 0)}, {AT(6, "steps 14", 0)},
        {AT(7, "x ProfilerStep#9", 0)}, {AT(8, "ProfilerStep#", 0)}};
    expect_labels(state, MAKE_TRACE(state, nodes), NULL, "10 11 12 9 ");
}

static void test_find_patterns(void **state)
{
    static const struct written nodes[] = {{AT(1, "batch 3 of epoch 1", 0)},
                                           {AT(2, "batch 40 of epoch 1", 0)},
                                           {AT(3, "[go](a)", 0)},
                                           {AT(4, "[go](b)", 0)},
                                           {AT(5, "v2.begin", 0)}};
    const struct orr_trace *trace = MAKE_TRACE(state, nodes);
    expect_labels(state, trace, "batch ", "3 40 ");       /* behind the text */
    expect_labels(state, trace, "batch", "3 40 ");        /* the first behind it */
    expect_labels(state, trace, "batch [0-9]+", "3 40 "); /* the last in the match */
    expect_labels(state, trace, "batch [0-9]", "3 40 ");  /* all of its digits */
    expect_labels(state, trace, "[go](", "0 1 ");         /* no regular expression; counted */
    expect_labels(state, trace, "^v[0-9]\\.begin$", "2 ");
    expect_labels(state, trace, "nothing", "");
}

static void expect_steps(const struct orr_steps *steps, const char *expected)
{
    for (uint32_t i = 0; i < steps->trace->nodes; i++) {
        assert_int_equal(steps->of[i], expected[i] - '0');
    }
}

/* Ids in the order in which CPU operations begin, kernels numbered behind them all: 20, 21 launched
 * in the first step, 22 in the second, and 23 behind 22 in its stream though launched earlier. 24
 * has no parents. The wait 6 of the first step for 22 is a dependency on the second. */
static void test_assign_kernels_follow_what_launches_them(void **state)
{
    static const struct written nodes[] = {{AT(1, "load", 0), .flags = CPU},
                                           {AT(2, "ProfilerStep#4", 0), .flags = CPU},
                                           {AT(3, "mm", 0), .parents = {2}, .flags = CPU},
                                           {AT(4, "add", 0), .parents = {3}, .flags = CPU},
                                           {AT(5, "free", 0), .flags = CPU},
                                           {AT(6, "wait", 0), .parents = {22}, .flags = CPU},
                                           {AT(10, "ProfilerStep#5", 0), .flags = CPU},
                                           {AT(11, "mm", 0), .parents = {10}, .flags = CPU},
                                           {AT(20, "k", 0), .parents = {1}, .flags = GPU},
                                           {AT(21, "k", 0), .parents = {3, 20}, .flags = GPU},
                                           {AT(22, "k", 0), .parents = {11, 21}, .flags = GPU},
                                           {AT(23, "k", 0), .parents = {4, 22}, .flags = GPU},
                                           {AT(24, "k", 0), .flags = GPU}};
    struct orr_steps steps = find(state, MAKE_TRACE(state, nodes), NULL);
    assert_int_equal(orr_steps_assign(*state, &steps, NULL), ORR_OK);
    expect_steps(&steps, "0111122201222");
    assert_int_equal(steps.step[0].nodes, 5);
    assert_int_equal(steps.step[1].nodes, 6);
}

/* Without CPU operations ids tell, and names that are markers themselves. */
static void test_assign_without_cpu_operations_is_by_id(void **state)
{
    static const struct written nodes[] = {{AT(1, "init", 0)},
                                           {AT(2, "step 0 a", 0), .parents = {1}},
                                           {AT(3, "x", 0), .parents = {1}},
                                           {AT(4, "step 1 a", 0), .parents = {2}},
                                           {AT(5, "y", 0), .parents = {2}},
                                           {AT(6, "step 0 late", 0), .parents = {2}},
                                           {AT(7, "z", 0), .parents = {6}}};
    struct orr_steps steps = find(state, MAKE_TRACE(state, nodes), NULL);
    assert_int_equal(orr_steps_assign(*state, &steps, NULL), ORR_OK);
    expect_steps(&steps, "0112212");
}

static void test_assign_random_dependencies_lead_forwards_only(void **state)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 3, 0);
    for (unsigned round = 0; round < 50; round++) {
        struct written nodes[60] = {{.id = 0}};
        for (uint32_t i = 0; i < 60; i++) {
            const bool marks = orr_rng_below(&rng, 10) == 0;
            nodes[i] = (struct written){.id = 1 + (i * 37) % 60, /* not the order of time */
                                        .name = marks ? "step" : "n",
                                        .flags = orr_rng_below(&rng, 2) == 0 ? CPU : GPU};
            for (uint32_t p = 0; i > 0 && p < orr_rng_below(&rng, 3); p++) {
                nodes[i].parents[p] = nodes[orr_rng_below(&rng, i)].id;
            }
        }
        const struct orr_trace *trace = MAKE_TRACE(state, nodes);
        struct orr_steps steps = find(state, trace, "step");
        assert_int_equal(orr_steps_assign(*state, &steps, NULL), ORR_OK);
        for (uint32_t i = 0; i < trace->nodes; i++) {
            for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
                assert_true(steps.of[i] <= steps.of[trace->children[e]]);
            }
        }
    }
}

static void test_between_takes_names_before_parts_of_names(void **state)
{
    static const struct written nodes[] = {{AT(1, "a begin b", 0)},
                                           {AT(2, "begin", 0)},
                                           {AT(3, "x", 0)},
                                           {AT(4, "the end", 0)},
                                           {AT(5, "x", 0)}};
    struct orr_steps steps;
    const struct orr_trace *trace = MAKE_TRACE(state, nodes);
    assert_int_equal(orr_steps_between(*state, trace, "begin", "end", &steps, NULL), ORR_OK);
    assert_int_equal(orr_steps_assign(*state, &steps, NULL), ORR_OK);
    expect_steps(&steps, "01122");
    struct orr_diag diag;
    char text[5000];
    orr_diag_init(&diag);
    assert_int_equal(orr_steps_between(*state, trace, "the end", "begin", &steps, &diag),
                     ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(
        text, "made.et: no node after node 4 is named \"begin\", nor contains it in its name");
}

/* Nodes 3 to 5 of step 1: 3 loses its dependency on 2, 5 that on 1; the groups stay. */
static void test_cut_drops_what_is_outside(void **state)
{
    static const struct written nodes[] = {
        {AT(1, "groups", 0), .kind = ORR_NODE_METADATA, .values = "['[{\"pg_name\": \"1\"}]']"},
        {AT(2, "step 0", 0), .parents = {1}},
        {AT(3, "step 1", 7), .parents = {2}},
        {AT(4, "r", 0), .parents = {3}, .kind = ORR_NODE_COLL, .bytes = 9, .group = "1"},
        {AT(5, "x", 0), .parents = {2, 4, 1}},
        {AT(6, "step 2", 0), .parents = {5}}};
    const struct orr_cut cut = {.step = "1"};
    struct orr_cut_result result;
    const struct orr_trace *made;
    assert_int_equal(orr_trace_cut(MAKE_TRACE(state, nodes), &cut, "cut.et", &result, NULL),
                     ORR_OK);
    assert_int_equal(result.nodes, 4);
    assert_int_equal(result.group_nodes, 1);
    assert_int_equal(result.edges, 3);
    assert_int_equal(result.dropped, 2);
    assert_int_equal(result.dropping, 2);
    assert_int_equal(orr_et_read_file(*state, "cut.et", &made, NULL), ORR_OK);
    assert_int_equal(remove("cut.et"), 0);
    assert_int_equal(made->nodes, 4);
    assert_int_equal(made->edges, 3);
    assert_int_equal(made->node[1].id, 3);
    assert_int_equal(made->node[1].duration_ps, 7 * ORR_PS_PER_US);
    assert_int_equal(made->parents[1], 0);
    assert_int_equal(made->parents[3], 2);
    assert_string_equal(made->groups[made->node[2].group - 1], "1");
}

static void test_cut_unknown_step_lists_the_steps(void **state)
{
    static const struct written nodes[] = {{AT(1, "step 0", 0)},
                                           {AT(2, "step 1", 0), .parents = {1}}};
    const struct orr_cut cut = {.step = "2"};
    struct orr_cut_result result;
    struct orr_diag diag;
    char text[5000];
    orr_diag_init(&diag);
    assert_int_equal(orr_trace_cut(MAKE_TRACE(state, nodes), &cut, "cut.et", &result, &diag),
                     ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "made.et: there is no step 2; the steps are 0, 1");
    assert_int_not_equal(remove("cut.et"), 0); /* nothing was written */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_find_usual_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find_patterns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_assign_kernels_follow_what_launches_them, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_assign_without_cpu_operations_is_by_id, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_assign_random_dependencies_lead_forwards_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_between_takes_names_before_parts_of_names, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_cut_drops_what_is_outside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_unknown_step_lists_the_steps, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
