/* How fast a collective can be on a graph, as text and JSON (network/bounds/). */
#ifndef ORR_REPORT_TOPOLOGY_BOUND_REPORT_H
#define ORR_REPORT_TOPOLOGY_BOUND_REPORT_H

#include <stdio.h>

#include "network/bounds/exchange_bound.h"
#include "system/collectives/program.h"

struct orr_diag;
struct orr_graph_view;

/* A collective of all NPUs. `bytes` as in workload.bytes (system/collectives/program.h). */
struct orr_bound_request {
    enum coll_kind kind;
    uint64_t bytes;
    uint32_t root; /* of a broadcast */
};

/* No schedule is known that is proven to be the fastest. */
#define ORR_NO_OPTIMUM (-1)

struct orr_bound {
    const struct orr_graph_view *view;
    struct orr_bound_request request;
    sim_time bound_ps;
    sim_time optimum_ps; /* or ORR_NO_OPTIMUM */
    sim_time reached_ps; /* what a schedule that was found takes; ORR_NO_OPTIMUM: none was */
    /* What limits it; of an all-reduce its all-gather, of an all-to-all the slowest cut that was
     * found. Of one NPU: none (npus 0). */
    struct net_cut cut;
    struct net_cut reduce;        /* of an all-reduce: what limits its reduce-scatter */
    struct net_exchange exchange; /* of an all-to-all */
    sim_time cut_ps;              /* what the cut alone takes */
};

/* Whether bounds of the kind are computed. */
bool orr_bound_supports(enum coll_kind kind);

/* Computes the bound in the view's arena. Errors: a bandwidth that is not known; a root that is no
 * NPU; NPUs that do not reach others, naming the cut; memory. (bound_compute.c) */
enum orr_status orr_bound_compute(const struct orr_graph_view *view,
                                  const struct orr_bound_request *request, struct orr_bound *out,
                                  struct orr_diag *diag);

/* Whether links enter the side of the cut, in place of leaving it. */
static inline bool orr_bound_is_reversed(const struct orr_bound *bound)
{
    return bound->request.kind == COLL_REDUCE_SCATTER;
}

/* Write it; false: it cannot be written. (bound_text.c, bound_json.c) */
bool orr_bound_text(FILE *out, const struct orr_bound *bound);
bool orr_bound_json(FILE *out, const struct orr_bound *bound);

#endif
