/* FlexFlow graph lowered to a task graph, whose tasks keep the numbers and names of the file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/taskgraph/tg_graph.h"

struct orr_arena;
struct orr_diag;

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

/* Builds the plan in the arena; messages about its tasks use the graph's names. Errors, with the
 * location of the task: two tasks or devices of one id, dependencies on unknown tasks, unknown
 * devices, tasks on devices of the wrong kind, servers beyond the graph's, several accelerators in
 * a server, cycles (node by node). O((tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_plan_make(struct flexflow_plan *plan,
                                       const struct flexflow_graph *graph, struct orr_arena *arena,
                                       struct orr_diag *diag);

/* The number of an id; UINT32_MAX if unknown. O(log count). */
uint32_t orr_flexflow_number(const struct flexflow_ids *ids, uint64_t id);

/* Places the tasks of a graph that has times only, so that concurrent tasks are on different NPUs:
 * a task takes the NPU of a predecessor if that is free, else the first free one. Tasks become
 * COMP_GPU, transfers a delay. O(tasks log tasks). (flexflow_place.c) */
enum orr_status orr_flexflow_place(struct flexflow_graph *graph, struct orr_arena *arena,
                                   struct orr_diag *diag);

/* Fails with location and name of a task. */
enum orr_status orr_flexflow_fail(const struct flexflow_graph *graph, size_t task,
                                  struct orr_diag *diag, const char *format, ...) ORR_PRINTF(4, 5);

/* The name of a task if it has one, else "tasks[7] (FORWARD 42)". */
enum { FLEXFLOW_LABEL_BYTES = 96 };
char *orr_flexflow_label(const struct flexflow_graph *graph, size_t task,
                         char text[FLEXFLOW_LABEL_BYTES]);

#endif
