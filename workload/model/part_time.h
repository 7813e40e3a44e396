/* Time of a part of an operator: as measured for its split, else by the roofline of the part's work
 * (docs/models.md). */
#ifndef ORR_WORKLOAD_MODEL_PART_TIME_H
#define ORR_WORKLOAD_MODEL_PART_TIME_H

#include "workload/model/op_graph.h"
#include "workload/model/profile.h"
#include "workload/roofline/roofline.h"

/* The speed of a device. All 0: only measured times are available. */
struct model_speed {
    const struct model_profile *profile; /* NULL: nothing was measured */
    struct wl_roofline roofline;         /* peak_flops 0: none */
    sim_time fixed_ps;                   /* fixed cost of an operator, in each pass */
    sim_time minimum_ps;                 /* minimum time of a part ... */
    sim_time launch_ps; /* ... plus this much for its launch (SiP-ML, section 4.2) */
    /* Linear scaling: a part of p takes 1/p of the unsplit operator's time, including its fixed
     * cost ("we assume a linear dependency", SiP-ML, section 4.2), unless it was measured. False:
     * the roofline of its work. */
    bool linear;
    /* Computation time of an iteration on the device that computes longest; the times of a
     * strategy's parts are scaled to it (orr_strategy_times). 0: no scaling. */
    sim_time iteration_ps;
};

struct model_times {
    sim_time forward_ps, backward_ps;
    bool measured; /* not estimated */
};

/* The work of a part in a pass. */
struct model_part_work {
    uint64_t flops, bytes;
};

/* degree[op->dims]: parts in each dimension, >= 1; `samples`: of all parts together. O(dims). */
struct model_part_work orr_model_part_work(const struct model_op *op, const struct model_work *work,
                                           const uint32_t *degree, uint64_t samples);

/* The time of one part of operator `op`; of the largest part if they differ. Times saturate at
 * ORR_TIME_MAX. Errors, with the operator's location: its split was not measured, and there is no
 * roofline. O(dims + log measures). */
enum orr_status orr_model_part_time(const struct model_graph *graph, uint32_t op,
                                    const uint32_t *degree, const struct model_speed *speed,
                                    uint64_t samples, struct model_times *out,
                                    struct orr_diag *diag);

#endif
