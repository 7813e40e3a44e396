/* FlexFlow's task graph as what it means: a task graph in memory, whose tasks have the numbers and
 * the names of the file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/workload.h"

enum { FLEXFLOW_MAX_SERVERS = 1 << 16 };

/* Numbers by id, sorted. */
struct flexflow_id {
    uint64_t id;
    uint32_t number;
};
struct flexflow_ids {
    struct flexflow_id *sorted; /* [count] */
    size_t count;
};

struct flexflow_plan {
    const struct flexflow_graph *graph;
    struct flexflow_ids ids; /* of tasks */
    struct tg_graph tasks;
    uint64_t edges; /* dependencies in the file, with repetitions */
    uint64_t repeated_servers;
};

/* Makes the plan; all of it lives in the arena, and messages about its tasks speak of the graph's.
 * Errors, with the task's place: two tasks or devices
 * of one id, dependencies on tasks and devices that are not there, tasks on devices of the wrong
 * kind, servers beyond the graph's, several accelerators in a server, cycles (node by node).
 * O((tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_plan_make(struct flexflow_plan *plan,
                                       const struct flexflow_graph *graph, struct orr_arena *arena,
                                       struct orr_diag *diag);

/* The number of an id; UINT32_MAX when there is none. O(log count). */
uint32_t orr_flexflow_number(const struct flexflow_ids *ids, uint64_t id);

/* Gives devices to the tasks of a graph that only has times, so that those which ran at the same
 * time are apart: each goes to the NPU of a task that it waits for when that was free, else to the
 * first free one. Tasks become COMP_GPU, transfers a delay. (flexflow_place.c) */
enum orr_status orr_flexflow_place(struct flexflow_graph *graph, struct orr_arena *arena,
                                   struct orr_diag *diag);

/* Fails with the place of a task and its name. */
enum orr_status orr_flexflow_fail(const struct flexflow_graph *graph, size_t task,
                                  struct orr_diag *diag, const char *format, ...) ORR_PRINTF(4, 5);

/* "tasks[7] (FORWARD 42)", or the name of a task that has one. */
enum { FLEXFLOW_LABEL_BYTES = 96 };
char *orr_flexflow_label(const struct flexflow_graph *graph, size_t task,
                         char text[FLEXFLOW_LABEL_BYTES]);

#endif
