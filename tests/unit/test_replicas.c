/* HSDP: ZeRO within replicas, gradients reduced across (Zhao et al. 2023, section 3.2.2;
 * torchtitan's data_parallel_replicate_degree). Ranks of groups, bytes and memory by hand. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

#define MODEL                                                                                      \
    "transformer: {layers: 1, hidden: 64, heads: 8, ffn: 256, gated: true, norm: rmsnorm,\n"       \
    "  bias: false, sequence: 128, vocabulary: 0}\n"                                               \
    "training: {batch: 16, micro_batch: 1, gradient_bytes: 4}\n"
#define EXPERTS                                                                                    \
    "transformer: {layers: 1, hidden: 64, heads: 8, ffn: 256, gated: true, norm: rmsnorm,\n"       \
    "  bias: false, sequence: 128, vocabulary: 0, experts: 8, experts_per_token: 2}\n"             \
    "training: {batch: 16, micro_batch: 1, gradient_bytes: 4}\n"

static void assert_group(const struct gen_model *model, enum gen_family family, uint32_t rank,
                         const uint32_t *expected, uint32_t count)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    uint32_t ranks[64];
    assert_int_equal(orr_gen_family_size(layout, family), count);
    orr_gen_family_ranks(layout, family, orr_gen_family_first(layout, family, rank), ranks);
    assert_memory_equal(ranks, expected, count * sizeof *expected);
}

#define ASSERT_GROUP(family, rank, ...)                                                            \
    assert_group(&model, family, rank, (const uint32_t[]){__VA_ARGS__},                            \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* 2 tensor x 8 data ranks in 2 replicas of 4. */
static void test_groups(void **state)
{
    struct fixture *fixture = *state;
    struct gen_model model =
        read_model(fixture, 16, MODEL "parallel: {tensor: 2, replicas: 2, zero: 3}\n");
    ASSERT_GROUP(GEN_DP, 5, 1, 3, 5, 7, 9, 11, 13, 15);
    ASSERT_GROUP(GEN_FSDP, 5, 1, 3, 5, 7);
    ASSERT_GROUP(GEN_FSDP, 12, 8, 10, 12, 14);
    ASSERT_GROUP(GEN_REPLICA, 12, 4, 12);
    model = read_model(fixture, 16, EXPERTS "parallel: {expert: 2, replicas: 2, zero: 1}\n");
    ASSERT_GROUP(GEN_EDP, 5, 1, 3, 5, 7, 9, 11, 13, 15);
    ASSERT_GROUP(GEN_EFSDP, 5, 1, 3, 5, 7);
    ASSERT_GROUP(GEN_FSDP, 13, 8, 9, 10, 11, 12, 13, 14, 15);
    ASSERT_GROUP(GEN_REPLICA, 13, 5, 13);
    model = read_model(fixture, 16,
                       EXPERTS "parallel: {tensor: 2, context: 2, expert: 4, expert_tensor: 1,\n"
                               "  sequence: true, replicas: 2, zero: 1}\n");
    ASSERT_GROUP(GEN_EFSDP, 6, 2, 6);
    ASSERT_GROUP(GEN_FSDP, 6, 0, 2, 4, 6);
    ASSERT_GROUP(GEN_REPLICA, 6, 6, 14);
}

/* A layer has P = 4 x 64 x 64 + 3 x 64 x 256 + 2 x 64 = 65,664 parameters. Of 16 ranks in 2
 * replicas each has an eighth, 8,208: gathered 2 P B of which a rank has 16,416 B, 4 P B scattered,
 * and the shards' 32,832 B reduced over both. */
static void test_bytes_and_memory(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_model(fixture, 16, MODEL "parallel: {replicas: 2, zero: 3}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).count, 2);
    assert_int_equal(comm_of(trace, ORR_COMM_ALL_GATHER).bytes, 2 * 16416);
    assert_coll(trace, "layer 0 gradients reduced mb 0", ORR_COMM_REDUCE_SCATTER, 262656);
    assert_coll(trace, "layer 0 gradients reduced over replicas mb 0", ORR_COMM_ALL_REDUCE, 32832);
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(&model, 0, &memory));
    assert_int_equal(memory.gradients_bytes, 4 * 8208);
    assert_int_equal(memory.optimizer_bytes, 12 * 8208);
}

static void assert_refused(struct fixture *fixture, const char *text, const char *expected)
{
    struct gen_model model;
    clear(fixture);
    assert_int_equal(read_sections(fixture, parse(fixture, text), 16, &model), ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, expected) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", expected, fixture->diag.message);
    }
}

static void test_what_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, MODEL "parallel: {replicas: 3, zero: 3}\n",
                   "replicas: 3 does not divide the 16 data-parallel ranks");
    assert_refused(fixture, EXPERTS "parallel: {expert: 8, replicas: 4, zero: 3}\n",
                   "replicas: 4 does not divide the 2 data-parallel ranks with equal experts");
    assert_refused(fixture, MODEL "parallel: {replicas: 2}\n",
                   "without ZeRO all data-parallel ranks are replicas; expected parallel.zero");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 128, vocabulary: 0}\n"
                   "parallel: {replicas: 2, zero: 3}\ntraining: {offload_parameters: sharded}\n",
                   "what is offloaded is sharded over all data-parallel ranks");
    assert_refused(fixture,
                   EXPERTS "parallel: {tensor: 2, expert: 8, expert_tensor: 1, sequence: true,\n"
                           "  replicas: 4, zero: 1}\n",
                   "experts have not the 4 replicas of other weights");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_groups),
        IN_FIXTURE(test_bytes_and_memory),
        IN_FIXTURE(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
