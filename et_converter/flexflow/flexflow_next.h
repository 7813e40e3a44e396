/* In which order the tasks that wait for a task begin, once it is done: in that of the file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NEXT_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NEXT_H

#include "et_converter/flexflow/flexflow_plan.h"
#include "workload/workload.h"

/* One task waits for another: by this node. */
struct flexflow_edge {
    uint32_t task, behind;
    uint64_t node; /* FLEXFLOW_NEXT_ITSELF: the node of `behind` */
};
#define FLEXFLOW_NEXT_ITSELF UINT64_MAX

struct flexflow_next {
    const struct flexflow_plan *plan;
    struct orr_arena *arena;
    uint64_t *node; /* [tasks], what a task begins with */
    struct flexflow_edge *edge;
    size_t edges, edge_room;
    size_t *first;   /* [tasks + 1], of a task's edges, once they are sorted */
    uint32_t *place; /* [tasks], among those that wait for the task at hand */
    uint64_t *ids;
};

/* False when memory is out, as below. */
bool orr_flexflow_next_init(struct flexflow_next *next, const struct flexflow_plan *plan,
                            struct orr_arena *arena);
bool orr_flexflow_next_add(struct flexflow_next *next, uint32_t task, uint32_t behind,
                           uint64_t node);

/* Once all are added; then the ids of the nodes that wait for a task in their order, good until the
 * next call: none where that is by id. O(edges log edges) in all. */
bool orr_flexflow_next_sort(struct flexflow_next *next);
struct orr_deps orr_flexflow_next_of(struct flexflow_next *next, uint32_t task);

#endif
