/* Schedulers: the order in which a chunk visits the dimensions. Each is one row of
 * orr_sys_schedulers and a pure function of the group, the collective and the platform, so that
 * every rank computes the same order (docs/models.md, section 5). */
#ifndef ORR_SYSTEM_PLAN_SCHEDULERS_H
#define ORR_SYSTEM_PLAN_SCHEDULERS_H

#include "system/plan/planning.h"

/* A dimension of the collective, with the load of the chunks scheduled so far. */
struct sys_load {
    unsigned index; /* of the operation's dimension */
    uint32_t n;
    double bytes_per_s; /* send bandwidth of an NPU */
    double overhead_s;  /* overhead of a chunk's messages */
    double load_s;      /* greedy: unit in scheduler_greedy.c */
    bool idle;          /* greedy: no traffic of the collective */
};

struct sys_tracker {
    unsigned dims; /* 0: all chunks use the baseline order */
    struct sys_load dim[SYS_MAX_DIMS];
    unsigned rank[SYS_MAX_DIMS]; /* greedy: dimensions in the order of the previous chunk */
    uint64_t chunk_bytes;        /* bytes of each chunk but the last */
};

enum { SYS_MAX_SCHEDULERS = 16 };

struct sys_scheduler_ops {
    const char *name, *summary;
    /* Writes the order of the dimensions (indices of the operation's) for the next chunk of `bytes`
     * and adds its load. NULL: the baseline order. O(dims^2). */
    void (*order)(struct sys_tracker *tracker, enum coll_kind kind, uint64_t bytes,
                  unsigned *order);
    /* compares: selects the fastest of the `compared` schedulers, each simulated alone. */
    bool compares, compared;
    bool keeps_loads; /* if the policy keeps loads: collectives of one instant share the loads */
    bool of_astra;    /* ASTRA-sim's scheduler */
    bool keeps_all_to_all; /* all-to-alls use the baseline order */
};

/* The scheduler of an operation: the configured one if it applies, or the fastest of its
 * candidates. */
const struct sys_scheduler_ops *orr_sys_scheduler_of(const struct sys *sys,
                                                     const struct sys_operation *operation);

/* The loads of the operation's chunks: `own`, filled, or those shared by all operations. */
struct sys_tracker *orr_sys_tracker_of(struct sys *sys, const struct sys_operation *operation,
                                       uint64_t chunk_bytes, struct sys_tracker *own);

/* Limits of a simulation of a tuning, and what it took. */
struct sys_trial {
    sim_time limit_ps;
    uint32_t max_npus; /* members */
    uint32_t npus;     /* set: members simulated, if the group is a part of the NPUs; else 1 */
};

/* Predicted time of a collective that runs alone, simulated by a separate system. */
struct sys_predictors {
    /* With a scheduler; ORR_TIME_MAX if it cannot be simulated. */
    sim_time (*scheduled)(const struct sys *sys, const struct sys_operation *operation,
                          const struct sys_scheduler_ops *scheduler);
    /* With a tuning: ORR_TIME_MAX if it takes the limit or longer or cannot be simulated; < 0 if
     * the simulation has more than the limit of members. */
    sim_time (*tuned)(const struct sys *sys, const struct sys_operation *operation,
                      const struct sys_tuning *tuning, struct sys_trial *limits);
};

#endif
