/* Generated convolutional networks: parameters, operations, bytes and nodes, against sums by hand
 * and published totals.
 *
 * The small case, 2 NPUs with 2 samples each, of 3 x 8 x 8: a convolution to 4 x 8 x 8, a residual
 * block to 8 x 4 x 4 with a shortcut, a global pool, 10 scores. */
#include "tests/unit/model_fixture.h"

#define SMALL                                                                                      \
    "cnn:\n"                                                                                       \
    "  input: {channels: 3, height: 8, width: 8}\n"                                                \
    "  layers:\n"                                                                                  \
    "    - conv: {out: 4, kernel: 3, pad: 1, norm: batch}\n"                                       \
    "    - basic: {out: 8, stride: 2}\n"                                                           \
    "    - pool: {global: true}\n"                                                                 \
    "    - dense: {out: 10}\n"

static void test_totals_small_network_equals_sums_by_hand(void **state)
{
    const struct gen_model model = read_model(*state, 2, SMALL "training: {batch: 4}\n");
    const struct gen_totals totals = totals_of(&model);
    /* 27 x 4 + 2 x 4 = 116; 36 x 8 + 16 = 304; 72 x 8 + 16 = 592; shortcut 4 x 8 + 16 = 48;
     * (8 + 1) 10 = 90 */
    assert_true(totals.parameters == 116 + 304 + 592 + 48 + 90);
    /* forwards 2 x 27 x 4 x 64 = 13824, 2 x 36 x 8 x 16 = 9216, 2 x 72 x 8 x 16 = 18432, 2 x 4 x 8
     * x 16 = 1024, 2 x 8 x 10 = 160; the first without an input gradient, the others three times */
    assert_true(totals.model_flops == 4.0 * (2 * 13824 + 3 * (9216 + 18432 + 1024 + 160)));
    assert_true(totals.samples == 4 && totals.tokens == 0);
}

static void test_memory_small_network_keeps_each_input_once(void **state)
{
    const struct gen_model model = read_model(*state, 2, SMALL "training: {batch: 4}\n");
    /* image 192; 256 before the first norm, 256 behind it (used twice, kept once); block 128 before
     * and behind its first norm, 128 before its second, 128 before the shortcut's; sum 128; behind
     * the pool 8; scores 10 */
    assert_memory(&model, 2 * 1150, 2 * 1150, 12 * 1150, 2 * 2 * 1362);
}

static void test_trace_small_network_has_work_by_hand(void **state)
{
    const struct gen_model model = read_model(*state, 2, SMALL "training: {batch: 4}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    /* 2 samples; inputs 192, outputs 256, weights 108, of 2 bytes */
    assert_comp(trace, "conv 1 fwd mb 0", 2 * 13824, 2 * (2 * (192 + 256) + 108));
    assert_comp(trace, "conv 3 wgrad mb 0", 2 * 18432, 2 * (2 * (128 + 128) + 576));
    assert_comp(trace, "norm 1 fwd mb 0", 512, 3 * 512 * 2);
    assert_comp(trace, "norm 1 bwd mb 0", 512, 5 * 512 * 2);
    assert_comp(trace, "sum 1 fwd mb 0", 256, 3 * 256 * 2);
    /* a window of 4 x 4 for each of 8 outputs */
    assert_comp(trace, "pool 1 fwd mb 0", 2 * 16 * 8, 2 * 2 * (128 + 8));
    assert_comp(trace, "dense 1 fwd mb 0", 2 * 160, 2 * (16 + 80 + 20));
    assert_comp(trace, "conv 3 update", 592, 592 * 28);
    assert_coll(trace, "conv 3 gradients reduced mb 0", ORR_COMM_ALL_REDUCE, 592 * 2);
    const struct comm_sum reduced = comm_of(trace, ORR_COMM_ALL_REDUCE);
    assert_int_equal(reduced.count, 5);
    assert_int_equal(reduced.bytes, 2 * 1150);
}

static void test_trace_small_network_follows_the_graph(void **state)
{
    const struct gen_model model = read_model(*state, 2, SMALL "training: {batch: 4}\n");
    assert_nodes(*state, trace_of(*state, &model),
                 "0 conv 1 fwd mb 0 <\n"
                 "1 norm 1 fwd mb 0 < 0\n"
                 "2 conv 2 fwd mb 0 < 1\n"
                 "3 norm 2 fwd mb 0 < 2\n"
                 "4 conv 3 fwd mb 0 < 3\n"
                 "5 norm 3 fwd mb 0 < 4\n"
                 "6 conv 4 fwd mb 0 < 1\n"
                 "7 norm 4 fwd mb 0 < 6\n"
                 "8 sum 1 fwd mb 0 < 5 7\n"
                 "9 pool 1 fwd mb 0 < 8\n"
                 "10 dense 1 fwd mb 0 < 9\n"
                 "11 loss 1 fwd mb 0 < 10\n"
                 "12 loss 1 bwd mb 0 < 11\n"
                 "13 dense 1 bwd mb 0 < 12\n"
                 "14 dense 1 wgrad mb 0 < 12\n"
                 "15 dense 1 gradients reduced mb 0 < 14\n"
                 "16 pool 1 bwd mb 0 < 13\n"
                 "17 sum 1 bwd mb 0 < 16\n"
                 "18 norm 4 bwd mb 0 < 17\n"
                 "19 conv 4 bwd mb 0 < 18\n"
                 "20 conv 4 wgrad mb 0 < 18\n"
                 "21 conv 4 gradients reduced mb 0 < 20\n"
                 "22 norm 3 bwd mb 0 < 17\n"
                 "23 conv 3 bwd mb 0 < 22\n"
                 "24 conv 3 wgrad mb 0 < 22\n"
                 "25 conv 3 gradients reduced mb 0 < 24\n"
                 "26 norm 2 bwd mb 0 < 23\n"
                 "27 conv 2 bwd mb 0 < 26\n"
                 "28 conv 2 wgrad mb 0 < 26\n"
                 "29 conv 2 gradients reduced mb 0 < 28\n"
                 "30 norm 1 bwd mb 0 < 19 27\n"
                 "31 conv 1 wgrad mb 0 < 30\n"
                 "32 conv 1 gradients reduced mb 0 < 31\n"
                 "33 dense 1 update < 15 31\n"
                 "34 conv 4 update < 21 31\n"
                 "35 conv 3 update < 25 31\n"
                 "36 conv 2 update < 29 31\n"
                 "37 conv 1 update < 31 32\n");
}

/* 2 micro-batches: the second begins behind the first's last gradient, and reductions come once.
 * Without overlap they wait for the end, the gradient of the first layer. */
static void test_trace_micro_batches_reduce_once(void **state)
{
    const struct gen_model model =
        read_model(*state, 2,
                   "cnn:\n"
                   "  input: {channels: 1, height: 2, width: 2}\n"
                   "  layers:\n"
                   "    - conv: {out: 1, kernel: 1}\n"
                   "    - dense: {out: 2}\n"
                   "training: {batch: 4, micro_batch: 1, overlap: false, optimizer: sgd}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    assert_nodes(*state, trace,
                 "0 conv 1 fwd mb 0 <\n"
                 "1 dense 1 fwd mb 0 < 0\n"
                 "2 loss 1 fwd mb 0 < 1\n"
                 "3 loss 1 bwd mb 0 < 2\n"
                 "4 dense 1 bwd mb 0 < 3\n"
                 "5 dense 1 wgrad mb 0 < 3\n"
                 "6 conv 1 wgrad mb 0 < 4\n"
                 "7 conv 1 fwd mb 1 < 6\n"
                 "8 dense 1 fwd mb 1 < 7\n"
                 "9 loss 1 fwd mb 1 < 8\n"
                 "10 loss 1 bwd mb 1 < 9\n"
                 "11 dense 1 bwd mb 1 < 10\n"
                 "12 dense 1 wgrad mb 1 < 10\n"
                 "13 conv 1 wgrad mb 1 < 11\n"
                 "14 dense 1 gradients reduced mb 1 < 12 13\n"
                 "15 conv 1 gradients reduced mb 1 < 13\n"
                 "16 dense 1 update < 13 14\n"
                 "17 conv 1 update < 13 15\n");
    /* (4 + 1) 2 parameters: gradient 2, state 2 x 4, weight 2 */
    assert_comp(trace, "dense 1 update", 10, 10 * 12);
}

/* Each of 4 groups: 2 channels in, 4 out; 3 x 3 x 2 x 16 weights and 16 biases. */
static void test_conv_groups_share_the_work(void **state)
{
    const struct gen_model model =
        read_model(*state, 1,
                   "cnn:\n"
                   "  input: {channels: 8, height: 5, width: 7}\n"
                   "  layers: [{conv: {out: 16, kernel: 3, stride: 2, groups: 4}}]\n");
    const struct model_graph *graph = model.ops->operators(model.job);
    assert_true(totals_of(&model).parameters == 288 + 16);
    /* (5 - 3) / 2 + 1 = 2 rows, (7 - 3) / 2 + 1 = 3 columns */
    assert_int_equal(graph->op[0].shape.size[1], 2);
    assert_int_equal(graph->op[0].shape.size[2], 3);
    assert_comp(trace_of(*state, &model), "conv 1 fwd mb 0", 2 * 18 * 16 * 6,
                2 * (8 * 35 + 288 + 16 * 6));
}

/* ---- networks of papers ---- */

struct published {
    const char *path;
    double parameters, multiply_adds; /* as published, within 1 % */
    double our_parameters, our_multiply_adds;
    uint64_t reductions;
};

static double forward_multiply_adds(const struct model_graph *graph)
{
    double flops = 0;
    for (uint32_t i = 0; i < graph->ops; i++) {
        flops += graph->op[i].op_kind == ORR_OP_GEMM ? (double)graph->op[i].forward.flops : 0;
    }
    return flops / 2;
}

/* The sum of a basic block of equal shapes takes the images themselves, which have no gradient: two
 * convolutions of 3 x 3 x 3 x 3 and their norms, 2 (81 + 6) parameters. */
static void test_trace_block_on_the_images_ends_there(void **state)
{
    const struct gen_model model =
        read_model(*state, 1,
                   "cnn: {input: {channels: 3, height: 8, width: 8}, layers: [{basic: {out: 3}}]}\n"
                   "training: {optimizer: none}\n");
    assert_true(totals_of(&model).parameters == 174);
    assert_nodes(*state, trace_of(*state, &model),
                 "0 conv 1 fwd mb 0 <\n"
                 "1 norm 1 fwd mb 0 < 0\n"
                 "2 conv 2 fwd mb 0 < 1\n"
                 "3 norm 2 fwd mb 0 < 2\n"
                 "4 sum 1 fwd mb 0 < 3\n"
                 "5 loss 1 fwd mb 0 < 4\n"
                 "6 loss 1 bwd mb 0 < 5\n"
                 "7 sum 1 bwd mb 0 < 6\n"
                 "8 norm 2 bwd mb 0 < 7\n"
                 "9 conv 2 bwd mb 0 < 8\n"
                 "10 conv 2 wgrad mb 0 < 8\n"
                 "11 norm 1 bwd mb 0 < 9\n"
                 "12 conv 1 wgrad mb 0 < 11\n");
}

static bool near(double found, double published)
{
    return found >= 0.99 * published && found <= 1.01 * published;
}

static void check_published(struct fixture *fixture, const struct published *expected)
{
    const struct gen_model model = load_model(fixture, 8, expected->path);
    const struct gen_totals totals = totals_of(&model);
    const double multiply_adds = forward_multiply_adds(model.ops->operators(model.job));
    print_message("%s: %.0f parameters, %.0f multiply-adds\n", expected->path, totals.parameters,
                  multiply_adds);
    assert_true(near(totals.parameters, expected->parameters));
    assert_true(near(multiply_adds, expected->multiply_adds));
    assert_true(totals.parameters == expected->our_parameters);
    assert_true(multiply_adds == expected->our_multiply_adds);
    const struct comm_sum reduced = comm_of(trace_of(fixture, &model), ORR_COMM_ALL_REDUCE);
    assert_int_equal(reduced.count, expected->reductions);
    assert_true((double)reduced.bytes == 2 * totals.parameters);
}

/* The documentation of PyTorch's torchvision lists 25.6 M and 4.09 GFLOPs for its resnet50. */
static void test_resnet50_has_published_size(void **state)
{
    check_published(*state, &(struct published){"inputs/models/resnet50.yml", 25.6e6, 4.1e9,
                                                25557032, 4089184256, 53 + 1});
}

/* Simonyan and Zisserman 2015, table 2: 138 million; torchvision: 15.47 GFLOPs. */
static void test_vgg16_has_published_size(void **state)
{
    check_published(*state, &(struct published){"inputs/models/vgg16.yml", 138e6, 15.5e9, 138357544,
                                                15470264320, 16});
}

/* Table 2: 144 million; torchvision: 19.63 GFLOPs. */
static void test_vgg19_has_published_size(void **state)
{
    check_published(*state, &(struct published){"inputs/models/vgg19.yml", 144e6, 19.6e9, 143667240,
                                                19632062464, 19});
}

/* By hand, of the layers of Zeiler and Fergus 2014, figure 3: weights and biases 14208 + 614656 +
 * 885120 + 1327488 + 884992 + 37752832 + 16781312 + 4097000; multiply-adds 147 x 96 x 110^2 + 2400
 * x 256 x 26^2 + (2304 x 384 + 3456 x 384 + 3456 x 256) 13^2 + 9216 x 4096 + 4096^2 + 4096000. */
static void test_zfnet_has_the_size_of_its_layers(void **state)
{
    check_published(*state, &(struct published){"inputs/models/zfnet.yml", 62.4e6, 1168032896,
                                                62357608, 1168032896, 8});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_totals_small_network_equals_sums_by_hand),
        IN_FIXTURE(test_memory_small_network_keeps_each_input_once),
        IN_FIXTURE(test_trace_small_network_has_work_by_hand),
        IN_FIXTURE(test_trace_small_network_follows_the_graph),
        IN_FIXTURE(test_trace_micro_batches_reduce_once),
        IN_FIXTURE(test_conv_groups_share_the_work),
        IN_FIXTURE(test_trace_block_on_the_images_ends_there),
        IN_FIXTURE(test_resnet50_has_published_size),
        IN_FIXTURE(test_vgg16_has_published_size),
        IN_FIXTURE(test_vgg19_has_published_size),
        IN_FIXTURE(test_zfnet_has_the_size_of_its_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
