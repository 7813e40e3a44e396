/* Spanning trees that reach the bound of cuts (ForestColl, arXiv 2402.06787): as many units of
 * trees rooted at each NPU as the worst cut lets through, on links whose capacity in units no two
 * of them share. */
#ifndef ORR_NETWORK_BOUNDS_SPANNING_FOREST_H
#define ORR_NETWORK_BOUNDS_SPANNING_FOREST_H

#include "network/bounds/cut_bounds.h"

#define NET_NO_PARENT UINT32_MAX

/* Trees are numbered root by root: tree t of `roots` x `units` belongs to root t / units. */
struct net_forest {
    uint32_t npus;
    uint32_t roots;         /* all NPUs, or one */
    uint32_t root;          /* the NPU of the only one */
    uint32_t units;         /* trees of each root, each with a unit of what it has */
    const uint32_t *parent; /* [roots * units * npus]; NET_NO_PARENT of the root */
    /* [roots * units * npus] the path to an NPU from its parent; of a reversed graph from the NPU
     * to its parent. */
    const struct net_forest_path {
        uint32_t first, hops; /* into hop */
    } * path;
    const uint32_t *hop;  /* links of the graph */
    uint32_t links_share; /* units that a link of unit_bytes_per_s carries */
    double unit_bytes_per_s;
};

/* What trees are for: one unit tree set for each NPU as root (root NET_FOREST_ALL), or one root. */
#define NET_FOREST_ALL UINT32_MAX
struct net_forest_request {
    const struct net_graph *graph;
    bool reversed; /* links turned around: trees towards the roots */
    uint32_t root;
};

/* Removes switches by edge splitting that keeps all maximum flows, then packs the trees (Edmonds
 * 1973; Berczi and Frank 2010), the shallow ones first. Errors: a graph without a path between two
 * NPUs, or with a switch that receives more than it sends or less (input); more units or steps than
 * are supported (input); memory. About (links of switches) x NPUs + NPUs^2 maximum flows: 64 NPUs
 * take about a second. */
enum orr_status orr_net_forest(const struct net_forest_request *request, struct orr_arena *arena,
                               struct net_forest *out, struct orr_diag *diag);

#endif
