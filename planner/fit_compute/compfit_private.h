/* Shared by the files of planner/fit_compute/. */
#ifndef ORR_PLANNER_FIT_COMPUTE_COMPFIT_PRIVATE_H
#define ORR_PLANNER_FIT_COMPUTE_COMPFIT_PRIVATE_H

#include "planner/fit_compute/fit_compute.h"
#include "planner/fit_report/fit_report.h"
#include "study/measured/measured.h"

struct fit_problem;
struct fit_result;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orrery;

/* Significant digits of values: in written files, and in runs (exact). */
enum { COMPFIT_DIGITS = 6, COMPFIT_ALL_DIGITS = 17 };

/* ---- rows (compfit_read.c, compfit_select.c) ---- */

enum orr_status orr_compfit_read(struct orr_arena *arena, struct compfit *fit,
                                 struct orr_diag *diag);
enum orr_status orr_compfit_select(struct orr_arena *arena, struct compfit *fit,
                                   struct orr_diag *diag);

static inline struct orr_location orr_compfit_location(const struct compfit *fit,
                                                       const struct compfit_row *row)
{
    return orr_location_text(fit->file[row->file].path, row->line, row->column);
}

/* The index of a column by its name; SIZE_MAX: none. */
size_t orr_compfit_find_column(const struct compfit *fit, const char *name);

/* ---- parameters (compfit_params.c, compfit_key_param.c, compfit_efficiency.c) ---- */

enum orr_status orr_compfit_params(struct orr_arena *arena, struct compfit *fit,
                                   struct orr_diag *diag);

/* Makes a parameter of any key of a number, with prior and bounds. Errors, with locations: an
 * unknown key, one without a number above 0. */
enum orr_status orr_compfit_read_key_param(struct orr_arena *arena, const struct compfit *fit,
                                           const char *path, struct compfit_param *out,
                                           struct orr_diag *diag);

/* The node at a path of a tree, such as "network.dims[1].bandwidth"; NULL: none. */
const struct orr_conf *orr_compfit_find_key(const struct orr_conf *root, const char *path);

/* Reads compute.efficiency (node may be NULL). Errors, with locations: those of loading it. */
enum orr_status orr_compfit_efficiency(struct orr_arena *arena, const struct orr_conf *node,
                                       struct compfit_efficiency *out, struct orr_diag *diag);

/* The value of the platform for a parameter of the efficiency; NULL: none. */
const struct orr_conf *orr_compfit_platform_value(const struct compfit_efficiency *efficiency,
                                                  enum compfit_kind kind);

/* Writes the entry of a kind, or of layers (kind ORR_OP_KINDS), with the values of the parameters,
 * as a mapping on one line. */
void orr_compfit_write_entry(FILE *out, const struct compfit *fit, unsigned kind,
                             const double *theta, int digits);
bool orr_compfit_has_entry(const struct compfit *fit, unsigned kind);

/* The value of a parameter at theta; if it is fixed, exactly its prior. */
double orr_compfit_value(const struct compfit_param *param, double theta);

/* ---- the search (compfit_surrogate.c) ---- */

/* Like orr_fit_solve, for a model with a Jacobian whose residuals are of job times; needs few
 * evaluations of it. Starts at problem->from or the means, whatever the number of starts. */
enum orr_status orr_compfit_search_surrogate(struct orr_arena *arena,
                                             const struct fit_problem *problem,
                                             struct fit_result *out, struct orr_diag *diag);

/* The sigma that priors of a hundredth of the weight would leave, by the surrogate at the end of a
 * search: whether priors keep the model from the rows. Evaluates the model there once. */
enum orr_status orr_compfit_sigma_surrogate(struct orr_arena *arena,
                                            const struct fit_problem *problem,
                                            const struct fit_result *there, double *sigma,
                                            struct orr_diag *diag);

/* ---- runs (compfit_run.c, compfit_rows.c, compfit_jacobian.c) ---- */

/* Values that are set in all rows of an evaluation, as texts of the heap. */
struct compfit_setting {
    char **set; /* [sets] */
    size_t sets;
};
enum orr_status orr_compfit_setting(const struct compfit *fit, const double *theta, int digits,
                                    struct compfit_setting *out, struct orr_diag *diag);
void orr_compfit_setting_free(struct compfit_setting *setting);

/* A run of a row. */
struct compfit_run {
    const struct compfit *fit;
    const struct compfit_row *row;
    const struct compfit_setting *setting; /* NULL: the platform unchanged */
    bool jacobian;                         /* sensitivities are computed too */
    double time_s;                         /* of a training step; 0: the row cannot run */
    double *sensitivity; /* [params] d log(time) / d theta, of parameters that have one; with
                            `jacobian` */
    bool no_memory;
    char error[ORR_DIAG_MESSAGE_BYTES];     /* why it cannot run; "" if it can */
    char other_gpu[ORR_DIAG_MESSAGE_BYTES]; /* warning that the efficiency was fitted on another
                                               GPU; else "" */
};
void orr_compfit_run(struct compfit_run *run);

/* Runs run[count] in threads. */
void orr_compfit_run_all(struct compfit_run *run, size_t count);

/* Whether one run gives the sensitivity to a parameter, so that no finite difference is needed. */
bool orr_compfit_has_sensitivity(const struct compfit_param *param);

/* Reads the sensitivities of a job that has run, into sensitivity[params]; 0 for parameters that
 * have none. */
void orr_compfit_read_sensitivities(const struct compfit *fit, const struct orrery *job,
                                    double *sensitivity);

/* Residuals and Jacobian of the rows of a list at theta: log(model / measured), and d residual / d
 * theta [rows x params]. jacobian NULL: residuals only. */
struct compfit_rows {
    const size_t *row; /* [count] */
    size_t count;
};
enum orr_status orr_compfit_jacobian(const struct compfit *fit, const struct compfit_rows *rows,
                                     const double *theta, double *residual, double *jacobian,
                                     struct orr_diag *diag);

/* Runs all rows at theta (with keep: unchanged). Rows that cannot run are an error, or are moved to
 * fit->refused. (compfit_rows.c) */
enum orr_status orr_compfit_first_run(struct compfit *fit, struct orr_arena *arena,
                                      const double *theta, struct orr_diag *diag);

/* Model times of all rows with the values as they are written. */
enum orr_status orr_compfit_last_run(struct compfit *fit, struct orr_diag *diag);

/* ---- advice, warnings and notes (compfit_advise.c) ---- */

/* What to measure so that a parameter is identified. */
const char *orr_compfit_advice(const struct compfit *fit, size_t param);

enum orr_status orr_compfit_add_notes(struct compfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag);

/* ---- errors (compfit_errors.c) ---- */

/* Fills rows and errors; requires all model times. */
enum orr_status orr_compfit_errors(struct compfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag);

struct fit_report orr_compfit_report(const struct compfit *fit);

#endif
