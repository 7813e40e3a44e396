/* Experts over ranks of their own: expert-tensor, expert and expert-data ranks laid over tensor x
 * context x data (Megatron-LM; Liu et al. 2025, "MoE Parallel Folding"). Ranks of groups, bytes of
 * exchanges, operations and memory by hand. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

#define MODEL                                                                                      \
    "transformer: {layers: 1, hidden: 64, heads: 8, ffn: 256, gated: true, norm: rmsnorm,\n"       \
    "  bias: false, sequence: 128, vocabulary: 0, experts: 8, experts_per_token: 2, expert_ffn: "  \
    "32}\n"                                                                                        \
    "training: {batch: 8, micro_batch: 1, gradient_bytes: 4}\n"

static const struct gen_layout *layout_of(const struct gen_model *model)
{
    return &model->ops->plan(model->job)->layout;
}

static void assert_group(const struct gen_layout *layout, enum gen_family family, uint32_t rank,
                         const uint32_t *expected, uint32_t count)
{
    uint32_t ranks[64];
    assert_int_equal(orr_gen_family_size(layout, family), count);
    orr_gen_family_ranks(layout, family, orr_gen_family_first(layout, family, rank), ranks);
    assert_memory_equal(ranks, expected, count * sizeof *expected);
}

#define ASSERT_GROUP(family, rank, ...)                                                            \
    assert_group(layout, family, rank, (const uint32_t[]){__VA_ARGS__},                            \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Megatron's order tp-cp-ep-dp-pp: dense ranks t + 2 (c + 2 d) + 16 p; of experts y + 2 (x + 2 m) +
 * 16 p, or with one rank for each expert x + 4 m + 16 p. */
static void test_groups_of_experts(void **state)
{
    struct fixture *fixture = *state;
    struct gen_model model =
        read_model(fixture, 16,
                   MODEL "parallel: {tensor: 2, context: 2, expert: 4, expert_tensor: 1,\n"
                         "  sequence: true}\n");
    const struct gen_layout *layout = layout_of(&model);
    ASSERT_GROUP(GEN_TP, 6, 6, 7);
    ASSERT_GROUP(GEN_CP, 6, 4, 6);
    ASSERT_GROUP(GEN_DP, 7, 1, 3, 5, 7, 9, 11, 13, 15);
    ASSERT_GROUP(GEN_EP, 6, 4, 5, 6, 7);
    ASSERT_GROUP(GEN_EDP, 6, 2, 6, 10, 14);
    assert_int_equal(orr_gen_family_size(layout, GEN_ETP), 1);
    clear(fixture);
    model = read_model(fixture, 16,
                       MODEL "parallel: {tensor: 4, expert: 4, expert_tensor: 2,\n"
                             "  sequence: true}\n");
    layout = layout_of(&model);
    ASSERT_GROUP(GEN_TP, 6, 4, 5, 6, 7);
    ASSERT_GROUP(GEN_ETP, 6, 6, 7);
    ASSERT_GROUP(GEN_EP, 6, 0, 2, 4, 6);
    ASSERT_GROUP(GEN_EDP, 6, 6, 14);
    assert_int_equal(gen_data_ranks(layout), 4);
}

/* As many as tensor-parallel ranks, without context: the layout without the key. */
static void test_the_default_is_the_tensor_degree(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 16, MODEL "parallel: {tensor: 4, expert: 2, expert_tensor: 4, sequence: true}\n");
    assert_false(layout_of(&model)->experts.are_apart);
    assert_int_equal(layout_of(&model)->size[GEN_EXPERT], 2);
}

/* Without the key more expert ranks than data ranks are spread over context ranks, too. */
static void test_experts_over_context_ranks(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 8, MODEL "parallel: {tensor: 2, context: 2, expert: 4, sequence: true}\n");
    const struct gen_layout *layout = layout_of(&model);
    ASSERT_GROUP(GEN_ETP, 3, 2, 3);
    ASSERT_GROUP(GEN_EP, 3, 1, 3, 5, 7);
    assert_int_equal(orr_gen_family_size(layout, GEN_EDP), 1);
}

/* A rank has U = 128 / (2 x 2) = 32 tokens of 64 x 2 B. It sends 2 copies of each: 64 x 128 B =
 * 8,192 B. Of its 2 experts each gets 4 x 64 / 8 = 32 x 4 ... / 4 = 32 tokens of the 4 ranks. */
static void test_exchanges_of_whole_experts(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_model(fixture, 16,
                   MODEL "parallel: {tensor: 2, context: 2, expert: 4, expert_tensor: 1,\n"
                         "  sequence: true}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_coll(trace, "layer 0 expert dispatch fwd mb 0", ORR_COMM_ALL_TO_ALL, 8192);
    assert_coll(trace, "layer 0 expert combine bwd mb 1", ORR_COMM_ALL_TO_ALL, 8192);
    /* Two matrices for the gate and the input: 2 x 32 tokens x 64 x (2 x 32) x 2 operations. */
    assert_int_equal(node_named(trace, "layer 0 ffn up fwd mb 0")->amount,
                     UINT64_C(2) * 32 * 64 * 64 * 2);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        assert_null(strstr(trace->node[i].name, "expert gather"));
    }
}

/* Shared by 2 of 4 tensor-parallel ranks: U = 128 / 4 = 32 tokens, 64 copies sent, as many
 * received, gathered to 128 over the pair: 2 x 8,192 B, a rank's part 8,192 B. 2 experts of 64
 * tokens with half of the columns. */
static void test_exchanges_of_shared_experts(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 16, MODEL "parallel: {tensor: 4, expert: 4, expert_tensor: 2, sequence: true}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_coll(trace, "layer 0 expert dispatch fwd mb 0", ORR_COMM_ALL_TO_ALL, 8192);
    assert_coll(trace, "layer 0 expert gather fwd mb 0", ORR_COMM_ALL_GATHER, 8192);
    assert_coll(trace, "layer 0 expert gather bwd mb 0", ORR_COMM_REDUCE_SCATTER, 16384);
    assert_coll(trace, "layer 0 expert scatter fwd mb 0", ORR_COMM_REDUCE_SCATTER, 16384);
    assert_int_equal(node_named(trace, "layer 0 ffn up fwd mb 0")->amount,
                     UINT64_C(2) * 64 * 64 * 32 * 2);
}

/* A layer: qkv and projection 4 x 64 x 64, router 64 x 8, norms 2 x 64 = 17,024; of these the
 * products of attention are cut by 4. Experts 3 x 64 x 32 = 6,144 each, 2 of them, halved. */
static void test_memory_of_experts(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 16,
        MODEL "parallel: {tensor: 4, expert: 4, expert_tensor: 2, sequence: true, zero: 1}\n");
    const uint64_t dense = 4 * 64 * 64 / 4 + 64 * 8 + 2 * 64, experts = 2 * 6144 / 2;
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(&model, 0, &memory));
    assert_int_equal(memory.weights_bytes, 2 * (dense + experts));
    assert_int_equal(memory.gradients_bytes, 4 * (dense + experts));
    assert_int_equal(memory.optimizer_bytes, 12 * (dense / 4 + experts / 2));
}

static void test_totals_do_not_depend_on_the_layout(void **state)
{
    struct fixture *fixture = *state;
    struct gen_model model = read_model(fixture, 8, MODEL "parallel: {expert: 8}\n");
    const struct gen_totals with = totals_of(&model);
    model = read_model(
        fixture, 16, MODEL "parallel: {tensor: 4, expert: 4, expert_tensor: 2, sequence: true}\n");
    const struct gen_totals apart = totals_of(&model);
    assert_memory_equal(&with, &apart, sizeof with);
}

static void assert_refused(struct fixture *fixture, uint32_t npus, const char *text,
                           const char *expected)
{
    struct gen_model model;
    clear(fixture);
    assert_int_equal(read_sections(fixture, parse(fixture, text), npus, &model), ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, expected) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", expected, fixture->diag.message);
    }
}

static void test_what_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, 16, MODEL "parallel: {tensor: 4, expert: 8, sequence: true}\n",
                   "experts are spread over data-parallel ranks, but 8 does not divide the 4 of "
                   "them; expert_tensor: 1 spreads them over tensor-parallel ranks, too");
    assert_refused(fixture, 16,
                   MODEL "parallel: {tensor: 4, expert: 8, expert_tensor: 4, sequence: true}\n",
                   "experts are spread over data-parallel ranks");
    assert_refused(fixture, 16,
                   MODEL "parallel: {tensor: 4, expert: 8, expert_tensor: 3, sequence: true}\n",
                   "expert 8 x expert_tensor 3 does not divide the 16 of them");
    assert_refused(fixture, 16, MODEL "parallel: {tensor: 4, expert: 2, expert_tensor: 1}\n",
                   "experts on tensor-parallel ranks need sequence: true");
    assert_refused(fixture, 16,
                   MODEL "parallel: {tensor: 2, pipeline: 2, expert_tensor: 1, order: tp-pp-dp,\n"
                         "  sequence: true}\n",
                   "does not lay experts (expert_tensor 1, expert 1) over the same ranks");
    assert_refused(fixture, 4,
                   "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 128, vocabulary: 0}\n"
                   "parallel: {expert_tensor: 2}\n",
                   "the model has no experts");
    assert_refused(fixture, 4,
                   "dlrm: {tables: 2, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [4, 1]}\n"
                   "parallel: {expert_tensor: 2}\n",
                   "expert_tensor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_groups_of_experts),
        IN_FIXTURE(test_the_default_is_the_tensor_degree),
        IN_FIXTURE(test_experts_over_context_ranks),
        IN_FIXTURE(test_exchanges_of_whole_experts),
        IN_FIXTURE(test_exchanges_of_shared_experts),
        IN_FIXTURE(test_memory_of_experts),
        IN_FIXTURE(test_totals_do_not_depend_on_the_layout),
        IN_FIXTURE(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
