/* Models from files: kinds by hand, blocks, names, and messages. */
#include "tests/unit/conf_fixture.h"
#include "workload/model/kinds/kind_list.h"
#include "workload/model/model_read.h"

static enum orr_status read_into(struct fixture *fixture, const char *text,
                                 struct model_graph *graph)
{
    const struct orr_conf *root = parse(fixture, text);
    return orr_model_read(fixture->arena, orr_conf_get(root, "model"), graph, &fixture->diag);
}

static struct model_graph read_graph(struct fixture *fixture, const char *text)
{
    struct model_graph graph;
    const enum orr_status status = read_into(fixture, text, &graph);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return graph;
}

static void refuse(struct fixture *fixture, const char *text, const char *message)
{
    struct model_graph graph;
    char said[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(read_into(fixture, text, &graph), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, message);
}

static void assert_work(const struct model_work *work, uint64_t flops, uint64_t bytes)
{
    assert_int_equal(work->flops, flops);
    assert_int_equal(
        work->input_bytes + work->output_bytes + work->inner_bytes + work->weight_bytes, bytes);
}

static void assert_shape(const struct model_op *op, uint32_t axes, uint64_t a, uint64_t b,
                         uint64_t c)
{
    assert_int_equal(op->shape.axes, axes);
    assert_int_equal(op->shape.size[0], a);
    assert_int_equal(op->shape.size[1], b);
    assert_int_equal(op->shape.size[2], c);
}

static const struct model_dim *dim_of(const struct model_op *op, const char *name)
{
    const uint32_t d = orr_model_dim_named(op, name);
    assert_int_not_equal(d, UINT32_MAX);
    return &op->dim[d];
}

#define MODEL(...) "model: {batch: 32, operators: [" __VA_ARGS__ "]}"

/* ---- kinds ---- */

/* 8 x 6 x 6, 16 kernels of 3 x 3, padded by 1: 16 x 6 x 6. 9 x 8 = 72 taps, 72 x 16 = 1152 weights
 * and 16 biases; 2 x 72 x 576 = 82944 operations; (288 + 576 + 1152) 4 bytes. Rows of 6 x 8 x 4
 * bytes, of which a cut shares 3 - 1. */
static void test_conv2d_equals_sums_by_hand(void **state)
{
    const struct model_graph graph = read_graph(
        *state, MODEL("{data: {shape: [8, 6, 6]}}, {conv2d: {out: 16, kernel: 3, pad: 1}}, "
                      "{pool2d: {kernel: 2}}, {flatten: {}}"));
    const struct model_op *op = graph.op;
    assert_shape(&op[0], 3, 16, 6, 6);
    assert_int_equal(op[0].weights, 1168);
    assert_work(&op[0].forward, 82944, 4 * 2016);
    assert_int_equal(op[0].backward.flops, 82944); /* images have no gradient */
    assert_int_equal(dim_of(&op[0], "height")->halo_bytes, 2 * 6 * 8 * 4);
    assert_int_equal(dim_of(&op[0], "output")->cut[0].needs, MODEL_NEEDS_ALL);
    assert_int_equal(dim_of(&op[0], "output")->weights, MODEL_WEIGHTS_SLICED);
    assert_int_equal(dim_of(&op[0], "width")->weights, MODEL_WEIGHTS_COPIED);
    /* 144 windows of 4 */
    assert_shape(&op[1], 3, 16, 3, 3);
    assert_work(&op[1].forward, 4 * 144, 4 * (576 + 144));
    assert_int_equal(dim_of(&op[1], "height")->halo_bytes, 0);
    assert_shape(&op[2], 1, 144, 0, 0);
    assert_int_equal(op[2].output_bytes, 576);
    assert_int_equal(dim_of(&op[2], "features")->size, 16);
}

/* 5 tokens of 8 features, 2 heads: 4 x 64 weights; projections 8 x 5 x 64, scores 4 x 8 x 25. */
static void test_attention_equals_sums_by_hand(void **state)
{
    const struct model_graph graph = read_graph(
        *state,
        MODEL("{data: {name: x, shape: [5, 8]}}, {attention: {name: a, heads: 2}}, "
              "{dense: {out: 24, bias: false}}, {attention_core: {heads: 2, causal: true}}, "
              "{attention: {heads: 2, input: [a, x], fused: false}}"));
    const struct model_op *op = graph.op;
    assert_int_equal(op[0].weights, 256);
    assert_work(&op[0].forward, 8 * 5 * 64 + 4 * 8 * 25, 4 * (40 + 40 + 256));
    assert_int_equal(op[0].backward.flops, 2 * (8 * 5 * 64 + 4 * 8 * 25));
    assert_int_equal(dim_of(&op[0], "heads")->gives, MODEL_GIVES_PARTIAL_SUM);
    assert_int_equal(dim_of(&op[0], "tokens")->cut[0].needs, MODEL_NEEDS_ALL);
    /* queries, keys and values of 8 each */
    assert_shape(&op[2], 2, 5, 8, 0);
    assert_work(&op[2].forward, 2 * 8 * 25, 4 * (120 + 40));
    assert_int_equal(dim_of(&op[2], "heads")->gives, MODEL_GIVES_SLICE);
    assert_int_equal(dim_of(&op[2], "heads")->axis, 2);
    /* of two inputs; 4 x 2 x 25 scores of 4 bytes */
    assert_int_equal(op[3].forward.inner_bytes, 4 * 4 * 2 * 25);
    assert_int_equal(dim_of(&op[3], "tokens")->cut[MODEL_FIRST_INPUT].needs, MODEL_NEEDS_SLICE);
    assert_int_equal(dim_of(&op[3], "tokens")->cut[MODEL_OTHER_INPUTS].needs, MODEL_NEEDS_ALL);
    assert_int_equal(op[3].edges, 1);
    assert_int_equal(graph.edge[op[3].first_edge].from, 0);
}

/* Two tables of 100 rows of 16, 4 lookups: 64 operations, 4 rows and the sum; its output has 8
 * bytes a number, as TopoOpt's appendix D says. With the bottom of 16: 3 x 2 / 2 + 16 products. */
static void test_tables_and_interaction_equal_sums_by_hand(void **state)
{
    const struct model_graph graph = read_graph(
        *state,
        MODEL("{data: {shape: [13]}}, {dense: {name: bottom, out: 16}}, "
              "{block: {name: tables, copies: 2, operators: [{embedding: {rows: 100, columns: 16, "
              "lookups: 4, output_element_bytes: 8, profile: Embed}}]}}, "
              "{interaction: {input: [tables, bottom]}}, {concat: {input: [bottom, tables]}}"));
    const struct model_op *op = graph.op;
    assert_int_equal(graph.ops, 5);
    assert_string_equal(op[1].profile, "Embed");
    assert_true(op[1].table);
    assert_int_equal(op[1].edges, 0);
    assert_int_equal(op[1].weights, 1600);
    assert_work(&op[1].forward, 64, 4 * 64 + 4 * 16);
    assert_work(&op[1].backward, 64, 4 * 128 + 4 * 16);
    assert_int_equal(op[1].output_bytes, 128);
    assert_int_equal(dim_of(&op[1], "rows")->gives, MODEL_GIVES_PARTIAL_SUM);
    assert_int_equal(dim_of(&op[1], "columns")->gives, MODEL_GIVES_SLICE);
    assert_int_equal(op[3].edges, 3);
    assert_shape(&op[3], 1, 19, 0, 0);
    assert_work(&op[3].forward, 2 * 9 * 16, 2 * 128 + 64 + 4 * 19);
    assert_shape(&op[4], 1, 48, 0, 0);
    const struct model_totals totals = orr_model_totals(&graph);
    assert_int_equal(totals.table_weights, 3200);
    assert_int_equal(totals.weights, 14 * 16);
}

/* 6 tokens to 2 of 4 experts, with room for 1.5 times: 18 sent, 5 an expert. */
static void test_experts_equal_sums_by_hand(void **state)
{
    const struct model_graph graph = read_graph(
        *state, MODEL("{data: {shape: [6, 8]}}, {dense: {out: 8}}, "
                      "{expert_dense: {experts: 4, out: 32, per_token: 2, capacity: 1.5}}, "
                      "{activation: {gated: true}}, "
                      "{expert_dense: {experts: 4, out: 8, tokens: 6, bias: false}}"));
    const struct model_op *op = graph.op;
    assert_shape(&op[1], 2, 20, 32, 0);
    assert_int_equal(op[1].weights, 4 * 9 * 32);
    assert_int_equal(op[1].forward.flops, 2 * 20 * 8 * 32);
    assert_shape(&op[2], 2, 20, 16, 0);
    assert_shape(&op[3], 2, 6, 8, 0);
    assert_int_equal(op[3].forward.flops, 2 * 20 * 16 * 8);
    assert_int_equal(op[3].weights, 4 * 16 * 8);
    assert_int_equal(dim_of(&op[3], "experts")->gives, MODEL_GIVES_PARTIAL_SUM);
}

/* ---- every kind ---- */

static void test_registry_every_kind_has_what_it_needs(void **state)
{
    static const char *const names[] = {
#define NAME(kind, text) #kind, text,
        ORR_MODEL_KINDS(NAME)
#undef NAME
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names / 2; i++) {
        const struct model_kind_ops *kind = orr_model_kinds[i];
        assert_string_equal(kind->name, names[2 * i]);
        assert_string_equal(kind->summary, names[2 * i + 1]);
        assert_true(kind->attributes >= sizeof(struct model_entry));
        assert_true(kind->min_inputs <= kind->max_inputs);
        assert_string_equal(kind->table.keys[0].name, "name");
        assert_non_null(kind->fill);
    }
    assert_null(orr_model_kinds[sizeof names / sizeof *names / 2]);
}

/* Slices are of axes that the output has, no dimension stands twice, the first is the sample. */
static void check_dims(const struct model_op *op)
{
    assert_string_equal(op->dim[0].name, "sample");
    for (uint32_t d = 0; d < op->dims; d++) {
        const struct model_dim *dim = &op->dim[d];
        assert_int_equal(orr_model_dim_named(op, dim->name), d);
        assert_true(dim->gives == MODEL_GIVES_PARTIAL_SUM ? dim->axis == MODEL_NO_AXIS
                                                          : dim->axis <= op->shape.axes);
        assert_true(d == 0 || dim->size > 0);
        for (unsigned i = 0; i < MODEL_INPUT_CUTS; i++) {
            assert_true((dim->cut[i].needs == MODEL_NEEDS_ALL) ==
                        (dim->cut[i].axis == MODEL_NO_AXIS));
        }
    }
}

static void test_dims_of_all_kinds_are_consistent(void **state)
{
    const struct model_graph graph = read_graph(
        *state, MODEL("{data: {shape: [8, 6, 6]}}, {conv2d: {out: 16, kernel: 3, pad: 1}}, "
                      "{batch_norm: {name: n}}, {activation: {name: r}}, {add: {input: [n, r]}}, "
                      "{multiply: {input: [n, r]}}, {concat: {input: [n, r]}}, "
                      "{pool2d: {global: true}}, {flatten: {}}, {reshape: {shape: [4, 8]}}, "
                      "{layer_norm: {rms: true}}, {position: {rows: 4}}, {softmax: {}}, "
                      "{attention: {name: a, heads: 2}}, {dense: {out: 24}}, "
                      "{attention_core: {heads: 2}}, {take: {tokens: 4}}, "
                      "{custom: {flops: 10, weights: 3}}, "
                      "{expert_dense: {experts: 2, out: 8, per_token: 1}}, {take: {}}, "
                      "{loss: {}}, {embedding: {name: e, rows: 10, columns: 4}}, "
                      "{embedding: {name: f, rows: 10, columns: 4}}, "
                      "{interaction: {input: [e, f]}}, "
                      "{reshape: {name: m, input: a, shape: [8, 4]}}, {matmul: {input: [a, m]}}"));
    for (uint32_t i = 0; i < graph.ops; i++) {
        check_dims(&graph.op[i]);
    }
}

/* ---- blocks and names ---- */

/* Three times: x + dense(x); names by place. */
static void test_block_repeat_chains_and_above_is_what_comes_in(void **state)
{
    const struct model_graph graph = read_graph(
        *state,
        MODEL("{data: {shape: [8]}}, {dense: {name: first, out: 4}}, "
              "{block: {name: layer, repeat: 3, operators: [{dense: {name: inner, out: 4}}, "
              "{add: {name: sum, input: [inner, above]}}]}}, "
              "{dense: {out: 2, input: layer}}"));
    const struct model_op *op = graph.op;
    assert_int_equal(graph.ops, 8);
    assert_string_equal(op[1].name, "layer.1.inner");
    assert_string_equal(op[6].name, "layer.3.sum");
    const uint32_t from[8][2] = {{0}, {0}, {1, 0}, {2}, {3, 2}, {4}, {5, 4}, {6}};
    for (uint32_t i = 1; i < 8; i++) {
        for (uint32_t e = 0; e < op[i].edges; e++) {
            assert_int_equal(graph.edge[op[i].first_edge + e].from, from[i][e]);
            assert_int_equal(graph.edge[op[i].first_edge + e].input, e);
        }
    }
}

/* The Universal Transformer's way: layers with the weights of the first. */
static void test_block_shared_counts_weights_once(void **state)
{
    const struct model_graph graph = read_graph(
        *state, MODEL("{data: {shape: [4]}}, {block: {repeat: 5, shared: true, operators: ["
                      "{dense: {name: d, out: 4, bias: false}}, {activation: {}}, "
                      "{block: {repeat: 2, operators: [{dense: {out: 4, bias: false}}]}}]}}"));
    assert_int_equal(graph.ops, 20);
    assert_int_equal(orr_model_totals(&graph).weights, 3 * 16);
    for (uint32_t i = 0; i < graph.ops; i++) {
        assert_int_equal(graph.op[i].owner, i % 4 == 1 ? i : i % 4);
    }
}

/* ---- messages ---- */

#define HEAD "model:\n  operators:\n  - data: {name: x, shape: [4, 8]}\n"

static void test_read_what_is_wrong_is_named_with_its_place(void **state)
{
    static const char *const cases[][2] = {
        {HEAD "  - dens: {out: 4}\n", "net.yml:4:5: model.operators[1].dens: unknown key in an "
                                      "operator; did you mean \"dense\"?"},
        {HEAD "  - dense: {name: a, out: 4}\n  - dense: {out: 4, input: b}\n",
         "net.yml:5:28: model.operators[2].dense.input: expected an operator or block listed "
         "before it, got \"b\""},
        {HEAD "  - dense: {name: layer, out: 4}\n  - dense: {out: 4, input: laer}\n",
         "net.yml:5:28: model.operators[2].dense.input: expected an operator or block listed "
         "before it, got \"laer\"; did you mean \"layer\"?"},
        {HEAD "  - dense: {input: later, out: 4}\n  - dense: {name: later, out: 4}\n",
         "net.yml:4:20: model.operators[1].dense.input: \"later\" does not come before it: this "
         "would be a cycle"},
        {HEAD "  - dense: {name: later, input: later, out: 4}\n",
         "net.yml:4:33: model.operators[1].dense.input: \"later\" does not come before it: this "
         "would be a cycle"},
        {HEAD "  - dense: {input: above, out: 4}\n",
         "net.yml:4:20: model.operators[1].dense.input: expected an operator or block listed "
         "before it, got \"above\""},
        {HEAD "  - dense: {units: 4}\n",
         "net.yml:4:13: model.operators[1].dense.units: unknown key in a dense layer; expected "
         "name, input, profile, shared, output_element_bytes, out or bias"},
        {HEAD "  - dense: {}\n", "net.yml:4:12: model.operators[1].dense: a dense layer needs the "
                                 "key \"out\" (features of the output), such as out: 4096"},
        {HEAD "  - data: {}\n",
         "net.yml:4:11: model.operators[1].data: data needs the key \"shape\" (features; tokens "
         "and features; or channels, height and width of a sample), such as shape: [3, 224, 224]"},
        {HEAD "  - {}\n", "net.yml:4:5: model.operators[1]: expected one key, the kind of an "
                          "operator or block, got 0"},
        {HEAD "  - conv2d: {out: 4, kernel: 3}\n", "net.yml:4:13: model.operators[1].conv2d.input: "
                                                   "expected channels x height x width, got 4 x 8"},
        {HEAD "  - attention: {heads: 3}\n", "net.yml:4:24: model.operators[1].attention.heads: 3 "
                                             "do not divide the 8 features of the input"},
        {HEAD "  - dense: {name: a, out: 4}\n  - add: {input: [a, x]}\n",
         "net.yml:5:18: model.operators[2].add.input: expected inputs of one shape, got 4 x 4 and "
         "4 x 8"},
        {HEAD "  - dense: {name: a, out: 4}\n  - dense: {name: a, out: 4}\n",
         "net.yml:5:19: model.operators[2].dense.name: expected a name that no entry before it "
         "has, got \"a\""},
        {HEAD "  - dense: {name: a, out: 4}\n  - dense: {out: 4, shared: a}\n",
         "net.yml:5:29: model.operators[2].dense.shared: \"a\" has 36 weights, but \"dense 2\" has "
         "20"},
        {HEAD "  - dense: {name: a, out: 4}\n  - dense: {out: 4, shared: x}\n",
         "net.yml:5:29: model.operators[2].dense.shared: expected an operator before it"},
        {HEAD "  - embedding: {rows: 1000000000000, columns: 10000000}\n",
         "net.yml:4:16: model.operators[1].embedding: its operations, weights or bytes are more "
         "than 2^63"},
        {HEAD "  - dense: {name: above, out: 4}\n",
         "net.yml:4:19: model.operators[1].dense.name: expected another name: above is the input "
         "of a block, got \"above\""},
        {HEAD, "net.yml: expected a model with an operator, got none"},
        {"model: {operators: [{data: {shape: [8]}}, {dense: {out: 8}}], batch: 8, "
         "batch_per_device: 4}\n",
         "net.yml:1:91: model.batch_per_device: expected either batch or batch_per_device, got "
         "\"4\""},
        {"model: {operators: [{data: {shape: [8]}}, {block: {repeat: 1000000, operators: [{block: "
         "{repeat: 1000000, operators: [{dense: {out: 8}}]}}]}}]}\n",
         "net.yml:1:127: model.operators[1].block.operators[0].block.operators[0].dense: a model "
         "of more than 200000 operators"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuse(*state, cases[i][0], cases[i][1]);
    }
}

/* Wherever memory ends, that is what is said. */
static void test_read_without_memory_is_told(void **state)
{
    static const char text[] =
        MODEL("{data: {shape: [4, 8]}}, {block: {name: layer, repeat: 3, shared: true, operators: "
              "[{attention: {name: a, heads: 2}}, {add: {input: [a, above]}}]}}, "
              "{block: {copies: 4, operators: [{dense: {out: 8}}]}}, {concat: {}}, {loss: {}}");
    struct fixture *fixture = *state;
    enum orr_status status = ORR_ERR_MEMORY;
    for (int64_t allocations = 0; status != ORR_OK; allocations++) {
        struct model_graph graph;
        const struct orr_conf *root = parse(fixture, text);
        orr_arena_fail_after(fixture->arena, allocations);
        status =
            orr_model_read(fixture->arena, orr_conf_get(root, "model"), &graph, &fixture->diag);
        assert_true(status == ORR_OK || status == ORR_ERR_MEMORY);
        orr_arena_fail_after(fixture->arena, -1);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_conv2d_equals_sums_by_hand),
        TEST(test_attention_equals_sums_by_hand),
        TEST(test_tables_and_interaction_equal_sums_by_hand),
        TEST(test_experts_equal_sums_by_hand),
        TEST(test_registry_every_kind_has_what_it_needs),
        TEST(test_dims_of_all_kinds_are_consistent),
        TEST(test_block_repeat_chains_and_above_is_what_comes_in),
        TEST(test_block_shared_counts_weights_once),
        TEST(test_read_what_is_wrong_is_named_with_its_place),
        TEST(test_read_without_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
