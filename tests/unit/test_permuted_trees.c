/* All-reduces by two trees whose places are those of other members (TopoOpt, NSDI'23, appendix A).
 */
#include "whole_fixture.h"

/* The bytes of an all-reduce by `choice` between any two of the members of a full mesh. */
static sim_time bytes_between(const char *choice, uint32_t members, uint64_t *matrix)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    uint64_t link_bytes[WHOLE_MEMBERS * WHOLE_MEMBERS];
    (void)whole_network(arena, "full-mesh", members, &network);
    struct whole_job job = job_on(&network, choice, members, 8000000);
    job.link_bytes = link_bytes;
    const struct whole_outcome outcome = mono_run(&job);
    memset(matrix, 0, (size_t)members * members * sizeof *matrix);
    for (uint32_t l = 0; l < network.links; l++) {
        matrix[network.link[l].from * members + network.link[l].to] = link_bytes[l];
    }
    orr_arena_destroy(arena);
    return outcome.end_ps;
}

/* With a jump p what v sends to w is what p v sends to p w: other traffic, in the same time. */
static void test_whole_by_two_trees_with_a_jump_has_other_traffic_and_the_same_time(void **state)
{
    static const struct {
        uint32_t members, jump;
    } jumps[] = {{8, 3}, {8, 7}, {12, 5}, {9, 2}, {16, 11}};
    (void)state;
    for (size_t c = 0; c < sizeof jumps / sizeof *jumps; c++) {
        const uint32_t n = jumps[c].members, p = jumps[c].jump;
        uint64_t usual[256], other[256];
        char choice[SYS_MONO_BYTES];
        (void)snprintf(choice, sizeof choice, "double_binary_tree:4,jump=%u", p);
        const sim_time time = bytes_between("double_binary_tree:4", n, usual);
        assert_int_equal(bytes_between(choice, n, other), time);
        for (uint32_t i = 0; i < n * n; i++) {
            assert_int_equal(other[i / n * p % n * n + i % n * p % n], usual[i]);
        }
        assert_memory_not_equal(other, usual, n * n * sizeof *usual);
    }
}

/* Such places are not all of the members: by ring. */
static void test_whole_by_two_trees_with_a_jump_of_a_divisor_goes_by_ring(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)whole_network(arena, "ideal-switch", 4, &network);
    const struct whole_job job = job_on(&network, "double_binary_tree:2,jump=2", 4, 8000000);
    const struct whole_outcome outcome = mono_run(&job);
    orr_arena_destroy(arena);
    assert_int_equal(outcome.counts.ring_fallbacks, 1);
    assert_int_equal(outcome.end_ps, INT64_C(12012) * ORR_PS_PER_US);
}

static void test_whole_jump_is_read_and_written(void **state)
{
    struct sys_mono choice;
    struct orr_diag diag;
    char text[SYS_MONO_BYTES];
    (void)state;
    orr_diag_init(&diag);
    assert_int_equal(orr_sys_mono_parse("double_binary_tree:2,jump=5", &choice, &diag), ORR_OK);
    assert_string_equal(orr_sys_mono_format(&choice, text, sizeof text),
                        "double_binary_tree:2,jump=5");
    assert_int_equal(orr_sys_mono_parse(text, &choice, &diag), ORR_OK);
    assert_int_equal(choice.jump, 5);
    assert_int_equal(orr_sys_mono_parse("double_binary_tree:2,jump=0", &choice, &diag),
                     ORR_ERR_INPUT);
    assert_string_equal(diag.message, "all-reduce: expected jump=JUMP from 1 to 16777216 after "
                                      "the chunks, once; got \"double_binary_tree:2,jump=0\"");
    orr_diag_init(&diag);
    assert_int_equal(orr_sys_mono_parse("hierarchical:2,jump=3", &choice, &diag), ORR_ERR_INPUT);
    assert_int_equal(orr_sys_mono_parse("tree:2,jump=3", &choice, &diag), ORR_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_by_two_trees_with_a_jump_has_other_traffic_and_the_same_time),
        cmocka_unit_test(test_whole_by_two_trees_with_a_jump_of_a_divisor_goes_by_ring),
        cmocka_unit_test(test_whole_jump_is_read_and_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
