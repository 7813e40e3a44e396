/* What a sweep tells people: the points, how far it is, the best of them. */
#ifndef ORR_CLI_STUDIES_SWEEP_REPORT_H
#define ORR_CLI_STUDIES_SWEEP_REPORT_H

#include "cli/progress.h"
#include "study/study.h"

/* ---- while it runs, on standard error ---- */

struct orr_sweep_meter {
    enum orr_progress when;
    bool over_write; /* a terminal: the line is written over */
    bool shown;      /* a line stands there */
    uint32_t first;  /* points that were done before */
    unsigned said;   /* failures that were told */
    double begin_s, shown_s;
};

void orr_sweep_meter_begin(struct orr_sweep_meter *meter, enum orr_progress when,
                           const struct orr_sweep_store *store);

/* One more point is done. */
void orr_sweep_meter_step(struct orr_sweep_meter *meter, const struct orr_sweep_store *store,
                          const struct orr_sweep_result *result);

void orr_sweep_meter_end(struct orr_sweep_meter *meter, const struct orr_sweep_store *store);

/* ---- before and after ---- */

/* All points as CSV: their numbers and values. */
void orr_sweep_list(FILE *out, const struct orr_sweep *sweep);

/* The `top` best points by the goal, and the points that no other one beats in both time and cost.
 * False when memory is out. */
bool orr_sweep_report(FILE *out, const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                      uint32_t top);

#endif
