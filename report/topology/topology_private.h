/* The handle of a network for programs. Private to this folder. */
#ifndef ORR_REPORT_TOPOLOGY_TOPOLOGY_PRIVATE_H
#define ORR_REPORT_TOPOLOGY_TOPOLOGY_PRIVATE_H

#include "orrery/topology.h"
#include "report/pictures/pictures.h"
#include "report/topology/topology_report.h"
#include "sim/api_object.h"

struct orr_conf;

struct orrery_topology {
    struct orr_object object;
    bool read, graph;
    const struct orr_conf *system; /* the section of the platform; NULL: none */
    struct orr_topo topo;          /* a stack */
    struct orr_graph_view view;    /* a graph */
};

/* The network as a graph in the handle's arena: itself, or a stack of dimensions, whose links are
 * all equal where a bandwidth is not known. Error: memory. (embedding_api.c) */
enum orr_status orr_topology_as_graph(struct orrery_topology *topology,
                                      struct orr_graph_view *view);

#endif
