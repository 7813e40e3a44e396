/* What the busiest rank has of a layer's tokens, where loads change from layer to layer and from
 * micro-batch to micro-batch: all ranks of an exchange wait for it, every time another one. */
#ifndef ORR_WORKLOAD_EXPERTS_BUSIEST_RANK_H
#define ORR_WORKLOAD_EXPERTS_BUSIEST_RANK_H

#include <stdint.h>

#include "core/status.h"
#include "workload/experts/expert_load.h"
#include "workload/experts/expert_placement.h"

/* Tokens that all ranks send in a layer, copies counted; the random stream; how many layers draw.
 */
struct orr_expert_draw {
    double tokens;
    uint64_t seed, iteration;
    uint32_t layers;
};

/* The mean over layers: tokens of each are drawn (multinomial) by the experts' shares, which each
 * draw deals to the experts anew; with more places than experts by EPLB, which knows the shares.
 * Error: out of memory. O(layers x places^2). */
enum orr_status orr_busiest_draw(const struct gen_expert_load *load,
                                 const struct orr_expert_places *places,
                                 const struct orr_expert_draw *draw, struct orr_busiest *out,
                                 struct orr_diag *diag);

/* The mean over the lines of an iteration (< 0: of all) in a CSV file: iteration, layer, tokens of
 * each expert; a first line that begins with a letter is a heading. With more places than experts
 * EPLB places by the line itself. Errors name the line: not so many counts, none above 0, no
 * numbers. */
enum orr_status orr_busiest_count(const char *path, const struct orr_expert_places *places,
                                  int64_t iteration, struct orr_busiest *out,
                                  struct orr_diag *diag);

#endif
