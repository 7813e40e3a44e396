/* Generated recommendation models: parameters, operations, bytes and nodes, against sums by hand.
 *
 * The small case: 4 NPUs, 8 tables of 1000 rows of 16 elements, 10 lookups, 13 dense features, 64
 * samples, 16 of a rank. A table's share of an NPU is 2. The interaction's 9 vectors make 9 x 8 / 2
 * = 36 products; with the dense vector of 16 the top MLP's input is 52 wide. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/dlrm_job.h"

#define SMALL                                                                                      \
    "dlrm: {tables: 8, rows: 1000, embedding: 16, lookups: 10, dense: 13, bottom: [32, 16],\n"     \
    "       top: [64, 1]}\n"
#define BATCH "training: {batch: 64}\n"

static void test_totals_small_model_equals_sums_by_hand(void **state)
{
    const struct gen_model model = read_model(*state, 4, SMALL BATCH);
    const struct gen_totals totals = totals_of(&model);
    /* bottom (13 + 1) 32 + (32 + 1) 16 = 976; top (52 + 1) 64 + (64 + 1) 1 = 3457 */
    assert_int_equal(orr_dlrm_mlp_parameters(model.job), 976 + 3457);
    assert_true(totals.parameters == 4433 + 8 * 1000 * 16);
    assert_true(totals.active_parameters == 4433 + 8 * 10 * 16);
    /* of a sample: the first layer twice, 2 x 2 x 13 x 32 = 1664, without a gradient of its input;
     * 3 x 2 x 32 x 16 = 3072; 3 x 2 x 52 x 64 = 19968; 3 x 2 x 64 = 384; 9 x 9 products of 16
     * elements, 3 x 2 x 81 x 16 = 7776: together 32864 */
    assert_true(totals.model_flops == 64.0 * 32864);
    assert_true(totals.samples == 64 && totals.tokens == 0);
}

static void test_memory_small_model_equals_sums_by_hand(void **state)
{
    const struct gen_model model = read_model(*state, 4, SMALL BATCH);
    /* Of 2 tables: 2000 rows of 32 bytes and 4 bytes of state. Kept of a sample: 8 x 16 pooled
     * and 16 dense elements before the interaction, inputs 13 + 32 and 52 + 64, the score: 306. */
    assert_memory(&model, 2 * 4433 + 2000 * 32, 2 * 4433, 12 * 4433 + 2000 * 4, 16 * 2 * 306);
}

static void test_trace_small_model_has_work_and_bytes_by_hand(void **state)
{
    const struct gen_model model = read_model(*state, 4, SMALL BATCH);
    const struct orr_trace *trace = trace_of(*state, &model);
    /* 64 x 10 x 2 = 1280 rows of 32 bytes are read, and 64 x 2 vectors written */
    assert_comp(trace, "embedding lookup fwd mb 0", 1280 * 16, (1280 + 128) * 32);
    /* b x tables x embedding x element bytes = 16 x 8 x 16 x 2 */
    assert_coll(trace, "embeddings exchanged fwd mb 0", ORR_COMM_ALL_TO_ALL, 4096);
    assert_coll(trace, "embeddings exchanged bwd mb 0", ORR_COMM_ALL_TO_ALL, 4096);
    /* the gradients; rows of 32 bytes and their state of 4 read and written */
    assert_comp(trace, "embedding update", 1280 * 16, 4096 + 2 * 1280 * 36);
    /* 16 samples: 2 x 16 x 52 x 64 operations; 16 x 52 + 52 x 64 + 16 x 64 elements */
    assert_comp(trace, "top 0 fwd mb 0", 106496, 2 * (832 + 3328 + 1024));
    assert_comp(trace, "top 0 bwd mb 0", 106496, 2 * (832 + 3328 + 1024));
    assert_comp(trace, "top 0 wgrad mb 0", 106496, 2 * (832 + 3328 + 1024));
    /* 16 x 2 x 81 x 16; 9 x 16 in and 52 out, backwards 9 x 16 twice */
    assert_comp(trace, "interaction fwd mb 0", 41472, 16 * 2 * (144 + 52));
    assert_comp(trace, "interaction bwd mb 0", 82944, 16 * 2 * (288 + 52));
    /* gradients of 2 bytes of all parameters of the MLPs, a reduction for each of the 4 layers */
    const struct comm_sum reduced = comm_of(trace, ORR_COMM_ALL_REDUCE);
    assert_int_equal(reduced.count, 4);
    assert_int_equal(reduced.bytes, 2 * 4433);
    /* in another group than the exchanges, which do not wait for them */
    assert_int_equal(node_named(trace, "embeddings exchanged bwd mb 0")->group, 0);
    const struct orr_node *node = node_named(trace, "top 0 gradients reduced mb 0");
    assert_true(node->group > 0);
    assert_string_equal(trace->groups[node->group - 1], "dp");
    /* Adam: gradient 2, state 2 x 12, weight 2 */
    assert_comp(trace, "bottom 1 update", 528, 528 * 28);
}

static void test_trace_small_model_overlaps_exchange_and_bottom(void **state)
{
    const struct gen_model model = read_model(*state, 4, SMALL BATCH);
    assert_nodes(*state, trace_of(*state, &model),
                 "0 embedding lookup fwd mb 0 <\n"
                 "1 embeddings exchanged fwd mb 0 < 0\n"
                 "2 bottom 0 fwd mb 0 <\n"
                 "3 bottom 1 fwd mb 0 < 2\n"
                 "4 interaction fwd mb 0 < 1 3\n"
                 "5 top 0 fwd mb 0 < 4\n"
                 "6 top 1 fwd mb 0 < 5\n"
                 "7 loss fwd mb 0 < 6\n"
                 "8 loss bwd mb 0 < 7\n"
                 "9 top 1 bwd mb 0 < 8\n"
                 "10 top 1 wgrad mb 0 < 8\n"
                 "11 top 1 gradients reduced mb 0 < 10\n"
                 "12 top 0 bwd mb 0 < 9\n"
                 "13 top 0 wgrad mb 0 < 9\n"
                 "14 top 0 gradients reduced mb 0 < 13\n"
                 "15 interaction bwd mb 0 < 12\n"
                 "16 bottom 1 bwd mb 0 < 15\n"
                 "17 bottom 1 wgrad mb 0 < 15\n"
                 "18 bottom 1 gradients reduced mb 0 < 17\n"
                 "19 bottom 0 wgrad mb 0 < 16\n"
                 "20 bottom 0 gradients reduced mb 0 < 19\n"
                 "21 embeddings exchanged bwd mb 0 < 15\n"
                 "22 embedding update < 21\n"
                 "23 top 1 update < 11 19\n"
                 "24 top 0 update < 14 19\n"
                 "25 bottom 1 update < 18 19\n"
                 "26 bottom 0 update < 19 20\n");
}

/* Without overlap reductions wait for the end of the backward pass, the first layer's gradient. The
 * second step's lookups wait for the rows, its layers for their weights. */
/* Gradients, 2 B each: top 1 with 4 x 2 + 2 = 10 parameters, top 0 with 4 (the bottom's vector) + 2
 * tables of 4 = 12 to 4, 52; bottom 0 with 3 x 4 + 4 = 16. From 100 B on, backwards: 10 + 52 = 124
 * B together, then what is left, 32 B. */
static void test_trace_reduces_by_bucket(void **state)
{
    const struct gen_model model =
        read_model(*state, 2,
                   "dlrm: {tables: 2, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [4, 2],\n"
                   "       interaction: cat}\n"
                   "training: {batch: 2, bucket: 100 B}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    struct orr_parents parents;
    assert_int_equal(orr_parents_build(((struct fixture *)*state)->arena, trace, &parents, NULL),
                     ORR_OK);
    static const struct {
        const char *name;
        uint64_t bytes;
        const char *parent[2];
    } buckets[] = {
        {"bucket 0 gradients reduced mb 0", 124, {"top 1 wgrad mb 0", "top 0 wgrad mb 0"}},
        {"bucket 1 gradients reduced mb 0", 32, {"bottom 0 wgrad mb 0"}}};
    unsigned found = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strstr(trace->node[i].name, "reduced") == NULL) {
            continue;
        }
        assert_in_range(found, 0, 1);
        assert_string_equal(trace->node[i].name, buckets[found].name);
        assert_int_equal(trace->node[i].amount, buckets[found].bytes);
        const uint32_t first = parents.first[i], count = parents.first[i + 1] - first;
        assert_int_equal(count, 2 - found);
        for (uint32_t p = 0; p < count; p++) {
            assert_string_equal(trace->node[parents.parent[first + p]].name,
                                buckets[found].parent[p]);
        }
        found++;
    }
    assert_int_equal(found, 2);
}

static void test_trace_two_steps_wait_for_updates(void **state)
{
    const struct gen_model model =
        read_model(*state, 2,
                   "dlrm: {tables: 2, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}\n"
                   "training: {batch: 2, steps: 2, overlap: false}\n");
    const struct orr_trace *trace = trace_of(*state, &model);
    struct orr_parents parents;
    assert_int_equal(trace->nodes, 2 * 17);
    assert_int_equal(orr_parents_build(((struct fixture *)*state)->arena, trace, &parents, NULL),
                     ORR_OK);
    /* a step: 0 lookup, 1 exchange, 2 bottom, 3 interaction, 4 top, 5 and 6 loss, 7 top bwd, 8 top
     * wgrad, 9 interaction bwd, 10 bottom wgrad, 11 exchange, 12 and 13 reductions of top and
     * bottom, 14 rows, 15 and 16 updates */
    static const uint32_t of_reduction[] = {8, 10}, of_lookup[] = {10, 14}, of_bottom[] = {10, 16},
                          of_top[] = {15, 20};
    const struct {
        uint32_t node;
        const uint32_t *parents;
    } cases[] = {{12, of_reduction}, {17, of_lookup}, {19, of_bottom}, {21, of_top}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t first = parents.first[cases[c].node];
        assert_int_equal(parents.first[cases[c].node + 1] - first, 2);
        assert_int_equal(parents.parent[first], cases[c].parents[0]);
        assert_int_equal(parents.parent[first + 1], cases[c].parents[1]);
    }
}

/* 5 tables on 4 NPUs: the fullest has 2. */
static void test_sharding_more_tables_than_npus_fullest_decides(void **state)
{
    const struct gen_model model = read_model(
        *state, 4,
        "dlrm: {tables: 5, rows: 100, embedding: 16, dense: 3, bottom: [16], top: [1]}\n" BATCH);
    const struct rank_tables *tables = ((const struct dlrm_job *)model.job)->job.split.tables;
    assert_int_equal(tables->row_bytes, 200 * 32);
    assert_int_equal(tables->lookup.forward.flops, 128 * 16);
    assert_coll(trace_of(*state, &model), "embeddings exchanged fwd mb 0", ORR_COMM_ALL_TO_ALL,
                64 * 2 * 16 * 2);
}

/* 2 tables on 4 NPUs: by row, each NPU a quarter of each. It reads a quarter of 64 x 10 x 2 rows
 * and has a partial sum for each of the 64 x 2 vectors: a reduce-scatter of 128 x 32 bytes
 * forwards; backwards the gradients of its 16 samples go to all, 16 x 2 x 32 bytes. */
static void test_sharding_fewer_tables_than_npus_goes_by_row(void **state)
{
    const struct gen_model model =
        read_model(*state, 4,
                   "dlrm: {tables: 2, rows: 1001, embedding: 16, lookups: 10, dense: 3,\n"
                   "       bottom: [16], top: [1]}\n" BATCH);
    const struct orr_trace *trace = trace_of(*state, &model);
    const struct rank_tables *tables = ((const struct dlrm_job *)model.job)->job.split.tables;
    assert_int_equal(tables->row_bytes, 501 * 32); /* 2002 / 4, up */
    assert_comp(trace, "embedding lookup fwd mb 0", 320 * 16, (320 + 128) * 32);
    assert_coll(trace, "embeddings exchanged fwd mb 0", ORR_COMM_REDUCE_SCATTER, 128 * 32);
    assert_coll(trace, "embeddings exchanged bwd mb 0", ORR_COMM_ALL_GATHER, 16 * 2 * 32);
}

static void test_sharding_given_is_kept(void **state)
{
    const struct gen_model model =
        read_model(*state, 4,
                   "dlrm: {tables: 2, rows: 100, embedding: 16, dense: 3, bottom: [16], top: [1],\n"
                   "       sharding: table}\n" BATCH);
    const struct rank_tables *tables = ((const struct dlrm_job *)model.job)->job.split.tables;
    assert_int_equal(tables->row_bytes, 100 * 32); /* a whole table */
}

/* Concatenation: 8 x 16 + 24 elements go on, and nothing is multiplied. */
static void test_interaction_cat_takes_any_width(void **state)
{
    const struct gen_model model =
        read_model(*state, 4,
                   "dlrm: {tables: 8, rows: 9, embedding: 16, dense: 3, bottom: [24], top: [1],\n"
                   "       interaction: cat}\n" BATCH);
    const struct dlrm_job *job = model.job;
    assert_int_equal(job->top.width[0], 152);
    assert_comp(trace_of(*state, &model), "interaction bwd mb 0", 16 * 152, 16 * 152 * 4);
    /* 2 x 2 x 3 x 24 + 3 x 2 x 152 */
    assert_true(totals_of(&model).model_flops == 64.0 * (288 + 912));
}

static void test_one_npu_exchanges_nothing(void **state)
{
    const struct gen_model model = read_model(*state, 1, SMALL);
    const struct orr_trace *trace = trace_of(*state, &model);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        assert_int_equal(trace->node[i].kind, ORR_NODE_COMP);
    }
}

/* ASTRA-sim 2.0 (ISPASS 2023), table III: "57M (MLP layers)". */
static void test_shipped_model_has_57_million_parameters(void **state)
{
    const struct gen_model model = load_model(*state, 512, "inputs/models/dlrm_57m.yml");
    const double parameters = (double)orr_dlrm_mlp_parameters(model.job);
    assert_true(parameters >= 0.99 * 57e6 && parameters <= 1.01 * 57e6);
    /* bottom 513 x 512 + 513 x 256 + 257 x 64; top, of 1025 x 64 + 1 inputs with the bias: 65601 x
     * 512 + 513 x 4096 + 4097 x 4096 + 4097 x 1024 + 1025 */
    assert_true(parameters == 410432 + 56666625);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_totals_small_model_equals_sums_by_hand),
        IN_FIXTURE(test_memory_small_model_equals_sums_by_hand),
        IN_FIXTURE(test_trace_small_model_has_work_and_bytes_by_hand),
        IN_FIXTURE(test_trace_small_model_overlaps_exchange_and_bottom),
        IN_FIXTURE(test_trace_reduces_by_bucket),
        IN_FIXTURE(test_trace_two_steps_wait_for_updates),
        IN_FIXTURE(test_sharding_more_tables_than_npus_fullest_decides),
        IN_FIXTURE(test_sharding_fewer_tables_than_npus_goes_by_row),
        IN_FIXTURE(test_sharding_given_is_kept),
        IN_FIXTURE(test_interaction_cat_takes_any_width),
        IN_FIXTURE(test_one_npu_exchanges_nothing),
        IN_FIXTURE(test_shipped_model_has_57_million_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
