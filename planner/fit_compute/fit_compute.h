/* Fits how fast a platform computes (compute.efficiency) to measured times of training iterations:
 * the shares of the peak and the constant with which runs of generated workloads are nearest to
 * them (docs/models.md, section 18).
 *
 *     orr_compfit_load -> orr_compfit_solve -> rows of report/results/fit_results.h,
 *                                              orr_compfit_text, _json, _svg, _platform, _compute
 *
 * PARAMETERS are logarithms, each with a prior. Its mean is the platform's own value, else a
 * default:
 *
 *     parameter                                                  default    standard deviation
 *     gemm.points: share of the peak for matrix products         0.75       0.15
 *     gemm.constant: time added to each                          100 us     0.7
 *     attention.points: share of the peak for attention          0.4        0.5
 *     elementwise.bandwidth: share of the memory bandwidth       0.5        0.5
 *     any other key of a number                                  none       0.3
 *
 * Memory operations follow elementwise ones. If the platform has a curve of several points, the
 * parameter is a factor of all of them. Bounds: shares from 0.05 to 1, network bandwidths up to the
 * platform's, other values three standard deviations.
 *
 * A parameter is unidentified if rows do not halve its standard deviation, and push it neither to a
 * bound nor two standard deviations away from its prior. The least identified one is fixed at its
 * prior, and the others are fitted again, until all are identified. If rows are met within 1 %,
 * priors weigh less, so that a model's own times give its parameters back. Rows run in threads; the
 * result does not depend on their number. */
#ifndef ORR_PLANNER_FIT_COMPUTE_FIT_COMPUTE_H
#define ORR_PLANNER_FIT_COMPUTE_FIT_COMPUTE_H

#include <stdio.h>

#include "orrery/parts.h"
#include "planner/fit/fit_stats.h"
#include "planner/fit/least_squares.h"
#include "report/results/fit_results.h"
#include "study/measured/holdout.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_measured_file;
struct orr_measured_source;
struct orrery_platform;
struct orrery_workload;

struct compfit_input {
    /* Configurations with values set; all must outlive the fit. The parts are made of the trees. */
    const struct orr_conf *platform, *workload;
    struct orrery_platform *platform_part;
    struct orrery_workload *workload_part;
    const char *platform_name, *workload_name; /* for people */
    const struct orr_measured_source *source;  /* [sources] CSV */
    size_t sources;
    const char *holdout; /* every:N (of all rows), column:NAME>VALUE, or NULL */
    const char *const *fit,
        *const *fix; /* [fits] further parameters; [fixes] parameters that keep their priors */
    size_t fits, fixes;
    bool keep;         /* nothing is fitted: all rows test the platform as it is */
    bool skip_refused; /* rows that cannot run are left out; else they are an error */
};

/* A measured iteration. */
struct compfit_row {
    const char *name;        /* of the column name, else the values set */
    double time_s;           /* of a training step */
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
    COMPFIT_EFFICIENCY_PARAMS, /* number of parameters of compute.efficiency */
    COMPFIT_KEY = COMPFIT_EFFICIENCY_PARAMS
};

/* A parameter; its logarithm is fitted. */
struct compfit_param {
    enum compfit_kind kind;
    const char *name, *unit; /* unit of the value; "" for shares and factors */
    double prior, std_dev, low, high;
    bool curve;         /* a factor of a curve's points */
    bool from_platform; /* the prior is a value of the platform */
    bool fixed;         /* stays at its prior */
    bool unidentified;  /* fixed because rows do not identify it */
    bool of_workload;   /* of kind COMPFIT_KEY: a key of the workload */
};

/* compute.efficiency as the platform has it. */
struct compfit_efficiency {
    const struct orr_conf *entry[ORR_OP_KINDS]; /* of the kind, else the default; NULL: none, or
                                                 that of the kind which stands for it */
    const struct orr_conf *layers;              /* entry of scope layer; NULL: none */
    const struct orr_conf *share;               /* one number for all kinds; NULL: none */
    bool has_operator_default;                  /* there is a default entry of scope operator */
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
    /* results */
    double *theta; /* [params] */
    struct fit_result fit;
    struct orr_fit_head_row head;
    struct orr_fit_iteration_row *iteration; /* [rows] */
    struct orr_fit_error_row error[2];       /* fitted, held out; each only if it has rows */
    size_t errors;
    struct orr_fit_parameter_row *parameter; /* [params] */
    const char *other_gpu; /* warning: the efficiency was fitted on another GPU; NULL: none */
    const char **warning;  /* [warnings] */
    const char **note;     /* [notes] */
    size_t warnings, notes;
};

/* Reads the measurements, and the priors of the platform. Everything is in the arena. Errors, with
 * locations: a column that is no key, no column time_s, an invalid time, no rows; a platform
 * without compute.peak; a parameter that is not the key of a number; an invalid rule of holding
 * out. */
enum orr_status orr_compfit_load(struct orr_arena *arena, const struct compfit_input *input,
                                 struct compfit *out, struct orr_diag *diag);

/* Runs the rows, and fits. Warnings go to `warning` only. Errors: rows that cannot run, unless they
 * are skipped; memory. O(steps x rows) runs. */
enum orr_status orr_compfit_solve(struct orr_arena *arena, struct compfit *fit,
                                  struct orr_diag *diag);

/* ---- reports; the context is a struct compfit ---- */

int orr_compfit_text(FILE *out, const void *context);
int orr_compfit_json(FILE *out, const void *context);
/* Measured against modelled times, as a plot. */
int orr_compfit_svg(FILE *out, const void *context);
/* The platform with the fitted values, as YAML. */
int orr_compfit_platform(FILE *out, const void *context);
/* Only its efficiency, as a file to include after a platform. */
int orr_compfit_compute(FILE *out, const void *context);

#endif
