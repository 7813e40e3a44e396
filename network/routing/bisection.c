/* Bisection: halves of the NPUs with a small cut between them; see routing.h. The minimum is
 * NP-hard. Candidates are halves in the order of a key of each unit (rank, coordinate, distance,
 * Fiedler vector, random), improved by swaps in direct networks. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/routing/bisection.h"

enum { RANDOM_CUTS = 4, SMALL_UNITS = 512, ITERATIONS = 300, STREAM = 7 };

static const double max_steps = 3e8; /* budget of the Fiedler vector */

struct keyed_npu {
    double key;
    uint32_t unit, npu;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed_npu *a = left, *b = right;
    if (a->key < b->key || a->key > b->key) {
        return a->key < b->key ? -1 : 1;
    }
    if (a->unit != b->unit) {
        return a->unit < b->unit ? -1 : 1;
    }
    return (a->npu > b->npu) - (a->npu < b->npu);
}

static enum orr_status try_halves(struct bisection *all)
{
    double cut = 0;
    const enum orr_status status = orr_bisection_cut(all, &cut);
    if (status == ORR_OK && (all->best.cuts++ == 0 || cut < all->best.bytes_per_s)) {
        all->best.bytes_per_s = cut;
    }
    return status;
}

static enum orr_status try_swaps(struct bisection *all)
{
    uint8_t *half = orr_arena_array(all->arena, all->units, 1);
    if (half == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < all->graph->npus; i++) {
        half[all->unit[all->root[i]]] = all->half[i];
    }
    const enum orr_status status = orr_bisection_swap(all, half);
    for (uint32_t i = 0; i < all->graph->npus; i++) {
        all->half[i] = half[all->unit[all->root[i]]];
    }
    return status == ORR_OK ? try_halves(all) : status;
}

/* Tries the halves in the order of the units' keys, then improves them by swaps. */
static enum orr_status try_keys(struct bisection *all)
{
    const uint32_t npus = all->graph->npus;
    struct keyed_npu *keyed_npu = orr_arena_array(all->arena, npus, sizeof *keyed_npu);
    if (keyed_npu == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < npus; i++) {
        const uint32_t unit = all->unit[all->root[i]];
        keyed_npu[i] = (struct keyed_npu){.key = all->key[unit], .unit = unit, .npu = i};
    }
    qsort(keyed_npu, npus, sizeof *keyed_npu, by_key);
    for (uint32_t i = 0; i < npus; i++) {
        all->half[keyed_npu[i].npu] = i >= npus / 2;
    }
    const enum orr_status status = try_halves(all);
    return status == ORR_OK && orr_bisection_can_swap(all) ? try_swaps(all) : status;
}

/* ---- keys ---- */

static enum orr_status try_ranks(struct bisection *all)
{
    for (uint32_t u = 0; u < all->units; u++) {
        all->key[u] = u;
    }
    return try_keys(all);
}

/* Keys: a coordinate of each dimension. NPUs below the ranks follow the ranks in order. */
static enum orr_status try_dims(struct bisection *all)
{
    const struct net_graph *graph = all->graph;
    const struct net_config config = {.dims = graph->dims, .dim = graph->dim};
    enum orr_status status = ORR_OK;
    const uint32_t ranks = graph->dims > 0 ? orr_net_npus(&config) : 1;
    for (unsigned d = 0; d < graph->dims && status == ORR_OK; d++) {
        for (uint32_t i = 0; i < graph->npus && graph->dim[d].npus > 1; i++) {
            uint32_t coords[NET_MAX_DIMS];
            orr_net_coords(&config, (uint32_t)((uint64_t)i * ranks / graph->npus), coords);
            all->key[all->unit[all->root[i]]] = coords[d];
        }
        status = graph->dim[d].npus > 1 ? try_keys(all) : ORR_OK;
    }
    return status;
}

/* Keys: the distance to the unit farthest from NPU 0, and to the unit farthest from that one. */
static enum orr_status try_distances(struct bisection *all)
{
    const struct net_graph *graph = all->graph;
    uint16_t *hops = orr_arena_array(all->arena, graph->nodes, sizeof *hops);
    uint32_t *queue = orr_arena_array(all->arena, graph->nodes, sizeof *queue);
    uint32_t from = all->node[0];
    enum orr_status status = hops == NULL || queue == NULL ? ORR_ERR_MEMORY : ORR_OK;
    for (int pass = 0; pass < 3 && status == ORR_OK; pass++) {
        uint32_t farthest = 0;
        orr_net_graph_distances(graph, &all->reverse, from, hops, queue);
        for (uint32_t u = 0; u < all->units; u++) {
            all->key[u] = hops[all->node[u]];
            farthest = hops[all->node[u]] > hops[all->node[farthest]] ? u : farthest;
        }
        from = all->node[farthest];
        status = pass > 0 ? try_keys(all) : ORR_OK;
    }
    return status;
}

static enum orr_status try_random(struct bisection *all)
{
    struct orr_rng rng;
    enum orr_status status = ORR_OK;
    orr_rng_init(&rng, 1, STREAM);
    for (int i = 0; i < RANDOM_CUTS && status == ORR_OK; i++) {
        for (uint32_t u = 0; u < all->units; u++) {
            all->key[u] = orr_rng_unit(&rng);
        }
        status = try_keys(all);
    }
    return status;
}

/* ---- the Fiedler vector ---- */

struct vector {
    double *now, *next, *degree; /* [nodes] */
    double shift;                /* twice the greatest degree */
};

/* next = (shift - L) now, less its mean and scaled to a length of about 1; L is the Laplacian of
 * the capacities. Its greatest vector but the constant one is the Fiedler vector. */
static void iterate(const struct net_graph *graph, struct vector *vector)
{
    double mean = 0, max = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        vector->next[n] = (vector->shift - vector->degree[n]) * vector->now[n];
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const double capacity = net_link_capacity(link);
        vector->next[link->from] += capacity * vector->now[link->to];
        vector->next[link->to] += capacity * vector->now[link->from];
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        mean += vector->next[n] / graph->nodes;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        const double value = vector->next[n] - mean;
        max = value > max ? value : -value > max ? -value : max;
        vector->now[n] = value;
    }
    for (uint32_t n = 0; n < graph->nodes && max > 0; n++) {
        vector->now[n] /= max;
    }
}

static enum orr_status try_fiedler(struct bisection *all)
{
    const struct net_graph *graph = all->graph;
    struct vector vector = {.now = orr_arena_array(all->arena, graph->nodes, sizeof(double)),
                            .next = orr_arena_array(all->arena, graph->nodes, sizeof(double)),
                            .degree = orr_arena_array(all->arena, graph->nodes, sizeof(double))};
    if (vector.now == NULL || vector.next == NULL || vector.degree == NULL) {
        return ORR_ERR_MEMORY;
    }
    struct orr_rng rng;
    orr_rng_init(&rng, 0, STREAM);
    for (uint32_t i = 0; i < graph->links; i++) {
        vector.degree[graph->link[i].from] += net_link_capacity(&graph->link[i]);
        vector.degree[graph->link[i].to] += net_link_capacity(&graph->link[i]);
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        const double twice = 2 * vector.degree[n];
        vector.now[n] = orr_rng_unit(&rng) - 0.5;
        vector.shift = twice > vector.shift ? twice : vector.shift;
    }
    const double steps = max_steps / (2.0 * graph->nodes + graph->links);
    for (int i = 0; i < ITERATIONS && i < steps; i++) {
        iterate(graph, &vector);
    }
    for (uint32_t u = 0; u < all->units; u++) {
        all->key[u] = vector.now[all->node[u]];
    }
    return try_keys(all);
}

/* ---- all of them ---- */

static enum orr_status prepare(struct bisection *all)
{
    const struct net_graph *graph = all->graph;
    all->root = orr_arena_array(all->arena, graph->npus, sizeof *all->root);
    all->unit = orr_arena_array(all->arena, graph->nodes, sizeof *all->unit);
    all->node = orr_arena_array(all->arena, graph->npus, sizeof *all->node);
    all->below = orr_arena_array(all->arena, graph->npus, sizeof *all->below);
    all->half = orr_arena_array(all->arena, graph->npus, 1);
    all->key = orr_arena_array(all->arena, graph->npus, sizeof *all->key);
    all->ends = orr_arena_array(all->arena, (size_t)graph->links + 1, 2 * sizeof *all->ends);
    all->capacity = orr_arena_array(all->arena, (size_t)graph->links + 1, sizeof(double));
    if (all->root == NULL || all->unit == NULL || all->node == NULL || all->below == NULL ||
        all->half == NULL || all->key == NULL || all->ends == NULL || all->capacity == NULL) {
        return ORR_ERR_MEMORY;
    }
    orr_net_graph_roots(graph, &all->reverse, all->root);
    memset(all->unit, 0xff, graph->nodes * sizeof *all->unit);
    for (uint32_t i = 0; i < graph->npus; i++) {
        uint32_t *unit = &all->unit[all->root[i]];
        if (*unit == NET_NO_UNIT) {
            *unit = all->units;
            all->node[all->units++] = all->root[i];
        }
        all->below[*unit]++;
    }
    return ORR_OK;
}

enum orr_status orr_net_graph_bisection(const struct net_graph *graph, struct orr_arena *arena,
                                        struct net_bisection *out, struct orr_diag *diag)
{
    enum orr_status (*const attempts[])(struct bisection *) = {try_ranks, try_dims, try_distances,
                                                               try_fiedler, try_random};
    struct bisection all = {.graph = graph, .arena = arena};
    enum orr_status status = orr_net_graph_reverse(graph, arena, &all.reverse, diag);
    if (status == ORR_OK && graph->nodes > graph->npus) {
        status = orr_igraph_calls_load(&all.igraph, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = prepare(&all);
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts && status == ORR_OK; i++) {
        if (attempts[i] != try_random ||
            (all.units <= SMALL_UNITS && orr_bisection_can_swap(&all))) {
            status = attempts[i](&all);
        }
    }
    *out = all.best;
    return status == ORR_OK ? ORR_OK : orr_diag_no_memory(diag, "the graph of the network");
}
