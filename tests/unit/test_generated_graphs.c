/* Generated models as graphs of operators: parameters and operations are those that the generators
 * tell, of every model that ships and of small ones with what these do not use. */
#include "tests/unit/model_fixture.h"

static void assert_totals(struct fixture *fixture, const struct gen_model *model)
{
    struct model_graph graph;
    const struct gen_totals totals = totals_of(model);
    const enum orr_status status =
        orr_gen_model_graph(fixture->arena, model, "a model", &graph, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    const struct model_totals sums = orr_model_totals(&graph);
    print_message("%u operators, %" PRIu64 " parameters, %" PRIu64 " operations a sample\n",
                  graph.ops, sums.weights + sums.table_weights, sums.product_flops);
    assert_true((double)(sums.weights + sums.table_weights) == totals.parameters);
    assert_true((double)sums.product_flops * totals.samples == totals.model_flops);
}

static void test_graph_of_every_model_that_ships_has_the_generators_totals(void **state)
{
    static const char *const names[] = {"bert_large",  "dlrm_57m",       "gpt3_175b",  "gpt_1t",
                                        "gpt_22b",     "gpt_530b",       "llama2_70b", "resnet50",
                                        "llama3_405b", "mixtral_8x7b",   "t5_11b",     "vgg16",
                                        "zfnet",       "transformer_1t", "vgg19"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "inputs/models/%s.yml", names[i]);
        print_message("%s: ", names[i]);
        const struct gen_model model = load_model(*state, 1, path);
        assert_totals(*state, &model);
    }
}

static void test_graph_of_small_models_has_the_generators_totals(void **state)
{
    static const char *const texts[] = {
        "transformer: {layers: 2, encoder_layers: 2, hidden: 8, heads: 2, sequence: 4, "
        "encoder_sequence: 6, vocabulary: 10, experts: 4, experts_per_token: 2, capacity: 1.5, "
        "positions: 6, causal: true, tied: false}\n",
        "transformer: {layers: 3, hidden: 8, heads: 4, kv_heads: 2, head_size: 3, sequence: 4, "
        "vocabulary: 0, bias: false, gated: true, norm: rmsnorm, moe_every: 2, experts: 2}\n",
        "transformer: {layers: 1, hidden: 8, heads: 2, sequence: 16, vocabulary: 10, masked: 3, "
        "pooler: true}\n",
        "dlrm: {tables: 8, rows: 1000, embedding: 16, lookups: 10, dense: 13, bottom: [32, 16], "
        "top: [64, 1]}\n",
        "dlrm: {tables: 3, rows: 10, embedding: 16, dense: 13, bottom: [9], top: [64, 1], "
        "interaction: cat}\n",
        "cnn: {input: {channels: 3, height: 20, width: 14}, layers: [{conv: {out: 8, kernel: 3, "
        "stride: 2, pad: 1, norm: batch}}, {basic: {out: 8, repeat: 2}}, {pool: {}}, {conv: {out: "
        "8, kernel: 1, groups: 2, bias: false}}, {dense: {out: 10, bias: false}}]}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct gen_model model = read_model(*state, 1, texts[i]);
        assert_totals(*state, &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_graph_of_every_model_that_ships_has_the_generators_totals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_graph_of_small_models_has_the_generators_totals, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
