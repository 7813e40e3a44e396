/* Rings that have lost a link (network.ring_recovery): times by hand of the three ways to go on,
 * what a link of several side by side does, links that die and come back between all-reduces, and
 * what holds of all topologies of TopoOpt: one link that fails parts nobody, and all-reduces around
 * r permutations take at most r / (r - 1) of their time. Links of 1 GB/s and 1 us. */
#include <stdlib.h>

#include "whole_fixture.h"

#define US ORR_PS_PER_US
#define MS (1000 * US)
#define MB UINT64_C(1000000)

enum { WAYS = 3, TEXT_BYTES = 700 };

struct fixture {
    struct orr_arena *arena;
    struct net_graph graph;
};

/* The graph of a network section; `more` is further keys. Its links have 1 GB/s and 1 us. */
static enum orr_status read_with(struct fixture *f, const char *text, const char *more,
                                 struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct net_config config;
    char all[2 * TEXT_BYTES];
    orr_diag_init(diag);
    (void)snprintf(all, sizeof all, "{%s%s%s}", text, more[0] != '\0' ? ", " : "", more);
    assert_int_equal(orr_conf_parse(f->arena, all, strlen(all), "net.yml", &root, diag), ORR_OK);
    if (strncmp(text, "graph", 5) == 0) {
        assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=1 GB/s", &root, NULL),
                         ORR_OK);
        assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    }
    const enum orr_status status = orr_net_config_read(f->arena, root, &config, diag);
    if (status == ORR_OK) {
        f->graph = *config.graph;
    }
    return status;
}

static void read_net(struct fixture *f, const char *text, const char *more)
{
    struct orr_diag diag;
    char message[400];
    if (read_with(f, text, more, &diag) != ORR_OK) {
        (void)orr_diag_render(&diag, message, sizeof message);
        fail_msg("%s", message);
    }
}

/* One all-reduce of all NPUs, message by message and in rounds that are sent at once. */
static sim_time time_of(const struct fixture *f, const char *choice, uint64_t bytes)
{
    struct whole_job job = job_on(&f->graph, choice, f->graph.npus, bytes);
    const sim_time end_ps = mono_run(&job).end_ps;
    job.one_by_one = true;
    assert_int_equal(mono_run(&job).end_ps, end_ps);
    return end_ps;
}

/* A graph whose links `failed` are out of order, by each recovery. */
struct expected {
    const char *net, *failed, *choice;
    uint64_t bytes;
    sim_time healthy_ps, recovered_ps[WAYS]; /* < 0: not by hand */
};

static void expect(struct fixture *f, const struct expected *given)
{
    read_net(f, given->net, "");
    assert_int_equal(time_of(f, given->choice, given->bytes), given->healthy_ps);
    for (unsigned way = 0; way < WAYS; way++) {
        char more[TEXT_BYTES];
        (void)snprintf(more, sizeof more, "failures: [%s], ring_recovery: %s", given->failed,
                       orr_net_ring_recoveries[way]);
        read_net(f, given->net, more);
        const sim_time end_ps = time_of(f, given->choice, given->bytes);
        if (given->recovered_ps[way] >= 0 && end_ps != given->recovered_ps[way]) {
            fail_msg("%s, %s, %s, %s: %lld ps, expected %lld", given->net, given->failed,
                     given->choice, orr_net_ring_recoveries[way], (long long)end_ps,
                     (long long)given->recovered_ps[way]);
        }
    }
}

/* ---- by hand ---- */

/* 5 servers, jumps 1 and 2, duplex: four rings. Each sends 2 x 4/5 x 20 = 32 MB, 8 around each.
 * Without 0-1 the steps of rings +1 and -1 go over server 2, on links that +2, -1, -2 and +1 have
 * as well: 16 MB and two latencies. Shared, +2 and -2 carry 16 each. In rounds, 8 of 1 MB, or 2. */
static void test_duplex_rings_of_five_servers(void **state)
{
    const struct expected stream = {"graph: {npus: 5, fabric: \"circulant:1,2\"}",
                                    "0-1",
                                    "ring_stream",
                                    20 * MB,
                                    8 * MS + US,
                                    {16 * MS + 2 * US, 16 * MS + 2 * US, 16 * MS + US}};
    struct expected rounds = stream;
    rounds.choice = "ring";
    rounds.healthy_ps = 8 * (MS + US);
    rounds.recovered_ps[0] = rounds.recovered_ps[1] = -1;
    rounds.recovered_ps[2] = 8 * (2 * MS + US);
    expect(*state, &stream);
    expect(*state, &rounds);
}

/* One way, two rings of 16 MB. From 0 to 1 there is 0, 2, 4, 1, all of which the other ring uses:
 * 32 MB and three latencies; shared, 32 MB over it alone, and one. */
static void test_one_way_rings_of_five_servers(void **state)
{
    expect(*state, &(struct expected){"graph: {npus: 5, fabric: \"circulant:+1,+2\"}",
                                      "0-1",
                                      "ring_stream",
                                      20 * MB,
                                      16 * MS + US,
                                      {32 * MS + 3 * US, 32 * MS + 3 * US, 32 * MS + US}});
}

/* 6 servers: around jumps 2 and 3 there is no ring, so that these links are those of other traffic.
 * Shortest, by the lowest nodes, is 0, 2, 1, whose second link ring -1 has; 0, 3, 1 is nobody's.
 * Both rings lose a link, so that none is left to share with. */
static void test_links_that_no_ring_uses_are_borrowed(void **state)
{
    struct expected stream = {"graph: {npus: 6, fabric: \"circulant:1,2,3\"}",
                              "1-0",
                              "ring_stream",
                              6 * MB,
                              5 * MS + US,
                              {10 * MS + 2 * US, 5 * MS + 2 * US, 10 * MS + 2 * US}};
    expect(*state, &stream);
    stream.choice = "ring";
    stream.healthy_ps = 10 * (MS / 2 + US);
    stream.recovered_ps[0] = stream.recovered_ps[2] = -1;
    stream.recovered_ps[1] = 10 * (MS / 2 + 2 * US);
    expect(*state, &stream);
}

/* Rings around jump 1, both ways; the other jump is free. Among 12 five hops of 5 lead from 0 to 1,
 * which count less than 0, 5, 6, 1 with a link of a ring, 1 + 4 + 1. Among 16 it would be seven
 * hops of 7, and a link of a ring is shared. */
static void test_free_links_are_borrowed_up_to_a_length(void **state)
{
    expect(*state, &(struct expected){"graph: {npus: 12, fabric: \"circulant:1,5\", rings: "
                                      "[{npus: 12, jumps: [1]}, {npus: 12, jumps: [-1]}]}",
                                      "0-1",
                                      "ring_stream",
                                      12 * MB,
                                      11 * MS + US,
                                      {22 * MS + 3 * US, 11 * MS + 5 * US, 22 * MS + 3 * US}});
    expect(*state, &(struct expected){"graph: {npus: 16, fabric: \"circulant:1,7\", rings: "
                                      "[{npus: 16, jumps: [1]}, {npus: 16, jumps: [-1]}]}",
                                      "0-1",
                                      "ring_stream",
                                      16 * MB,
                                      15 * MS + US,
                                      {30 * MS + 3 * US, 30 * MS + 3 * US, 30 * MS + 3 * US}});
}

/* A matching beside a ring of 4 whose steps are listed: 0-1 is lost, 0, 2, 1 has one link of the
 * ring's other way, which nobody goes, so that both recoveries take 12 MB and 2 us. */
static void test_steps_that_are_listed_recover_as_well(void **state)
{
    static const char net[] =
        "graph: {npus: 4, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}, "
        "{from: 3, to: 0}, {from: 0, to: 2}], rings: [{steps: [0 1, 1 2, 2 3, 3 0]}]}";
    expect(*state, &(struct expected){net,
                                      "0-1",
                                      "ring_stream",
                                      8 * MB,
                                      12 * MS + US,
                                      {12 * MS + 2 * US, 12 * MS + 2 * US, 12 * MS + 2 * US}});
}

/* ---- links side by side ---- */

#define SIDE_BY_SIDE(count)                                                                        \
    "graph: {npus: 4, links: [{from: 0, to: 1, count: " count "}, {from: 1, to: 2, count: " count  \
    "}, {from: 2, to: 3, count: " count "}, {from: 3, to: 0, count: " count "}]"

/* A ring over one of two links goes on over the other, however it recovers. */
static void test_a_ring_goes_on_over_the_link_beside(void **state)
{
    expect(*state, &(struct expected){SIDE_BY_SIDE("2") ", rings: [{npus: 4}]}",
                                      "0-1/1",
                                      "ring_stream",
                                      8 * MB,
                                      6 * MS + US,
                                      {12 * MS + US, 12 * MS + US, 12 * MS + US}});
}

/* Three rings over three links: of two that are left three rings have 4 MB each, 12 / 2; two have 6
 * over one each. */
static void test_a_ring_of_three_over_links_side_by_side_is_shared(void **state)
{
    expect(*state,
           &(struct expected){SIDE_BY_SIDE("3") ", rings: [{npus: 4}, {npus: 4}, {npus: 4}]}",
                              "1-2/1",
                              "ring_stream",
                              8 * MB,
                              4 * MS + US,
                              {6 * MS + US, 6 * MS + US, 6 * MS + US}});
}

static void test_failures_that_are_not_there_are_refused(void **state)
{
    static const struct {
        const char *failures, *says;
    } wrong[] = {
        {"0-1/3", "expected at most the number of parallel links, got \"0-1/3\""},
        {"0-1, 0-1/1", "expected at most the number of parallel links, got \"0-1/1\""},
        {"0-2/1", "expected at most the number of parallel links, got \"0-2/1\""},
        {"0-1/0", "expected a node, 0 to 3, or a link as FROM-TO, got \"0-1/0\""},
        {"3/1", "expected at most the number of parallel links, got \"3/1\""},
        {"0-2", "expected a working node or an existing link, got \"0-2\""},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char more[TEXT_BYTES];
        struct orr_diag diag;
        (void)snprintf(more, sizeof more, "failures: [%s]", wrong[i].failures);
        assert_int_equal(read_with(f, SIDE_BY_SIDE("2") "}", more, &diag), ORR_ERR_INPUT);
        assert_non_null(strstr(diag.message, wrong[i].says));
    }
    read_net(f, SIDE_BY_SIDE("2") "}", "failures: [0-1/1, 0-1/1]");
    assert_int_equal(f->graph.failed_links, 2);
}

static void test_circuits_do_not_recover_rings(void **state)
{
    struct orr_diag diag;
    assert_int_equal(
        read_with(*state, "graph: {npus: 4}, circuits: {ports: 2, bandwidth: 1 GB/s, period: 1 ms}",
                  "ring_recovery: share", &diag),
        ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "ring_recovery: circuits move by their controller"));
}

/* ---- while the job runs ---- */

/* Three all-reduces, of 8.008 ms where all is well. The link dies in the middle of the first, which
 * goes on by routes; the second begins without it and is shared, 16.008 ms; the link is back before
 * the third, which takes what the first would have. */
static void test_the_next_all_reduce_takes_the_recovery(void **state)
{
    struct fixture *f = *state;
    read_net(f, "graph: {npus: 5, fabric: \"circulant:1,2\"}",
             "changes: [{at: 4 ms, link: 0-1, working: 0}, {at: 45 ms, link: 0-1, working: 1}], "
             "reroute: true, ring_recovery: share");
    struct whole_job job = job_on(&f->graph, "ring", 5, 20 * MB);
    job.operations = 3;
    for (uint32_t i = 1; i < 3; i++) {
        job.operation[i] = job.operation[0];
        job.operation[i].start_ps = (i == 1 ? 20 : 50) * MS;
    }
    const struct whole_outcome out = mono_run(&job);
    assert_true(out.done_ps[0] > 8 * MS + 8 * US && out.done_ps[0] < 16 * MS);
    assert_int_equal(out.done_ps[1], 20 * MS + 8 * (2 * MS + US));
    assert_int_equal(out.done_ps[2], 50 * MS + 8 * (MS + US));
}

/* Dead from the beginning, by each recovery and both orders of events: as a failure. */
static void test_a_link_that_is_dead_from_the_start_is_a_failure(void **state)
{
    static const struct sys_policy *const policies[] = {&orr_sys_policy_task_graph,
                                                        &orr_sys_policy_default};
    static const char net[] = "graph: {npus: 6, fabric: \"circulant:1,2,3\"}";
    struct fixture *f = *state;
    for (unsigned i = 0; i < 2 * WAYS; i++) {
        char failed[TEXT_BYTES], dead[TEXT_BYTES];
        const char *recovery = orr_net_ring_recoveries[i / 2];
        (void)snprintf(failed, sizeof failed, "failures: [0-1], ring_recovery: %s", recovery);
        (void)snprintf(dead, sizeof dead,
                       "changes: [{at: 0 us, link: 0-1, working: 0}], reroute: true, "
                       "ring_recovery: %s",
                       recovery);
        read_net(f, net, failed);
        struct whole_job job = job_on(&f->graph, "ring_stream", 6, 6 * MB);
        job.policy = policies[i % 2];
        const sim_time end_ps = mono_run(&job).end_ps;
        read_net(f, net, dead);
        assert_int_equal(mono_run(&job).end_ps, end_ps);
    }
}

/* ---- what always holds ---- */

static uint32_t jumps_of(const struct net_graph *graph)
{
    return (graph->first_out[1] - graph->first_out[0]) / 2;
}

/* The topologies that TopoOpt lays, duplex: with any link gone they are read, which asks whether
 * all are joined. */
static void test_one_failed_link_never_parts_a_topoopt_topology(void **state)
{
    (void)state;
    for (uint32_t servers = 3; servers <= 33; servers++) {
        for (uint32_t degree = 4; degree <= 8; degree += 2) {
            struct fixture f = {.arena = orr_arena_create()};
            char net[TEXT_BYTES], more[TEXT_BYTES];
            (void)snprintf(net, sizeof net,
                           "design: {name: topoopt, servers: %u, degree: %u, bandwidth: 8 Gb/s}",
                           servers, degree);
            struct orr_diag diag;
            if (read_with(&f, net, "", &diag) != ORR_OK) { /* too few servers for the degree */
                assert_true(servers <= degree);
                orr_arena_destroy(f.arena);
                continue;
            }
            const struct net_graph whole = f.graph;
            for (uint32_t i = 0; i < whole.links; i++) {
                (void)snprintf(more, sizeof more, "failures: [%u-%u]", whole.link[i].from,
                               whole.link[i].to);
                read_net(&f, net, more);
            }
            orr_arena_destroy(f.arena);
        }
    }
}

/* r = 1, 2, 3, 4 permutations, duplex and one way: with one link gone an all-reduce that is shared
 * takes r / (r - 1) of its time, to a hundredth; alone it goes on by routes. */
static void test_sharing_costs_the_share_of_a_ring(void **state)
{
    static const struct {
        uint32_t servers, rings;
        const char *fabric;
    } given[] = {{5, 2, "circulant:1,2"},       {7, 3, "circulant:1,2,3"},
                 {16, 2, "circulant:1,5"},      {16, 3, "circulant:1,3,5"},
                 {16, 4, "circulant:1,3,5,7"},  {16, 2, "circulant:+1,+5"},
                 {16, 3, "circulant:+1,+3,+7"}, {16, 4, "circulant:+1,+3,+7,+11"},
                 {12, 2, "circulant:1,5"}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char net[TEXT_BYTES];
        (void)snprintf(net, sizeof net, "graph: {npus: %u, fabric: \"%s\"}", given[i].servers,
                       given[i].fabric);
        read_net(f, net, "");
        const double healthy = (double)time_of(f, "ring", 480 * MB);
        read_net(f, net, "failures: [0-1], ring_recovery: share");
        const double shared = (double)time_of(f, "ring", 480 * MB);
        const double r = given[i].rings;
        assert_true(shared <= healthy * r / (r - 1) * 1.001);
        assert_true(shared >= healthy * r / (r - 1) * 0.99);
        assert_true(jumps_of(&f->graph) <= r);
    }
}

/* ---- all ---- */

static int create(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->arena = orr_arena_create();
    *state = f;
    return 0;
}

static int destroy(void **state)
{
    struct fixture *f = *state;
    orr_arena_destroy(f->arena);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_duplex_rings_of_five_servers),
        TEST(test_one_way_rings_of_five_servers),
        TEST(test_links_that_no_ring_uses_are_borrowed),
        TEST(test_free_links_are_borrowed_up_to_a_length),
        TEST(test_steps_that_are_listed_recover_as_well),
        TEST(test_a_ring_goes_on_over_the_link_beside),
        TEST(test_a_ring_of_three_over_links_side_by_side_is_shared),
        TEST(test_failures_that_are_not_there_are_refused),
        TEST(test_circuits_do_not_recover_rings),
        TEST(test_the_next_all_reduce_takes_the_recovery),
        TEST(test_a_link_that_is_dead_from_the_start_is_a_failure),
        TEST(test_one_failed_link_never_parts_a_topoopt_topology),
        TEST(test_sharing_costs_the_share_of_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
