/* How fast a platform computes (compute.efficiency), fitted to measured times of training
 * iterations: the shares and the constant for which runs of generated workloads come nearest to
 * them (docs/models.md, section 18).
 *
 *     orr_compfit_load -> orr_compfit_solve -> rows of report/results/fit_results.h,
 *                                              orr_compfit_text, _json, _svg, _platform, _compute
 *
 * PARAMETERS are logarithms, each with a prior: the platform's own value, else what is usual: 0.75
 * of the peak for products (spread 0.15) and 100 us beside each (0.7), 0.4 of the peak for
 * attention (0.5), 0.5 of the memory bandwidth for elementwise operations (0.5), which memory
 * operations follow. Where the platform has a curve of several points, the parameter is a factor of
 * all of them. Any other key of a number may be fitted as well (0.3). Bounds: shares from 0.05 to
 * 1, no bandwidth of the network above the platform's, three spreads.
 *
 * What rows do not tell (its spread is not halved, and they push it neither to a bound nor two
 * spreads away) is fixed at its prior, the least told first, and the rest fitted again. Where rows
 * are met within 1 % priors weigh less, so that a model's own times give its parameters back. Rows
 * run in threads; nothing depends on their number. */
#ifndef ORR_PLANNER_FIT_COMPUTE_FIT_COMPUTE_H
#define ORR_PLANNER_FIT_COMPUTE_FIT_COMPUTE_H

#include <stdio.h>

#include "orrery/parts.h"
#include "planner/fit/fit_stats.h"
#include "planner/fit/least_squares.h"
#include "report/report.h"
#include "study/study.h"

struct compfit_input {
    /* With values set; all must outlive the fit. The trees are what the parts are made of. */
    const struct orr_conf *platform, *workload;
    struct orrery_platform *platform_part;
    struct orrery_workload *workload_part;
    const char *platform_name, *workload_name; /* for people */
    const struct orr_measured_source *source;  /* [sources] CSV */
    size_t sources;
    const char *holdout;                 /* every:N (of all rows), column:NAME>VALUE; NULL */
    const char *const *fit, *const *fix; /* [fits] further parameters, [fixes] those that stay */
    size_t fits, fixes;
    bool keep;         /* nothing is fitted: all rows test the platform as it is */
    bool skip_refused; /* rows that cannot run are left out, not an error */
};

/* A measured iteration. */
struct compfit_row {
    const char *name;        /* the column's, or what is set */
    double time_s;           /* of a step */
    const char *const *set;  /* [sets] "workload.parallel.tensor=8" */
    const char *const *text; /* [columns] of all files; "" where the file has no such column */
    size_t sets;
    uint32_t file, line, column;
    const char *refused; /* why it cannot run; NULL: it can */
    double model_s;
};

enum compfit_kind {
    COMPFIT_GEMM,
    COMPFIT_CONSTANT,
    COMPFIT_ATTENTION,
    COMPFIT_ELEMENTWISE,
    COMPFIT_EFFICIENCY_PARAMS, /* how many of compute.efficiency there are */
    COMPFIT_KEY = COMPFIT_EFFICIENCY_PARAMS
};

/* A parameter; its logarithm is fitted. */
struct compfit_param {
    enum compfit_kind kind;
    const char *name, *unit; /* the value's; "" of shares and factors */
    double prior, std_dev, low, high;
    bool curve;         /* a factor of a curve's points */
    bool from_platform; /* the prior is the platform's */
    bool fixed;         /* stays at its prior */
    bool unidentified;  /* ... since rows do not tell it */
    bool of_workload;   /* KEY */
};

/* compute.efficiency as the platform has it. */
struct compfit_efficiency {
    const struct orr_conf *entry[ORR_OP_KINDS]; /* of the kind, else the default's; NULL: none */
    const struct orr_conf *layers;              /* of whole layers; NULL: none */
    const struct orr_conf *share;               /* one number for all; NULL */
    bool has_operator_default;                  /* there is one of operators */
};

struct compfit {
    struct compfit_input input;
    const char *const *column; /* [columns] of all files */
    size_t columns;
    struct orr_measured_file *file; /* [files] */
    size_t files;
    struct compfit_row *row; /* [rows] that can run */
    size_t rows;
    struct compfit_row *refused; /* [refusals] */
    size_t refusals;
    struct orr_measured_split split;
    struct compfit_efficiency efficiency;
    struct compfit_param *param; /* [params] */
    size_t params;
    /* what came out */
    double *theta; /* [params] */
    struct fit_result fit;
    struct orr_fit_head_row head;
    struct orr_fit_iteration_row *iteration; /* [rows] */
    struct orr_fit_error_row error[2];       /* fitted, held out, as far as there are */
    size_t errors;
    struct orr_fit_parameter_row *parameter; /* [params] */
    const char *other_gpu;                   /* than the efficiency was fitted to; NULL: none */
    const char **warning;                    /* [warnings] */
    const char **note;                       /* [notes] */
    size_t warnings, notes;
};

/* Reads the measurements, and what the platform says of parameters. Everything is the arena's.
 * Errors, by place: a column that is no key, no column time_s, a time that is none, no rows; a
 * platform without compute.peak, a parameter that is no key of a number; a rule of holding out. */
enum orr_status orr_compfit_load(struct orr_arena *arena, const struct compfit_input *input,
                                 struct compfit *out, struct orr_diag *diag);

/* Runs the rows, and fits. Warnings go to `warning` only. Errors: rows that cannot run, unless they
 * are skipped; memory. O(steps x rows) runs. */
enum orr_status orr_compfit_solve(struct orr_arena *arena, struct compfit *fit,
                                  struct orr_diag *diag);

/* ---- what is told of it; the context is a struct compfit ---- */

int orr_compfit_text(FILE *out, const void *context);
int orr_compfit_json(FILE *out, const void *context);
/* Measured times against the model's. */
int orr_compfit_svg(FILE *out, const void *context);
/* The platform with what was fitted, as YAML. */
int orr_compfit_platform(FILE *out, const void *context);
/* Only its efficiency, as a file to include beside a platform. */
int orr_compfit_compute(FILE *out, const void *context);

#endif
