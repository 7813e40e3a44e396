/* With whom the devices of a strategy talk, counted from what it sends and not from how it was
 * placed: whether a fabric of degree D is enough (SiP-ML, SIGCOMM'21, section 3.2). */
#ifndef ORR_PLANNER_SIPML_SIPML_CHECK_H
#define ORR_PLANNER_SIPML_SIPML_CHECK_H

#include "planner/sipml/sipml_traffic.h"

/* Distinct devices that a device sends to, and hears from. */
struct sipml_degrees {
    uint32_t out, in;
};

struct sipml_peers {
    uint32_t max_out, max_in;       /* of all: of the group and of the ring between groups */
    uint32_t out_device, in_device; /* the first devices with so many, in the group */
    struct sipml_degrees of_group;  /* the most, of the group alone */
    struct sipml_degrees of_ring;   /* of the ring alone: 1 each, both ways 2, or 0 */
    const struct sipml_degrees *of; /* [k] of each device of the group, the ring too */
    uint64_t transfer_bytes;        /* of a group: along edges, both ways */
    uint64_t exchange_bytes;        /* of a group: of gradients among devices with the same shard */
    uint64_t ring_bytes;            /* that leave a group for the next one */
};

/* Counts the peers of a strategy by its traffic: along edges (back, too, unless the model lists
 * its gradients), among the devices of a group that reduce the same shard (each with each), and, of
 * devices that reduce across groups, the ring to the next group's and from the previous one's. In
 * the arena; k^2 bits are needed for the while. Errors: memory. O(k^2 + members of groups^2). */
enum orr_status orr_sipml_peers(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                struct sipml_peers *out, struct orr_diag *diag);

#endif
