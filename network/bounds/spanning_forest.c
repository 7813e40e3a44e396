/* Forests: units from the worst cut, switches out, trees packed, a path for each of their links;
 * see spanning_forest.h. */
#include "network/bounds/spanning_forest.h"

#include <inttypes.h>
#include <math.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/forest_private.h"
#include "network/graph.h"

/* Matrices of nodes, and entries of the result. */
enum { MAX_NODES = 2048, MAX_UNITS = 1024 };
static const double max_entries = 2e8;

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whole units: `units` trees a root, on links with `links_share` units for each unit of capacity.
 */
static enum orr_status find_units(const struct net_forest_request *request,
                                  const struct cap_graph *capacities, struct orr_arena *arena,
                                  struct net_forest *out, struct orr_diag *diag)
{
    struct net_cut cut;
    const bool all = request->root == NET_FOREST_ALL;
    const enum orr_status status =
        all ? orr_net_gather_cut(request->graph, request->reversed, arena, &cut, diag)
            : orr_net_broadcast_cut(request->graph, request->root, arena, &cut, diag);
    if (status != ORR_OK) {
        return status;
    }
    uint64_t capacity = 0;
    for (uint32_t i = 0; i < capacities->arcs; i++) {
        const struct cap_arc *arc = &capacities->arc[i];
        capacity += cut.side[arc->from] && !cut.side[arc->to] ? arc->capacity : 0;
    }
    const uint64_t npus = all ? cut.npus : 1, common = gcd(capacity, npus);
    if (capacity == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "trees: expected a path from every NPU to every other");
    }
    if (capacity / common > MAX_UNITS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "trees: expected bandwidths whose optimum has at most %d trees for "
                             "each NPU, got %" PRIu64,
                             MAX_UNITS, capacity / common);
    }
    out->units = (uint32_t)(capacity / common);
    out->links_share = (uint32_t)(npus / common);
    return ORR_OK;
}

static bool allocate(struct forest_graph *graph)
{
    const size_t pairs = (size_t)graph->nodes * graph->nodes;
    graph->capacity = orr_arena_array(graph->arena, pairs, sizeof *graph->capacity);
    graph->item = orr_arena_array(graph->arena, pairs, sizeof *graph->item);
    graph->demand = orr_arena_array(graph->arena, graph->npus, sizeof *graph->demand);
    for (size_t pair = 0; pair < pairs && graph->item != NULL; pair++) {
        graph->item[pair] = FOREST_NO_ITEM;
    }
    return graph->capacity != NULL && graph->item != NULL && graph->demand != NULL;
}

/* The links, and what each NPU roots. */
static bool fill(struct forest_graph *graph, const struct net_forest_request *request,
                 const struct cap_graph *capacities, const struct net_forest *forest)
{
    for (uint32_t v = 0; v < graph->npus; v++) {
        const bool is_root = request->root == NET_FOREST_ALL || request->root == v;
        graph->demand[v] = is_root ? forest->units : 0;
        graph->demands += graph->demand[v];
    }
    for (uint32_t i = 0; i < capacities->arcs; i++) {
        const struct cap_arc *arc = &capacities->arc[i];
        const uint32_t from = request->reversed ? arc->to : arc->from;
        const uint32_t to = request->reversed ? arc->from : arc->to;
        const struct net_forest_path path = {(uint32_t)graph->hops, 1}, none = {0, 0};
        uint32_t *hop = orr_arena_grow(graph->arena, graph->hop, &graph->hop_alloc, graph->hops + 1,
                                       sizeof *hop);
        if (hop == NULL) {
            return false;
        }
        graph->hop = hop;
        hop[graph->hops++] = orr_net_graph_find(request->graph, from, to);
        if (!orr_forest_add_item(graph, forest_pair(graph, arc->from, arc->to),
                                 arc->capacity * forest->links_share, path, none)) {
            return false;
        }
    }
    return true;
}

/* ---- the result ---- */

struct writer {
    struct forest_graph *graph;
    struct net_forest *forest;
    uint32_t *parent;
    struct net_forest_path *path;
    bool reversed;
};

/* Paths of a reversed graph begin at the NPU. */
static void turn(uint32_t *hop, struct net_forest_path path)
{
    for (uint32_t i = 0; i < path.hops / 2; i++) {
        const uint32_t kept = hop[path.first + i];
        hop[path.first + i] = hop[path.first + path.hops - 1 - i];
        hop[path.first + path.hops - 1 - i] = kept;
    }
}

static void write_tree(struct writer *writer, const struct forest_batch *batch, uint32_t tree)
{
    struct forest_graph *graph = writer->graph;
    for (uint32_t v = 0; v < graph->npus; v++) {
        const size_t at = (size_t)tree * graph->npus + v;
        writer->parent[at] = batch->parent[v];
        if (batch->parent[v] != NET_NO_PARENT) {
            (void)orr_forest_take_item(graph, forest_pair(graph, batch->parent[v], v), 1,
                                       &writer->path[at]);
        }
    }
}

static enum orr_status write_forest(struct writer *writer, const struct forest_batch *batches)
{
    struct forest_graph *graph = writer->graph;
    struct net_forest *forest = writer->forest;
    const size_t trees = (size_t)forest->roots * forest->units;
    uint32_t *written = orr_arena_array(graph->arena, graph->npus, sizeof *written);
    writer->parent = orr_arena_array(graph->arena, trees * graph->npus, sizeof *writer->parent);
    writer->path = orr_arena_array(graph->arena, trees * graph->npus, sizeof *writer->path);
    if (written == NULL || writer->parent == NULL || writer->path == NULL) {
        return orr_diag_no_memory(graph->diag, "the trees of a network");
    }
    for (const struct forest_batch *batch = batches; batch != NULL; batch = batch->next) {
        const uint32_t first = forest->roots == 1 ? 0 : batch->root * forest->units;
        for (uint64_t u = 0; u < batch->units; u++) {
            write_tree(writer, batch, first + written[batch->root]++);
        }
    }
    for (size_t i = 0; i < graph->item_count && writer->reversed; i++) {
        turn(graph->hop, graph->items[i].path);
    }
    forest->parent = writer->parent;
    forest->path = writer->path;
    forest->hop = graph->hop;
    return ORR_OK;
}

static enum orr_status pack(struct writer *writer, struct orr_diag *diag)
{
    struct forest_graph *graph = writer->graph;
    const size_t pairs = (size_t)graph->nodes * graph->nodes;
    struct forest_batch *batches = NULL;
    enum orr_status status = orr_forest_split_switches(graph);
    /* Trees take capacity when they are packed, and paths when they are written. */
    uint64_t *kept = orr_arena_array(graph->arena, pairs, sizeof *kept);
    if (status == ORR_OK && kept == NULL) {
        return orr_diag_no_memory(diag, "the trees of a network");
    }
    for (size_t pair = 0; pair < pairs && status == ORR_OK; pair++) {
        kept[pair] = graph->capacity[pair];
    }
    status = status == ORR_OK ? orr_forest_pack(graph, &batches) : status;
    for (size_t pair = 0; pair < pairs && status == ORR_OK; pair++) {
        graph->capacity[pair] = kept[pair];
    }
    return status == ORR_OK ? write_forest(writer, batches) : status;
}

static enum orr_status check(const struct net_forest_request *request, struct orr_arena *arena,
                             struct orr_diag *diag)
{
    if (request->graph->nodes > MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "trees: expected at most %d NPUs and switches, got %" PRIu32,
                             MAX_NODES, request->graph->nodes);
    }
    return orr_net_switches_are_balanced(request->graph, arena)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "trees: expected switches that send as much as they receive");
}

enum orr_status orr_net_forest(const struct net_forest_request *request, struct orr_arena *arena,
                               struct net_forest *out, struct orr_diag *diag)
{
    const struct net_graph *network = request->graph;
    struct cap_graph capacities;
    *out = (struct net_forest){.npus = network->npus,
                               .roots = request->root == NET_FOREST_ALL ? network->npus : 1,
                               .root = request->root == NET_FOREST_ALL ? 0 : request->root};
    struct forest_graph graph = {.npus = network->npus,
                                 .nodes = network->nodes,
                                 .arena = arena,
                                 .scratch = orr_arena_create(),
                                 .diag = diag};
    struct writer writer = {.graph = &graph, .forest = out, .reversed = request->reversed};
    enum orr_status status =
        graph.scratch == NULL ? orr_diag_no_memory(diag, "the trees of a network") : ORR_OK;
    status = status == ORR_OK ? check(request, arena, diag) : status;
    status = status == ORR_OK
                 ? orr_cap_graph_make(network, request->reversed, arena, &capacities, diag)
                 : status;
    if (status == ORR_OK && network->npus > 1) {
        out->unit_bytes_per_s = capacities.unit_bytes_per_s;
        status = find_units(request, &capacities, arena, out, diag);
        if (status == ORR_OK && (double)out->roots * out->units * out->npus > max_entries) {
            status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "trees: there are too many");
        }
        if (status == ORR_OK && (!allocate(&graph) || !fill(&graph, request, &capacities, out))) {
            status = orr_diag_no_memory(diag, "the trees of a network");
        }
        status = status == ORR_OK ? pack(&writer, diag) : status;
    }
    orr_arena_destroy(graph.scratch);
    return status;
}
