/* Builds a graph link by link, of dimensions, or with a level below another. */
#ifndef ORR_NETWORK_GRAPH_BUILD_H
#define ORR_NETWORK_GRAPH_BUILD_H

#include <stddef.h>

#include "network/graph_source.h"

struct net_graph;
struct net_link;
struct net_path;
struct net_ring;
struct orr_arena;
struct orr_diag;

/* The builder of a graph, in the arena. It keeps a failed addition (memory, sizes), which
 * orr_net_graph_end reports. */
struct net_graph_builder {
    struct orr_arena *arena;
    uint32_t npus, nodes;
    size_t links, link_alloc, rings, ring_alloc;
    struct net_link *link;
    struct net_ring *ring;
    const char *const *name;
    bool no_memory;
};

/* `npus` >= 1 and `switches`, together at most NET_MAX_NODES. */
void orr_net_graph_begin(struct net_graph_builder *builder, struct orr_arena *arena, uint32_t npus,
                         uint32_t switches);

/* Adds a link in one direction, or in both. Equal links between two nodes become parallel. The
 * nodes exist and differ. Amortized O(1). */
void orr_net_graph_link(struct net_graph_builder *builder, const struct net_link *link);
void orr_net_graph_both(struct net_graph_builder *builder, const struct net_link *link);

/* Adds a ring by its jump; false if the jump is not coprime to npus, which makes no ring. */
bool orr_net_graph_ring(struct net_graph_builder *builder, uint32_t npus, int32_t jump);
/* Adds a ring by an order of positions; false if it is no permutation. O(npus). */
bool orr_net_graph_ring_of(struct net_graph_builder *builder, uint32_t npus, const uint32_t *order);

/* Adds a ring; its lists are borrowed. */
void orr_net_graph_add_ring(struct net_graph_builder *builder, const struct net_ring *ring);

/* Completes the graph. Errors: memory; parallel links of different bandwidth or latency, or more
 * than NET_MAX_PARALLEL. O(nodes + links log links). */
enum orr_status orr_net_graph_end(struct net_graph_builder *builder, struct net_graph *graph,
                                  struct orr_diag *diag);

/* Sets the graph's paths, and sorts them; `path` and `path_link` are borrowed. O(paths log paths).
 */
void orr_net_graph_set_paths(struct net_graph *graph, struct net_path *path, uint32_t paths,
                             const uint32_t *path_link);

/* Named fabrics are built by orr_net_build_fabric. */

/* A stacked topology: the links of the congestion backend, with one switch for each line of a
 * switch dimension. Dimensions need a bandwidth; they are copied into the arena. Error: more than
 * NET_MAX_NODES or NET_MAX_LINKS. O(nodes + links log links). */
struct net_config;
enum orr_status orr_net_build_blocks(struct orr_arena *arena, const struct net_config *config,
                                     struct net_graph *graph, struct orr_diag *diag);

/* A level below a graph: each NPU of the graph becomes a switch with `npus` NPUs, over links of a
 * kind. The graph's own links at that switch are multiplied by `uplinks`. */
struct net_level {
    uint32_t npus, uplinks; /* >= 1 */
    bool servers;           /* the level is the inside of servers */
    bool called_servers;    /* the user named it so, even if its links are slow */
    bool rings;             /* rings of the graph's NPUs are extended to the NPUs below them */
    bool logical;           /* the NPUs below are logical servers of one server; rings too */
    struct net_link_kind kind;
};

/* Makes a graph with the level below `top`: its NPUs, then the nodes of `top`. Rings of `top` are
 * dropped, or extended: each leads through all NPUs below each of its nodes in turn, and with
 * logical servers also through the n-th of each server. Error: sizes. O(links log links + rings x
 * NPUs). (topology/fabrics/levels.c) */
enum orr_status orr_net_graph_add_level(struct orr_arena *arena, const struct net_graph *top,
                                        const struct net_level *level, struct net_graph *out,
                                        struct orr_diag *diag);

#endif
