/* The paths that flows take, each kept once and for good: ends of an instant go by the order in
 * which paths were first used. There may be millions of them, so that a path is 12 bytes, its
 * links, and 6 to 10 bytes of a hash table; what it carried is counted only where somebody asks.
 *
 * Where hosts pass on a limited number of bytes/s, each host is one more link, behind those of the
 * graph: that of node n is number graph->links + n. A path ends with those of the hosts that it
 * passes. */
#ifndef ORR_NETWORK_FLOWS_FLOW_PATHS_H
#define ORR_NETWORK_FLOWS_FLOW_PATHS_H

#include "network/flows/flows.h"

/* How long and how slow a path is: the same for many. */
struct flow_times {
    uint32_t hops;
    sim_time start_ps; /* until a new flow joins */
    sim_time tail_ps;  /* from a flow's end at its sender until its last byte is at the receiver */
    double round_trip_ps; /* of a packet on empty links, as windows see it */
};

struct flow_path {
    uint32_t first; /* of its links (flow_path_links) */
    uint32_t times; /* its own (flow_path_times) */
    uint32_t class; /* what its flows share, of the engine; UINT32_MAX: none yet */
};

/* What has gone over it, on the wire. */
struct flow_path_use {
    uint64_t flows, bytes;
};

/* A path's links stand one behind the other in blocks; a longer one has several that do so. */
enum { FLOW_LINK_BITS = 12, FLOW_LINKS = 1 << FLOW_LINK_BITS };

enum { FLOW_TIMES_KNOWN = 256 };

struct flow_paths {
    struct orr_arena *arena;
    const struct net_graph *graph;
    struct net_flow_model model;
    uint32_t hosts;       /* that are links too: nodes 0, 1, ...; 0: none */
    uint32_t *with_hosts; /* the path that was asked for last */
    size_t with_hosts_alloc;
    bool counts;                      /* what goes over paths */
    struct orr_slab path;             /* struct flow_path, by number: 0, 1, ... */
    struct orr_slab use;              /* struct flow_path_use of each, if counted */
    struct orr_slab times;            /* struct flow_times */
    uint32_t known[FLOW_TIMES_KNOWN]; /* 1 + number of times, by their hash; the latest ones */
    uint32_t **links;                 /* blocks */
    size_t blocks, block_alloc;
    uint64_t linked; /* places taken in the blocks */
    /* Hash table by open addressing: numbers of paths, and a byte of each one's hash; 0: none. */
    uint32_t *slot;
    uint8_t *tag;
    uint64_t slots;
};

/* None yet; the arena and the graph must stay. `counts`: for orr_flow_paths_use. */
void orr_flow_paths_init(struct flow_paths *paths, const struct net_graph *graph,
                         const struct net_flow_model *model, struct orr_arena *arena, bool counts);
void orr_flow_paths_fini(struct flow_paths *paths);

/* The number of the path over these links of the graph; UINT32_MAX when memory is out. O(hops). */
uint32_t orr_flow_paths_intern(struct flow_paths *paths, const struct net_route_links *links);

static inline struct flow_path *flow_path_at(const struct flow_paths *paths, uint32_t number)
{
    return orr_slab_at(&paths->path, number);
}

static inline const struct flow_times *flow_path_times(const struct flow_paths *paths,
                                                       const struct flow_path *path)
{
    return orr_slab_at(&paths->times, path->times);
}

/* They stay where they are, hosts behind them. */
static inline struct net_route_links flow_path_links(const struct flow_paths *paths,
                                                     const struct flow_path *path)
{
    return (struct net_route_links){.link = paths->links[path->first >> FLOW_LINK_BITS] +
                                            (path->first & (FLOW_LINKS - 1)),
                                    .hops = flow_path_times(paths, path)->hops};
}

/* Those of the graph alone. O(hosts passed). */
static inline struct net_route_links flow_graph_links(const struct flow_paths *paths,
                                                      struct net_route_links links)
{
    while (links.hops > 0 && links.link[links.hops - 1] >= paths->graph->links) {
        links.hops--;
    }
    return links;
}

/* NULL where nothing is counted. */
static inline struct flow_path_use *flow_path_use(const struct flow_paths *paths, uint32_t number)
{
    return paths->counts ? orr_slab_at(&paths->use, number) : NULL;
}

#endif
