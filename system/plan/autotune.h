/* Autotuning: selects the algorithms of the dimensions that are `auto`, and the order in which
 * chunks visit the dimensions. The selection is the one with the shortest time when the collective
 * runs alone on the platform (docs/models.md, section 5).
 *
 * autotune_cost.c computes a lower bound in closed form from the messages of the algorithms'
 * programs. autotune_search.c simulates candidates in ascending order of their bounds until the
 * next bound exceeds the best time. The result is a pure function of group, collective and
 * platform; it does not depend on the fold, the time or other collectives. */
#ifndef ORR_SYSTEM_PLAN_AUTOTUNE_H
#define ORR_SYSTEM_PLAN_AUTOTUNE_H

#include "network/graph.h"
#include "network/net_config.h"
#include "system/collectives/program.h"
#include "system/plan/schedulers.h"
#include "system/state.h"
#include "system/sys_config.h"

struct sys_operation;
struct sys_phase;

struct sys_tuning {
    const struct coll_algorithm
        *of[SYS_MAX_DIMS]; /* by the platform's dimension; NULL: the named one */
    const struct sys_scheduler_ops *scheduler;
};

/* Whether routes follow from the blocks: there is no graph, or the graph is built of the blocks. */
static inline bool sys_routes_follow_blocks(const struct net_config *net)
{
    return net->graph == NULL || (orr_net_is_stacked(net) && net->graph->changes == 0);
}

/* Cache of tunings by group, collective and size. */
struct sys_tuning_cache;

/* The tuning of an operation whose dimensions are planned; NULL: there is nothing to select, or no
 * memory. */
const struct sys_tuning *orr_sys_tuning_of(struct sys *sys, struct sys_operation *operation);

/* The size that stands for the operation's: sizes with the same leading seven bits share the middle
 * one if chunks are equal, and one more byte if they are not (the last chunk then ends early, so
 * that messages meet otherwise); powers of two, and chunks of less than 128
 * bytes, are exact. */
uint64_t orr_sys_tuned_bytes(const struct sys *sys, const struct sys_operation *operation);

/* ---- autotune_search.c ---- */
/* The tuning with the shortest time for an operation; false: no memory. Costs some simulations of
 * the collective alone, each of a limited number of messages. */
bool orr_sys_search_tuning(struct sys *sys, const struct sys_operation *operation,
                           struct sys_tuning *tuning);

/* ---- plan_algorithms.c ---- */
/* The configured list of a kind, or NULL. */
const struct sys_algorithm_list *orr_sys_list_of(const struct sys *sys, enum coll_kind kind);
/* The algorithm that runs a phase of the kind in the operation's dimension. */
struct sys_algorithm orr_sys_algorithm_of(const struct sys *sys,
                                          const struct sys_operation *operation, unsigned d,
                                          enum coll_kind phase_kind);
/* The entry of the configured list for the operation's dimension; algorithm NULL: none is named. */
struct sys_algorithm orr_sys_named_algorithm(const struct sys *sys,
                                             const struct sys_operation *operation, unsigned d);
/* Whether the algorithm of the operation's dimension is autotuned. */
bool orr_sys_dim_is_auto(const struct sys *sys, const struct sys_operation *operation, unsigned d);
/* The default algorithm of the dimension's block for a kind (ASTRA-sim 2.0, Table I). */
const struct coll_algorithm *orr_sys_block_algorithm(const struct net_config *net, unsigned d,
                                                     enum coll_kind kind);
/* Whether the algorithm can run the kind in the operation's dimension. */
bool orr_sys_algorithm_fits(const struct sys *sys, const struct sys_operation *operation,
                            unsigned d, enum coll_kind kind,
                            const struct coll_algorithm *algorithm);

/* ---- plan_phases.c ---- */
/* Whether an NPU has messages to all its peers of the dimension in flight at once: as flows on a
 * graph that is not built of dimensions, where NPUs have fewer links than peers. Paths part behind
 * these links, so that one that is slow there must not hold up the others. */
bool orr_sys_goes_at_once(const struct sys *sys, const struct sys_operation *operation, unsigned d,
                          const struct coll_algorithm *algorithm);

/* ---- autotune_cost.c ---- */
/* Cost of a phase of one chunk in a dimension, for all its members. */
struct sys_cost {
    double load_s;       /* lower bound: load of the busiest server */
    double chain_s;      /* lower bound: from the first message sent to the last accepted */
    double alone_s;      /* estimate of the same */
    double hops;         /* sum over a member's messages of their hops */
    bool is_approximate; /* asymmetric ranks or too many messages: `alone_s` may be far off */
};
struct sys_cost orr_sys_phase_cost(const struct sys *sys, const struct sys_operation *operation,
                                   const struct sys_phase *phase);

/* Bound of a planned operation. */
struct sys_bound {
    double min_s; /* lower bound */
    double estimate_s;
    double hops;         /* of one member */
    bool is_unknown;     /* no closed form: the times are unset */
    bool is_approximate; /* `estimate_s` may be far off */
};
struct sys_bound orr_sys_operation_bound(const struct sys *sys,
                                         const struct sys_operation *operation);

#endif
