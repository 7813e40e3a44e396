/* All-reduces around rings in one steady stream each way (bidirectional_ring_stream): times and
 * bytes of every link by hand, beside those of ring_stream; by labels and by insertion, as flows
 * and as whole messages. */
#include "whole_fixture.h"

#define MS (INT64_C(1000000) * ORR_PS_PER_NS)
#define US ORR_PS_PER_US

enum { MAX_LINKS = 256 };

struct fixture {
    struct orr_arena *arena;
    struct net_graph graph;
    uint64_t link_bytes[MAX_LINKS];
};

/* The graph of a network section, whose links have 1 GB/s and 1 us. */
static void read_graph(struct fixture *f, const char *text)
{
    const struct orr_conf *root = NULL;
    struct net_config config;
    struct orr_diag diag;
    char message[400];
    orr_diag_init(&diag);
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &diag), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=1 GB/s", &root, NULL), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    if (orr_net_config_read(f->arena, root, &config, &diag) != ORR_OK) {
        (void)orr_diag_render(&diag, message, sizeof message);
        fail_msg("%s", message);
    }
    f->graph = *config.graph;
    if (f->graph.rings == 0) {
        f->graph.ring_choice = NET_RINGS_OWN; /* one ring, in the group's own order */
    }
    assert_true(f->graph.links <= MAX_LINKS);
}

/* Under flow and congestion, by labels and by insertion. */
static void takes(struct fixture *f, const char *choice, uint32_t members, uint64_t bytes,
                  sim_time end_ps)
{
    static const struct sys_policy *const policies[] = {&orr_sys_policy_task_graph,
                                                        &orr_sys_policy_default};
    static const char *const backends[] = {"congestion", "flow"};
    for (size_t i = 0; i < 4; i++) {
        struct whole_job job = job_on(&f->graph, choice, members, bytes);
        job.link_bytes = f->link_bytes;
        job.policy = policies[i % 2];
        job.backend = backends[i / 2];
        assert_int_equal(mono_run(&job).end_ps, end_ps);
    }
}

static uint64_t bytes_of(const struct fixture *f, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(&f->graph, from, to);
    assert_int_not_equal(link, NET_NO_LINK);
    return f->link_bytes[link];
}

static uint64_t all_bytes(const struct fixture *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->graph.links; i++) {
        sum += f->link_bytes[i];
    }
    return sum;
}

#define SQUARE "{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}, {from: 3, to: 0}"

/* 8 MB among 4, each linked to the next both ways; each sends 12 MB: all to the next, or half of it
 * and half to the one before. Without rings of the network, and around one that it has. */
static void test_half_each_way_takes_half_the_time(void **state)
{
    static const char *const graphs[] = {
        "graph: {npus: 4, links: [" SQUARE "]}",
        "graph: {npus: 4, links: [" SQUARE "], rings: [{npus: 4, jumps: [1]}]}",
        "graph: {npus: 4, fabric: \"circulant:1\", rings: [{npus: 4, order: [0, 1, 2, 3]}]}"};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        read_graph(f, graphs[i]);
        takes(f, "ring_stream", 4, 8000000, 12 * MS + US);
        assert_int_equal(bytes_of(f, 0, 1), 12000000);
        assert_int_equal(bytes_of(f, 1, 0), 0);
        takes(f, "bidirectional_ring_stream", 4, 8000000, 6 * MS + US);
        for (uint32_t from = 0; from < 4; from++) {
            assert_int_equal(bytes_of(f, from, (from + 1) % 4), 6000000);
            assert_int_equal(bytes_of(f, (from + 1) % 4, from), 6000000);
        }
    }
}

/* A ring each way: a quarter of 12 MB each way around both, which is the same over every link. */
static void test_every_ring_is_used_both_ways(void **state)
{
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, fabric: \"circulant:1\"}");
    assert_int_equal(f->graph.rings, 2);
    takes(f, "bidirectional_ring_stream", 4, 8000000, 6 * MS + US);
    struct whole_job job = job_on(&f->graph, "bidirectional_ring_stream", 4, 8000000);
    assert_true(mono_run(&job).messages == 4 * 2 * 2);
    for (uint32_t i = 0; i < f->graph.links; i++) {
        assert_int_equal(f->link_bytes[i], 6000000);
    }
}

/* 2 x 2/3 of 1 000 001 bytes is 1333334.67, rounded up 1333335: 666668 to the next, 666667 back. */
static void test_the_odd_byte_goes_to_the_next(void **state)
{
    struct fixture *f = *state;
    read_graph(f,
               "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 0}]}");
    takes(f, "bidirectional_ring_stream", 3, 1000001, 666668 * INT64_C(1000) + US);
    for (uint32_t from = 0; from < 3; from++) {
        assert_int_equal(bytes_of(f, from, (from + 1) % 3), 666668);
        assert_int_equal(bytes_of(f, (from + 1) % 3, from), 666667);
    }
}

/* The next is the one before: one message of all, as by ring_stream. */
static void test_two_send_each_other_one_message(void **state)
{
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 2, links: [{from: 0, to: 1}]}");
    takes(f, "ring_stream", 2, 8000001, 8000001 * INT64_C(1000) + US);
    takes(f, "bidirectional_ring_stream", 2, 8000001, 8000001 * INT64_C(1000) + US);
    assert_int_equal(all_bytes(f), 2 * 8000001);
    struct whole_job job = job_on(&f->graph, "bidirectional_ring_stream", 2, 8000001);
    assert_true(mono_run(&job).messages == 2);
}

/* In a full mesh the ring lists 0, 2, 1, 3: links of neighbours have 6 MB each way, and 0 - 1 and
 * 2 - 3 nothing. By jumps of 2 among 5 likewise: 16 MB, 8 each way. */
static void test_members_before_are_those_of_the_ring(void **state)
{
    static const uint32_t ring[] = {0, 2, 1, 3};
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, fabric: full-mesh, rings: [{members: [0, 2, 1, 3]}]}");
    takes(f, "bidirectional_ring_stream", 4, 8000000, 6 * MS + US);
    for (uint32_t place = 0; place < 4; place++) {
        const uint32_t from = ring[place], to = ring[(place + 1) % 4];
        assert_int_equal(bytes_of(f, from, to), 6000000);
        assert_int_equal(bytes_of(f, to, from), 6000000);
    }
    assert_int_equal(all_bytes(f), 8 * 6000000);
    read_graph(f, "graph: {npus: 5, fabric: full-mesh, rings: [{npus: 5, jumps: [2]}]}");
    takes(f, "bidirectional_ring_stream", 5, 10000000, 8 * MS + US);
    for (uint32_t from = 0; from < 5; from++) {
        assert_int_equal(bytes_of(f, from, (from + 2) % 5), 8000000);
        assert_int_equal(bytes_of(f, (from + 2) % 5, from), 8000000);
        assert_int_equal(bytes_of(f, from, (from + 1) % 5), 0);
    }
}

/* A ring that names its ways: 0 to 1 over 3, in a square with 1 - 3 as well. Forward they are gone;
 * back it is the links: 0 -> 3 has 6 MB of 0 -> 1, and 6 that 0 sends back to 3; so has 3 -> 1 of 0
 * -> 1 alone, 6; 1 -> 2, 2 -> 3, 3 -> 0 6 each, and back 1 -> 0, 2 -> 1, 3 -> 2. As flows the two
 * on 0 -> 3 have half of it each: 12 ms, and 2 us of the one over two links. */
static void test_named_ways_lead_forward(void **state)
{
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, links: [" SQUARE ", {from: 1, to: 3}], "
                  "rings: [{steps: [0 3 1, 1 2, 2 3, 3 0]}]}");
    struct whole_job job = job_on(&f->graph, "bidirectional_ring_stream", 4, 8000000);
    job.link_bytes = f->link_bytes;
    assert_int_equal(mono_run(&job).end_ps, 12 * MS + 2 * US);
    assert_int_equal(bytes_of(f, 0, 3), 12000000);
    assert_int_equal(bytes_of(f, 3, 1), 6000000);
    assert_int_equal(bytes_of(f, 0, 1), 0);
    assert_int_equal(bytes_of(f, 1, 0), 6000000);
    assert_int_equal(all_bytes(f), 9 * 6000000);
}

static int set_up(void **state)
{
    struct fixture *f = orr_heap_calloc(1, sizeof *f);
    f->arena = orr_arena_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    orr_arena_destroy(f->arena);
    orr_heap_free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_half_each_way_takes_half_the_time),    TEST(test_every_ring_is_used_both_ways),
        TEST(test_the_odd_byte_goes_to_the_next),        TEST(test_two_send_each_other_one_message),
        TEST(test_members_before_are_those_of_the_ring), TEST(test_named_ways_lead_forward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
