/* How tokens go to the ranks of their experts and back: keys parallel.dispatcher and node.
 *
 * alltoall: each token to each of its experts. deepep (DeepEP, HybridEP; DeepSeek-V3 2024, section
 * 3.2.2): once to each node that has some of them, to the rank in the same place there, which hands
 * it to the ranks of the node. These are two exchanges at a time: over the nodes, within the node.
 */
#ifndef ORR_WORKLOAD_PARALLEL_TOKEN_DISPATCH_H
#define ORR_WORKLOAD_PARALLEL_TOKEN_DISPATCH_H

#include "workload/parallel/parallel_plan.h"

/* As the key has them. */
extern const char *const orr_gen_dispatchers[];

/* Sets plan->layout.node for the number of a dispatcher and the NPUs of a node. Errors: ranks of
 * experts that do not fill nodes evenly. */
enum orr_status orr_gen_dispatch_set(struct gen_plan *plan, unsigned dispatcher, uint32_t node,
                                     struct orr_diag *diag);

/* How a token is routed: to `per_token` of `experts`, of all alike; with groups > 0 to experts of
 * `groups_per_token` of so many equal groups. */
struct gen_routing {
    uint64_t experts, per_token, groups, groups_per_token;
};

/* Of equal parts that hold the experts in their order (ranks, nodes) how many a token reaches on
 * average: parts x (1 - C(E - E / parts, K) / C(E, K)) without groups. O(groups x K). */
double orr_gen_token_reach(const struct gen_routing *routing, uint64_t parts);

#endif
