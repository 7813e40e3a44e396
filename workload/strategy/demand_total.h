/* Total demand of a strategy in an iteration: the bytes between any two devices, and the groups
 * that all-reduce (TopoOpt, NSDI'23: T_MP and T_AR, the traffic of its Figs. 1, 8 and 9). */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_TOTAL_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_TOTAL_H

#include "core/diag.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct orr_arena;

/* All all-reduces with the same members. */
struct demand_group {
    const uint32_t *member; /* [members] devices of a group, ascending */
    uint32_t members;
    bool across;      /* over all groups; each member has its own ring */
    uint32_t tensors; /* number of tensors */
    uint64_t bytes;   /* bytes of the tensors */
    uint64_t around;  /* across: bytes that a member sends to the next of l groups, 2 (l - 1) / l of
                         each tensor */
};

enum { DEMAND_MAX_DEVICES = 16384 }; /* a matrix of 2 GiB */

struct demand_total {
    uint32_t devices, copies;
    uint64_t *transfers; /* [devices * devices] from row to column: both passes, all groups; or one
                            group (orr_demand_of_group) */
    uint64_t transfer_bytes, largest_bytes; /* sum over all pairs, and the maximum of a pair */
    const struct demand_group *group; /* [groups] in the order of the first operator with each */
    uint32_t groups;
    uint64_t reduce_bytes; /* of all tensors; those across groups once */
};

/* Computes the total of a checked strategy, in the arena. Errors: more than DEMAND_MAX_DEVICES;
 * memory. O(devices^2 + transfers). */
enum orr_status orr_demand_total(struct orr_arena *arena, const struct model_graph *model,
                                 const struct strategy *strategy, struct demand_total *out,
                                 struct orr_diag *diag);

/* The same for one group: `transfers` is [k * k], with its sums. O(k^2 + transfers). */
enum orr_status orr_demand_of_group(struct orr_arena *arena, const struct model_graph *model,
                                    const struct strategy *strategy, struct demand_total *out,
                                    struct orr_diag *diag);

/* Adds ring all-reduces to a matrix [devices * devices]: every member sends 2 (k - 1) / k of the
 * bytes, in equal shares to the members at distance jump[i] (TopoOpt's permutations). If m > 1
 * devices of each of l groups reduce, they scatter and gather an m-th from each to each, and have m
 * rings of l (lower.h). Errors: a jump that does not reach all members of a group. O(members x
 * jumps). */
enum orr_status orr_demand_add_rings(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag);

/* Double binary trees instead of rings, half of the bytes each (TopoOpt, appendix A): position v of
 * a tree is member jump[i] x v. Equal shares and errors as above. O(members log members x jumps).
 */
enum orr_status orr_demand_add_trees(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag);

#endif
