/* Schedulers: in which order a chunk visits the dimensions. Each is one row of orr_sys_schedulers
 * and a pure function of the group, the collective and the platform, so that every rank computes
 * the same (docs/models.md, section 5). */
#ifndef ORR_SYSTEM_PLAN_SCHEDULERS_H
#define ORR_SYSTEM_PLAN_SCHEDULERS_H

#include "system/plan/planning.h"

/* A dimension that the collective runs on, with the load of the chunks scheduled so far. */
struct sys_load {
    unsigned index; /* of the operation's dimension */
    uint32_t n;
    double bytes_per_s; /* what an NPU can send on it */
    double overhead_s;  /* what the messages of a chunk cost beside that */
    double load_s;      /* greedy: in its own unit */
    bool idle;          /* greedy: the collective does not run on it */
};

struct sys_tracker {
    unsigned dims; /* 0: every chunk takes the dimensions in their own order */
    struct sys_load dim[SYS_MAX_DIMS];
    unsigned rank[SYS_MAX_DIMS]; /* greedy: the dims in the order of the chunk before */
    uint64_t chunk_bytes;        /* of all chunks but the last */
};

enum { SYS_MAX_SCHEDULERS = 16 };

struct sys_scheduler_ops {
    const char *name, *summary;
    /* The order of the dimensions (indices of the operation's) for the next chunk of `bytes`, whose
     * load is added. NULL: their own order. O(dims^2). */
    void (*order)(struct sys_tracker *tracker, enum coll_kind kind, uint64_t bytes,
                  unsigned *order);
    /* It is the one of those that are `compared` that takes less time alone on the platform. */
    bool compares, compared;
    bool keeps_loads; /* as ASTRA-sim steps: collectives of one instant add to the same loads */
    bool of_astra;    /* what that simulator has for its own names of schedulers */
    bool keeps_all_to_all; /* all-to-alls go as in the baseline */
};

/* The scheduler for an operation: the configured one where it applies, or the best of its
 * candidates. */
const struct sys_scheduler_ops *orr_sys_scheduler_of(const struct sys *sys,
                                                     const struct sys_operation *operation);

/* The loads that the operation's chunks add to: `own`, filled, or those that all share. */
struct sys_tracker *orr_sys_tracker_of(struct sys *sys, const struct sys_operation *operation,
                                       uint64_t chunk_bytes, struct sys_tracker *own);

/* How long a collective would take alone: it is simulated by a system of its own. */
struct sys_predictors {
    /* Under a scheduler; ORR_TIME_MAX when it cannot be simulated. */
    sim_time (*scheduled)(const struct sys *sys, const struct sys_operation *operation,
                          const struct sys_scheduler_ops *scheduler);
    /* With a pick: ORR_TIME_MAX when it takes `limit_ps` or longer, or cannot be simulated; < 0
     * when more than so many NPUs would have to be. */
    sim_time (*tuned)(const struct sys *sys, const struct sys_operation *operation,
                      const struct sys_tuning *tuning, sim_time limit_ps, uint32_t max_npus);
};

#endif
