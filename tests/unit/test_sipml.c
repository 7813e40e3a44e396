/* Algorithm 1 on graphs made by hand: devices, rounds and times (SiP-ML, SIGCOMM'21, section 3.2
 * and Fig. 4), the rule of partition, and the dimensions of a stack of layers. */
#include "strategy_fixture.h"

#include "sipml/search/sipml_algorithm.h"
#include "sipml/search/sipml_partition.h"

#define US ((sim_time)ORR_PS_PER_US)

/* ---- partition ---- */

static void test_parts_are_the_power_of_two_below_or_nearest(void **state)
{
    (void)state;
    const sim_time tau = 10 * US;
    assert_int_equal(orr_sipml_parts(9 * US, tau, SIPML_DOWN, 16), 1);
    assert_int_equal(orr_sipml_parts(85 * US, tau, SIPML_DOWN, 16), 8);
    assert_int_equal(orr_sipml_parts(115 * US, tau, SIPML_DOWN, 16), 8);
    assert_int_equal(orr_sipml_parts(115 * US, tau, SIPML_NEAREST, 16), 16);
    assert_int_equal(orr_sipml_parts(85 * US, tau, SIPML_NEAREST, 16), 8);
    assert_int_equal(orr_sipml_parts(300 * US, tau, SIPML_DOWN, 16), 16);
    assert_int_equal(orr_sipml_parts(300 * US, tau, SIPML_DOWN, 4), 4);
    assert_int_equal(orr_sipml_parts(300 * US, tau, SIPML_DOWN, 6), 4);
    assert_int_equal(orr_sipml_parts(0, tau, SIPML_NEAREST, 16), 1);
    assert_int_equal(orr_sipml_parts(80 * US, tau, SIPML_DOWN, 16), 8);
    assert_int_equal(orr_sipml_parts(80 * US - 1, tau, SIPML_DOWN, 16), 4);
}

/* 8 sqrt(2) = 11.3137084989847603904...: times tau = 10^17 ps it lies between the picoseconds
 * ...8476039 and ...8476040, which a double cannot tell apart. */
static void test_nearest_is_exact_at_the_limit(void **state)
{
    (void)state;
    const sim_time tau = INT64_C(100000000000000000);
    assert_int_equal(orr_sipml_parts(INT64_C(1131370849898476039), tau, SIPML_NEAREST, 16), 8);
    assert_int_equal(orr_sipml_parts(INT64_C(1131370849898476040), tau, SIPML_NEAREST, 16), 16);
    assert_int_equal(orr_sipml_parts(ORR_TIME_MAX, 1, SIPML_NEAREST, 65536), 65536);
}

/* ---- Algorithm 1 ---- */

enum { MAX_PARTS = 16, MAX_LINKS = 32 };

/* Operators of one part each, of a unit of time. */
struct byhand {
    struct sipml_task task[MAX_PARTS];
    uint32_t first_part[MAX_PARTS + 1], first_link[MAX_PARTS + 1];
    struct sipml_link link[MAX_LINKS];
    struct sipml_graph graph;
};

/* The parents of part i stand in row i, ended by -1. */
static void make(struct byhand *hand, uint32_t parts, const int parent[][5])
{
    *hand = (struct byhand){.graph = {.ops = parts, .parts = parts}};
    for (uint32_t i = 0; i < parts; i++) {
        hand->task[i].duration_ps = 1;
        hand->first_part[i + 1] = i + 1;
        hand->first_link[i + 1] = hand->first_link[i];
        for (int p = 0; parent[i][p] >= 0; p++) {
            hand->link[hand->first_link[i + 1]++].from = (uint32_t)parent[i][p];
        }
    }
    hand->graph.task = hand->task;
    hand->graph.first_part = hand->first_part;
    hand->graph.first_link = hand->first_link;
    hand->graph.link = hand->link;
}

static bool free_first; /* the rule of `place` */

static struct sipml_assignment place(struct orr_arena *arena, const struct byhand *hand, uint32_t k,
                                     uint32_t far)
{
    const struct sipml_limits limits = {
        .devices = k, .ahead = far, .repair_rounds = 16, .free_first = free_first};
    struct sipml_assignment assignment;
    assert_true(orr_sipml_algorithm(arena, &hand->graph, &limits, &assignment));
    return assignment;
}

static void assert_devices(const struct sipml_assignment *assignment, uint32_t parts,
                           const char *expected)
{
    char text[MAX_PARTS + 1] = {0};
    for (uint32_t i = 0; i < parts; i++) {
        text[i] = (char)('0' + assignment->device[i]);
    }
    assert_string_equal(text, expected);
}

static const int tree[9][5] = {{-1},    {0, -1}, {0, -1}, {0, -1}, {0, -1},
                               {1, -1}, {2, -1}, {3, -1}, {4, -1}};

/* Part 0 ends at 1 on device 0; 1 to 4 may go to 0, 1 and 2 (k = 4, far 2): 1 and 2 are free, then
 * all are busy till 1 or 2 ... and 3 is out of reach but for 2's and 1's children. */
static void test_worked_examples_have_the_devices_of_the_reference(void **state)
{
    (void)state;
    free_first = true;
    struct orr_arena *arena = orr_arena_create();
    struct byhand hand;
    make(&hand, 9, tree);
    struct sipml_assignment assignment = place(arena, &hand, 4, 2);
    assert_true(assignment.ended);
    assert_devices(&assignment, 9, "012003210");
    assert_int_equal(assignment.repairs, 0);
    assignment = place(arena, &hand, 4, 3);
    assert_devices(&assignment, 9, "012300123");
    assert_int_equal(orr_sipml_dependencies(&hand.graph), 8);
    orr_arena_destroy(arena);
}

static const int trap[13][5] = {{-1},    {-1},    {-1},    {-1},    {0, 1, 2, 3, -1},
                                {4, -1}, {4, -1}, {4, -1}, {4, -1}, {5, -1},
                                {6, -1}, {7, -1}, {8, -1}};

/* Parts 0 to 3 are on 0 to 3, and no device is at most 2 behind all of them. Part 4 goes to 0,
 * which 1 does not reach: 1 moves to 0, the nearer of 0, 2 and 3 by index. One round. Times: 0 and
 * 1 one after the other till 2, 4 till 3, its children till 4 and 5, theirs till 6 on device 0: 4-5
 * was part 8 there, then 12. */
static void test_trap_is_repaired_in_one_round(void **state)
{
    (void)state;
    free_first = true;
    struct orr_arena *arena = orr_arena_create();
    struct byhand hand;
    make(&hand, 13, trap);
    const struct sipml_assignment assignment = place(arena, &hand, 4, 2);
    assert_true(assignment.ended);
    assert_devices(&assignment, 13, "0023012003210");
    assert_int_equal(assignment.repairs, 1);
    assert_int_equal(assignment.rounds, 1);
    assert_int_equal(assignment.makespan_ps, 6);
    orr_arena_destroy(arena);
}

/* By the earliest start: 1 to 4 are ready at 1, when 0 is free again, too: 1 goes there, 2 to 1, 3
 * to 2. With 2 ahead 4 starts at 2 on 0, 1 and 2, so on 0; their children are ready at 2 and 3: 5
 * goes to 1, as 0 is busy till 3, 6 to 2, 7 to 3, 8 to 0. With all in reach 4 starts at 1 on 3, and
 * the children stay with their parents. The trap likewise. */
static void test_earliest_start_takes_the_smallest_index(void **state)
{
    (void)state;
    free_first = false;
    struct orr_arena *arena = orr_arena_create();
    struct byhand hand;
    make(&hand, 9, tree);
    struct sipml_assignment assignment = place(arena, &hand, 4, 2);
    assert_devices(&assignment, 9, "001201230");
    assignment = place(arena, &hand, 4, 3);
    assert_devices(&assignment, 9, "001230123");
    make(&hand, 13, trap);
    assignment = place(arena, &hand, 4, 2);
    assert_devices(&assignment, 13, "0023001201230");
    assert_int_equal(assignment.rounds, 1);
    orr_arena_destroy(arena);
}

/* Parts that want a device are placed there where edges allow it. Part 4 may not be 3 ahead with 2
 * in reach and goes where it starts first. */
static void test_wanted_devices_are_taken_where_edges_allow(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {0, 2, 2, 1, 3};
    struct orr_arena *arena = orr_arena_create();
    struct byhand hand;
    struct sipml_assignment assignment;
    make(&hand, 5, tree);
    const struct sipml_limits limits = {
        .devices = 4, .ahead = 2, .repair_rounds = 16, .wanted = wanted};
    assert_true(orr_sipml_algorithm(arena, &hand.graph, &limits, &assignment));
    assert_devices(&assignment, 5, "02210");
    orr_arena_destroy(arena);
}

/* Two parts of 6 bytes on devices of 10: the second may not join the first though it is free as
 * early, and a third has no device: it goes where least is held. */
static void test_full_devices_are_no_candidates(void **state)
{
    (void)state;
    static const int chain[3][5] = {{-1}, {0, -1}, {1, -1}};
    struct orr_arena *arena = orr_arena_create();
    struct byhand hand;
    struct sipml_assignment assignment;
    make(&hand, 3, chain);
    for (int i = 0; i < 3; i++) {
        hand.task[i].weights_bytes = i == 0 ? 5 : 6;
        hand.task[i].duration_ps = i == 0 ? 0 : 1;
    }
    const struct sipml_limits limits = {
        .devices = 2, .ahead = 2, .memory_bytes = 10, .repair_rounds = 4};
    assert_true(orr_sipml_algorithm(arena, &hand.graph, &limits, &assignment));
    assert_true(assignment.ended);
    assert_devices(&assignment, 3, "010");
    assert_int_equal(assignment.repairs, 1);
    assert_int_equal(assignment.held_bytes, 11);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_the_power_of_two_below_or_nearest),
        cmocka_unit_test(test_nearest_is_exact_at_the_limit),
        cmocka_unit_test(test_worked_examples_have_the_devices_of_the_reference),
        cmocka_unit_test(test_trap_is_repaired_in_one_round),
        cmocka_unit_test(test_earliest_start_takes_the_smallest_index),
        cmocka_unit_test(test_wanted_devices_are_taken_where_edges_allow),
        cmocka_unit_test(test_full_devices_are_no_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
