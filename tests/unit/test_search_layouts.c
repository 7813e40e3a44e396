/* Layouts as start strategies: the cuts of a pair of layers as Megatron-LM has them, by the
 * dimensions alone. */
#include "strategy_fixture.h"

#include "planner/search/search_layouts.h"

enum { DEVICES = 8 };

static const uint32_t *degrees(struct toy *toy, uint32_t op)
{
    return toy->draft.degree + toy->draft.op[op].first_degree;
}

static void cut(struct toy *toy, uint32_t tensor)
{
    const struct search_dimensions all = {.count = 0};
    const struct search_layout layout = {.tensor = tensor, .experts = 1};
    toy_draft(toy, DEVICES, 1);
    assert_true(orr_search_set_layout(&toy->draft, &all, &layout));
}

/* Two heavy layers: the first by its output, the second by its input, which is sliced so; the sum
 * behind it is reduced to slices, which the next operator without weights takes. */
static void test_pairs_of_layers(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 64);
    const uint32_t begin = toy_op(&toy, "begin", 100, 0, NULL);
    const uint32_t wide = toy_after(&toy, "wide", 400, 100000, begin);
    const uint32_t between = toy_after(&toy, "between", 400, 0, wide);
    const uint32_t back = toy_after(&toy, "back", 100, 100000, between);
    const uint32_t last = toy_after(&toy, "last", 100, 0, back);
    cut(&toy, 4);
    assert_int_equal(degrees(&toy, wide)[OUTPUT], 4);
    assert_int_equal(degrees(&toy, between)[ALIKE], 4);
    assert_int_equal(degrees(&toy, back)[INPUT], 4);
    assert_int_equal(degrees(&toy, last)[ALIKE], 4);
    for (uint32_t op = wide; op <= last; op++) {
        assert_int_equal(degrees(&toy, op)[SAMPLE], 2);
        assert_int_equal(toy.draft.op[op].parts, DEVICES);
    }
    toy_fini(&toy);
}

/* Weights smaller than a sample's input are not sliced, tied ones as at their owner; tables stay.
 */
static void test_light_tied_and_tables(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 64);
    const uint32_t table = toy_op(&toy, "table", 4000, 100000, NULL);
    const uint32_t owner = toy_op(&toy, "owner", 4000, 100000, NULL);
    const uint32_t light = toy_after(&toy, "light", 4000, 40, owner);
    const uint32_t tied = toy_after(&toy, "tied", 400000, 100000, light);
    toy.op[table].table = true;
    toy.op[tied].owner = owner;
    cut(&toy, 8);
    assert_int_equal(toy.draft.op[table].parts, 1);
    assert_int_equal(degrees(&toy, owner)[OUTPUT], 8);
    assert_int_equal(degrees(&toy, light)[ALIKE], 8);
    assert_int_equal(degrees(&toy, tied)[OUTPUT] * degrees(&toy, tied)[INPUT], 8);
    toy_fini(&toy);
}

/* 2, 4, 8 devices side by side; with 4 experts also these spread over 2 and 4. */
static void test_all_layouts(void **state)
{
    struct toy toy;
    struct model_dim dims[TOY_DIMS];
    (void)state;
    toy_init(&toy, 64);
    const uint32_t op = toy_op(&toy, "only", 100, 1000, NULL);
    assert_int_equal(orr_search_count_layouts(&toy.graph, DEVICES), 3);
    memcpy(dims, toy_dims, sizeof dims);
    dims[ALIKE].experts_per_token = 2;
    dims[ALIKE].weights = MODEL_WEIGHTS_SLICED;
    dims[ALIKE].size = 4;
    toy.op[op].dim = dims;
    assert_int_equal(orr_search_count_layouts(&toy.graph, DEVICES), 11);
    const struct search_layout spread = orr_search_layout_at(&toy.graph, DEVICES, 1);
    const struct search_dimensions all = {.count = 0};
    assert_int_equal(spread.tensor, 1);
    assert_int_equal(spread.experts, 4);
    toy_draft(&toy, DEVICES, 1);
    assert_true(orr_search_set_layout(&toy.draft, &all, &spread));
    assert_int_equal(degrees(&toy, op)[ALIKE], 4);
    assert_int_equal(degrees(&toy, op)[SAMPLE], 2);
    toy_fini(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_layers),
        cmocka_unit_test(test_light_tied_and_tables),
        cmocka_unit_test(test_all_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
