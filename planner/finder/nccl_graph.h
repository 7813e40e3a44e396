/* The ring orders of a topology in the XML that NCCL reads from NCCL_GRAPH_FILE
 * (src/graph/search.cc and xml.cc of NCCL): graphs > graph > channel > net, gpu. A
 * graph of id 0 and pattern 4 has the channels of rings; speeds are in GB/s a channel, the latency
 * in microseconds. A channel lists the interface that a server receives by, its GPUs in the order
 * in which data pass them, and the interface that it sends by; here interfaces have the numbers of
 * the port map.
 *
 * NCCL knows one server of a graph, and joins servers in the order of their ranks. So there are two
 * forms: that of one server in a group, which NCCL loads as it is; and that of all servers, a graph
 * for each group (`group`), each channel with the interfaces and GPUs (`rank` = server x GPUs +
 * device) of one server after the other in the order of the ring, for a library that knows orders
 * of its own (TopoOpt, section 6). */
#ifndef ORR_PLANNER_FINDER_NCCL_GRAPH_H
#define ORR_PLANNER_FINDER_NCCL_GRAPH_H

#include <stdio.h>

#include "planner/finder/port_map.h"

#define NCCL_ALL_SERVERS UINT32_MAX
#define NCCL_ALL_GROUPS UINT32_MAX

struct nccl_rings {
    const struct finder_topology *topology;
    const struct port_map *map;
    uint32_t group;            /* of the topology, whose rings are channels; or NCCL_ALL_GROUPS */
    uint32_t gpus;             /* of a server, >= 1 */
    double inner_bytes_per_s;  /* between the GPUs of a server; 0: as fast as a link */
    const char *inner, *outer; /* kinds of paths: NULL: "NVL" (of one GPU "LOC") and "PIX" */
};

/* Writes the file of one server (below topology->servers), or of all. A server that is not in the
 * group has no channels, for which NCCL searches then; one server of all groups has a graph each.
 * Errors: memory; ORR_ERR_IO where the file cannot be written. O(links log links + rings x servers
 * x gpus). */
enum orr_status orr_nccl_graph_write(struct orr_arena *scratch, FILE *file,
                                     const struct nccl_rings *rings, uint32_t server,
                                     struct orr_diag *diag);

#endif
