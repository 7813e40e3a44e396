/* What the tasks of a graph wait for: its dependencies, turned round. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_PREDECESSORS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_PREDECESSORS_H

#include "workload/taskgraph/tg_graph.h"

/* One task waits for another one. */
struct tg_edge {
    uint32_t task; /* that is waited for */
    uint32_t next; /* where tg_graph.next says so */
};

struct tg_predecessors {
    uint32_t *first;      /* [tasks + 1], into edge */
    struct tg_edge *edge; /* [nexts], of a task ascending by what it waits for */
};

/* In the arena; false when memory is out. O(tasks + dependencies). */
bool orr_tg_predecessors_make(struct tg_predecessors *prev, const struct tg_graph *graph,
                              struct orr_arena *arena);

#endif
