/* Products of transformers: which of them tensor cores take badly, and those of fp8: what nodes
 * say, the bytes they read, and what runs take by compute.alignment and compute.fp8_peak. */
#include "orrery/orrery.h"
#include "sim/load/workload_config.h"
#include "tests/unit/conf_fixture.h"
#include "workload/gen/transformer.h"

static const struct orr_trace *trace_of(struct fixture *fixture, const char *text, uint32_t npus)
{
    struct wl_workload workload;
    const struct orr_trace *trace = NULL;
    assert_int_equal(
        orr_wl_workload_read(fixture->arena, parse(fixture, text), npus, &workload, &fixture->diag),
        ORR_OK);
    assert_int_equal(
        orr_gen_model_trace(fixture->arena, &workload.model, 0, &trace, &fixture->diag), ORR_OK);
    return trace;
}

static const struct orr_node *node_of(const struct orr_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            return &trace->node[i];
        }
    }
    fail_msg("no node \"%s\"", name);
    return NULL;
}

/* ---- tensor cores ---- */

/* All products of layers alike, forwards and backwards, and attention; nothing else. */
static void assert_unaligned(struct fixture *fixture, const char *text, bool products,
                             bool attention)
{
    const struct orr_trace *trace = trace_of(fixture, text, 8);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const bool of_layer = strncmp(node->name, "layer", 5) == 0;
        const bool router = strstr(node->name, "router") != NULL;
        const bool expected = node->op == ORR_OP_GEMM        ? products && of_layer && !router
                              : node->op == ORR_OP_ATTENTION ? attention
                                                             : false;
        if (node->kind == ORR_NODE_COMP &&
            (node->comm & ORR_COMP_UNALIGNED) != (expected ? ORR_COMP_UNALIGNED : 0)) {
            fail_msg("%s: %s", text, node->name);
        }
    }
}

/* BLOOM: 14400 / 8 = 1800 = 28 x 64 + 8 and 13824 / 8 = 1728 = 27 x 64; heads of 14400 / 120 = 120,
 * 13824 / 64 = 216 and 13824 / 128 = 108, the last of which is no multiple of 8. */
static void test_trace_sizes_that_tensor_cores_take_badly_are_marked(void **state)
{
#define MODEL(sizes) "transformer: {layers: 1, " sizes ", sequence: 2048, vocabulary: 50304}\n"
    assert_unaligned(*state, MODEL("hidden: 14400, heads: 120") "parallel: {tensor: 8}", true,
                     false);
    assert_unaligned(*state, MODEL("hidden: 13824, heads: 64") "parallel: {tensor: 8}", false,
                     false);
    assert_unaligned(*state, MODEL("hidden: 13824, heads: 128") "parallel: {tensor: 8}", false,
                     true);
    /* 14400 / 1 = 225 x 64, and heads of 225 */
    assert_unaligned(*state, MODEL("hidden: 14400, heads: 64"), false, true);
    assert_unaligned(*state, MODEL("hidden: 96, heads: 8, experts: 8, pooler: true"), true, true);
#undef MODEL
}

/* ---- fp8 ---- */

#define SMALL                                                                                      \
    "transformer: {layers: 1, hidden: 128, heads: 4, sequence: 32, vocabulary: 1024, bias: "       \
    "false}\n"

/* T = 32 tokens, qkv 128 x 384: 2 T 128 384 = 3145728 operations. Forwards it reads T x 128 + 128 x
 * 384 = 53248 bytes and writes T x 384 numbers of 2; its gradients read T x 384 and the weights or
 * the input, and write the other. */
static void test_trace_products_of_fp8_read_a_byte_an_element(void **state)
{
    const struct orr_trace *trace = trace_of(*state, SMALL "training: {product_type: fp8}", 1);
    const struct {
        const char *name;
        uint64_t bytes;
    } products[] = {{"layer 0 qkv fwd mb 0", 4096 + 49152 + 2 * 12288},
                    {"layer 0 qkv bwd mb 0", 12288 + 49152 + 2 * 4096},
                    {"layer 0 qkv wgrad mb 0", 12288 + 4096 + 2 * 49152}};
    for (size_t i = 0; i < 3; i++) {
        const struct orr_node *node = node_of(trace, products[i].name);
        assert_int_equal(node->amount, 3145728);
        assert_int_equal(node->of.tensor_bytes, products[i].bytes);
        assert_int_equal(node->comm, ORR_COMP_FP8);
    }
    /* The logits' product has numbers of 2 bytes: T x 128 + 128 x 1024 + T x 1024. */
    const struct orr_node *logits = node_of(trace, "logits fwd mb 0");
    assert_int_equal(logits->of.tensor_bytes, 2 * (4096 + 131072 + 32768));
    assert_int_equal(logits->comm, 0);
}

/* Attention, norms, the embedding and the head are as without. */
static void test_trace_only_products_of_layers_are_of_fp8(void **state)
{
    const struct orr_trace *plain = trace_of(*state, SMALL "training: {product_type: element}", 1);
    const struct orr_trace *trace = trace_of(*state, SMALL "training: {product_type: fp8}", 1);
    unsigned found = 0;
    assert_int_equal(plain->nodes, trace->nodes);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const bool product = node->op == ORR_OP_GEMM && strncmp(node->name, "layer", 5) == 0;
        assert_int_equal(node->comm & ORR_COMP_FP8, product ? ORR_COMP_FP8 : 0);
        assert_int_equal(plain->node[i].comm & ORR_COMP_FP8, 0);
        assert_int_equal(node->amount, plain->node[i].amount);
        assert_true(product || node->of.tensor_bytes == plain->node[i].of.tensor_bytes);
        found += product ? 1 : 0;
    }
    assert_int_equal(found, 4 * 3); /* qkv, projection, up, down; forwards and two gradients */
}

/* ---- runs ---- */

/* 8 heads of 12, 128 tokens: four products of 24 x 128 x 96^2 = P operations, attention of 4 x 128
 * x 128 x 96 = A, backwards twice as many. At 1 TFLOP/s an operation takes 1 ps. */
enum { P = 24 * 128 * 96 * 96, A = 4 * 128 * 128 * 96 };

static struct orrery *job_of(const char *compute, const char *training)
{
    char section[256], workload[256];
    (void)snprintf(section, sizeof section, "compute={peak: 1 TFLOP/s, %s}", compute);
    (void)snprintf(workload, sizeof workload,
                   "workload={transformer: {layers: 1, hidden: 96, heads: 8, sequence: 128, "
                   "vocabulary: 0, causal: false}, training: {optimizer: none%s}}",
                   training);
    const char *const set[] = {"network={topology: Switch(2), bandwidth: 1 GB/s}", section,
                               workload};
    const struct orrery_inputs inputs = {.set = set, .set_count = 3};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

/* `warning`: the only one; NULL: none. */
static int64_t compute_of(const char *compute, const char *training, const char *warning)
{
    struct orrery *job = job_of(compute, training);
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_OK);
    if (warning == NULL) {
        assert_null(orrery_warning(job, 0));
    } else {
        assert_non_null(orrery_warning(job, 0));
        assert_string_equal(orrery_warning(job, 0), warning);
        assert_null(orrery_warning(job, 1));
    }
    orrery_free(job);
    return times.compute_ps;
}

static void test_run_alignment_is_counted_and_told(void **state)
{
    (void)state;
    const int64_t plain = compute_of("mode: roofline", "", NULL);
    const int64_t listed = compute_of(
        "efficiency: [{kind: default}]", "",
        "--set: warning: workload.transformer: hidden / tensor = 96 is not a multiple "
        "of "
        "64, and the head size 12 is not a multiple of 8, which tensor cores take badly: real GPUs "
        "need about 1.3 times as long for an iteration; compute.alignment: 0.75 counts that");
    assert_int_equal(listed, plain);
    const int64_t half = compute_of(
        "alignment: 0.5", "",
        "--set: warning: workload.transformer: hidden / tensor = 96 is not a multiple "
        "of "
        "64, and the head size 12 is not a multiple of 8: the layers' products and attention are "
        "counted with 0.5 of the share of the peak (compute.alignment)");
    assert_int_equal(half, plain + 3 * (P + A));
}

static void test_run_products_of_fp8_take_its_peak(void **state)
{
    (void)state;
    const int64_t plain = compute_of("fp8_peak: 2 TFLOP/s", "", NULL);
    assert_int_equal(compute_of("fp8_peak: 2 TFLOP/s", ", product_type: fp8", NULL),
                     plain - 3 * P / 2);
    /* half of both peaks: twice as long in all */
    assert_int_equal(
        compute_of("fp8_peak: 2 TFLOP/s, efficiency: 0.5", ", product_type: fp8", NULL),
        2 * (plain - 3 * P / 2));
    /* recorded durations need no peak */
    assert_int_equal(compute_of("mode: replay", ", product_type: fp8", NULL), 0);
}

static void test_load_fp8_without_its_peak_fails(void **state)
{
    (void)state;
    static const char workload[] =
        "workload={transformer: {layers: 1, hidden: 64, heads: 8, sequence: 8, vocabulary: 0}, "
        "training: {product_type: fp8}}";
    const char *const set[] = {"network={topology: Switch(2), bandwidth: 1 GB/s}",
                               "compute={peak: 1 TFLOP/s}", workload};
    const struct orrery_inputs inputs = {.set = set, .set_count = 3};
    struct orrery *job = orrery_new();
    assert_int_equal(orrery_load(job, &inputs), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job),
                        "--set: workload.training.product_type: fp8 needs the key "
                        "compute.fp8_peak of the platform, such as fp8_peak: 1979 TFLOP/s");
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_trace_sizes_that_tensor_cores_take_badly_are_marked),
        IN_FIXTURE(test_trace_products_of_fp8_read_a_byte_an_element),
        IN_FIXTURE(test_trace_only_products_of_layers_are_of_fp8),
        cmocka_unit_test(test_run_alignment_is_counted_and_told),
        cmocka_unit_test(test_run_products_of_fp8_take_its_peak),
        cmocka_unit_test(test_load_fp8_without_its_peak_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
