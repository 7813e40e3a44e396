/* Orders the messages of trees; see forest.h. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/divide.h"
#include "system/collectives/forest.h"

/* The link between a rank and its parent in one tree. */
struct edge {
    uint32_t stage, block, child, parent;
};

struct builder {
    const struct coll_forest_trees *trees;
    struct edge *edge; /* [roots * (n - 1)] of one variant */
    uint32_t edges;
    uint32_t *level;                   /* [n] depth, or height */
    uint32_t *ready;                   /* [n * n] receives after which a rank has a block */
    uint32_t *first_send, *first_recv; /* of all variants */
    uint32_t *sent, *received;         /* [n] */
    struct coll_forest_send *send;
    struct coll_forest_recv *recv;
    uint32_t *own;
};

static int compare(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->stage != right->stage) {
        return left->stage < right->stage ? -1 : 1;
    }
    if (left->block != right->block) {
        return left->block < right->block ? -1 : 1;
    }
    return left->child < right->child ? -1 : left->child > right->child;
}

/* Depths below the root, or heights above the lowest leaf. O(n depth). */
static void find_levels(struct builder *builder, const uint32_t *parent)
{
    const uint32_t n = builder->trees->n;
    for (uint32_t v = 0; v < n; v++) {
        builder->level[v] = 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        uint32_t steps = 0;
        for (uint32_t at = v; parent[at] != UINT32_MAX; at = parent[at]) {
            steps++;
            if (builder->trees->reduces && builder->level[parent[at]] < steps) {
                builder->level[parent[at]] = steps;
            }
        }
        builder->level[v] = builder->trees->reduces ? builder->level[v] : steps;
    }
}

static void list_edges(struct builder *builder, uint32_t variant)
{
    const struct coll_forest_trees *trees = builder->trees;
    builder->edges = 0;
    for (uint32_t r = 0; r < trees->roots; r++) {
        const uint32_t *parent = trees->parent + ((size_t)r * trees->units + variant) * trees->n;
        find_levels(builder, parent);
        for (uint32_t v = 0; v < trees->n; v++) {
            if (parent[v] != UINT32_MAX) {
                builder->edge[builder->edges++] =
                    (struct edge){.stage = builder->level[v],
                                  .block = trees->roots == 1 ? trees->root : r,
                                  .child = v,
                                  .parent = parent[v]};
            }
        }
    }
    qsort(builder->edge, builder->edges, sizeof *builder->edge, compare);
}

static uint32_t sender_of(const struct builder *builder, const struct edge *edge)
{
    return builder->trees->reduces ? edge->child : edge->parent;
}

static uint32_t receiver_of(const struct builder *builder, const struct edge *edge)
{
    return builder->trees->reduces ? edge->parent : edge->child;
}

/* The indices of a variant's ranks, from those of the variant before. */
static void count_messages(struct builder *builder, uint32_t variant)
{
    const uint32_t n = builder->trees->n;
    uint32_t *send = builder->first_send + (size_t)variant * n;
    uint32_t *recv = builder->first_recv + (size_t)variant * n;
    for (uint32_t i = 0; i < builder->edges; i++) {
        send[sender_of(builder, &builder->edge[i]) + 1]++;
        recv[receiver_of(builder, &builder->edge[i]) + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        send[v + 1] += send[v];
        recv[v + 1] += recv[v];
        builder->sent[v] = builder->received[v] = 0;
    }
    for (size_t i = 0; i < (size_t)n * n; i++) {
        builder->ready[i] = 0;
    }
}

static void fill(struct builder *builder, uint32_t variant)
{
    const uint32_t n = builder->trees->n;
    const uint32_t *first_send = builder->first_send + (size_t)variant * n;
    const uint32_t *first_recv = builder->first_recv + (size_t)variant * n;
    for (uint32_t i = 0; i < builder->edges; i++) {
        const struct edge *edge = &builder->edge[i];
        const uint32_t from = sender_of(builder, edge), to = receiver_of(builder, edge);
        const uint32_t at = builder->received[to]++;
        builder->send[first_send[from] + builder->sent[from]++] =
            (struct coll_forest_send){.block = edge->block,
                                      .peer = to,
                                      .peer_recv = at,
                                      .need = builder->ready[(size_t)from * n + edge->block]};
        builder->recv[first_recv[to] + at] =
            (struct coll_forest_recv){.block = edge->block, .peer = from};
        builder->ready[(size_t)to * n + edge->block] = at + 1;
    }
    for (uint32_t v = 0; v < n; v++) {
        builder->own[(size_t)variant * n + v] = builder->ready[(size_t)v * n + v];
    }
}

static bool allocate(struct builder *builder, struct orr_arena *arena)
{
    const struct coll_forest_trees *trees = builder->trees;
    const size_t n = trees->n, all = (size_t)trees->units * n;
    const size_t edges = (size_t)trees->roots * (n - 1);
    builder->edge = orr_arena_array(arena, edges + 1, sizeof *builder->edge);
    builder->level = orr_arena_array(arena, n, sizeof(uint32_t));
    builder->ready = orr_arena_array(arena, n * n, sizeof(uint32_t));
    builder->sent = orr_arena_array(arena, n, sizeof(uint32_t));
    builder->received = orr_arena_array(arena, n, sizeof(uint32_t));
    builder->first_send = orr_arena_array(arena, all + 1, sizeof(uint32_t));
    builder->first_recv = orr_arena_array(arena, all + 1, sizeof(uint32_t));
    builder->own = orr_arena_array(arena, all, sizeof(uint32_t));
    builder->send = orr_arena_array(arena, edges * trees->units + 1, sizeof *builder->send);
    builder->recv = orr_arena_array(arena, edges * trees->units + 1, sizeof *builder->recv);
    return builder->edge != NULL && builder->level != NULL && builder->ready != NULL &&
           builder->sent != NULL && builder->received != NULL && builder->first_send != NULL &&
           builder->first_recv != NULL && builder->own != NULL && builder->send != NULL &&
           builder->recv != NULL;
}

bool orr_coll_forest_part(const struct coll_forest_trees *trees, struct orr_arena *arena,
                          struct coll_forest_part *out)
{
    struct builder builder = {.trees = trees};
    if (!allocate(&builder, arena)) {
        return false;
    }
    for (uint32_t u = 0; u < trees->units; u++) {
        list_edges(&builder, u);
        count_messages(&builder, u);
        fill(&builder, u);
    }
    *out = (struct coll_forest_part){.units = trees->units,
                                     .first_send = builder.first_send,
                                     .first_recv = builder.first_recv,
                                     .send = builder.send,
                                     .recv = builder.recv,
                                     .own = builder.own};
    return true;
}

uint32_t orr_coll_forest_variants(const struct coll_forest *forest)
{
    const uint32_t a = forest->gather.units, b = forest->reduce.units;
    return a == 0 ? b : b == 0 ? a : a / orr_gcd(a, b) * b;
}
