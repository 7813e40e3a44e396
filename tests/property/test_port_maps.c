/* Patch panels of random topologies: every port is used at most once each way, every link is there
 * and nothing else, on as many panels as there are interfaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/divide.h"
#include "core/rng.h"
#include "network/permutations/permutations.h"
#include "network/wavelengths/edge_colors.h"
#include "planner/finder/finder.h"
#include "planner/finder/port_map.h"

enum { MAX_SERVERS = 64, MAX_LAYERS = 12, CASES = 400, LONG_CASES = 1000 };

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct orr_rng rng;
    uint32_t used[MAX_SERVERS]; /* interfaces */
    struct finder_class of[MAX_LAYERS];
    struct finder_layer layer[MAX_LAYERS];
    struct finder_topology topology;
    struct port_map map;
};

static uint32_t below(struct fixture *fixture, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&fixture->rng, bound);
}

static void begin(struct fixture *fixture, uint64_t seed, uint32_t servers, uint32_t degree)
{
    const struct orr_rng rng = fixture->rng;
    memset(fixture, 0, sizeof *fixture);
    fixture->rng = rng;
    if (seed == 0) {
        orr_rng_init(&fixture->rng, 24, servers);
    }
    fixture->arena = orr_arena_create();
    orr_diag_init(&fixture->diag);
    fixture->topology = (struct finder_topology){.servers = servers,
                                                 .degree = degree,
                                                 .of = fixture->of,
                                                 .classes = MAX_LAYERS,
                                                 .layer = fixture->layer};
}

static struct finder_link *add_layer(struct fixture *fixture, enum finder_layer_kind kind,
                                     bool duplex)
{
    const uint32_t y = fixture->topology.layers++;
    struct finder_link *link =
        orr_arena_array(fixture->arena, fixture->topology.servers, sizeof *link);
    assert_non_null(link);
    fixture->layer[y] =
        (struct finder_layer){.kind = kind, .of_class = y, .duplex = duplex, .link = link};
    return link;
}

/* A random jump in all groups of `members` neighbours that there are; servers behind them have
 * none. */
static void add_jump(struct fixture *fixture, uint32_t members, bool duplex)
{
    struct finder_link *link = add_layer(fixture, FINDER_RINGS, duplex);
    struct finder_layer *layer = &fixture->layer[fixture->topology.layers - 1];
    uint32_t jump = 1 + below(fixture, members - 1);
    while (orr_gcd(jump, members) != 1) {
        jump = 1 + below(fixture, members - 1);
    }
    for (uint32_t i = 0; i < fixture->topology.servers / members * members; i++) {
        const uint32_t group = i / members * members, place = i % members * jump % members;
        link[layer->links++] =
            (struct finder_link){.from = group + place, .to = group + (place + jump) % members};
        fixture->used[i] += duplex ? 2 : 1;
    }
    fixture->of[fixture->topology.layers - 1].members = members;
    layer->jump = jump;
}

/* Random pairs among those that have an interface left. */
static void add_matching(struct fixture *fixture)
{
    const uint32_t n = fixture->topology.servers;
    struct finder_link *link = add_layer(fixture, FINDER_MATCHING, true);
    struct finder_layer *layer = &fixture->layer[fixture->topology.layers - 1];
    uint32_t free[MAX_SERVERS], count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (fixture->used[i] < fixture->topology.degree) {
            free[count++] = i;
        }
    }
    for (; count >= 2; count -= 2) {
        const uint32_t at = below(fixture, count - 1);
        const uint32_t a = free[count - 1], b = free[at];
        free[at] = free[count - 2];
        link[layer->links++] = (struct finder_link){.from = a < b ? a : b, .to = a < b ? b : a};
        fixture->used[a]++;
        fixture->used[b]++;
    }
}

static enum orr_status map(struct fixture *fixture, enum port_method method)
{
    const struct port_options options = {.method = method, .look_ahead = below(fixture, 2) == 0};
    return orr_port_map(fixture->arena, &fixture->topology, &options, &fixture->map,
                        &fixture->diag);
}

/* What is joined, port by port: the server that hears server i by interface p, or PORTS_NONE. */
static uint32_t *join(const struct fixture *fixture)
{
    const struct port_map *out = &fixture->map;
    const size_t places = (size_t)out->servers * out->panels;
    uint32_t *hears = orr_arena_array(fixture->arena, places, sizeof *hears);
    bool *hearing = orr_arena_array(fixture->arena, places, sizeof *hearing);
    assert_true(hears != NULL && hearing != NULL);
    for (size_t i = 0; i < places; i++) {
        hears[i] = PORTS_NONE;
    }
    uint32_t joined = 0;
    for (uint32_t i = 0; i < out->crosses; i++) {
        const struct port_cross *cross = &out->cross[i];
        const uint32_t panel = cross->panel - out->first_panel;
        assert_true(panel < out->panels);
        for (uint32_t back = 0; back <= (cross->cable ? 1U : 0U); back++) {
            const size_t from = (size_t)(back ? cross->to : cross->from) * out->panels + panel;
            const size_t to = (size_t)(back ? cross->from : cross->to) * out->panels + panel;
            assert_true(hears[from] == PORTS_NONE && !hearing[to]);
            hears[from] = back ? cross->from : cross->to;
            hearing[to] = true;
            joined++;
        }
    }
    assert_int_equal(out->idle, places - joined);
    return hears;
}

/* Takes what a link should have joined. */
static void take(const struct fixture *fixture, uint32_t *hears, uint32_t panel,
                 const struct finder_link *way)
{
    const size_t at = (size_t)way->from * fixture->map.panels + panel;
    assert_true(panel < fixture->map.panels && hears[at] == way->to);
    hears[at] = PORTS_NONE;
}

static void assert_map(const struct fixture *fixture)
{
    uint32_t *hears = join(fixture);
    const struct port_map *out = &fixture->map;
    for (uint32_t y = 0; y < fixture->topology.layers; y++) {
        const struct finder_layer *layer = &fixture->topology.layer[y];
        for (uint32_t l = 0; l < layer->links; l++) {
            const uint32_t at = out->first_link[y] + l;
            const struct finder_link back = {layer->link[l].to, layer->link[l].from};
            take(fixture, hears, out->there[at], &layer->link[l]);
            assert_true(layer->duplex || out->back[at] == PORTS_NONE);
            if (layer->duplex) {
                take(fixture, hears, out->back[at], &back);
                assert_true(out->split || out->back[at] == out->there[at]);
            }
        }
    }
    for (size_t i = 0; i < (size_t)out->servers * out->panels; i++) {
        assert_int_equal(hears[i], PORTS_NONE);
    }
}

static uint32_t cases(void)
{
    return getenv("ORRERY_LONG") != NULL ? LONG_CASES : CASES;
}

/* Jumps of all servers, and matchings: an even number of servers never needs to be split. */
static void test_even_rings_and_matchings_are_cables(void **state)
{
    (void)state;
    struct fixture fixture = {.arena = NULL};
    for (uint64_t seed = 0; seed < cases(); seed++) {
        const uint32_t n = seed == 0 ? 8 : 4 + 2 * below(&fixture, (MAX_SERVERS - 4) / 2 + 1);
        begin(&fixture, seed, n, seed == 0 ? 4 : 2 + below(&fixture, 7));
        const uint32_t jumps = 1 + below(&fixture, fixture.topology.degree / 2);
        for (uint32_t j = 0; j < jumps; j++) {
            add_jump(&fixture, n, true);
        }
        for (uint32_t d = 2 * jumps; d < fixture.topology.degree; d++) {
            add_matching(&fixture);
        }
        assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
        assert_map(&fixture);
        assert_int_equal(fixture.map.idle, 0);
        orr_arena_destroy(fixture.arena);
    }
}

static void test_one_way_rings_are_crossconnects(void **state)
{
    (void)state;
    struct fixture fixture = {.arena = NULL};
    for (uint64_t seed = 0; seed < cases(); seed++) {
        const uint32_t n = seed == 0 ? 9 : 3 + below(&fixture, MAX_SERVERS - 2);
        begin(&fixture, seed, n, seed == 0 ? 3 : 1 + below(&fixture, 6));
        const uint32_t jumps = 1 + below(&fixture, fixture.topology.degree);
        for (uint32_t j = 0; j < jumps; j++) {
            add_jump(&fixture, j % 2 == 0 || n < 8 ? n : 2 + below(&fixture, n / 2), false);
        }
        for (uint32_t d = 0; d < fixture.topology.degree - jumps; d++) {
            add_matching(&fixture);
        }
        assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
        assert_map(&fixture);
        orr_arena_destroy(fixture.arena);
    }
}

/* Groups of any size that leave servers out, then pairs of those that have interfaces left: cables
 * mostly, and where these cannot be, crossconnects. */
static void test_any_topology_has_a_map(void **state)
{
    (void)state;
    struct fixture fixture = {.arena = NULL};
    uint32_t split = 0, given_up = 0;
    for (uint64_t seed = 0; seed < cases(); seed++) {
        const uint32_t n = seed == 0 ? 16 : 6 + below(&fixture, MAX_SERVERS - 5);
        begin(&fixture, seed, n, seed == 0 ? 4 : 2 + below(&fixture, 5));
        add_jump(&fixture, 3 + below(&fixture, n - 2), true);
        for (uint32_t d = 2; d + 2 < fixture.topology.degree; d += 2) {
            add_jump(&fixture, 3 + below(&fixture, n / 2), true);
        }
        for (uint32_t d = 0; d < 3; d++) {
            add_matching(&fixture);
        }
        assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
        assert_map(&fixture);
        assert_true(fixture.map.split == (fixture.map.why != NULL));
        split += fixture.map.split;
        given_up += fixture.map.split && strstr(fixture.map.why, "no way") != NULL;
        orr_arena_destroy(fixture.arena);
    }
    /* All but a few of those that are split have an odd ring, or too many links for pairs. */
    assert_true(split < cases() / 2 && given_up < cases() / 100);
}

/* Groups as strategies make them: blocks of neighbours, or every so manieth server, some of them.
 */
static uint32_t draw_groups(struct fixture *fixture, struct finder_group *group, uint32_t n)
{
    uint32_t groups = 0;
    for (uint32_t kind = 1 + below(fixture, 3); kind > 0; kind--) {
        uint32_t size = 2 + below(fixture, n - 1), count;
        const bool strided = below(fixture, 2) == 0;
        const uint64_t bytes = orr_rng_below(&fixture->rng, 1000000);
        for (count = n / size; count > 0; count -= 1 + below(fixture, 2) % count) {
            uint32_t *member = orr_arena_array(fixture->arena, size, sizeof *member);
            assert_non_null(member);
            for (uint32_t i = 0; i < size; i++) {
                member[i] = strided ? (count - 1) + i * (n / size) : (count - 1) * size + i;
            }
            group[groups++] =
                (struct finder_group){.member = member, .members = size, .bytes = bytes};
        }
    }
    return groups;
}

/* What the finder lays for random demands. */
static void test_topologies_of_demands_have_a_map(void **state)
{
    (void)state;
    struct fixture fixture = {.arena = NULL};
    static struct finder_group group[3 * MAX_SERVERS];
    uint32_t found = 0;
    for (uint64_t seed = 0; seed < cases(); seed++) {
        const uint32_t n = seed == 0 ? 16 : 4 + below(&fixture, 37);
        begin(&fixture, seed, n, seed == 0 ? 4 : 2 + below(&fixture, 7));
        uint64_t transfers[40 * 40] = {0};
        for (uint32_t i = 0; i < n * n; i++) {
            transfers[i] = below(&fixture, 4) == 0 ? orr_rng_below(&fixture.rng, 1000000) : 0;
        }
        const struct finder_demand demand = {.servers = n,
                                             .group = group,
                                             .groups = draw_groups(&fixture, group, n),
                                             .transfers = transfers};
        const struct finder_options options = {.degree = fixture.topology.degree,
                                               .links = below(&fixture, 4) == 0 ? NET_ONE_WAY
                                                                                : NET_DUPLEX,
                                               .any_port = true,
                                               .kind = {1e9, 1000}};
        if (orr_finder_find(fixture.arena, &demand, &options, &fixture.topology, &fixture.diag) ==
            ORR_OK) {
            assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
            assert_map(&fixture);
            found++;
        }
        orr_arena_destroy(fixture.arena);
    }
    assert_true(found > cases() / 2);
}

struct graph {
    struct edge_colors colors;
    struct edge_ends edge[2048];
    uint32_t color[2048];
    bool found;
};

static void add_edge(struct graph *graph, uint32_t a, uint32_t b)
{
    graph->edge[graph->colors.edges++] = (struct edge_ends){a, b};
}

static bool color(struct graph *graph, uint32_t nodes, uint32_t colors)
{
    struct orr_arena *arena = orr_arena_create();
    graph->colors.nodes = nodes;
    graph->colors.colors = colors;
    graph->colors.edge = graph->edge;
    assert_int_equal(orr_edge_colors(arena, &graph->colors, graph->color, &graph->found, NULL),
                     ORR_OK);
    orr_arena_destroy(arena);
    for (uint32_t i = 0; graph->found && i < graph->colors.edges; i++) {
        assert_true(graph->color[i] < colors);
        for (uint32_t j = 0; j < i; j++) {
            const struct edge_ends *a = &graph->edge[i], *b = &graph->edge[j];
            const bool meet = a->a == b->a || a->a == b->b || a->b == b->a || a->b == b->b;
            assert_true(!meet || graph->color[i] != graph->color[j]);
        }
    }
    return graph->found;
}

/* König: permutations one upon the other, many edges between two nodes among them. */
static void test_two_kinds_of_nodes_take_the_degree(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 7);
    for (uint32_t i = 0; i < 300; i++) {
        struct graph graph = {0};
        const uint32_t n = 2 + (uint32_t)orr_rng_below(&rng, 20);
        const uint32_t degree = 1 + (uint32_t)orr_rng_below(&rng, 8);
        for (uint32_t d = 0; d < degree; d++) {
            uint32_t to[22];
            for (uint32_t j = 0; j < n; j++) {
                const uint32_t at = (uint32_t)orr_rng_below(&rng, j + 1);
                to[j] = to[at];
                to[at] = j;
            }
            for (uint32_t j = 0; j < n; j++) {
                add_edge(&graph, j, n + to[j]);
            }
        }
        assert_true(color(&graph, 2 * n, degree));
    }
}

/* A complete graph of n nodes takes n - 1 colours when n is even, else n; Petersen's graph has
 * degree 3 and takes 4; a triangle of edges in pairs has degree 4 and takes 6 (Shannon). */
static void test_known_graphs_take_their_colors(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 24; n++) {
        struct graph graph = {.colors.patience = 2000000};
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < i; j++) {
                add_edge(&graph, i, j);
            }
        }
        assert_true(color(&graph, n, n % 2 == 0 ? n - 1 : n));
    }
    struct graph petersen = {.colors.patience = 100000};
    struct graph triangle = {.colors.patience = 100000};
    for (uint32_t i = 0; i < 5; i++) {
        add_edge(&petersen, i, (i + 1) % 5);
        add_edge(&petersen, i, 5 + i);
        add_edge(&petersen, 5 + i, 5 + (i + 2) % 5);
    }
    for (uint32_t i = 0; i < 6; i++) {
        add_edge(&triangle, i % 3, (i + 1) % 3);
    }
    assert_false(color(&petersen, 10, 3));
    assert_true(color(&petersen, 10, 4));
    assert_false(color(&triangle, 3, 5));
    assert_true(color(&triangle, 3, 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_rings_and_matchings_are_cables),
        cmocka_unit_test(test_one_way_rings_are_crossconnects),
        cmocka_unit_test(test_any_topology_has_a_map),
        cmocka_unit_test(test_topologies_of_demands_have_a_map),
        cmocka_unit_test(test_two_kinds_of_nodes_take_the_degree),
        cmocka_unit_test(test_known_graphs_take_their_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
