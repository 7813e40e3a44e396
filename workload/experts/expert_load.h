/* How the tokens of a layer are spread over its experts: key `transformer.expert_load`.
 *
 * Ranks hold consecutive experts. A rank cuts its tokens at the shares of the ranks before, so the
 * parts add up to its tokens exactly, and every rank cuts alike. */
#ifndef ORR_WORKLOAD_EXPERTS_EXPERT_LOAD_H
#define ORR_WORKLOAD_EXPERTS_EXPERT_LOAD_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_conf;
struct orr_conf_list;
struct orr_diag;

/* What the busiest rank and node have, relative to the mean; 1: none is busier (busiest_rank.h). */
struct orr_busiest {
    double rank, node;
};

struct gen_expert_load {
    uint64_t experts;
    const double *before; /* [experts + 1] share of the experts before; NULL: even */
};

/* Reads the key of the section, already read as a list of texts: even, zipf:S (the load of expert
 * i, from 1, is i^-S), or a list of relative loads of that many experts. O(experts). */
enum orr_status orr_gen_expert_load_read(struct orr_arena *arena, const struct orr_conf *section,
                                         const struct orr_conf_list *words, uint64_t experts,
                                         struct gen_expert_load *load, struct orr_diag *diag);

/* Of `tokens` tokens those that go to the first `before` of the experts, whose loads are given; all
 * of them for all experts. O(1). */
static inline uint64_t gen_expert_tokens(const struct gen_expert_load *load, uint64_t before,
                                         uint64_t tokens)
{
    return before >= load->experts ? tokens
                                   : (uint64_t)(load->before[before] * (double)tokens + 0.5);
}

#endif
