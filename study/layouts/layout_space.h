/* The layouts of a model on a number of NPUs. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_SPACE_H
#define ORR_STUDY_LAYOUTS_LAYOUT_SPACE_H

#include <stdbool.h>

#include "workload/parallel/parallel_plan.h"

struct orr_layout_space {
    struct gen_change given; /* what is not varied */
    uint32_t npus;
    uint32_t near; /* NPUs of the innermost dimension */
    bool has_experts;
    bool keeps_no_scores; /* selective recomputation saves nothing */
};

/* Calls `visit` for every layout whose degrees divide the NPUs and whose micro-batches divide the
 * batch, always in the same order; not all of them can be run. Ends where it returns false. */
void orr_visit_layouts(const struct orr_layout_space *space,
                       bool (*visit)(void *context, const struct gen_change *layout),
                       void *context);

#endif
