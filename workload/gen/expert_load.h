/* How the tokens of a layer are spread over its experts: key `transformer.expert_load`.
 *
 * Ranks hold consecutive experts. A rank cuts its tokens at the shares of the ranks before, so the
 * parts add up to its tokens exactly, and every rank cuts alike. */
#ifndef ORR_WORKLOAD_GEN_EXPERT_LOAD_H
#define ORR_WORKLOAD_GEN_EXPERT_LOAD_H

#include "core/core.h"

struct gen_expert_load {
    const double *listed; /* [experts] relative loads; NULL: by Zipf's law */
    double exponent;      /* the load of expert i, from 1, is i^-exponent; 0: even */
    bool is_set;          /* false: even */
};

/* Reads the key of the section, already read as a list of texts: even, zipf:S, or a list of
 * relative loads of that many experts. The lists live in the section's arena. */
enum orr_status orr_gen_expert_load_read(const struct orr_conf *section,
                                         const struct orr_conf_list *words, uint64_t experts,
                                         struct gen_expert_load *load, struct orr_diag *diag);

/* Of `tokens` tokens those that go to the first `before` of the experts; all of them for all
 * experts. O(experts). */
uint64_t orr_gen_expert_tokens(const struct gen_expert_load *load, uint64_t experts,
                               uint64_t before, uint64_t tokens);

#endif
