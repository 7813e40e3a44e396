/* Bounds of traffic by cuts of a graph (docs/models/bounds.md): the cut that takes longest, found
 * exactly by maximum flows (ForestColl, arXiv 2402.06787, section 5.1). Links are fluid, NPUs
 * forward, latency does not count. */
#ifndef ORR_NETWORK_BOUNDS_CUT_BOUNDS_H
#define ORR_NETWORK_BOUNDS_CUT_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/time.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

/* One side of a cut. */
struct net_cut {
    const bool *side;   /* [nodes]; at least one NPU is in it, and one is not */
    uint32_t npus;      /* in the side; 0: there is no cut, because there is one NPU */
    double bytes_per_s; /* of the links that leave it; of a reversed graph: that enter it */
};

/* Traffic in which every NPU has something for all others: the cut with the most NPUs in the side
 * for its bandwidth, so that all need at least (what an NPU has) x npus / bytes_per_s. `reversed`:
 * in which all have something for every NPU. Found by one maximum flow an NPU, and one for each
 * better cut on the way (Dinkelbach's method), instead of a binary search. Error: memory. */
enum orr_status orr_net_gather_cut(const struct net_graph *graph, bool reversed,
                                   struct orr_arena *arena, struct net_cut *out,
                                   struct orr_diag *diag);

/* Traffic from one NPU to all others: the cut between them with the least bandwidth. A maximum flow
 * an NPU. Error: memory. */
enum orr_status orr_net_broadcast_cut(const struct net_graph *graph, uint32_t root,
                                      struct orr_arena *arena, struct net_cut *out,
                                      struct orr_diag *diag);

/* Time for bytes x parts / divisor over a bandwidth, rounded up to ps; 0 bytes take no time, 0
 * bytes/s ORR_TIME_MAX. Exact if the bandwidth is whole. */
struct net_cut_load {
    uint64_t bytes;
    uint32_t parts, divisor;
    double bytes_per_s;
};
sim_time orr_net_cut_time(const struct net_cut_load *load);

/* Whether switches can be left out without loss, so that spanning trees of the NPUs reach the
 * bounds above: each sends as much as it receives (Bang-Jensen, Frank and Jackson 1995). O(links).
 */
bool orr_net_switches_are_balanced(const struct net_graph *graph, struct orr_arena *arena);

#endif
