/* The values of the key `circuits` of a network section (graph_read_circuits.c), shared with the
 * reader of demand-aware circuits (graph_read_allocated.c). */
#ifndef ORR_NETWORK_READ_CIRCUITS_SECTION_H
#define ORR_NETWORK_READ_CIRCUITS_SECTION_H

#include "core/conf/keys.h"
#include "network/optical/circuits.h"
#include "network/read/graph_read_private.h"

struct net_circuits;
struct net_graph;
struct orr_conf;

struct circuits_section {
    int64_t ports;
    double bandwidth, discount;
    sim_time latency, period, reconfiguration;
    const char *controller;
    unsigned pauses, links, connect, routes;
    /* Only for controllers that allocate circuits by demand. */
    const char *hold;
    struct orr_conf_list weights; /* double */
    unsigned demand, kept, method, fibres;
    int64_t reach, rows, seed, radix;
    bool literal;
};

extern const char *const orr_circuits_demands[],
    *const orr_circuits_kept[], *const orr_circuits_methods[], *const orr_circuits_fibres[];

/* Reads the circuits of a controller that allocates by demand. The graph must consist of NPUs only;
 * until the demands of a job are known it is one switch that gives each NPU the bandwidth of all
 * its circuits. Errors: the graph has links; a hold of 0 or without a reconfiguration; an odd
 * number of wavelengths for two half fibres; rows that do not divide the NPUs. */
enum orr_status orr_graph_read_allocated(struct graph_reader *reader, const struct orr_conf *map,
                                         const struct circuits_section *section,
                                         struct net_graph *graph, struct net_circuits *circuits);

#endif
