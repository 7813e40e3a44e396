/* Generated transformers as training stacks run them: attention that is not fused, messages between
 * pipeline stages in shares, weights gathered beside the next step,
 * heads that score some positions. */
#include "orrery/orrery.h"
#include "tests/unit/model_fixture.h"

/* Hidden 64, 8 heads of 8, ffn 256, 128 tokens, 2 bytes an element. S = 128 x 64 x 2 = 16384 bytes
 * are the activations of a sample, 8 x 128 x 128 = 131072 its scores in a layer. */
#define HEAD_OF_SMALL                                                                              \
    "transformer: {hidden: 64, heads: 8, sequence: 128, vocabulary: 0, bias: false, layers: "

static struct gen_model model_for(struct fixture *fixture, uint32_t npus, const char *rest)
{
    char text[1024];
    (void)snprintf(text, sizeof text, HEAD_OF_SMALL "%s", rest);
    return read_model(fixture, npus, text);
}

static const struct orr_trace *stage_for(struct fixture *fixture, uint32_t npus, uint32_t stage,
                                         const char *rest)
{
    const struct gen_model model = model_for(fixture, npus, rest);
    const struct orr_trace *trace = NULL;
    (void)orr_gen_model_trace(fixture->arena, &model, stage, &trace, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_non_null(trace);
    return trace;
}

static const struct orr_trace *trace_for(struct fixture *fixture, uint32_t npus, const char *rest)
{
    return stage_for(fixture, npus, 0, rest);
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
        char text[256];
        (void)snprintf(text, sizeof text, "%straining: {fused_attention: false}", rest[i]);
        const struct gen_model model = model_for(*state, 1, text);
        /* matrices: 6 x 128 x (4 x 64 x 64 + 2 x 64 x 256); scores: 3 x 4 x 128 x 128 x 64 */
        assert_true(totals_of(&model).model_flops == 37748736.0 + 12582912.0 / (i == 0 ? 1 : 2));
    }
}

/* The mask is the decoder's: of an encoder and a decoder layer of one length s = 128 the encoder
 * does all of 3 x 4 s s h operations of scores, and so does the decoder's second attention, on the
 * encoder's output; of the decoder's first half are left. */
static void test_mask_of_an_encoder_decoder_is_the_decoders(void **state)
{
    static const char *const rest[] = {"1, encoder_layers: 1}\n",
                                       "1, encoder_layers: 1, causal: true}\n"};
    double flops[2];
    for (size_t i = 0; i < 2; i++) {
        const struct gen_model model = model_for(*state, 1, rest[i]);
        flops[i] = totals_of(&model).model_flops;
    }
    assert_true(flops[0] - flops[1] == 12582912.0 / 2);
}

static void build_parents(struct fixture *fixture, const struct orr_trace *trace,
                          struct orr_parents *parents)
{
    assert_int_equal(orr_parents_build(fixture->arena, trace, parents, &fixture->diag), ORR_OK);
}

static const char *parent_name(const struct orr_trace *trace, const struct orr_parents *parents,
                               const struct orr_node *node, uint32_t index)
{
    const uint32_t at = parents->first[node - trace->node] + index;
    assert_true(at < parents->first[node - trace->node + 1]);
    return trace->node[parents->parent[at]].name;
}

/* Each node waits for the one before it alone. */
static void assert_chain(struct fixture *fixture, const struct orr_trace *trace,
                         const char *const *names, size_t count)
{
    struct orr_parents parents;
    build_parents(fixture, trace, &parents);
    for (size_t i = 1; i < count; i++) {
        const struct orr_node *node = node_named(trace, names[i]);
        const size_t at = (size_t)(node - trace->node);
        assert_int_equal(parents.first[at + 1] - parents.first[at], 1);
        assert_string_equal(parent_name(trace, &parents, node, 0), names[i - 1]);
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

/* ---- messages between stages ---- */

struct messages {
    uint64_t sends, receives, bytes; /* bytes: of each */
};

static struct messages messages_of(const struct orr_trace *trace)
{
    struct messages found = {0};
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV) {
            found.sends += node->kind == ORR_NODE_SEND;
            found.receives += node->kind == ORR_NODE_RECV;
            assert_true(found.bytes == 0 || found.bytes == node->amount);
            found.bytes = node->amount;
        }
    }
    return found;
}

/* Narayanan et al., SC'21, section 4.1: of 16384 bytes a rank of 4 sends 4096, and the receivers
 * gather them; with 2 stages and 3 micro-batches 3 a direction. Sequence parallelism has split them
 * already, and with one rank there is nothing to split. */
static void test_messages_of_tensor_parallel_ranks_are_shares(void **state)
{
    static const struct {
        const char *rest;
        uint32_t npus;
        uint64_t bytes, gathers;
    } rows[] = {{"4}\nparallel: {tensor: 4, pipeline: 2}", 8, 4096, 3},
                {"4}\nparallel: {tensor: 4, pipeline: 2, pipeline_scatter: false}", 8, 16384, 0},
                {"4, dropout: false}\nparallel: {pipeline: 2}", 2, 16384, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t stage = 0; stage < 2; stage++) {
            char text[256];
            (void)snprintf(text, sizeof text, "%s\ntraining: {batch: 3}", rows[i].rest);
            const struct orr_trace *trace = stage_for(*state, rows[i].npus, stage, text);
            const struct messages messages = messages_of(trace);
            assert_int_equal(messages.sends, 3);
            assert_int_equal(messages.receives, 3);
            assert_int_equal(messages.bytes, rows[i].bytes);
            const struct comm_sum gathers = comm_of(trace, ORR_COMM_ALL_GATHER);
            assert_int_equal(gathers.count, rows[i].gathers);
            assert_int_equal(gathers.bytes, rows[i].gathers * 4096);
        }
    }
}

/* As before: 1/4 of the tokens; gathers are those of the layers, 6 for each of 2 layers. */
static void test_messages_of_split_tokens_are_not_gathered(void **state)
{
    const struct orr_trace *trace =
        stage_for(*state, 8, 1, "4}\nparallel: {tensor: 4, pipeline: 2, sequence: true}");
    assert_int_equal(messages_of(trace).bytes, 4096);
    assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).count, 12);
}

/* 2 chunks on each of 2 stages and 2 micro-batches: the first stage receives activations of its
 * second chunk and gradients of both, 3 times 2. */
static void test_messages_of_interleaved_chunks_are_shares(void **state)
{
    for (uint32_t stage = 0; stage < 2; stage++) {
        const struct orr_trace *trace = stage_for(
            *state, 8, stage,
            "4}\nparallel: {tensor: 4, pipeline: 2, schedule: interleaved}\ntraining: {batch: 2}");
        assert_int_equal(messages_of(trace).receives, 6);
        assert_int_equal(messages_of(trace).bytes, 4096);
        assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).count, 6);
        assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).bytes, 6 * 4096);
    }
}

/* Behind the message and the block before, in front of the block that needs it. */
static void test_shares_are_gathered_between_message_and_block(void **state)
{
    const struct orr_trace *trace =
        stage_for(*state, 8, 1, "2}\nparallel: {tensor: 4, pipeline: 2}\ntraining: {batch: 2}");
    const struct orr_node *gather = node_named(trace, "activations gathered mb 1");
    struct orr_parents parents;
    build_parents(*state, trace, &parents);
    assert_string_equal(parent_name(trace, &parents, gather, 0), "layer 1 attention norm bwd mb 0");
    assert_string_equal(parent_name(trace, &parents, gather, 1), "activations received mb 1");
    gather = node_named(trace, "layer 1 attention norm fwd mb 1");
    assert_string_equal(parent_name(trace, &parents, gather, 0), "activations gathered mb 1");
}

/* ---- weights gathered beside the next step ---- */

/* In the order of the layers, each behind the one before and its update in the step before, in
 * front of its layer's forward pass; none is behind the last update. */
static void test_gather_of_updated_weights_is_in_front_of_the_layer(void **state)
{
    static const char *const firsts[] = {"step 0 layer 0 weights gathered",
                                         "step 0 layer 1 weights gathered",
                                         "step 0 layer 2 weights gathered"};
    const struct orr_trace *trace = trace_for(*state, 2,
                                              "3}\nparallel: {zero: 1}\n"
                                              "training: {steps: 2}");
    struct orr_parents parents;
    build_parents(*state, trace, &parents);
    assert_chain(*state, trace, firsts, 3);
    const struct orr_node *node = node_named(trace, firsts[0]);
    assert_int_equal(parents.first[node - trace->node + 1], parents.first[node - trace->node]);
    node = node_named(trace, "step 0 layer 1 attention norm fwd mb 0");
    assert_string_equal(parent_name(trace, &parents, node, 0), firsts[1]);
    assert_string_equal(parent_name(trace, &parents, node, 1),
                        "step 0 layer 0 ffn residual fwd mb 0");
    node = node_named(trace, "step 1 layer 1 weights gathered");
    assert_string_equal(parent_name(trace, &parents, node, 0), "step 0 layer 1 update");
    assert_string_equal(parent_name(trace, &parents, node, 1), "step 1 layer 0 weights gathered");
    assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).count, 6);
    assert_string_equal(trace->node[trace->nodes - 1].name, "step 1 layer 0 update");
}

/* With overlap_gather: false, as without overlap at all, behind the layer's update. */
static void test_gather_of_updated_weights_without_overlap_is_behind_the_update(void **state)
{
    static const char *const keys[] = {"overlap_gather: false", "overlap: false"};
    for (size_t i = 0; i < 2; i++) {
        static const char *const names[] = {"layer 0 update", "layer 0 weights gathered mb 0"};
        char text[128];
        (void)snprintf(text, sizeof text, "1}\nparallel: {zero: 2}\ntraining: {%s}", keys[i]);
        const struct orr_trace *trace = trace_for(*state, 2, text);
        assert_chain(*state, trace, names, 2);
        assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).count, 1);
    }
    const struct orr_trace *trace = trace_for(*state, 2,
                                              "1}\nparallel: {zero: 1}\ntraining: {overlap: false, "
                                              "overlap_gather: true}");
    assert_string_equal(trace->node[0].name, "layer 0 weights gathered");
}

static int64_t wall_ps(const char *training)
{
    char workload[512];
    (void)snprintf(workload, sizeof workload,
                   "workload={" HEAD_OF_SMALL "4}, parallel: {zero: 1}, "
                   "training: {%s}}",
                   training);
    const char *const set[] = {"network={topology: Switch(2), bandwidth: 10 GB/s}",
                               "compute={peak: 1 TFLOP/s}", workload};
    struct orrery *job = orrery_new();
    if (orrery_load(job, &(struct orrery_inputs){.set = set, .set_count = 3}) != ORRERY_OK ||
        orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    const int64_t wall = orrery_wall_ps(job);
    orrery_free(job);
    return wall;
}

/* A layer has 49408 parameters. Its gradients and its weights each bring a rank 49408 bytes, g =
 * 4,940,800 ps at 10 GB/s; the update of its half takes u = 24,704 ps. All but the first gather
 * run beside layers, which take longer; the last scatter runs alone, but for 3 updates, and the
 * last update behind it. Behind the updates, 4 gathers run one after the other, the first beside
 * nothing but the last update: 3 g - u more. Steps take as long as one. */
static void test_run_steps_with_gathers_beside_them_take_as_long_as_one(void **state)
{
    /* 4 layers: matrices and scores, both passes of norms, residuals and activation; the updates */
    const int64_t g = 4940800, u = 24704;
    const int64_t computed = 4 * (37748736 + 12582912 + 2 * (4 * 8192 + 32768) + u);
    (void)state;
    assert_int_equal(wall_ps("overlap_gather: true"), computed + 2 * g - 3 * u);
    assert_int_equal(wall_ps("steps: 3"), 3 * (computed + 2 * g - 3 * u));
    assert_int_equal(wall_ps("overlap_gather: false"), computed + 5 * g - 4 * u);
}

/* ---- positions that the head scores ---- */

#define MASKED                                                                                     \
    "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 128, vocabulary: 1000, bias: "       \
    "false, "

/* 20 of 128 positions: logits of 2 x 20 x 64 x 1000 operations, and exchanges of 20 x 64 x 2 and 12
 * x 20 bytes; what is before stays as it is. */
static void test_masked_positions_alone_have_logits(void **state)
{
    struct gen_model model = read_model(*state, 1, MASKED "masked: 20}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    assert_comp(trace, "final norm fwd mb 0", 8192, 2 * 2 * 8192);
    assert_comp(trace, "masked positions fwd mb 0", 1280, 2 * 2 * 1280);
    assert_comp(trace, "masked positions bwd mb 0", 1280, 2 * (1280 + 8192));
    assert_comp(trace, "logits fwd mb 0", 2560000, 2 * (1280 + 64000 + 20000));
    assert_comp(trace, "loss fwd mb 0", 20000, 2 * 2 * 20000);
    assert_true(totals_of(&model).model_flops == 37748736.0 + 12582912.0 + 3 * 2560000.0);
    assert_true(totals_of(&model).tokens == 128);
    model = read_model(*state, 4, MASKED "masked: 20}\nparallel: {tensor: 4}");
    trace = trace_of(*state, &model);
    assert_coll(trace, "logits input bwd mb 0", ORR_COMM_ALL_REDUCE, 2560);
    assert_coll(trace, "loss sums fwd mb 0", ORR_COMM_ALL_REDUCE, 240);
    model = read_model(*state, 4, MASKED "masked: 20}\nparallel: {tensor: 4, sequence: true}");
    trace = trace_of(*state, &model);
    assert_comp(trace, "masked positions bwd mb 0", 320, 2 * (320 + 2048));
    assert_coll(trace, "logits input fwd mb 0", ORR_COMM_ALL_GATHER, 640);
}

/* Of a sample the last norm's input, and of 20 positions the logits' input in 2 bytes and
 * probabilities in 4, in place of 128. */
static void test_masked_positions_alone_are_kept(void **state)
{
    struct gen_memory all, some;
    struct gen_model model = read_model(*state, 1, MASKED "masked: 128}\n");
    assert_true(orr_gen_model_memory(&model, 0, &all));
    model = read_model(*state, 1, MASKED "masked: 20}\n");
    assert_true(orr_gen_model_memory(&model, 0, &some));
    assert_int_equal(all.activations_bytes - some.activations_bytes,
                     (128 - 20) * (2 * 64 + 4 * 1000));
    model = read_model(*state, 1, MASKED "tied: true}\n");
    assert_true(orr_gen_model_memory(&model, 0, &some));
    assert_int_equal(all.activations_bytes, some.activations_bytes);
}

static void test_masked_positions_that_are_not_there_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"vocabulary: 10, masked: 129}",
         "net.yml:1:87: transformer.masked: 129 positions of a sample of 128 tokens"},
        {"vocabulary: 0, masked: 20}",
         "net.yml:1:86: transformer.masked: the model has no head (vocabulary: 0)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        struct gen_model model;
        (void)snprintf(text, sizeof text,
                       "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 128, %s\n",
                       rows[i][0]);
        const struct orr_conf *map = parse(*state, text);
        clear(*state);
        assert_int_equal(read_sections(*state, map, 1, &model), ORR_ERR_INPUT);
        says(*state, rows[i][1]);
    }
}

/* Layers of 12 x 64^2 + 13 x 64 = 49984 parameters of 2 bytes; behind them the head's norm of 256
 * bytes, in front the embedding of 12800. Buckets of 150 kB have two layers. */
static void test_trace_buckets_have_whole_layers(void **state)
{
    const struct gen_model model =
        read_model(*state, 2,
                   "transformer: {layers: 4, hidden: 64, heads: 4, sequence: 16, vocabulary: 100}\n"
                   "training: {bucket: 150 kB, batch: 4}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    assert_coll(trace, "bucket 0 gradients reduced mb 1", ORR_COMM_ALL_REDUCE, 256 + 2 * 99968);
    assert_coll(trace, "bucket 1 gradients reduced mb 1", ORR_COMM_ALL_REDUCE, 2 * 99968);
    assert_coll(trace, "bucket 2 gradients reduced mb 1", ORR_COMM_ALL_REDUCE, 12800);
    assert_int_equal(comm_of(trace, ORR_COMM_ALL_REDUCE).count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_trace_buckets_have_whole_layers),
        IN_FIXTURE(test_unfused_attention_is_two_products_and_a_softmax),
        IN_FIXTURE(test_unfused_attention_without_dropout_passes_the_scores_once),
        IN_FIXTURE(test_unfused_attention_keeps_the_models_operations),
        IN_FIXTURE(test_mask_of_an_encoder_decoder_is_the_decoders),
        IN_FIXTURE(test_unfused_attention_is_recomputed_as_a_whole),
        IN_FIXTURE(test_messages_of_tensor_parallel_ranks_are_shares),
        IN_FIXTURE(test_messages_of_split_tokens_are_not_gathered),
        IN_FIXTURE(test_messages_of_interleaved_chunks_are_shares),
        IN_FIXTURE(test_shares_are_gathered_between_message_and_block),
        IN_FIXTURE(test_gather_of_updated_weights_is_in_front_of_the_layer),
        IN_FIXTURE(test_gather_of_updated_weights_without_overlap_is_behind_the_update),
        IN_FIXTURE(test_masked_positions_alone_have_logits),
        IN_FIXTURE(test_masked_positions_alone_are_kept),
        IN_FIXTURE(test_masked_positions_that_are_not_there_are_refused),
        cmocka_unit_test(test_run_steps_with_gathers_beside_them_take_as_long_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
