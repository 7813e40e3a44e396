/* The predecessors of each task: the reversed dependencies, as compressed sparse rows. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_PREDECESSORS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_PREDECESSORS_H

#include "workload/taskgraph/tg_graph.h"

/* A dependency on a task. */
struct tg_edge {
    uint32_t task; /* the predecessor */
    uint32_t next; /* index in tg_graph.next */
};

struct tg_predecessors {
    uint32_t *first;      /* [tasks + 1], into edge */
    struct tg_edge *edge; /* [nexts], rows ascending by predecessor */
};

/* Builds them in the arena; false when memory is out. O(tasks + dependencies). */
bool orr_tg_predecessors_make(struct tg_predecessors *prev, const struct tg_graph *graph,
                              struct orr_arena *arena);

#endif
