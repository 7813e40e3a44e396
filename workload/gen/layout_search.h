/* Layouts of a generated model that fit where the given one does not: on the same NPUs, with other
 * degrees of tensor and pipeline parallelism, another stage of ZeRO, other recomputation. */
#ifndef ORR_WORKLOAD_GEN_LAYOUT_SEARCH_H
#define ORR_WORKLOAD_GEN_LAYOUT_SEARCH_H

#include "workload/gen/models.h"

enum { GEN_MAX_LAYOUTS = 3, GEN_MAX_CHANGES = 3 };

struct gen_layout_candidate {
    struct gen_change change;
    unsigned changes; /* of the four settings */
    uint64_t bytes;   /* that an NPU needs */
    double sample_s;  /* estimated */
    uint32_t data;    /* data-parallel ranks then */
};

struct gen_layout_candidates {
    struct gen_layout_candidate near[GEN_MAX_LAYOUTS]; /* [count] with the fewest changes, the
                                                       fastest of these first */
    unsigned count;
    struct gen_layout_candidate min; /* of all layouts, however many changes; changes 0: as given */
};

/* Looks at every layout. A capacity of 0 is no limit. Models of one layout have themselves only.
 * O(divisors of the NPUs squared x stages). */
enum orr_status orr_gen_search_layouts(const struct gen_model *model,
                                       const uint64_t capacity_bytes[2],
                                       const struct gen_speed *speed,
                                       struct gen_layout_candidates *out, struct orr_diag *diag);

#endif
