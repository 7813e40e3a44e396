/* Companions: groups that share links with a group and have no member in common with it. In a
 * training job they run the same collective at the same time (all pipelines' data-parallel groups,
 * say), so algorithms and schedulers are judged for all of them together. */
#ifndef ORR_SYSTEM_PLAN_COMPANIONS_H
#define ORR_SYSTEM_PLAN_COMPANIONS_H

#include "system/plan/operation.h"

struct sys_companions {
    uint32_t known; /* groups of the system when this was computed */
    uint32_t count;
    uint64_t digest; /* equal for groups whose companions lie alike; 0: none */
    struct sys_group **of;
};

/* The companions of a group: those of its family if it is a model's, else listed groups. First
 * groups with the same distances between their ranks, then larger and smaller ones of the same
 * division, each in the order of their distance and disjoint from those before. They follow from
 * the groups' ranks alone. Without any: NULL (also without memory). Cached per group; O(groups x
 * dims), where members may be anywhere O(sum of sizes). */
const struct sys_companions *orr_sys_companions_of(const struct sys *sys, struct sys_group *group);

/* Coordinates of a box group in a dimension of the platform: n of them from `first`, `step` apart.
 */
struct sys_row {
    uint32_t first, step, n;
};
struct sys_row orr_sys_group_row(const struct sys *sys, const struct sys_group *group, unsigned d);

/* Whether the group has some NPUs of a ring, or NPUs of a mesh, whose messages pass others.
 * O(box_dims). */
bool orr_sys_is_part_of_ring(const struct sys *sys, const struct sys_group *group, unsigned d);

/* ---- autotune_ring_part.c: what a group with a part of a ring puts on its links ---- */
struct sys_ring_part {
    const struct net_dim *block;
    struct sys_row row;
    unsigned dim;   /* of the platform */
    uint32_t ports; /* of an NPU: 2, or 1 for both directions */
    double overhead_bytes;
};
/* The way from one member to another in the dimension. */
struct net_route orr_sys_ring_part_route(const struct net_dim *block, struct sys_row row,
                                         uint32_t from, uint32_t to);
/* Bytes of the busiest port in a phase of the group and of companions on the same line; 0: too many
 * members, or no memory. O(members x sends). */
double orr_sys_ring_part_bytes(const struct sys *sys, const struct sys_operation *operation,
                               const struct sys_phase *phase, const struct sys_ring_part *part);

#endif
