/* Makes a trace of staged nodes: sorts them by id, resolves parents, builds the children as
 * compressed sparse rows, rejects cycles; see trace_builder.h. Scratch arrays live in the builder's
 * scratch arena. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "workload/trace/trace_builder_private.h"

enum { NAMES_OF_A_CYCLE = 10, SPARSE_IDS_PER_NODE = 8 };

/* State of the construction. Indices are those of the finished trace. */
struct graph {
    struct orr_trace_builder *builder;
    uint32_t nodes;
    const uint32_t *order; /* [nodes] staged index of each node; NULL = the same */
    uint32_t *index_of_id; /* [id_range] index + 1, or 0; NULL = search, or contiguous ids */
    uint64_t first_id, id_range;
    uint32_t *first_parent; /* [nodes + 1] into parent */
    uint32_t *parent;       /* without duplicates */
    bool data_only;         /* control dependencies are ignored */
    bool ascending;         /* every parent comes before its child: no cycle is possible */
    uint64_t dropped;       /* control dependencies on nodes that do not exist */
    uint32_t dropped_node;  /* the first of them */
    uint64_t dropped_id;
    struct orr_trace *trace;
    struct orr_node *node; /* of the trace */
    uint32_t *children, *parents;
};

static size_t staged_index(const struct graph *graph, uint32_t index)
{
    return graph->order != NULL ? graph->order[index] : index;
}

static const struct staged_node *staged_at(const struct graph *graph, uint32_t index)
{
    return &graph->builder->nodes[staged_index(graph, index)];
}

static struct orr_location source_of(const struct orr_trace_builder *builder)
{
    return builder->path[0] != '\0' ? orr_location_file(builder->path) : orr_location_none();
}

static struct orr_location location_at(const struct graph *graph, uint32_t index)
{
    return orr_staged_location(graph->builder, staged_index(graph, index));
}

static char *label_at(const struct graph *graph, uint32_t index, char text[ORR_NODE_LABEL_BYTES])
{
    const struct staged_node *staged = staged_at(graph, index);
    return orr_node_label(staged->node.id, graph->builder->names.text[staged->name], text);
}

static void *scratch(const struct graph *graph, size_t count, size_t size)
{
    return orr_arena_array(graph->builder->scratch, count, size);
}

/* ---- order ---- */

struct sort_key {
    uint64_t id;
    uint32_t staged;
};

static int compare_keys(const void *a, const void *b)
{
    const struct sort_key *left = a, *right = b;
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    return left->staged < right->staged ? -1 : 1;
}

static bool ids_ascend(const struct orr_trace_builder *builder)
{
    for (size_t i = 1; i < builder->node_count; i++) {
        if (builder->nodes[i].node.id <= builder->nodes[i - 1].node.id) {
            return false;
        }
    }
    return true;
}

static bool sort_nodes(struct graph *graph)
{
    if (ids_ascend(graph->builder)) {
        return true;
    }
    struct sort_key *keys = scratch(graph, graph->nodes, sizeof *keys);
    uint32_t *order = scratch(graph, graph->nodes, sizeof *order);
    if (keys == NULL || order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        keys[i] = (struct sort_key){.id = graph->builder->nodes[i].node.id, .staged = i};
    }
    qsort(keys, graph->nodes, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < graph->nodes; i++) {
        order[i] = keys[i].staged;
    }
    graph->order = order;
    return true;
}

static enum orr_status fail_duplicates(const struct graph *graph, struct orr_diag *diag)
{
    for (uint32_t i = 1; graph->order != NULL && i < graph->nodes; i++) {
        if (staged_at(graph, i - 1)->node.id == staged_at(graph, i)->node.id) {
            return orr_fail_duplicate(graph->builder, staged_index(graph, i - 1),
                                      staged_index(graph, i), diag);
        }
    }
    return ORR_OK;
}

/* ---- from ids to indices ---- */

static bool index_ids(struct graph *graph)
{
    if (graph->nodes == 0) {
        return true;
    }
    graph->first_id = staged_at(graph, 0)->node.id;
    graph->id_range = staged_at(graph, graph->nodes - 1)->node.id - graph->first_id;
    if (graph->id_range == graph->nodes - 1 ||
        graph->id_range / SPARSE_IDS_PER_NODE >= graph->nodes) {
        return true;
    }
    graph->index_of_id = scratch(graph, (size_t)graph->id_range + 1, sizeof *graph->index_of_id);
    for (uint32_t i = 0; graph->index_of_id != NULL && i < graph->nodes; i++) {
        graph->index_of_id[staged_at(graph, i)->node.id - graph->first_id] = i + 1;
    }
    return graph->index_of_id != NULL;
}

static bool search_id(const struct graph *graph, uint64_t id, uint32_t *index)
{
    uint32_t low = 0, high = graph->nodes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (staged_at(graph, middle)->node.id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *index = low;
    return low < graph->nodes && staged_at(graph, low)->node.id == id;
}

static bool find_id(const struct graph *graph, uint64_t id, uint32_t *index)
{
    if (id < graph->first_id || id - graph->first_id > graph->id_range) {
        return false;
    }
    if (graph->index_of_id != NULL) {
        *index = graph->index_of_id[id - graph->first_id] - 1;
        return *index != UINT32_MAX;
    }
    if (graph->id_range != graph->nodes - 1) {
        return search_id(graph, id, index);
    }
    *index = (uint32_t)(id - graph->first_id);
    return true;
}

/* ---- parents ---- */

static enum orr_status handle_missing_parent(struct graph *graph, uint32_t child, size_t dep,
                                             struct orr_diag *diag)
{
    const struct orr_trace_builder *builder = graph->builder;
    const struct staged_node *staged = staged_at(graph, child);
    if (dep - staged->first_dep >= staged->data_deps) {
        if (graph->dropped++ == 0) {
            graph->dropped_node = child;
            graph->dropped_id = builder->deps[dep];
        }
        return ORR_OK;
    }
    char label[ORR_NODE_LABEL_BYTES];
    const struct orr_location place = location_at(graph, child);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "node %s: depends on the data of node %" PRIu64
                         ", but no node of the trace has this id",
                         label_at(graph, child, label), builder->deps[dep]);
}

/* Appends the distinct parents of `child`; last_child[p]: the last child with parent p. */
static enum orr_status resolve_node(struct graph *graph, uint32_t child, uint32_t *last_child,
                                    struct orr_diag *diag)
{
    const struct orr_trace_builder *builder = graph->builder;
    const struct staged_node *staged = staged_at(graph, child);
    const size_t end = graph->data_only
                           ? staged->first_dep + staged->data_deps
                           : orr_staged_dep_end(builder, (size_t)(staged - builder->nodes));
    uint32_t filled = graph->first_parent[child];
    for (size_t dep = staged->first_dep; dep < end; dep++) {
        uint32_t parent;
        if (!find_id(graph, builder->deps[dep], &parent)) {
            const enum orr_status status = handle_missing_parent(graph, child, dep, diag);
            if (status != ORR_OK) {
                return status;
            }
        } else if (last_child[parent] != child + 1) {
            last_child[parent] = child + 1;
            graph->ascending = graph->ascending && parent < child;
            graph->parent[filled++] = parent;
        }
    }
    graph->first_parent[child + 1] = filled;
    return ORR_OK;
}

static void warn_dropped(const struct graph *graph, struct orr_diag *diag)
{
    char label[ORR_NODE_LABEL_BYTES];
    const struct orr_location place = source_of(graph->builder);
    if (graph->dropped != 0) {
        orr_diag_warn(diag, &place,
                      "ignored %s%" PRIu64 " control dependencies on nodes that the trace does not "
                      "have (the first: of node %s on node %" PRIu64 ")%s",
                      graph->data_only ? "all control dependencies: there are " : "",
                      graph->dropped, label_at(graph, graph->dropped_node, label),
                      graph->dropped_id,
                      graph->data_only ? ", and the others form cycles; data dependencies alone "
                                         "order the nodes"
                                       : "");
    }
}

static enum orr_status resolve_parents(struct graph *graph, struct orr_diag *diag)
{
    const struct orr_trace_builder *builder = graph->builder;
    if (builder->dep_count >= UINT32_MAX) {
        const struct orr_location place = source_of(builder);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "a trace has at most %u dependencies",
                             UINT32_MAX - 1);
    }
    uint32_t *last_child = scratch(graph, graph->nodes, sizeof *last_child);
    graph->first_parent = scratch(graph, (size_t)graph->nodes + 1, sizeof *graph->first_parent);
    graph->parent = scratch(graph, builder->dep_count, sizeof *graph->parent);
    if (last_child == NULL || graph->first_parent == NULL || graph->parent == NULL) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    graph->ascending = true;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        const enum orr_status status = resolve_node(graph, i, last_child, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

/* ---- children ---- */

/* first_child doubles as the fill position of its row and is shifted back at the end. */
static void fill_children(struct graph *graph)
{
    for (uint32_t i = 0, sum = 0; i < graph->nodes; i++) {
        const uint32_t count = graph->node[i].first_child;
        graph->node[i].first_child = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        for (uint32_t p = graph->first_parent[i]; p < graph->first_parent[i + 1]; p++) {
            graph->children[graph->node[graph->parent[p]].first_child++] = i;
        }
    }
    for (uint32_t i = graph->nodes; i-- > 0;) {
        graph->node[i].first_child = i > 0 ? graph->node[i - 1].first_child : 0;
    }
}

static bool make_rows(struct graph *graph)
{
    struct orr_arena *arena = graph->builder->arena;
    const uint32_t edges = graph->first_parent[graph->nodes];
    graph->node = orr_arena_alloc_raw(arena, graph->nodes * sizeof *graph->node, 16);
    graph->children = orr_arena_alloc_raw(arena, edges * sizeof *graph->children, 16);
    graph->parents = orr_arena_alloc_raw(arena, graph->nodes * sizeof *graph->parents, 16);
    if (graph->node == NULL || graph->children == NULL || graph->parents == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        graph->node[i] = staged_at(graph, i)->node;
        graph->parents[i] = graph->first_parent[i + 1] - graph->first_parent[i];
    }
    for (uint32_t p = 0; p < edges; p++) {
        graph->node[graph->parent[p]].first_child++;
    }
    fill_children(graph);
    graph->trace->nodes = graph->nodes;
    graph->trace->node = graph->node;
    graph->trace->edges = edges;
    graph->trace->children = graph->children;
    graph->trace->parents = graph->parents;
    return true;
}

/* ---- cycles ---- */

static enum orr_status report_cycle(const struct graph *graph, const struct orr_cycle *cycle,
                                    struct orr_diag *diag)
{
    char label[ORR_NODE_LABEL_BYTES];
    const uint32_t length = cycle->length;
    const struct orr_location place = location_at(graph, cycle->nodes[0]);
    if (diag != NULL && diag->status != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    (void)orr_diag_fail(diag, ORR_ERR_INPUT, &place, "cycle of dependencies: %s",
                        label_at(graph, cycle->nodes[0], label));
    for (uint32_t i = 1; i <= length && i < NAMES_OF_A_CYCLE; i++) {
        orr_diag_append(diag, " -> %s", label_at(graph, cycle->nodes[i % length], label));
    }
    if (length >= NAMES_OF_A_CYCLE) {
        orr_diag_append(diag, " -> ... (%" PRIu32 " nodes)", length);
    }
    return ORR_ERR_INPUT;
}

/* ---- text and rare attributes ---- */

/* Copies a set's strings contiguously into the trace's arena; NULL when memory is out. */
static const char **copy_strings(const struct graph *graph, const struct orr_strings *strings,
                                 struct orr_arena *list_arena)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < strings->count; i++) {
        bytes += strlen(strings->text[i]) + 1;
    }
    char *text = orr_arena_alloc_raw(graph->builder->arena, bytes, 1);
    const char **list = orr_arena_array(list_arena, strings->count, sizeof *list);
    for (uint32_t i = 0; text != NULL && list != NULL && i < strings->count; i++) {
        const size_t length = strlen(strings->text[i]) + 1;
        list[i] = memcpy(text, strings->text[i], length);
        text += length;
    }
    return text != NULL ? list : NULL;
}

static const char *const *text_list(const struct graph *graph, const char *const *names,
                                    const uint32_t *numbers, uint32_t count)
{
    const char **list = orr_arena_array(graph->builder->arena, count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        list[i] = names[numbers[i]];
    }
    return list;
}

static bool copy_extras(const struct graph *graph, const char *const *names)
{
    const struct orr_trace_builder *builder = graph->builder;
    struct orr_node_extra *extras =
        orr_arena_array(builder->arena, builder->extra_count, sizeof *extras);
    for (size_t i = 0; extras != NULL && i < builder->extra_count; i++) {
        const struct staged_extra *staged = &builder->extras[i];
        extras[i] = staged->extra;
        if (extras[i].input_count != 0) {
            extras[i].inputs = text_list(graph, names, staged->inputs, extras[i].input_count);
        }
        if (extras[i].output_count != 0) {
            extras[i].outputs = text_list(graph, names, staged->outputs, extras[i].output_count);
        }
        if ((extras[i].input_count != 0 && extras[i].inputs == NULL) ||
            (extras[i].output_count != 0 && extras[i].outputs == NULL)) {
            return false;
        }
    }
    graph->trace->extras = extras;
    graph->trace->extra_count = (uint32_t)builder->extra_count;
    return extras != NULL;
}

static bool copy_text(struct graph *graph)
{
    const struct orr_trace_builder *builder = graph->builder;
    const char **names = copy_strings(graph, &builder->names, builder->scratch);
    const char **groups = copy_strings(graph, &builder->groups, builder->arena);
    if (names == NULL || groups == NULL || !copy_extras(graph, names)) {
        return false;
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        graph->node[i].name = names[staged_at(graph, i)->name];
    }
    graph->trace->groups = groups;
    graph->trace->group_count = builder->groups.count;
    graph->trace->path = builder->path;
    graph->trace->version = builder->version;
    graph->trace->rules = builder->rules;
    graph->trace->content_hash = builder->content_hash;
    graph->trace->replayed = builder->replayed;
    graph->trace->has_tokens = builder->has_tokens;
    return true;
}

/* Builds parents and children, and finds a cycle if there is one. */
static enum orr_status connect(struct graph *graph, struct orr_cycle *cycle, struct orr_diag *diag)
{
    const enum orr_status status = resolve_parents(graph, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!make_rows(graph)) {
        return orr_diag_no_memory(diag, "a trace");
    }
    *cycle = (struct orr_cycle){0};
    const struct orr_parents parents = {.first = graph->first_parent, .parent = graph->parent};
    if (!graph->ascending &&
        !orr_trace_find_cycle(graph->builder->scratch, graph->trace, &parents, cycle)) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    return ORR_OK;
}

/* Early Chakra converters renumbered nodes but not control dependencies: some lead to nodes that do
 * not exist, and the others form cycles. A trace with both is taken as such a trace, and its
 * control dependencies are ignored, as Chakra's feeder of that time did. */
static enum orr_status make_graph(struct graph *graph, struct orr_diag *diag)
{
    struct orr_cycle cycle;
    enum orr_status status = connect(graph, &cycle, diag);
    if (status == ORR_OK && cycle.length != 0 && graph->dropped != 0) {
        graph->data_only = true;
        status = connect(graph, &cycle, diag);
    }
    if (status == ORR_OK && cycle.length != 0) {
        return report_cycle(graph, &cycle, diag);
    }
    if (status == ORR_OK) {
        warn_dropped(graph, diag);
    }
    return status;
}

static enum orr_status build(struct graph *graph, struct orr_diag *diag)
{
    if (!sort_nodes(graph)) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    enum orr_status status = fail_duplicates(graph, diag);
    if (status == ORR_OK && !index_ids(graph)) {
        status = orr_diag_no_memory(diag, "the graph of a trace");
    }
    if (status == ORR_OK) {
        status = make_graph(graph, diag);
    }
    uint64_t *prefix = NULL;
    if (status == ORR_OK) {
        status =
            orr_trace_make_prefixes(graph->builder, graph->trace, graph->data_only, &prefix, diag);
    }
    if (status == ORR_OK) {
        graph->trace->prefix = prefix;
        status =
            orr_trace_order_children(graph->builder, graph->trace, graph->children, prefix, diag);
    }
    graph->trace->foreign = graph->builder->foreign;
    graph->trace->old = graph->builder->old;
    if (status == ORR_OK && !copy_text(graph)) {
        status = orr_diag_no_memory(diag, "the names of a trace");
    }
    return status;
}

enum orr_status orr_trace_builder_finish(struct orr_trace_builder *builder,
                                         const struct orr_trace **out, struct orr_diag *diag)
{
    if (builder->diag.status != ORR_OK) {
        return orr_diag_fail(diag, builder->diag.status, &builder->diag.place, "%s",
                             builder->diag.message);
    }
    struct graph graph = {.builder = builder, .nodes = (uint32_t)builder->node_count};
    graph.trace = orr_arena_alloc(builder->arena, sizeof *graph.trace);
    if (graph.trace == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    const enum orr_status status = build(&graph, diag);
    if (status == ORR_OK) {
        *out = graph.trace;
    }
    return status;
}
