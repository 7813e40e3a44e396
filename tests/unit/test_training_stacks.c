/* Generated transformers as training stacks run them: attention that is not fused. */
#include "tests/unit/model_fixture.h"

/* Hidden 64, 8 heads of 8, ffn 256, 128 tokens, 2 bytes an element. S = 128 x 64 x 2 = 16384 bytes
 * are the activations of a sample, 8 x 128 x 128 = 131072 its scores in a layer. */
#define HEAD_OF_SMALL                                                                              \
    "transformer: {hidden: 64, heads: 8, sequence: 128, vocabulary: 0, bias: false, layers: "

static const struct orr_trace *trace_for(struct fixture *fixture, uint32_t npus, const char *rest)
{
    char text[1024];
    (void)snprintf(text, sizeof text, HEAD_OF_SMALL "%s", rest);
    const struct gen_model model = read_model(fixture, npus, text);
    return trace_of(fixture, &model);
}

/* ---- attention that is not fused ---- */

/* 2 x 128 x 128 x 64 operations a product, of all pairs also behind a mask; twice as many
 * backwards. Queries, keys, values and result have 8192 elements each. */
static void test_unfused_attention_is_two_products_and_a_softmax(void **state)
{
    static const char *const causal[] = {"false", "true"};
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "1, causal: %s}\ntraining: {fused_attention: false}",
                       causal[i]);
        const struct orr_trace *trace = trace_for(*state, 1, text);
        const uint64_t product = 2097152, around = 2 * (2 * 8192 + 131072);
        assert_comp(trace, "layer 0 attention scores fwd mb 0", product, around);
        assert_comp(trace, "layer 0 attention softmax fwd mb 0", 131072, 8 * 131072);
        assert_comp(trace, "layer 0 attention values fwd mb 0", product, around);
        assert_comp(trace, "layer 0 attention values bwd mb 0", 2 * product, 2 * around);
        assert_comp(trace, "layer 0 attention softmax bwd mb 0", 131072, 8 * 131072);
        assert_comp(trace, "layer 0 attention scores bwd mb 0", 2 * product, 2 * around);
        assert_int_equal(node_named(trace, "layer 0 attention scores fwd mb 0")->op,
                         ORR_OP_ATTENTION);
        assert_int_equal(node_named(trace, "layer 0 attention softmax fwd mb 0")->op,
                         ORR_OP_ELEMENTWISE);
    }
}

/* Without dropout the softmax reads and writes each score once. A rank of 4 has 2 of the 8 heads.
 */
static void test_unfused_attention_without_dropout_passes_the_scores_once(void **state)
{
    const struct orr_trace *trace = trace_for(
        *state, 4, "1, dropout: false}\nparallel: {tensor: 4}\ntraining: {fused_attention: false}");
    assert_comp(trace, "layer 0 attention softmax fwd mb 0", 131072 / 4, 4 * 131072 / 4);
    assert_comp(trace, "layer 0 attention values fwd mb 0", 2097152 / 4,
                2 * (2 * 8192 + 131072) / 4);
}

/* What is reported as useful is the same: with a mask half of the pairs. */
static void test_unfused_attention_keeps_the_models_operations(void **state)
{
    static const char *const rest[] = {"1}\n", "1, causal: true}\n"};
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, HEAD_OF_SMALL "%straining: {fused_attention: false}",
                       rest[i]);
        const struct gen_model model = read_model(*state, 1, text);
        /* matrices: 6 x 128 x (4 x 64 x 64 + 2 x 64 x 256); scores: 3 x 4 x 128 x 128 x 64 */
        assert_true(totals_of(&model).model_flops == 37748736.0 + 12582912.0 / (i == 0 ? 1 : 2));
    }
}

/* Each node waits for the one before it alone. */
static void assert_chain(struct fixture *fixture, const struct orr_trace *trace,
                         const char *const *names, size_t count)
{
    struct orr_parents parents;
    assert_int_equal(orr_parents_build(fixture->arena, trace, &parents, &fixture->diag), ORR_OK);
    for (size_t i = 1; i < count; i++) {
        const size_t node = (size_t)(node_named(trace, names[i]) - trace->node);
        assert_int_equal(parents.first[node + 1] - parents.first[node], 1);
        assert_string_equal(trace->node[parents.parent[parents.first[node]]].name, names[i - 1]);
    }
}

/* Selective recomputation runs all three again before it goes back through any. */
static void test_unfused_attention_is_recomputed_as_a_whole(void **state)
{
    static const char *const names[] = {
        "layer 0 attention projection bwd mb 0", "layer 0 attention scores again mb 0",
        "layer 0 attention softmax again mb 0",  "layer 0 attention values again mb 0",
        "layer 0 attention values bwd mb 0",     "layer 0 attention softmax bwd mb 0",
        "layer 0 attention scores bwd mb 0",     "layer 0 qkv bwd mb 0"};
    assert_chain(
        *state,
        trace_for(*state, 1, "1}\ntraining: {fused_attention: false, recompute: selective}"), names,
        sizeof names / sizeof *names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_unfused_attention_is_two_products_and_a_softmax),
        IN_FIXTURE(test_unfused_attention_without_dropout_passes_the_scores_once),
        IN_FIXTURE(test_unfused_attention_keeps_the_models_operations),
        IN_FIXTURE(test_unfused_attention_is_recomputed_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
