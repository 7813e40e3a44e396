/* The result of planning by SiP-ML: the search, the best strategy, its circuits and its runs
 * (sipml_solve.c). */
#ifndef ORR_SIPML_PLAN_SIPML_RESULT_H
#define ORR_SIPML_PLAN_SIPML_RESULT_H

#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_run.h"
#include "planner/plan_network.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/plan/sipml_map.h"
#include "sipml/search/sipml_check.h"
#include "sipml/search/sipml_search.h"

enum { SIPML_NO_POINT = -1 };

/* Estimates that are further off than this do not decide what is simulated. */
#define SIPML_TRUSTED 0.15

struct sipml_result {
    struct plan_job job; /* with the batch of the best point */
    struct sipml_search_input searched;
    struct sipml_search_result found;
    struct plan_network on;
    int32_t best, baseline; /* points: the plan; the best of data parallelism, or SIPML_NO_POINT */
    struct sipml_placement placed;  /* of the best point, */
    struct sipml_traffic traffic;   /* its traffic, */
    struct sipml_peers peers;       /* and its peers */
    bool on_circuits;               /* the network sets circuits by demands: */
    struct sipml_circuits circuits; /* those of the best point, set once for its bytes, */
    struct sipml_map map;           /* and their switches or wavelengths */
    bool simulated;
    double estimate_error; /* of the simulated points, the largest: 0.2 is 20 % off */
    uint32_t added;        /* points that were simulated because of that */
    bool stopped;          /* by the stop flag: the best so far */
};

static inline const struct sipml_point *sipml_best(const struct sipml_result *result)
{
    return &result->found.point[result->best];
}

/* The best point of data parallelism. NULL: it does not fit, or has no batch. */
static inline const struct sipml_point *sipml_baseline(const struct sipml_result *result)
{
    return result->baseline != SIPML_NO_POINT ? &result->found.point[result->baseline] : NULL;
}

/* Searches, and simulates the best points, data parallelism and the best of each k that is near by
 * its estimate, and all placements of those near the best of them, folded (unless stopped, or
 * options->no_run). Where estimates turn out to be off
 * by more than SIPML_TRUSTED, points that could still be the best are simulated, too. The result is
 * in the arena; `job`, of this kind, must outlive it. Errors: those of orr_sipml_search
 * and of runs. */
enum orr_status orr_sipml_solve(struct orr_arena *arena, const struct plan_job *job,
                                const struct plan_options *options, struct sipml_result *out,
                                struct orr_diag *diag);

#endif
