/* Rings of all-reduces: those that a job went around, and those that its network must have. */
#ifndef ORR_SIM_RING_USE_H
#define ORR_SIM_RING_USE_H

#include <stdbool.h>

#include "core/status.h"

struct net_graph;
struct orr_conf;
struct orr_diag;
struct sys_ring_use;

struct orrery;

/* What all-reduces of the largest group went around. false: none was done as a whole on links
 * between its members. O(links + rings x members). (ring_use.c) */
bool orr_ring_use(const struct orrery *job, struct sys_ring_use *out);

/* Whether all-reduces of the job go around rings, as a whole. */
bool orr_reduces_around_rings(const struct orrery *job);

/* The rings of a group of all NPUs, by the graph or found on its links, and how many of the links
 * between NPUs they take; where there are no rings but one through other nodes, 0 rings. Error:
 * memory. O(NPUs + links), and a search. */
enum orr_status orr_rings_of_all(const struct net_graph *graph, struct sys_ring_use *out,
                                 struct orr_diag *diag);

/* Whether a group of all NPUs has the rings that are asked for (rings: auto:R). Error: how many it
 * has, with the place of graph.rings in the section network, if it is there. */
enum orr_status orr_check_asked_rings(const struct net_graph *graph, const struct orr_conf *network,
                                      struct orr_diag *diag);

#endif
