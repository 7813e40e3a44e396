/* All-reduces as a whole in levels, the time of each by hand; and how all-reduces are written. */
#include "whole_fixture.h"

/* 8 MB among 8 members in groups of 4, 1 GB/s, 2 us. Inside: 3 rounds of 2 MB there and 3 back, or
 * one each way in which a link carries all 3: 6 (2 ms + 2 us), 2 (6 ms + 2 us). Across: 2 rounds of
 * 1 MB, or 2 MB at once: 2 (1 ms + 2 us), 2 ms + 2 us. Groups of one and of all have one level.
 * Where the members are servers whose 4 GPUs have 2 GB/s each, 2 x 8 MB / 4 / 2 GB/s = 2 ms, then
 * 14 rounds of 1 MB among 8, or 14 MB at once. */
static void test_whole_hierarchical_takes_a_kind_for_each_level(void **state)
{
    static const struct {
        const char *choice;
        int64_t us;
        uint64_t rounds;
    } levels[] = {{"hierarchical:4", 12012 + 2004, 8},
                  {"hierarchical:4,inside=sharded_parameter_server", 12004 + 2004, 4},
                  {"hierarchical:4,across=ring_stream", 12012 + 2002, 7},
                  {"hierarchical:4,inside=sharded_parameter_server,across=ring_stream", 14006, 3},
                  {"hierarchical:8,inside=sharded_parameter_server", 2 * 7002, 2},
                  {"hierarchical:1,across=ring_stream", 14002, 1},
                  {"hierarchical:4,inner=2GB/s", 2000 + 14028, 14},
                  {"hierarchical:3,inner=2GB/s,across=ring_stream", 0, 0},
                  {"hierarchical:4,inner=2GB/s,across=ring_stream", 2000 + 14002, 0}};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "ideal-switch", 8, &network);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        for (int labels = 0; labels < 2; labels++) {
            struct whole_job job = job_on(&network, levels[i].choice, 8, 8000000);
            job.policy = labels ? &orr_sys_policy_default : job.policy;
            const struct whole_outcome outcome = mono_run(&job);
            print_message("%s\n", levels[i].choice);
            /* 2 x 8 MB / 3 / 2 GB/s = 2 666 666 666.67 ps, rounded up. */
            assert_int_equal(outcome.end_ps, levels[i].us != 0
                                                 ? levels[i].us * ORR_PS_PER_US
                                                 : 2666666667 + 14002 * ORR_PS_PER_US);
            assert_int_equal(outcome.counts.rounds, levels[i].rounds);
            assert_int_equal(outcome.counts.ring_fallbacks, 0);
            assert_int_equal(outcome.bytes, 2 * 14 * 8000000);
        }
    }
    orr_arena_destroy(arena);
}

/* Two servers of 4 GPUs each, whose inside has 10 GB/s, on a switch of 1 GB/s, 1 us a link. Inside
 * 0.6 ms there and back, over two links; across each GPU sends 2 MB over four links, of which one
 * server's four share the link up: 8 ms + 4 us. A GPU's link up carries 6 + 2 + 6 MB, a server's 8.
 */
static void test_whole_hierarchical_uses_the_inside_of_servers(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    uint64_t bytes[64];
    (void)state;
    (void)whole_network(arena, "ideal-switch/4@10GB/s", 8, &network);
    assert_int_equal(network.npus, 8);
    struct whole_job job = job_on(
        &network, "hierarchical:4,inside=sharded_parameter_server,across=ring_stream", 8, 8000000);
    job.link_bytes = bytes;
    const struct whole_outcome outcome = mono_run(&job);
    for (uint32_t i = 0; i < network.links; i++) {
        const bool of_gpu = network.link[i].from < 8 || network.link[i].to < 8;
        assert_int_equal(bytes[i], of_gpu ? 14000000 : 8000000);
    }
    assert_int_equal(outcome.end_ps, INT64_C(9208) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* ---- choices ---- */

static void test_whole_parse_refuses_what_is_none(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"star",
         "all-reduce: expected one of ring, ring_stream, bidirectional_ring_stream, "
         "pipelined_ring[:CHUNKS], "
         "parameter_server[:CHUNKS], "
         "sharded_parameter_server[:CHUNKS], "
         "hierarchical:GROUP[,inside=KIND][,across=KIND][,inner=BANDWIDTH], "
         "double_binary_tree[:CHUNKS], "
         "bidirectional_ring[:CHUNKS], direct[:CHUNKS], halving_doubling[:CHUNKS], tree[:CHUNKS], "
         "chain[:CHUNKS], pairwise[:CHUNKS], recursive_doubling[:CHUNKS]; got \"star\""},
        {"hierarchical",
         "all-reduce: expected hierarchical:GROUP[,inside=KIND][,across=KIND][,inner=BANDWIDTH] "
         "with a number from 1 to 1024, got \"hierarchical\""},
        {"tree:4,inside=ring", "all-reduce: expected tree[:CHUNKS] with a number from 1 to 1024, "
                               "got \"tree:4,inside=ring\""},
        {"hierarchical:4,inside=tree",
         "all-reduce: expected inside=ring or sharded_parameter_server, across=ring or "
         "ring_stream, "
         "inner=BANDWIDTH such as 25GB/s, each once at most; got \"hierarchical:4,inside=tree\""},
        {"hierarchical:4,across=ring,across=ring",
         "all-reduce: expected inside=ring or sharded_parameter_server, across=ring or "
         "ring_stream, "
         "inner=BANDWIDTH such as 25GB/s, each once at most; got "
         "\"hierarchical:4,across=ring,across=ring\""},
        {"hierarchical:4,inner=-1GB/s",
         "all-reduce: expected inside=ring or sharded_parameter_server, across=ring or "
         "ring_stream, "
         "inner=BANDWIDTH such as 25GB/s, each once at most; got \"hierarchical:4,inner=-1GB/s\""},
        {"hierarchical:4,",
         "all-reduce: expected inside=ring or sharded_parameter_server, across=ring or "
         "ring_stream, "
         "inner=BANDWIDTH such as 25GB/s, each once at most; got \"hierarchical:4,\""},
        {"hierarchical:4,inside=ring,inner=25GB/s",
         "all-reduce: expected inside=KIND, of members that are GPUs, or inner=BANDWIDTH, of "
         "members that are servers; got both in \"hierarchical:4,inside=ring,inner=25GB/s\""},
        {"ring:2", "all-reduce: expected ring, got \"ring:2\""},
        {"tree:0", "all-reduce: expected tree[:CHUNKS] with a number from 1 to 1024, got "
                   "\"tree:0\""},
        {"tree:4x", "all-reduce: expected tree[:CHUNKS] with a number from 1 to 1024, got "
                    "\"tree:4x\""}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sys_mono choice;
        struct orr_diag diag;
        orr_diag_init(&diag);
        assert_int_equal(orr_sys_mono_parse(wrong[i].text, &choice, &diag), ORR_ERR_INPUT);
        assert_string_equal(diag.message, wrong[i].message);
    }
}

static void test_whole_format_is_as_it_would_be_written(void **state)
{
    static const char *const texts[][2] = {
        {"ring", "ring"},
        {"pipelined_ring:1", "pipelined_ring"},
        {"double_binary_tree", "double_binary_tree"},
        {"double_binary_tree:1", "double_binary_tree:1"},
        {"hierarchical:4", "hierarchical:4"},
        {"hierarchical:4,across=ring,inside=ring", "hierarchical:4"},
        {"hierarchical:4,across=ring_stream,inside=sharded_"
         "parameter_server",
         "hierarchical:4,inside=sharded_parameter_server,across="
         "ring_stream"},
        {"hierarchical:4,inner=200 Gb/s", "hierarchical:4,inner=25GB/s"}};
    char text[SYS_MONO_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sys_mono choice;
        assert_int_equal(orr_sys_mono_parse(texts[i][0], &choice, NULL), ORR_OK);
        assert_string_equal(orr_sys_mono_format(&choice, text, sizeof text), texts[i][1]);
    }
    const struct sys_mono none = {.kind = NULL};
    assert_string_equal(orr_sys_mono_format(&none, text, sizeof text), "ring");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_hierarchical_takes_a_kind_for_each_level),
        cmocka_unit_test(test_whole_hierarchical_uses_the_inside_of_servers),
        cmocka_unit_test(test_whole_parse_refuses_what_is_none),
        cmocka_unit_test(test_whole_format_is_as_it_would_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
