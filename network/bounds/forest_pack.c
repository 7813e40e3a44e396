/* Packs spanning trees into a graph of NPUs; see forest_private.h.
 *
 * A batch is a tree that grows by one link after the other, for all its units alike. How many units
 * of it may take the link x > y is what the link has, and what the trees that are not complete do
 * not need: a flow from x to y, where each other batch is a node that x feeds with its units and
 * that leads to all its members, less these units (Berczi and Frank 2010, as ForestColl,
 * section 5.3, uses it). If that is not all units, the rest becomes a batch of its own. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/forest_private.h"

struct packing {
    struct forest_graph *graph;
    struct forest_batch *first, *growing; /* before `growing` all are complete */
    struct cap_arc *arc;
    size_t arcs, arc_alloc;
};

static enum orr_status no_memory(const struct packing *packing)
{
    return orr_diag_no_memory(packing->graph->diag, "the trees of a network");
}

static struct forest_batch *new_batch(struct packing *packing, uint32_t root, uint64_t units)
{
    const uint32_t npus = packing->graph->npus;
    struct orr_arena *arena = packing->graph->arena;
    struct forest_batch *batch = orr_arena_alloc(arena, sizeof *batch);
    uint32_t *parent = orr_arena_array(arena, npus, sizeof *parent);
    uint32_t *member = orr_arena_array(arena, npus, sizeof *member);
    if (batch == NULL || parent == NULL || member == NULL) {
        return NULL;
    }
    memset(parent, 0xff, npus * sizeof *parent);
    member[0] = root;
    *batch = (struct forest_batch){
        .root = root, .size = 1, .units = units, .parent = parent, .member = member};
    return batch;
}

static bool has(const struct forest_batch *batch, uint32_t npu)
{
    return npu == batch->root || batch->parent[npu] != NET_NO_PARENT;
}

/* ---- the flow ---- */

static bool add_arc(struct packing *packing, uint32_t from, uint32_t to, uint64_t capacity)
{
    struct cap_arc *arc = orr_arena_grow(packing->graph->scratch, packing->arc, &packing->arc_alloc,
                                         packing->arcs + 1, sizeof *arc);
    if (arc == NULL) {
        return false;
    }
    packing->arc = arc;
    arc[packing->arcs++] = (struct cap_arc){from, to, capacity};
    return true;
}

static bool add_links(struct packing *packing)
{
    const struct forest_graph *graph = packing->graph;
    bool added = true;
    for (uint32_t u = 0; u < graph->npus; u++) {
        for (uint32_t v = 0; v < graph->npus; v++) {
            const uint64_t capacity = graph->capacity[forest_pair(graph, u, v)];
            added = added && (capacity == 0 || add_arc(packing, u, v, capacity));
        }
    }
    return added;
}

/* The other incomplete batches, as nodes from `npus` on; their units in *needed. */
static bool add_batches(struct packing *packing, uint32_t x, uint32_t *nodes, uint64_t *needed)
{
    bool added = true;
    for (const struct forest_batch *batch = packing->growing->next; batch != NULL && added;
         batch = batch->next) {
        const uint32_t node = (*nodes)++;
        added = add_arc(packing, x, node, batch->units);
        *needed += batch->units;
        for (uint32_t i = 0; i < batch->size && added; i++) {
            added = add_arc(packing, node, batch->member[i], batch->units);
        }
    }
    return added;
}

/* How many units of the growing batch may take the link x > y. */
static enum orr_status find_free(struct packing *packing, uint32_t x, uint32_t y, uint64_t *units)
{
    const struct forest_graph *graph = packing->graph;
    const uint64_t capacity = graph->capacity[forest_pair(graph, x, y)];
    const uint64_t wanted = capacity < packing->growing->units ? capacity : packing->growing->units;
    uint32_t nodes = graph->npus;
    uint64_t needed = 0;
    struct max_flow flow;
    orr_arena_reset(graph->scratch);
    packing->arc = NULL;
    packing->arcs = packing->arc_alloc = 0;
    if (!add_links(packing) || !add_batches(packing, x, &nodes, &needed) ||
        orr_max_flow_make(&flow, nodes, (uint32_t)packing->arcs, packing->arc, graph->scratch) !=
            ORR_OK) {
        return no_memory(packing);
    }
    for (uint32_t i = 0; i < packing->arcs; i++) {
        max_flow_set(&flow, i, packing->arc[i].capacity);
    }
    const uint64_t sent = orr_max_flow_run(&flow, x, y, wanted + needed);
    *units = sent > needed ? sent - needed : 0;
    *units = *units < wanted ? *units : wanted;
    return ORR_OK;
}

/* ---- growing ---- */

/* Sets `units` of the growing batch apart; the rest grows after it. */
static enum orr_status divide(struct packing *packing, uint64_t units)
{
    struct forest_batch *batch = packing->growing;
    const uint32_t npus = packing->graph->npus;
    if (units == batch->units) {
        return ORR_OK;
    }
    struct forest_batch *rest = new_batch(packing, batch->root, batch->units - units);
    if (rest == NULL) {
        return no_memory(packing);
    }
    memcpy(rest->parent, batch->parent, npus * sizeof *rest->parent);
    memcpy(rest->member, batch->member, npus * sizeof *rest->member);
    rest->size = batch->size;
    rest->next = batch->next;
    batch->next = rest;
    batch->units = units;
    return ORR_OK;
}

static enum orr_status take_link(struct packing *packing, uint32_t x, uint32_t y, uint64_t units)
{
    const enum orr_status status = divide(packing, units);
    struct forest_batch *batch = packing->growing;
    if (status == ORR_OK) {
        batch->parent[y] = x;
        batch->member[batch->size++] = y;
        packing->graph->capacity[forest_pair(packing->graph, x, y)] -= units;
    }
    return status;
}

/* Adds all links that can be added from one member. */
static enum orr_status grow_from(struct packing *packing, uint32_t x)
{
    const struct forest_graph *graph = packing->graph;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 1; i < graph->npus && status == ORR_OK; i++) {
        const uint32_t y = (x + i) % graph->npus; /* as all other roots would, turned */
        uint64_t units = 0;
        if (has(packing->growing, y) || graph->capacity[forest_pair(graph, x, y)] == 0) {
            continue;
        }
        status = find_free(packing, x, y, &units);
        if (status == ORR_OK && units > 0) {
            status = take_link(packing, x, y, units);
        }
    }
    return status;
}

/* Members in the order in which they joined, so that trees are shallow; what one could not add may
 * be free later, for all its units have shrunk. */
static enum orr_status grow(struct packing *packing)
{
    struct forest_batch *batch = packing->growing;
    enum orr_status status = ORR_OK;
    while (status == ORR_OK && batch->size < packing->graph->npus) {
        const uint32_t before = batch->size;
        for (uint32_t i = 0; i < batch->size && status == ORR_OK; i++) {
            status = grow_from(packing, batch->member[i]);
        }
        if (status == ORR_OK && batch->size == before) {
            return orr_diag_fail(packing->graph->diag, ORR_ERR_INTERNAL, NULL,
                                 "the trees of a network cannot be completed");
        }
    }
    return status;
}

enum orr_status orr_forest_pack(struct forest_graph *graph, struct forest_batch **out)
{
    struct packing packing = {.graph = graph};
    enum orr_status status = ORR_OK;
    *out = NULL;
    for (uint32_t v = graph->npus; v-- > 0;) {
        struct forest_batch *batch =
            graph->demand[v] != 0 ? new_batch(&packing, v, graph->demand[v]) : NULL;
        if (graph->demand[v] != 0 && batch == NULL) {
            return no_memory(&packing);
        }
        if (batch != NULL) {
            batch->next = *out;
            *out = batch;
        }
    }
    for (packing.growing = *out; packing.growing != NULL && status == ORR_OK;
         packing.growing = packing.growing->next) {
        status = grow(&packing);
    }
    return status;
}
