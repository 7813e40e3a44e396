/* The parameters: those of compute.efficiency, and keys that --fit adds; priors and bounds. */
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/strings.h"
#include "core/time.h"
#include "planner/fit_compute/compfit_private.h"
#include "workload/trace/trace.h"

static const double min_share = 0.05, min_written = 0.001, bound_std_devs = 3;

static const struct {
    const char *name, *unit;
    double prior, std_dev;
} efficiency_param[COMPFIT_EFFICIENCY_PARAMS] = {
    [COMPFIT_GEMM] = {"compute.efficiency.gemm.points", "", 0.75, 0.15},
    [COMPFIT_CONSTANT] = {"compute.efficiency.gemm.constant", "us", 100, 0.7},
    [COMPFIT_ATTENTION] = {"compute.efficiency.attention.points", "", 0.4, 0.5},
    [COMPFIT_ELEMENTWISE] = {"compute.efficiency.elementwise.bandwidth", "", 0.5, 0.5}};

double orr_compfit_value(const struct compfit_param *param, double theta)
{
    return param->fixed ? param->prior : exp(theta);
}

/* ---- parameters of compute.efficiency ---- */

static void widen(const struct orr_conf *curve, double *min, double *max)
{
    for (size_t i = 0; curve != NULL && curve->kind == ORR_CONF_LIST && i < curve->count; i++) {
        double share = 1;
        (void)orr_conf_number(curve->item[i]->item[1], 0, 1, &share, NULL);
        *min = fmin(*min, share);
        *max = fmax(*max, share);
    }
}

/* Bounds of the factor of a curve: no point above 1, nor below the least value that can be written.
 */
static void bound_curve(const struct compfit *fit, const struct orr_conf *curve,
                        struct compfit_param *param)
{
    double min = 1, max = 0;
    widen(curve, &min, &max);
    if (param->kind == COMPFIT_ELEMENTWISE && fit->efficiency.entry[ORR_OP_MEMORY] != NULL) {
        widen(orr_conf_get(fit->efficiency.entry[ORR_OP_MEMORY], "bandwidth"), &min, &max);
    }
    param->curve = true;
    param->prior = 1;
    param->high = fmax(1 / max, 1);
    param->low = fmin(fmax(min_share / max, 1.001 * min_written / min), 1);
}

static enum orr_status read_efficiency_param(const struct compfit *fit, enum compfit_kind kind,
                                             struct compfit_param *out, struct orr_diag *diag)
{
    const struct orr_conf *from_platform = orr_compfit_platform_value(&fit->efficiency, kind);
    *out = (struct compfit_param){.kind = kind,
                                  .name = efficiency_param[kind].name,
                                  .unit = efficiency_param[kind].unit,
                                  .prior = efficiency_param[kind].prior,
                                  .std_dev = efficiency_param[kind].std_dev,
                                  .from_platform = from_platform != NULL};
    enum orr_status status = ORR_OK;
    if (from_platform != NULL && from_platform->kind == ORR_CONF_LIST) {
        bound_curve(fit, from_platform, out);
        return ORR_OK;
    }
    if (from_platform != NULL && kind == COMPFIT_CONSTANT) {
        sim_time ps = 0;
        status = orr_conf_time(from_platform, &ps, diag);
        out->prior = (double)ps / (double)ORR_PS_PER_US;
    } else if (from_platform != NULL) {
        status = orr_conf_number(from_platform, 0, 1, &out->prior, diag);
    }
    const double reach = exp(bound_std_devs * out->std_dev);
    const bool time = kind == COMPFIT_CONSTANT;
    out->low = time ? out->prior / reach : fmin(min_share, out->prior);
    out->high = time ? out->prior * reach : 1;
    out->fixed = !(out->prior > 0);
    return status;
}

/* ---- --fit and --fix ---- */

static size_t find(const struct compfit *fit, const char *name)
{
    for (size_t k = 0; k < fit->params; k++) {
        if (strcmp(fit->param[k].name, name) == 0) {
            return k;
        }
    }
    return SIZE_MAX;
}

static enum orr_status add_paths(struct orr_arena *arena, struct compfit *fit,
                                 struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < fit->input.fits && status == ORR_OK; i++) {
        if (find(fit, fit->input.fit[i]) == SIZE_MAX) {
            status = orr_compfit_read_key_param(arena, fit, fit->input.fit[i],
                                                &fit->param[fit->params], diag);
            fit->params += status == ORR_OK ? 1 : 0;
        }
    }
    return status;
}

static enum orr_status fix_paths(struct compfit *fit, struct orr_diag *diag)
{
    for (size_t i = 0; i < fit->input.fixes; i++) {
        const char *name = fit->input.fix[i];
        const size_t k = find(fit, name);
        const char *known[COMPFIT_EFFICIENCY_PARAMS];
        for (unsigned o = 0; o < COMPFIT_EFFICIENCY_PARAMS; o++) {
            known[o] = efficiency_param[o].name;
        }
        if (k == SIZE_MAX) {
            const char *near = orr_nearest_name(name, known, COMPFIT_EFFICIENCY_PARAMS);
            return orr_diag_fail(
                diag, ORR_ERR_INPUT, NULL,
                "--fix %s: expected a parameter of the fit: %s, %s, %s, %s, or one "
                "of --fit%s%s%s",
                name, known[0], known[1], known[2], known[3], near != NULL ? "; did you mean " : "",
                near != NULL ? near : "", near != NULL ? "?" : "");
        }
        fit->param[k].fixed = true;
    }
    return ORR_OK;
}

/* Whether two paths are equal, or one is an ancestor of the other. */
static bool overlap(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (*a == '\0' && strchr(".[", *b) != NULL) || (*b == '\0' && strchr(".[", *a) != NULL);
}

/* Fails if a column sets a fitted key. */
static enum orr_status check_columns(const struct compfit *fit, struct orr_diag *diag)
{
    for (size_t c = 0; c < fit->columns && !fit->input.keep; c++) {
        const char *column = fit->column[c];
        for (size_t k = 0; k < fit->params; k++) {
            const bool key = fit->param[k].kind == COMPFIT_KEY;
            const char *name = key ? fit->param[k].name : "compute.efficiency";
            if (column[0] != '#' && overlap(column, name)) {
                const struct orr_location location = orr_location_file(fit->file[0].path);
                return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                     "the column %s sets what is fitted: %s", column,
                                     fit->param[k].name);
            }
        }
    }
    return ORR_OK;
}

/* With keep: only the parameters that the platform has, all fixed. */
static void keep_platform_params(struct compfit *fit)
{
    size_t kept = 0;
    for (size_t k = 0; k < fit->params; k++) {
        if (fit->param[k].from_platform) {
            fit->param[kept] = fit->param[k];
            fit->param[kept++].fixed = true;
        }
    }
    fit->params = kept;
}

enum orr_status orr_compfit_params(struct orr_arena *arena, struct compfit *fit,
                                   struct orr_diag *diag)
{
    fit->param =
        orr_arena_array(arena, COMPFIT_EFFICIENCY_PARAMS + fit->input.fits, sizeof *fit->param);
    enum orr_status status =
        fit->param != NULL ? ORR_OK : orr_diag_no_memory(diag, "the parameters of a fit");
    for (unsigned kind = 0; kind < COMPFIT_EFFICIENCY_PARAMS && status == ORR_OK; kind++) {
        status =
            read_efficiency_param(fit, (enum compfit_kind)kind, &fit->param[fit->params++], diag);
    }
    if (status == ORR_OK) {
        status = add_paths(arena, fit, diag);
    }
    if (status == ORR_OK) {
        status = fix_paths(fit, diag);
    }
    if (status == ORR_OK) {
        status = check_columns(fit, diag);
    }
    if (status == ORR_OK && fit->input.keep) {
        keep_platform_params(fit);
    }
    return status;
}
