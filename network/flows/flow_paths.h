/* Interned paths of flows: each path is stored once and kept, and flows that end in one instant are
 * ordered by when their paths were first used. There can be millions, so a path is 12 bytes, its
 * links, and 6 to 10 bytes of a hash table. Traffic per path is counted on request only.
 *
 * If hosts forward a limited number of bytes/s, each host is one more link, numbered after those of
 * the graph: node n is link graph->links + n. A path ends with the links of the hosts that it
 * passes. */
#ifndef ORR_NETWORK_FLOWS_FLOW_PATHS_H
#define ORR_NETWORK_FLOWS_FLOW_PATHS_H

#include "core/slab.h"
#include "network/flows/flows.h"
#include "network/graph.h"

struct orr_arena;

/* Times of a path, shared by many paths. */
struct flow_times {
    uint32_t hops;
    sim_time start_ps;    /* delay of a new flow before it joins */
    sim_time tail_ps;     /* from a flow's end at the sender to its last byte's arrival */
    double round_trip_ps; /* of a packet on empty links, as windows use it */
};

struct flow_path {
    uint32_t first; /* first of its links (flow_path_links) */
    uint32_t times; /* index of its times (flow_path_times) */
    uint32_t class; /* the engine's class of its flows; UINT32_MAX: none yet */
};

/* Traffic of a path, on the wire. */
struct flow_path_use {
    uint64_t flows, bytes;
};

/* A path's links are contiguous in blocks; a longer path has several consecutive blocks. */
enum { FLOW_LINK_BITS = 12, FLOW_LINKS = 1 << FLOW_LINK_BITS };

enum { FLOW_TIMES_KNOWN = 256 };

struct flow_paths {
    struct orr_arena *arena;
    const struct net_graph *graph;
    struct net_flow_model model;
    uint32_t hosts;       /* hosts that are links too: nodes 0, 1, ...; 0: none */
    uint32_t *with_hosts; /* the last path with hosts */
    size_t with_hosts_alloc;
    bool counts;                      /* whether traffic per path is counted */
    struct orr_slab path;             /* struct flow_path, by number: 0, 1, ... */
    struct orr_slab use;              /* struct flow_path_use of each path, if counted */
    struct orr_slab times;            /* struct flow_times */
    uint32_t known[FLOW_TIMES_KNOWN]; /* 1 + number of times, by their hash; the latest ones */
    uint32_t **links;                 /* blocks */
    size_t blocks, block_alloc;
    uint64_t linked; /* entries used in the blocks */
    /* Hash table with open addressing: path numbers, and one byte of each hash; 0: free. */
    uint32_t *slot;
    uint8_t *tag;
    uint64_t slots;
};

/* Initializes an empty table; arena and graph are borrowed. `counts`: for orr_flow_paths_use. */
void orr_flow_paths_init(struct flow_paths *paths, const struct net_graph *graph,
                         const struct net_flow_model *model, struct orr_arena *arena, bool counts);
void orr_flow_paths_fini(struct flow_paths *paths);

/* Interns the path over these links of the graph; returns its number, UINT32_MAX: out of memory.
 * O(hops). */
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

/* The path's links, then its hosts; they do not move. */
static inline struct net_route_links flow_path_links(const struct flow_paths *paths,
                                                     const struct flow_path *path)
{
    return (struct net_route_links){.link = paths->links[path->first >> FLOW_LINK_BITS] +
                                            (path->first & (FLOW_LINKS - 1)),
                                    .hops = flow_path_times(paths, path)->hops};
}

/* The path's links in the graph, without hosts. O(hosts passed). */
static inline struct net_route_links flow_graph_links(const struct flow_paths *paths,
                                                      struct net_route_links links)
{
    while (links.hops > 0 && links.link[links.hops - 1] >= paths->graph->links) {
        links.hops--;
    }
    return links;
}

/* The traffic of a path; NULL: not counted. */
static inline struct flow_path_use *flow_path_use(const struct flow_paths *paths, uint32_t number)
{
    return paths->counts ? orr_slab_at(&paths->use, number) : NULL;
}

#endif
