/* The critical path of one trace; see trace_path.h. */
#include "workload/trace/trace_path.h"

#include "core/diag.h"
#include "workload/trace/trace.h"

struct path_times {
    const struct orr_trace *trace;
    struct orr_parents parents;
    const uint32_t *order;
    uint64_t *start_ps; /* earliest start */
    uint64_t *tail_ps;  /* the longest chain that begins with the node */
};

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t end_of(const struct path_times *path_times, uint32_t node)
{
    return capped_sum(path_times->start_ps[node], path_times->trace->node[node].duration_ps);
}

/* Computes starts forward and tails backward; returns the latest end. */
static uint64_t measure(const struct path_times *path_times)
{
    const struct orr_trace *trace = path_times->trace;
    uint64_t length_ps = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const uint32_t node = path_times->order[i];
        const uint64_t end_ps = end_of(path_times, node);
        length_ps = larger(length_ps, end_ps);
        for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node);
             e++) {
            uint64_t *start_ps = &path_times->start_ps[trace->children[e]];
            *start_ps = larger(*start_ps, end_ps);
        }
    }
    for (uint32_t i = trace->nodes; i-- > 0;) {
        const uint32_t node = path_times->order[i];
        uint64_t behind_ps = 0;
        for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node);
             e++) {
            behind_ps = larger(behind_ps, path_times->tail_ps[trace->children[e]]);
        }
        path_times->tail_ps[node] = capped_sum(trace->node[node].duration_ps, behind_ps);
    }
    return length_ps;
}

/* The parent that ends at the node's start, the lowest id; UINT32_MAX: the begin of the path. */
static uint32_t critical_parent(const struct path_times *path_times, uint32_t node)
{
    if (path_times->start_ps[node] == 0) {
        return UINT32_MAX;
    }
    uint32_t p = path_times->parents.first[node];
    while (end_of(path_times, path_times->parents.parent[p]) != path_times->start_ps[node]) {
        p++;
    }
    return path_times->parents.parent[p];
}

static uint32_t last_of(const struct path_times *path_times, uint64_t length_ps)
{
    uint32_t node = 0;
    while (end_of(path_times, node) != length_ps) {
        node++;
    }
    return node;
}

static enum orr_status follow(struct orr_arena *arena, const struct path_times *path_times,
                              struct orr_trace_path *out, struct orr_diag *diag)
{
    if (out->length_ps == 0) {
        return ORR_OK;
    }
    const uint32_t last = last_of(path_times, out->length_ps);
    for (uint32_t node = last; node != UINT32_MAX; node = critical_parent(path_times, node)) {
        out->nodes++;
    }
    uint32_t *path = orr_arena_array(arena, out->nodes, sizeof *path);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "the critical path of a trace");
    }
    uint32_t left = out->nodes;
    for (uint32_t node = last; node != UINT32_MAX; node = critical_parent(path_times, node)) {
        path[--left] = node;
    }
    out->node = path;
    return ORR_OK;
}

static enum orr_status sum_ops(const struct orr_trace *trace, struct orr_trace_path *out,
                               struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < out->nodes && status == ORR_OK; i++) {
        const struct orr_node *node = &trace->node[out->node[i]];
        out->kind_ps[node->kind] = capped_sum(out->kind_ps[node->kind], node->duration_ps);
        out->kind_nodes[node->kind]++;
        status = orr_op_table_add(&out->ops, node, diag);
    }
    orr_op_table_sort(&out->ops);
    return status;
}

/* Converts tails to slacks, in place: the length minus the longest chain through a node. */
static const uint64_t *slacks(const struct path_times *path_times, uint64_t length_ps)
{
    for (uint32_t i = 0; i < path_times->trace->nodes; i++) {
        const uint64_t through_ps = capped_sum(path_times->start_ps[i], path_times->tail_ps[i]);
        path_times->tail_ps[i] = length_ps - through_ps;
    }
    return path_times->tail_ps;
}

enum orr_status orr_trace_find_path(struct orr_arena *arena, const struct orr_trace *trace,
                                    struct orr_trace_path *out, struct orr_diag *diag)
{
    *out = (struct orr_trace_path){.nodes = 0};
    orr_op_table_init(&out->ops, arena);
    struct path_times path_times = {
        .trace = trace,
        .start_ps = orr_arena_array(arena, trace->nodes, sizeof *path_times.start_ps),
        .tail_ps = orr_arena_array(arena, trace->nodes, sizeof *path_times.tail_ps)};
    if (path_times.start_ps == NULL || path_times.tail_ps == NULL) {
        return orr_diag_no_memory(diag, "the critical path of a trace");
    }
    enum orr_status status = orr_parents_build(arena, trace, &path_times.parents, diag);
    if (status == ORR_OK) {
        status = orr_trace_order(arena, trace, &path_times.order, diag);
    }
    if (status == ORR_OK) {
        out->length_ps = measure(&path_times);
        out->start_ps = path_times.start_ps;
        status = follow(arena, &path_times, out, diag);
    }
    if (status == ORR_OK) {
        out->slack_ps = slacks(&path_times, out->length_ps);
        status = sum_ops(trace, out, diag);
    }
    return status;
}
