/* Predecessors by a counting sort; see tg_predecessors.h. */
#include "workload/taskgraph/tg_predecessors.h"

#include "core/arena.h"

static void fill(struct tg_predecessors *prev, const struct tg_graph *graph)
{
    for (uint32_t i = 0, count; i < graph->tasks; i++) {
        const uint32_t *next = orr_tg_next(graph, i, &count);
        for (uint32_t n = 0; n < count; n++) {
            prev->edge[prev->first[next[n]]++] =
                (struct tg_edge){.task = i, .next = (uint32_t)(next + n - graph->next)};
        }
    }
    for (uint32_t i = graph->tasks; i > 0; i--) { /* each now holds the begin of the next one */
        prev->first[i] = prev->first[i - 1];
    }
    prev->first[0] = 0;
}

bool orr_tg_predecessors_make(struct tg_predecessors *prev, const struct tg_graph *graph,
                              struct orr_arena *arena)
{
    prev->first = orr_arena_array(arena, (size_t)graph->tasks + 1, sizeof *prev->first);
    prev->edge =
        orr_arena_alloc_raw(arena, graph->nexts * sizeof *prev->edge + 1, sizeof(uint32_t));
    if (prev->first == NULL || prev->edge == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < graph->nexts; e++) {
        prev->first[graph->next[e] + 1]++;
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        prev->first[i + 1] += prev->first[i];
    }
    fill(prev, graph);
    return true;
}
