/* Progress bar of a sweep, on standard error. */
#ifndef ORR_CLI_STUDIES_SWEEP_PROGRESS_BAR_H
#define ORR_CLI_STUDIES_SWEEP_PROGRESS_BAR_H

#include "cli/progress.h"

struct orr_sweep_result;
struct orr_sweep_store;

struct orr_sweep_progress_bar {
    enum orr_progress when;
    bool is_terminal;  /* standard error is a terminal: the line is overwritten */
    bool shown;        /* a line is displayed */
    uint32_t first;    /* points done before the start */
    unsigned reported; /* failures that were printed */
    double begin_s, shown_s;
};

void orr_sweep_progress_bar_begin(struct orr_sweep_progress_bar *meter, enum orr_progress when,
                                  const struct orr_sweep_store *store);

/* Reports one more finished point. */
void orr_sweep_progress_bar_step(struct orr_sweep_progress_bar *meter,
                                 const struct orr_sweep_store *store,
                                 const struct orr_sweep_result *result);

void orr_sweep_progress_bar_end(struct orr_sweep_progress_bar *meter,
                                const struct orr_sweep_store *store);

#endif
