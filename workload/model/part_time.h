/* How long a part of an operator takes: as measured for its split, else by the roofline of the work
 * that the part does (docs/models.md). */
#ifndef ORR_WORKLOAD_MODEL_PART_TIME_H
#define ORR_WORKLOAD_MODEL_PART_TIME_H

#include "workload/model/op_graph.h"
#include "workload/model/profile.h"
#include "workload/roofline/roofline.h"

/* A device. With everything 0 there is nothing to tell times by but what is measured. */
struct model_speed {
    const struct model_profile *profile; /* NULL: nothing was measured */
    struct wl_roofline roofline;         /* peak_flops 0: none */
    sim_time fixed_ps;                   /* that an operator takes beside its work, in each pass */
    sim_time minimum_ps;                 /* no part takes less ... */
    sim_time launch_ps; /* ... and each takes this much more (SiP-ML, section 4.2) */
    /* A part of p takes a p-th of the whole operator's time, its fixed cost too ("we assume a
     * linear dependency", SiP-ML, section 4.2), unless it was measured. Else the roofline of its
     * work. */
    bool linear;
    /* What the device that computes longest computes in an iteration: the times of a strategy's
     * parts are shares of it (orr_strategy_times); 0: nothing is said. */
    sim_time iteration_ps;
};

struct model_times {
    sim_time forward_ps, backward_ps;
    bool measured; /* not estimated */
};

/* What a part does in a pass. */
struct model_part_work {
    uint64_t flops, bytes;
};

/* `degree[op->dims]`: parts of each dimension, >= 1; `samples`: of all parts together. O(dims). */
struct model_part_work orr_model_part_work(const struct model_op *op, const struct model_work *work,
                                           const uint32_t *degree, uint64_t samples);

/* The time of one part of operator `op`, of the largest where parts differ. Times saturate at
 * ORR_TIME_MAX. Errors, with the operator's place: nothing was measured for its split, and there is
 * no roofline. O(dims + log measures). */
enum orr_status orr_model_part_time(const struct model_graph *graph, uint32_t op,
                                    const uint32_t *degree, const struct model_speed *speed,
                                    uint64_t samples, struct model_times *out,
                                    struct orr_diag *diag);

#endif
