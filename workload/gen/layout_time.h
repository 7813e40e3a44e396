/* Approximate time of a layout, to rank layouts that fit: closed forms without overlap. */
#ifndef ORR_WORKLOAD_GEN_LAYOUT_TIME_H
#define ORR_WORKLOAD_GEN_LAYOUT_TIME_H

#include "workload/parallel/stage_split.h"

/* Rates; 0: unknown. */
struct gen_speed {
    double flops; /* of an NPU */
    double near_bytes_per_s,
        far_bytes_per_s; /* of an NPU, within groups of `near` NPUs and beyond */
    uint32_t near;
};

/* A job in a layout. */
struct gen_estimate {
    const struct gen_plan *plan;
    struct gen_row row;
    struct gen_totals totals;
    double layer_bytes; /* of the activations of a sample that tensor-parallel ranks exchange */
};

/* Approximate seconds per sample: an NPU's operations with recomputation, its pipeline bubble and
 * its communication, added up. O(parts). */
double orr_gen_sample_seconds(const struct gen_estimate *of, const struct gen_speed *speed);

#endif
