/* Statistics of a task graph. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_STATS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_STATS_H

#include "core/sum.h"
#include "core/time.h"
#include "workload/taskgraph/tg_graph.h"

struct orr_arena;
struct orr_diag;

/* All-reduces with one number of members. */
struct tg_reduces {
    uint32_t members;
    uint64_t count;
    orr_sum bytes; /* once per all-reduce, not per member */
};

/* Statistics of all groups, as of the plain graph. */
struct tg_stats {
    uint64_t tasks, dependencies;
    uint64_t count[TG_ROLES][TG_PASSES];
    orr_sum transferred_bytes;        /* between NPUs; two ends count once */
    orr_sum inside_bytes;             /* of transfers within an NPU */
    sim_time compute_max_ps;          /* accelerator time of the NPU that computes most */
    uint64_t across;                  /* all-reduces across the groups */
    const struct tg_reduces *reduces; /* [sizes], ascending by members */
    uint32_t sizes;
};

/* Computes the statistics without expanding the graph; lists live in the arena. O(tasks +
 * dependencies + NPUs). */
enum orr_status orr_tg_count(struct orr_arena *arena, const struct tg_graph *graph,
                             struct tg_stats *out, struct orr_diag *diag);

#endif
