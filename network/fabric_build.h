/* Named fabrics, such as "fat-tree:8". */
#ifndef ORR_NETWORK_FABRIC_BUILD_H
#define ORR_NETWORK_FABRIC_BUILD_H

#include <stddef.h>

#include "network/graph_source.h"
#include "network/route_options.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

/* Builds a fabric from its notation such as "fat-tree:8", and sets the routing that suits it.
 * Levels may follow, each /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server]: "circulant:1,5/4/16@50GB/s" is
 * a circulant of switches with 4 switches below each and 16 NPUs below each of these. A last level
 * faster than the links of the fabric is the inside of servers unless it is a rack (":tor"). If all
 * levels are ":tor", the fabric's rings go through all NPUs.
 *
 * Errors: an unknown fabric, with the list of forms; a number of NPUs that is no multiple; errors
 * of the builder. (topology/fabrics/fabrics.c) */
struct net_fabric {
    const char *text;
    uint32_t npus;
    struct net_link_kind kind;
    uint64_t seed; /* of random graphs */
};
enum orr_status orr_net_build_fabric(const struct net_fabric *fabric, struct orr_arena *arena,
                                     struct net_graph *graph, const struct net_routing **routing,
                                     struct orr_diag *diag);

/* The index-th form, "fat-tree[:PORTS]"; NULL after the last. */
const char *orr_net_fabric_form(size_t index);

/* Whether the text begins with the name of a fabric: "torus:4x4", "fat-tree/8". O(fabrics). */
bool orr_net_fabric_named(const char *text);
/* Whether it begins with the name of a fabric whose NPUs are on one ring of light, where a job
 * takes neighbours. O(fabrics). */
bool orr_net_fabric_is_ring(const char *text);
/* The fabric name nearest to the beginning of the text; NULL: none is near. */
const char *orr_net_suggest_fabric(const char *text);
/* An example of the index-th form, "fat-tree:4,2", and a fitting number of NPUs; NULL after the
 * last. */
const char *orr_net_fabric_example(size_t index, uint32_t *npus);
/* The default fabric. */
extern const char orr_net_default_fabric[];

#endif
