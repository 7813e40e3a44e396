/* Precision by tensor: bytes of formats with their scales, what recipes store, keep and send,
 * casts, layers and parts that stay in elements, and the utilization by the peaks of types. */
#include <math.h>

#include "orrery/orrery.h"
#include "orrery/summary.h"
#include "sim/load/workload_config.h"
#include "tests/unit/conf_fixture.h"
#include "workload/gen/models.h"
#include "workload/trace/op_kind.h"

/* 2 layers, T = 32 tokens, hidden 128, feed-forward 512, without biases: a layer has 4 x 128^2 + 2
 * x 128 x 512 = 196608 parameters in products, and 2 norms of 2 x 128. */
#define SMALL                                                                                      \
    "transformer: {layers: 2, hidden: 128, heads: 4, ffn: 512, sequence: 32, vocabulary: 0, "      \
    "bias: "                                                                                       \
    "false, dropout: false}\n"

enum { LAYER = 196608, NORMS = 512, TOKENS = 32, HIDDEN = 128, FFN = 512 };

static void read_job(struct fixture *fixture, const char *text, uint32_t npus,
                     struct wl_workload *out)
{
    if (orr_wl_workload_read(fixture->arena, parse(fixture, text), npus, out, &fixture->diag) !=
        ORR_OK) {
        fail_msg("%s", fixture->diag.message);
    }
}

static const struct orr_trace *trace_of(struct fixture *fixture, const char *text, uint32_t npus)
{
    struct wl_workload workload;
    const struct orr_trace *trace = NULL;
    read_job(fixture, text, npus, &workload);
    assert_int_equal(
        orr_gen_model_trace(fixture->arena, &workload.model, 0, &trace, &fixture->diag), ORR_OK);
    return trace;
}

static const struct orr_node *find(const struct orr_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            return &trace->node[i];
        }
    }
    return NULL;
}

/* ---- formats ---- */

/* Bytes with scales: era of 2024-26, MX 1.0 (32 numbers a byte), NVFP4 (16 numbers a byte). */
static void test_format_bytes_count_scales(void **state)
{
    (void)state;
    const struct {
        enum gen_format format;
        uint64_t numbers, bytes, of_weights;
    } cases[] = {{GEN_ELEMENT, 16384, 32768, 32768},
                 {GEN_FP8, 16384, 16384, 16384},
                 {GEN_FP8_BLOCK, 16384, 16384 + 4 * 128, 16384 + 4},
                 {GEN_MXFP8, 16384, 16384 + 512, 16384 + 512},
                 {GEN_NVFP4, 16384, 8192 + 1024, 8192 + 1024},
                 /* a token of DeepSeek-V3 on its way to an expert: 7168 + 4 x 56 */
                 {GEN_FP8_BLOCK, 7168, 7392, 7170},
                 {GEN_NVFP4, 1, 1, 1},
                 {GEN_NVFP4, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(orr_gen_format_bytes(cases[i].format, 2, cases[i].numbers),
                         cases[i].bytes);
        assert_int_equal(orr_gen_weight_format_bytes(cases[i].format, 2, cases[i].numbers),
                         cases[i].of_weights);
    }
    assert_int_equal(orr_gen_format_bytes(GEN_MXFP8, 2, INT64_MAX), INT64_MAX);
}

/* ---- memory ---- */

static struct gen_memory memory_of(struct fixture *fixture, const char *training)
{
    char text[512];
    struct wl_workload workload;
    struct gen_memory memory;
    (void)snprintf(text, sizeof text, SMALL "training: {%s}", training);
    read_job(fixture, text, 1, &workload);
    assert_true(orr_gen_model_memory(&workload.model, 0, &memory));
    return memory;
}

/* Weights: bf16 2; FP8 stored, rows and columns, 2; MXFP8 stored 2 x 33/32 = 2.0625; blocks and
 * NVFP4 a copy of 2 bytes beside two forms: 2 + 2 x 16388/16384, 2 + 2 x 9/16 = 3.125. Norms keep 2
 * bytes. */
static void test_memory_weights_are_stored_as_the_recipe_says(void **state)
{
    const struct {
        const char *training;
        uint64_t layer_bytes;
    } cases[] = {{"precision: bf16", 2 * LAYER},
                 {"product_type: fp8", 2 * LAYER},
                 {"precision: fp8_cs", 2 * LAYER},
                 {"precision: fp8_cs, narrow_forms: 1", LAYER},
                 {"precision: fp8_cs, weight_type: element", 4 * LAYER},
                 {"precision: mxfp8", LAYER * 2 * 33 / 32},
                 {"precision: fp8_block", 4 * LAYER + 2 * 4 * LAYER / 16384},
                 {"precision: nvfp4", 2 * LAYER + LAYER * 2 * 9 / 16},
                 {"precision: nvfp4, product_type: mxfp8", 2 * LAYER + LAYER * 2 * 33 / 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gen_memory memory = memory_of(*state, cases[i].training);
        assert_int_equal(memory.weights_bytes, 2 * (cases[i].layer_bytes + 2 * NORMS));
        assert_int_equal(memory.gradients_bytes, 2 * 2 * (LAYER + NORMS));
    }
}

/* Adam: a master copy of 4 bytes and two moments. */
static void test_memory_optimizer_has_moments_of_their_own_bytes(void **state)
{
    const uint64_t parameters = 2 * (LAYER + NORMS);
    assert_int_equal(memory_of(*state, "precision: bf16").optimizer_bytes, 12 * parameters);
    assert_int_equal(memory_of(*state, "moment_bytes: 2").optimizer_bytes, 8 * parameters);
    assert_int_equal(memory_of(*state, "optimizer_bytes: 6").optimizer_bytes, 6 * parameters);
}

/* A token and layer keeps in bf16 two norms' inputs and outputs 4 h, qkv 3 h, attention's output h,
 * the feed-forward's f before and f behind its activation: (8 h + 2 f) x 2. Products keep the
 * norms' outputs, attention's and the activation's: 3 h + f, of which attention keeps its own h as
 * well. */
static void test_memory_products_keep_their_inputs_narrow(void **state)
{
    const uint64_t numbers = 2 * TOKENS; /* of two layers */
    const uint64_t all = 2 * numbers * (8 * HIDDEN + 2 * FFN);
    const uint64_t narrow = numbers * (3 * HIDDEN + FFN);
    const uint64_t others = all - 2 * narrow + 2 * numbers * HIDDEN;
    assert_int_equal(memory_of(*state, "precision: bf16").activations_bytes, all);
    assert_int_equal(memory_of(*state, "product_type: fp8").activations_bytes, all);
    assert_int_equal(memory_of(*state, "precision: fp8_cs").activations_bytes, others + narrow);
    assert_int_equal(memory_of(*state, "precision: mxfp8").activations_bytes,
                     others + narrow * 33 / 32);
    assert_int_equal(memory_of(*state, "precision: nvfp4").activations_bytes,
                     others + narrow * 9 / 16);
    assert_int_equal(memory_of(*state, "precision: nvfp4, kept_type: element").activations_bytes,
                     all);
}

/* ---- communication ---- */

static uint64_t bytes_of(const struct orr_trace *trace, const char *name)
{
    const struct orr_node *node = find(trace, name);
    if (node == NULL) {
        fail_msg("no node \"%s\"", name);
        return 0;
    }
    return node->amount;
}

/* ZeRO-3 on two ranks: each has half of a layer's LAYER + NORMS parameters. FP8 is gathered as it
 * is stored, MXFP8 in elements. */
static void test_trace_weights_are_gathered_in_their_type(void **state)
{
#define SHARDED SMALL "parallel: {zero: 3}\ntraining: "
    const char *const first = "layer 0 weights gathered mb 0";
    const struct orr_trace *trace = trace_of(*state, SHARDED "{precision: bf16}", 2);
    assert_int_equal(bytes_of(trace, first), LAYER + NORMS);
    trace = trace_of(*state, SHARDED "{precision: fp8_cs}", 2);
    assert_int_equal(bytes_of(trace, first), LAYER / 2 + NORMS);
    trace = trace_of(*state, SHARDED "{precision: mxfp8}", 2);
    assert_int_equal(bytes_of(trace, first), LAYER + NORMS);
    trace = trace_of(*state, SHARDED "{precision: mxfp8, gather_type: mxfp8}", 2);
    assert_int_equal(bytes_of(trace, first), LAYER / 2 * 33 / 32 + NORMS);
#undef SHARDED
}

/* Two ranks with two experts each, 2 a token: 64 tokens of 128 go out and back. */
static void test_trace_dispatch_and_combine_have_types(void **state)
{
#define EXPERTS                                                                                    \
    "transformer: {layers: 1, hidden: 128, heads: 4, experts: 4, experts_per_token: 2, sequence: " \
    "32, vocabulary: 0}\nparallel: {expert: 2}\ntraining: "
    const char *const out[] = {"layer 0 expert dispatch fwd mb 0",
                               "layer 0 expert combine bwd mb 0"};
    const char *const back[] = {"layer 0 expert combine fwd mb 0",
                                "layer 0 expert dispatch bwd mb 0"};
    const struct {
        const char *text;
        uint64_t out, back;
    } cases[] = {
        {EXPERTS "{precision: fp8_block}", 2 * 64 * 128, 2 * 64 * 128},
        {EXPERTS "{precision: fp8_block, dispatch_type: fp8_block}", 64 * 132, 2 * 64 * 128},
        {EXPERTS "{dispatch_type: mxfp8, combine_type: nvfp4}", 64 * 132, 64 * 72}};
    for (size_t i = 0; i < 3; i++) {
        const struct orr_trace *trace = trace_of(*state, cases[i].text, 2);
        for (unsigned pass = 0; pass < 2; pass++) {
            assert_int_equal(bytes_of(trace, out[pass]), cases[i].out);
            assert_int_equal(bytes_of(trace, back[pass]), cases[i].back);
        }
    }
#undef EXPERTS
}

/* ---- casts ---- */

/* The input of qkv, T x 128 = 4096 numbers, in MXFP8: 2 bytes are read and two forms of 33/32 are
 * written; of NVFP4 twice 9/16, and a gradient is read twice. Delayed scaling casts gradients
 * alone, T x 384 numbers: 2 and two of 1. */
static void test_trace_casts_are_operators_of_their_own(void **state)
{
    const char *const input = "layer 0 qkv input cast fwd mb 0";
    const char *const gradient = "layer 0 qkv gradient cast bwd mb 0";
    const struct orr_trace *trace = trace_of(*state, SMALL "training: {precision: mxfp8}", 1);
    assert_int_equal(find(trace, input)->of.tensor_bytes, 4096 * 2 + 2 * 4096 * 33 / 32);
    assert_int_equal(find(trace, input)->op, ORR_OP_CAST);
    assert_int_equal(find(trace, gradient)->of.tensor_bytes, 3 * (4096 * 2 + 2 * 4096 * 33 / 32));
    trace = trace_of(*state, SMALL "training: {precision: nvfp4}", 1);
    assert_int_equal(find(trace, input)->of.tensor_bytes, 4096 * 2 + 2 * 4096 * 9 / 16);
    assert_int_equal(find(trace, gradient)->of.tensor_bytes, 3 * (4096 * 4 + 2 * 4096 * 9 / 16));
    trace = trace_of(*state, SMALL "training: {precision: fp8_delayed}", 1);
    assert_null(find(trace, input));
    assert_int_equal(find(trace, gradient)->of.tensor_bytes, 3 * 4096 * 4);
    trace = trace_of(*state, SMALL "training: {precision: mxfp8, casts: none}", 1);
    assert_null(find(trace, gradient));
}

/* The gradient is cast before the product's backward pass uses it, the input before the product. */
static void test_trace_casts_come_before_their_use(void **state)
{
    const struct orr_trace *trace = trace_of(*state, SMALL "training: {precision: mxfp8}", 1);
    assert_true(find(trace, "layer 0 ffn down input cast fwd mb 0")->id <
                find(trace, "layer 0 ffn down fwd mb 0")->id);
    assert_true(find(trace, "layer 0 ffn down gradient cast bwd mb 0")->id <
                find(trace, "layer 0 ffn down bwd mb 0")->id);
    assert_true(find(trace, "layer 0 activation bwd mb 0")->id <
                find(trace, "layer 0 ffn up gradient cast bwd mb 0")->id);
}

/* ---- what stays in elements ---- */

static void test_trace_layers_and_parts_stay_in_elements(void **state)
{
    const struct orr_trace *trace = trace_of(
        *state,
        SMALL "training: {precision: nvfp4, layers_at_end_in_bf16: 1, bf16_products: attention}",
        1);
    const struct {
        const char *name;
        enum orr_product_type type;
    } cases[] = {{"layer 0 qkv fwd mb 0", ORR_PRODUCT_ELEMENT},
                 {"layer 0 attention projection bwd mb 0", ORR_PRODUCT_ELEMENT},
                 {"layer 0 ffn up fwd mb 0", ORR_PRODUCT_FP4},
                 {"layer 0 ffn down wgrad mb 0", ORR_PRODUCT_FP4},
                 {"layer 1 ffn up fwd mb 0", ORR_PRODUCT_ELEMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_non_null(find(trace, cases[i].name));
        assert_int_equal(orr_wl_product_type(find(trace, cases[i].name)->comm), cases[i].type);
    }
    assert_null(find(trace, "layer 0 qkv input cast fwd mb 0"));
    assert_null(find(trace, "layer 1 ffn up input cast fwd mb 0"));
}

static void refuses(struct fixture *fixture, const char *training, const char *message)
{
    char text[512];
    struct wl_workload workload;
    (void)snprintf(text, sizeof text, SMALL "training: {%s}", training);
    assert_int_equal(
        orr_wl_workload_read(fixture->arena, parse(fixture, text), 1, &workload, &fixture->diag),
        ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, message) == NULL) {
        fail_msg("%s", fixture->diag.message);
    }
}

static void test_read_keys_without_a_meaning_fail(void **state)
{
    refuses(*state, "precision: fp32", "training.precision: expected bf16, fp16, fp8_delayed");
    refuses(*state, "bf16_products: attention",
            "training.bf16_products: all products are of elements; expected a product_type, or a "
            "precision such as mxfp8, beside it");
    refuses(*state, "precision: mxfp8, bf16_products: router",
            "expected attention, mamba, dense, experts, shared_experts, latent or mtp");
    refuses(*state, "moment_bytes: 2, optimizer: sgd", "only optimizer: adam has two moments");
    refuses(*state, "moment_bytes: 2, optimizer_bytes: 8", "optimizer_bytes says what it would");
}

/* ---- utilization ---- */

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9) {
        fail_msg("%.12g, expected %.12g", found, expected);
    }
}

/* Of 2 layers the second in elements: products are 6 T LAYER operations a layer, attention 3 x 4 T
 * s h / 2 (causal). At 1, 2 and 4 TFLOP/s, a job of t seconds has used (F16 / 1 + F4 / 4) / t. */
static void test_rates_are_of_the_peaks_of_types(void **state)
{
    (void)state;
    const char *const set[] = {
        "network={topology: Switch(1), bandwidth: 1 GB/s}",
        "compute={peak: 1 TFLOP/s, fp8_peak: 2 TFLOP/s, fp4_peak: 4 TFLOP/s}",
        "workload={transformer: {layers: 2, hidden: 128, heads: 4, ffn: 512, sequence: 32, "
        "vocabulary: 0, bias: false, dropout: false, causal: true}, training: {precision: nvfp4, "
        "layers_at_end_in_bf16: 1}}"};
    const struct orrery_inputs inputs = {.set = set, .set_count = 3};
    struct orrery *job = orrery_new();
    struct orrery_rates rates;
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    orrery_rates(job, &rates);
    const double products = 6.0 * TOKENS * LAYER, core = 3.0 * 4 * TOKENS * TOKENS * HIDDEN / 2;
    const double all = 2 * (products + core), wall_s = (double)orrery_wall_ps(job) * 1e-12;
    assert_near(rates.fp4_share, products / all);
    assert_near(rates.fp8_share, 0);
    assert_near(rates.model_flops_utilization,
                ((all - products) / 1e12 + products / 4e12) / wall_s);
    orrery_free(job);
}

/* 2 layers that compute 1 us, 4 micro-batches: the host launches 8 of them in 3 ms each. The last
 * one's backward pass is what it does not hide, less than the products of a layer. */
static void test_run_waits_for_the_host(void **state)
{
    (void)state;
    int64_t wall_ps[2];
    for (unsigned i = 0; i < 2; i++) {
        const char *const set[] = {
            "network={topology: Switch(1), bandwidth: 1 GB/s}", "compute={peak: 1000 TFLOP/s}",
            i == 0 ? "workload={transformer: {layers: 2, hidden: 128, heads: 4, sequence: 32, "
                     "vocabulary: 0}, training: {batch: 4}}"
                   : "workload={transformer: {layers: 2, hidden: 128, heads: 4, sequence: 32, "
                     "vocabulary: 0}, training: {batch: 4, host_layer: 3 ms}}"};
        const struct orrery_inputs inputs = {.set = set, .set_count = 3};
        struct orrery *job = orrery_new();
        if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
            fail_msg("%s", orrery_error(job));
        }
        wall_ps[i] = orrery_wall_ps(job);
        orrery_free(job);
    }
    const int64_t launched_ps = INT64_C(8) * 3 * 1000000000;
    assert_true(wall_ps[1] >= launched_ps && wall_ps[1] <= launched_ps + wall_ps[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_bytes_count_scales),
        IN_FIXTURE(test_memory_weights_are_stored_as_the_recipe_says),
        IN_FIXTURE(test_memory_optimizer_has_moments_of_their_own_bytes),
        IN_FIXTURE(test_memory_products_keep_their_inputs_narrow),
        IN_FIXTURE(test_trace_weights_are_gathered_in_their_type),
        IN_FIXTURE(test_trace_dispatch_and_combine_have_types),
        IN_FIXTURE(test_trace_casts_are_operators_of_their_own),
        cmocka_unit_test(test_run_waits_for_the_host),
        IN_FIXTURE(test_trace_casts_come_before_their_use),
        IN_FIXTURE(test_trace_layers_and_parts_stay_in_elements),
        IN_FIXTURE(test_read_keys_without_a_meaning_fail),
        cmocka_unit_test(test_rates_are_of_the_peaks_of_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
