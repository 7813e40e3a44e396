/* ASTRA-sim 1.0 text workloads: what each policy makes of layers, and what is refused. */
#include "tests/unit/trace_text.h"

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/text/text.h"
#include "et_converter/trace_output.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "workload/trace/et/et.h"

static struct net_dim dims[4];

/* A platform with so many NPUs in each dimension, 0 behind the last. */
static struct net_config platform_of(const uint32_t npus[4])
{
    struct net_config config = {.dim = dims};
    while (config.dims < 4 && npus[config.dims] != 0) {
        dims[config.dims].npus = npus[config.dims];
        config.dims++;
    }
    return config;
}

struct made {
    struct orr_arena *arena;
    struct net_config platform;
    struct text_model model;
    struct text_job job;
    struct conv_report report;
    struct conv_output *output;
    struct orr_diag diag;
    struct trace_text text;
};

static enum orr_status make(struct made *made, const char *text, const uint32_t npus[4],
                            uint32_t passes)
{
    const struct orr_et_bytes bytes = {.name = "w.txt", .data = text, .count = strlen(text)};
    *made = (struct made){.arena = orr_arena_create(), .platform = platform_of(npus)};
    const struct conv_job conv = {.platform = &made->platform, .passes = passes};
    orr_diag_init(&made->diag);
    orr_convert_report_init(&made->report, made->arena);
    assert_int_equal(orr_convert_output_create(&made->output, "unused", false, NULL), ORR_OK);
    enum orr_status status = orr_text_read(made->arena, &bytes, &made->model, &made->diag);
    if (status == ORR_OK) {
        status = orr_text_assign_groups(&made->model, &conv, &made->job, &made->diag);
        made->job.output = made->output;
    }
    if (status == ORR_OK) {
        orr_text_add_notes(&made->job, &made->report);
    }
    return status;
}

static void drop(struct made *made)
{
    orr_convert_output_destroy(made->output);
    orr_arena_destroy(made->arena);
}

static void check_rank(struct made *made, uint32_t rank, const char *expected)
{
    const struct orr_trace *trace = NULL;
    if (orr_text_trace(made->arena, &made->job, rank, &trace, &made->diag) != ORR_OK) {
        print_error("unexpected: %s\n", made->diag.message);
    }
    assert_non_null(trace);
    assert_string_equal(text_of_trace(made->arena, trace, &made->text), expected);
}

static const uint32_t two_by_four[4] = {2, 4}, eight[4] = {8}, four_by_four[4] = {4, 4};

/* The trace of rank 0; it must be that of all, which is so when no group is of single ranks. */
static void expect(const char *text, const uint32_t npus[4], const char *expected)
{
    struct made made;
    if (make(&made, text, npus, 0) != ORR_OK) {
        print_error("unexpected: %s\n", made.diag.message);
    }
    assert_int_equal(made.diag.status, ORR_OK);
    assert_false(made.job.grouped);
    check_rank(&made, 0, expected);
    drop(&made);
}

static void expect_error(const char *text, const char *expected)
{
    struct made made;
    char said[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(make(&made, text, two_by_four, 0), ORR_ERR_INPUT);
    (void)orr_diag_render(&made.diag, said, sizeof said);
    assert_string_equal(said, expected);
    drop(&made);
}

/* ---- policies ---- */

#define LAYERS                                                                                     \
    "2\n"                                                                                          \
    "a -1 10 ALLREDUCE 100 20 ALLTOALL 200 30 REDUCESCATTER 300 1\n"                               \
    "b -1 11 ALLGATHER 101 21 ALLREDUCE 201 31 ALLREDUCE 301 2\n"

static void test_text_data_communicates_weight_gradients_only(void **state)
{
    (void)state;
    expect("DATA\n" LAYERS, eight,
           "0 a forward comp 10 ns\n"
           "1 b forward comp 11 ns < 0\n"
           "2 b weight gradient comp 31 ns < 1\n"
           "3 b weight gradient all-reduce coll ALL_REDUCE 301 B < 2\n"
           "4 b update comp 2 ns < 3\n"
           "5 b input gradient comp 21 ns < 2\n"
           "6 a weight gradient comp 30 ns < 5\n"
           "7 a weight gradient reduce-scatter coll REDUCE_SCATTER 300 B < 6\n"
           "8 a update comp 1 ns < 7\n");
}

static void test_text_model_waits_for_input_gradients_behind_the_weights(void **state)
{
    (void)state;
    expect("MODEL\n" LAYERS, eight,
           "0 a forward comp 10 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 100 B < 0\n"
           "2 b forward comp 11 ns < 1\n"
           "3 b forward all-gather coll ALL_GATHER 101 B < 2\n"
           "4 b input gradient comp 21 ns < 3\n"
           "5 b input gradient all-reduce coll ALL_REDUCE 201 B < 4\n"
           "6 b weight gradient comp 31 ns < 4\n"
           "7 a input gradient comp 20 ns < 5 6\n"
           "8 a weight gradient comp 30 ns < 7\n");
}

/* Dimension 0 is the model's (2 NPUs), the other the data's. */
static void test_text_hybrid_data_model_uses_dimension_0_for_the_model(void **state)
{
    (void)state;
    expect("HYBRID_DATA_MODEL\n" LAYERS, two_by_four,
           "0 a forward comp 10 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 100 B dims 10 < 0\n"
           "2 b forward comp 11 ns < 1\n"
           "3 b forward all-gather coll ALL_GATHER 101 B dims 10 < 2\n"
           "4 b input gradient comp 21 ns < 3\n"
           "5 b input gradient all-reduce coll ALL_REDUCE 201 B dims 10 < 4\n"
           "6 b weight gradient comp 31 ns < 4\n"
           "7 b weight gradient all-reduce coll ALL_REDUCE 301 B dims 01 < 6\n"
           "8 b update comp 2 ns < 7\n"
           "9 a input gradient comp 20 ns < 5 6\n"
           "10 a weight gradient comp 30 ns < 9\n"
           "11 a weight gradient reduce-scatter coll REDUCE_SCATTER 300 B dims 01 < 10\n"
           "12 a update comp 1 ns < 11\n");
}

static void test_text_hybrid_model_data_uses_dimension_0_for_the_data(void **state)
{
    (void)state;
    expect("HYBRID_MODEL_DATA\n1 a -1 10 ALLREDUCE 100 20 NONE 0 30 ALLREDUCE 300 0", two_by_four,
           "0 a forward comp 10 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 100 B dims 01 < 0\n"
           "2 a input gradient comp 20 ns < 1\n"
           "3 a weight gradient comp 30 ns < 2\n"
           "4 a weight gradient all-reduce coll ALL_REDUCE 300 B dims 10 < 3\n");
}

/* Transformers wait for the input gradient before the weight gradient, also of layer 0. */
static void test_text_transformer_waits_for_input_gradients(void **state)
{
    (void)state;
    expect("HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\n"
           "a -1 10 ALLREDUCE 100 20 ALLREDUCE 200 30 ALLREDUCE 300 5\n",
           four_by_four,
           "0 a forward comp 10 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 100 B dims 10 < 0\n"
           "2 a input gradient comp 20 ns < 1\n"
           "3 a input gradient all-reduce coll ALL_REDUCE 200 B dims 10 < 2\n"
           "4 a weight gradient comp 30 ns < 3\n"
           "5 a weight gradient all-reduce coll ALL_REDUCE 300 B dims 01 < 4\n"
           "6 a update comp 5 ns < 5\n");
}

/* Layer 2 recomputes from the checkpoint 0: layers 0 and 1 run again before its gradient. */
static void test_text_recomputation_runs_from_the_checkpoint_to_the_layer(void **state)
{
    (void)state;
    expect("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 checkpoints: 1 0 "
           "checkpoint_initiates: 1 2\n3\n"
           "a -1 1 ALLREDUCE 10 4 NONE 0 7 NONE 0 1\n"
           "b -1 2 NONE 0 5 NONE 0 8 NONE 0 1\n"
           "c -1 3 NONE 0 6 NONE 0 9 NONE 0 1\n",
           eight,
           "0 a forward comp 1 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 10 B < 0\n"
           "2 b forward comp 2 ns < 1\n"
           "3 c forward comp 3 ns < 2\n"
           "4 a forward again comp 1 ns < 3\n"
           "5 a forward all-reduce coll ALL_REDUCE 10 B < 4\n"
           "6 b forward again comp 2 ns < 5\n"
           "7 c input gradient comp 6 ns < 6\n"
           "8 c weight gradient comp 9 ns < 7\n"
           "9 b input gradient comp 5 ns < 8\n"
           "10 b weight gradient comp 8 ns < 9\n"
           "11 a input gradient comp 4 ns < 10\n"
           "12 a weight gradient comp 7 ns < 11\n");
}

/* Layer 0 are the tables: its all-to-all is awaited behind the bottom (layers 0 and 1), and its
 * gradient goes back behind the first layer of the top. */
static void test_text_dlrm_overlaps_the_exchange_with_the_bottom(void **state)
{
    (void)state;
    static const char layers[] = " 1\n3\n"
                                 "emb -1 1 ALLTOALL 100 4 ALLTOALL 400 7 NONE 0 1\n"
                                 "bot -1 2 NONE 0 5 NONE 0 8 ALLREDUCE 80 1\n"
                                 "top -1 3 NONE 0 6 NONE 0 9 ALLREDUCE 90 1\n";
    static const char common[] = "0 emb forward comp 1 ns\n"
                                 "1 emb forward all-to-all coll ALL_TO_ALL 100 B < 0\n"
                                 "2 bot forward comp 2 ns < 0\n"
                                 "3 top forward comp 3 ns < 1 2\n"
                                 "4 top weight gradient comp 9 ns < 3\n"
                                 "5 top weight gradient all-reduce coll ALL_REDUCE 90 B < 4\n"
                                 "6 top update comp 1 ns < 5\n"
                                 "7 top input gradient comp 6 ns < 4\n"
                                 "8 emb input gradient all-to-all coll ALL_TO_ALL 400 B < 7\n"
                                 "9 bot weight gradient comp 8 ns < 7\n"
                                 "10 bot weight gradient all-reduce coll ALL_REDUCE 80 B < 9\n"
                                 "11 bot update comp 1 ns < 10\n"
                                 "12 bot input gradient comp 5 ns < 9\n"
                                 "13 emb weight gradient comp 7 ns < 12\n";
    char text[512];
    (void)snprintf(text, sizeof text, "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER:%s", layers);
    expect(text, eight, common);
    (void)snprintf(text, sizeof text, "HYBRID_DLRM_ENHANCED%s", layers);
    expect(text, eight, common);
}

/* The second pass of HYBRID_DLRM waits for the gradient's exchange, that of _ENHANCED does not. */
static void test_text_dlrm_next_pass_waits_for_the_exchange(void **state)
{
    (void)state;
    static const char layers[] = " 0\n2\n"
                                 "emb -1 1 NONE 0 0 ALLTOALL 400 2 NONE 0 1\n"
                                 "top -1 3 NONE 0 4 NONE 0 5 NONE 0 1\n";
    for (unsigned enhanced = 0; enhanced < 2; enhanced++) {
        struct made made;
        char text[512];
        (void)snprintf(text, sizeof text, "HYBRID_DLRM%s%s", enhanced != 0 ? "_ENHANCED" : "",
                       layers);
        assert_int_equal(make(&made, text, eight, 2), ORR_OK);
        const struct orr_trace *trace = NULL;
        assert_int_equal(orr_text_trace(made.arena, &made.job, 0, &trace, &made.diag), ORR_OK);
        const char *all = text_of_trace(made.arena, trace, &made.text);
        assert_non_null(
            strstr(all, "4 emb input gradient all-to-all, pass 0 coll ALL_TO_ALL 400 B < 3\n"));
        assert_non_null(strstr(all, enhanced != 0 ? "6 emb forward, pass 1 comp 1 ns < 5\n"
                                                  : "6 emb forward, pass 1 comp 1 ns < 4 5\n"));
        drop(&made);
    }
}

static void test_text_customized_layers_have_policies_of_their_own(void **state)
{
    (void)state;
    expect("HYBRID_CUSTOMIZED\n2\n"
           "a -1 1 ALLREDUCE 10 2 NONE 0 3 ALLREDUCE 30 0 HYBRID_MODEL_DATA\n"
           "b -1 1 ALLREDUCE 10 2 NONE 0 3 ALLREDUCE 30 0 DATA\n",
           two_by_four,
           "0 a forward comp 1 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 10 B dims 01 < 0\n"
           "2 b forward comp 1 ns < 1\n"
           "3 b input gradient comp 2 ns < 2\n"
           "4 b weight gradient comp 3 ns < 3\n"
           "5 b weight gradient all-reduce coll ALL_REDUCE 30 B < 4\n"
           "6 a input gradient comp 2 ns < 4\n"
           "7 a weight gradient comp 3 ns < 6\n"
           "8 a weight gradient all-reduce coll ALL_REDUCE 30 B dims 10 < 7\n");
}

static void test_text_micro_is_one_collective(void **state)
{
    (void)state;
    expect("MICRO\n1\nar -1 1 NONE 0 1 NONE 0 1 ALLREDUCEALLTOALL 64 1", eight,
           "0 ar weight gradient all-reduce coll ALL_REDUCE 64 B\n"
           "1 ar weight gradient all-to-all coll ALL_TO_ALL 64 B < 0\n");
}

static void test_text_inference_goes_forward_only(void **state)
{
    (void)state;
    expect("DISTRIBUTED_INFERENCE\n" LAYERS, eight,
           "0 a forward comp 10 ns\n"
           "1 a forward all-reduce coll ALL_REDUCE 100 B < 0\n"
           "2 b forward comp 11 ns < 1\n"
           "3 b forward all-gather coll ALL_GATHER 101 B < 2\n");
}

/* A layer's forward pass waits for its update of the pass before. */
static void test_text_second_pass_waits_for_the_updates(void **state)
{
    (void)state;
    struct made made;
    assert_int_equal(make(&made, "DATA 1 a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 4", eight, 2),
                     ORR_ERR_INPUT);
    drop(&made);
    assert_int_equal(make(&made, "DATA\n1 a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 4", eight, 2),
                     ORR_OK);
    check_rank(&made, 7,
               "0 a forward, pass 0 comp 1 ns\n"
               "1 a weight gradient, pass 0 comp 3 ns < 0\n"
               "2 a weight gradient all-reduce, pass 0 coll ALL_REDUCE 30 B < 1\n"
               "3 a update, pass 0 comp 4 ns < 2\n"
               "4 a forward, pass 1 comp 1 ns < 1 3\n"
               "5 a weight gradient, pass 1 comp 3 ns < 4\n"
               "6 a weight gradient all-reduce, pass 1 coll ALL_REDUCE 30 B < 5\n"
               "7 a update, pass 1 comp 4 ns < 6\n");
    drop(&made);
}

/* More waits than a list holds (16) become a node that takes no time. */
static void test_text_many_waits_are_joined(void **state)
{
    (void)state;
    struct made made;
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "DATA\n20\n");
    for (unsigned i = 0; i < 20; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "l%u -1 %u NONE 0 0 NONE 0 0 ALLREDUCE 8 0\n", i, i == 19 ? 5 : 0);
    }
    assert_int_equal(make(&made, text, eight, 2), ORR_OK);
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_text_trace(made.arena, &made.job, 0, &trace, &made.diag), ORR_OK);
    const char *all = text_of_trace(made.arena, trace, &made.text);
    /* pass 0: node 0 computes, 1 to 20 all-reduce layers 19 to 0. pass 1 waits for 0 and for 20,
     * 19, ... 6 (16 in all), then for the join of these and 5, 4, 3, 2, 1 */
    assert_non_null(strstr(all, "21 wait other < 0 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"
                                "22 l19 forward, pass 1 comp 5 ns < 1 2 3 4 5 21\n"));
    drop(&made);
}

/* ---- groups ---- */

/* Groups of 2 on one dimension of 8 NPUs are no dimension: rank 5 is with 4, and with 1, 3, 7. */
static void test_text_groups_inside_a_dimension_are_lists_of_ranks(void **state)
{
    (void)state;
    struct made made;
    assert_int_equal(make(&made,
                          "HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\n"
                          "a -1 0 ALLREDUCE 10 0 NONE 0 0 ALLREDUCE 30 0\n",
                          eight, 0),
                     ORR_OK);
    assert_true(made.job.grouped);
    check_rank(&made, 5,
               "0 a forward all-reduce coll ALL_REDUCE 10 B group 1\n"
               "1 a weight gradient all-reduce coll ALL_REDUCE 30 B group 2 < 0\n");
    uint32_t count;
    const uint32_t *ranks = orr_convert_output_group_ranks(made.output, 0, &count);
    assert_int_equal(count, 2);
    assert_true(ranks[0] == 4 && ranks[1] == 5);
    ranks = orr_convert_output_group_ranks(made.output, 1, &count);
    assert_int_equal(count, 4);
    assert_true(ranks[0] == 1 && ranks[1] == 3 && ranks[2] == 5 && ranks[3] == 7);
    drop(&made);
}

/* SimAI: 16 NPUs = 2 tensor x 2 expert x 2 (experts' data) x 2 stages. Rank 5 = tensor 1 of data 2:
 * experts 5, 7; their data 1, 5. An all-gather's size is that of its result: 100 B over 2 are 50.
 */
static void test_text_simai_groups_and_sizes(void **state)
{
    (void)state;
    struct made made;
    assert_int_equal(make(&made,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 "
                          "vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 "
                          "pp_comm 4096\n1\n"
                          "a -1 1 ALLTOALL_EP 10 2 ALLGATHER 100 3 ALLREDUCE_DP_EP 30 0\n",
                          four_by_four, 0),
                     ORR_OK);
    check_rank(&made, 5,
               "0 a forward comp 1 ns\n"
               "1 a forward all-to-all coll ALL_TO_ALL 10 B group 1 < 0\n"
               "2 a input gradient comp 2 ns < 1\n"
               "3 a input gradient all-gather coll ALL_GATHER 50 B group 2 < 2\n"
               "4 a weight gradient comp 3 ns < 3\n"
               "5 a weight gradient all-reduce coll ALL_REDUCE 30 B group 3 < 4\n");
    static const uint32_t expected[3][2] = {{5, 7}, {4, 5}, {1, 5}};
    for (uint32_t g = 0; g < 3; g++) {
        uint32_t count;
        const uint32_t *ranks = orr_convert_output_group_ranks(made.output, g, &count);
        assert_int_equal(count, 2);
        assert_memory_equal(ranks, expected[g], sizeof expected[g]);
    }
    drop(&made);
}

/* ---- notes ---- */

static void expect_note(const char *text, const uint32_t npus[4], const char *finding,
                        const char *example)
{
    struct made made;
    assert_int_equal(make(&made, text, npus, 0), ORR_OK);
    assert_true(made.report.notes >= 1);
    assert_string_equal(made.report.note[0].finding, finding);
    assert_string_equal(made.report.note[0].example[0], example);
    drop(&made);
}

static void test_text_notes_tell_what_is_left_out(void **state)
{
    (void)state;
    expect_note("DATA\n1 a -1 1 ALLREDUCE 10 2 NONE 0 3 NONE 0 0", eight,
                "communication that the policy does not have, left out",
                "layer 0 (a): ALLREDUCE of 10 bytes, forward");
    expect_note("MODEL\n1 a -1 1 NONE 0 2 ALLREDUCE 10 3 NONE 0 0", eight,
                "input gradients of the first layer, which the policy does not send",
                "layer 0 (a): ALLREDUCE of 10 bytes, input gradient");
    expect_note("HYBRID_DATA_MODEL\n1 a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 0", eight,
                "communication in groups of one NPU, left out",
                "layer 0 (a): ALLREDUCE of 30 bytes, weight gradient");
    expect_note("DATA\n1 a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 0 0", eight,
                "communication of 0 bytes, left out",
                "layer 0 (a): ALLREDUCE of 0 bytes, weight gradient");
    expect_note("HYBRID_DLRM 0\n1 a -1 1 NONE 0 2 ALLTOALL 9 3 NONE 0 0", eight,
                "communication that the policy does not have, left out",
                "layer 0 (a): ALLTOALL of 9 bytes, input gradient");
    expect_note("MICRO\n2 a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 8 0 b -1 1 NONE 0 2 NONE 0 3 NONE 0 0",
                eight, "layers behind the first, which MICRO does not run", "1");
}

/* ---- bad files ---- */

static void test_text_bad_first_line_is_refused(void **state)
{
    (void)state;
    expect_error("", "w.txt:1:1: the policy: expected DATA, MODEL, HYBRID_DATA_MODEL, "
                     "HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_TRANSFORMER, "
                     "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_CUSTOMIZED, MICRO or "
                     "DISTRIBUTED_INFERENCE, but the file ends");
    expect_error("HYBRID_TRANSFORMR 4\n",
                 "w.txt:1:1: the policy: expected DATA, MODEL, HYBRID_DATA_MODEL, "
                 "HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_TRANSFORMER, "
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_CUSTOMIZED, MICRO or "
                 "DISTRIBUTED_INFERENCE, got \"HYBRID_TRANSFORMR\"; did you mean "
                 "\"HYBRID_TRANSFORMER\"?");
    expect_error("HYBRID_TRANSFORMER\n1\n",
                 "w.txt:1:1: HYBRID_TRANSFORMER needs \"model_parallel_NPU_group: N\" behind it");
    expect_error("HYBRID_TRANSFORMER model_parallel_NPU_group: x\n1\n",
                 "w.txt:1:46: model_parallel_NPU_group: expected a whole number from 1 to "
                 "2147483647, got \"x\"");
    expect_error("HYBRID_DLRM\n3\n",
                 "w.txt:1:12: HYBRID_DLRM: expected a whole number from 0 to 2147483647, but the "
                 "line ends");
    expect_error("DATA 3\n", "w.txt:1:6: the first line: expected nothing more, got \"3\"");
    expect_error("HYBRID_DLRM 2\n1 a -1 1 NONE 0 2 NONE 0 3 NONE 0 0",
                 "w.txt:1:1: HYBRID_DLRM: expected a layer from 0 to 0 as the last of the bottom, "
                 "got 2");
}

static void test_text_bad_layers_are_refused(void **state)
{
    (void)state;
    expect_error("DATA\n0\n", "w.txt:2:2: the number of layers: expected at least 1, got 0");
    expect_error("DATA\n1\na -1 1 NONE 0 2 NONE 0 3 ALREDUCE 5 0\n",
                 "w.txt:3:26: layer 0 (a): communication of the weight gradient: expected NONE, "
                 "ALLREDUCE, ALLTOALL, ALLREDUCEALLTOALL, ALLGATHER or REDUCESCATTER, got "
                 "\"ALREDUCE\"; did you mean \"ALLREDUCE\"?");
    expect_error("DATA\n1\na -1 1.5 NONE 0 2 NONE 0 3 NONE 5 0\n",
                 "w.txt:3:6: layer 0 (a): time of the forward: expected a whole number from 0 to "
                 "9223372036854775, got \"1.5\"");
    expect_error("DATA\n2\na -1 1 NONE 0 2 NONE 0 3 NONE 5 0\n",
                 "w.txt:4:1: layer 1 of 2: expected its name, but the file ends");
    expect_error("DATA\n1\na -1 1 NONE 0 2 NONE 0\n",
                 "w.txt:4:1: layer 0 (a): time of the weight gradient: expected a whole number "
                 "from 0 to 9223372036854775, but the file ends");
    expect_error("DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 5 0\nb",
                 "w.txt:4:1: behind the last layer: expected the end of the file behind 1 layers, "
                 "got \"b\"");
    expect_error("DATA\n1\na x 1 NONE 0 2 NONE 0 3 NONE 5 0\n",
                 "w.txt:3:3: layer 0 (a): dependency: expected -1 (reserved), got \"x\"");
    expect_error("HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 5 0 MICRO\n",
                 "w.txt:3:35: layer 0 (a): its policy: expected DATA, MODEL, HYBRID_DATA_MODEL or "
                 "HYBRID_MODEL_DATA, got \"MICRO\"");
    expect_error("DATA\n1\na -1 1 NONE 99999999999999999999 2 NONE 0 3 NONE 5 0\n",
                 "w.txt:3:13: layer 0 (a): bytes of the forward: expected a whole number from 0 to "
                 "9223372036854775807, got \"99999999999999999999\"");
}

static void test_text_recomputation_without_checkpoint_is_refused(void **state)
{
    (void)state;
    static const char layers[] = "2\na -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n"
                                 "b -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n";
    char text[512];
    (void)snprintf(text, sizeof text,
                   "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
                   "checkpoints: 1 1 checkpoint_initiates: 1 0\n%s",
                   layers);
    expect_error(text,
                 "w.txt:1:1: checkpoint_initiates: no checkpoint is at or before layer 0 (a)");
    (void)snprintf(text, sizeof text,
                   "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
                   "checkpoints: 1 7\n%s",
                   layers);
    expect_error(text, "w.txt:1:76: checkpoints: expected a layer from 0 to 1, got \"7\"");
}

static void test_text_groups_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char layer[] = "1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n";
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"model_parallel_NPU_group: 3",
         "model_parallel_NPU_group: 3: expected a divisor of the number of NPUs; the platform has "
         "8 NPUs"},
        {"model_parallel_NPU_group: 2 all_gpus: 16",
         "all_gpus: 16: expected the number of NPUs of the platform; the platform has 8 NPUs"},
        {"model_parallel_NPU_group: 2 pp: 3",
         "pp: 3: expected a divisor of the NPUs over model_parallel_NPU_group; the platform has 8 "
         "NPUs"},
        {"model_parallel_NPU_group: 2 ep: 3",
         "ep: 3: expected a divisor of the NPUs over model_parallel_NPU_group and pp; the platform "
         "has 8 NPUs"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256], expected[256];
        (void)snprintf(text, sizeof text, "HYBRID_TRANSFORMER %s\n%s", cases[i].line, layer);
        (void)snprintf(expected, sizeof expected, "w.txt:1:1: %s", cases[i].expected);
        expect_error(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_data_communicates_weight_gradients_only),
        cmocka_unit_test(test_text_model_waits_for_input_gradients_behind_the_weights),
        cmocka_unit_test(test_text_hybrid_data_model_uses_dimension_0_for_the_model),
        cmocka_unit_test(test_text_hybrid_model_data_uses_dimension_0_for_the_data),
        cmocka_unit_test(test_text_transformer_waits_for_input_gradients),
        cmocka_unit_test(test_text_recomputation_runs_from_the_checkpoint_to_the_layer),
        cmocka_unit_test(test_text_dlrm_overlaps_the_exchange_with_the_bottom),
        cmocka_unit_test(test_text_dlrm_next_pass_waits_for_the_exchange),
        cmocka_unit_test(test_text_customized_layers_have_policies_of_their_own),
        cmocka_unit_test(test_text_micro_is_one_collective),
        cmocka_unit_test(test_text_inference_goes_forward_only),
        cmocka_unit_test(test_text_second_pass_waits_for_the_updates),
        cmocka_unit_test(test_text_many_waits_are_joined),
        cmocka_unit_test(test_text_groups_inside_a_dimension_are_lists_of_ranks),
        cmocka_unit_test(test_text_simai_groups_and_sizes),
        cmocka_unit_test(test_text_notes_tell_what_is_left_out),
        cmocka_unit_test(test_text_bad_first_line_is_refused),
        cmocka_unit_test(test_text_bad_layers_are_refused),
        cmocka_unit_test(test_text_recomputation_without_checkpoint_is_refused),
        cmocka_unit_test(test_text_groups_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
