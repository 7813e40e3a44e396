/* Generated transformers: parameters and operations against published counts, communication against
 * closed forms, schedules against their bubbles. */
#include "orrery/orrery.h"
#include "sim/load/workload_config.h"
#include "tests/unit/conf_fixture.h"
#include "workload/gen/transformer.h"

/* ---- reading ---- */

static struct gen_model read_job(struct fixture *fixture, const char *text, uint32_t npus)
{
    struct wl_workload workload;
    const enum orr_status status =
        orr_wl_workload_read(fixture->arena, parse(fixture, text), npus, &workload, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return workload.model;
}

static struct gen_totals totals_of(struct fixture *fixture, const char *text, uint32_t npus)
{
    const struct gen_model model = read_job(fixture, text, npus);
    struct gen_totals totals;
    model.ops->totals(model.job, &totals);
    return totals;
}

static const struct orr_trace *trace_of(struct fixture *fixture, const struct gen_model *model,
                                        uint32_t stage)
{
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_gen_model_trace(fixture->arena, model, stage, &trace, &fixture->diag),
                     ORR_OK);
    return trace;
}

static void assert_near(double found, double expected, double share)
{
    if (!(found >= expected * (1 - share) && found <= expected * (1 + share))) {
        fail_msg("expected %.17g within %g, found %.17g", expected, share, found);
    }
}

/* ---- published counts ---- */

struct megatron {
    double billion;
    unsigned layers, hidden, heads, tensor, pipeline, npus, batch;
};

/* Narayanan et al., SC'21, table 1. */
static const struct megatron megatron[] = {
    {1.7, 24, 2304, 24, 1, 1, 32, 512},          {3.6, 30, 3072, 32, 2, 1, 64, 512},
    {7.5, 36, 4096, 32, 4, 1, 128, 512},         {18.4, 40, 6144, 48, 8, 1, 256, 1024},
    {39.1, 48, 8192, 64, 8, 2, 512, 1536},       {76.1, 60, 10240, 80, 8, 4, 1024, 1792},
    {145.6, 80, 12288, 96, 8, 8, 1536, 2304},    {310.1, 96, 16384, 128, 8, 16, 1920, 2160},
    {529.6, 105, 20480, 128, 8, 35, 2520, 2520}, {1008.0, 128, 25600, 160, 8, 64, 3072, 3072}};

static void write_megatron(const struct megatron *model, const char *recompute, char text[512])
{
    (void)snprintf(text, 512,
                   "transformer: {layers: %u, hidden: %u, heads: %u, sequence: 2048, vocabulary: "
                   "51200, positions: 2048}\n"
                   "parallel: {tensor: %u, pipeline: %u}\n"
                   "training: {batch: %u, recompute: %s}\n",
                   model->layers, model->hidden, model->heads, model->tensor, model->pipeline,
                   model->batch, recompute);
}

static void test_totals_megatron_models_have_the_published_parameters(void **state)
{
    for (size_t i = 0; i < sizeof megatron / sizeof *megatron; i++) {
        char text[512];
        write_megatron(&megatron[i], "none", text);
        const struct gen_totals totals = totals_of(*state, text, megatron[i].npus);
        /* published with one decimal: 1.65 stands as 1.7 */
        const double rounding = 0.05 / megatron[i].billion;
        assert_near(totals.parameters, megatron[i].billion * 1e9,
                    rounding > 0.01 ? rounding : 0.01);
        assert_true(totals.active_parameters == totals.parameters);
    }
}

static double operations_of(struct fixture *fixture, const struct gen_model *model, uint32_t stage)
{
    const struct orr_trace *trace = trace_of(fixture, model, stage);
    double found = 0;
    for (uint32_t n = 0; n < trace->nodes; n++) {
        found += trace->node[n].kind == ORR_NODE_COMP ? (double)trace->node[n].amount : 0;
    }
    return found;
}

/* Equation 3: 96 B s l h^2 (1 + s / 6h + V / 16 l h), with every layer computed again; summed over
 * the nodes of all ranks. */
static void test_trace_megatron_models_have_the_operations_of_equation_3(void **state)
{
    for (size_t i = 0; i < sizeof megatron / sizeof *megatron; i++) {
        const struct megatron *one = &megatron[i];
        char text[512];
        write_megatron(one, "full", text);
        const struct gen_model model = read_job(*state, text, one->npus);
        double found = 0;
        for (uint32_t stage = 0; stage < one->pipeline; stage++) {
            const bool one_for_all = one->pipeline > 8 && stage == 1; /* but the ends are alike */
            found += (one_for_all ? one->pipeline - 2 : 1) * operations_of(*state, &model, stage);
            stage += one_for_all ? one->pipeline - 3 : 0;
        }
        found *= one->npus / one->pipeline;
        const double s = 2048, h = one->hidden, l = one->layers, batch = one->batch, v = 51200;
        assert_near(found, 96 * batch * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)), 0.01);
    }
}

/* Brown et al. 2020, appendix D: 174.6 billion parameters; forwards 2 operations a parameter and
 * token, three times that with the backward pass: 3.14e23 for 300 billion tokens. */
static void test_totals_gpt3_has_the_published_work_a_token(void **state)
{
    const struct gen_totals totals =
        totals_of(*state,
                  "transformer: {layers: 96, hidden: 12288, heads: 96, sequence: 2048, vocabulary: "
                  "50257, positions: 2048}\n",
                  1);
    assert_near(totals.parameters, 174.6e9, 0.001);
    assert_int_equal(totals.tokens, 2048);
    /* the attention's scores, 6 l s h more a training token, are not in the published count */
    const double scores = 12.0 * 96 * 2048 * 12288;
    assert_near(totals.model_flops / totals.tokens - scores, 3.14e23 / 300e9, 0.01);
}

/* By hand. LLaMA 2 70B: 80 (2 x 8192^2 + 2 x 8192 x 1024 + 3 x 8192 x 28672 + 2 x 8192) + 8192 + 2
 * x 32000 x 8192 = 68,976,648,192, as published. BERT large: 24 (12 x 1024^2 + 13 x 1024) + (30522
 * + 512 + 2) 1024 + 2 x 1024 + 1024^2 + 1024 = 335,141,888, as published. T5 11B: 24 (4 x 1024 x
 * 16384
 * + 2 x 1024 x 65536 + 2 x 1024) + 24 (8 x 1024 x 16384 + 2 x 1024 x 65536 + 3 x 1024) + 1024 +
 * 32128 x 1024 = 11,306,889,216; published 11,307 million. Mixtral 8x7B: 46.7 and 12.9 billion. */
static void test_totals_other_models_have_the_published_parameters(void **state)
{
    static const char llama[] = "transformer: {layers: 80, hidden: 8192, heads: 64, kv_heads: 8, "
                                "ffn: 28672, gated: true, tied: false, bias: false, norm: rmsnorm, "
                                "sequence: 4096, vocabulary: 32000}";
    static const char bert[] = "transformer: {layers: 24, hidden: 1024, heads: 16, sequence: 512, "
                               "vocabulary: 30522, positions: 512, token_types: 2, pooler: true}";
    static const char t5[] = "transformer: {layers: 24, encoder_layers: 24, hidden: 1024, heads: "
                             "128, head_size: 128, ffn: 65536, bias: false, norm: rmsnorm, "
                             "sequence: 512, vocabulary: 32128}";
    static const char mixtral[] = "transformer: {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, "
                                  "ffn: 14336, gated: true, tied: false, bias: false, norm: "
                                  "rmsnorm, sequence: 4096, vocabulary: 32000, experts: 8, "
                                  "experts_per_token: 2}";
    assert_true(totals_of(*state, llama, 1).parameters == 68976648192.0);
    assert_true(totals_of(*state, bert, 1).parameters == 335141888.0);
    assert_near(totals_of(*state, t5, 1).parameters, 11307e6, 0.001);
    assert_near(totals_of(*state, mixtral, 1).parameters, 46.7e9, 0.001);
    assert_near(totals_of(*state, mixtral, 1).active_parameters, 12.9e9, 0.003);
}

/* ---- communication ---- */

/* What a rank gives to its collectives of a group and kind, or to its sends: bytes and count. */
struct volume {
    uint64_t bytes, count;
};

static struct volume volume_of(const struct orr_trace *trace, const char *group,
                               enum orr_trace_comm comm)
{
    struct volume volume = {0, 0};
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const char *name = node->group != 0 ? trace->groups[node->group - 1] : "";
        if (node->kind == ORR_NODE_COLL && node->comm == comm && strcmp(name, group) == 0) {
            volume.bytes += node->amount;
            volume.count++;
        }
    }
    return volume;
}

static void assert_volume(const struct orr_trace *trace, const char *group,
                          enum orr_trace_comm comm, uint64_t count, uint64_t bytes)
{
    const struct volume volume = volume_of(trace, group, comm);
    assert_int_equal(volume.count, count);
    assert_int_equal(volume.bytes, bytes);
}

/* 4 layers, hidden 64, 8 heads of 8, ffn 256, 128 tokens, no vocabulary, no bias. S = 128 x 64 x 2
 * = 16384 bytes are the activations of a sample. A layer has 4 x 64^2 + 2 x 64 x 256 = 49152
 * elements in matrices and 4 x 64 in its norms. */
#define SMALL                                                                                      \
    "transformer: {layers: 4, hidden: 64, heads: 8, sequence: 128, vocabulary: 0, bias: false}\n"

static const struct orr_trace *small(struct fixture *fixture, const char *plan, uint32_t npus,
                                     uint32_t stage)
{
    char text[512];
    (void)snprintf(text, sizeof text, SMALL "%s", plan);
    const struct gen_model model = read_job(fixture, text, npus);
    return trace_of(fixture, &model, stage);
}

/* Megatron-LM: two all-reduces of S a layer in each direction. */
static void test_trace_tensor_parallel_volume_is_the_closed_form(void **state)
{
    const struct orr_trace *trace =
        small(*state, "parallel: {tensor: 4}\ntraining: {batch: 3}", 4, 0);
    assert_volume(trace, "tp", ORR_COMM_ALL_REDUCE, 3 * 4 * 4, 3 * 4 * 4 * 16384);
}

/* Korthikanti et al.: in place of each all-reduce a gather and a scatter; backwards the two inputs
 * are gathered once more. */
static void test_trace_sequence_parallel_volume_is_the_closed_form(void **state)
{
    const struct orr_trace *trace = small(*state, "parallel: {tensor: 4, sequence: true}", 4, 0);
    assert_volume(trace, "tp", ORR_COMM_ALL_REDUCE, 0, 0);
    assert_volume(trace, "tp", ORR_COMM_REDUCE_SCATTER, 4 * 4, 4 * 4 * 16384);
    assert_volume(trace, "tp", ORR_COMM_ALL_GATHER, 4 * 6, 4 * 6 * 16384 / 4);
}

/* P = 4 (49152 + 256) parameters of 2 bytes: an all-reduce of P, however many micro-batches; with
 * ZeRO-1 a scatter and a gather of P, with ZeRO-2 a scatter for every micro-batch, with ZeRO-3
 * gathers for both directions as well (Rajbhandari et al. 2020, section 7). */
static void test_trace_data_parallel_volume_is_the_closed_form(void **state)
{
    const uint64_t p = 4 * 2 * (49152 + 256);
    const struct orr_trace *trace = small(*state, "training: {batch: 24}", 8, 0);
    assert_volume(trace, "dp", ORR_COMM_ALL_REDUCE, 4, p);
    trace = small(*state, "parallel: {zero: 1}\ntraining: {batch: 24}", 8, 0);
    assert_volume(trace, "dp", ORR_COMM_ALL_REDUCE, 0, 0);
    assert_volume(trace, "dp", ORR_COMM_REDUCE_SCATTER, 4, p);
    assert_volume(trace, "dp", ORR_COMM_ALL_GATHER, 4, p / 8);
    trace = small(*state, "parallel: {zero: 2}\ntraining: {batch: 24}", 8, 0);
    assert_volume(trace, "dp", ORR_COMM_REDUCE_SCATTER, 12, 3 * p);
    assert_volume(trace, "dp", ORR_COMM_ALL_GATHER, 4, p / 8);
    trace = small(*state, "parallel: {zero: 3}\ntraining: {batch: 24}", 8, 0);
    assert_volume(trace, "dp", ORR_COMM_REDUCE_SCATTER, 12, 3 * p);
    assert_volume(trace, "dp", ORR_COMM_ALL_GATHER, 24, 6 * p / 8);
}

/* Keys and values of all tokens, 2 S, gathered forwards and their gradients scattered backwards; a
 * rank holds a quarter. */
static void test_trace_context_parallel_volume_is_the_closed_form(void **state)
{
    const struct orr_trace *trace = small(*state, "parallel: {context: 4}", 4, 0);
    assert_volume(trace, "cp", ORR_COMM_ALL_GATHER, 4, 4 * 2 * 16384 / 4);
    assert_volume(trace, "cp", ORR_COMM_REDUCE_SCATTER, 4, 4 * 2 * 16384);
    assert_volume(trace, "dp", ORR_COMM_ALL_REDUCE, 4, 4 * 2 * (49152 + 256));
}

/* A token goes to 2 experts: there and back, in both directions, 4 exchanges of 2 S. Of 8 experts a
 * rank holds 4, whose gradients it shares with the other replica, while the other parameters, the
 * router's 64 x 8 among them, are shared by all 4 ranks. */
static void test_trace_expert_parallel_volume_is_the_closed_form(void **state)
{
    const struct gen_model model =
        read_job(*state,
                 "transformer: {layers: 4, hidden: 64, heads: 8, sequence: 128, vocabulary: 0, "
                 "bias: false, experts: 8, experts_per_token: 2, moe_every: 2}\n"
                 "parallel: {expert: 2}",
                 4);
    const struct orr_trace *trace = trace_of(*state, &model, 0);
    const uint64_t dense = 4 * (4 * 64 * 64 + 256) + 2 * 2 * 64 * 256 + 2 * 64 * 8;
    const uint64_t experts = 2 * (8 / 2) * 2 * 64 * 256;
    assert_volume(trace, "ep", ORR_COMM_ALL_TO_ALL, 2 * 4, 2 * 4 * 2 * 16384);
    assert_volume(trace, "dp", ORR_COMM_ALL_REDUCE, 4, 2 * dense);
    assert_volume(trace, "edp", ORR_COMM_ALL_REDUCE, 2, 2 * experts);
}

/* The first node of that name. */
static const struct orr_node *named(const struct orr_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            return &trace->node[i];
        }
    }
    fail_msg("no node \"%s\"", name);
    return NULL;
}

/* A rank sends 2 x 128 tokens of 128 bytes. Of two ranks with 4 experts each the first gets 3/4 of
 * all: each sends 192 tokens to it and 64 to the other, and gets as many back. */
static void test_trace_uneven_experts_are_the_closed_form(void **state)
{
    static const uint64_t tokens[] = {192, 64};
    const struct gen_model model =
        read_job(*state,
                 "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 128, vocabulary: 0, "
                 "bias: false, experts: 8, experts_per_token: 2, "
                 "expert_load: [6, 2, 4, 0, 1, 1, 1, 1]}\n"
                 "parallel: {expert: 2, pipeline: 1}",
                 4);
    for (uint32_t rank = 0; rank < 2; rank++) {
        const struct orr_trace *trace = trace_of(*state, &model, rank);
        const struct orr_node *there = named(trace, "layer 0 expert dispatch fwd mb 0");
        const struct orr_node *back = named(trace, "layer 0 expert combine fwd mb 0");
        const struct orr_comm_sizes *sent = &orr_trace_extra(trace, there)->sizes;
        const struct orr_comm_sizes *returned = &orr_trace_extra(trace, back)->sizes;
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(sent->send[i], tokens[i] * 128);
            assert_int_equal(sent->recv[i], tokens[rank] * 128);
            assert_int_equal(returned->send[i], tokens[rank] * 128);
            assert_int_equal(returned->recv[i], tokens[i] * 128);
        }
        assert_int_equal(there->amount, 256 * 128);
        assert_int_equal(back->amount, 2 * tokens[rank] * 128);
        /* both ranks' tokens, by 64 x 256 */
        assert_int_equal(named(trace, "layer 0 ffn up fwd mb 0")->amount,
                         2 * (2 * tokens[rank]) * 64 * 256);
    }
}

static struct volume sends_of(const struct orr_trace *trace, enum orr_node_kind kind)
{
    struct volume volume = {0, 0};
    for (uint32_t i = 0; i < trace->nodes; i++) {
        volume.bytes += trace->node[i].kind == kind ? trace->node[i].amount : 0;
        volume.count += trace->node[i].kind == kind;
    }
    return volume;
}

/* Every micro-batch goes over a boundary once in each direction; with 2 chunks over 2 p - 1
 * boundaries, of which the outer stages have one less in a direction. */
static void test_trace_pipeline_volume_is_the_closed_form(void **state)
{
    static const uint64_t plain[] = {1, 2, 2, 1};
    for (uint32_t stage = 0; stage < 4; stage++) {
        const struct orr_trace *trace =
            small(*state, "parallel: {pipeline: 4}\ntraining: {batch: 5}", 4, stage);
        assert_int_equal(sends_of(trace, ORR_NODE_SEND).count, 5 * plain[stage]);
        assert_int_equal(sends_of(trace, ORR_NODE_SEND).bytes, 5 * plain[stage] * 16384);
        assert_int_equal(sends_of(trace, ORR_NODE_RECV).count, 5 * plain[stage]);
    }
    static const uint64_t interleaved[] = {3, 3};
    for (uint32_t stage = 0; stage < 2; stage++) {
        const struct orr_trace *trace =
            small(*state, "parallel: {pipeline: 2, schedule: interleaved}\ntraining: {batch: 4}", 2,
                  stage);
        assert_int_equal(sends_of(trace, ORR_NODE_SEND).bytes, 4 * interleaved[stage] * 16384);
    }
}

/* ---- memory ---- */

/* Korthikanti et al. 2022, table 2: the bytes that a layer keeps, with b = 1: s h (10 + 24 / t + 5
 * a s / (h t)), with sequence parallelism s h / t (34 + 5 a s / h), without the scores s h 34 / t,
 * and with full recomputation 2 s h. */
static void assert_kept(struct fixture *fixture, const char *plan, uint64_t bytes)
{
    char text[512];
    (void)snprintf(text, sizeof text, SMALL "%s", plan);
    const struct gen_model model = read_job(fixture, text, 4);
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(&model, 0, &memory));
    assert_int_equal(memory.activations_bytes, 4 * bytes);
}

static void test_memory_kept_activations_are_the_closed_form(void **state)
{
    const uint64_t sh = 128 * 64, scores = 5 * 8 * 128 * 128;
    assert_kept(*state, "training: {fused_attention: false}", 34 * sh + scores);
    assert_kept(*state, "training: {fused_attention: true}", 34 * sh);
    assert_kept(*state, "parallel: {tensor: 4}\ntraining: {fused_attention: false}",
                10 * sh + 24 * sh / 4 + scores / 4);
    assert_kept(*state, "parallel: {tensor: 4, sequence: true}\ntraining: {fused_attention: false}",
                34 * sh / 4 + scores / 4);
}

/* 4 layers on 4 stages, one each; 6 micro-batches: 1F1B keeps 4, 3, 2, 1 of them, GPipe all. */
static void test_memory_schedules_keep_their_micro_batches(void **state)
{
    for (uint32_t stage = 0; stage < 4; stage++) {
        struct gen_memory memory;
        const uint64_t sample = 34 * 128 * 64;
        struct gen_model model =
            read_job(*state, SMALL "parallel: {pipeline: 4}\ntraining: {batch: 6}", 4);
        assert_true(orr_gen_model_memory(&model, stage, &memory));
        assert_int_equal(memory.activations_bytes, (4 - stage) * sample);
        model = read_job(*state,
                         SMALL "parallel: {pipeline: 4, schedule: gpipe}\ntraining: {batch: 6}", 4);
        assert_true(orr_gen_model_memory(&model, stage, &memory));
        assert_int_equal(memory.activations_bytes, 6 * sample);
    }
}

/* P = 49408 parameters a layer: 2 P of weights, 2 P of gradients, 12 P of state, each shared by the
 * 8 ranks from its stage on. ZeRO-3 holds two of the 4 layers whole beside: the one that computes
 * and the one that is gathered ahead. */
static void test_memory_zero_shares_by_stage(void **state)
{
    const uint64_t p = 4 * 49408;
    for (unsigned zero = 0; zero < 4; zero++) {
        char text[512];
        (void)snprintf(text, sizeof text, SMALL "parallel: {zero: %u}", zero);
        const struct gen_model model = read_job(*state, text, 8);
        struct gen_memory memory;
        assert_true(orr_gen_model_memory(&model, 0, &memory));
        assert_int_equal(memory.weights_bytes, zero >= 3 ? 2 * p / 8 + 2 * (2 * 49408) : 2 * p);
        assert_int_equal(memory.gradients_bytes, 2 * p / (zero >= 2 ? 8 : 1));
        assert_int_equal(memory.optimizer_bytes, 12 * p / (zero >= 1 ? 8 : 1));
    }
}

/* ZeRO-3 holds `prefetch` + 1 layers whole, at most the 4 there are; with one rank nothing is to be
 * gathered. */
static void test_memory_zero_3_holds_gathered_layers(void **state)
{
    static const struct {
        const char *keys;
        uint32_t ranks;
        uint64_t parameters, gathered;
    } rows[] = {{"{zero: 3}\ntraining: {prefetch: 0}", 8, 4 * 49408, 49408},
                {"{zero: 3}\ntraining: {prefetch: 2}", 8, 4 * 49408, 3 * 49408},
                {"{zero: 3}\ntraining: {prefetch: 100}", 8, 4 * 49408, 4 * 49408},
                {"{zero: 3}\ntraining: {prefetch: 1}", 1, 4 * 49408, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, SMALL "parallel: %s", rows[i].keys);
        const struct gen_model model = read_job(*state, text, rows[i].ranks);
        struct gen_memory memory;
        assert_true(orr_gen_model_memory(&model, 0, &memory));
        assert_int_equal(memory.weights_bytes,
                         2 * (rows[i].parameters / rows[i].ranks + rows[i].gathered));
    }
}

/* ---- bubbles ---- */

/* The job's time on p NPUs whose messages take 1 ps, and an NPU's compute time. */
static void run_pipeline(const char *plan, unsigned npus, int64_t *wall_ps, int64_t *compute_ps)
{
    char network[256], workload[512];
    (void)snprintf(network, sizeof network,
                   "network={topology: Switch(%u), bandwidth: 1000000000 TB/s}", npus);
    (void)snprintf(workload, sizeof workload,
                   "workload={transformer: {layers: 16, hidden: 1024, heads: 8, sequence: 1024, "
                   "vocabulary: 0}, %s}",
                   plan);
    const char *const set[] = {network, "compute={peak: 1 TFLOP/s}", workload};
    const struct orrery_inputs inputs = {.set = set, .set_count = 3};
    struct orrery *job = orrery_new();
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_OK);
    *wall_ps = orrery_wall_ps(job);
    *compute_ps = times.compute_ps;
    orrery_free(job);
}

/* A stage's idle time is (p - 1) / m of its work with GPipe and 1F1B (SC'21, section 2.2.1), (p -
 * 1) / (v m) interleaved; beside it only the 1 ps of the messages on the way there and back. */
static void assert_bubble(unsigned p, unsigned m, unsigned v, const char *schedule)
{
    char plan[256];
    int64_t wall, compute;
    (void)snprintf(plan, sizeof plan,
                   "parallel: {pipeline: %u, schedule: %s, chunks: %u}, training: {batch: %u, "
                   "optimizer: none}",
                   p, schedule, v, m);
    run_pipeline(plan, p, &wall, &compute);
    const int64_t work = compute / m; /* of a micro-batch on a stage, exactly */
    assert_int_equal(compute % m, 0);
    assert_int_equal(work % v, 0);
    const int64_t bubble = wall - compute, expected = (int64_t)(p - 1) * work / v;
    assert_true(bubble >= expected);
    assert_true(bubble <= expected + 4 * (int64_t)p * v * m);
}

static void test_run_pipelines_have_the_closed_form_bubble(void **state)
{
    (void)state;
    assert_bubble(4, 8, 1, "1f1b");
    assert_bubble(4, 4, 1, "1f1b");
    assert_bubble(8, 3, 1, "1f1b");
    assert_bubble(4, 8, 1, "gpipe");
    assert_bubble(4, 8, 2, "interleaved");
    assert_bubble(4, 8, 4, "interleaved");
    assert_bubble(2, 8, 8, "interleaved");
    assert_bubble(4, 4, 2, "interleaved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_totals_megatron_models_have_the_published_parameters,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_trace_megatron_models_have_the_operations_of_equation_3, setup, teardown),
        cmocka_unit_test_setup_teardown(test_totals_gpt3_has_the_published_work_a_token, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_totals_other_models_have_the_published_parameters,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_trace_tensor_parallel_volume_is_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_trace_sequence_parallel_volume_is_the_closed_form,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_trace_data_parallel_volume_is_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_trace_context_parallel_volume_is_the_closed_form,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_trace_expert_parallel_volume_is_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_trace_uneven_experts_are_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_trace_pipeline_volume_is_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_memory_kept_activations_are_the_closed_form, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_memory_schedules_keep_their_micro_batches, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_memory_zero_shares_by_stage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_zero_3_holds_gathered_layers, setup, teardown),
        cmocka_unit_test(test_run_pipelines_have_the_closed_form_bubble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
