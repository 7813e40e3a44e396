/* Kinds of routing: k shortest paths against an exhaustive search, dimension order against the
 * congestion backend. */
#include "graph_fixture.h"

#include "core/rng.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "network/routing/routing.h"
#include "network/topology/block_links.h"
#include "tests/unit/graph_fixture.h"

enum { LONGEST = 8 };

static void test_routings_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"shortest",        "ecmp",  "k-shortest",
                                        "dimension-order", "table", "ecmp-pairs"};
    size_t count = 0;
    for (; orr_net_routing_at(count) != NULL; count++) {
        const struct net_routing *routing = orr_net_routing_at(count);
        assert_string_equal(orr_net_routing_name(count), routing->name);
        assert_ptr_equal(orr_net_routing_find(routing->name), routing);
        assert_int_equal(orr_net_routing_index(routing), count);
    }
    assert_null(orr_net_routing_name(count));
    assert_null(orr_net_routing_find("fastest"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_string_equal(orr_net_routing_name(i), names[i]);
    }
}

/* The contract of routings, of whatever stands in the list: words for users, paths from end to end
 * whose links follow each other, the same for the same key, and for every key where the routing
 * says so; who avoids links does; and the fixed one of a routing has one path for each pair. */
static void check_path(struct fixture *f, const struct net_routing *routing, uint32_t src,
                       uint32_t dst, bool any)
{
    struct net_route_links path;
    uint32_t first[LONGEST], hops = 0;
    for (uint64_t key = 0; key < 64; key++) {
        uint32_t node = src;
        assert_int_equal(orr_net_router_path(f->router, src, dst, key / 2, &path), ORR_OK);
        assert_true(path.hops <= LONGEST);
        for (uint32_t h = 0; h < path.hops; h++) {
            assert_int_equal(f->graph.link[path.link[h]].from, node);
            node = f->graph.link[path.link[h]].to;
        }
        assert_int_equal(node, dst);
        if (key % 2 == 0 && (key == 0 || any)) {
            hops = path.hops;
            memcpy(first, path.link, hops * sizeof *first);
        }
        assert_int_equal(path.hops, hops);
        assert_memory_equal(path.link, first, hops * sizeof *first);
    }
    assert_true(!any || routing->spreads || routing->by_table);
}

static void test_routings_keep_their_contract(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "torus:4x2", 8), ORR_OK);
    bool *closed = orr_arena_array(f->arena, f->graph.links, sizeof *closed);
    for (size_t i = 0; orr_net_routing_at(i) != NULL; i++) {
        const struct net_routing *routing = orr_net_routing_at(i);
        assert_true(routing->name[0] != '\0' && routing->summary[0] != '\0');
        assert_non_null(routing->path);
        assert_true(routing->fixed == NULL || !routing->fixed->spreads);
        route_by(f, &(struct net_route_options){.routing = routing, .seed = 5});
        for (uint32_t dst = 1; dst < 8; dst++) {
            check_path(f, routing, 0, dst, orr_net_router_depends_on_key(f->router, 0, dst));
        }
        if (routing->avoids) {
            struct net_route_links path;
            memset(closed, 0, f->graph.links * sizeof *closed);
            const uint32_t link = orr_net_graph_find(&f->graph, 0, 1);
            closed[link] = true;
            assert_int_equal(orr_net_router_avoid(f->router, closed), ORR_OK);
            assert_int_equal(orr_net_router_path(f->router, 0, 1, 0, &path), ORR_OK);
            assert_true(path.hops > 1 && path.link[0] != link);
        }
    }
}

/* By pairs a way does not depend on the flow, but on the seed; from 0 to 3 of circulant:1,2 among 8
 * there are two of 2 links, over 1 and over 2. */
static void test_pairs_keep_their_ways(void **state)
{
    struct fixture *f = *state;
    uint32_t first[2] = {0};
    assert_int_equal(build(f, "circulant:1,2", 8), ORR_OK);
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct net_route_links way;
        route_by(f, &(struct net_route_options){.routing = &orr_routing_ecmp_pairs, .seed = seed});
        assert_int_equal(orr_net_router_path(f->router, 0, 3, 1, &way), ORR_OK);
        assert_int_equal(way.hops, 2);
        const uint32_t link = way.link[0];
        first[f->graph.link[link].to - 1]++;
        for (uint64_t key = 2; key < 10; key++) {
            assert_int_equal(orr_net_router_path(f->router, 0, 3, key, &way), ORR_OK);
            assert_int_equal(way.link[0], link);
        }
    }
    assert_true(first[0] > 16 && first[1] > 16);
}

/* A key chooses where ECMP has two ways, over 1 and over 2 of circulant:1,2 from 0 to 3, but not
 * where there is one, from 0 to 2, nor where ways are the shortest, by pairs, or by a table that
 * has none of these. Of the k shortest there are several to both. */
static void test_keys_choose_where_there_are_several_ways(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1,2", 8), ORR_OK);
    static const struct net_routing *const routings[] = {
        &orr_routing_shortest, &orr_routing_ecmp, &orr_routing_k_shortest, &orr_routing_table,
        &orr_routing_ecmp_pairs};
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
        const struct net_routing *routing = routings[i];
        route_by(f, &(struct net_route_options){.routing = routing});
        assert_int_equal(orr_net_router_depends_on_key(f->router, 0, 3),
                         routing == &orr_routing_ecmp || routing == &orr_routing_k_shortest);
        assert_int_equal(orr_net_router_depends_on_key(f->router, 0, 2),
                         routing == &orr_routing_k_shortest);
    }
}

static void test_options_are_read_from_a_text(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "fast", "ecmp:2", "k-shortest:", "k-shortest:0", "k-shortest:1025", "k-shortest:two"};
    struct net_route_options options = {.seed = 7};
    assert_true(orr_net_route_options_parse("k-shortest:8", &options));
    assert_ptr_equal(options.routing, &orr_routing_k_shortest);
    assert_int_equal(options.paths, 8);
    assert_true(orr_net_route_options_parse("dimension-order", &options));
    assert_ptr_equal(options.routing, &orr_routing_dimension_order);
    assert_int_equal(options.paths, 0);
    assert_int_equal(options.seed, 7);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(orr_net_route_options_parse(bad[i], &options));
    }
    assert_ptr_equal(options.routing, &orr_routing_dimension_order);
}

/* ---- k shortest paths ---- */

enum { NODES = 7, MAX_KEYS = 4096 };

/* Counts the loopless paths by their number of links, by trying all. */
static void search(const struct net_graph *graph, uint32_t node, uint32_t dst, uint32_t seen,
                   uint32_t count[LONGEST])
{
    const uint32_t hops = (uint32_t)__builtin_popcount(seen) - 1;
    if (node == dst) {
        count[hops]++;
        return;
    }
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const uint32_t to = graph->link[i].to;
        if ((seen >> to & 1) == 0) {
            search(graph, to, dst, seen | UINT32_C(1) << to, count);
        }
    }
}

static void random_graph(struct fixture *f, uint64_t seed)
{
    struct net_graph_builder builder;
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 0);
    orr_net_graph_begin(&builder, f->arena, NODES, 0);
    for (uint32_t i = 0; i < NODES; i++) { /* a ring joins all */
        const struct net_link link = {
            .from = i, .to = (i + 1) % NODES, .count = 1, .bytes_per_s = 1e9, .latency_ps = 1};
        orr_net_graph_link(&builder, &link);
    }
    for (uint32_t i = 0; i < NODES + orr_rng_below(&rng, 12); i++) {
        const struct net_link link = {.from = (uint32_t)orr_rng_below(&rng, NODES),
                                      .to = (uint32_t)orr_rng_below(&rng, NODES),
                                      .count = 1,
                                      .bytes_per_s = 1e9,
                                      .latency_ps = 1};
        if (link.from != link.to) {
            orr_net_graph_link(&builder, &link);
        }
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
}

static uint64_t name_of_path(const struct fixture *f, const struct net_route_links *path)
{
    uint64_t name = 1, seen = 0;
    for (uint32_t h = 0; h < path->hops; h++) {
        const uint32_t to = f->graph.link[path->link[h]].to;
        assert_int_equal(seen >> to & 1, 0); /* no loop */
        seen |= UINT64_C(1) << to;
        name = name * NODES + to;
    }
    return name;
}

/* The k paths of a pair, found by many keys, have as many links as the k shortest of an exhaustive
 * search: of those with the most links there may be others. */
static void check_pair(struct fixture *f, uint32_t src, uint32_t dst, uint32_t k)
{
    uint32_t count[LONGEST] = {0}, found[LONGEST] = {0}, names = 0;
    uint64_t name[8];
    search(&f->graph, src, dst, UINT32_C(1) << src, count);
    for (uint64_t key = 0; key < 200; key++) {
        const struct net_route_links path = path_of(f, src, dst, key);
        const uint64_t this = name_of_path(f, &path);
        uint32_t at = 0;
        while (at < names && name[at] != this) {
            at++;
        }
        if (at == names) {
            assert_in_range(names, 0, k - 1);
            name[names++] = this;
            found[path.hops]++;
        }
    }
    for (uint32_t hops = 1, left = k; hops < LONGEST; hops++) {
        const uint32_t expected = count[hops] < left ? count[hops] : left;
        assert_int_equal(found[hops], expected);
        left -= expected;
    }
}

/* 200 keys miss one of at most 5 paths with a chance of 5 x 0.8^200 = 2e-19. */
static void test_k_shortest_paths_are_those_of_an_exhaustive_search(void **state)
{
    struct fixture *f = *state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct net_route_options options = {
            .routing = &orr_routing_k_shortest, .paths = 1 + (uint32_t)seed % 5, .seed = seed};
        random_graph(f, seed);
        route_by(f, &options);
        for (uint32_t src = 0; src < NODES; src++) {
            for (uint32_t dst = 0; dst < NODES; dst++) {
                if (src != dst) {
                    check_pair(f, src, dst, options.paths);
                }
            }
        }
    }
}

/* Hosts of one switch have one path of 2 links. Between pods there are 4 of 6 links, and k = 4 of
 * them share 1000 keys: 250 each, give or take 69 (five standard deviations). */
static void test_k_shortest_paths_of_a_fat_tree(void **state)
{
    struct fixture *f = *state;
    uint32_t taken[36] = {0};
    const struct net_route_options options = {.routing = &orr_routing_k_shortest, .seed = 3};
    assert_int_equal(build(f, "fat-tree:4", 16), ORR_OK);
    route_by(f, &options);
    assert_int_equal(path_of(f, 0, 1, 9).hops, 2);
    assert_int_equal(path_of(f, 0, 0, 9).hops, 0);
    for (uint64_t key = 0; key < 1000; key++) {
        const struct net_route_links path = path_of(f, 0, 15, key);
        assert_int_equal(path.hops, 6);
        const uint32_t core = f->graph.link[path.link[2]].to;
        taken[core]++;
        assert_int_equal(f->graph.link[path_of(f, 0, 15, key).link[2]].to, core);
    }
    for (uint32_t core = 32; core < 36; core++) {
        assert_in_range(taken[core], 250 - 69, 250 + 69);
    }
}

/* Between pods of switches of 8 there are 16 paths as short as each other, one over each core
 * switch, and k = 4 of them are kept: by the pair, not the same cores for all. */
static void test_k_shortest_keeps_other_equal_paths_for_each_pair(void **state)
{
    struct fixture *f = *state;
    uint32_t taken[128 + 80] = {0}, cores = 0;
    const struct net_route_options options = {.routing = &orr_routing_k_shortest, .seed = 3};
    assert_int_equal(build(f, "fat-tree:8", 128), ORR_OK);
    route_by(f, &options);
    for (uint32_t dst = 16; dst < 128; dst += 4) {
        for (uint64_t key = 0; key < 40; key++) {
            const struct net_route_links path = path_of(f, 0, dst, key);
            assert_int_equal(path.hops, 6);
            taken[f->graph.link[path.link[2]].to]++;
        }
    }
    for (uint32_t node = 0; node < sizeof taken / sizeof *taken; node++) {
        cores += taken[node] != 0;
    }
    assert_int_equal(cores, 16);
}

static void test_k_shortest_without_memory_is_told(void **state)
{
    struct fixture *f = *state;
    const struct net_route_options options = {.routing = &orr_routing_k_shortest};
    struct net_route_links path;
    assert_int_equal(build(f, "torus:4x4", 16), ORR_OK);
    route_by(f, &options);
    orr_arena_fail_after(f->arena, 0);
    assert_int_equal(orr_net_router_path(f->router, 0, 5, 1, &path), ORR_ERR_MEMORY);
    orr_arena_fail_after(f->arena, -1);
    assert_int_equal(path_of(f, 0, 5, 1).hops, 2);
}

/* ---- dimension order ---- */

struct shape {
    struct net_config config;
    struct net_dim dim[4];
    struct link_dim links[4];
};

static void random_shape(struct shape *shape, struct orr_rng *rng)
{
    *shape = (struct shape){.config = {.dims = 1 + (unsigned)orr_rng_below(rng, 4)}};
    shape->config.dim = shape->dim;
    for (unsigned d = 0; d < shape->config.dims; d++) {
        shape->dim[d] =
            (struct net_dim){.block = (enum net_block)orr_rng_below(rng, NET_BLOCKS),
                             .npus = 1 + (uint32_t)orr_rng_below(rng, d < 2 ? 6 : 3),
                             .bandwidth_bytes_per_s = 1e9 * (double)(1 + orr_rng_below(rng, 99)),
                             .latency_ps = (sim_time)(1 + orr_rng_below(rng, 999)),
                             .per_npu = orr_rng_below(rng, 2) != 0};
    }
}

/* The link of the graph for each of the backend's, and back; NET_NO_LINK: not seen yet. */
struct pairing {
    uint32_t graph[4096], backend[4096];
};

static void check_hop(const struct fixture *f, const struct shape *shape, struct pairing *pairing,
                      const struct link_position place[2], const uint32_t link[2])
{
    const struct net_link *at = &f->graph.link[link[1]];
    const unsigned d = place[1].dim;
    if (!place[0].in_switch) {
        assert_int_equal(at->from, place[0].npu);
    }
    if (!place[1].in_switch) {
        assert_int_equal(at->to, place[1].npu);
    } else {
        assert_in_range(at->to, orr_net_npus(&shape->config), f->graph.nodes - 1);
    }
    assert_true(at->bytes_per_s <= shape->links[d].bytes_per_s &&
                at->bytes_per_s >= shape->links[d].bytes_per_s);
    assert_int_equal(at->latency_ps, shape->dim[d].latency_ps);
    assert_int_equal(at->count, shape->dim[d].block == NET_RING && shape->dim[d].npus == 2 &&
                                        !shape->dim[d].per_npu
                                    ? 2
                                    : 1);
    if (pairing->graph[link[0]] == NET_NO_LINK) {
        assert_int_equal(pairing->backend[link[1]], NET_NO_LINK);
        pairing->graph[link[0]] = link[1];
        pairing->backend[link[1]] = link[0];
    }
    assert_int_equal(pairing->graph[link[0]], link[1]);
    assert_int_equal(pairing->backend[link[1]], link[0]);
}

static void check_route(struct fixture *f, const struct shape *shape, struct pairing *pairing,
                        uint32_t src, uint32_t dst)
{
    const struct net_route_links path = path_of(f, src, dst, 1);
    struct link_position place = {.npu = src, .dim = (uint16_t)shape->config.dims};
    uint32_t hops = 0;
    for (; place.npu != dst || place.in_switch; hops++) {
        struct link_position both[2] = {place, place};
        assert_in_range(hops, 0, path.hops - 1);
        const uint32_t links[2] = {
            orr_link_next(&shape->config, shape->links, &both[1], dst, false), path.link[hops]};
        check_hop(f, shape, pairing, both, links);
        place = both[1];
    }
    assert_int_equal(hops, path.hops);
}

/* Every pair of 60 random topologies: as many links as the congestion backend crosses, between the
 * same NPUs, with its bandwidths and latencies; one link of the graph for each of the backend's (a
 * ring of two has two that are parallel, and routes forward). */
static void test_dimension_order_takes_the_links_of_the_congestion_backend(void **state)
{
    static struct pairing pairing;
    struct fixture *f = *state;
    struct orr_rng rng;
    const struct net_route_options options = {.routing = &orr_routing_dimension_order};
    orr_rng_init(&rng, 11, 0);
    for (unsigned round = 0; round < 60; round++) {
        struct shape shape;
        random_shape(&shape, &rng);
        memset(&pairing, 0xff, sizeof pairing);
        assert_in_range(orr_link_dims_init(shape.links, &shape.config), 0, 4096);
        assert_int_equal(orr_net_build_blocks(f->arena, &shape.config, &f->graph, &f->diag),
                         ORR_OK);
        route_by(f, &options);
        const uint32_t npus = orr_net_npus(&shape.config);
        for (uint32_t pair = 0; pair < npus * npus; pair++) {
            if (pair / npus != pair % npus) {
                check_route(f, &shape, &pairing, pair / npus, pair % npus);
            }
        }
    }
}

static void hops_are(struct fixture *f, uint32_t src, uint32_t dst, const uint32_t *nodes,
                     uint32_t count)
{
    const struct net_route_links path = path_of(f, src, dst, 1);
    assert_int_equal(path.hops, count);
    for (uint32_t h = 0; h < count; h++) {
        assert_int_equal(f->graph.link[path.link[h]].to, nodes[h]);
    }
}

/* A torus of 4 x 4: 0 to 10 = (2, 2) has equal ways both times: forward, first dimension first. 0
 * to 15 = (3, 3) goes back. A hypercube flips the lowest bit first. */
static void test_dimension_order_of_torus_and_hypercube(void **state)
{
    struct fixture *f = *state;
    const struct net_route_options options = {.routing = &orr_routing_dimension_order};
    assert_int_equal(build(f, "torus:4x4", 16), ORR_OK);
    assert_ptr_equal(f->routing, &orr_routing_dimension_order);
    route_by(f, &options);
    hops_are(f, 0, 10, (const uint32_t[]){1, 2, 6, 10}, 4);
    hops_are(f, 0, 15, (const uint32_t[]){3, 15}, 2);
    assert_int_equal(build(f, "hypercube", 16), ORR_OK);
    assert_ptr_equal(f->routing, &orr_routing_dimension_order);
    route_by(f, &options);
    hops_are(f, 0, 13, (const uint32_t[]){1, 5, 13}, 3);
    hops_are(f, 13, 0, (const uint32_t[]){12, 8, 0}, 3);
}

/* Ring(4)_Switch(3): 12 ranks, then a switch for each of the 4 lines of ranks i, i + 4, i + 8. From
 * 1 to 8 = (0, 2): back round the ring, then over the switch of line 0, node 12. */
static void test_blocks_by_notation(void **state)
{
    struct fixture *f = *state;
    const struct net_route_options options = {.routing = &orr_routing_dimension_order};
    assert_int_equal(build(f, "Ring(4)_Switch(3)", 12), ORR_OK);
    assert_ptr_equal(f->routing, &orr_routing_dimension_order);
    assert_int_equal(f->graph.nodes, 16);
    assert_int_equal(f->graph.links, 2 * (12 + 12));
    route_by(f, &options);
    hops_are(f, 1, 8, (const uint32_t[]){0, 12, 8}, 3);
    refused(f, "Ring(4)_Switch(3)", 8,
            "Ring(4)_Switch(3): expected sizes whose product is the number of NPUs, 8, got 12");
    assert_int_equal(build(f, "Ring(4)_Cube(3)", 12), ORR_ERR_INPUT);
}

static void test_dimension_order_without_dimensions_is_refused(void **state)
{
    struct fixture *f = *state;
    const struct net_route_options options = {.routing = &orr_routing_dimension_order};
    assert_int_equal(build(f, "fat-tree", 16), ORR_OK);
    assert_int_equal(orr_net_router_create(&f->router, &f->graph, &options, f->arena, &f->diag),
                     ORR_ERR_INPUT);
    assert_string_equal(f->diag.message,
                        "network: dimension-order routing: expected a stacked topology, a torus or "
                        "a hypercube, got a graph without dimensions");
}

/* Where a link of the way has failed, the shortest way is taken: 0 to 2 of a ring of 5 without 1-2
 * goes over 4 and 3. */
static void test_dimension_order_goes_around_a_failed_link(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    const struct net_route_options options = {.routing = &orr_routing_dimension_order};
    assert_int_equal(build(f, "torus:5", 5), ORR_OK);
    const struct net_graph ring = f->graph;
    orr_net_graph_begin(&builder, f->arena, 5, 0);
    for (uint32_t i = 0; i < ring.links; i++) {
        if (ring.link[i].from + ring.link[i].to != 3 || ring.link[i].from == 3 ||
            ring.link[i].to == 3) {
            orr_net_graph_link(&builder, &ring.link[i]);
        }
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    assert_int_equal(f->graph.links, 8);
    f->graph.dims = ring.dims;
    f->graph.dim = ring.dim;
    route_by(f, &options);
    hops_are(f, 0, 1, (const uint32_t[]){1}, 1);
    hops_are(f, 0, 2, (const uint32_t[]){4, 3, 2}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_routings_have_names),
        TEST(test_routings_keep_their_contract),
        TEST(test_options_are_read_from_a_text),
        TEST(test_pairs_keep_their_ways),
        TEST(test_keys_choose_where_there_are_several_ways),
        TEST(test_k_shortest_paths_are_those_of_an_exhaustive_search),
        TEST(test_k_shortest_paths_of_a_fat_tree),
        TEST(test_k_shortest_keeps_other_equal_paths_for_each_pair),
        TEST(test_k_shortest_without_memory_is_told),
        TEST(test_dimension_order_takes_the_links_of_the_congestion_backend),
        TEST(test_dimension_order_of_torus_and_hypercube),
        TEST(test_blocks_by_notation),
        TEST(test_dimension_order_without_dimensions_is_refused),
        TEST(test_dimension_order_goes_around_a_failed_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
