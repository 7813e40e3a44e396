/* Symmetry reduction on a graph, for chunked collectives: which digits of ranks are rotations of
 * all links (network/graph.h), and whether the routes of messages rotate with them. */
#ifndef ORR_SIM_FOLD_FOLD_GRAPH_H
#define ORR_SIM_FOLD_FOLD_GRAPH_H

#include "core/fold.h"
#include "sim/fold/fold_routes.h"
#include "system/sys_fold.h"

struct net_config;
struct net_graph;
struct net_router;
struct orr_arena;
struct orr_diag;

struct fold_graph {
    const struct net_config *network;
    struct orr_arena *arena; /* private to this struct */
    struct net_router *router;
    const struct orr_fold *fold;
    struct fold_routes digit_routes[ORR_FOLD_MAX_DIGITS]; /* [digits of the fold] */
    struct sys_route_symmetry planner_routes; /* for the planner, of the folded digits */
};

/* Opens it for a fold whose digits are not folded yet; why[digits] is NULL if a digit can be
 * folded. Graph and fold are borrowed. Errors: memory. O(digits x links log). */
enum orr_status orr_fold_graph_open(struct fold_graph *graph, const struct net_config *network,
                                    const struct orr_fold *fold, const char **why,
                                    struct orr_diag *diag);
/* Whether memory ran out. */
bool orr_fold_graph_failed(const struct fold_graph *graph);
void orr_fold_graph_close(struct fold_graph *graph);

/* Whether the folded digits are compatible: each link represents as many links as an NPU represents
 * NPUs. Errors: memory. */
enum orr_status orr_fold_graph_fits(const struct net_graph *graph, const struct orr_fold *fold,
                                    bool *fits, struct orr_diag *diag);

#endif
