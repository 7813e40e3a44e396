/* k shortest paths: see k_shortest.h. igraph gets the graph without leaf NPUs, because no path
 * passes them. The igraph graph is rebuilt for each pair, which takes far less time than the
 * search. Of equally short paths igraph takes those over nodes of low numbers; if it leaves some
 * out, all pairs would share these nodes, so the nodes are numbered anew for each pair. */
#include "network/routing/k_shortest.h"

#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph.h"
#include "network/routing/igraph_calls.h"
#include "network/routing/router.h"

struct pair {
    uint64_t key; /* from << 32 | to, plus 1; 0: free */
    const struct k_shortest_paths *paths;
};

struct k_shortest {
    struct k_shortest_config of;
    struct igraph_calls igraph;
    igraph_integer_t *node;    /* [nodes]: igraph's number of each, for the pair at hand */
    igraph_integer_t *renamed; /* [2 * links]: `ends` by these */
    uint32_t *link;            /* [links]: links passed to igraph */
    igraph_integer_t *ends;    /* [2 * links]: their ends */
    uint32_t links;
    struct pair *pair; /* open addressing */
    size_t pairs, mask;
};

enum { FIRST_PAIRS = 256 };

static bool is_leaf(const struct k_shortest_config *of, uint32_t node)
{
    return node < of->graph->npus && of->root[node] != node;
}

enum orr_status orr_k_shortest_create(struct k_shortest **out, const struct k_shortest_config *of,
                                      struct orr_diag *diag)
{
    const struct net_graph *graph = of->graph;
    struct k_shortest *all = orr_arena_alloc(of->arena, sizeof *all);
    uint32_t *link = orr_arena_array(of->arena, (size_t)graph->links + 1, sizeof *link);
    igraph_integer_t *ends = orr_arena_array(of->arena, graph->links + (size_t)1, 2 * sizeof *ends);
    struct pair *pair = orr_arena_array(of->arena, FIRST_PAIRS, sizeof *pair);
    igraph_integer_t *node = orr_arena_array(of->arena, graph->nodes + (size_t)1, sizeof *node);
    igraph_integer_t *renamed =
        orr_arena_array(of->arena, graph->links + (size_t)1, 2 * sizeof *renamed);
    if (all == NULL || node == NULL || renamed == NULL || link == NULL || ends == NULL ||
        pair == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    *all = (struct k_shortest){.of = *of,
                               .node = node,
                               .renamed = renamed,
                               .link = link,
                               .ends = ends,
                               .pair = pair,
                               .mask = FIRST_PAIRS - 1};
    for (uint32_t i = 0; i < graph->links; i++) {
        if (!is_leaf(of, graph->link[i].from) && !is_leaf(of, graph->link[i].to)) {
            ends[2 * all->links] = graph->link[i].from;
            ends[2 * all->links + 1] = graph->link[i].to;
            link[all->links++] = i;
        }
    }
    *out = all;
    return orr_igraph_calls_load(&all->igraph, diag);
}

/* ---- cache by pair ---- */

static struct pair *find_slot(const struct k_shortest *all, uint64_t key)
{
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & all->mask;
    while (all->pair[at].key != 0 && all->pair[at].key != key) {
        at = (at + 1) & all->mask;
    }
    return &all->pair[at];
}

static bool grow(struct k_shortest *all)
{
    const struct k_shortest old = *all;
    if (2 * all->pairs < all->mask) {
        return true;
    }
    all->mask = 2 * all->mask + 1;
    all->pair = orr_arena_array(all->of.arena, all->mask + 1, sizeof *all->pair);
    if (all->pair == NULL) {
        *all = old;
        return false;
    }
    for (size_t i = 0; i <= old.mask; i++) {
        if (old.pair[i].key != 0) {
            *find_slot(all, old.pair[i].key) = old.pair[i];
        }
    }
    return true;
}

/* ---- igraph ---- */

/* Numbers the nodes: as they are, or, with a key, in an order drawn by it. */
static void number_nodes(struct k_shortest *all, uint64_t key)
{
    const uint32_t nodes = all->of.graph->nodes;
    struct orr_rng rng;
    orr_rng_init(&rng, key, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        all->node[i] = i;
    }
    for (uint32_t i = nodes; key != 0 && i > 1; i--) {
        const uint32_t other = (uint32_t)orr_rng_below(&rng, i);
        const igraph_integer_t kept = all->node[i - 1];
        all->node[i - 1] = all->node[other];
        all->node[other] = kept;
    }
    for (uint32_t i = 0; i < 2 * all->links; i++) {
        all->renamed[i] = all->node[all->ends[i]];
    }
}

/* Fills the initialized `lists` with igraph's numbers of the links of the paths. */
static igraph_error_t run_igraph(const struct k_shortest *all, uint32_t from, uint32_t to,
                                 igraph_vector_int_list_t *lists)
{
    igraph_vector_int_t ends = {0};
    igraph_t graph;
    igraph_error_t error = all->igraph.create(
        &graph, all->igraph.vector_int_view(&ends, all->renamed, 2 * (igraph_integer_t)all->links),
        all->of.graph->nodes, IGRAPH_DIRECTED);
    if (error == IGRAPH_SUCCESS) {
        error = all->igraph.get_k_shortest_paths(&graph, NULL, NULL, lists, all->of.paths + 1,
                                                 all->node[from], all->node[to], IGRAPH_OUT);
        all->igraph.destroy(&graph);
    }
    return error;
}

static igraph_integer_t hops_of(const struct k_shortest *all, const igraph_vector_int_list_t *lists,
                                igraph_integer_t path)
{
    return all->igraph.vector_int_size(all->igraph.vector_int_list_get_ptr(lists, path));
}

/* Whether a path as short as the last one kept is left out: igraph was asked for one more. */
static bool leaves_out_equal(const struct k_shortest *all, const igraph_vector_int_list_t *lists)
{
    const igraph_integer_t kept = all->of.paths;
    return all->igraph.vector_int_list_size(lists) > kept &&
           hops_of(all, lists, kept) == hops_of(all, lists, kept - 1);
}

static enum orr_status store_paths(struct k_shortest *all, const igraph_vector_int_list_t *lists,
                                   struct k_shortest_paths *paths)
{
    const igraph_integer_t found = all->igraph.vector_int_list_size(lists);
    const igraph_integer_t count = found < all->of.paths ? found : all->of.paths;
    uint32_t *first = orr_arena_array(all->of.arena, (size_t)count + 1, sizeof *first);
    uint32_t hops = 0;
    for (igraph_integer_t p = 0; first != NULL && p < count; p++) {
        hops += (uint32_t)hops_of(all, lists, p);
        first[p + 1] = hops;
    }
    uint32_t *link = orr_arena_array(all->of.arena, (size_t)hops + 1, sizeof *link);
    if (first == NULL || link == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (igraph_integer_t p = 0; p < count; p++) {
        const igraph_vector_int_t *path = all->igraph.vector_int_list_get_ptr(lists, p);
        for (uint32_t h = first[p]; h < first[p + 1]; h++) {
            link[h] = all->link[VECTOR(*path)[h - first[p]]];
        }
    }
    *paths = (struct k_shortest_paths){.count = (uint32_t)count, .first = first, .link = link};
    return ORR_OK;
}

static enum orr_status compute_paths(struct k_shortest *all, uint32_t from, uint32_t to,
                                     struct k_shortest_paths *paths)
{
    igraph_vector_int_list_t lists;
    const struct igraph_handlers handlers = orr_igraph_calls_quiet(&all->igraph);
    enum orr_status status =
        all->igraph.vector_int_list_init(&lists, 0) == IGRAPH_SUCCESS ? ORR_OK : ORR_ERR_MEMORY;
    if (status == ORR_OK) {
        number_nodes(all, 0);
        igraph_error_t error = run_igraph(all, from, to, &lists);
        if (error == IGRAPH_SUCCESS && leaves_out_equal(all, &lists)) {
            number_nodes(all, ((uint64_t)from << 32 | to) + 1);
            error = run_igraph(all, from, to, &lists);
        }
        status = error == IGRAPH_SUCCESS ? store_paths(all, &lists, paths) : ORR_ERR_MEMORY;
        all->igraph.vector_int_list_destroy(&lists);
    }
    orr_igraph_calls_loud(&all->igraph, handlers);
    return status == ORR_OK && paths->count == 0 ? ORR_ERR_INPUT : status;
}

enum orr_status orr_k_shortest_find(struct k_shortest *all, uint32_t from, uint32_t to,
                                    const struct k_shortest_paths **out)
{
    const uint64_t key = ((uint64_t)from << 32 | to) + 1;
    const struct pair *known = find_slot(all, key);
    if (known->key == 0) {
        struct k_shortest_paths *paths = orr_arena_alloc(all->of.arena, sizeof *paths);
        const enum orr_status status =
            paths == NULL || !grow(all) ? ORR_ERR_MEMORY : compute_paths(all, from, to, paths);
        if (status != ORR_OK) {
            return status;
        }
        struct pair *added = find_slot(all, key);
        *added = (struct pair){.key = key, .paths = paths};
        all->pairs++;
        known = added;
    }
    *out = known->paths;
    return ORR_OK;
}

/* ---- the routing ---- */

static enum orr_status create(struct net_router *router, const struct net_route_options *options,
                              struct orr_diag *diag)
{
    const uint32_t paths = options->paths == 0 ? NET_DEFAULT_PATHS : options->paths;
    const struct k_shortest_config of = {
        .graph = router->graph, .root = router->root, .paths = paths, .arena = router->arena};
    struct k_shortest *all = NULL;
    const enum orr_status status = orr_k_shortest_create(&all, &of, diag);
    router->own = all;
    return status;
}

/* One of the k shortest paths between the switches of the ends, with the links to and from
 * these. */
static enum orr_status by_k_shortest(struct net_router *router, uint32_t src, uint32_t dst,
                                     uint64_t key, struct net_route_links *out)
{
    const struct net_graph *graph = router->graph;
    const uint32_t from = src < graph->npus ? router->root[src] : src;
    const uint32_t to = dst < graph->npus ? router->root[dst] : dst;
    const struct k_shortest_paths *paths = NULL;
    uint32_t count = 0;
    if (from != to) {
        const enum orr_status status = orr_k_shortest_find(router->own, from, to, &paths);
        if (status != ORR_OK) {
            return status;
        }
    }
    if (from != src) {
        router->link[count++] = graph->first_out[src];
    }
    if (paths != NULL) {
        const uint64_t draw =
            router_mix(router_mix(key) ^ router->seed * UINT64_C(0x9e3779b97f4a7c15));
        const uint32_t pick = (uint32_t)(((draw >> 32) * paths->count) >> 32);
        const uint32_t hops = paths->first[pick + 1] - paths->first[pick];
        memcpy(router->link + count, paths->link + paths->first[pick], hops * sizeof(uint32_t));
        count += hops;
    }
    if (to != dst) {
        router->link[count++] = router->reverse.in[router->reverse.first_in[dst]];
    }
    *out = (struct net_route_links){.link = router->link, .hops = count};
    return ORR_OK;
}

static bool has_one_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    const uint32_t from = router->root[src], to = router->root[dst];
    const struct k_shortest_paths *paths = NULL;
    return from == to ||
           (orr_k_shortest_find(router->own, from, to, &paths) == ORR_OK && paths->count == 1);
}

const struct net_routing orr_routing_k_shortest = {
    .name = "k-shortest",
    .summary = "any of the k shortest loopless paths, by message",
    .spreads = true,
    .counts_paths = true,
    .leaves_links = true,
    .create = create,
    .path = by_k_shortest,
    .has_one_path = has_one_path,
};
