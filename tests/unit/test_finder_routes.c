/* Routes of transfers: largest loads by hand and against even division, the base, longer paths,
 * several paths of a pair, bad graphs; loads of rings. */
#include <math.h>

#include "graph_fixture.h"

#include "network/graph.h"
#include "network/graph_build.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/finder/routes.h"
#include "tests/unit/graph_fixture.h"

enum { SERVERS = 128, BYTES = 1000000 };

static uint64_t *new_transfers(struct fixture *f)
{
    uint64_t *transfers =
        orr_arena_array(f->arena, (size_t)f->graph.npus * f->graph.npus, sizeof *transfers);
    assert_non_null(transfers);
    return transfers;
}

static uint64_t *all_to_all(struct fixture *f)
{
    uint64_t *transfers = new_transfers(f);
    const uint32_t npus = f->graph.npus;
    for (uint32_t i = 0; i < npus * npus; i++) {
        transfers[i] = i / npus == i % npus ? 0 : BYTES;
    }
    return transfers;
}

static double *new_loads(struct fixture *f)
{
    double *loads = orr_arena_array(f->arena, (size_t)f->graph.links + 1, sizeof *loads);
    assert_non_null(loads);
    return loads;
}

static struct finder_loads routes(struct fixture *f, const uint64_t *transfers,
                                  const struct finder_route_options *options)
{
    struct finder_loads loads;
    assert_int_equal(orr_finder_routes(f->arena, &f->graph, transfers, options, &loads, &f->diag),
                     ORR_OK);
    return loads;
}

static bool is_near(double got, double expected, double within)
{
    return fabs(got - expected) <= within * expected;
}

/* Links of 1 GB/s between nodes that are all NPUs. */
static void graph_of(struct fixture *f, uint32_t npus, const uint32_t (*pair)[2], size_t pairs)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, npus, 0);
    for (size_t i = 0; i < pairs; i++) {
        orr_net_graph_both(
            &builder, &(struct net_link){
                          .from = pair[i][0], .to = pair[i][1], .count = 1, .bytes_per_s = 1e9});
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
}

static const uint32_t diamond[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
static const uint32_t triangle[][2] = {{0, 1}, {0, 2}, {1, 2}};

/* From 0 to 3 two ways lead, over 1 and 2. What is sent to 1 already, 1 MB, leaves 1 MB of 3 for
 * that way: all links have at most 2 MB then, and 2 MB go over 2. */
static void test_transfers_go_where_less_is(void **state)
{
    struct fixture *f = *state;
    graph_of(f, 4, diamond, 4);
    uint64_t *transfers = new_transfers(f);
    transfers[0 * 4 + 3] = 3 * BYTES;
    double *base = new_loads(f);
    base[orr_net_graph_find(&f->graph, 0, 1)] = BYTES;
    const struct finder_loads loads =
        routes(f, transfers, &(struct finder_route_options){.paths = 3, .base = base});
    assert_true(is_near(loads.all.max, 2e-3, 1e-9));
    assert_true(is_near(loads.transfers.max, 2e-3, 1e-9));
    assert_true(is_near(loads.all.mean, 7e-3 / 8, 1e-9));
    assert_int_equal(f->graph.paths, 2);
    assert_true(is_near(f->graph.path[0].chance, 1, 1e-9)); /* over 1 */
    assert_true(is_near(f->graph.path[1].chance, 2, 1e-9));
    assert_int_equal(f->graph.path_link[f->graph.path[0].first_link],
                     orr_net_graph_find(&f->graph, 0, 1));
    assert_int_equal(loads.pairs, 1);
    assert_int_equal(loads.longer, 0);
    assert_true(loads.hops_mean == 2);
}

/* Two ways of each of four pairs around a square, 1 MB each: whole, as two go each way, the links
 * have 1 MB, and halves have no less. */
static void test_pairs_stay_whole_where_halves_do_not_help(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1", 4), ORR_OK);
    uint64_t *transfers = new_transfers(f);
    for (uint32_t i = 0; i < 4; i++) {
        transfers[i * 4 + (i + 2) % 4] = BYTES;
    }
    const struct finder_loads loads =
        routes(f, transfers, &(struct finder_route_options){.paths = 0});
    assert_int_equal(f->graph.paths, 4);
    assert_true(is_near(loads.all.max, loads.all.mean, 1e-9));
}

static void test_one_path_where_one_is_asked_for(void **state)
{
    struct fixture *f = *state;
    graph_of(f, 4, diamond, 4);
    uint64_t *transfers = new_transfers(f);
    transfers[0 * 4 + 3] = 3 * BYTES;
    const struct finder_loads loads =
        routes(f, transfers, &(struct finder_route_options){.paths = 1});
    assert_int_equal(f->graph.paths, 1);
    assert_true(is_near(loads.all.max, 3e-3, 1e-9));
}

/* 4 MB from 0 to 1, where the link has 3 MB of an all-reduce already: in four parts all over 2 if
 * that may be, which brings the largest load from 7 ms down to 4 ms (or 3 + 1 and 3). */
static void test_longer_paths_only_where_asked_for(void **state)
{
    struct fixture *f = *state;
    graph_of(f, 3, triangle, 3);
    uint64_t *transfers = new_transfers(f);
    transfers[0 * 3 + 1] = 4 * BYTES;
    double *base = new_loads(f);
    base[orr_net_graph_find(&f->graph, 0, 1)] = 3 * BYTES;
    struct finder_loads loads = routes(f, transfers, &(struct finder_route_options){.base = base});
    assert_true(is_near(loads.all.max, 7e-3, 1e-9));
    assert_int_equal(loads.longer, 0);
    loads = routes(f, transfers, &(struct finder_route_options){.base = base, .longer = true});
    assert_true(is_near(loads.all.max, 4e-3, 1e-9));
    assert_int_equal(loads.longer, 1);
}

/* Nothing is gained by longer paths where all links have the same load. */
static void test_longer_paths_only_where_they_help(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1", 5), ORR_OK);
    const struct finder_loads loads =
        routes(f, all_to_all(f), &(struct finder_route_options){.longer = true});
    assert_int_equal(loads.longer, 0);
    assert_true(is_near(loads.all.max, loads.all.mean, 1e-9));
    assert_true(is_near(loads.hops_mean, 1.5, 1e-9));
}

/* Of an all-to-all of 128 servers: random shortest paths have 1.24 x the mean on the fullest link
 * and orders of jumps 1.31; even division has 1.10 and 1.08, and what is found is less. */
static void test_largest_loads_are_below_even_division(void **state)
{
    static const struct {
        const char *fabric;
        double even, max; /* over the mean, at most */
        double hops;
    } cases[] = {{"circulant:1,13", 1.1002, 1.062, 5.622},
                 {"circulant:1,11", 1.1210, 1.090, 5.480},
                 {"circulant:1,5,13,39", 1.0817, 1.025, 2.961},
                 {"circulant:1,3,11,37", 1.1888, 1.036, 2.929}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(build(f, cases[i].fabric, SERVERS), ORR_OK);
        const uint64_t *transfers = all_to_all(f);
        double *even = new_loads(f);
        assert_int_equal(orr_finder_add_even(&f->graph, transfers, even, &f->diag), ORR_OK);
        const struct finder_load divided = orr_finder_load_of(&f->graph, even);
        const struct finder_loads loads =
            routes(f, transfers, &(struct finder_route_options){.paths = 0});
        assert_true(divided.max / divided.mean <= cases[i].even);
        assert_true(divided.max / divided.mean > cases[i].even - 2e-4);
        assert_true(loads.all.max / loads.all.mean <= cases[i].max);
        assert_true(is_near(loads.all.mean, divided.mean, 1e-9));
        assert_true(is_near(loads.hops_mean, cases[i].hops, 2e-4));
        assert_int_equal(f->graph.paths, SERVERS * (SERVERS - 1)); /* one of each pair */
    }
}

/* What longer paths cost the others, more links in all, is less than what the largest gains. */
static void test_longer_paths_gain_more_than_they_cost(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "expander:4", SERVERS), ORR_OK);
    const uint64_t *transfers = all_to_all(f);
    const struct finder_loads min =
        routes(f, transfers, &(struct finder_route_options){.longer = false});
    const struct finder_loads longer =
        routes(f, transfers, &(struct finder_route_options){.longer = true});
    assert_int_equal(min.longer, 0);
    assert_true(longer.longer > 0);
    assert_true(min.all.max - longer.all.max > longer.all.mean - min.all.mean);
}

/* The loads are those of the paths, which the router takes. */
static void test_the_table_has_the_paths(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    const struct finder_loads loads =
        routes(f, all_to_all(f), &(struct finder_route_options){.paths = 1});
    double *bytes = new_loads(f);
    route_by(f, &(struct net_route_options){.routing = &orr_routing_table});
    for (uint32_t pair = 0; pair < 16 * 16; pair++) {
        const uint32_t src = pair / 16, dst = pair % 16;
        if (src != dst) {
            const struct net_route_links path = path_of(f, src, dst, pair);
            for (uint32_t h = 0; h < path.hops; h++) {
                bytes[path.link[h]] += BYTES;
            }
        }
    }
    const struct finder_load of = orr_finder_load_of(&f->graph, bytes);
    assert_true(is_near(of.max, loads.transfers.max, 1e-9));
    assert_true(is_near(of.min, loads.transfers.min, 1e-9));
}

static void test_equal_input_gives_equal_paths(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    const uint64_t *transfers = all_to_all(f);
    struct net_graph one = f->graph;
    (void)routes(f, transfers, &(struct finder_route_options){.longer = true});
    const struct net_graph two = f->graph;
    f->graph = one;
    (void)routes(f, transfers, &(struct finder_route_options){.longer = true});
    assert_int_equal(f->graph.paths, two.paths);
    for (uint32_t i = 0; i < two.paths; i++) {
        const struct net_path *a = &f->graph.path[i], *b = &two.path[i];
        assert_int_equal(a->hops, b->hops);
        assert_memory_equal(f->graph.path_link + a->first_link, two.path_link + b->first_link,
                            a->hops * sizeof(uint32_t));
    }
}

static void test_nothing_to_send_has_no_paths(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    const struct finder_loads loads =
        routes(f, new_transfers(f), &(struct finder_route_options){.longer = true});
    assert_int_equal(f->graph.paths, 0);
    assert_true(loads.all.max == 0 && loads.hops_mean == 0);
}

static void test_bad_graphs_are_refused(void **state)
{
    static const uint32_t apart[][2] = {{0, 1}, {2, 3}};
    static const struct net_circuits circuits = {.ports = 1};
    struct fixture *f = *state;
    struct finder_loads loads;
    graph_of(f, 4, apart, 2);
    assert_int_equal(orr_finder_routes(f->arena, &f->graph, all_to_all(f),
                                       &(struct finder_route_options){.paths = 0}, &loads,
                                       &f->diag),
                     ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "the routes of transfers: no path from 2 to 0");
    f->graph.circuits = &circuits;
    orr_diag_init(&f->diag);
    assert_int_equal(orr_finder_routes(f->arena, &f->graph, all_to_all(f),
                                       &(struct finder_route_options){.paths = 0}, &loads,
                                       &f->diag),
                     ORR_ERR_INPUT);
    assert_string_equal(
        f->diag.message,
        "the routes of transfers: expected a graph with fixed links, got one with circuits");
}

/* ---- rings ---- */

/* 16 MB among 16 around the four rings of jumps 1 and 5: 2 x 15/16 x 4 MB on every link. */
static void test_rings_load_their_links(void **state)
{
    struct fixture *f = *state;
    uint32_t member[16];
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    for (uint32_t i = 0; i < 16; i++) {
        member[i] = i;
    }
    double *base = new_loads(f);
    const struct finder_ring_group group = {.member = member, .members = 16, .bytes = 16.0 * BYTES};
    assert_int_equal(orr_finder_add_rings(&f->graph, &group, base, &f->diag), ORR_OK);
    for (uint32_t l = 0; l < f->graph.links; l++) {
        assert_true(is_near(base[l], 7.5 * BYTES, 1e-9));
    }
}

/* No ring is for 0, 2, 3: each sends the next 2 x 2/3 x 3 MB, from 0 over 1, from 3 over 4 or back
 * over 2 and 1: of three hops both, over the lowest nodes. */
static void test_groups_without_rings_go_to_the_next(void **state)
{
    static const uint32_t member[] = {0, 2, 3};
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1", 6), ORR_OK);
    double *base = new_loads(f);
    const struct finder_ring_group group = {.member = member, .members = 3, .bytes = 3.0 * BYTES};
    assert_int_equal(orr_finder_add_rings(&f->graph, &group, base, &f->diag), ORR_OK);
    static const uint32_t used[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {2, 1}, {1, 0}};
    double sum = 0;
    for (size_t i = 0; i < 6; i++) {
        assert_true(is_near(base[orr_net_graph_find(&f->graph, used[i][0], used[i][1])],
                            4.0 * BYTES, 1e-9));
    }
    for (uint32_t l = 0; l < f->graph.links; l++) {
        sum += base[l];
    }
    assert_true(is_near(sum, 24.0 * BYTES, 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_transfers_go_where_less_is),
        TEST(test_one_path_where_one_is_asked_for),
        TEST(test_pairs_stay_whole_where_halves_do_not_help),
        TEST(test_longer_paths_only_where_asked_for),
        TEST(test_longer_paths_only_where_they_help),
        TEST(test_largest_loads_are_below_even_division),
        TEST(test_longer_paths_gain_more_than_they_cost),
        TEST(test_the_table_has_the_paths),
        TEST(test_equal_input_gives_equal_paths),
        TEST(test_nothing_to_send_has_no_paths),
        TEST(test_bad_graphs_are_refused),
        TEST(test_rings_load_their_links),
        TEST(test_groups_without_rings_go_to_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
