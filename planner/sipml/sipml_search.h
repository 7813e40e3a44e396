/* The search over (k, l, batch): every way to divide N devices into l groups of k, at every batch,
 * is placed and estimated (SiP-ML, SIGCOMM'21, section 3.2: "we search over k and l"; section 4.1
 * for batches). What is wanted is the least time to accuracy, iteration x steps. docs/models.md,
 * section 15. */
#ifndef ORR_PLANNER_SIPML_SIPML_SEARCH_H
#define ORR_PLANNER_SIPML_SIPML_SEARCH_H

#include <signal.h>

#include "planner/sipml/sipml_circuits.h"
#include "planner/sipml/sipml_estimate.h"
#include "planner/sipml/sipml_place.h"
#include "planner/sipml/sipml_steps.h"

/* What is searched. All of it must outlive the call. */
struct sipml_search_input {
    struct sipml_problem problem; /* its copies do not count, nor its model's batch */
    /* On a graph that awaits demands every point is estimated on its own circuits, with each of
     * the weights: the least time counts. */
    struct sipml_network network;
    const double *weight; /* [weights] of bytes inside of a group; of such a graph */
    uint32_t weights;
    const uint32_t *group; /* [groups] k, rising; each divides the devices */
    uint32_t groups;
    const uint64_t *batch; /* [batches] rising */
    uint32_t batches;
    struct sipml_steps steps; /* that reach every batch */
    unsigned threads; /* 0: one for each processor; the answer is the same with any number */
    const volatile sig_atomic_t *stop; /* not 0: what is not begun is left out; or NULL */
};

enum sipml_outcome {
    SIPML_FITS,
    SIPML_LARGE,   /* than a device's memory */
    SIPML_SAMPLES, /* fewer samples than groups */
    SIPML_UNEVEN,  /* groups do not divide the batch */
    SIPML_STOPPED, /* before it was estimated */
    SIPML_REFUSED, /* such as for splits of which nothing tells a time; point.why */
    SIPML_OUTCOMES
};
const char *orr_sipml_outcome_name(enum sipml_outcome outcome);

/* One (k, l, batch). */
struct sipml_point {
    uint32_t group, copies;
    uint64_t batch;
    bool compared; /* data parallelism that was not asked for: never the answer */
    enum sipml_outcome outcome;
    const char *why;                               /* of SIPML_REFUSED */
    uint32_t parts, repairs, rounds, devices_used; /* as of struct sipml_placement, */
    uint64_t edges, split_bytes;                   /*   of those that were placed */
    bool fell_back, compact;
    uint64_t memory_bytes, missing_bytes; /* of the fullest device */
    struct sipml_estimate estimate;       /* with SIPML_FITS, */
    double weight; /* of bytes inside of a group, on a graph that awaits demands: that with the
                      least estimate, then the fastest of the run */
    double steps;
    sim_time simulated_ps; /* 0: it was not run */
};

/* Whether there are bytes inside of a group, and between groups, to weigh. */
static inline bool sipml_has_weight(const struct sipml_point *point)
{
    return point->group > 1 && point->copies > 1;
}

/* Seconds until the accuracy is reached, or of a sample where no steps are known: simulated where
 * it was run. INFINITY: it was not estimated. */
double orr_sipml_accuracy_s(const struct sipml_point *point);
double orr_sipml_estimated_s(const struct sipml_point *point);

struct sipml_search_result {
    struct sipml_point *point; /* [points] by k, then by batch */
    uint32_t points;
    uint32_t *order; /* [points] by rising estimate of what fits, the others behind */
};

/* Places and estimates all. Data parallelism is among the points, also where it was not asked for.
 * The found is the arena's. Errors: those of orr_sipml_place and orr_sipml_estimate, where they
 * leave no point; none fits the memory, or no batch has enough samples, with the nearest and what
 * is missing. */
enum orr_status orr_sipml_search(struct orr_arena *arena, const struct sipml_search_input *searched,
                                 struct sipml_search_result *out, struct orr_diag *diag);

/* The strategy of a point again, in the arena. `model` is the searched one with the point's batch,
 * and must outlive it. */
enum orr_status orr_sipml_place_point(struct orr_arena *arena,
                                      const struct sipml_search_input *searched,
                                      const struct sipml_point *point, struct model_graph *model,
                                      struct sipml_placement *out, struct orr_diag *diag);

#endif
