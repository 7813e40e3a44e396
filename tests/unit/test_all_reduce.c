/* All-reduces of task graphs: the time of each kind on an ideal switch, worked out by hand; bytes
 * are conserved; names that are none are refused; small rings take one round. */
#include "taskgraph_fixture.h"

#include <stdio.h>

#include "system/collectives/checker.h"
#include "workload/taskgraph/cluster_private.h"

struct outcome {
    struct orr_taskgraph_result result;
    uint64_t bytes;
};

static struct outcome run(const struct net_graph *network, const char *name, uint32_t servers,
                          uint64_t bytes, struct net_flow_model flows)
{
    struct fixture_reduce reduce;
    struct orr_taskgraph_run *made = NULL;
    struct outcome outcome = {.bytes = 0};
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_taskgraph_config config = {.graph = fixture_reduce(&reduce, servers, bytes),
                                                .network = network,
                                                .flows = flows,
                                                .all_reduce = fixture_choice(name),
                                                .routes = {.seed = 1}};
    assert_int_equal(orr_taskgraph_run(&made, &config, &outcome.result, &diag), ORR_OK);
    outcome.bytes = fixture_bytes(orr_taskgraph_flows(made));
    orr_taskgraph_destroy(made);
    return outcome;
}

static struct outcome run_on_switch(const char *name, uint32_t servers, uint64_t bytes,
                                    struct net_flow_model flows)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    fixture_network(arena, "ideal-switch", servers, &network);
    const struct outcome outcome = run(&network, name, servers, bytes, flows);
    orr_arena_destroy(arena);
    return outcome;
}

/* 8 MB among 4 servers. A flow goes over two links: 2 us of latency after its last byte is sent.
 *
 *   ring                      6 rounds of 2 MB: 6 (2 ms + 2 us)
 *   pipelined-ring            the same 6 steps
 *   pairwise                  the same
 *   bidirectional-ring        6 steps of 1 MB each way, which share the link
 *   parameter-server          3 x 8 MB through the link of the first, and back: 2 (24 ms + 2 us)
 *   sharded-parameter-server  3 x 2 MB out of every link at once, and back: 2 (6 ms + 2 us)
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
static void test_run_on_an_ideal_switch_takes_the_time_by_hand(void **state)
{
    static const struct {
        const char *name;
        int64_t us;
        uint64_t rounds;
    } cases[] = {{"ring", 12012, 6},
                 {"pipelined-ring", 12012, 0},
                 {"pipelined_ring", 12012, 0},
                 {"pairwise", 12012, 0},
                 {"bidirectional-ring", 12012, 0},
                 {"parameter-server", 48004, 0},
                 {"sharded-parameter-server", 12004, 0},
                 {"direct", 12004, 0},
                 {"hierarchical:2", 12008, 4},
                 {"hierarchical:4", 12012, 6},
                 {"hierarchical:1", 12012, 6},
                 {"halving-doubling", 12008, 0},
                 {"tree", 40008, 0},
                 {"tree:2", 32006, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct outcome outcome =
            run_on_switch(cases[i].name, 4, 8000000, (struct net_flow_model){.windows = false});
        print_message("%s\n", cases[i].name);
        assert_int_equal(outcome.result.iteration_ps, cases[i].us * ORR_PS_PER_US);
        assert_int_equal(outcome.result.rounds, cases[i].rounds);
        assert_int_equal(outcome.result.all_reduces, 1);
    }
}

/* With packets a flow of 100 of them, 893,600 bytes, joins after 2 (1 us + 1 ns), and its last
 * packet comes 2 us and 8.936 us after its sender is done: 893.6 + 2.002 + 10.936 = 906.538 us. Two
 * rounds; and for the parameter server of two, twice all 200 packets: 1800.138 us. */
static void test_run_with_packets_has_the_start_up_of_every_flow(void **state)
{
    (void)state;
    const struct net_flow_model packets = orr_net_flow_packets(false);
    const uint64_t bytes = 200 * 8936;
    assert_int_equal(run_on_switch("ring", 2, bytes, packets).result.iteration_ps, 1813076000);
    assert_int_equal(run_on_switch("pipelined-ring", 2, bytes, packets).result.iteration_ps,
                     1813076000);
    assert_int_equal(run_on_switch("parameter-server", 2, bytes, packets).result.iteration_ps,
                     3600276000);
}

/* S <= 18000 (k - 1): one round of 2 S (k - 1)/k^2 = 54000 x 6/16 = 20250 bytes: 20.25 us + 2 us.
 * No other kind does so: the pipelined ring has 6 steps of 13500 bytes, 15.5 us each. */
static void test_run_of_a_small_ring_takes_one_round(void **state)
{
    (void)state;
    const struct net_flow_model plain = {.windows = false};
    assert_int_equal(run_on_switch("ring", 4, 54000, plain).result.iteration_ps, 22250000);
    assert_int_equal(run_on_switch("ring", 4, 54000, plain).result.rounds, 1);
    assert_int_equal(run_on_switch("ring", 4, 54004, plain).result.rounds, 6);
    assert_int_equal(run_on_switch("pipelined-ring", 4, 54000, plain).result.iteration_ps,
                     93000000);
}

/* Three servers in a ring, of which one link has 9 ms of latency and the others 1 us; 1 MB blocks.
 * With barriers each of the 4 rounds takes 1 + 9 ms. Without, a block that starts on the slow link
 * crosses it twice in its 4 steps: 4 x 1 + 2 x 9 + 2 x 0.001 ms. */
static void test_run_pipelined_does_not_wait_for_the_slowest_link_of_each_round(void **state)
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
    const struct net_flow_model plain = {.windows = false};
    assert_int_equal(run(&network, "ring", 3, 3000000, plain).result.iteration_ps,
                     INT64_C(40000) * ORR_PS_PER_US);
    assert_int_equal(run(&network, "pipelined-ring", 3, 3000000, plain).result.iteration_ps,
                     INT64_C(22002) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* Four servers, each linked to the next both ways, and so with two rings: half of 8 MB each way, in
 * 6 steps of 1 MB over one link: 6 (1 ms + 1 us). */
static void test_run_uses_all_rings_of_the_network(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_flow_model plain = {.windows = false};
    struct net_graph network;
    (void)state;
    fixture_network(arena, "circulant:1", 4, &network);
    assert_int_equal(network.rings, 2);
    assert_int_equal(run(&network, "ring", 4, 8000000, plain).result.iteration_ps,
                     INT64_C(6006) * ORR_PS_PER_US);
    assert_int_equal(run(&network, "pipelined-ring", 4, 8000000, plain).result.iteration_ps,
                     INT64_C(6006) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* Where hosts reduce, any all-reduce of S among k moves 2 (k - 1) S bytes when everything divides.
 */
static void test_run_of_every_kind_conserves_bytes(void **state)
{
    const uint64_t bytes = 8 * 2520 * 100; /* divides by all up to 10, in up to 8 chunks */
    char form[ORR_ALL_REDUCE_BYTES], name[2 * ORR_ALL_REDUCE_BYTES];
    const char *summary;
    size_t kinds = 0;
    (void)state;
    for (; orr_all_reduce_form(kinds, form, &summary); kinds++) {
        const size_t length = strcspn(form, "[:");
        const bool numbered = form[length] != '\0';
        for (uint32_t k = 2; k <= 10; k++) {
            for (int number = 1; number <= (numbered ? 4 : 1); number *= 2) {
                (void)snprintf(name, sizeof name, numbered ? "%.*s:%d" : "%.*s", (int)length, form,
                               number);
                const struct outcome outcome =
                    run_on_switch(name, k, bytes, (struct net_flow_model){.windows = false});
                const struct orr_all_reduce choice = fixture_choice(name);
                const bool fits = orr_all_reduce_fits(&choice, k);
                assert_true(fits || choice.program != NULL || k % (uint32_t)number != 0);
                assert_int_equal(outcome.result.rings_instead, fits ? 0 : 1);
                assert_int_equal(outcome.bytes, 2 * (k - 1) * bytes);
                assert_true(outcome.result.iteration_ps > 0);
            }
        }
        assert_true(strlen(summary) > 0);
    }
    assert_true(kinds >= 11);
}

/* With windows and packets every kind ends, later than its bytes need at least: S (k - 1)/k out of
 * the fastest server, twice. */
static void test_run_of_every_kind_ends_with_windows(void **state)
{
    char form[ORR_ALL_REDUCE_BYTES], name[2 * ORR_ALL_REDUCE_BYTES];
    const char *summary;
    (void)state;
    for (size_t i = 0; orr_all_reduce_form(i, form, &summary); i++) {
        (void)snprintf(name, sizeof name, "%.*s%s", (int)strcspn(form, "[:"), form,
                       strchr(form, '[') != NULL || strchr(form, ':') != NULL ? ":3" : "");
        for (uint32_t k = 2; k <= 12; k += 5) {
            const struct outcome outcome =
                run_on_switch(name, k, 3000000, orr_net_flow_packets(true));
            assert_true(outcome.result.iteration_ps > INT64_C(2) * 3000000000 / k * (k - 1));
        }
    }
}

/* Groups of 3 among 4 servers: a ring, and said so. */
static void keep(void *context, const char *text)
{
    (void)snprintf(context, 256, "%s", text);
}

static void test_run_that_does_not_fit_is_a_ring_with_a_warning(void **state)
{
    char warning[256] = "";
    struct orr_arena *arena = orr_arena_create();
    struct fixture_reduce reduce;
    struct net_graph network;
    struct orr_taskgraph_run *made = NULL;
    struct orr_taskgraph_result result;
    struct orr_diag diag;
    (void)state;
    orr_diag_init(&diag);
    diag.warn = keep;
    diag.warn_user = warning;
    fixture_network(arena, "ideal-switch", 4, &network);
    const struct orr_taskgraph_config config = {.graph = fixture_reduce(&reduce, 4, 8000000),
                                                .network = &network,
                                                .all_reduce = fixture_choice("hierarchical:3")};
    assert_int_equal(orr_taskgraph_run(&made, &config, &result, &diag), ORR_OK);
    assert_int_equal(result.iteration_ps, INT64_C(12012) * ORR_PS_PER_US);
    assert_int_equal(result.rings_instead, 1);
    assert_string_equal(warning, "warning: the task graph: hierarchical:3 does not fit all-reduces "
                                 "among 4 servers; those it does not fit are rings");
    orr_taskgraph_destroy(made);
    orr_arena_destroy(arena);
}

static void test_parse_refuses_what_is_none(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"star",
         "all-reduce: expected one of ring, pipelined-ring[:CHUNKS], parameter-server[:CHUNKS], "
         "sharded-parameter-server[:CHUNKS], hierarchical:GROUP, double-binary-tree[:CHUNKS], "
         "bidirectional-ring[:CHUNKS], direct[:CHUNKS], halving-doubling[:CHUNKS], tree[:CHUNKS], "
         "pairwise[:CHUNKS]; got \"star\""},
        {"hierarchical", "all-reduce: expected hierarchical:GROUP with a number from 1 to 1024, "
                         "got \"hierarchical\""},
        {"ring:2", "all-reduce: expected ring, got \"ring:2\""},
        {"tree:0", "all-reduce: expected tree[:CHUNKS] with a number from 1 to 1024, got "
                   "\"tree:0\""},
        {"tree:4x", "all-reduce: expected tree[:CHUNKS] with a number from 1 to 1024, got "
                    "\"tree:4x\""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_all_reduce choice;
        struct orr_diag diag;
        orr_diag_init(&diag);
        assert_int_equal(orr_all_reduce_parse(cases[i].text, &choice, &diag), ORR_ERR_INPUT);
        assert_string_equal(diag.message, cases[i].message);
    }
}

static void test_parameter_server_reduces_what_it_should(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 9; n++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct orr_arena *arena = orr_arena_create();
            const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = n, .bytes = 1000};
            struct orr_diag diag;
            orr_diag_init(&diag);
            assert_int_equal(orr_coll_check(&orr_coll_parameter_server, &args, seed, arena, &diag),
                             ORR_OK);
            orr_arena_destroy(arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_on_an_ideal_switch_takes_the_time_by_hand),
        cmocka_unit_test(test_run_with_packets_has_the_start_up_of_every_flow),
        cmocka_unit_test(test_run_of_a_small_ring_takes_one_round),
        cmocka_unit_test(test_run_pipelined_does_not_wait_for_the_slowest_link_of_each_round),
        cmocka_unit_test(test_run_uses_all_rings_of_the_network),
        cmocka_unit_test(test_run_of_every_kind_conserves_bytes),
        cmocka_unit_test(test_run_of_every_kind_ends_with_windows),
        cmocka_unit_test(test_run_that_does_not_fit_is_a_ring_with_a_warning),
        cmocka_unit_test(test_parse_refuses_what_is_none),
        cmocka_unit_test(test_parameter_server_reduces_what_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
