/* Paths of flows: numbers, times, what they take, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/flows/flow_paths.h"

enum { LINKS = 64, MANY = 100000, HOPS = 6, LONG = 10000 };

struct fixture {
    struct orr_arena *arena;
    struct net_link link[LINKS];
    struct net_graph graph;
    struct flow_paths paths;
};

/* Links of 1 GB/s and 1 us, from node to node + 1; the first four nodes are NPUs. */
static void open_paths(struct fixture *f, struct net_flow_model model, bool counts)
{
    *f = (struct fixture){.arena = orr_arena_create()};
    for (uint32_t i = 0; i < LINKS; i++) {
        f->link[i] = (struct net_link){
            .from = i, .to = i + 1, .count = 1, .bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US};
    }
    f->graph = (struct net_graph){.link = f->link, .links = LINKS, .npus = 4, .nodes = LINKS + 1};
    orr_flow_paths_init(&f->paths, &f->graph, &model, f->arena, counts);
}

static void close_paths(struct fixture *f)
{
    orr_flow_paths_fini(&f->paths);
    orr_arena_destroy(f->arena);
}

static uint32_t intern(struct fixture *f, const uint32_t *link, uint32_t hops)
{
    return orr_flow_paths_intern(&f->paths, &(struct net_route_links){.link = link, .hops = hops});
}

static void test_a_path_has_one_number(void **state)
{
    static const uint32_t a[] = {1, 2, 3}, b[] = {1, 2}, c[] = {3, 2, 1};
    struct fixture f;
    (void)state;
    open_paths(&f, (struct net_flow_model){0}, true);
    assert_int_equal(intern(&f, a, 3), 0);
    assert_int_equal(intern(&f, b, 2), 1);
    assert_int_equal(intern(&f, c, 3), 2);
    assert_int_equal(intern(&f, a, 3), 0);
    assert_int_equal(intern(&f, b, 2), 1);
    const struct net_route_links links = flow_path_links(&f.paths, flow_path_at(&f.paths, 2));
    assert_int_equal(links.hops, 3);
    assert_memory_equal(links.link, c, sizeof c);
    assert_int_equal(flow_path_use(&f.paths, 2)->flows, 0);
    close_paths(&f);
}

/* Two links, packets of 1000 bytes (1 us), a handshake of 1 byte (1 ns): 2 x (1 us + 1 ns) until
 * the flow joins; 2 x 2 us for a packet there, of which 1 us is in the flow's own rate. Over the
 * NPU between links 0 and 1 it is 3 us more. All paths of two links have the same, but those over
 * an NPU. */
static void test_times_of_a_path(void **state)
{
    static const uint32_t plain[] = {8, 9}, other[] = {20, 21}, over[] = {0, 1};
    struct fixture f;
    (void)state;
    open_paths(&f,
               (struct net_flow_model){
                   .packet_bytes = 1000, .start_bytes = 1, .forward_ps = 3 * ORR_PS_PER_US},
               false);
    const struct flow_path *path = flow_path_at(&f.paths, intern(&f, plain, 2));
    const struct flow_times *times = flow_path_times(&f.paths, path);
    assert_int_equal(times->hops, 2);
    assert_int_equal(times->start_ps, 2002 * ORR_PS_PER_NS);
    assert_int_equal(times->tail_ps, 3 * ORR_PS_PER_US);
    assert_true(times->round_trip_ps == 4.0 * ORR_PS_PER_US);
    path = flow_path_at(&f.paths, intern(&f, other, 2));
    assert_ptr_equal(flow_path_times(&f.paths, path), times);
    path = flow_path_at(&f.paths, intern(&f, over, 2));
    assert_int_equal(flow_path_times(&f.paths, path)->start_ps, 5002 * ORR_PS_PER_NS);
    assert_int_equal(flow_path_times(&f.paths, path)->tail_ps, 6 * ORR_PS_PER_US);
    assert_null(flow_path_use(&f.paths, 0));
    close_paths(&f);
}

/* The digits of `number` in base LINKS, and of its square. */
static void links_of(uint32_t number, uint32_t *link)
{
    const uint64_t square = (uint64_t)number * number;
    for (uint32_t h = 0; h < HOPS; h++) {
        link[h] = (uint32_t)((h < 3 ? (uint64_t)number >> 6 * h : square >> 6 * (h - 3)) % LINKS);
    }
}

/* 24 bytes of links, 12 of its own, and 5 for each slot, of which 8 to 12 of 15 are taken: at most
 * 45.4. */
static void test_many_paths_take_little(void **state)
{
    struct fixture f;
    uint32_t link[HOPS];
    (void)state;
    open_paths(&f, (struct net_flow_model){0}, false);
    for (unsigned again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < MANY; i++) {
            links_of(i, link);
            assert_int_equal(intern(&f, link, HOPS), i);
        }
    }
    const double table = 5 * (double)f.paths.slots / MANY;
    const double pool = 4 * (double)f.paths.linked / MANY;
    assert_true(pool + table + sizeof(struct flow_path) <= 45.4);
    assert_int_equal(f.paths.times.used, 1);
    close_paths(&f);
}

/* Longer than a block of links, between short ones. */
static void test_long_paths_are_kept_whole(void **state)
{
    struct fixture f;
    uint32_t link[LONG];
    (void)state;
    open_paths(&f, (struct net_flow_model){0}, false);
    for (uint32_t i = 0; i < LONG; i++) {
        link[i] = i % LINKS;
    }
    assert_int_equal(intern(&f, link, 5), 0);
    assert_int_equal(intern(&f, link, LONG), 1);
    assert_int_equal(intern(&f, link, 7), 2);
    assert_int_equal(intern(&f, link, LONG), 1);
    const struct net_route_links links = flow_path_links(&f.paths, flow_path_at(&f.paths, 1));
    assert_int_equal(links.hops, LONG);
    assert_memory_equal(links.link, link, sizeof link);
    close_paths(&f);
}

/* Whichever allocation fails, nothing is half there, and all goes well when there is memory. */
static void test_memory_that_runs_out_leaves_no_path(void **state)
{
    uint32_t link[HOPS];
    (void)state;
    for (int64_t after = 0; after < 8; after++) {
        struct fixture f;
        open_paths(&f, (struct net_flow_model){0}, true);
        orr_arena_fail_after(f.arena, after);
        uint32_t added = 0;
        for (; added < 2000; added++) {
            links_of(added, link);
            if (intern(&f, link, HOPS) == UINT32_MAX) {
                break;
            }
        }
        assert_true(added < 2000 || after >= 4);
        orr_arena_fail_after(f.arena, -1);
        for (uint32_t i = 0; i < 2000; i++) {
            links_of(i, link);
            assert_int_equal(intern(&f, link, HOPS), i);
        }
        close_paths(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_has_one_number),
        cmocka_unit_test(test_times_of_a_path),
        cmocka_unit_test(test_many_paths_take_little),
        cmocka_unit_test(test_long_paths_are_kept_whole),
        cmocka_unit_test(test_memory_that_runs_out_leaves_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
