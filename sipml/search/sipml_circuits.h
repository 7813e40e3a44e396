/* Circuits for a candidate strategy, on a network that sets them by demands (SiP-ML, SIGCOMM'21,
 * section 3.3): those of its first group, set once for the bytes of an iteration. The search
 * estimates times on them. Runs set circuits in the same way, for the demands that they see. */
#ifndef ORR_SIPML_SEARCH_SIPML_CIRCUITS_H
#define ORR_SIPML_SEARCH_SIPML_CIRCUITS_H

#include "network/allocation.h"
#include "network/graph.h"
#include "sipml/search/sipml_traffic.h"

struct orr_arena;
struct orr_diag;

struct sipml_circuits {
    double weight;             /* factor of bytes inside of a group */
    const uint64_t *bytes;     /* [rows of the traffic] weighted */
    struct net_allocation set; /* circuits[rows], at least one each, and its quality */
    /* Time sharing: if circuits are set repeatedly and are fewer than pairs, they take turns, and
     * each counts for 1 / turns of its time. 1: all are there at once. */
    uint32_t turns;
    struct net_graph graph; /* the circuits of the first group as direct links, among all devices */
};

/* Allocates circuits for all rows with the network's allocator; `graph` awaits demands
 * (orr_net_awaits_demands). All of it is in the arena. Errors: input, with the reason, such as "GPU
 * 0 sends to GPU 32, but it is 32 GPUs away, and light reaches 16" or "GPU 3 sends to 17 others,
 * for which there are 16 switches"; memory; a solver that cannot be loaded. O(devices), and the
 * cost of the allocator for the rows, or for those of all groups if one cannot stand for them, as
 * on rows and columns of rings. */
enum orr_status orr_sipml_circuits(struct orr_arena *arena, const struct net_graph *graph,
                                   const struct sipml_traffic *traffic, double weight,
                                   struct sipml_circuits *out, struct orr_diag *diag);

#endif
