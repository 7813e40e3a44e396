/* The study of layouts; its results and their forms. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_STUDY_H
#define ORR_STUDY_LAYOUTS_LAYOUT_STUDY_H

#include <stdio.h>

#include "orrery/layouts.h"
#include "study/layouts/layout_estimates.h"
#include "study/layouts/layout_text.h"

struct orr_result_table;

/* A layout that was simulated. */
struct orr_best_layout {
    char layout[ORR_LAYOUT_BYTES];
    char why[ORR_LAYOUT_BYTES]; /* or why it could not be simulated */
    uint32_t tensor, context, expert, expert_tensor, pipeline, chunks, data, micro_batch, zero;
    const char *recompute;
    int64_t estimated_ps, simulated_ps;
    double error; /* of the estimate */
    uint64_t memory_bytes;
    double tokens_per_s;
    double days, cost; /* of all tokens of the training; 0: not known */
    enum orrery_status status;
};

struct orr_layout_study {
    struct orrery_layout_search given;
    uint32_t npus;
    uint64_t capacity_bytes;
    double tokens_of_step;
    struct orr_layout_estimates found;
    struct orr_best_layout *best; /* [count] */
    uint32_t count;
};

/* Errors: see orrery_search_layouts. orr_layout_study_free: what it holds, and itself. */
enum orr_status orr_layout_study_run(struct orr_layout_study *study, struct orr_diag *diag);
void orr_layout_study_free(void *study);

extern const struct orr_result_table orr_layout_results;      /* struct orr_layout_study */
extern const struct orr_result_table orr_best_layout_results; /* struct orr_best_layout */

/* Forms; the context is the study. */
int orr_layout_study_text(FILE *out, const void *context);
int orr_layout_study_json(FILE *out, const void *context);
int orr_layout_study_csv(FILE *out, const void *context);

#endif
