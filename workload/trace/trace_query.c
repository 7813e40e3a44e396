/* Queries of a trace; see trace_query.h. */
#include "workload/trace/trace_query.h"
#include "workload/trace/op_kind.h"

#include "core/arena.h"
#include "core/diag.h"

#include <string.h>

const char *orr_node_kind_name(unsigned kind)
{
    static const char *const names[ORR_NODE_KINDS] = {
        "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    return kind < ORR_NODE_KINDS ? names[kind] : "?";
}

const char *orr_trace_comm_name(unsigned comm)
{
    static const char *const names[ORR_COMM_KINDS] = {
        "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
        "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
    return comm < ORR_COMM_KINDS ? names[comm] : "?";
}

uint32_t orr_parents_find(const struct orr_parents *parents, uint32_t node, uint32_t parent)
{
    uint32_t low = parents->first[node], high = parents->first[node + 1];
    const uint32_t end = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (parents->parent[middle] < parent) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && parents->parent[low] == parent ? low : UINT32_MAX;
}

enum orr_status orr_parents_build(struct orr_arena *arena, const struct orr_trace *trace,
                                  struct orr_parents *out, struct orr_diag *diag)
{
    uint32_t *first = orr_arena_array(arena, (size_t)trace->nodes + 1, sizeof *first);
    uint32_t *next = orr_arena_array(arena, (size_t)trace->nodes + 1, sizeof *next);
    uint32_t *parent = orr_arena_array(arena, (size_t)trace->edges + 1, sizeof *parent);
    uint64_t *prefix =
        trace->prefix != NULL ? orr_arena_array(arena, trace->edges, sizeof *prefix) : NULL;
    if (first == NULL || next == NULL || parent == NULL ||
        (trace->prefix != NULL && prefix == NULL)) {
        return orr_diag_no_memory(diag, "the parents of a trace");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        next[i] = first[i];
        first[i + 1] = first[i] + trace->parents[i];
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            const uint32_t at = next[trace->children[e]]++;
            parent[at] = i;
            if (prefix != NULL) {
                prefix[at] = trace->prefix[e];
            }
        }
    }
    *out = (struct orr_parents){.first = first, .parent = parent, .prefix = prefix};
    return ORR_OK;
}

static void add_extra(struct orr_node_spec *spec, const struct orr_node_extra *extra)
{
    spec->priority = extra->priority;
    spec->root = extra->root;
    spec->tag = spec->kind == ORR_NODE_COLL ? extra->tag : spec->tag;
    spec->has_involved_dim = extra->has_involved_dim;
    spec->involved_dims = extra->involved_dims;
    spec->involved_mask = extra->involved_mask;
    spec->sizes = extra->sizes;
    spec->inputs_values = extra->inputs_values;
    spec->inputs = extra->inputs;
    spec->outputs = extra->outputs;
    spec->input_count = extra->input_count;
    spec->output_count = extra->output_count;
}

static bool is_p2p(unsigned kind)
{
    return kind == ORR_NODE_SEND || kind == ORR_NODE_RECV;
}

struct orr_node_spec orr_trace_spec(const struct orr_trace *trace, uint32_t index)
{
    const struct orr_node *node = &trace->node[index];
    struct orr_node_spec spec = {
        .id = node->id,
        .kind = (enum orr_node_kind)node->kind,
        .comm = node->kind == ORR_NODE_COLL ? (enum orr_trace_comm)node->comm : ORR_COMM_ALL_REDUCE,
        .flags = node->flags,
        .name = node->name,
        .duration_ps = node->duration_ps,
        .group = node->group != 0 ? trace->groups[node->group - 1] : NULL};
    if (node->kind == ORR_NODE_COMP) {
        spec.num_ops = node->amount;
        spec.op = (enum orr_op_kind)node->op;
        spec.delay = (node->comm & ORR_COMP_DELAY) != 0;
        spec.unaligned = (node->comm & ORR_COMP_UNALIGNED) != 0;
        spec.product = orr_wl_product_type(node->comm);
    } else {
        spec.comm_bytes = node->amount;
        spec.tokens = node->kind == ORR_NODE_COLL && node->op == ORR_COLL_TOKENS;
    }
    if (node->kind == ORR_NODE_MEM_LOAD || node->kind == ORR_NODE_MEM_STORE) {
        spec.access = (enum orr_mem_access)node->comm;
    }
    if (is_p2p(node->kind)) {
        spec.src = spec.dst = node->of.p2p.peer;
        spec.tag = node->of.p2p.tag;
        spec.signal = node->comm != 0;
        /* The other end is the NPU itself, whose number a trace does not have. */
        spec.flags &=
            node->kind == ORR_NODE_SEND ? ~(unsigned)ORR_NODE_HAS_SRC : ~(unsigned)ORR_NODE_HAS_DST;
    } else {
        spec.tensor_bytes = node->of.tensor_bytes;
    }
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    if (extra != NULL) {
        add_extra(&spec, extra);
    }
    return spec;
}

enum orr_status orr_dep_buffers_create(struct orr_arena *arena, const struct orr_trace *trace,
                                       struct orr_dep_buffers *out, struct orr_diag *diag)
{
    const size_t parts = trace->prefix != NULL ? trace->nodes : 0;
    *out = (struct orr_dep_buffers){
        .ids = orr_arena_array(arena, trace->nodes, sizeof *out->ids),
        .part_ids = orr_arena_array(arena, parts, sizeof *out->part_ids),
        .part_bytes = orr_arena_array(arena, parts, sizeof *out->part_bytes)};
    return out->ids != NULL && out->part_ids != NULL && out->part_bytes != NULL
               ? ORR_OK
               : orr_diag_no_memory(diag, "the parents of a trace");
}

void orr_trace_add_deps(const struct orr_trace *trace, const struct orr_parents *parents,
                        uint32_t node, const struct orr_dep_buffers *buffers,
                        struct orr_node_spec *spec)
{
    size_t count = 0, parts = 0;
    for (uint32_t p = parents->first[node]; p < parents->first[node + 1]; p++) {
        const uint32_t parent = parents->parent[p];
        if (buffers->keep != NULL && !buffers->keep[parent]) {
            continue;
        }
        buffers->ids[count++] = trace->node[parent].id;
        if (orr_prefix_at(parents, p) != 0) {
            buffers->part_ids[parts] = trace->node[parent].id;
            buffers->part_bytes[parts++] = parents->prefix[p];
        }
    }
    spec->data_deps = (struct orr_deps){.ids = buffers->ids, .count = count};
    spec->prefixes = (struct orr_prefixes){
        .ids = buffers->part_ids, .bytes = buffers->part_bytes, .count = parts};
}

struct orr_deps orr_trace_next(const struct orr_trace *trace, uint32_t index, uint64_t *ids)
{
    const uint32_t first = trace->node[index].first_child, end = orr_trace_child_end(trace, index);
    bool ascending = true;
    for (uint32_t e = first; e < end; e++) {
        ascending = ascending && (e == first || trace->children[e] > trace->children[e - 1]);
        ids[e - first] = trace->node[trace->children[e]].id;
    }
    return (struct orr_deps){.ids = ids, .count = ascending ? 0 : end - first};
}

/* ---- summary ---- */

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void count_node(const struct orr_node *node, struct orr_trace_summary *out)
{
    out->nodes[node->kind]++;
    out->duration_ps = capped_sum(out->duration_ps, node->duration_ps);
    const bool communicates = is_p2p(node->kind) || node->kind == ORR_NODE_COLL;
    uint64_t *bytes = &out->kind_bytes[node->kind];
    *bytes = capped_sum(*bytes, communicates ? node->amount : node->of.tensor_bytes);
    if (node->kind == ORR_NODE_COMP) {
        out->total_ops = capped_sum(out->total_ops, node->amount);
    } else if (node->kind == ORR_NODE_COLL) {
        out->comm_nodes[node->comm]++;
        out->comm_bytes[node->comm] = capped_sum(out->comm_bytes[node->comm], node->amount);
    }
}

struct longest_path {
    uint32_t *missing; /* parents not done yet */
    uint32_t *queue;
    uint32_t *depth;    /* nodes of the longest path that ends before this node */
    uint64_t *start_ps; /* largest sum of durations of such a path */
};

static bool walk_init(struct longest_path *longest_path, struct orr_arena *arena,
                      const struct orr_trace *trace)
{
    longest_path->missing = orr_arena_array(arena, trace->nodes, sizeof *longest_path->missing);
    longest_path->queue = orr_arena_array(arena, trace->nodes, sizeof *longest_path->queue);
    longest_path->depth = orr_arena_array(arena, trace->nodes, sizeof *longest_path->depth);
    longest_path->start_ps = orr_arena_array(arena, trace->nodes, sizeof *longest_path->start_ps);
    return longest_path->missing != NULL && longest_path->queue != NULL &&
           longest_path->depth != NULL && longest_path->start_ps != NULL;
}

static uint32_t larger32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t larger64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Kahn's algorithm; the trace is acyclic, so every node is reached. */
static void longest_paths(const struct orr_trace *trace, struct longest_path *longest_path,
                          struct orr_trace_summary *out)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        longest_path->missing[i] = trace->parents[i];
        if (trace->parents[i] == 0) {
            longest_path->queue[filled++] = i;
        }
    }
    for (uint32_t head = 0; head < filled; head++) {
        const uint32_t i = longest_path->queue[head];
        const uint32_t depth = longest_path->depth[i] + 1;
        const uint64_t end_ps = capped_sum(longest_path->start_ps[i], trace->node[i].duration_ps);
        out->depth = larger32(out->depth, depth);
        out->critical_duration_ps = larger64(out->critical_duration_ps, end_ps);
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            const uint32_t child = trace->children[e];
            longest_path->depth[child] = larger32(longest_path->depth[child], depth);
            longest_path->start_ps[child] = larger64(longest_path->start_ps[child], end_ps);
            if (--longest_path->missing[child] == 0) {
                longest_path->queue[filled++] = child;
            }
        }
    }
    ORR_ASSERT(filled == trace->nodes);
}

enum orr_status orr_trace_summarize(struct orr_arena *arena, const struct orr_trace *trace,
                                    struct orr_trace_summary *out, struct orr_diag *diag)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        count_node(&trace->node[i], out);
    }
    struct longest_path longest_path;
    if (!walk_init(&longest_path, arena, trace)) {
        return orr_diag_no_memory(diag, "the depth of a trace");
    }
    longest_paths(trace, &longest_path, out);
    return ORR_OK;
}
