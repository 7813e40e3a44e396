/* A task graph that makes sense: each task with its role and its NPUs, dependencies by number, and
 * an order in which all tasks come behind what they wait for. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_PLAN_H

#include "core/core.h"
#include "et_converter/flexflow/flexflow_graph.h"

enum flexflow_role {
    FLEXFLOW_COMPUTES,     /* on the accelerator */
    FLEXFLOW_COMPUTES_CPU, /* on the CPU */
    FLEXFLOW_DELAYS,       /* something inside of a server takes its recorded time */
    FLEXFLOW_TRANSFERS,    /* from one NPU to another */
    FLEXFLOW_STAYS,        /* a transfer inside of a server: takes no time */
    FLEXFLOW_SENDS,        /* one end of a transfer whose other end is a task of its own */
    FLEXFLOW_RECEIVES,
    FLEXFLOW_REDUCES, /* an all-reduce */
    FLEXFLOW_ALONE    /* an all-reduce of one server: nothing to do */
};

/* Where a task is: it begins on one NPU, and what waits for it waits on another. */
struct flexflow_step {
    uint8_t role;      /* enum flexflow_role */
    uint32_t from, to; /* NPUs; of an all-reduce its first server */
    uint32_t peer;     /* SENDS, RECEIVES: the NPU of the other end */
    uint32_t mate;     /* SENDS, RECEIVES: the task that is the other end */
};

enum { FLEXFLOW_MOST_SERVERS = 1 << 16 };

struct flexflow_plan {
    const struct flexflow_graph *graph;
    uint32_t npus;
    struct flexflow_step *step; /* [tasks] */
    /* Per task, from task->first_next on: numbers of the tasks that wait for it. Those of
     * all-reduces are its servers, of which repeated ones are left out: see members. */
    uint32_t *next;
    uint32_t *members;    /* [tasks], all-reduces: how many servers */
    uint32_t *first_prev; /* [tasks + 1], into prev */
    uint32_t *prev;       /* numbers of the tasks that a task waits for, with repetitions */
    uint32_t *order;      /* [tasks] */
    uint64_t edges;       /* dependencies in the file, with repetitions */
    uint64_t repeated_servers;
};

/* Makes the plan; all of it lives in the arena. Errors, with the task's place: two tasks or devices
 * of one id, dependencies on tasks and devices that are not there, tasks on devices of the wrong
 * kind, servers beyond the graph's, several accelerators in a server, cycles (node by node).
 * O((tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_plan_make(struct flexflow_plan *plan,
                                       const struct flexflow_graph *graph, struct orr_arena *arena,
                                       struct orr_diag *diag);

/* Pairs the ends of transfers that are tasks of their own: those with a dependency between them,
 * then the others of the same two servers in the order of the file. One without another end becomes
 * a whole transfer. Errors: ends of different bytes. O(tasks log tasks). (flexflow_mates.c) */
enum orr_status orr_flexflow_mate(struct flexflow_plan *plan, struct orr_arena *arena,
                                  struct orr_diag *diag);

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

/* ---- flexflow_order.c ---- */

/* Fills order from prev and next: by earliest start when every task takes its recorded time and
 * resources are endless, then by number. Collectives so come in one order on all NPUs. */
enum orr_status orr_flexflow_order(struct flexflow_plan *plan, struct orr_arena *arena,
                                   struct orr_diag *diag);

#endif
