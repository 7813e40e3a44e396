/* The models that ship as graphs of operators have the operators and weights of the papers: TopoOpt
 * (NSDI'23, list 1) as it was run, SiP-ML (SIGCOMM'21, section 4.2). */
#include <inttypes.h>

#include "tests/unit/conf_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/part_time.h"

struct published {
    const char *name; /* inputs/models/NAME.yml */
    uint32_t ops;
    uint64_t batch_per_device, batch;
    uint64_t weight_bytes, table_bytes; /* of operators; of tables */
};

/* Sums by hand; every dense layer and convolution has a bias, d(i, o) = i o + o:
 *
 * - VGG: 1728 + 36864 + 73728 + 147456 + 294912 + 2 x 589824 + 1179648 + 5 x 2359296 taps, 4224
 *   biases, d(61952, 4096) + d(4096, 4096) + d(4096, 1000): 289,352,488 parameters. The paper's
 *   runs: 1.157 GB.
 * - ResNet-50: convolutions 23,454,912 + 26,560, d(8192, 10): 23,563,402. 0.094 GB.
 * - BERT, h wide, L layers: 3 L x 4 h^2 + 4 L d(h, h) + d(h, 1). L = 12, h = 1024: 0.806 GB;
 *   L = 6, h = 768: 0.227 GB.
 * - DLRM: 7 d(w, w) + d(T D + w, W) + 14 d(W, W) + d(W, 1), and T tables of D x 10^7: 1.225 GB
 *   (T = 64), 1.359 GB (128), 0.306 GB (16).
 * - NCF: d(2048, 1) + d(8192, 4096) + 7 d(4096, 4096) + d(4097, 1): 0.604 GB. 64 tables of 64 x
 * 10^6 and 64 of 128 x 10^6.
 * - CANDLE: sum over five inputs i of d(i, H) + (F - 1) d(H, H), then d(5 H + 2, H) + (D - 1) d(H,
 * H)
 *   + d(H, 1). F = 16, D = 8, H = 16384: 94.4 GB; F = 12, H = 4096: 4.753 GB.
 * - SiP-ML's stack: 24 (12 h^2 + 4 h) + V h + 2 h, h = 1024, V = 32768: 335.6 million, 671 MB.
 *   Megatron: 40 of h = 6144, V = 51200: 18.4 billion, 36.9 GB. Universal Transformer: 12 h^2 and
 *   16 h^2, 12 h for six norms, V h twice, h = 2560: 351.3 million. ResNet-50: 25,557,032. */
static const struct published published[] = {
    {"topoopt/vgg", 23, 256, 0, UINT64_C(1157409952), 0},
    {"topoopt/resnet50", 90, 512, 0, UINT64_C(94253608), 0},
    {"topoopt/bert_5_3", 121, 64, 0, UINT64_C(805507076), 0},
    {"topoopt/bert_5_6", 61, 64, 0, UINT64_C(226569220), 0},
    {"topoopt/dlrm_5_3", 88, 512, 0, UINT64_C(1225056260), UINT64_C(327680000000)},
    {"topoopt/dlrm_5_4", 152, 512, 0, UINT64_C(1359273988), UINT64_C(655360000000)},
    {"topoopt/dlrm_5_6", 40, 1024, 0, UINT64_C(306343940), UINT64_C(163840000000)},
    {"topoopt/ncf", 143, 512, 0, UINT64_C(604135436), UINT64_C(49152000000)},
    {"topoopt/candle_5_3", 90, 1024, 0, UINT64_C(94442422276), 0},
    {"topoopt/candle_5_6", 70, 1024, 0, UINT64_C(4752687108), 0},
    {"topoopt/vgg_6", 26, 32, 0, UINT64_C(574668960), 0},
    {"topoopt/resnet50_6", 90, 20, 0, UINT64_C(94253608), 0},
    {"topoopt/bert_6", 61, 2, 0, UINT64_C(402755588), 0},
    {"topoopt/dlrm_6", 25, 512, 0, UINT64_C(516747268), UINT64_C(157286400000)},
    {"topoopt/candle_6", 46, 10, 0, UINT64_C(3141681156), 0},
    {"sipml/transformer", 244, 0, 1024, UINT64_C(671289344), 0},
    {"sipml/universal", 143, 0, 1024, UINT64_C(702607360), 0},
    {"sipml/megatron_18b", 404, 0, 1024, UINT64_C(36869922816), 0},
    {"sipml/resnet50", 176, 0, 8192, UINT64_C(51114064), 0},
};

static struct model_graph load(struct fixture *fixture, const char *name)
{
    const struct orr_conf *root = NULL;
    struct model_graph graph = {0};
    char path[256];
    (void)snprintf(path, sizeof path, "inputs/models/%s.yml", name);
    enum orr_status status = orr_conf_load(fixture->arena, path, &root, &fixture->diag);
    if (status == ORR_OK) {
        status =
            orr_model_read(fixture->arena, orr_conf_get(root, "model"), &graph, &fixture->diag);
    }
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return graph;
}

static void test_published_models_have_the_operators_and_weights_of_the_papers(void **state)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *expected = &published[i];
        const struct model_graph graph = load(*state, expected->name);
        const struct model_totals totals = orr_model_totals(&graph);
        print_message("%-20s %4" PRIu32 " operators, %" PRIu64 " and %" PRIu64 " bytes\n",
                      expected->name, graph.ops, totals.weight_bytes, totals.table_bytes);
        assert_int_equal(graph.ops, expected->ops);
        assert_int_equal(graph.batch, expected->batch);
        assert_int_equal(graph.batch_per_device, expected->batch_per_device);
        assert_int_equal(totals.weight_bytes, expected->weight_bytes);
        assert_int_equal(totals.table_bytes, expected->table_bytes);
    }
}

/* Appendix D, and the transfers of the published graphs: 256 numbers of 8 bytes for each sample of
 * a table, 1024 of 4 bytes from the layers below; together 16 x 256 + 1024 = 5120. */
static void test_published_dlrm_sends_8_bytes_for_each_number_of_a_table(void **state)
{
    const struct model_graph graph = load(*state, "topoopt/dlrm_5_6");
    const struct model_op *op = graph.op;
    assert_int_equal(op[6].output_bytes, 4096);
    for (uint32_t i = 7; i < 23; i++) {
        assert_true(op[i].table);
        assert_int_equal(op[i].edges, 0);
        assert_int_equal(op[i].output_bytes, 2048);
    }
    assert_int_equal(op[23].edges, 17);
    assert_int_equal(op[23].output_bytes, UINT64_C(4) * 5120);
}

/* Layers of the Universal Transformer: 2 x 5 operators with weights in 12 steps, but 6 + 8 and the
 * two matrices of words, one of them used twice, and the last norm have any of their own. */
static void test_published_universal_transformer_has_weights_once(void **state)
{
    const struct model_graph graph = load(*state, "sipml/universal");
    uint32_t using = 0, own = 0;
    for (uint32_t i = 0; i < graph.ops; i++) {
        using += graph.op[i].weights != 0;
        own += graph.op[i].weights != 0 && graph.op[i].owner == i;
    }
    assert_int_equal(using, 6 * 6 + 6 * 8 + 4);
    assert_int_equal(own, 6 + 8 + 3);
}

/* ---- times ---- */

/* The operators of one server of a data-parallel job, tables aside, in the published measurements
 * of its batch (one A100 at the batch of a GPU), added up by another program. */
struct timed {
    const char *name, *profile; /* ORRERY_SHARED/data/flexflow/profiles/PROFILE.json */
    uint32_t servers;
    double forward_ms, backward_ms;
    double table_ms; /* a table, forward */
};

static const struct timed timed[] = {
    {"topoopt/vgg", "vgg128", 128, 29.6858, 70.9582, 0},
    {"topoopt/vgg", "vgg16", 16, 29.5927, 70.8842, 0},
    {"topoopt/resnet50", "resnet128", 128, 64.5685, 137.6003, 0},     /* 202 ms */
    {"topoopt/bert_5_3", "transformer128", 128, 18.1479, 35.6268, 0}, /* 53.8 */
    {"topoopt/bert_5_6", "transformer16", 16, 21.0352, 41.1666, 0},   /* 62.20 */
    {"topoopt/dlrm_5_3", "dlrm128", 128, 5.9884, 10.8535, 4.30858},   /* 16.8 */
    {"topoopt/dlrm_5_4", "dlrm_128tables/measure_65536_128", 128, 6.7842, 12.1897, 4.36244},
    {"topoopt/dlrm_5_6", "dlrm16", 16, 3.2719, 6.4323, 1.613},
    {"topoopt/ncf", "ncf128", 128, 3.3505, 5.5889, 6.28716},
    {"topoopt/candle_5_3", "candle_128", 128, 690.4736, 1320.9982, 0}, /* 2.01 s */
    {"topoopt/candle_5_6", "candle16", 16, 35.5536, 68.9340, 0},
};

static bool load_profile(struct fixture *fixture, const char *name, struct model_profile *out)
{
    const char *shared = getenv("ORRERY_SHARED");
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/data/flexflow/profiles/%s.json",
                   shared != NULL ? shared : "", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    (void)fclose(file);
    const enum orr_status status =
        orr_model_profile_load(fixture->arena, path, out, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    return status == ORR_OK;
}

static double ms(sim_time ps)
{
    return (double)ps * 1e-9;
}

static void check_times(struct fixture *fixture, const struct timed *expected)
{
    struct model_profile profile;
    const struct model_speed speed = {.profile = &profile};
    const struct model_graph graph = load(fixture, expected->name);
    sim_time forward = 0, backward = 0, table = 0;
    if (!load_profile(fixture, expected->profile, &profile)) {
        skip();
    }
    for (uint32_t i = 0; i < graph.ops; i++) {
        const struct model_op *op = &graph.op[i];
        const uint32_t degree[MODEL_MAX_DIMS] = {
            op->table ? 1 : expected->servers, 1, 1, 1, 1, 1, 1, 1};
        struct model_times times;
        assert_int_equal(orr_model_part_time(&graph, i, degree, &speed,
                                             orr_model_batch(&graph, expected->servers), &times,
                                             &fixture->diag),
                         ORR_OK);
        assert_true(times.measured);
        forward += op->table ? 0 : times.forward_ps;
        backward += op->table ? 0 : times.backward_ps;
        table = op->table && table == 0 ? times.forward_ps : table;
    }
    print_message("%-20s %9.4f + %9.4f ms\n", expected->name, ms(forward), ms(backward));
    assert_float_equal(ms(forward), expected->forward_ms, 6e-5);
    assert_float_equal(ms(backward), expected->backward_ms, 6e-5);
    assert_float_equal(ms(table), expected->table_ms, 1e-9);
}

static void test_published_models_take_the_times_of_the_papers(void **state)
{
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        check_times(*state, &timed[i]);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_published_models_have_the_operators_and_weights_of_the_papers),
        TEST(test_published_dlrm_sends_8_bytes_for_each_number_of_a_table),
        TEST(test_published_universal_transformer_has_weights_once),
        TEST(test_published_models_take_the_times_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
