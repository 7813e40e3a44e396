/* Steps of all-reduces' rings go over the links between their ends, whatever routes other messages
 * take; bytes of every link by hand. */
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/unit/whole_fixture.h"
#include "whole_fixture.h"

#define MS (INT64_C(1000000) * ORR_PS_PER_NS)
#define US ORR_PS_PER_US

enum { SERVERS = 16, LINKS = 64, MEMBER_BYTES = 1000000 };

static const char *const backends[] = {"flow", "congestion"};

/* The circulant with jumps 1 and 5, in which a step of either has other ways as well. */
static void open_graph(struct orr_arena *arena, struct net_graph *graph)
{
    (void)whole_network(arena, "circulant:1,5", SERVERS, graph);
    assert_int_equal(graph->links, LINKS);
}

/* Bytes of all links. */
static uint64_t run_job(const struct whole_job *given, uint64_t *link_bytes)
{
    struct whole_job job = *given;
    uint64_t sum = 0;
    job.link_bytes = link_bytes;
    (void)mono_run(&job);
    for (uint32_t l = 0; l < job.network->links; l++) {
        sum += link_bytes[l];
    }
    return sum;
}

/* Each of four rings has a quarter of 16 MB, of which each member sends 2 x 15/16 over its link:
 * 7.5 MB; ecmp and k-shortest are the same then. */
static void test_rings_stay_on_their_links(void **state)
{
    static const char *const choices[] = {"ring", "ring_stream", "pipelined_ring"};
    static const struct net_routing *const routings[] = {&orr_routing_ecmp, &orr_routing_k_shortest,
                                                         &orr_routing_table};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    (void)state;
    open_graph(arena, &graph);
    for (size_t c = 0; c < 3 * 3 * 2; c++) {
        uint64_t link_bytes[LINKS];
        struct whole_job job = job_on(&graph, choices[c % 3], SERVERS, SERVERS * MEMBER_BYTES);
        job.routing = routings[c / 3 % 3];
        job.backend = backends[c / 9];
        (void)run_job(&job, link_bytes);
        for (uint32_t l = 0; l < LINKS; l++) {
            assert_int_equal(link_bytes[l], 7500000);
        }
    }
    orr_arena_destroy(arena);
}

/* Where that is asked for each message goes over one of the four shortest ways, of 1, 3, 3 and 3
 * links: more than twice the bytes. */
static void test_rings_are_routed_where_asked_for(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    uint64_t link_bytes[LINKS];
    (void)state;
    open_graph(arena, &graph);
    struct whole_job job = job_on(&graph, "ring", SERVERS, SERVERS * MEMBER_BYTES);
    job.routing = &orr_routing_k_shortest;
    job.rings_routed = true;
    assert_true(run_job(&job, link_bytes) > 2 * LINKS * UINT64_C(7500000));
    orr_arena_destroy(arena);
}

/* Two ways around a square, 1 GB/s and 1 us. The table leads from 0 to 1 the long way. */
static const uint32_t around[] = {0, 3, 2, 1};

static void open_square(struct orr_arena *arena, struct net_graph *graph, struct net_path *path,
                        uint32_t *link)
{
    (void)whole_network(arena, "circulant:1", 4, graph);
    for (uint32_t h = 0; h < 3; h++) {
        link[h] = orr_net_graph_find(graph, around[h], around[h + 1]);
    }
    *path = (struct net_path){.from = 0, .to = 1, .chance = 1, .hops = 3};
    orr_net_graph_set_paths(graph, path, 1, link);
}

/* 8 MB among four around two rings: 6 MB on every link, the one from 0 to 1 too where rings keep
 * theirs; else these go over 3 and 2. */
static void test_tables_leave_rings_alone(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    struct net_path path;
    uint32_t link[3];
    uint64_t link_bytes[8];
    (void)state;
    open_square(arena, &graph, &path, link);
    for (size_t b = 0; b < 2; b++) {
        struct whole_job job = job_on(&graph, "ring_stream", 4, 8000000);
        job.routing = &orr_routing_table;
        job.backend = backends[b];
        assert_int_equal(run_job(&job, link_bytes), 8 * 6000000);
        assert_int_equal(link_bytes[orr_net_graph_find(&graph, 0, 1)], 6000000);
        job.rings_routed = true;
        assert_int_equal(run_job(&job, link_bytes), 10 * 6000000);
        assert_int_equal(link_bytes[orr_net_graph_find(&graph, 0, 1)], 0);
        assert_int_equal(link_bytes[link[0]], 2 * 6000000);
    }
    orr_arena_destroy(arena);
}

/* A group that no ring is for goes by routes from each to the next: of a pair 0 sends over 3. */
static void test_groups_without_rings_go_by_routes(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    struct net_path path;
    uint32_t link[3];
    uint64_t link_bytes[8];
    (void)state;
    open_square(arena, &graph, &path, link);
    struct whole_job job = job_on(&graph, "ring_stream", 2, 8000000);
    job.routing = &orr_routing_table;
    assert_int_equal(run_job(&job, link_bytes), 4 * 8000000);
    assert_int_equal(link_bytes[orr_net_graph_find(&graph, 0, 1)], 0);
    orr_arena_destroy(arena);
}

/* What is no ring goes by the table: 0 sends its half to 1 and takes one back. */
static void test_other_messages_go_by_the_table(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    struct net_path path;
    uint32_t link[3];
    uint64_t link_bytes[8];
    (void)state;
    open_square(arena, &graph, &path, link);
    struct whole_job job = job_on(&graph, "direct", 2, 8000000);
    job.routing = &orr_routing_table;
    assert_int_equal(run_job(&job, link_bytes), 32000000);
    assert_int_equal(link_bytes[orr_net_graph_find(&graph, 0, 1)], 0);
    orr_arena_destroy(arena);
}

/* 0 and 2 of the square have no link: both ways of a ring's step are open to routes. */
static void test_steps_without_a_link_are_routed(void **state)
{
    static const uint32_t members[] = {0, 2};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph;
    uint64_t link_bytes[8];
    (void)state;
    (void)whole_network(arena, "circulant:1", 4, &graph);
    struct whole_job job = job_on(&graph, "ring_stream", 2, 8000000);
    job.operation[0].rank = members;
    job.routing = &orr_routing_k_shortest;
    assert_int_equal(run_job(&job, link_bytes), 2 * 2 * 8000000);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings_stay_on_their_links),
        cmocka_unit_test(test_rings_are_routed_where_asked_for),
        cmocka_unit_test(test_tables_leave_rings_alone),
        cmocka_unit_test(test_groups_without_rings_go_by_routes),
        cmocka_unit_test(test_other_messages_go_by_the_table),
        cmocka_unit_test(test_steps_without_a_link_are_routed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
