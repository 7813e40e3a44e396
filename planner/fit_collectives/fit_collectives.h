/* Fits the cost model of a platform's collective library (system.library) to measured times of
 * collectives: its launch and its scales (docs/models.md, section 18).
 *
 *     orr_collfit_load -> orr_collfit_solve -> rows of report/results/fit_results.h,
 *                                              orr_collfit_text, _json, _svg, _platform
 *
 * PARAMETERS are logarithms, each with a prior. Its mean is the platform's own value, else the
 * library's constant (a scale of 1, a launch of 8 us). Standard deviations:
 *
 *     inner bandwidth                                         0.15
 *     outer bandwidth, all-to-all bandwidth                   0.3
 *     tree, NVLS and LL128 bandwidth                          0.5
 *     LL bandwidth, all latencies                             0.7
 *     launch                                                  1.2
 *
 * Bounds: three standard deviations, and no bandwidth above the data sheet's. A parameter that no
 * fitted row uses keeps its prior. If no fitted row is below 1 MiB, all latencies but the launch
 * keep theirs too, because larger rows do not determine them.
 *
 * If switches may reduce all-reduces of several nodes (NVLS tree), the fit is done with and without
 * that, and the one with less cost is taken. If rows are met within 1 % (by a model's own times),
 * priors weigh less in proportion, so that the parameters that made them come back. Nothing depends
 * on time: the same rows give the same result, bit by bit. */
#ifndef ORR_PLANNER_FIT_COLLECTIVES_FIT_COLLECTIVES_H
#define ORR_PLANNER_FIT_COLLECTIVES_FIT_COLLECTIVES_H

#include <stdio.h>

#include "network/net_config.h"
#include "planner/fit/fit_stats.h"
#include "planner/fit/least_squares.h"
#include "report/results/fit_results.h"
#include "study/measured/measured.h"
#include "system/ccl/ccl.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* The launch, then the scales in the order of enum sys_ccl_scale. */
enum { COLLFIT_LAUNCH, COLLFIT_SCALES, COLLFIT_PARAMS = COLLFIT_SCALES + SYS_CCL_SCALES };

struct collfit_input {
    const struct orr_conf *root; /* the platform's tree; it must outlive the fit */
    const char *platform;        /* its name in messages */
    struct orr_measured_inputs data;
    const char *holdout; /* rule of orr_measured_select */
    bool keep; /* nothing is fitted: all rows are held out, and test the platform as it is */
};

struct collfit {
    /* input */
    struct collfit_input input;
    struct net_config network;
    const struct sys_ccl *platform_library; /* the library before the fit */
    struct orr_measured measured;
    struct orr_measured_split split;
    struct sys_ccl_shape *shape; /* [rows] groups of the rows; equal groups have equal shapes */
    /* results */
    struct sys_ccl library; /* launch_ps is the launch, rounded */
    struct orr_fit_head_row head;
    struct orr_fit_time_row *row; /* [measured.rows] */
    struct orr_fit_error_row *error;
    size_t errors; /* first those over all rows: fitted, then held out if there are any */
    struct orr_fit_parameter_row parameter[COLLFIT_PARAMS];
    const char **warning; /* [warnings] that a reader must know */
    size_t warnings;
    const char **note; /* [notes] on rows left out, and on parameters that are kept */
    size_t notes;
    struct fit_result fit; /* of the parameters */
};

/* Reads the platform and the measurements. Everything is in the arena. Warnings: those of the
 * reader of measurements. Errors, with locations: a platform without a library, or with a graph as
 * network; invalid sections network and system; invalid measurements; a row of more NPUs than the
 * platform has. O(rows). */
enum orr_status orr_collfit_load(struct orr_arena *arena, const struct collfit_input *input,
                                 struct collfit *out, struct orr_diag *diag);

/* Fits, and fills the results. Warnings go to `warning` only. Errors: memory. O(starts x steps x
 * rows x parameters). */
enum orr_status orr_collfit_solve(struct orr_arena *arena, struct collfit *fit,
                                  struct orr_diag *diag);

/* The time of a row by a library, as nccl-tests measure it: launch, latency and transfer, in us. */
double orr_collfit_time_us(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                           const struct orr_measured_row *row);

/* ---- reports; the context is a struct collfit: writers for struct orr_output ---- */

int orr_collfit_text(FILE *out, const void *context);
int orr_collfit_json(FILE *out, const void *context);
/* Measured and modelled times over size, a plot for each collective. */
int orr_collfit_svg(FILE *out, const void *context);
/* The platform with its fitted library, as YAML. */
int orr_collfit_platform(FILE *out, const void *context);

#endif
