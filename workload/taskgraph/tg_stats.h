/* What a task graph holds, counted. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_STATS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_STATS_H

#include "workload/taskgraph/tg_graph.h"

/* All-reduces among so many NPUs. */
struct tg_reduces {
    uint32_t members;
    uint64_t count;
    orr_sum bytes; /* each counted once, not for each member */
};

/* Of all groups together, as in the plain graph. */
struct tg_stats {
    uint64_t tasks, dependencies;
    uint64_t count[TG_ROLES][TG_PASSES];
    orr_sum transferred_bytes;        /* between NPUs; both ends of one as one */
    orr_sum inside_bytes;             /* of transfers inside of one */
    sim_time compute_max_ps;          /* on the accelerator of the NPU that computes most */
    uint64_t across;                  /* all-reduces that are done once for all groups */
    const struct tg_reduces *reduces; /* [sizes], ascending by members */
    uint32_t sizes;
};

/* Counts, without making the plain graph; what it lists lives in the arena. O(tasks + dependencies
 * + NPUs). */
enum orr_status orr_tg_count(struct orr_arena *arena, const struct tg_graph *graph,
                             struct tg_stats *out, struct orr_diag *diag);

#endif
