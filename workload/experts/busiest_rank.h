/* What the busiest rank has of a layer's tokens, where loads change from layer to layer and from
 * micro-batch to micro-batch: all ranks of an exchange wait for it, every time another one. */
#ifndef ORR_WORKLOAD_EXPERTS_BUSIEST_RANK_H
#define ORR_WORKLOAD_EXPERTS_BUSIEST_RANK_H

#include <stdint.h>

#include "core/status.h"
#include "workload/experts/expert_load.h"
#include "workload/experts/expert_placement.h"

/* The mean over draws: tokens of each are drawn (multinomial) by the experts' shares, which each
 * draw deals to the experts anew; with more places than experts by EPLB, which knows the shares.
 * `tokens`: that all ranks send in a layer, copies counted. Error: out of memory. O(draws x
 * places^2). */
enum orr_status orr_busiest_draw(const struct gen_expert_load *load,
                                 const struct orr_expert_places *places, double tokens,
                                 uint64_t seed, struct orr_busiest *out, struct orr_diag *diag);

/* The mean over the lines of a CSV file: iteration, layer, tokens of each expert; a first line that
 * begins with a letter is a heading. With more places than experts EPLB places by the line itself.
 * Errors name the line: not so many counts, none above 0, no numbers. */
enum orr_status orr_busiest_count(const char *path, const struct orr_expert_places *places,
                                  struct orr_busiest *out, struct orr_diag *diag);

#endif
