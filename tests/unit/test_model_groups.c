/* Generated models whose groups have one rank: exchanges in these leave out their nodes. */
#include "tests/unit/model_fixture.h"

/* What waits for dense and for expert gradients is the same then: 8 weight gradients of a layer
 * with cross attention and experts, the end of its backward pass, and that of all layers. */
static void test_trace_encoder_with_experts_on_one_npu_waits_once(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_model(fixture, 1,
                   "transformer: {layers: 2, encoder_layers: 2, hidden: 8, heads: 2, sequence: 4, "
                   "vocabulary: 10, experts: 4}\n"
                   "training: {steps: 2}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    struct orr_parents parents;
    assert_int_equal(orr_parents_build(fixture->arena, trace, &parents, &fixture->diag), ORR_OK);
    const struct orr_node *update = node_named(trace, "step 0 layer 3 update");
    const size_t index = (size_t)(update - trace->node);
    assert_int_equal(parents.first[index + 1] - parents.first[index], 8 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_trace_encoder_with_experts_on_one_npu_waits_once,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
