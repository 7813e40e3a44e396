/* Layout search: layouts of a generated model that fit into memory where the given one does not, on
 * the same NPUs, with other degrees of tensor and pipeline parallelism, another ZeRO stage or other
 * recomputation. */
#ifndef ORR_WORKLOAD_GEN_LAYOUT_SEARCH_H
#define ORR_WORKLOAD_GEN_LAYOUT_SEARCH_H

#include "workload/gen/models.h"

enum { GEN_MAX_LAYOUTS = 3, GEN_MAX_CHANGES = 3 };

struct gen_layout_candidate {
    struct gen_change change;
    unsigned changes; /* of the four settings */
    uint64_t bytes;   /* needed by an NPU */
    double sample_s;  /* estimated */
    uint32_t data;    /* data-parallel ranks of this layout */
    uint64_t pool_bytes;
    bool fits;
};

struct gen_layout_candidates {
    struct gen_layout_candidate
        near[GEN_MAX_LAYOUTS]; /* [count] with the fewest changes, fastest first */
    unsigned count;
    struct gen_layout_candidate min; /* least memory; changes 0: the given one */
};

/* Tries every layout. Capacity 0: no limit. A model without gen_model_ops.change has only its own
 * layout. O(divisors of the NPUs squared x stages). */
enum orr_status orr_gen_search_layouts(const struct gen_model *model,
                                       const uint64_t capacity_bytes[2],
                                       const struct gen_speed *speed,
                                       struct gen_layout_candidates *out, struct orr_diag *diag);

#endif
