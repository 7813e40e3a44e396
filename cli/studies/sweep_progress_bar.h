/* How far a sweep is, on standard error. */
#ifndef ORR_CLI_STUDIES_SWEEP_PROGRESS_BAR_H
#define ORR_CLI_STUDIES_SWEEP_PROGRESS_BAR_H

#include "cli/progress.h"
#include "study/study.h"

struct orr_sweep_progress_bar {
    enum orr_progress when;
    bool is_terminal;  /* a terminal: the line is written over */
    bool shown;        /* a line stands there */
    uint32_t first;    /* points that were done before */
    unsigned reported; /* failures that were told */
    double begin_s, shown_s;
};

void orr_sweep_progress_bar_begin(struct orr_sweep_progress_bar *meter, enum orr_progress when,
                                  const struct orr_sweep_store *store);

/* One more point is done. */
void orr_sweep_progress_bar_step(struct orr_sweep_progress_bar *meter,
                                 const struct orr_sweep_store *store,
                                 const struct orr_sweep_result *result);

void orr_sweep_progress_bar_end(struct orr_sweep_progress_bar *meter,
                                const struct orr_sweep_store *store);

#endif
