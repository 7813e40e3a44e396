/* Models for programs (include/orrery/model.h): figures, times and views, and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/model.h"

/* 256 features to 512 and to 10, with biases, 64 samples; a table of 100 rows of 8 numbers. */
static const char model[] =
    "model:\n"
    "  batch: 64\n"
    "  operators:\n"
    "    - data: {name: x, shape: [256]}\n"
    "    - dense: {name: wide, out: 512, profile: Dense_256_512}\n"
    "    - embedding: {name: table, rows: 100, columns: 8, profile: Embed}\n"
    "    - concat: {input: [wide, table]}\n"
    "    - dense: {name: last, out: 10}\n";

static const char profile[] =
    "{\"batch_size\": 64, \"measurements\": [\n"
    "  {\"name\": \"Dense_256_512\", \"pc_str\": \"2-1-4\", \"fw_time\": 1.5, \"bw_time\": 3},\n"
    "  {\"name\": \"Embed\", \"pc_str\": \"2-1-1\", \"fw_time\": 0.5, \"bw_time\": 1}]}\n";

static const char platform[] = "network: {topology: Ring(4), bandwidth: 1 GB/s}\n"
                               "compute: {peak: 1 TFLOP/s, efficiency: 0.5}\n";

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct orrery_op_graph_input input(const char *path)
{
    return (struct orrery_op_graph_input){ORRERY_SIZED(orrery_op_graph_input), .path = path};
}

static struct orrery_op_graph_figures figures_of(struct orrery_op_graph *graph)
{
    struct orrery_op_graph_figures figures = {ORRERY_SIZED(orrery_op_graph_figures)};
    assert_int_equal(orrery_op_graph_figures(graph, &figures), ORRERY_OK);
    return figures;
}

/* 257 x 512 + 521 x 10 weights; operations of a sample 2 x 256 x 512, 8 of the lookup, 520 of the
 * concatenation and 2 x 520 x 10 forwards. */
static void test_op_graph_figures_equal_sums_by_hand(void **state)
{
    (void)state;
    put("m.yml", model);
    struct orrery_op_graph *graph = orrery_op_graph_new();
    const struct orrery_op_graph_input given = input("m.yml");
    assert_int_equal(orrery_op_graph_read(graph, &given), ORRERY_OK);
    const struct orrery_op_graph_figures figures = figures_of(graph);
    assert_int_equal(figures.operators, 4);
    assert_int_equal(figures.edges, 3);
    assert_int_equal(figures.tables, 1);
    assert_int_equal(figures.batch, 64);
    assert_int_equal(figures.weights, 257 * 512 + 521 * 10);
    assert_int_equal(figures.table_weights, 800);
    assert_int_equal(figures.table_bytes, 3200);
    assert_int_equal(figures.forward_flops, 262144 + 8 + 520 + 10400);
    assert_int_equal(figures.product_flops, 2 * 262144 + 3 * 10400);
    assert_false(figures.timed);
    assert_string_equal(orrery_op_graph_text(graph, ORRERY_OP_GRAPH_CHECK),
                        "m.yml: ok, 4 operators, 3 edges, 137594 weights\n");
    orrery_op_graph_free(graph);
}

/* A fourth of 64 samples: measured 1.5 ms; the others by 0.5 TFLOP/s, 16 x 520 operations in 16640
 * ps, 16 x 10400 in 332800 ps. */
static void test_op_graph_times_are_measured_or_estimated(void **state)
{
    (void)state;
    put("m.yml", model);
    put("p.json", profile);
    put("platform.yml", platform);
    struct orrery_op_graph *graph = orrery_op_graph_new();
    struct orrery_op_graph_input given = input("m.yml");
    given.devices = 4;
    given.profile = "p.json";
    assert_int_equal(orrery_op_graph_read(graph, &given), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_op_graph_error(graph),
                        "m.yml:7:15: operator \"concat 3\": no `profile` to look for, and there is "
                        "no peak rate for an estimate");
    given.platform = "platform.yml";
    assert_int_equal(orrery_op_graph_read(graph, &given), ORRERY_OK);
    const struct orrery_op_graph_figures figures = figures_of(graph);
    assert_true(figures.timed);
    assert_int_equal(figures.forward_ps, 1500000000 + 16640 + 332800);
    assert_int_equal(figures.table_forward_ps, 500000000);
    assert_int_equal(figures.table_backward_ps, 1000000000);
    assert_non_null(strstr(orrery_op_graph_text(graph, ORRERY_OP_GRAPH_SHOW), "estimated"));
    assert_non_null(
        strstr(orrery_op_graph_text(graph, ORRERY_OP_GRAPH_JSON), "\"forward_ps\": 1500349440"));
    assert_non_null(strstr(orrery_op_graph_text(graph, ORRERY_OP_GRAPH_DOT), "0 -> 2"));
    orrery_op_graph_free(graph);
}

static void refuse(struct orrery_op_graph *graph, struct orrery_op_graph_input given,
                   const char *message)
{
    assert_int_not_equal(orrery_op_graph_read(graph, &given), ORRERY_OK);
    assert_string_equal(orrery_op_graph_error(graph), message);
    assert_null(orrery_op_graph_text(graph, ORRERY_OP_GRAPH_SHOW));
    assert_string_equal(orrery_op_graph_error(graph), "no model was read yet");
}

static void test_op_graph_read_what_is_wrong_is_told(void **state)
{
    (void)state;
    put("m.yml", "model: {operators: [{data: {shape: [8]}}, {dense: {out: 8}}]}\n");
    put("w.yml", "workload: {generate: all_reduce}\n");
    put("p.yml", "network: {topology: Ring(4), bandwidth: 1 GB/s}\ncompute: {mode: replay}\n");
    put("platform.yml", platform);
    struct orrery_op_graph *graph = orrery_op_graph_new();
    struct orrery_op_graph_input given = input("m.yml");
    given.platform = "platform.yml";
    refuse(graph, given,
           "m.yml: the model has no batch size, which times need: expected batch or "
           "batch_per_device, or --batch B");
    given.batch = 2;
    given.devices = 4;
    refuse(graph, given, "m.yml: 2 samples cannot be divided among 4 devices");
    given.platform = "p.yml";
    refuse(graph, given,
           "p.yml:2:10: times by a roofline need the key compute.peak, such as peak: 312 TFLOP/s");
    refuse(graph, input("w.yml"),
           "w.yml:1:11: workload: expected a generated model: transformer, dlrm or cnn, got a "
           "mapping");
    refuse(graph, input(NULL), "expected the path of a model, got NULL");
    assert_int_equal(orrery_op_graph_read(NULL, &given), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_op_graph_read(graph, NULL), ORRERY_ERROR_INPUT);
    orrery_op_graph_free(graph);
    orrery_op_graph_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_op_graph_figures_equal_sums_by_hand),
        cmocka_unit_test(test_op_graph_times_are_measured_or_estimated),
        cmocka_unit_test(test_op_graph_read_what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, inputs_set_up, inputs_tear_down);
}
