/* Graphs of operators in memory: sizes, dimensions and messages, against sums by hand. */
#include "tests/unit/conf_fixture.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/model_builder.h"

static const struct model_info about = {.name = "small", .batch = 32, .element_bytes = 4};

static model_value add(struct model_builder *builder, struct model_op_spec spec,
                       const void *attributes, struct orr_diag *diag)
{
    model_value value = MODEL_NO_VALUE;
    assert_int_equal(orr_model_add(builder, &spec, attributes, &value, diag), ORR_OK);
    return value;
}

static model_value add_data(struct model_builder *builder, size_t axes, const int64_t *size,
                            struct orr_diag *diag)
{
    const struct model_data data = {.shape = {axes, size}};
    return add(builder, (struct model_op_spec){.kind = &orr_model_kind_data}, &data, diag);
}

static struct model_builder *builder_of(struct fixture *fixture)
{
    struct model_builder *builder =
        orr_model_builder_create(fixture->arena, &about, &fixture->diag);
    assert_non_null(builder);
    return builder;
}

/* 10 features to 20 with a bias, to 5 without. */
static void test_model_add_two_dense_layers_equal_sums_by_hand(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    const model_value data = add_data(builder, 1, (int64_t[]){10}, &fixture->diag);
    const struct model_dense wide = {.out = 20, .bias = true}, last = {.out = 5};
    const model_value first =
        add(builder,
            (struct model_op_spec){
                .kind = &orr_model_kind_dense, .name = "wide", .input = &data, .inputs = 1},
            &wide, &fixture->diag);
    (void)add(builder,
              (struct model_op_spec){.kind = &orr_model_kind_dense, .input = &first, .inputs = 1},
              &last, &fixture->diag);
    struct model_graph graph;
    assert_int_equal(orr_model_finish(builder, &graph, &fixture->diag), ORR_OK);
    assert_int_equal(graph.ops, 2);
    assert_int_equal(graph.edges, 1);
    const struct model_op *op = graph.op;
    assert_string_equal(op[0].name, "wide");
    assert_string_equal(op[1].name, "dense 2");
    assert_int_equal(op[0].weights, 11 * 20);
    assert_int_equal(op[1].weights, 20 * 5);
    assert_int_equal(op[0].bias, 20);
    assert_int_equal(op[1].bias, 0);
    assert_int_equal(op[0].forward.flops, 2 * 10 * 20);
    assert_int_equal(op[0].backward.flops, 2 * 10 * 20); /* no gradient of the data */
    assert_int_equal(op[1].backward.flops, 2 * 2 * 20 * 5);
    assert_int_equal(op[0].forward.input_bytes, 40);
    assert_int_equal(op[0].forward.output_bytes, 80);
    assert_int_equal(op[0].forward.weight_bytes, 800);
    assert_int_equal(op[0].output_bytes, 80);
    assert_true(op[0].of_data && !op[1].of_data);
    assert_int_equal(op[1].edges, 1);
    assert_int_equal(graph.edge[op[1].first_edge].from, 0);
    const struct model_totals totals = orr_model_totals(&graph);
    assert_int_equal(totals.weights, 320);
    assert_int_equal(totals.weight_bytes, 1280);
    assert_int_equal(totals.forward_flops, 400 + 200);
    assert_int_equal(totals.product_flops, 600 + 400 + 400);
}

/* SiP-ML, section 3.2: by output features a part needs all and gives a slice, by input features it
 * needs a slice and gives a partial sum; tokens and samples are slices of weights that are copied.
 */
static void test_model_add_dense_layer_of_tokens_has_dimensions(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    const model_value data = add_data(builder, 2, (int64_t[]){7, 10}, &fixture->diag);
    const struct model_dense dense = {.out = 20, .bias = true};
    (void)add(builder,
              (struct model_op_spec){.kind = &orr_model_kind_dense, .input = &data, .inputs = 1},
              &dense, &fixture->diag);
    struct model_graph graph;
    assert_int_equal(orr_model_finish(builder, &graph, &fixture->diag), ORR_OK);
    const struct model_op *op = graph.op;
    assert_int_equal(op->forward.flops, 2 * 7 * 10 * 20);
    assert_int_equal(op->dims, 4);
    assert_int_equal(orr_model_dim_named(op, "sample"), 0);
    assert_int_equal(orr_model_dim_named(op, "tokens"), 1);
    assert_int_equal(orr_model_dim_named(op, "heads"), UINT32_MAX);
    const struct model_dim *output = &op->dim[orr_model_dim_named(op, "output")];
    assert_int_equal(output->cut[0].needs, MODEL_NEEDS_ALL);
    assert_int_equal(output->gives, MODEL_GIVES_SLICE);
    assert_int_equal(output->axis, 2);
    assert_int_equal(output->weights, MODEL_WEIGHTS_SLICED);
    assert_int_equal(output->size, 20);
    const struct model_dim *input = &op->dim[orr_model_dim_named(op, "input")];
    assert_int_equal(input->cut[0].needs, MODEL_NEEDS_SLICE);
    assert_int_equal(input->cut[0].axis, 2);
    assert_int_equal(input->gives, MODEL_GIVES_PARTIAL_SUM);
    assert_int_equal(input->size, 10);
}

/* Operators of data, and of each other; parts are slices of all that they need, give and hold. */
static void test_model_add_measured_operators_keeps_their_times(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    const struct model_measured source = {.out = 100, .forward_ps = 7000000, .weights = 1000};
    const struct model_measured sink = {.out = 0, .forward_ps = 1, .backward_ps = 2};
    const model_value first =
        add(builder, (struct model_op_spec){.kind = &orr_model_kind_measured, .name = "a"}, &source,
            &fixture->diag);
    (void)add(builder,
              (struct model_op_spec){
                  .kind = &orr_model_kind_measured, .name = "b", .input = &first, .inputs = 1},
              &sink, &fixture->diag);
    struct model_graph graph;
    assert_int_equal(orr_model_finish(builder, &graph, &fixture->diag), ORR_OK);
    assert_false(graph.lists_gradients);
    const struct model_op *op = graph.op;
    assert_true(op[0].measured);
    assert_int_equal(op[0].forward_ps, 7000000);
    assert_int_equal(op[1].backward_ps, 2);
    assert_int_equal(op[0].output_bytes, 400);
    assert_int_equal(op[1].output_bytes, 0);
    assert_int_equal(op[0].weight_bytes, 4000);
    assert_int_equal(op[0].forward.flops, 0);
    const struct model_dim *parts = &op->dim[orr_model_dim_named(op, "parts")];
    assert_int_equal(parts->cut[0].needs, MODEL_NEEDS_SLICE);
    assert_int_equal(parts->gives, MODEL_GIVES_SLICE);
    assert_int_equal(parts->weights, MODEL_WEIGHTS_SLICED);
}

/* Three layers 8 -> 8, the third with the first one's weights. */
static void test_model_add_shared_weights_count_once(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    const struct model_dense dense = {.out = 8, .bias = false};
    model_value at = add_data(builder, 1, (int64_t[]){8}, &fixture->diag), first = 0;
    for (unsigned i = 0; i < 3; i++) {
        at = add(builder,
                 (struct model_op_spec){.kind = &orr_model_kind_dense,
                                        .input = (model_value[]){at},
                                        .inputs = 1,
                                        .shared = i == 2,
                                        .owner = first},
                 &dense, &fixture->diag);
        first = i == 0 ? at : first;
    }
    struct model_graph graph;
    assert_int_equal(orr_model_finish(builder, &graph, &fixture->diag), ORR_OK);
    assert_int_equal(graph.op[1].owner, 1);
    assert_int_equal(graph.op[2].owner, 0);
    assert_int_equal(orr_model_totals(&graph).weights, 2 * 64);
}

static void refuse(struct fixture *fixture, struct model_builder *builder,
                   struct model_op_spec spec, const void *attributes, const char *text)
{
    model_value value;
    char said[ORR_DIAG_MESSAGE_BYTES];
    clear(fixture);
    assert_int_equal(orr_model_add(builder, &spec, attributes, &value, &fixture->diag),
                     ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, text);
}

static void test_model_add_what_cannot_be_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    const struct model_dense dense = {.out = 8}, huge = {.out = INT64_MAX};
    const model_value data = add_data(builder, 1, (int64_t[]){8}, &fixture->diag);
    const struct model_op_spec spec = {
        .kind = &orr_model_kind_dense, .name = "a", .input = &data, .inputs = 1};
    struct model_op_spec other = spec;
    const model_value a = add(builder, spec, &dense, &fixture->diag);
    refuse(fixture, builder, spec, &dense,
           "operator \"a\": name: \"a\" is another operator's name");
    other.name = "b";
    other.inputs = 0;
    refuse(fixture, builder, other, &dense,
           "operator \"b\": input: expected 1 input of a dense, got 0");
    other = (struct model_op_spec){
        .kind = &orr_model_kind_dense, .name = "c", .input = (model_value[]){99}, .inputs = 1};
    refuse(fixture, builder, other, &dense,
           "operator \"c\": input: an input that is not made before the operator: a cycle");
    other.name = "d";
    other.input = &data;
    refuse(fixture, builder, other, &huge,
           "operator \"d\": its operations, weights or bytes are more than 2^63");
    other.name = "e";
    other.shared = true;
    other.owner = a;
    refuse(fixture, builder, other, &(struct model_dense){.out = 9},
           "operator \"e\": shared: \"a\" has 64 weights, but \"e\" has 72");
}

static void test_model_finish_without_operators_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct model_builder *builder = builder_of(fixture);
    struct model_graph graph;
    assert_int_equal(orr_model_finish(builder, &graph, &fixture->diag), ORR_ERR_INPUT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_model_add_two_dense_layers_equal_sums_by_hand),
        TEST(test_model_add_dense_layer_of_tokens_has_dimensions),
        TEST(test_model_add_measured_operators_keeps_their_times),
        TEST(test_model_add_shared_weights_count_once),
        TEST(test_model_add_what_cannot_be_is_refused),
        TEST(test_model_finish_without_operators_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
