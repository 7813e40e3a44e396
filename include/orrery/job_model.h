/* What a generated model is and needs, and layouts that fit; after loading. */
#ifndef ORRERY_JOB_MODEL_H
#define ORRERY_JOB_MODEL_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size and cost of a generated model. All false or 0 for other workloads. */
struct orrery_model {
    double parameters, active_parameters; /* active: used by a token, fewer with experts */
    double step_flops;                    /* useful operations of a step on all NPUs */
    double step_samples, step_tokens;     /* step_tokens 0: the model has no tokens */
    uint32_t steps, stages;               /* pipeline stages */
    double mtp_parameters; /* of modules of multi-token prediction, beside `parameters` */
};
ORRERY_API enum orrery_status orrery_model(const struct orrery *job, struct orrery_model *model);

/* Maximum memory of an NPU of a pipeline stage, by contents. */
struct orrery_model_memory {
    uint64_t weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    uint64_t capacity_bytes; /* of an NPU; 0: not limited */
};
ORRERY_API enum orrery_status orrery_model_memory(const struct orrery *job, uint32_t stage,
                                                  struct orrery_model_memory *memory);

/* Whether the job exceeds the memory capacity: it was rejected for that (ORRERY_ERROR_INPUT of
 * orrery_load or orrery_run), or with memory.ignore_capacity only a warning was given. */
ORRERY_API bool orrery_too_large(const struct orrery *job);

/* A layout of a generated model on the same NPUs. */
enum { ORRERY_MAX_LAYOUTS = 3, ORRERY_MAX_SETTINGS = 5 };
/* Deprecated names, for one release. */
#define ORRERY_MOST_LAYOUTS ORRERY_MAX_LAYOUTS
#define ORRERY_MOST_SETTINGS ORRERY_MAX_SETTINGS
struct orrery_layout {
    uint64_t bytes;   /* per NPU */
    unsigned changes; /* of tensor, pipeline, zero and recompute */
    /* [sets], "workload.parallel.zero=3"; owned by the handle */
    const char *set[ORRERY_MAX_SETTINGS];
    unsigned sets;
};

/* The layouts that fit with the fewest changes of the current one, at most three, ties by estimated
 * speed; and the layout with the smallest need, whether it fits or not (without changes: the
 * current one, also for models with a single layout). */
struct orrery_layouts {
    struct orrery_layout near[ORRERY_MAX_LAYOUTS]; /* [count] */
    unsigned count;
    struct orrery_layout min;
    bool single; /* the model has one layout */
    bool pool;   /* the current one fits into an NPU's memory, but not into the pool */
};
/* Searches for them, also after orrery_load rejected the job as too large. ORRERY_ERROR_INPUT
 * unless it is a generated model. O(divisors of the NPUs squared x stages). */
ORRERY_API enum orrery_status orrery_find_layouts(struct orrery *job, struct orrery_layouts *out);

#ifdef __cplusplus
}
#endif

#endif
