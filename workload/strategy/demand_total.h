/* All that a strategy sends in an iteration: the bytes between any two devices, and the groups that
 * reduce (TopoOpt, NSDI'23: T_MP and T_AR, the traffic of its Figs. 1, 8 and 9). */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_TOTAL_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_TOTAL_H

#include "workload/strategy/strategy.h"

/* All-reduces of the same members, together. */
struct demand_group {
    const uint32_t *member; /* [members] devices of a group, ascending */
    uint32_t members;
    bool across;      /* over all groups, where each member has a ring of its own */
    uint32_t tensors; /* that are reduced */
    uint64_t bytes;   /* of these */
    uint64_t
        around; /* across: of these on the way to the next of l groups, 2 (l - 1) / l of each */
};

enum { DEMAND_MAX_DEVICES = 16384 }; /* of a matrix: 2 GiB */

struct demand_total {
    uint32_t devices, copies;
    uint64_t *transfers; /* [devices * devices] from row to column: of both passes, of all groups;
                            or of one (orr_demand_of_group) */
    uint64_t transfer_bytes, largest_bytes; /* of all pairs, of a pair */
    const struct demand_group *group; /* [groups] in the order in which operators first have it */
    uint32_t groups;
    uint64_t reduce_bytes; /* of all tensors; once for all groups when across */
};

/* Of a strategy that was checked; in the arena. Errors: more than DEMAND_MAX_DEVICES; memory.
 * O(devices^2 + transfers). */
enum orr_status orr_demand_total(struct orr_arena *arena, const struct model_graph *model,
                                 const struct strategy *strategy, struct demand_total *out,
                                 struct orr_diag *diag);

/* The same of one group: `transfers` is [k * k], and so are the sums of it. O(k^2 + transfers). */
enum orr_status orr_demand_of_group(struct orr_arena *arena, const struct model_graph *model,
                                    const struct strategy *strategy, struct demand_total *out,
                                    struct orr_diag *diag);

/* Adds what rings send to a matrix [devices * devices]: every member 2 (k - 1) / k of the bytes, in
 * equal shares to those `jump[i]` members on (TopoOpt's permutations). Where m > 1 devices of each
 * of l groups reduce, they scatter and gather an m-th from each to each, and have m rings of l
 * (lower.h). Errors: a jump that does not reach all members of a group. O(members x jumps). */
enum orr_status orr_demand_add_rings(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag);

/* Instead of rings, double binary trees, half of the bytes each (TopoOpt, appendix A): place v of a
 * tree is that of member jump[i] x v. In equal shares; errors likewise. O(members log members x
 * jumps). */
enum orr_status orr_demand_add_trees(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag);

#endif
