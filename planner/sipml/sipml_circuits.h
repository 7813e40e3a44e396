/* Circuits for a strategy that is searched for, on a network that sets them for demands: what its
 * first group gets, set once for an iteration's bytes (SiP-ML, SIGCOMM'21, section 3.3). The search
 * estimates on them; runs set them in the same way, for what they have seen offered. */
#ifndef ORR_PLANNER_SIPML_SIPML_CIRCUITS_H
#define ORR_PLANNER_SIPML_SIPML_CIRCUITS_H

#include "network/network.h"
#include "planner/sipml/sipml_traffic.h"

struct sipml_circuits {
    double weight;             /* of bytes inside of a group */
    const uint64_t *bytes;     /* [rows of the traffic] as they counted */
    struct net_allocation set; /* circuits[rows], each at least one, and how well they fit */
    /* Circuits that are set anew may be fewer than pairs: these take turns, and each counts for so
     * many parts of its time. 1: all are there at once. */
    uint32_t turns;
    struct net_graph graph; /* the first group's circuits as direct links, among all devices */
};

/* Circuits for all rows by the network's own allocator: `graph` awaits demands
 * (orr_net_awaits_demands). All of it is the arena's. Errors: input, with what a point is refused
 * for, such as "GPU 0 sends to GPU 32, but it is 32 GPUs away, and light reaches 16" or "GPU 3
 * sends to 17 others, for which there are 16 switches"; memory; a solver that cannot be loaded.
 * O(devices), and what the allocator costs for the rows, or for those of all groups where one
 * cannot stand for them, as on rows and columns of rings. */
enum orr_status orr_sipml_circuits(struct orr_arena *arena, const struct net_graph *graph,
                                   const struct sipml_traffic *traffic, double weight,
                                   struct sipml_circuits *out, struct orr_diag *diag);

#endif
