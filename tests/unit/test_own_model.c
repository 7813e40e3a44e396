/* Operator graphs of the user's own that run by parallel and training: layers, nodes, memory and
 * messages by hand, and what is refused. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/own_model.h"
#include "workload/model/model_read.h"

/* A layer: 16 numbers, a mixer of 10 weights and 100 operations, a product of 16 x 16 weights with
 * a bias, their sum. Elements of 2 bytes. */
#define LAYERS(count)                                                                              \
    "model: {element_bytes: 2, operators: [{data: {shape: [16]}}, {block: {name: layer, "          \
    "repeat: " #count ", operators: [{custom: {name: mixer, flops: 100, weights: 10}}, "           \
    "{dense: {name: out, out: 16}}, {add: {name: sum, input: [out, above]}}]}}, {loss: {}}]}\n"

static enum orr_status create(struct fixture *fixture, uint32_t npus, const char *text,
                              struct gen_model *model)
{
    const struct orr_conf *map = parse(fixture, text);
    const struct gen_sections sections = {.model = orr_conf_get(map, "model"),
                                          .parallel = orr_conf_get(map, "parallel"),
                                          .training = orr_conf_get(map, "training")};
    struct model_graph graph;
    *model = (struct gen_model){.ops = &orr_own_model, .section = sections.model};
    enum orr_status status = orr_model_read(fixture->arena, sections.model, &graph, &fixture->diag);
    return status == ORR_OK ? orr_own_model_create(fixture->arena, &sections, npus, &graph,
                                                   &model->job, &fixture->diag)
                            : status;
}

static struct gen_model job_of(struct fixture *fixture, uint32_t npus, const char *text)
{
    struct gen_model model;
    (void)create(fixture, npus, text, &model);
    assert_string_equal(fixture->diag.message, "");
    return model;
}

static void refuses(void **state, uint32_t npus, const char *text, const char *message)
{
    struct fixture *fixture = *state;
    struct gen_model model;
    clear(fixture);
    assert_int_equal(create(fixture, npus, text, &model), ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, message) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", message, fixture->diag.message);
    }
}

/* A layer has 10 + 16 x 16 + 16 = 282 weights. */
static void test_totals_are_sums_over_layers(void **state)
{
    const struct gen_model model = job_of(*state, 2, LAYERS(4) "training: {batch: 6}\n");
    const struct gen_totals totals = totals_of(&model);
    assert_true(totals.parameters == 4 * 282);
    assert_true(totals.samples == 6);
    assert_true(totals.model_flops == 6.0 * (4 * 3 * 512)); /* of products */
}

/* A stage of 2 layers: weights 2 x 282 x 2 bytes. A micro-batch of 3 samples keeps what the mixer
 * and the product of each layer take, 2 x 32 bytes a sample; the first stage has 2 under way. */
static void test_memory_stages_keep_what_is_under_way(void **state)
{
    const char *text =
        LAYERS(4) "parallel: {pipeline: 2, zero: 1}\ntraining: {batch: 12, micro_batch: 3}\n";
    const struct gen_model model = job_of(*state, 4, text);
    assert_memory(&model, 2 * 2 * 282, 2 * 2 * 282, 12 * 282, 2 * 3 * (2 * 2 * 32));
}

/* With full recomputation a layer keeps its input, and one at a time the rest. */
static void test_memory_recomputed_layers_keep_their_input(void **state)
{
    const char *text = LAYERS(4) "parallel: {pipeline: 2}\n"
                                 "training: {batch: 6, micro_batch: 3, recompute: full}\n";
    const struct gen_model model = job_of(*state, 2, text);
    assert_memory(&model, 2 * 2 * 282, 2 * 2 * 282, 12 * 2 * 282, 2 * (3 * 2 * 32) + 3 * 32);
}

/* Two towers of 8 to 4 numbers and what joins them, 2 bytes each, 3 samples. A tower keeps its
 * input, which is data, once, and its sum for the function behind it; the product behind keeps 8
 * numbers. Of recomputed towers the first is used by what follows: 4 numbers. */
static void test_memory_of_recomputed_branches(void **state)
{
    const char *text =
        "model: {element_bytes: 2, operators: [{data: {shape: [8]}}, {block: {name: tower, copies: "
        "2, operators: [{dense: {out: 4}}, {activation: {}}]}}, {concat: {name: both, input: "
        "tower}}, {dense: {name: last, out: 4}}]}\n";
    char training[600];
    (void)snprintf(training, sizeof training, "%straining: {micro_batch: 3}\n", text);
    const uint64_t weights = 2 * (8 * 4 + 4) + 8 * 4 + 4;
    struct gen_model model = job_of(*state, 1, training);
    assert_int_equal(totals_of(&model).parameters, weights);
    assert_memory(&model, 2 * weights, 2 * weights, 12 * weights, 3 * 2 * (8 + 2 * 4 + 8));
    (void)snprintf(training, sizeof training, "%straining: {micro_batch: 3, recompute: full}\n",
                   text);
    model = job_of(*state, 1, training);
    assert_memory(&model, 2 * weights, 2 * weights, 12 * weights, 3 * 2 * (8 + 8 + 4));
}

/* The last of two stages, of one layer: it receives 3 x 16 numbers, runs the layer again in front
 * of its backward pass, and reduces the gradients beside it. */
static void test_trace_last_stage_follows_the_graph(void **state)
{
    const char *text = LAYERS(2) "parallel: {pipeline: 2, zero: 1}\n"
                                 "training: {batch: 6, micro_batch: 3, recompute: full}\n";
    struct fixture *fixture = *state;
    const struct gen_model model = job_of(fixture, 4, text);
    const struct orr_trace *trace = NULL;
    (void)orr_gen_model_trace(fixture->arena, &model, 1, &trace, &fixture->diag);
    assert_nodes(fixture, trace,
                 "0 layer 2 weights gathered <\n"
                 "1 activations received mb 0 <\n"
                 "2 layer 2 mixer fwd mb 0 < 0 1\n"
                 "3 layer 2 out fwd mb 0 < 2\n"
                 "4 layer 2 sum fwd mb 0 < 1 3\n"
                 "5 loss 7 fwd mb 0 < 4\n"
                 "6 loss 7 bwd mb 0 < 5\n"
                 "7 layer 2 mixer again mb 0 < 6\n"
                 "8 layer 2 out again mb 0 < 7\n"
                 "9 layer 2 sum again mb 0 < 8\n"
                 "10 layer 2 sum bwd mb 0 < 9\n"
                 "11 layer 2 out bwd mb 0 < 10\n"
                 "12 layer 2 out wgrad mb 0 < 10\n"
                 "13 layer 2 mixer bwd mb 0 < 11\n"
                 "14 layer 2 gradients reduced mb 0 < 12 13\n"
                 "15 gradient sent mb 0 < 10 13\n"
                 "16 layer 2 update < 10 13 14\n");
    assert_coll(trace, "layer 2 gradients reduced mb 0", ORR_COMM_REDUCE_SCATTER, 282 * 2);
    assert_coll(trace, "layer 2 weights gathered", ORR_COMM_ALL_GATHER, 282);
    assert_int_equal(node_named(trace, "activations received mb 0")->amount, 3 * 16 * 2);
    assert_comp(trace, "layer 2 out fwd mb 0", 3 * 512, 3 * 2 * 32 + 2 * 256);
}

/* Outputs that a later stage uses pass through the stages between. */
static void test_boundary_passes_on_what_later_stages_use(void **state)
{
    const char *text =
        "model: {element_bytes: 2, operators: [{data: {shape: [16]}}, {dense: {name: a, out: 10}}, "
        "{dense: {name: b, out: 20}}, {dense: {name: c, out: 10}}, {add: {input: [a, c]}}]}\n"
        "parallel: {pipeline: 3}\n";
    struct fixture *fixture = *state;
    const struct gen_model model = job_of(fixture, 3, text);
    const uint64_t bytes[] = {20, 60};
    for (uint32_t stage = 0; stage < 2; stage++) {
        const struct orr_trace *trace = NULL;
        (void)orr_gen_model_trace(fixture->arena, &model, stage, &trace, &fixture->diag);
        assert_int_equal(node_named(trace, "activations sent mb 0")->amount, bytes[stage]);
    }
}

/* Two tables of 10 and 30 rows of 4 numbers, 4 bytes each, of which a sample reads 2 and 1. */
#define TABLES                                                                                     \
    "model: {operators: [{embedding: {name: a, rows: 10, columns: 4, lookups: 2}}, "               \
    "{embedding: {name: b, rows: 30, columns: 4}}, {concat: {name: both, input: [a, b]}}, "        \
    "{dense: {out: 4}}]}\n"

/* By table on 2 NPUs: the fullest holds 30 rows, reads 8 x 2 rows of 16 bytes for 8 vectors. */
static void test_tables_are_spread_over_all_ranks(void **state)
{
    const struct gen_model model =
        job_of(*state, 2, TABLES "training: {batch: 8, micro_batch: 4}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    assert_comp(trace, "embedding lookup fwd mb 0", 8 * 2 * 4, (8 * 2 + 8) * 16);
    assert_coll(trace, "embeddings exchanged fwd mb 0", ORR_COMM_ALL_TO_ALL, 8 * 16);
    assert_int_equal(node_named(trace, "both fwd mb 0")->kind, ORR_NODE_COMP);
    /* 8 x 4 + 4 weights; kept: what the product takes */
    assert_memory(&model, (30 * 4 + 36) * 4, 36 * 4, 36 * 12, 4 * 8 * 4);
}

/* By row on 4: 40 rows in 10 each, 3 x 8 reads in 6, and all vectors as partial sums. */
static void test_tables_fewer_than_npus_are_cut_by_row(void **state)
{
    const struct gen_model model =
        job_of(*state, 4, TABLES "training: {batch: 8, micro_batch: 2}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    assert_comp(trace, "embedding lookup fwd mb 0", 6 * 4, (6 + 2 * 8) * 16);
    assert_coll(trace, "embeddings exchanged fwd mb 0", ORR_COMM_REDUCE_SCATTER, 2 * 8 * 16);
    assert_coll(trace, "embeddings exchanged bwd mb 0", ORR_COMM_ALL_GATHER, 2 * 8 * 16 / 4);
    assert_memory(&model, (10 * 4 + 36) * 4, 36 * 4, 36 * 12, 2 * 8 * 4);
}

/* Two products of 8 tokens, wide and back, 2 bytes a number, between a norm and a sum. */
#define BLOCK                                                                                      \
    "model: {element_bytes: 2, operators: [{data: {name: in, shape: [8, 16]}}, {block: {name: "    \
    "layer, repeat: 1, operators: [{layer_norm: {name: norm}}, {dense: {name: wide, out: 64, "     \
    "bias: false}}, {activation: {name: act}}, {dense: {name: back, out: 16, bias: false}}, "      \
    "{add: {name: sum, input: [back, above]}}]}}, {loss: {}}]}\n"

/* Of two tensor-parallel ranks each has half of the columns of `wide` and of the rows of `back`
 * (Shoeybi et al. 2019, Fig. 3): partial sums of 8 x 16 numbers are all-reduced behind `back`, and
 * those of the gradient of its input in front of `wide`. 3 samples. */
static void test_trace_tensor_parallel_pair(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        job_of(fixture, 2, BLOCK "parallel: {tensor: 2}\ntraining: {micro_batch: 3}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_nodes(fixture, trace,
                 "0 layer norm fwd mb 0 <\n"
                 "1 layer wide fwd mb 0 < 0\n"
                 "2 layer act fwd mb 0 < 1\n"
                 "3 layer back fwd mb 0 < 2\n"
                 "4 layer sum input fwd mb 0 < 3\n"
                 "5 layer sum fwd mb 0 < 4\n"
                 "6 loss 6 fwd mb 0 < 5\n"
                 "7 loss 6 bwd mb 0 < 6\n"
                 "8 layer sum bwd mb 0 < 7\n"
                 "9 layer back bwd mb 0 < 8\n"
                 "10 layer back wgrad mb 0 < 8\n"
                 "11 layer act bwd mb 0 < 9\n"
                 "12 layer wide bwd mb 0 < 11\n"
                 "13 layer wide wgrad mb 0 < 11\n"
                 "14 layer wide input bwd mb 0 < 12\n"
                 "15 layer update < 10 13 14\n");
    assert_coll(trace, "layer sum input fwd mb 0", ORR_COMM_ALL_REDUCE, 3 * 8 * 16 * 2);
    assert_coll(trace, "layer wide input bwd mb 0", ORR_COMM_ALL_REDUCE, 3 * 8 * 16 * 2);
    assert_comp(trace, "layer wide fwd mb 0", 3 * 2 * 8 * 16 * 32,
                3 * 2 * (8 * 16 + 8 * 32) + 2 * 16 * 32);
    assert_true(totals_of(&model).parameters == 2 * 16 + 2 * 16 * 64);
}

/* With sequence parallelism the norm and the sum are of 4 tokens; wide's input is gathered, and
 * again for the gradient of its weights. Given dimensions: both products by output, so that back
 * gathers its input of 64 numbers a token. */
static void test_trace_sequence_parallel_and_given(void **state)
{
    struct fixture *fixture = *state;
    struct gen_model model = job_of(
        fixture, 2, BLOCK "parallel: {tensor: 2, sequence: true}\ntraining: {micro_batch: 3}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_coll(trace, "layer sum input fwd mb 0", ORR_COMM_REDUCE_SCATTER, 3 * 8 * 16 * 2);
    assert_coll(trace, "layer wide input fwd mb 0", ORR_COMM_ALL_GATHER, 3 * 8 * 16 * 2 / 2);
    assert_coll(trace, "layer wide input bwd mb 0", ORR_COMM_REDUCE_SCATTER, 3 * 8 * 16 * 2);
    assert_coll(trace, "layer wide input again mb 0", ORR_COMM_ALL_GATHER, 3 * 8 * 16 * 2 / 2);
    model = job_of(fixture, 2,
                   BLOCK "parallel: {tensor: 2, operators: {\"*\": none, \"*wide\": output, "
                         "\"*act\": none, \"*back\": output}}\ntraining: {micro_batch: 3}\n");
    trace = trace_of(fixture, &model);
    assert_coll(trace, "layer act input fwd mb 0", ORR_COMM_ALL_GATHER, 3 * 8 * 64 * 2 / 2);
    assert_coll(trace, "layer sum input fwd mb 0", ORR_COMM_ALL_GATHER, 3 * 8 * 16 * 2 / 2);
    assert_coll(trace, "layer back input bwd mb 0", ORR_COMM_ALL_REDUCE, 3 * 8 * 64 * 2);
}

/* The function between two products of 16 to 64 and back is made again: its output of 8 x 64
 * numbers is not kept, and held in front of `back`. Kept without: what norm, both products, the
 * function take, 8 x (16 + 16 + 64 + 64) numbers of 2 bytes, and the data. */
static void test_operators_are_made_again(void **state)
{
    struct fixture *fixture = *state;
    const char *again = BLOCK "training: {micro_batch: 3, recompute: selective, "
                              "recompute_operators: [\"*.act\"]}\n";
    const uint64_t weights = 2 * 16 + 2 * 16 * 64, number = 3 * 2 * 8;
    struct gen_model model = job_of(fixture, 1, BLOCK "training: {micro_batch: 3}\n");
    assert_memory(&model, 2 * weights, 2 * weights, 12 * weights,
                  number * (16 + 16 + 64 + 64 + 16));
    model = job_of(fixture, 1, again);
    assert_memory(&model, 2 * weights, 2 * weights, 12 * weights,
                  number * (16 + 16 + 64 + 16) + number * 64);
    const struct orr_trace *trace = trace_of(fixture, &model);
    const struct orr_node *made = node_named(trace, "layer act again mb 0");
    assert_int_equal(made->kind, ORR_NODE_COMP);
    refuses(state, 1,
            BLOCK "training: {recompute: selective, recompute_operators: [\"layer.akt\"]}\n",
            "recompute_operators: the model has no operator \"layer.akt\"; did you mean "
            "\"layer.act\"?");
    refuses(state, 1,
            LAYERS(4) "training: {recompute: selective, recompute_operators: [\"*.sum\"]}\n",
            "\"layer.1.sum\" is used by \"layer.2.mixer\" outside of its layer");
    refuses(state, 1, BLOCK "training: {recompute: full, recompute_operators: [\"*.act\"]}\n",
            "only recompute: selective computes operators again");
}

static void test_refused_cuts(void **state)
{
    refuses(state, 2, LAYERS(4) "parallel: {context: 2}\n",
            "parallel.context: operator \"layer.1.mixer\" cannot be cut by tokens in 2");
    refuses(state, 2, LAYERS(4) "parallel: {expert: 2}\n",
            "parallel.expert: the model has no experts");
    refuses(state, 3, LAYERS(4) "parallel: {tensor: 3}\n",
            "parallel.tensor: no operator of the model can be cut in 3 equal parts");
    refuses(state, 2, BLOCK "parallel: {tensor: 2, operators: {\"layer.wid\": output}}\n",
            "parallel.operators.layer.wid: the model has no operator \"layer.wid\"; did you mean "
            "\"layer.wide\"?");
    refuses(state, 2, BLOCK "parallel: {tensor: 2, operators: {\"laier.*\": output}}\n",
            "the model has no operator \"laier.*\"; did you mean \"layer.norm\"?");
    refuses(
        state, 2, BLOCK "parallel: {tensor: 2, operators: {\"*wide\": heads}}\n",
        "expected a dimension of operator \"layer.wide\": \"tokens\", \"output\", \"input\", or "
        "\"none\", got \"heads\"");
    refuses(state, 3, BLOCK "parallel: {tensor: 3, operators: {\"*wide\": output}}\n",
            "3 tensor-parallel ranks do not divide \"output\" of operator \"layer.wide\", 64");
    refuses(state, 2, BLOCK "parallel: {operators: {\"*wide\": output}}\n",
            "expected parallel.tensor above 1");
    refuses(state, 2, TABLES "parallel: {tensor: 2}\n", "the tables of the model are on all NPUs");
}

static void test_refused_layouts(void **state)
{
    refuses(state, 3, LAYERS(4) "parallel: {pipeline: 3}\n", "do not divide the 4 layers");
    refuses(state, 2, LAYERS(4) "training: {batch: 3}\n", "3 samples are not a multiple of 2");
    refuses(state, 1, LAYERS(4) "training: {element_bytes: 4}\n", "elements of 2 bytes, got 4");
    refuses(state, 1, LAYERS(4) "training: {recompute: selective}\n",
            "recompute_operators is missing");
    refuses(state, 2, LAYERS(4) "parallel: {zero: 2}\ntraining: {bucket: 1 MB}\n", "with ZeRO-2");
    refuses(state, 1,
            "model: {operators: [{data: {shape: [16]}}, {dense: {out: 4}}]}\n"
            "training: {recompute: full}\n",
            "no block to recompute");
    refuses(
        state, 2,
        "model: {operators: [{data: {shape: [16]}}, {dense: {name: a, out: 16}}, "
        "{dense: {name: b, out: 16, shared: a}}, {dense: {out: 4}}]}\nparallel: {pipeline: 2}\n",
        "do not divide the 3 layers");
    refuses(state, 2,
            "model: {operators: [{data: {shape: [16]}}, {dense: {name: a, out: 16}}, "
            "{dense: {name: b, out: 16, shared: a}}]}\nparallel: {pipeline: 2}\n",
            "\"b\" on stage 1 uses the weights of \"a\" on stage 0");
    refuses(state, 2, TABLES "parallel: {pipeline: 2}\n", "tables of the model are on all NPUs");
    refuses(state, 2, TABLES "training: {batch: 8, micro_batch: 2}\n",
            "takes a rank's part of the batch at once; expected 4, got 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_totals_are_sums_over_layers),
        IN_FIXTURE(test_memory_stages_keep_what_is_under_way),
        IN_FIXTURE(test_memory_recomputed_layers_keep_their_input),
        IN_FIXTURE(test_memory_of_recomputed_branches),
        IN_FIXTURE(test_trace_last_stage_follows_the_graph),
        IN_FIXTURE(test_boundary_passes_on_what_later_stages_use),
        IN_FIXTURE(test_tables_are_spread_over_all_ranks),
        IN_FIXTURE(test_tables_fewer_than_npus_are_cut_by_row),
        IN_FIXTURE(test_trace_tensor_parallel_pair),
        IN_FIXTURE(test_trace_sequence_parallel_and_given),
        IN_FIXTURE(test_operators_are_made_again),
        IN_FIXTURE(test_refused_cuts),
        IN_FIXTURE(test_refused_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
