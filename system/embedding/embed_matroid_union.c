/* Matroid union: the maximum number of edges that edge-disjoint forests can have together (Roskind
 * and Tarjan, Math. Oper. Res. 10, 1985). A free edge is added to a tree in which it closes no
 * cycle; or to one in which it does, and an edge of that cycle moves to another tree, and so on:
 * the shortest such augmenting sequence, breadth first. An edge without an augmenting sequence
 * never has one later. */
#include <string.h>

#include "system/embedding/embed_search.h"

#define NO_CAUSE UINT32_MAX

/* Parents of all components of a tree; levels count from any member. */
static void root_parts(struct embed_forest *forest, uint32_t tree, uint32_t *queue)
{
    const size_t base = (size_t)tree * forest->n;
    uint32_t *level = forest->level + base;
    memset(level, 0xff, forest->n * sizeof *level);
    for (uint32_t root = 0; root < forest->n; root++) {
        uint32_t head = 0, tail = 0;
        if (level[root] != UINT32_MAX) {
            continue;
        }
        forest->parent[base + root] = SYS_NO_PARENT;
        level[root] = 0;
        queue[tail++] = root;
        while (head < tail) {
            const uint32_t member = queue[head++];
            for (uint32_t i = forest->first[member]; i < forest->first[member + 1]; i++) {
                const struct embed_duplex_link *edge = &forest->edge[forest->at[i]];
                const uint32_t to = embed_other_end(edge, member);
                if (edge->owner == tree && level[to] == UINT32_MAX) {
                    forest->parent[base + to] = member;
                    forest->by[base + to] = forest->at[i];
                    level[to] = level[member] + 1;
                    queue[tail++] = to;
                }
            }
        }
    }
}

/* Applies the augmenting sequence: the last edge goes into the tree, each edge before it to the
 * tree of the next. */
static void apply_chain(struct embed_forest *forest, uint32_t last, uint32_t tree)
{
    uint32_t to = tree;
    for (uint32_t edge = last;; edge = forest->cause[edge]) {
        const uint32_t left = forest->edge[edge].owner;
        forest->edge[edge].owner = to;
        to = left;
        if (forest->cause[edge] == edge) {
            return;
        }
    }
}

struct chain {
    struct embed_forest *forest;
    uint32_t head, tail; /* of the queue of edges */
};

static void enqueue(struct chain *chain, uint32_t edge, uint32_t cause)
{
    if (chain->forest->cause[edge] == NO_CAUSE) {
        chain->forest->cause[edge] = cause;
        chain->forest->queue[chain->tail++] = edge;
    }
}

/* Whether the edge closes no cycle in the tree; if it does, the cycle's edges are queued. */
static bool closes_no_cycle(struct chain *chain, uint32_t index, uint32_t tree)
{
    struct embed_forest *forest = chain->forest;
    const size_t base = (size_t)tree * forest->n;
    const uint32_t *parent = forest->parent + base, *level = forest->level + base;
    uint32_t a = forest->edge[index].a, b = forest->edge[index].b;
    while (a != b && (level[a] > 0 || level[b] > 0)) {
        uint32_t *up = level[a] >= level[b] ? &a : &b;
        *up = parent[*up];
    }
    if (a != b) {
        return true;
    }
    const uint32_t top = a;
    for (a = forest->edge[index].a; a != top; a = parent[a]) {
        enqueue(chain, forest->by[base + a], index);
    }
    for (b = forest->edge[index].b; b != top; b = parent[b]) {
        enqueue(chain, forest->by[base + b], index);
    }
    return false;
}

static bool add_edge(struct embed_forest *forest, uint32_t edge)
{
    struct chain chain = {.forest = forest};
    memset(forest->cause, 0xff, forest->edges * sizeof *forest->cause);
    enqueue(&chain, edge, edge);
    while (chain.head < chain.tail) {
        const uint32_t next = forest->queue[chain.head++];
        for (uint32_t t = 0; t < forest->trees; t++) {
            if (t != forest->edge[next].owner && closes_no_cycle(&chain, next, t)) {
                apply_chain(forest, next, t);
                return true;
            }
        }
    }
    return false;
}

void orr_embed_forest_unite(struct embed_forest *forest)
{
    uint64_t used = 0;
    const uint64_t max = (uint64_t)forest->trees * (forest->n - 1);
    for (uint32_t i = 0; i < forest->edges; i++) {
        used += forest->edge[i].owner != EMBED_NO_TREE ? 1 : 0;
    }
    for (uint32_t i = 0; i < forest->edges && used < max; i++) {
        if (forest->edge[i].owner != EMBED_NO_TREE) {
            continue;
        }
        for (uint32_t t = 0; t < forest->trees; t++) {
            root_parts(forest, t, forest->trial);
        }
        used += add_edge(forest, i) ? 1 : 0;
    }
}
