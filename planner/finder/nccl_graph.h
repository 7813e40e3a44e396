/* The ring orders of a topology in the XML format that NCCL reads from NCCL_GRAPH_FILE
 * (src/graph/search.cc and xml.cc of NCCL): graphs > graph > channel > net, gpu. A graph of id 0
 * and pattern 4 has the channels of rings; speeds are in GB/s a channel, the latency in
 * microseconds. A channel lists the interface by which a server receives, its GPUs in the order of
 * the data, and the interface by which it sends; interfaces have the numbers of the port map.
 *
 * NCCL stores one server in a graph, and joins servers in the order of their ranks. So there are
 * two forms: the form of one server in a group, which NCCL loads unchanged; and the form of all
 * servers, with a graph for each group (`group`) and in each channel the interfaces and GPUs
 * (`rank` = server x GPUs + device) of all servers in ring order, for a library with user-defined
 * orders (TopoOpt, section 6). */
#ifndef ORR_PLANNER_FINDER_NCCL_GRAPH_H
#define ORR_PLANNER_FINDER_NCCL_GRAPH_H

#include <stdio.h>

#include "planner/finder/port_map.h"

#define NCCL_ALL_SERVERS UINT32_MAX
#define NCCL_ALL_GROUPS UINT32_MAX

struct nccl_rings {
    const struct finder_topology *topology;
    const struct port_map *map;
    uint32_t group;            /* of the topology; its rings are the channels; or NCCL_ALL_GROUPS */
    uint32_t gpus;             /* of a server, >= 1 */
    double inner_bytes_per_s;  /* between the GPUs of a server; 0: as fast as a link */
    const char *inner, *outer; /* path types; NULL: "NVL" (with one GPU "LOC") and "PIX" */
};

/* Writes the file of one server (below topology->servers), or of all. A server outside of the group
 * has no channels, so that NCCL searches them itself; with NCCL_ALL_GROUPS, one server has a graph
 * for each group. Errors: memory; ORR_ERR_IO if the file cannot be written. O(links log links +
 * rings x servers x gpus). */
enum orr_status orr_nccl_graph_write(struct orr_arena *scratch, FILE *file,
                                     const struct nccl_rings *rings, uint32_t server,
                                     struct orr_diag *diag);

#endif
