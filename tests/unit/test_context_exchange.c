/* Attention over context-parallel ranks: rings of keys and values, heads for tokens (Ulysses),
 * both. Messages, bytes, groups and places by hand; tests/cli/test_context_times.sh has times. */
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

/* b 1, s 1,024, 8 heads of 16, 4 of keys and values, 2 B: of 4 context-parallel ranks each has S =
 * 256 tokens; its keys and values are 2 x 256 x 64 x 2 B = 65,536 B, its queries 256 x 128 x 2 B =
 * as many. */
#define MODEL                                                                                      \
    "transformer: {layers: 1, hidden: 128, heads: 8, kv_heads: 4, ffn: 256, gated: true,\n"        \
    "  norm: rmsnorm, bias: false, causal: true, sequence: 1024, vocabulary: 0}\n"                 \
    "training: {batch: 2, micro_batch: 1}\n"

static unsigned count_named(const struct orr_trace *trace, const char *name, uint64_t *amount)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            count++;
            *amount = trace->node[i].amount;
        }
    }
    return count;
}

static void assert_count(const struct orr_trace *trace, const char *name, unsigned count,
                         uint64_t amount)
{
    uint64_t found = 0;
    assert_int_equal(count_named(trace, name, &found), count);
    assert_int_equal(found, amount);
}

/* All: 4 x 8 x 16 x 1,024^2 operations, half of them masked; a rank and step a 16th. */
static void test_ring(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_model(fixture, 8, MODEL "parallel: {context: 4, context_exchange: ring_attention}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_count(trace, "layer 0 keys and values sent fwd mb 0", 3, 65536);
    assert_count(trace, "layer 0 keys and values received fwd mb 0", 3, 65536);
    assert_count(trace, "layer 0 keys and values sent bwd mb 0", 3, 65536);
    assert_count(trace, "layer 0 their gradients sent bwd mb 0", 4, 65536);
    assert_count(trace, "layer 0 attention fwd mb 0", 4, UINT64_C(4) * 128 * 1024 * 1024 / 2 / 16);
    assert_count(trace, "layer 0 attention bwd mb 0", 4, UINT64_C(4) * 128 * 1024 * 1024 / 16);
    const struct gen_layout *layout = &model.ops->plan(model.job)->layout;
    assert_int_equal(orr_gen_classes(layout), 4);
    for (uint32_t rank = 0; rank < 8; rank++) {
        const uint32_t place = orr_gen_ring_place(layout, rank);
        const uint32_t next = (rank + orr_gen_ring_offset(layout, place, true)) % 8;
        const uint32_t before = (rank + orr_gen_ring_offset(layout, place, false)) % 8;
        assert_int_equal(orr_gen_class(layout, rank), place);
        assert_int_equal(place, rank % 4);
        assert_int_equal(next, rank / 4 * 4 + (rank + 1) % 4);
        assert_int_equal(before, rank / 4 * 4 + (rank + 3) % 4);
    }
}

/* There: queries, keys and values; back: as much as the queries. */
static void test_ulysses(void **state)
{
    struct fixture *fixture = *state;
    struct gen_model model =
        read_model(fixture, 8, MODEL "parallel: {context: 4, context_exchange: ulysses}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_coll(trace, "layer 0 tokens to heads fwd mb 0", ORR_COMM_ALL_TO_ALL, 131072);
    assert_coll(trace, "layer 0 tokens to heads bwd mb 0", ORR_COMM_ALL_TO_ALL, 131072);
    assert_coll(trace, "layer 0 heads to tokens fwd mb 0", ORR_COMM_ALL_TO_ALL, 65536);
    assert_int_equal(node_named(trace, "layer 0 attention fwd mb 0")->amount,
                     UINT64_C(4) * 128 * 1024 * 1024 / 2 / 4);
    /* 8 ranks and 4 heads of keys and values: each is sent twice. */
    model = read_model(fixture, 8, MODEL "parallel: {context: 8, context_exchange: ulysses}\n");
    trace = trace_of(fixture, &model);
    assert_coll(trace, "layer 0 tokens to heads fwd mb 0", ORR_COMM_ALL_TO_ALL,
                128 * 128 * 2 + 2 * (2 * 128 * 64 * 2));
}

/* Pairs exchange tokens for heads, then rings of 2: 512 tokens, 2 heads of keys and values. */
static void test_both(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_model(fixture, 8,
                   MODEL "parallel: {context: 4, context_exchange: ulysses_ring,\n"
                         "  context_ulysses: 2}\n");
    const struct orr_trace *trace = trace_of(fixture, &model);
    assert_coll(trace, "layer 0 tokens to heads fwd mb 0", ORR_COMM_ALL_TO_ALL, 131072);
    assert_coll(trace, "layer 0 heads to tokens fwd mb 0", ORR_COMM_ALL_TO_ALL, 65536);
    assert_count(trace, "layer 0 keys and values sent fwd mb 0", 1, 65536);
    assert_count(trace, "layer 0 attention fwd mb 0", 2, UINT64_C(4) * 128 * 1024 * 1024 / 2 / 8);
    const struct gen_layout *layout = &model.ops->plan(model.job)->layout;
    uint32_t ranks[2];
    assert_int_equal(orr_gen_family_size(layout, GEN_ULYSSES), 2);
    orr_gen_family_ranks(layout, GEN_ULYSSES, 6, ranks);
    assert_int_equal(ranks[1], 7);
    assert_int_equal(orr_gen_ring_place(layout, 6), 1);
}

/* Memory and operations of the model are the same whatever the exchange. */
static void test_memory_and_totals(void **state)
{
    static const char *const exchanges[] = {"all_gather", "ring_attention", "ulysses"};
    struct fixture *fixture = *state;
    struct gen_memory memory[3];
    struct gen_totals totals[3];
    for (unsigned i = 0; i < 3; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, MODEL "parallel: {context: 4, context_exchange: %s}\n",
                       exchanges[i]);
        const struct gen_model model = read_model(fixture, 8, text);
        totals[i] = totals_of(&model);
        assert_true(orr_gen_model_memory(&model, 0, &memory[i]));
        assert_memory_equal(&totals[i], &totals[0], sizeof totals[0]);
        assert_memory_equal(&memory[i], &memory[0], sizeof memory[0]);
    }
}

/* A sample of four documents of equal length: a quarter of the pairs, with any exchange. */
static void test_documents(void **state)
{
    static const char *const exchanges[] = {"all_gather", "ring_attention", "ulysses"};
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < 3; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "transformer: {layers: 1, hidden: 128, heads: 8, ffn: 256, causal: true,\n"
                       "  sequence: 1024, vocabulary: 0, attended: 0.25}\n"
                       "parallel: {context: 4, context_exchange: %s}\n",
                       exchanges[i]);
        const struct gen_model model = read_model(fixture, 4, text);
        const struct orr_trace *trace = trace_of(fixture, &model);
        const unsigned steps = i == 1 ? 4 : 1;
        assert_count(trace, "layer 0 attention fwd mb 0", steps,
                     UINT64_C(4) * 128 * 1024 * 1024 / 2 / 4 / 4 / steps);
        const double products = 6.0 * 1024 * (4 * 128 * 128 + 2 * 128 * 256);
        assert_true(totals_of(&model).model_flops ==
                    products + 3.0 * 4 * 128 * 1024 * 1024 / 2 / 4);
    }
}

static void assert_refused(struct fixture *fixture, const char *text, const char *expected)
{
    struct gen_model model;
    clear(fixture);
    assert_int_equal(read_sections(fixture, parse(fixture, text), 8, &model), ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, expected) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", expected, fixture->diag.message);
    }
}

static void test_what_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, MODEL "parallel: {context: 4, context_exchange: ulysses_ring}\n",
                   "needs the number of ranks that exchange tokens for heads, a divisor of "
                   "context 4");
    assert_refused(fixture,
                   MODEL "parallel: {context: 4, context_exchange: ulysses_ring,\n"
                         "  context_ulysses: 3}\n",
                   "context_ulysses: 3 does not divide the 4 context-parallel ranks");
    assert_refused(fixture, MODEL "parallel: {context: 4, context_ulysses: 2}\n",
                   "only context_exchange: ulysses_ring has two sorts");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 96, heads: 6, sequence: 1024, vocabulary: 0}\n"
                   "parallel: {context: 4, context_exchange: ulysses}\n",
                   "is 4, which does not divide the 6 heads");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 96, heads: 12, kv_heads: 3, sequence: 1024,\n"
                   "  vocabulary: 0}\n"
                   "parallel: {context: 4, context_exchange: ulysses}\n",
                   "neither divides the 3 heads of keys and values");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 1024, vocabulary: 0}\n"
                   "parallel: {context: 4, context_exchange: ring_attention}\n"
                   "training: {fused_attention: false}\n",
                   "attention that writes its scores");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 64, vocabulary: 0,\n"
                   "  attended: 0.5}\n"
                   "training: {fused_attention: false}\n",
                   "with transformer.attended expected true");
    assert_refused(fixture,
                   "transformer: {layers: 1, hidden: 64, heads: 8, sequence: 64, vocabulary: 0,\n"
                   "  attended: 1.5}\n",
                   "attended: expected");
    assert_refused(fixture,
                   "transformer: {layers: 1, encoder_layers: 1, hidden: 64, heads: 8,\n"
                   "  sequence: 1024, encoder_sequence: 1024, vocabulary: 0}\n"
                   "parallel: {context: 4, context_exchange: ring_attention}\n",
                   "attention of a decoder to its encoder is not spread this way");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_ring),      IN_FIXTURE(test_ulysses),
        IN_FIXTURE(test_both),      IN_FIXTURE(test_memory_and_totals),
        IN_FIXTURE(test_documents), IN_FIXTURE(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
