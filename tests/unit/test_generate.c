/* Generated workloads: their nodes, their numbers, and that files and traces in memory agree. */
#include "tests/unit/et_bytes.h"
#include "workload/gen/generate.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

static const struct orr_trace *generate(void **state, const struct orr_gen *gen, uint32_t rank)
{
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_gen_trace(*state, gen, rank, &trace, NULL), ORR_OK);
    return trace;
}

static void test_collective_every_kind_repeats_in_a_chain(void **state)
{
    static const enum orr_trace_comm comms[] = {
        ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
        ORR_COMM_ALL_TO_ALL, ORR_COMM_BROADCAST,  ORR_COMM_REDUCE,
        ORR_COMM_GATHER,     ORR_COMM_SCATTER,    ORR_COMM_BARRIER};
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    assert_int_equal(count, 11);
    for (size_t i = 0; i < 9; i++) {
        const struct orr_gen gen = {
            .kind = kinds[i].name, .npus = 4, .bytes = 1 << 20, .repeat = 3, .root = 2};
        const struct orr_trace *trace = generate(state, &gen, 1);
        assert_int_equal(trace->nodes, 3);
        assert_int_equal(trace->edges, 2);
        assert_int_equal(trace->children[1], 2);
        assert_int_equal(trace->node[2].comm, comms[i]);
        assert_int_equal(trace->node[2].amount, 1 << 20);
        assert_int_equal(orr_trace_extra(trace, trace->node)->root, 2);
    }
}

/* 2 layers of 1024 parameters of 4 bytes, batch 8: forward 2*8*1024 = 16384 operations on 4096
 * bytes of weights and 2*8*32*4 = 2048 of activations; backward twice that; update 2048 operations
 * on 3*4096 bytes. Nodes of a step: f0 f1 b1 a1 u1 b0 a0 u0. */
static void test_mlp_has_the_work_of_a_step(void **state)
{
    const struct orr_gen gen = {.kind = "mlp",
                                .npus = 2,
                                .bytes = 4096,
                                .repeat = 2,
                                .layers = 2,
                                .batch = 8,
                                .element_bytes = 4,
                                .optimizer = true};
    const struct orr_trace *trace = generate(state, &gen, 0);
    const struct orr_node *node = trace->node;
    assert_int_equal(trace->nodes, 16);
    assert_int_equal(node[0].amount, 16384);
    assert_int_equal(node[0].of.tensor_bytes, 6144);
    assert_int_equal(node[2].amount, 32768);
    assert_int_equal(node[2].of.tensor_bytes, 12288);
    assert_int_equal(node[3].kind, ORR_NODE_COLL);
    assert_int_equal(node[3].comm, ORR_COMM_ALL_REDUCE);
    assert_int_equal(node[3].amount, 4096);
    assert_int_equal(node[4].amount, 2048);
    assert_int_equal(node[4].of.tensor_bytes, 12288);
    assert_string_equal(node[8].name, "step 1 layer 0 forward");
}

static void expect_parents(const struct orr_parents *parents, uint32_t node, uint32_t count,
                           uint32_t first, uint32_t second)
{
    const uint32_t begin = parents->first[node];
    assert_int_equal(parents->first[node + 1] - begin, count);
    assert_int_equal(parents->parent[begin], first);
    assert_int_equal(parents->parent[begin + count - 1], second);
}

/* The next layer's backward pass does not wait for this layer's all-reduce; a layer's forward pass
 * of the next step waits for its update. */
static void test_mlp_all_reduce_overlaps_backward(void **state)
{
    const struct orr_gen gen = {
        .kind = "mlp", .npus = 2, .bytes = 4096, .repeat = 2, .layers = 2, .optimizer = true};
    struct orr_parents parents;
    const struct orr_trace *trace = generate(state, &gen, 0);
    assert_int_equal(orr_parents_build(*state, trace, &parents, NULL), ORR_OK);
    expect_parents(&parents, 1, 1, 0, 0);
    expect_parents(&parents, 2, 1, 1, 1);
    expect_parents(&parents, 3, 1, 2, 2);
    expect_parents(&parents, 5, 1, 2, 2);
    expect_parents(&parents, 8, 1, 7, 7);
    expect_parents(&parents, 9, 2, 4, 8);
}

static void test_mlp_without_optimizer_waits_for_all_reduce(void **state)
{
    const struct orr_gen gen = {.kind = "mlp",
                                .npus = 2,
                                .bytes = 4096,
                                .repeat = 2,
                                .forward_flops = 10,
                                .backward_flops = 7};
    struct orr_parents parents;
    const struct orr_trace *trace = generate(state, &gen, 0);
    assert_int_equal(trace->nodes, 6); /* f b a, twice */
    assert_int_equal(trace->node[0].amount, 10);
    assert_int_equal(trace->node[1].amount, 7);
    assert_int_equal(orr_parents_build(*state, trace, &parents, NULL), ORR_OK);
    expect_parents(&parents, 3, 1, 2, 2);
}

/* Rank 1 of 3, two micro-batches: recv 0, stage 1, send 2; recv 3 behind recv 0. */
static void test_p2p_middle_rank_receives_works_sends(void **state)
{
    const struct orr_gen gen = {
        .kind = "p2p", .npus = 3, .bytes = 512, .repeat = 2, .forward_flops = 9};
    struct orr_parents parents;
    const struct orr_trace *trace = generate(state, &gen, 1);
    assert_int_equal(trace->nodes, 6);
    assert_int_equal(trace->node[0].kind, ORR_NODE_RECV);
    assert_int_equal(trace->node[0].of.p2p.peer, 0);
    assert_int_equal(trace->node[1].kind, ORR_NODE_COMP);
    assert_int_equal(trace->node[2].kind, ORR_NODE_SEND);
    assert_int_equal(trace->node[2].of.p2p.peer, 2);
    assert_int_equal(trace->node[5].of.p2p.tag, 1);
    assert_int_equal(orr_parents_build(*state, trace, &parents, NULL), ORR_OK);
    expect_parents(&parents, 3, 1, 0, 0);
    expect_parents(&parents, 4, 1, 3, 3);
    assert_int_equal(generate(state, &gen, 0)->nodes, 4);
    assert_int_equal(generate(state, &gen, 2)->node[0].of.p2p.peer, 1);
}

static void expect_same_nodes(const struct orr_trace *a, const struct orr_trace *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->edges, b->edges);
    assert_memory_equal(a->children, b->children, a->edges * sizeof *a->children);
    for (uint32_t i = 0; i < a->nodes; i++) {
        assert_string_equal(a->node[i].name, b->node[i].name);
        assert_int_equal(a->node[i].kind, b->node[i].kind);
        assert_int_equal(a->node[i].flags, b->node[i].flags);
        assert_true(a->node[i].amount == b->node[i].amount);
        assert_true(a->node[i].of.tensor_bytes == b->node[i].of.tensor_bytes);
    }
}

static void test_write_every_kind_equals_trace_in_memory(void **state)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        const struct orr_gen gen = {
            .kind = kinds[i].name, .npus = 3, .bytes = 4096, .repeat = 2, .layers = 2};
        const struct orr_trace *by_rank[3];
        assert_int_equal(orr_gen_write(&gen, "g", i % 2 != 0, NULL), ORR_OK);
        assert_int_equal(orr_et_load_set(*state, "g", 3, by_rank, NULL), ORR_OK);
        assert_true((by_rank[1] == by_rank[0]) == kinds[i].same_traces);
        for (uint32_t rank = 0; rank < 3; rank++) {
            expect_same_nodes(by_rank[rank], generate(state, &gen, rank));
        }
        assert_int_equal(system("rm -f g.*"), 0);
    }
}

static void expect_check_error(const struct orr_gen *gen, const char *expected)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_gen_write(gen, "g", false, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, expected);
}

static void test_check_bad_numbers_say_what_is_expected(void **state)
{
    (void)state;
    struct orr_gen gen = {.kind = "all_reduc", .npus = 4, .bytes = 1};
    expect_check_error(&gen, "unknown workload \"all_reduc\"; did you mean \"all_reduce\"?");
    gen.kind = "zzzzzzzzzzzz";
    expect_check_error(&gen, "unknown workload \"zzzzzzzzzzzz\"");
    gen = (struct orr_gen){.kind = "p2p", .npus = 1, .bytes = 1};
    expect_check_error(&gen, "npus: expected at least 2, got 1");
    gen = (struct orr_gen){.kind = "reduce", .npus = 4};
    expect_check_error(&gen, "bytes: expected a size above 0 such as \"1 MiB\"");
    gen = (struct orr_gen){.kind = "reduce", .npus = 4, .bytes = 1, .root = 4};
    expect_check_error(&gen, "root: expected a rank from 0 to 3, got 4");
    gen = (struct orr_gen){.kind = "all_reduce", .npus = 4, .bytes = 8, .first_part = 9};
    expect_check_error(&gen, "first_part: expected at most the collective's 8 bytes, got 9");
    gen =
        (struct orr_gen){.kind = "mlp", .npus = 4, .bytes = 1, .repeat = 100000, .layers = 100000};
    expect_check_error(&gen, "repeat times layers: expected at most 100000000, got 10000000000");
}

static void test_mlp_huge_numbers_stop_at_the_largest(void **state)
{
    const struct orr_gen gen = {.kind = "mlp",
                                .npus = 1,
                                .bytes = INT64_MAX,
                                .batch = UINT32_MAX,
                                .element_bytes = 1,
                                .optimizer = true};
    const struct orr_trace *trace = generate(state, &gen, 0);
    assert_true(trace->node[0].amount == INT64_MAX);
    assert_true(trace->node[1].of.tensor_bytes == INT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_collective_every_kind_repeats_in_a_chain),
        TEST(test_mlp_has_the_work_of_a_step),
        TEST(test_mlp_all_reduce_overlaps_backward),
        TEST(test_mlp_without_optimizer_waits_for_all_reduce),
        TEST(test_p2p_middle_rank_receives_works_sends),
        TEST(test_write_every_kind_equals_trace_in_memory),
        TEST(test_check_bad_numbers_say_what_is_expected),
        TEST(test_mlp_huge_numbers_stop_at_the_largest),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
