/* Layers of latent attention, windows, state-space layers and shared experts on ranks: what a rank
 * computes, sends and keeps, by hand. Bad sections are refused by key. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

static struct tf_ops ops_of(const struct gen_model *model, uint32_t layer)
{
    const struct tf_job *job = model->job;
    struct tf_ops ops;
    orr_transformer_layer_ops(job, orr_transformer_kind_of(&job->model, layer), &ops);
    return ops;
}

static const struct rank_op *op_named(const struct tf_ops *ops, const char *name)
{
    for (unsigned i = 0; i < ops->count; i++) {
        if (strcmp(ops->op[i].name, name) == 0) {
            return &ops->op[i];
        }
    }
    fail_msg("no operator \"%s\"", name);
    return NULL;
}

static void assert_comm(const struct tf_ops *ops, const char *name, enum orr_trace_comm forward,
                        enum orr_trace_comm backward, uint64_t bytes)
{
    const struct rank_op *op = op_named(ops, name);
    assert_true(op->forward_comm.is_set && op->backward_comm.is_set);
    assert_int_equal(op->forward_comm.comm, forward);
    assert_int_equal(op->backward_comm.comm, backward);
    assert_int_equal(op->forward_comm.bytes, bytes);
    assert_int_equal(op->backward_comm.bytes, bytes);
}

#define LATENT                                                                                     \
    "transformer: {layers: 4, pattern: [attention+dense, 3 x attention+experts], hidden: 7168, "   \
    "heads: 128, attention: latent, query_rank: 1536, kv_rank: 512, no_position_size: 128, "       \
    "rotary_size: 64, value_size: 128, ffn: 18432, gated: true, experts: 256, "                    \
    "experts_per_token: 8, expert_ffn: 2048, shared_ffn: 2048, sequence: 4096, vocabulary: 1024, " \
    "tied: false, bias: false, dropout: false, norm: rmsnorm, causal: true"

/* T = 4096 / 2 tokens of a rank, 4 tensor-parallel ranks with T / 4 each between products. Low-rank
 * vectors are gathered, not the tokens; keys and values of all tokens, 32 heads of 192 + 128. */
static void test_latent_attention_gathers_its_low_ranks(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t tokens = 2048, e = 2;
    const struct gen_model model = read_model(
        fixture, 64, LATENT "}\nparallel: {tensor: 4, context: 2, sequence: true, expert: 8}\n");
    const struct tf_ops ops = ops_of(&model, 1);
    assert_comm(&ops, "query input", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
                tokens * 1536 * e);
    assert_comm(&ops, "key and value input", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
                tokens * 512 * e);
    assert_comm(&ops, "rotary key", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER, tokens * 64 * e);
    assert_comm(&ops, "keys and values", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
                2 * tokens * 32 * 320 * e);
    assert_comm(&ops, "shared input", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
                tokens * 7168 * e);
    assert_comm(&ops, "expert dispatch", ORR_COMM_ALL_TO_ALL, ORR_COMM_ALL_TO_ALL,
                8 * tokens / 4 * 7168 * e);
    /* own tokens; half of the pairs of all 4096 keys; 2 x 7168 x (1536 + 576) weights */
    assert_int_equal(op_named(&ops, "query down")->forward.flops, 2 * tokens / 4 * 7168 * 1536);
    assert_int_equal(op_named(&ops, "attention")->forward.flops, 2 * tokens * 2048 * 32 * 320);
    assert_int_equal(op_named(&ops, "query down")->parameters, 7168 * 1536);
    assert_int_equal(op_named(&ops, "query up")->parameters, 1536 * 32 * 192);
    assert_int_equal(op_named(&ops, "shared up")->parameters, 7168 * 4096 / 4);
    assert_int_equal(op_named(&ops, "ffn up")->parameters, 32 * UINT64_C(7168) * 4096 / 4);
}

/* Without sequence parallelism all ranks make the low ranks, and add up their gradients. */
static void test_latent_attention_without_sequence_parallelism(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 4,
        "transformer: {layers: 1, hidden: 512, heads: 8, attention: latent, kv_rank: 128, "
        "no_position_size: 64, rotary_size: 32, value_size: 64, sequence: 256, vocabulary: 0}\n"
        "parallel: {tensor: 4}\n");
    const struct tf_ops ops = ops_of(&model, 0);
    const struct rank_op *op = op_named(&ops, "key and value input");
    assert_false(op->forward_comm.is_set);
    assert_int_equal(op->backward_comm.comm, ORR_COMM_ALL_REDUCE);
    assert_int_equal(op->backward_comm.bytes, 256 * 128 * 2);
    assert_int_equal(op_named(&ops, "kv down")->forward.flops, UINT64_C(2) * 256 * 512 * 160);
    assert_int_equal(op_named(&ops, "queries")->parameters, 512 * 2 * 96 + 2 * 96);
}

#define NANO                                                                                       \
    "transformer: {layers: 7, pattern: MEMEM*E, hidden: 2688, heads: 32, kv_heads: 2, head_size: " \
    "128, mamba_heads: 64, mamba_head_size: 64, mamba_state: 128, mamba_groups: 8, experts: 128, " \
    "experts_per_token: 6, expert_ffn: 1856, shared_ffn: 3712, gated: false, sequence: 8192, "     \
    "vocabulary: 1024, tied: false, bias: false, dropout: false, norm: rmsnorm, causal: true"

/* Nano: 10304 features behind the first product, 6144 of them convolved. Ranks with half of the
 * tokens change to all tokens of half of the heads, and back. */
static void test_state_space_layers_change_from_tokens_to_heads(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t tokens = 4096, e = 2;
    const struct gen_model model = read_model(
        fixture, 16, NANO "}\nparallel: {tensor: 2, context: 2, sequence: true, expert: 4}\n");
    const struct tf_ops ops = ops_of(&model, 2);
    assert_comm(&ops, "tokens to heads", ORR_COMM_ALL_TO_ALL, ORR_COMM_ALL_TO_ALL,
                tokens * 10304 / 2 * e);
    assert_comm(&ops, "heads to tokens", ORR_COMM_ALL_TO_ALL, ORR_COMM_ALL_TO_ALL,
                tokens * 4096 / 2 * e);
    assert_comm(&ops, "mamba gather", ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
                tokens * 2688 * e);
    assert_int_equal(op_named(&ops, "mamba input")->forward.flops, 2 * tokens * 2688 * (10304 / 2));
    assert_int_equal(op_named(&ops, "mamba scan")->forward.flops, 7 * 2 * tokens * 1024 * 128);
    assert_int_equal(op_named(&ops, "mamba scan")->parameters, 3 * 16);
    assert_int_equal(op_named(&ops, "mamba convolution")->parameters, 5 * 6144 / 4);
    /* one part: no attention behind it, and one norm */
    assert_string_equal(ops.op[0].name, "mamba norm");
    assert_string_equal(ops.op[ops.count - 1].name, "mamba residual");
}

/* A token sees W keys, those of the first W tokens fewer: s W - W (W - 1) / 2 pairs of 4 x 64 x 64
 * operations. Ranks with a quarter of the tokens have a quarter of them. */
static void test_windows_and_chunks_bound_the_pairs(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] =
        "transformer: {layers: 3, pattern: [window+dense, chunk+dense, attention+dense], window: "
        "128, chunk: 512, hidden: 2880, heads: 64, kv_heads: 8, head_size: 64, sinks: true, "
        "sequence: 4096, vocabulary: 0, causal: true}\n";
    const uint64_t pairs[] = {4096 * 128 - 128 * 127 / 2, 4096 * 256, 4096 * 2048};
    for (uint32_t layer = 0; layer < 3; layer++) {
        const struct gen_model whole = read_model(fixture, 1, text);
        struct tf_ops ops = ops_of(&whole, layer);
        assert_int_equal(op_named(&ops, "attention")->forward.flops, pairs[layer] * 4 * 64 * 64);
        assert_int_equal(op_named(&ops, "attention")->parameters, 64);
        char cut[1024];
        (void)snprintf(cut, sizeof cut, "%sparallel: {context: 4, tensor: 2}\n", text);
        const struct gen_model part = read_model(fixture, 8, cut);
        ops = ops_of(&part, layer);
        assert_int_equal(op_named(&ops, "attention")->forward.flops, pairs[layer] * 64 * 64 / 2);
        assert_int_equal(op_named(&ops, "attention")->parameters, 32);
    }
}

/* A module has norms, a product of 2 h x h, a layer as the last one, the head; its weights are
 * those of the head. On another stage than the embedding it has a copy of that. */
static void test_modules_of_multi_token_prediction(void **state)
{
    struct fixture *fixture = *state;
    struct gen_totals totals;
    struct gen_model model = read_model(fixture, 1, LATENT ", mtp_modules: 2}\n");
    totals = totals_of(&model);
    assert_true(totals.mtp_parameters == 2.0 * (2 * 7168 * 7168 + 3 * 7168 + 187107328.0 +
                                                257 * 44040192.0 + 256 * 7168 + 2 * 7168));
    struct gen_memory one, staged;
    assert_true(orr_gen_model_memory(&model, 0, &one));
    model = read_model(fixture, 2,
                       LATENT ", mtp_modules: 2}\nparallel: {pipeline: 2}\ntraining: {batch: 1}\n");
    assert_true(orr_gen_model_memory(&model, 1, &staged));
    const struct tf_job *job = model.job;
    struct tf_ops ops;
    orr_transformer_layer_ops(job, TF_KIND_MTP_EMBEDDING, &ops);
    assert_int_equal(op_named(&ops, "mtp embedding")->parameters, 1024 * 7168);
    orr_transformer_layer_ops(job, job->model.mtp_kind, &ops);
    assert_int_equal(op_named(&ops, "logits")->parameters, 0);
    assert_int_equal(op_named(&ops, "mtp projection")->parameters, 2 * 7168 * 7168);
    /* the second stage: two layers with experts, head, modules, copy of the embedding */
    assert_true(staged.weights_bytes / 2 ==
                (uint64_t)(totals.mtp_parameters +
                           2 * (187107328.0 + 257 * 44040192.0 + 256 * 7168 + 2 * 7168) + 7168 +
                           2 * 1024 * 7168));
}

/* ---- bad sections ---- */

#define PLAIN "hidden: 512, heads: 8, sequence: 128, vocabulary: 100"

static void test_bad_sections_are_refused_by_key(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"{layers: 4, pattern: [attention+dens], " PLAIN "}",
         "pattern: expected layers such as \"3 x attention+dense\""},
        {"{layers: 4, pattern: [0 x attention], " PLAIN "}", "got \"0 x attention\""},
        {"{layers: 4, pattern: [attention+], " PLAIN "}", "got \"attention+\""},
        {"{layers: 4, pattern: M*MX, " PLAIN "}", "got \"M*MX\""},
        {"{layers: 4, pattern: [5 x attention+dense], " PLAIN "}",
         "pattern: has more layers than the model, which has 4"},
        {"{layers: 4, pattern: [window+dense], causal: true, " PLAIN "}",
         "pattern: its layers window need the key window"},
        {"{layers: 4, pattern: [window+dense], window: 8, " PLAIN "}",
         "causal: layers with a window or in chunks see earlier tokens only"},
        {"{layers: 4, pattern: [attention+dense], window: 8, " PLAIN "}",
         "window: no layer of the pattern has window"},
        {"{layers: 4, pattern: [attention+experts], " PLAIN "}", "need the key experts"},
        {"{layers: 4, pattern: [attention+experts], experts: 4, moe_every: 2, " PLAIN "}",
         "moe_every: the pattern says which layers have experts"},
        {"{layers: 4, pattern: MM, " PLAIN "}", "its layers mamba2 need the key mamba_heads"},
        {"{layers: 4, attention: latent, kv_rank: 4, " PLAIN "}",
         "attention: latent attention needs no_position_size"},
        {"{layers: 4, kv_rank: 4, " PLAIN "}", "kv_rank: only attention: latent has it"},
        {"{layers: 4, attention: latent, kv_rank: 4, no_position_size: 8, rotary_size: 8, "
         "value_size: 8, sinks: true, " PLAIN "}",
         "sinks: only attention: grouped has it, this is latent"},
        {"{layers: 4, mtp_modules: 1, hidden: 512, heads: 8, sequence: 128, vocabulary: 0}",
         "mtp_modules: the model has no head"},
        {"{layers: 4, mtp_modules: 1, encoder_layers: 2, " PLAIN "}",
         "mtp_modules: a model with an encoder has plain layers alone"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        struct gen_model model;
        clear(fixture);
        (void)snprintf(text, sizeof text, "transformer: %s\n", cases[i][0]);
        assert_int_equal(read_sections(fixture, parse(fixture, text), 1, &model), ORR_ERR_INPUT);
        if (strstr(fixture->diag.message, cases[i][1]) == NULL) {
            fail_msg("%s\nexpected ... %s\ngot %s", text, cases[i][1], fixture->diag.message);
        }
    }
}

static void test_layouts_that_do_not_divide_are_refused_by_key(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {NANO "}\nparallel: {tensor: 16, sequence: true}\n",
         "tensor: 16 does not divide the 8 groups of layers mamba2"},
        {NANO "}\nparallel: {tensor: 4, context: 4, sequence: true}\n",
         "context: 4 does not divide the 2 groups of layers mamba2"},
        {LATENT "}\nparallel: {data: 16}\ntraining: {fused_attention: false}\n",
         "fused_attention: latent attention keeps its scores on the chip"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gen_model model;
        clear(fixture);
        assert_int_equal(read_sections(fixture, parse(fixture, cases[i][0]), 16, &model),
                         ORR_ERR_INPUT);
        if (strstr(fixture->diag.message, cases[i][1]) == NULL) {
            fail_msg("expected ... %s\ngot %s", cases[i][1], fixture->diag.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_latent_attention_gathers_its_low_ranks),
        IN_FIXTURE(test_latent_attention_without_sequence_parallelism),
        IN_FIXTURE(test_state_space_layers_change_from_tokens_to_heads),
        IN_FIXTURE(test_windows_and_chunks_bound_the_pairs),
        IN_FIXTURE(test_modules_of_multi_token_prediction),
        IN_FIXTURE(test_bad_sections_are_refused_by_key),
        IN_FIXTURE(test_layouts_that_do_not_divide_are_refused_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
