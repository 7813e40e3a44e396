/* A platform's library (system.library) fitted to measured times of collectives: the launch and the
 * scales of its cost model for which it is nearest to them (docs/models.md, section 18).
 *
 *     orr_collfit_load -> orr_collfit_solve -> rows of report/results/fit_results.h,
 *                                              orr_collfit_text, _json, _svg, _platform
 *
 * PARAMETERS are logarithms, each with a prior: the platform's own value, else the library's
 * constant (a scale of 1, a launch of 8 us). Spreads: 1.2 of the launch, 0.15 of the inner
 * bandwidth, 0.3 of the outer and the all-to-alls', 0.5 of the trees', NVLS's and LL128's, 0.7 of
 * LL's bandwidth and of all latencies. Bounds: three spreads, and no bandwidth beyond the data
 * sheet's. What no fitted row has to do with stays at its prior; so do all latencies but the
 * launch where no fitted row is below 1 MiB, of which these are not told.
 *
 * Where all-reduces may be reduced in switches of several nodes (NVLS tree), both is tried, and
 * what costs less is taken. Where rows are met within 1 % (by a model's own times) priors weigh
 * less in proportion, so that these come back. Nothing depends on time: the same answer, bit by
 * bit. */
#ifndef ORR_PLANNER_FIT_COLLECTIVES_FIT_COLLECTIVES_H
#define ORR_PLANNER_FIT_COLLECTIVES_FIT_COLLECTIVES_H

#include <stdio.h>

#include "planner/fit/fit_stats.h"
#include "planner/fit/least_squares.h"
#include "report/report.h"
#include "study/study.h"

/* The launch, then the scales in the order of enum sys_ccl_scale. */
enum { COLLFIT_LAUNCH, COLLFIT_SCALES, COLLFIT_PARAMS = COLLFIT_SCALES + SYS_CCL_SCALES };

struct collfit_input {
    const struct orr_conf *root; /* the platform's tree; it must outlive the fit */
    const char *platform;        /* what it is called in messages */
    struct orr_measured_inputs data;
    const char *holdout; /* as of orr_measured_select */
    bool keep; /* nothing is fitted: all rows are held out, and test the platform as it is */
};

struct collfit {
    /* what is fitted */
    struct collfit_input input;
    struct net_config network;
    const struct sys_ccl *platform_library; /* the platform's own */
    struct orr_measured measured;
    struct orr_measured_split split;
    struct sys_ccl_shape *shape; /* [rows]: of the rows, those alike are the same */
    /* what came out */
    struct sys_ccl library; /* launch_ps is the launch, rounded */
    struct orr_fit_head_row head;
    struct orr_fit_time_row *row; /* [measured.rows] */
    struct orr_fit_error_row *error;
    size_t errors; /* all rows first: fitted, and held out where there are */
    struct orr_fit_parameter_row parameter[COLLFIT_PARAMS];
    const char **warning; /* [warnings]: what a reader must know */
    size_t warnings;
    const char **note; /* [notes]: what was left out or stayed as it was, and why */
    size_t notes;
    struct fit_result fit; /* of the parameters */
};

/* Reads the platform and the measurements. Everything is the arena's. Warnings: the reader's.
 * Errors, by place: a platform without a library, or that is a graph; what its sections network and
 * system refuse; what the reader refuses; a row of more NPUs than the platform has. O(rows). */
enum orr_status orr_collfit_load(struct orr_arena *arena, const struct collfit_input *input,
                                 struct collfit *out, struct orr_diag *diag);

/* Fits. Warnings go to `warning` only. Errors: memory. O(starts x steps x rows x parameters). */
enum orr_status orr_collfit_solve(struct orr_arena *arena, struct collfit *fit,
                                  struct orr_diag *diag);

/* The time of a row, as nccl-tests measure it, by a library: its launch, latency and bytes. us. */
double orr_collfit_time_us(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                           const struct orr_measured_row *row);

/* ---- what is told of it; the context is a struct collfit: writers for struct orr_output ---- */

int orr_collfit_text(FILE *out, const void *context);
int orr_collfit_json(FILE *out, const void *context);
/* Measured times and the model's by size, a picture for each collective. */
int orr_collfit_svg(FILE *out, const void *context);
/* The platform with its fitted library, as YAML. */
int orr_collfit_platform(FILE *out, const void *context);

#endif
