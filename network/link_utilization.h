/* Utilization: how many links, or ports, of each dimension are busy over time.
 *
 * Simulated time is divided into at most NET_USE_STEPS equal steps, which double whenever time
 * exceeds them. So memory is fixed, and in the end a step is at most a thousandth of the time.
 * Invariant: the steps of a dimension add up to the busy time that was added. */
#ifndef ORR_NETWORK_LINK_UTILIZATION_H
#define ORR_NETWORK_LINK_UTILIZATION_H

#include <stddef.h>

#include "core/time.h"

struct orr_arena;

enum { NET_USE_STEPS = 4096 };

struct net_link_utilization;

/* Creates it in the arena, with nothing in use; NULL: out of memory. 64 KiB a dimension. */
struct net_link_utilization *orr_net_link_utilization_create(struct orr_arena *arena,
                                                             unsigned dims);

/* Adds busy_ps of busy time of the dimension's links, spread evenly over [start_ps, end_ps). O(1),
 * except when steps double. */
void orr_net_link_utilization_add(struct net_link_utilization *use, unsigned dim, sim_time start_ps,
                                  sim_time end_ps, double busy_ps);

/* The length of a step, and the number of steps up to the last busy one. */
sim_time orr_net_link_utilization_step_ps(const struct net_link_utilization *use);
size_t orr_net_link_utilization_steps(const struct net_link_utilization *use);

/* Average busy links in each of the NET_USE_STEPS steps, into `links`. O(steps). */
void orr_net_link_utilization_read(const struct net_link_utilization *use, unsigned dim,
                                   double *links);

#endif
