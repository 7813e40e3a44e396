/* The paths that flows take, each kept once. */
#ifndef ORR_NETWORK_FLOWS_FLOW_PATHS_H
#define ORR_NETWORK_FLOWS_FLOW_PATHS_H

#include "network/flows/flows.h"

struct flow_path {
    uint32_t *link;
    uint32_t hops;
    uint32_t stream;   /* without windows: what its flows share; UINT32_MAX: none yet */
    sim_time start_ps; /* until a new flow joins */
    sim_time tail_ps;  /* from a flow's end at its sender until its last byte is at the receiver */
    double round_trip_ps; /* of a packet on empty links, as windows see it */
    uint64_t flows, bytes;
};

struct flow_paths {
    struct orr_arena *arena;
    const struct net_graph *graph;
    struct net_flow_model model;
    struct flow_path *path;
    uint32_t *slot; /* hash table of 1 + number of a path, open addressing */
    size_t paths, room, slots;
};

/* The number of the path over these links; UINT32_MAX when memory is out. O(hops). */
uint32_t orr_flow_paths_intern(struct flow_paths *paths, const struct net_route_links *links);
void orr_flow_paths_fini(struct flow_paths *paths);

#endif
