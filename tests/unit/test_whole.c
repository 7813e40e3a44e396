/* All-reduces that a group does as a whole: the time of each kind on an ideal switch, worked out by
 * hand; who begins and who ends when; orders of members; bytes are conserved; by labels as well. */
#include "whole_fixture.h"

#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "system/collectives/checker.h"
#include "system/collectives/program.h"
#include "system/monolithic/mono_private.h"
#include "system/sys_mono.h"
#include "system/sys_policy.h"
#include "tests/unit/whole_fixture.h"

static const struct net_flow_model plain = {.windows = false};

static struct whole_outcome run_on_switch(const char *choice, uint32_t members, uint64_t bytes,
                                          struct net_flow_model flows)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)whole_network(arena, "ideal-switch", members, &network);
    struct whole_job job = job_on(&network, choice, members, bytes);
    job.flows = flows;
    const struct whole_outcome outcome = mono_run(&job);
    orr_arena_destroy(arena);
    return outcome;
}

/* 8 MB among 4 members. A flow goes over two links: 2 us of latency after its last byte is sent.
 *
 *   ring                      6 rounds of 2 MB: 6 (2 ms + 2 us)
 *   ring_stream               12 MB from each to the next at once: 12 ms + 2 us
 *   bidirectional_ring_stream 6 MB each way, which share the link
 *   pipelined_ring            the same 6 steps
 *   pairwise                  the same
 *   bidirectional_ring        6 steps of 1 MB each way, which share the link
 *   parameter_server          3 x 8 MB through the link of the first, and back: 2 (24 ms + 2 us)
 *   sharded_parameter_server  3 x 2 MB out of every link at once, and back: 2 (6 ms + 2 us)
 *   hierarchical:2            4 MB in groups; 2 rounds of 2 MB across; 4 MB in groups
 *   hierarchical:4, :1        one group of all, and groups of one: 6 rounds of 2 MB
 *   halving-doubling          4, 2, 2 and 4 MB
 *   tree                      0 is above 1 and 2, and 1 above 3. 3 -> 1 and 2 -> 0 end at 8.002 ms,
 *                             1 -> 0 at 16.004; 0 sends to 1 and 2 over one link: 16 ms, 32.006;
 *                             1 -> 3 8.002 more
 *   tree:2                    chunks of 4 MB. 3 -> 1: 4.002 and 8.002. 2 -> 0: 4.002; the next from
 * 4 on, alone for 2 us and then beside 1 -> 0, which begins at 4.002: it ends at 11.998, 1 -> 0 at
 * 12, and is there at 12.002. Its second waits for it: 12 to 16, there at 16.002. 0 sends the first
 * chunk to 1 and 2 from 12.002 on, 8 ms: left at 20.002, there at 20.004; then the
 *                             second: 28.002, 28.004. 1 -> 3: 24.006 and from 28.004 on 32.006 */
static const struct {
    const char *choice;
    int64_t us;
    uint64_t rounds;
} cases[] = {{"ring", 12012, 6},
             {"ring_stream", 12002, 0},
             {"bidirectional_ring_stream", 12002, 0},
             {"pipelined_ring", 12012, 0},
             {"pipelined_ring", 12012, 0},
             {"pairwise", 12012, 0},
             {"bidirectional_ring", 12012, 0},
             {"parameter_server", 48004, 0},
             {"sharded_parameter_server", 12004, 0},
             {"direct", 12004, 0},
             {"hierarchical:2", 12008, 4},
             {"hierarchical:4", 12012, 6},
             {"hierarchical:1", 12012, 6},
             {"halving_doubling", 12008, 0},
             {"tree", 40008, 0},
             {"tree:2", 32006, 0}};
enum { CASES = sizeof cases / sizeof *cases };

static void test_whole_on_an_ideal_switch_takes_the_time_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct whole_outcome outcome = run_on_switch(cases[i].choice, 4, 8000000, plain);
        print_message("%s\n", cases[i].choice);
        assert_int_equal(outcome.end_ps, cases[i].us * ORR_PS_PER_US);
        assert_int_equal(outcome.counts.rounds, cases[i].rounds);
        assert_int_equal(outcome.counts.all_reduces, 1);
        assert_int_equal(outcome.counts.ring_fallbacks, 0);
        assert_int_equal(outcome.transfers, 4);
    }
}

/* Two trees of two, which take the chunks in turns: of 4 MB each one goes 0 -> 1 and the other
 * 1 -> 0 at once, 4.002 ms, and back. */
static void test_whole_by_two_trees_goes_both_ways_at_once(void **state)
{
    (void)state;
    assert_int_equal(run_on_switch("double_binary_tree", 2, 8000000, plain).end_ps,
                     INT64_C(8004) * ORR_PS_PER_US);
}

/* With packets a flow of 100 of them, 893,600 bytes, joins after 2 (1 us + 1 ns), and its last
 * packet comes 2 us and 8.936 us after its sender is done: 893.6 + 2.002 + 10.936 = 906.538 us. Two
 * rounds; and for the parameter server of two, twice all 200 packets: 1800.138 us. */
static void test_whole_with_packets_has_the_start_up_of_every_flow(void **state)
{
    (void)state;
    const struct net_flow_model packets = orr_net_flow_packets(false);
    const uint64_t bytes = 200 * 8936;
    assert_int_equal(run_on_switch("ring", 2, bytes, packets).end_ps, 1813076000);
    assert_int_equal(run_on_switch("pipelined_ring", 2, bytes, packets).end_ps, 1813076000);
    assert_int_equal(run_on_switch("parameter_server", 2, bytes, packets).end_ps, 3600276000);
}

/* S <= 18000 (k - 1): one round of 2 S (k - 1)/k^2 = 54000 x 6/16 = 20250 bytes: 20.25 us + 2 us.
 * No other kind does so: the pipelined ring has 6 steps of 13500 bytes, 15.5 us each. */
static void test_whole_of_a_small_ring_takes_one_round(void **state)
{
    (void)state;
    assert_int_equal(run_on_switch("ring", 4, 54000, plain).end_ps, 22250000);
    assert_int_equal(run_on_switch("ring", 4, 54000, plain).counts.rounds, 1);
    assert_int_equal(run_on_switch("ring", 4, 54004, plain).counts.rounds, 6);
    assert_int_equal(run_on_switch("pipelined_ring", 4, 54000, plain).end_ps, 93000000);
}

/* Four members, each linked to the next both ways, and so with two rings: half of 8 MB each way, in
 * 6 steps of 1 MB over one link: 6 (1 ms + 1 us). */
static void test_whole_uses_all_rings_of_the_network(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "circulant:1", 4, &network);
    assert_int_equal(network.rings, 2);
    for (int labels = 0; labels < 2; labels++) {
        struct whole_job job = job_on(&network, "ring", 4, 8000000);
        job.policy = labels ? &orr_sys_policy_default : job.policy;
        assert_int_equal(mono_run(&job).end_ps, INT64_C(6006) * ORR_PS_PER_US);
        job.choice = "pipelined_ring";
        assert_int_equal(mono_run(&job).end_ps, INT64_C(6006) * ORR_PS_PER_US);
        job.choice = "ring_stream"; /* 12 MB, half each way */
        assert_int_equal(mono_run(&job).end_ps, INT64_C(6001) * ORR_PS_PER_US);
    }
    orr_arena_destroy(arena);
}

/* Two members exchange S; odd bytes: 2 (k - 1) S/k of 1 000 001 among 3 is 1333334.67, rounded up
 * 1333335 from each, over two links. Over the 8 rings of circulant:1,3,5,7 among 16 each member
 * sends 187501 of 100001 x 30/16 = 187501.875: rounded up 187502, 23438 over six rings and 23437
 * over two, all of which go over one link. */
static void test_whole_ring_stream_conserves_odd_bytes(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    const struct whole_outcome two = run_on_switch("ring_stream", 2, 8000000, plain);
    assert_int_equal(two.end_ps, INT64_C(8002) * ORR_PS_PER_US);
    assert_int_equal(two.bytes, 2 * 16000000);
    const struct whole_outcome three = run_on_switch("ring_stream", 3, 1000001, plain);
    assert_int_equal(three.bytes, 2 * 3 * 1333335);
    assert_int_equal(three.end_ps, INT64_C(1335335000));
    assert_int_equal(three.messages, 3);
    (void)whole_network(arena, "circulant:1,3,5,7", 16, &network);
    assert_int_equal(network.rings, 8);
    struct whole_job job = job_on(&network, "ring_stream", 16, 100001);
    const struct whole_outcome eight = mono_run(&job);
    assert_int_equal(eight.bytes, 16 * 187502);
    assert_int_equal(eight.messages, 16 * 8);
    assert_int_equal(eight.end_ps, INT64_C(24438000));
    orr_arena_destroy(arena);
}

/* Three members in a ring, of which one link has 9 ms of latency and the others 1 us; 1 MB blocks.
 * With barriers each of the 4 rounds takes 1 + 9 ms. Without, a block that starts on the slow link
 * crosses it twice in its 4 steps: 4 x 1 + 2 x 9 + 2 x 0.001 ms. */
static void test_whole_pipelined_does_not_wait_for_the_slowest_link_of_each_round(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph_builder builder;
    struct net_graph network;
    struct orr_diag diag;
    (void)state;
    orr_diag_init(&diag);
    orr_net_graph_begin(&builder, arena, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct net_link link = {.from = i,
                                      .to = (i + 1) % 3,
                                      .count = 1,
                                      .bytes_per_s = 1e9,
                                      .latency_ps = (i == 0 ? 9000 : 1) * ORR_PS_PER_US};
        orr_net_graph_link(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &network, &diag), ORR_OK);
    struct whole_job job = {.network = &network,
                            .policy = &orr_sys_policy_task_graph,
                            .choice = "ring",
                            .operations = 1,
                            .operation = {{.members = 3, .bytes = 3000000}}};
    assert_int_equal(mono_run(&job).end_ps, INT64_C(40000) * ORR_PS_PER_US);
    job.choice = "pipelined_ring";
    assert_int_equal(mono_run(&job).end_ps, INT64_C(22002) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* The DGX-1 has six rings, which use every NVLink once each way: 48 MB over 6 rings in 14 steps of
 * 1 MB at 1 GB/s and 1 us: 14 (1 ms + 1 us). A platform that says so has all of its all-reduces
 * done so. */
static void test_whole_on_a_dgx1_uses_every_nvlink(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    uint32_t used[8][8] = {{0}};
    (void)state;
    (void)whole_network(arena, "dgx1", 8, &network);
    assert_int_equal(network.rings, 6);
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t place = 0; place < 8; place++) {
            const struct net_ring *ring = &network.ring[i];
            assert_int_equal(ring->at[ring->order[place]], place);
            used[ring->order[place]][ring->order[(place + 1) % 8]]++;
        }
    }
    for (uint32_t i = 0; i < network.links; i++) {
        assert_int_equal(used[network.link[i].from][network.link[i].to], network.link[i].count);
    }
    for (int labels = 0; labels < 2; labels++) {
        struct whole_job job = job_on(&network, "ring", 8, 48000000);
        job.policy = labels ? &orr_sys_policy_default : job.policy;
        assert_int_equal(mono_run(&job).end_ps, INT64_C(14014) * ORR_PS_PER_US);
        job.choice = "pipelined_ring";
        assert_int_equal(mono_run(&job).end_ps, INT64_C(14014) * ORR_PS_PER_US);
    }
    orr_arena_destroy(arena);
}

/* A line of 4 NPUs that is a ring of one way: 0 -> 1 -> 2 -> 3 -> 0, 1 us a link. In that order a
 * round is 2 ms + 1 us. Given as 0, 2, 1, 3, the members send over 2, 3, 2 and 1 links, each
 * of which carries 2 flows: a round is 4 ms, and the last byte of 2 -> 1 takes 3 us more. All are
 * done at once, in the order in which the group was given. */
static void test_whole_goes_between_ranks_as_they_were_given(void **state)
{
    static const uint32_t other[] = {0, 2, 1, 3};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph_builder builder;
    struct net_graph network;
    struct orr_diag diag;
    (void)state;
    orr_diag_init(&diag);
    orr_net_graph_begin(&builder, arena, 4, 0);
    for (uint32_t i = 0; i < 4; i++) {
        const struct net_link link = {.from = i,
                                      .to = (i + 1) % 4,
                                      .count = 1,
                                      .bytes_per_s = 1e9,
                                      .latency_ps = ORR_PS_PER_US};
        orr_net_graph_link(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &network, &diag), ORR_OK);
    struct whole_job job = job_on(&network, "ring", 4, 8000000);
    assert_int_equal(mono_run(&job).end_ps, INT64_C(12006) * ORR_PS_PER_US);
    job.operation[0].rank = other;
    const struct whole_outcome outcome = mono_run(&job);
    assert_int_equal(outcome.end_ps, INT64_C(24018) * ORR_PS_PER_US);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(outcome.order[0][i], other[i]);
    }
    orr_arena_destroy(arena);
}

/* The last member starts it 5 ms after the others; and one of a single member is done at once. */
static void test_whole_begins_with_the_last_member(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "ideal-switch", 4, &network);
    for (int labels = 0; labels < 2; labels++) {
        struct whole_job job = job_on(&network, "ring", 4, 8000000);
        job.policy = labels ? &orr_sys_policy_default : job.policy;
        job.operation[0].late_ps = INT64_C(5000) * ORR_PS_PER_US;
        assert_int_equal(mono_run(&job).end_ps, INT64_C(17012) * ORR_PS_PER_US);
        job.operation[0] = (struct whole_operation){
            .members = 1, .bytes = 8000000, .start_ps = INT64_C(3000) * ORR_PS_PER_US};
        const struct whole_outcome alone = mono_run(&job);
        assert_int_equal(alone.end_ps, INT64_C(3000) * ORR_PS_PER_US);
        assert_int_equal(alone.counts.all_reduces, 0);
        assert_int_equal(alone.messages, 0);
    }
    orr_arena_destroy(arena);
}

/* One that NPU 2 never starts names it; one that all have started is under way. */
static void test_whole_explains_what_it_waits_for(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "ideal-switch", 3, &network);
    struct whole_job job = job_on(&network, "ring", 3, 8000000);
    assert_string_equal(mono_run(&job).explained,
                        "collective 1 of the group \"g0\" is in flight and never ends");
    job.operation[0].incomplete = true;
    assert_string_equal(mono_run(&job).explained,
                        "collective 1 of the group \"g0\" waits for NPU 2 to start it");
    orr_arena_destroy(arena);
}

/* Groups of 3 among 4 members: a ring, and counted. */
static void test_whole_that_does_not_fit_is_a_ring(void **state)
{
    (void)state;
    const struct whole_outcome outcome = run_on_switch("hierarchical:3", 4, 8000000, plain);
    assert_int_equal(outcome.end_ps, INT64_C(12012) * ORR_PS_PER_US);
    assert_int_equal(outcome.counts.ring_fallbacks, 1);
}

/* The index-th form with a number, where it may have one; false behind the last. */
static bool form_with(size_t index, int number, char *text, size_t bytes)
{
    char form[SYS_MONO_BYTES];
    const char *summary;
    if (!orr_sys_mono_form(index, form, &summary)) {
        return false;
    }
    const size_t length = strcspn(form, "[:");
    (void)snprintf(text, bytes, form[length] != '\0' ? "%.*s:%d" : "%.*s", (int)length, form,
                   number);
    assert_true(strlen(summary) > 0);
    return true;
}

/* Recursive doubling among 2^l sends S from every member l times, reducing the same in many places;
 * among others it is a ring. */
static uint64_t bytes_moved(const char *choice, uint32_t k, uint64_t bytes)
{
    const bool doubles = strncmp(choice, "recursive_doubling", 18) == 0 && (k & (k - 1)) == 0;
    return doubles ? k * (uint64_t)__builtin_ctz(k) * bytes : 2 * (k - 1) * bytes;
}

/* Where hosts reduce each contribution once, any all-reduce of S among k moves 2 (k - 1) S bytes
 * when everything divides; on the switch over two links each. */
static void test_whole_of_every_kind_conserves_bytes(void **state)
{
    const uint64_t bytes = 8 * 2520 * 100; /* divides by all up to 10, in up to 8 chunks */
    char choice[2 * SYS_MONO_BYTES];
    size_t kinds = 0;
    (void)state;
    for (; form_with(kinds, 1, choice, sizeof choice); kinds++) {
        for (uint32_t k = 2; k <= 10; k++) {
            for (int number = 1; number <= 4; number *= 2) {
                (void)form_with(kinds, number, choice, sizeof choice);
                const struct whole_outcome outcome = run_on_switch(choice, k, bytes, plain);
                assert_int_equal(outcome.bytes, 2 * bytes_moved(choice, k, bytes));
                assert_true(outcome.end_ps > 0);
            }
        }
    }
    assert_int_equal(kinds, 15);
}

/* With windows and packets every kind ends, later than its bytes need at least: S (k - 1)/k out of
 * the fastest member, twice. */
static void test_whole_of_every_kind_ends_with_windows(void **state)
{
    char choice[2 * SYS_MONO_BYTES];
    (void)state;
    for (size_t i = 0; form_with(i, 3, choice, sizeof choice); i++) {
        for (uint32_t k = 2; k <= 12; k += 5) {
            const struct whole_outcome outcome =
                run_on_switch(choice, k, 3000000, orr_net_flow_packets(true));
            assert_true(outcome.end_ps > INT64_C(2) * 3000000000 / k * (k - 1));
        }
    }
}

/* With events by labels, as the jobs of traces have them: what is symmetric takes the same time,
 * everything ends, twice the same, and bytes are conserved, on every backend that carries graphs
 * (flow tells departures in events of its own, congestion sends packets). */
static void test_whole_by_labels_is_determined_and_ends(void **state)
{
    static const char *const backends[] = {"flow", "congestion"};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    char choice[2 * SYS_MONO_BYTES];
    (void)state;
    (void)whole_network(arena, "ideal-switch", 12, &network);
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; form_with(i, 3, choice, sizeof choice); i++) {
            struct whole_job job = job_on(&network, choice, 12, 30240000);
            job.policy = &orr_sys_policy_default;
            job.backend = backends[b];
            job.operations = 3;
            job.operation[1] = (struct whole_operation){
                .members = 12, .bytes = 7560000, .start_ps = INT64_C(1000) * ORR_PS_PER_US};
            job.operation[2] = (struct whole_operation){.members = 6,
                                                        .bytes = 7560000,
                                                        .start_ps = INT64_C(1000) * ORR_PS_PER_US,
                                                        .late_ps = 77};
            const struct whole_outcome once = mono_run(&job), again = mono_run(&job);
            assert_int_equal(once.hash, again.hash);
            assert_int_equal(once.bytes, UINT64_C(4) * (11 * 37800000 + 5 * 7560000));
        }
    }
    orr_arena_destroy(arena);
}

static void test_whole_by_labels_takes_the_time_by_hand(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "ideal-switch", 4, &network);
    for (size_t i = 0; i < CASES; i++) {
        struct whole_job job = job_on(&network, cases[i].choice, 4, 8000000);
        job.policy = &orr_sys_policy_default;
        print_message("%s\n", cases[i].choice);
        assert_int_equal(mono_run(&job).end_ps, cases[i].us * ORR_PS_PER_US);
    }
    orr_arena_destroy(arena);
}

static void test_whole_parameter_server_reduces_what_it_should(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 9; n++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct orr_arena *arena = orr_arena_create();
            const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = n, .bytes = 1000};
            struct orr_diag diag;
            orr_diag_init(&diag);
            assert_int_equal(orr_coll_check(&orr_mono_parameter_server, &args, seed, arena, &diag),
                             ORR_OK);
            orr_arena_destroy(arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_on_an_ideal_switch_takes_the_time_by_hand),
        cmocka_unit_test(test_whole_by_two_trees_goes_both_ways_at_once),
        cmocka_unit_test(test_whole_with_packets_has_the_start_up_of_every_flow),
        cmocka_unit_test(test_whole_of_a_small_ring_takes_one_round),
        cmocka_unit_test(test_whole_uses_all_rings_of_the_network),
        cmocka_unit_test(test_whole_ring_stream_conserves_odd_bytes),
        cmocka_unit_test(test_whole_pipelined_does_not_wait_for_the_slowest_link_of_each_round),
        cmocka_unit_test(test_whole_on_a_dgx1_uses_every_nvlink),
        cmocka_unit_test(test_whole_goes_between_ranks_as_they_were_given),
        cmocka_unit_test(test_whole_begins_with_the_last_member),
        cmocka_unit_test(test_whole_explains_what_it_waits_for),
        cmocka_unit_test(test_whole_that_does_not_fit_is_a_ring),
        cmocka_unit_test(test_whole_of_every_kind_conserves_bytes),
        cmocka_unit_test(test_whole_of_every_kind_ends_with_windows),
        cmocka_unit_test(test_whole_by_labels_is_determined_and_ends),
        cmocka_unit_test(test_whole_by_labels_takes_the_time_by_hand),
        cmocka_unit_test(test_whole_parameter_server_reduces_what_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
