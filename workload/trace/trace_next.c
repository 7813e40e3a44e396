/* Applies the order in which the children of nodes begin (spec.next): rows of children are
 * ascending before, and in that order afterwards. */
#include <inttypes.h>

#include "workload/trace/trace_builder_private.h"

uint32_t orr_trace_node_of_id(const struct orr_trace *trace, uint64_t id)
{
    uint32_t low = 0, high = trace->nodes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->node[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < trace->nodes && trace->node[low].id == id ? low : UINT32_MAX;
}

/* The position of the child in the rest of a row, or the row's end. */
static uint32_t position_of(const uint32_t *row, uint32_t from, uint32_t count, uint32_t child)
{
    while (from < count && row[from] != child) {
        from++;
    }
    return from;
}

/* Moves a child forward to position `to`; the order of the others is kept. */
static void move(uint32_t *row, uint32_t from, uint32_t to)
{
    const uint32_t child = row[from];
    for (; from > to; from--) {
        row[from] = row[from - 1];
    }
    row[to] = child;
}

/* The same for the prefixes of the row's edges. */
static void move_prefix(uint64_t *row, uint32_t from, uint32_t to)
{
    const uint64_t prefix = row[from];
    for (; from > to; from--) {
        row[from] = row[from - 1];
    }
    row[to] = prefix;
}

static enum orr_status fail_next(const struct orr_trace_builder *builder,
                                 const struct staged_next *order, uint64_t id,
                                 struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(builder->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, builder->path[0] != '\0' ? &location : NULL,
                         "node %" PRIu64 ": next: expected nodes that wait for it, each once; got "
                         "node %" PRIu64,
                         order->id, id);
}

/* Whether all are children, each once. */
static bool fits(const struct orr_trace_builder *builder, const struct orr_trace *trace,
                 const uint32_t *children, const struct staged_next *order)
{
    const uint32_t node = orr_trace_node_of_id(trace, order->id);
    const uint32_t first = node != UINT32_MAX ? trace->node[node].first_child : 0;
    const uint32_t count = node != UINT32_MAX ? orr_trace_child_end(trace, node) - first : 0;
    const uint64_t *ids = builder->next + order->first;
    bool all = order->count <= count;
    for (size_t i = 0; all && i < order->count; i++) {
        const uint32_t child = orr_trace_node_of_id(trace, ids[i]);
        all = child != UINT32_MAX && position_of(children + first, 0, count, child) < count;
        for (size_t j = 0; all && j < i; j++) {
            all = ids[j] != ids[i];
        }
    }
    return all;
}

/* O(row x listed) at worst; usually most children are at their position. */
static enum orr_status apply(const struct orr_trace_builder *builder, const struct orr_trace *trace,
                             uint32_t *children, uint64_t *prefix, const struct staged_next *order,
                             struct orr_diag *diag)
{
    const uint32_t node = orr_trace_node_of_id(trace, order->id);
    const uint32_t first = node != UINT32_MAX ? trace->node[node].first_child : 0;
    const uint32_t count = node != UINT32_MAX ? orr_trace_child_end(trace, node) - first : 0;
    for (size_t i = 0; i < order->count; i++) {
        const uint64_t id = builder->next[order->first + i];
        const uint32_t child = orr_trace_node_of_id(trace, id);
        const uint32_t at = position_of(children + first, (uint32_t)i, count, child);
        if (child == UINT32_MAX || i >= count || at == count) {
            return fail_next(builder, order, id, diag);
        }
        move(children + first, at, (uint32_t)i);
        if (prefix != NULL) {
            move_prefix(prefix + first, at, (uint32_t)i);
        }
    }
    return ORR_OK;
}

enum orr_status orr_trace_order_children(struct orr_trace_builder *builder,
                                         const struct orr_trace *trace, uint32_t *children,
                                         uint64_t *prefix, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < builder->order_count && status == ORR_OK; i++) {
        const struct staged_next *order = &builder->orders[i];
        if (order->may_pass_over && !fits(builder, trace, children, order)) {
            orr_trace_builder_pass_over(builder, "next");
        } else {
            status = apply(builder, trace, children, prefix, order, diag);
        }
    }
    return status;
}
