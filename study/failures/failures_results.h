/* Result tables of a failure study. */
#ifndef ORR_STUDY_FAILURES_FAILURES_RESULTS_H
#define ORR_STUDY_FAILURES_FAILURES_RESULTS_H

#include "study/failures/failures.h"

/* A failure. Unknown times are 0. */
struct orr_failure_row {
    const char *link, *class, *recovery;
    bool disconnected;
    int64_t path_ps, detour_ps, share_ps, degraded_ps, repaired_ps;
    double slowdown;
    double lost_s; /* for one failure, until it is repaired; < 0: unknown */
};

/* A class of links, or all links. */
struct orr_failure_class_row {
    const char *class;
    uint32_t links, studied, disconnected;
    int64_t mean_ps; /* mean of those not disconnected */
    int64_t worst_ps;
    double slowdown;           /* mean of those not disconnected */
    double failures_per_month; /* for all its links */
    double lost_s;             /* per month */
};

extern const struct orr_result_table orr_failure_results, orr_failure_class_results;

struct orr_failure_row orr_failure_row(const struct orr_failures *failures, uint32_t index);
/* index == failures->classes: all links. */
struct orr_failure_class_row orr_failure_class_row(const struct orr_failures *failures,
                                                   uint32_t index);

#endif
