/* Exhaustive search over (k, l, batch): every division of N devices into l groups of k, at every
 * batch, is placed and estimated (SiP-ML, SIGCOMM'21, section 3.2: "we search over k and l";
 * section 4.1 for batches). The objective is the time to accuracy, iteration x steps.
 * docs/models.md, section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_SEARCH_H
#define ORR_SIPML_SEARCH_SIPML_SEARCH_H

#include <signal.h>

#include "sipml/search/sipml_circuits.h"
#include "sipml/search/sipml_estimate.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_steps.h"

/* The input. All of it must outlive the call. */
struct sipml_search_input {
    struct sipml_problem problem; /* its copies and the batch of its model are ignored */
    /* On a graph that awaits demands every point is estimated on circuits of its own, with each of
     * the weights; the least time counts. */
    struct sipml_network network;
    const double *weight; /* [weights] factors of bytes inside of a group; only for such a graph */
    uint32_t weights;
    const uint32_t *group; /* [groups] k, rising; each divides the devices */
    uint32_t groups;
    const uint64_t *batch; /* [batches] rising */
    uint32_t batches;
    struct sipml_steps steps; /* known at every batch */
    unsigned threads;         /* 0: one for each processor; the result does not depend on it */
    const volatile sig_atomic_t *stop; /* not 0: points that have not begun are left out; or NULL */
};

enum sipml_outcome {
    SIPML_FITS,
    SIPML_LARGE,   /* larger than the memory of a device */
    SIPML_SAMPLES, /* fewer samples than groups */
    SIPML_UNEVEN,  /* groups do not divide the batch */
    SIPML_STOPPED, /* before it was estimated */
    SIPML_REFUSED, /* an error, such as splits without a time: point.why */
    SIPML_OUTCOMES
};
const char *orr_sipml_outcome_name(enum sipml_outcome outcome);

/* One placement of a point. */
struct sipml_try {
    bool fits;     /* else nothing below is set */
    bool repeated; /* the same as one before it */
    struct sipml_estimate estimate;
    double weight;         /* as in struct sipml_point */
    sim_time simulated_ps; /* 0: not simulated */
};

/* A point: one (k, l, batch). */
struct sipml_point {
    uint32_t group, copies;
    uint64_t batch;
    bool compared; /* data parallelism added for comparison: never the result */
    enum sipml_outcome outcome;
    const char *why;                               /* of SIPML_REFUSED */
    uint32_t parts, repairs, rounds, devices_used; /* as in struct sipml_placement, */
    uint64_t edges, split_bytes;                   /* of points that were placed */
    bool fell_back, compact;
    uint64_t memory_bytes, missing_bytes; /* of the fullest device */
    enum sipml_order order; /* of the parts: that with the least estimate, after runs the fastest */
    struct sipml_try tried[SIPML_ORDERS]; /* all orders */
    struct sipml_estimate estimate;       /* of `order`; valid with SIPML_FITS */
    double weight; /* factor of bytes inside of a group, on a graph that awaits demands: that with
                      the least estimate, after a run that with the least time */
    double steps;
    sim_time simulated_ps; /* 0: not simulated */
};

/* Whether there are bytes both inside of a group and between groups, so that a weight matters. */
static inline bool sipml_has_weight(const struct sipml_point *point)
{
    return point->group > 1 && point->copies > 1;
}

/* Seconds to accuracy, or of a sample if no steps are known; simulated if the point was run.
 * INFINITY: not estimated. */
double orr_sipml_accuracy_s(const struct sipml_point *point);
double orr_sipml_estimated_s(const struct sipml_point *point);

struct sipml_search_result {
    struct sipml_point *point; /* [points] sorted by k, then by batch */
    uint32_t points;
    /* [points] sorted by the least estimate, and by that of SIPML_FREE_FIRST; points that do not
     * fit come last. */
    uint32_t *order, *order_free_first;
};

/* Places all points by every order of parts and estimates them, data parallelism always among them.
 * The result is in the arena. Errors: those of orr_sipml_place and orr_sipml_estimate, if they
 * leave no point; no point fits the memory or has enough samples per batch, with the nearest point
 * and the missing amount. */
enum orr_status orr_sipml_search(struct orr_arena *arena, const struct sipml_search_input *searched,
                                 struct sipml_search_result *out, struct orr_diag *diag);

/* Places a point again by its order, in the arena. `model` becomes the searched model with the
 * batch of the point, and must outlive the result. */
enum orr_status orr_sipml_place_point(struct orr_arena *arena,
                                      const struct sipml_search_input *searched,
                                      const struct sipml_point *point, struct model_graph *model,
                                      struct sipml_placement *out, struct orr_diag *diag);

#endif
