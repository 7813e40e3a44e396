/* Peers: the devices with which each device of a strategy communicates, counted from its traffic
 * and not from its placement. So a fabric of degree D is enough or not (SiP-ML, SIGCOMM'21,
 * section 3.2). */
#ifndef ORR_SIPML_SEARCH_SIPML_CHECK_H
#define ORR_SIPML_SEARCH_SIPML_CHECK_H

#include "sipml/search/sipml_traffic.h"

/* Distinct devices to which a device sends, and from which it receives. */
struct sipml_degrees {
    uint32_t out, in;
};

struct sipml_peers {
    uint32_t max_out, max_in;       /* maxima over devices, group and ring together */
    uint32_t out_device, in_device; /* the first devices of the group with so many */
    struct sipml_degrees of_group;  /* maxima of the group alone */
    struct sipml_degrees of_ring;   /* of the ring alone: 1 each, 2 if bidirectional, or 0 */
    const struct sipml_degrees *of; /* [k] of each device of the group, group and ring together */
    uint64_t transfer_bytes;        /* of a group: along edges, both directions */
    uint64_t exchange_bytes;        /* of a group: gradients among devices with the same shard */
    uint64_t ring_bytes;            /* from a group to the next one */
};

/* Counts peers by traffic: along edges (and back, unless the model lists its gradients), among the
 * devices of a group that reduce the same shard (each with each), and the ring to the next group
 * and from the previous one. In the arena; takes k^2 bits while it runs. Errors: memory. O(k^2 +
 * members of groups^2). */
enum orr_status orr_sipml_peers(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                struct sipml_peers *out, struct orr_diag *diag);

#endif
