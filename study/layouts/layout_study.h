/* The study of layouts; its results and their forms. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_STUDY_H
#define ORR_STUDY_LAYOUTS_LAYOUT_STUDY_H

#include <stdio.h>

#include "orrery/layouts.h"
#include "study/layouts/layout_cases.h"
#include "study/layouts/layout_kept.h"
#include "study/layouts/layout_text.h"

struct orr_result_table;

/* A layout: while all are estimated with its estimated time, in `best` with the simulated one. */
struct orr_best_layout {
    char layout[ORR_LAYOUT_BYTES];
    char why[ORR_LAYOUT_BYTES]; /* or why it could not be simulated */
    const char *of;             /* the name of its case; NULL: there are no axes */
    uint32_t number;            /* of its case */
    uint32_t kept;              /* its place among those kept */
    uint32_t npus, tensor, context, expert, expert_tensor, pipeline, chunks, data, replicas,
        micro_batch, zero;
    double batch, batch_tokens; /* samples and tokens of a step */
    const char *recompute, *context_exchange;
    double time_s; /* of the step */
    int64_t estimated_ps, simulated_ps;
    double error; /* of the estimate */
    uint64_t memory_bytes;
    double memory_left_bytes;                              /* NAN: no limit */
    double compute, recomputed, exchange, bubble, weights; /* shares of the estimated time */
    double tokens_per_s, model_flops_utilization;
    double days, gpu_hours, cost, kwh, energy_dollars; /* of all tokens; 0: not known */
    double dollars_per_million_tokens;
    double network_dollars, network_watts; /* NAN: not known */
    double rank;                           /* less is better */
    bool overlap, overlap_gather;          /* of gradients, of weights */
    bool on_front;
    bool within; /* the limits, as simulated */
    enum orrery_status status;
};

/* A limit, and what it costs. */
struct orr_layout_limit {
    const char *text;
    uint64_t excluded;             /* layouts that are beyond it */
    bool has;                      /* there is one that only this limit excludes: the best */
    struct orr_kept_layout kept;   /* it, ... */
    struct orr_best_layout layout; /* ... and as a row */
    double gain; /* how much better its rank is than the best's, both as estimated; <= 0: not */
};

struct orr_layout_study {
    struct orrery_layout_search given;
    struct orr_arena *arena;
    struct orr_layout_case *cases; /* [case_count] */
    uint32_t case_count;
    struct orr_layout_goals goals;
    struct orr_layout_limit *limit; /* [limits] memory, then those of `where` */
    unsigned limits;
    uint64_t estimates, too_large, refused;
    struct orr_best_layout *map; /* [cells] for each case and degrees, the best, as estimated */
    uint32_t cells;
    double seconds;               /* of processor time of all estimates */
    int64_t low_ps, high_ps;      /* 80 % interval of the best; 0: not known */
    struct orr_kept_layout *kept; /* [count] those that are simulated */
    struct orr_best_layout *best; /* [count] best first */
    uint32_t count;
};

/* Errors: see orrery_search_layouts. orr_layout_study_free: what it holds, and itself. */
enum orr_status orr_layout_study_run(struct orr_layout_study *study, struct orr_diag *diag);
void orr_layout_study_free(void *study);

/* Loads the job of a layout of `best`; a fitting one, with its capacity ignored. */
enum orrery_status orr_layout_load(const struct orr_layout_study *study,
                                   const struct orr_best_layout *layout, struct orrery *job);

/* Estimates the layouts of all cases: fills kept, count, the limits and the numbers. Errors: none
 * fits, or is within the limits. (layout_candidates.c) */
enum orr_status orr_layout_search(struct orr_layout_study *study, struct orr_diag *diag);

/* The numbers of a layout that takes so long, and with `texts` its words. (layout_row.c) */
void orr_layout_row(const struct orr_layout_study *study, const struct orr_kept_layout *kept,
                    double time_s, bool texts, struct orr_best_layout *out);

extern const struct orr_result_table orr_layout_results;       /* struct orr_layout_study */
extern const struct orr_result_table orr_best_layout_results;  /* struct orr_best_layout */
extern const struct orr_result_table orr_layout_case_results;  /* struct orr_layout_case */
extern const struct orr_result_table orr_layout_limit_results; /* struct orr_layout_limit */
extern const struct orr_result_table orr_layout_map_results;   /* struct orr_best_layout */

/* Forms; the context is the study. */
int orr_layout_study_text(FILE *out, const void *context);
int orr_layout_study_json(FILE *out, const void *context);
int orr_layout_study_csv(FILE *out, const void *context);

#endif
