/* Digits of ranks on a network that is a graph, for collectives chunk by chunk: which of them turn
 * all links (network/graph.h), and whether what these send goes along ways that turn with them. */
#ifndef ORR_SIM_FOLD_GRAPH_H
#define ORR_SIM_FOLD_GRAPH_H

#include "sim/fold_routes.h"
#include "system/system.h"

struct fold_graph {
    const struct net_config *network;
    struct orr_arena *arena; /* of its own */
    struct net_router *router;
    const struct orr_fold *fold;
    struct fold_routes digit_routes[ORR_FOLD_MAX_DIGITS]; /* [digits of the fold] */
    struct sys_route_symmetry planner_routes;             /* for a planner, of the folded digits */
};

/* For a fold with digits, none of which is folded; `why`[digits] is NULL where one can be. The
 * graph and the fold stay where they are. Errors: memory. O(digits x links log). */
enum orr_status orr_fold_graph_open(struct fold_graph *graph, const struct net_config *network,
                                    const struct orr_fold *fold, const char **why,
                                    struct orr_diag *diag);
/* Memory ran out in between. */
bool orr_fold_graph_failed(const struct fold_graph *graph);
void orr_fold_graph_close(struct fold_graph *graph);

/* Whether the folded digits of a finished fold go together: each link stands for as many as an NPU
 * does. Errors: memory. */
enum orr_status orr_fold_graph_fits(const struct net_graph *graph, const struct orr_fold *fold,
                                    bool *fits, struct orr_diag *diag);

#endif
