/* How many links, or ports, of each dimension are in use over time. Included by network.h.
 *
 * Simulated time is cut into at most NET_USE_STEPS equal steps, which become twice as long whenever
 * it goes beyond: so the memory is fixed, and a step of the end is a thousandth of the time or
 * less. Invariant: what the steps of a dimension add up to is what was added, its busy time. */
#ifndef ORR_NETWORK_LINK_UTILIZATION_H
#define ORR_NETWORK_LINK_UTILIZATION_H

#include "core/core.h"

enum { NET_USE_STEPS = 4096 };

struct net_link_utilization;

/* Nothing in use, in the arena; NULL when memory is out. 64 KiB a dimension. */
struct net_link_utilization *orr_net_link_utilization_create(struct orr_arena *arena,
                                                             unsigned dims);

/* Links of the dimension are busy for busy_ps together, evenly from start_ps to end_ps. O(1) but
 * for steps that become longer. */
void orr_net_link_utilization_add(struct net_link_utilization *use, unsigned dim, sim_time start_ps,
                                  sim_time end_ps, double busy_ps);

/* The length of a step, and how many there are until the last one in which anything was in use. */
sim_time orr_net_link_utilization_step_ps(const struct net_link_utilization *use);
size_t orr_net_link_utilization_steps(const struct net_link_utilization *use);

/* How many links were in use in each step, on average, of NET_USE_STEPS. O(steps). */
void orr_net_link_utilization_read(const struct net_link_utilization *use, unsigned dim,
                                   double *links);

#endif
