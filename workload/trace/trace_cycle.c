/* Finds a cycle in the graph of a trace under construction; see trace_builder_private.h. */
#include "workload/trace/trace_builder_private.h"

/* Removes nodes without parents until none is left (Kahn). Afterwards missing[] is not zero exactly
 * for nodes on cycles and their descendants. Returns the number of removed nodes. */
static uint32_t remove_sources(const struct orr_trace *trace, uint32_t *missing, uint32_t *queue)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        missing[i] = trace->parents[i];
        if (missing[i] == 0) {
            queue[filled++] = i;
        }
    }
    for (uint32_t head = 0; head < filled; head++) {
        const uint32_t i = queue[head];
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            if (--missing[trace->children[e]] == 0) {
                queue[filled++] = trace->children[e];
            }
        }
    }
    return filled;
}

static uint32_t remaining_parent(const struct orr_parents *parents, const uint32_t *missing,
                                 uint32_t node)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t p = parents->first[node]; p < parents->first[node + 1]; p++) {
        if (missing[parents->parent[p]] != 0 && parents->parent[p] < best) {
            best = parents->parent[p];
        }
    }
    ORR_ASSERT(best != UINT32_MAX);
    return best;
}

/* Walking from parent to parent reaches a cycle. Fills `cycle` backward, so that it reads in the
 * order of dependencies from its smallest node; step[] must be zero. Returns the length. */
static uint32_t walk_cycle(const struct orr_parents *parents, const uint32_t *missing,
                           uint32_t *step, uint32_t *cycle)
{
    uint32_t node = 0;
    while (missing[node] == 0) {
        node++;
    }
    for (uint32_t steps = 1; step[node] == 0; steps++) {
        step[node] = steps;
        node = remaining_parent(parents, missing, node);
    }
    uint32_t smallest = node, length = 0;
    for (uint32_t i = node; length == 0 || i != node; length++) {
        smallest = i < smallest ? i : smallest;
        i = remaining_parent(parents, missing, i);
    }
    for (uint32_t i = 0, at = smallest; i < length; i++) {
        cycle[(length - i) % length] = at;
        at = remaining_parent(parents, missing, at);
    }
    return length;
}

bool orr_trace_find_cycle(struct orr_arena *scratch, const struct orr_trace *trace,
                          const struct orr_parents *parents, struct orr_cycle *out)
{
    uint32_t *missing = orr_arena_array(scratch, trace->nodes, sizeof *missing);
    uint32_t *queue = orr_arena_array(scratch, trace->nodes, sizeof *queue);
    uint32_t *step = orr_arena_array(scratch, trace->nodes, sizeof *step);
    if (missing == NULL || queue == NULL || step == NULL) {
        return false;
    }
    *out = (struct orr_cycle){.nodes = queue};
    if (remove_sources(trace, missing, queue) < trace->nodes) {
        out->length = walk_cycle(parents, missing, step, queue);
    }
    return true;
}
