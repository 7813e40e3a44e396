/* Topologies for random demands of 2 to 64 servers: all servers reach each other, none has more
 * links than interfaces, every group has rings that visit its servers once, over links that are
 * there, and the order in which groups are told makes no difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"

enum { MAX = 64, MAX_GROUPS = 24, CASES = 1500, LONG_CASES = 4000 };

struct random_case {
    uint64_t seed;
    uint32_t member[MAX_GROUPS][MAX];
    struct finder_group group[MAX_GROUPS];
    uint64_t transfers[MAX * MAX];
    struct finder_demand demand;
    struct finder_options options;
};

#define EXPECT(of, condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("case %u: %s", (unsigned)(of)->seed, #condition);                             \
        }                                                                                          \
    } while (0)

/* Servers at a stride, or any; in any order. */
static void draw_group(struct random_case *drawn, struct orr_rng *rng)
{
    const uint32_t n = drawn->demand.servers, g = drawn->demand.groups++;
    const bool any = orr_rng_below(rng, 3) == 0;
    const uint32_t stride = any ? 1 : 1 + (uint32_t)orr_rng_below(rng, n - 1);
    const uint32_t max = any ? n : (n - 1) / stride + 1;
    const uint32_t members = 2 + (uint32_t)orr_rng_below(rng, max - 1);
    const uint32_t first = (uint32_t)orr_rng_below(rng, any ? 1 : n - (members - 1) * stride);
    for (uint32_t i = 0; i < n; i++) {
        drawn->member[g][i] = first + i * stride;
    }
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t to = i + (uint32_t)orr_rng_below(rng, (any ? n : members) - i);
        const uint32_t member = drawn->member[g][to];
        drawn->member[g][to] = drawn->member[g][i];
        drawn->member[g][i] = member;
    }
    drawn->group[g] = (struct finder_group){
        .member = drawn->member[g],
        .members = members,
        .bytes =
            orr_rng_below(rng, 8) == 0 ? 0 : orr_rng_next(rng) >> (20 + orr_rng_below(rng, 30)),
    };
}

static void draw_transfers(struct random_case *drawn, struct orr_rng *rng)
{
    const uint32_t n = drawn->demand.servers;
    const uint64_t pairs = orr_rng_below(rng, 3) == 0 ? 0 : orr_rng_below(rng, 2 * (uint64_t)n);
    const uint64_t down = orr_rng_below(rng, 40);
    memset(drawn->transfers, 0, sizeof drawn->transfers);
    for (uint64_t i = 0; i < pairs; i++) {
        drawn->transfers[orr_rng_below(rng, (uint64_t)n * n)] = orr_rng_next(rng) >> (16 + down);
    }
}

static void draw(struct random_case *drawn, uint64_t seed)
{
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 0);
    memset(drawn, 0, sizeof *drawn);
    drawn->seed = seed;
    const uint32_t n = 2 + (uint32_t)orr_rng_below(&rng, MAX - 1);
    const bool one_way = orr_rng_below(&rng, 2) == 0;
    const uint32_t min = one_way || n == 2 ? 1 : 2, few = n - 1 < 8 ? n - 1 : 8;
    const uint32_t max = orr_rng_below(&rng, 4) == 0 ? n - 1 : few;
    drawn->options = (struct finder_options){
        .degree = min + (uint32_t)orr_rng_below(&rng, max - min + 1),
        .links = one_way ? NET_ONE_WAY : NET_DUPLEX,
        .discount = (enum finder_discount)orr_rng_below(&rng, FINDER_DISCOUNTS),
        .select = orr_rng_below(&rng, 16) == 0 ? NET_LEAST_MEAN_PATH
                                               : (enum net_select)orr_rng_below(&rng, 2),
        .primes = orr_rng_below(&rng, 4) == 0,
        .any_port = n % 2 != 0,
    };
    if (orr_rng_below(&rng, 4) == 0) {
        drawn->options.ring_degree = 1 + (uint32_t)orr_rng_below(&rng, drawn->options.degree);
    }
    drawn->demand =
        (struct finder_demand){.servers = n, .group = drawn->group, .transfers = drawn->transfers};
    draw_transfers(drawn, &rng);
    const uint64_t groups =
        drawn->options.degree == 1 ? orr_rng_below(&rng, 2) : orr_rng_below(&rng, MAX_GROUPS + 1);
    while (drawn->demand.groups < groups) {
        draw_group(drawn, &rng);
    }
}

/* ---- what holds ---- */

static void expect_within_degree(const struct random_case *drawn, const struct finder_topology *got)
{
    uint32_t sends[MAX] = {0}, receives[MAX] = {0}, idle = 0;
    for (uint32_t l = 0; l < got->layers; l++) {
        const struct finder_layer *layer = &got->layer[l];
        for (uint32_t i = 0; i < layer->links; i++) {
            EXPECT(drawn, layer->link[i].from != layer->link[i].to);
            sends[layer->link[i].from]++;
            receives[layer->link[i].to]++;
            sends[layer->link[i].to] += layer->duplex ? 1 : 0;
            receives[layer->link[i].from] += layer->duplex ? 1 : 0;
        }
    }
    for (uint32_t i = 0; i < got->servers; i++) {
        EXPECT(drawn, sends[i] <= drawn->options.degree && receives[i] == sends[i]);
        EXPECT(drawn, got->used[i] == sends[i]);
        idle += drawn->options.degree - sends[i];
    }
    EXPECT(drawn, got->idle == idle);
}

static void expect_reached(const struct random_case *drawn, const struct net_graph *graph)
{
    for (uint32_t from = 0; from < graph->npus; from++) {
        uint32_t queue[MAX] = {from}, count = 1;
        bool seen[MAX] = {false};
        seen[from] = true;
        for (uint32_t at = 0; at < count; at++) {
            for (uint32_t l = graph->first_out[queue[at]]; l < graph->first_out[queue[at] + 1];
                 l++) {
                if (!seen[graph->link[l].to]) {
                    seen[graph->link[l].to] = true;
                    queue[count++] = graph->link[l].to;
                }
            }
        }
        EXPECT(drawn, count == graph->npus);
    }
}

/* A step goes along its way, or has a link. */
static void expect_step(const struct random_case *drawn, const struct net_graph *graph,
                        const struct net_ring *ring, uint32_t step)
{
    const uint32_t from = ring->member[step], to = ring->member[(step + 1) % ring->npus];
    if (ring->way == 0) {
        EXPECT(drawn, orr_net_graph_find(graph, from, to) != NET_NO_LINK);
        return;
    }
    const struct net_route_links *way = &graph->way[ring->way - 1 + step];
    uint32_t at = from;
    EXPECT(drawn, way->hops != 0);
    for (uint32_t h = 0; h < way->hops; h++) {
        EXPECT(drawn, way->link[h] < graph->links && graph->link[way->link[h]].from == at);
        at = graph->link[way->link[h]].to;
    }
    EXPECT(drawn, at == to);
}

static void expect_ring(const struct random_case *drawn, const struct net_graph *graph,
                        const struct net_ring *ring, const struct finder_group *group)
{
    uint32_t visits[MAX] = {0};
    EXPECT(drawn, ring->npus == group->members);
    for (uint32_t i = 0; i < ring->npus; i++) {
        visits[ring->member[i]]++;
        expect_step(drawn, graph, ring, i);
    }
    for (uint32_t i = 0; i < group->members; i++) {
        EXPECT(drawn, visits[group->member[i]] == 1);
    }
}

static void expect_rings(const struct random_case *drawn, const struct net_graph *graph,
                         const struct finder_topology *got)
{
    uint32_t rings[MAX_GROUPS] = {0};
    EXPECT(drawn, graph->rings == got->rings);
    for (uint32_t r = 0; r < got->rings; r++) {
        EXPECT(drawn, got->ring[r].group < got->groups);
        rings[got->ring[r].group]++;
        expect_ring(drawn, graph, &graph->ring[r], &got->group[got->ring[r].group]);
    }
    for (uint32_t g = 0; g < got->groups; g++) {
        EXPECT(drawn, rings[g] != 0);
    }
}

static void find(struct orr_arena *arena, const struct random_case *drawn,
                 struct finder_topology *got, struct net_graph *graph)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_finder_find(arena, &drawn->demand, &drawn->options, got, &diag) != ORR_OK ||
        orr_finder_graph(arena, got, graph, &diag) != ORR_OK) {
        fail_msg("case %u: %s", (unsigned)drawn->seed, diag.message);
    }
}

static uint64_t cases(void)
{
    return getenv("ORRERY_LONG") != NULL ? LONG_CASES : CASES;
}

static void test_topologies_of_random_demands_hold_what_they_promise(void **state)
{
    struct random_case drawn;
    (void)state;
    for (uint64_t seed = 0; seed < cases(); seed++) {
        struct orr_arena *arena = orr_arena_create();
        struct finder_topology got;
        struct net_graph graph;
        draw(&drawn, seed);
        find(arena, &drawn, &got, &graph);
        expect_within_degree(&drawn, &got);
        expect_reached(&drawn, &graph);
        expect_rings(&drawn, &graph, &got);
        orr_arena_destroy(arena);
    }
}

static void expect_equal(const struct random_case *drawn, const struct net_graph *a,
                         const struct net_graph *b)
{
    EXPECT(drawn, a->links == b->links && a->rings == b->rings && a->ways == b->ways);
    for (uint32_t l = 0; l < a->links; l++) {
        EXPECT(drawn, a->link[l].from == b->link[l].from && a->link[l].to == b->link[l].to);
        EXPECT(drawn, a->link[l].count == b->link[l].count);
    }
    for (uint32_t r = 0; r < a->rings; r++) {
        EXPECT(drawn, a->ring[r].npus == b->ring[r].npus);
        EXPECT(drawn, memcmp(a->ring[r].member, b->ring[r].member,
                             a->ring[r].npus * sizeof(uint32_t)) == 0);
    }
}

static void test_topologies_do_not_depend_on_the_order_of_groups(void **state)
{
    struct random_case drawn;
    (void)state;
    for (uint64_t seed = 0; seed < cases() / 8; seed++) {
        struct orr_arena *arena = orr_arena_create();
        struct finder_topology got;
        struct net_graph first, second;
        draw(&drawn, seed);
        find(arena, &drawn, &got, &first);
        for (uint32_t i = 0; i < drawn.demand.groups / 2; i++) {
            const struct finder_group group = drawn.group[i];
            drawn.group[i] = drawn.group[drawn.demand.groups - 1 - i];
            drawn.group[drawn.demand.groups - 1 - i] = group;
        }
        find(arena, &drawn, &got, &second);
        expect_equal(&drawn, &first, &second);
        orr_arena_destroy(arena);
    }
}

/* The n-th allocation fails: an error, and nothing is lost. */
static void test_topologies_without_memory_fail(void **state)
{
    struct random_case drawn;
    unsigned failed = 0;
    (void)state;
    for (int64_t nth = 0; nth < 200; nth++) {
        struct orr_arena *arena = orr_arena_create();
        struct finder_topology got;
        struct net_graph graph;
        struct orr_diag diag;
        orr_diag_init(&diag);
        draw(&drawn, 3);
        orr_arena_fail_after(arena, nth);
        enum orr_status status = orr_finder_find(arena, &drawn.demand, &drawn.options, &got, &diag);
        status = status == ORR_OK ? orr_finder_graph(arena, &got, &graph, &diag) : status;
        EXPECT(&drawn, status == ORR_OK || status == ORR_ERR_MEMORY);
        failed += status != ORR_OK;
        orr_arena_destroy(arena);
    }
    assert_true(failed > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topologies_of_random_demands_hold_what_they_promise),
        cmocka_unit_test(test_topologies_do_not_depend_on_the_order_of_groups),
        cmocka_unit_test(test_topologies_without_memory_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
