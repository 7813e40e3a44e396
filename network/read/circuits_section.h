/* What the key `circuits` of a network section is read into (graph_read_circuits.c), and what
 * becomes of it where circuits are set for demands (graph_read_allocated.c). */
#ifndef ORR_NETWORK_READ_CIRCUITS_SECTION_H
#define ORR_NETWORK_READ_CIRCUITS_SECTION_H

#include "network/network.h"
#include "network/optical/circuits.h"
#include "network/read/graph_read_private.h"

struct circuits_section {
    int64_t ports;
    double bandwidth, discount;
    sim_time latency, period, reconfiguration;
    const char *controller;
    unsigned pauses, links, connect, routes;
    /* Of controllers that allocate. */
    const char *hold;
    struct orr_conf_list weights; /* double */
    unsigned demand, kept, method, fibres;
    int64_t reach, rows, seed, radix;
    bool literal;
};

extern const char *const orr_circuits_demands[],
    *const orr_circuits_kept[], *const orr_circuits_methods[], *const orr_circuits_fibres[];

/* The circuits of a controller that allocates, for a graph of so many NPUs and nothing else: it
 * becomes one switch by which each has the bandwidth of all its circuits, until the demands of a
 * job are known. Errors: links of its own; a hold of nothing, or without a reconfiguration;
 * wavelengths that two fibres cannot halve; rows that do not divide the NPUs. */
enum orr_status orr_graph_read_allocated(struct graph_reader *reader, const struct orr_conf *map,
                                         const struct circuits_section *section,
                                         struct net_graph *graph, struct net_circuits *circuits);

#endif
