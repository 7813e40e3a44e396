/* Replicas of experts and their places: the expert-parallelism load balancer of DeepSeek-V3
 * (deepseek-ai/EPLB, 2025). */
#ifndef ORR_WORKLOAD_EXPERTS_EXPERT_PLACEMENT_H
#define ORR_WORKLOAD_EXPERTS_EXPERT_PLACEMENT_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

/* Experts in equal groups (1: none), their places in nodes of ranks. ranks divides places, nodes
 * divides ranks, places >= experts. */
struct orr_expert_places {
    uint32_t experts, groups, nodes, ranks;
    uint32_t places; /* of all ranks: replicas have one each */
};

/* Fills expert[places], rank after rank: the expert in each place. Groups stay in a node if nodes
 * divides groups; the experts with the largest load for each replica get another one; replicas are
 * packed to ranks by falling load. Without replicas and groups experts are packed, too. Error: out
 * of memory. O(experts x replicas + places log places). */
enum orr_status orr_expert_place(struct orr_arena *arena, const struct orr_expert_places *places,
                                 const double *load, uint32_t *expert, struct orr_diag *diag);

#endif
