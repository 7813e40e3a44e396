/* The layouts of a model that fit, estimated. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_ESTIMATES_H
#define ORR_STUDY_LAYOUTS_LAYOUT_ESTIMATES_H

#include "study/estimate/step_estimate.h"
#include "workload/parallel/parallel_plan.h"

struct orr_diag;
struct orrery;

struct orr_estimated_layout {
    struct gen_change change;
    struct orr_step_estimate estimate;
    uint64_t memory_bytes; /* of the NPU that needs the most */
    uint32_t data;         /* data-parallel ranks, those of experts among them */
    uint32_t micros;
    bool fits; /* else it needs up to a tenth more memory than there is */
};

struct orr_layout_visitor {
    /* Called for each layout that was estimated. False: no memory. */
    bool (*found)(void *context, const struct orr_estimated_layout *layout);
    void *context;
};

struct orr_layout_estimates {
    uint64_t estimates;                /* layouts estimated */
    uint64_t too_large;                /* layouts that need more memory */
    uint64_t refused;                  /* layouts that cannot be run */
    double seconds;                    /* of processor time, all of it */
    struct orr_estimated_layout least; /* of those too large, the one that needs least */
};

/* Estimates all layouts of a loaded job, and those that need a little more memory. capacity 0: no
 * limit. Errors: no generated model, one whose layout cannot change or be estimated, no
 * batch; out of memory. */
enum orr_status orr_estimate_layouts(const struct orrery *job, uint64_t capacity_bytes,
                                     const struct orr_layout_visitor *visitor,
                                     struct orr_layout_estimates *out, struct orr_diag *diag);

#endif
