/* A study of goodput; its results and their forms. */
#ifndef ORR_STUDY_GOODPUT_GOODPUT_STUDY_H
#define ORR_STUDY_GOODPUT_GOODPUT_STUDY_H

#include <stdio.h>

#include "orrery/goodput.h"
#include "study/goodput/goodput_model.h"

struct orr_result_table;

enum { ORR_GOODPUT_INTERVALS = 7 };

struct orr_goodput_study {
    struct orrery_goodput given; /* with defaults filled in */
    /* results */
    struct orr_goodput_model model;
    double mtbf_s, young_s, daly_s;
    struct orr_goodput_shares closed, simulated; /* simulated: the mean of all runs */
    double first_order;
    double low, high; /* of simulated ETTR: nine of ten runs lie between */
    uint32_t runs;    /* that were simulated */
    double tokens_per_s, effective_tokens_per_s; /* 0: not known */
    double training_s;                           /* of all tokens; 0: not known */
    double dollars;                              /* of that, or of the span */
};

/* Errors: see orrery_goodput. */
enum orr_status orr_goodput_study_run(struct orr_goodput_study *study, struct orr_diag *diag);

/* ---- results ---- */

/* A row of "parts", of "intervals". */
struct orr_goodput_part_row {
    const char *part;
    double share, simulated, span_s;
};
struct orr_goodput_interval_row {
    double interval_s, ettr, first_order;
};

void orr_goodput_part_row(const struct orr_goodput_study *study, size_t index,
                          struct orr_goodput_part_row *row);
/* Intervals from an eighth to eight times the study's own, each twice the one before; those below
 * the checkpoint's time are as long as it. */
void orr_goodput_interval_row(const struct orr_goodput_study *study, size_t index,
                              struct orr_goodput_interval_row *row);

extern const struct orr_result_table orr_goodput_results; /* struct orr_goodput_study */
extern const struct orr_result_table orr_goodput_part_results;
extern const struct orr_result_table orr_goodput_interval_results;

/* ---- forms; the context is the study ---- */

int orr_goodput_text(FILE *out, const void *context);
int orr_goodput_json(FILE *out, const void *context);
int orr_goodput_csv(FILE *out, const void *context);

#endif
