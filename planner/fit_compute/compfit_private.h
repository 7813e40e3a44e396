/* What the parts of a fit of compute share. */
#ifndef ORR_PLANNER_FIT_COMPUTE_COMPFIT_PRIVATE_H
#define ORR_PLANNER_FIT_COMPUTE_COMPFIT_PRIVATE_H

#include "planner/fit_compute/fit_compute.h"
#include "planner/fit_report/fit_report.h"

/* Of values that are written for people; runs have all. */
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

/* The texts of a column by its name; SIZE_MAX: there is none. */
size_t orr_compfit_find_column(const struct compfit *fit, const char *name);

/* ---- parameters (compfit_params.c, compfit_key_param.c, compfit_efficiency.c) ---- */

enum orr_status orr_compfit_params(struct orr_arena *arena, struct compfit *fit,
                                   struct orr_diag *diag);

/* A parameter that is any key of a number. */
enum orr_status orr_compfit_read_key_param(struct orr_arena *arena, const struct compfit *fit,
                                           const char *path, struct compfit_param *out,
                                           struct orr_diag *diag);

/* The value at a path of a tree, such as "network.dims[1].bandwidth"; NULL: there is none. */
const struct orr_conf *orr_compfit_find_key(const struct orr_conf *root, const char *path);

/* Reads compute.efficiency, which may be NULL. Errors, by place: what loading refuses. */
enum orr_status orr_compfit_efficiency(struct orr_arena *arena, const struct orr_conf *node,
                                       struct compfit_efficiency *out, struct orr_diag *diag);

/* What the platform says of one of the parameters of the efficiency; NULL: nothing. */
const struct orr_conf *orr_compfit_platform_value(const struct compfit_efficiency *efficiency,
                                                  enum compfit_kind kind);

/* Writes the entry of a kind, or of whole layers (ORR_OP_KINDS), with the parameters' values, as a
 * mapping on one line. */
void orr_compfit_write_entry(FILE *out, const struct compfit *fit, unsigned kind,
                             const double *theta, int digits);
bool orr_compfit_has_entry(const struct compfit *fit, unsigned kind);

/* The value of a parameter: its prior where it is fixed, digit by digit. */
double orr_compfit_value(const struct compfit_param *param, double theta);

/* ---- the search (compfit_surrogate.c) ---- */

/* As orr_fit_solve, for a model whose residuals are of job times and that has slopes; asks it a few
 * times only, and begins at problem->from or the means, whatever the number of starts. */
enum orr_status orr_compfit_search_surrogate(struct orr_arena *arena,
                                             const struct fit_problem *problem,
                                             struct fit_result *out, struct orr_diag *diag);

/* The sigma that priors of a hundredth would leave, as far as the runs where a search ended tell:
 * whether it is priors that hold rows off. No further run. */
enum orr_status orr_compfit_sigma_surrogate(struct orr_arena *arena,
                                            const struct fit_problem *problem,
                                            const struct fit_result *there, double *sigma,
                                            struct orr_diag *diag);

/* ---- runs (compfit_run.c, compfit_rows.c, compfit_jacobian.c) ---- */

/* What all rows of an evaluation have set: texts of the heap. */
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
    const struct compfit_setting *setting; /* NULL: the platform as it is */
    bool jacobian;                         /* are asked for */
    double time_s;                         /* of a step; 0: it cannot run */
    double
        *sensitivity; /* [params] d log(time) / d theta, of parameters with parts; with `slopes` */
    bool no_memory;
    char error[ORR_DIAG_MESSAGE_BYTES];     /* why it cannot */
    char other_gpu[ORR_DIAG_MESSAGE_BYTES]; /* than was fitted to: says so; else "" */
};
void orr_compfit_run(struct compfit_run *run);

/* Runs rows in threads: count of run[]. */
void orr_compfit_run_all(struct compfit_run *run, size_t count);

/* Whether a run tells how much of the time a parameter is of, so that no second one is needed. */
bool orr_compfit_has_sensitivity(const struct compfit_param *param);

/* Slopes of a job that has run and tells them, into slope [params]; 0 of parameters without a part.
 */
void orr_compfit_read_sensitivities(const struct compfit *fit, const struct orrery *job,
                                    double *sensitivity);

/* Residuals and slopes of the rows of a list at theta: log(model / measured), and d residual / d
 * theta [rows x params]. slopes NULL: without. */
struct compfit_rows {
    const size_t *row; /* [count] */
    size_t count;
};
enum orr_status orr_compfit_jacobian(const struct compfit *fit, const struct compfit_rows *rows,
                                     const double *theta, double *residual, double *jacobian,
                                     struct orr_diag *diag);

/* Runs all rows at theta (to keep: as they are), which tells which can run; the others are an
 * error, or moved to those that are refused. (compfit_rows.c) */
enum orr_status orr_compfit_first_run(struct compfit *fit, struct orr_arena *arena,
                                      const double *theta, struct orr_diag *diag);

/* Times of all rows with the values that are written. */
enum orr_status orr_compfit_last_run(struct compfit *fit, struct orr_diag *diag);

/* ---- what is said (compfit_advise.c) ---- */

/* What was to be measured for a parameter to be identified. */
const char *orr_compfit_advice(const struct compfit *fit, size_t param);

enum orr_status orr_compfit_add_notes(struct compfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag);

/* ---- errors (compfit_errors.c) ---- */

/* Fills in the rows and errors, all model times being there. */
enum orr_status orr_compfit_errors(struct compfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag);

struct fit_report orr_compfit_report(const struct compfit *fit);

#endif
