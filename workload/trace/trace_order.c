/* Topological order of a trace; see trace_query.h. */
#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/trace_query.h"

/* Kahn's algorithm; the trace is acyclic, so every node is reached. */
enum orr_status orr_trace_order(struct orr_arena *arena, const struct orr_trace *trace,
                                const uint32_t **out, struct orr_diag *diag)
{
    uint32_t *order = orr_arena_array(arena, trace->nodes, sizeof *order);
    uint32_t *missing = orr_arena_array(arena, trace->nodes, sizeof *missing);
    if (order == NULL || missing == NULL) {
        return orr_diag_no_memory(diag, "the order of a trace");
    }
    uint32_t filled = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        missing[i] = trace->parents[i];
        if (missing[i] == 0) {
            order[filled++] = i;
        }
    }
    for (uint32_t head = 0; head < filled; head++) {
        const uint32_t i = order[head];
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            if (--missing[trace->children[e]] == 0) {
                order[filled++] = trace->children[e];
            }
        }
    }
    ORR_ASSERT(filled == trace->nodes);
    *out = order;
    return ORR_OK;
}
