/* Trees of any shape that use no bond twice. They grow in turns, each to a member that is nearest
 * to its root; exchanges then add what can be added (embed_matroid_union.c), and what is still
 * missing shares bonds. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "network/graph.h"
#include "system/embedding/embed_search.h"

/* ---- edges ---- */

uint32_t orr_embed_lanes(const struct sys_embed *embed, uint32_t a, uint32_t b)
{
    const struct net_link *link = embed->graph->link;
    const uint32_t from = embed_npu(embed, a), to = embed_npu(embed, b);
    const uint32_t forward = orr_net_graph_find(embed->graph, from, to);
    const uint32_t reverse = orr_net_graph_find(embed->graph, to, from);
    if (forward == NET_NO_LINK || reverse == NET_NO_LINK ||
        link[forward].bytes_per_s < embed->min_bytes_per_s ||
        link[reverse].bytes_per_s < embed->min_bytes_per_s) {
        return 0;
    }
    return link[forward].count < link[reverse].count ? link[forward].count : link[reverse].count;
}

static bool add_lanes(struct embed_forest *forest, const struct sys_embed *embed,
                      struct embed_duplex_link pair, size_t *capacity, struct orr_arena *arena)
{
    const uint32_t lanes = orr_embed_lanes(embed, pair.a, pair.b);
    for (uint32_t lane = 0; lane < lanes && lane < forest->trees; lane++) {
        struct embed_duplex_link *grown =
            orr_arena_grow(arena, forest->edge, capacity, (size_t)forest->edges + 1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        forest->edge = grown;
        forest->edge[forest->edges++] = pair;
    }
    return true;
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The members behind `a` that it has links to, in their order. */
static uint32_t list_neighbours(const struct sys_embed *embed, const uint32_t *place, uint32_t a,
                                uint32_t *neighbour)
{
    const struct net_graph *graph = embed->graph;
    const uint32_t npu = embed_npu(embed, a);
    uint32_t neighbours = 0;
    for (uint32_t l = graph->first_out[npu]; l < graph->first_out[npu + 1]; l++) {
        const uint32_t to = graph->link[l].to;
        if (to < graph->npus && place[to] != UINT32_MAX && place[to] > a) {
            neighbour[neighbours++] = place[to];
        }
    }
    qsort(neighbour, neighbours, sizeof *neighbour, by_number);
    return neighbours;
}

static bool add_edges(struct embed_forest *forest, const struct sys_embed *embed,
                      struct orr_arena *arena)
{
    size_t capacity = 0;
    const uint32_t npus = embed->graph->npus;
    uint32_t *place = orr_arena_array(arena, npus, sizeof *place);
    uint32_t *neighbour = orr_arena_array(arena, forest->n, sizeof *neighbour);
    bool done = place != NULL && neighbour != NULL;
    for (uint32_t i = 0; done && i < npus; i++) {
        place[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; done && i < forest->n; i++) {
        place[embed_npu(embed, i)] = i;
    }
    for (uint32_t a = 0; done && a < forest->n; a++) {
        const uint32_t neighbours = list_neighbours(embed, place, a, neighbour);
        for (uint32_t i = 0; done && i < neighbours; i++) {
            const struct embed_duplex_link pair = {.a = a, .b = neighbour[i]};
            done = add_lanes(forest, embed, pair, &capacity, arena);
        }
    }
    return done;
}

static bool list_edges(struct embed_forest *forest, struct orr_arena *arena)
{
    forest->first = orr_arena_array(arena, (size_t)forest->n + 2, sizeof *forest->first);
    forest->at = orr_arena_array(arena, 2 * (size_t)forest->edges + 1, sizeof *forest->at);
    if (forest->first == NULL || forest->at == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < forest->edges; i++) {
        forest->first[forest->edge[i].a + 2]++;
        forest->first[forest->edge[i].b + 2]++;
    }
    for (uint32_t i = 0; i < forest->n; i++) {
        forest->first[i + 2] += forest->first[i + 1];
    }
    for (uint32_t i = 0; i < forest->edges; i++) {
        forest->at[forest->first[forest->edge[i].a + 1]++] = i;
        forest->at[forest->first[forest->edge[i].b + 1]++] = i;
    }
    return true;
}

bool orr_embed_forest_open(struct embed_forest *forest, const struct sys_embed *embed,
                           uint32_t trees, struct orr_arena *arena)
{
    *forest = (struct embed_forest){.n = embed->n, .trees = trees};
    if (!add_edges(forest, embed, arena) || !list_edges(forest, arena)) {
        return false;
    }
    const size_t entries = (size_t)forest->n * forest->trees, edges = (size_t)forest->edges + 1;
    forest->parent = orr_arena_array(arena, entries, sizeof *forest->parent);
    forest->by = orr_arena_array(arena, entries, sizeof *forest->by);
    forest->level = orr_arena_array(arena, entries, sizeof *forest->level);
    forest->queue =
        orr_arena_array(arena, edges > forest->n ? edges : forest->n, sizeof *forest->queue);
    forest->cause = orr_arena_array(arena, edges, sizeof *forest->cause);
    forest->trial = orr_arena_array(arena, 4 * (size_t)forest->n, sizeof *forest->trial);
    return forest->parent != NULL && forest->by != NULL && forest->level != NULL &&
           forest->queue != NULL && forest->cause != NULL && forest->trial != NULL;
}

bool orr_embed_forest_joins(struct embed_forest *forest)
{
    uint32_t head = 0, tail = 0;
    memset(forest->level, 0xff, forest->n * sizeof *forest->level);
    forest->queue[tail++] = 0;
    forest->level[0] = 0;
    while (head < tail) {
        const uint32_t member = forest->queue[head++];
        for (uint32_t i = forest->first[member]; i < forest->first[member + 1]; i++) {
            const uint32_t to = embed_other_end(&forest->edge[forest->at[i]], member);
            if (forest->level[to] == UINT32_MAX) {
                forest->level[to] = 0;
                forest->queue[tail++] = to;
            }
        }
    }
    return tail == forest->n;
}

/* ---- growing ---- */

/* The free edge from the shallowest member of the tree to a member outside it; ties are broken at
 * random. */
static uint32_t nearest_edge(const struct embed_forest *forest, const uint32_t *level,
                             struct orr_rng *rng)
{
    uint32_t best = EMBED_NO_DUPLEX_LINK, min = UINT32_MAX, equal = 0;
    for (uint32_t i = 0; i < forest->edges; i++) {
        const struct embed_duplex_link *edge = &forest->edge[i];
        const uint32_t a = level[edge->a], b = level[edge->b], low = a < b ? a : b;
        if (edge->owner != EMBED_NO_TREE || (a == UINT32_MAX) == (b == UINT32_MAX) || low > min) {
            continue;
        }
        equal = low < min ? 1 : equal + 1;
        min = low;
        best = orr_rng_below(rng, equal) == 0 ? i : best;
    }
    return best;
}

static void grow_in_turns(struct embed_forest *forest, struct orr_rng *rng)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t t = 0; t < forest->trees; t++) {
            uint32_t *level = forest->level + (size_t)t * forest->n;
            const uint32_t i = nearest_edge(forest, level, rng);
            if (i != EMBED_NO_DUPLEX_LINK) {
                struct embed_duplex_link *edge = &forest->edge[i];
                const bool up = level[edge->a] == UINT32_MAX;
                level[up ? edge->a : edge->b] = level[up ? edge->b : edge->a] + 1;
                edge->owner = t;
                grown = true;
            }
        }
    }
}

static void reset_to_roots(struct embed_forest *forest, struct orr_rng *rng)
{
    memset(forest->level, 0xff, (size_t)forest->n * forest->trees * sizeof *forest->level);
    for (uint32_t i = 0; i < forest->edges; i++) {
        forest->edge[i].owner = EMBED_NO_TREE;
    }
    for (uint32_t t = 0; t < forest->trees; t++) {
        forest->level[(size_t)t * forest->n + orr_rng_below(rng, forest->n)] = 0;
    }
}

/* ---- roots ---- */

/* Breadth-first search of the tree from the members in the queue, over its own edges. */
static uint32_t grow_from(struct embed_forest *forest, uint32_t tree, uint32_t head, uint32_t tail)
{
    const size_t base = (size_t)tree * forest->n;
    while (head < tail) {
        const uint32_t member = forest->queue[head++];
        for (uint32_t i = forest->first[member]; i < forest->first[member + 1]; i++) {
            const struct embed_duplex_link *edge = &forest->edge[forest->at[i]];
            const uint32_t to = embed_other_end(edge, member);
            if (edge->owner == tree && forest->level[base + to] == UINT32_MAX) {
                forest->parent[base + to] = member;
                forest->by[base + to] = forest->at[i];
                forest->level[base + to] = forest->level[base + member] + 1;
                forest->queue[tail++] = to;
            }
        }
    }
    return tail;
}

/* Connects another part of the tree over a shared edge at the shallowest member, and appends it to
 * the queue. */
static void share_edge(struct embed_forest *forest, uint32_t tree, uint32_t tail)
{
    const size_t base = (size_t)tree * forest->n;
    uint32_t min = UINT32_MAX, from = 0, to = 0;
    for (uint32_t i = 0; i < forest->edges; i++) {
        const struct embed_duplex_link *edge = &forest->edge[i];
        const uint32_t a = forest->level[base + edge->a], b = forest->level[base + edge->b];
        const uint32_t low = a < b ? a : b;
        if ((a == UINT32_MAX) != (b == UINT32_MAX) && low < min) {
            min = low;
            from = a == UINT32_MAX ? edge->b : edge->a;
            to = embed_other_end(edge, from);
        }
    }
    forest->parent[base + to] = from;
    forest->by[base + to] = EMBED_NO_DUPLEX_LINK;
    forest->level[base + to] = min + 1;
    forest->queue[tail] = to;
}

/* Roots the tree; returns its depth. */
static uint32_t root_at(struct embed_forest *forest, uint32_t tree, uint32_t root)
{
    const size_t base = (size_t)tree * forest->n;
    uint32_t depth = 0;
    memset(forest->level + base, 0xff, forest->n * sizeof *forest->level);
    forest->parent[base + root] = SYS_NO_PARENT;
    forest->by[base + root] = EMBED_NO_DUPLEX_LINK;
    forest->level[base + root] = 0;
    forest->queue[0] = root;
    for (uint32_t tail = grow_from(forest, tree, 0, 1); tail < forest->n;) {
        share_edge(forest, tree, tail);
        tail = grow_from(forest, tree, tail, tail + 1);
    }
    for (uint32_t i = 0; i < forest->n; i++) {
        depth = forest->level[base + i] > depth ? forest->level[base + i] : depth;
    }
    return depth;
}

/* Roots the tree at its center, preferably not at the root of another tree. */
static void root_tree(struct embed_forest *forest, uint32_t tree)
{
    uint32_t best = 0, min = UINT32_MAX;
    for (uint32_t i = 0; i < forest->n; i++) {
        uint32_t cost = 2 * root_at(forest, tree, i);
        for (uint32_t t = 0; t < tree; t++) {
            cost |= forest->parent[(size_t)t * forest->n + i] == SYS_NO_PARENT ? 1u : 0;
        }
        best = cost < min ? i : best;
        min = cost < min ? cost : min;
    }
    (void)root_at(forest, tree, best);
}

void orr_embed_forest_grow(struct embed_forest *forest, struct orr_rng *rng)
{
    reset_to_roots(forest, rng);
    grow_in_turns(forest, rng);
    orr_embed_forest_unite(forest);
    for (uint32_t t = 0; t < forest->trees; t++) {
        root_tree(forest, t);
    }
}
