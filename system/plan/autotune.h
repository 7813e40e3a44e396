/* Picking what a collective runs with, where its algorithms are `auto`: of the assignments of
 * algorithms to dimensions, and of the orders in which chunks visit them, the one that takes the
 * least time when the collective runs alone on the platform (docs/models.md, section 5).
 *
 * The time has a lower bound in closed form (autotune_cost.c), from the messages of the algorithms'
 * programs. Contenders are simulated in the order of their bounds, until the next
 * bound is above the best time (autotune.c). The answer is a pure function of group, collective and
 * platform: it knows of no fold, no time and no other collective. */
#ifndef ORR_SYSTEM_PLAN_AUTOTUNE_H
#define ORR_SYSTEM_PLAN_AUTOTUNE_H

#include "system/plan/schedulers.h"

struct sys_tuning {
    const struct coll_algorithm *of[SYS_MAX_DIMS]; /* by the platform's dimension; NULL: as named */
    const struct sys_scheduler_ops *scheduler;
};

/* Whether blocks say which ways messages take: there is no graph, or it is the blocks as a graph.
 */
static inline bool sys_routes_follow_blocks(const struct net_config *net)
{
    return net->graph == NULL || (orr_net_is_stacked(net) && net->graph->changes == 0);
}

/* What has been picked so far, by group, collective and size. */
struct sys_tuning_cache;

/* For an operation whose dimensions are known; NULL when there is nothing to pick. */
const struct sys_tuning *orr_sys_tuning_of(struct sys *sys, struct sys_operation *operation);

/* ---- plan_algorithms.c ---- */
/* The configured list of a kind; NULL: it has none. */
const struct sys_algorithm_list *orr_sys_list_of(const struct sys *sys, enum coll_kind kind);
/* What runs a phase of the kind in the operation's dimension. */
struct sys_algorithm orr_sys_algorithm_of(const struct sys *sys,
                                          const struct sys_operation *operation, unsigned d,
                                          enum coll_kind phase_kind);
/* Whether the algorithm of the operation's dimension is to be picked. */
bool orr_sys_dim_is_auto(const struct sys *sys, const struct sys_operation *operation, unsigned d);
/* The algorithm of the dimension's block for a kind of collective. */
const struct coll_algorithm *orr_sys_block_algorithm(const struct net_config *net, unsigned d,
                                                     enum coll_kind kind);
/* Whether the algorithm can run the kind in the operation's dimension. */
bool orr_sys_algorithm_fits(const struct sys *sys, const struct sys_operation *operation,
                            unsigned d, enum coll_kind kind,
                            const struct coll_algorithm *algorithm);

/* ---- autotune_cost.c ---- */
/* A phase of one chunk in a dimension, all members taken together. */
struct sys_cost {
    double load_s;       /* of the busiest server, at least */
    double chain_s;      /* from its first message sent to its last one taken in, at least */
    double alone_s;      /* the same, about */
    double hops;         /* messages times the links they cross, of a member */
    bool is_approximate; /* ranks are not alike, or too many messages: `alone_s` may be far off */
};
struct sys_cost orr_sys_phase_cost(const struct sys *sys, const struct sys_operation *operation,
                                   const struct sys_phase *phase);

/* A planned operation. */
struct sys_bound {
    double min_s; /* takes no less */
    double estimate_s;
    double hops;         /* of a member */
    bool is_unknown;     /* the times are not known */
    bool is_approximate; /* `estimate_s` may be far off */
};
struct sys_bound orr_sys_operation_bound(const struct sys *sys,
                                         const struct sys_operation *operation);

#endif
