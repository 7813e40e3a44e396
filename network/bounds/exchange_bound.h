/* The bound of an all-to-all: every NPU has as much for every other (docs/models/bounds.md). The
 * maximum concurrent flow, by a linear program: links are fluid, traffic may split, NPUs forward,
 * latency does not count. */
#ifndef ORR_NETWORK_BOUNDS_EXCHANGE_BOUND_H
#define ORR_NETWORK_BOUNDS_EXCHANGE_BOUND_H

#include "network/bounds/cut_bounds.h"

/* Times are for one byte a pair, in seconds times unit_bytes_per_s. */
struct net_exchange {
    double unit_bytes_per_s;
    double least;              /* no routing is faster */
    double most;               /* a routing that was found takes this long */
    bool is_optimal;           /* they are equal, within 1e-9 */
    uint32_t parts, divisor;   /* the fraction that both are; 0: there is none below 2^20 */
    struct net_cut cut;        /* the slowest cut that was found; it may be faster than `least` */
    uint32_t classes, sources; /* of links and NPUs that the program tells apart */
};

/* Requires NPUs that reach each other. First even splits over shortest paths, against the cuts of
 * single NPUs and lengths of links; where they differ, the program by column generation: its
 * columns are even splits over the shortest paths of a class of NPUs, its rows the classes of links
 * and of NPUs (link_classes.h). Errors: memory; the solver cannot be loaded.
 * O(NPUs x links log links) without the program, which is solved up to 400 rows; beyond,
 * 300 rounds of Frank and Wolfe's method leave some percent between `least` and `most`. */
enum orr_status orr_net_exchange_bound(const struct net_graph *graph, struct orr_arena *arena,
                                       struct net_exchange *out, struct orr_diag *diag);

/* The time of an all-to-all in which every NPU has `bytes` for all NPUs together, itself included:
 * a bound, rounded up where the fraction is known, else down. */
sim_time orr_net_exchange_time(const struct net_exchange *exchange, uint32_t npus, uint64_t bytes);

#endif
