/* Fitted efficiencies; see fitted.h. */
#include "workload/roofline/fitted.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"

#include <math.h>
#include <string.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* Tolerance for correlations that are written with a few digits. */
static const double rounding = 1e-3;

/* ---- parameters ---- */

struct parameter {
    const char *name;
    double spread;
};

static const struct orr_key parameter_keys[] = {
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct parameter, name),
     .required = true,
     .example = "name: compute.efficiency.gemm.points",
     .doc = "the key that was fitted, the entry of a kind by the kind's name"},
    {.name = "spread",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct parameter, spread),
     .low = 0,
     .high = 10,
     .required = true,
     .example = "spread: 0.02",
     .doc = "standard deviation of its logarithm after the fit"},
};

static const struct orr_key_table parameter_table = {"a fitted parameter", parameter_keys,
                                                     COUNT(parameter_keys), NULL};

/* ---- the section ---- */

struct section {
    const char *gpu, *taken_over_for, *stack, *source;
    int64_t rows;
    double error, sigma;
    struct orr_conf_list parameters;
    const struct orr_conf *correlation;
};

#define AT(member) offsetof(struct section, member)

static const struct orr_key keys[] = {
    {.name = "gpu",
     .type = ORR_KEY_TEXT,
     .offset = AT(gpu),
     .absent = "unknown",
     .output_if_given = true,
     .example = "gpu: A100",
     .doc = "the GPU that was measured; a platform with another one (compute.gpu) has a warning"},
    {.name = "taken_over_for",
     .type = ORR_KEY_TEXT,
     .offset = AT(taken_over_for),
     .absent = "none",
     .output_if_given = true,
     .example = "taken_over_for: H200",
     .doc = "a GPU that nothing was fitted to, for which the nearest fitted one's efficiency is "
            "used: no warning that the two differ"},
    {.name = "stack",
     .type = ORR_KEY_TEXT,
     .offset = AT(stack),
     .absent = "unknown",
     .output_if_given = true,
     .example = "stack: Megatron-LM 2021, fp16",
     .doc = "the software that ran on it, to which the numbers also apply"},
    {.name = "source",
     .type = ORR_KEY_TEXT,
     .offset = AT(source),
     .absent = "unknown",
     .output_if_given = true,
     .doc = "where the measurements are from"},
    {.name = "rows",
     .type = ORR_KEY_INTEGER,
     .offset = AT(rows),
     .low = 0,
     .high = INT32_MAX,
     .absent = "unknown",
     .output_if_given = true,
     .doc = "measured iterations that were fitted"},
    {.name = "error",
     .type = ORR_KEY_NUMBER,
     .offset = AT(error),
     .low = 0,
     .high = 1000,
     .absent = "unknown",
     .output_if_given = true,
     .doc = "median of |model / measured - 1| of these"},
    {.name = "sigma",
     .type = ORR_KEY_NUMBER,
     .offset = AT(sigma),
     .low = 0,
     .high = 10,
     .absent = "unknown",
     .output_if_given = true,
     .doc = "standard deviation of log(model / measured)"},
    {.name = "parameters",
     .type = ORR_KEY_NODE,
     .offset = AT(parameters),
     .list = true,
     .max = WL_MAX_FITTED,
     .table = &parameter_table,
     .absent = "none",
     .output_if_given = true,
     .example = "parameters: [{name: compute.efficiency.gemm.points, spread: 0.02}]",
     .doc = "the fitted parameters and their uncertainty"},
    {.name = "correlation",
     .type = ORR_KEY_NODE,
     .offset = AT(correlation),
     .absent = "none",
     .output_if_given = true,
     .example = "correlation: [[1], [-0.5, 1]]",
     .doc = "of the parameters' logarithms after the fit: the rows of the lower triangle, each up "
            "to the diagonal"},
};

const struct orr_key_table orr_wl_fitted_table = {"the compute.fitted section", keys, COUNT(keys),
                                                  NULL};

static enum orr_status check_new(const struct orr_conf *item, const char *const *name, size_t names,
                                 const char *parameter, struct orr_diag *diag)
{
    for (size_t i = 0; i < names; i++) {
        if (strcmp(name[i], parameter) == 0) {
            return orr_conf_expected(orr_conf_get(item, "name"),
                                     "a parameter that is not listed before", diag);
        }
    }
    return ORR_OK;
}

static enum orr_status read_parameters(struct orr_arena *arena, const struct section *section,
                                       struct wl_fitted *out, struct orr_diag *diag)
{
    const struct orr_conf *const *item = section->parameters.values;
    const char **name = orr_arena_array(arena, section->parameters.count + 1, sizeof *name);
    double *spread = orr_arena_array(arena, section->parameters.count + 1, sizeof *spread);
    if (name == NULL || spread == NULL) {
        return orr_diag_no_memory(diag, "fitted parameters");
    }
    for (size_t i = 0; i < section->parameters.count; i++) {
        struct parameter parameter = {0};
        enum orr_status status = orr_conf_read(item[i], parameter_table.owner, parameter_keys,
                                               COUNT(parameter_keys), &parameter, diag);
        if (status == ORR_OK) {
            status = check_new(item[i], name, i, parameter.name, diag);
        }
        if (status != ORR_OK) {
            return status;
        }
        name[i] = parameter.name;
        spread[i] = parameter.spread;
    }
    out->params = section->parameters.count;
    out->name = name;
    out->spread = spread;
    return ORR_OK;
}

static enum orr_status read_correlation_row(const struct orr_conf *list, size_t row, size_t params,
                                            double *correlation, struct orr_diag *diag)
{
    if (list->kind != ORR_CONF_LIST || list->count != row + 1) {
        return orr_conf_expected(list,
                                 "a row of the lower triangle: as many numbers as it is from "
                                 "the first, which has one",
                                 diag);
    }
    for (size_t i = 0; i <= row; i++) {
        double value = 0;
        const enum orr_status status =
            orr_conf_number(list->item[i], i == row ? 1 : -1, 1, &value, diag);
        if (status != ORR_OK) {
            return status;
        }
        correlation[row * params + i] = correlation[i * params + row] = value;
    }
    return ORR_OK;
}

/* Whether the matrix is positive semidefinite up to rounding: no sum of the logarithms has a
 * negative variance (Cholesky decomposition). `half`: scratch of the same size. */
static bool is_possible(const double *correlation, size_t params, double *half)
{
    for (size_t row = 0; row < params; row++) {
        for (size_t column = 0; column <= row; column++) {
            double left = correlation[row * params + column] + (column == row ? rounding : 0);
            for (size_t i = 0; i < column; i++) {
                left -= half[row * params + i] * half[column * params + i];
            }
            if (column == row && !(left > 0)) {
                return false;
            }
            half[row * params + column] =
                column == row ? sqrt(left) : left / half[column * params + column];
        }
    }
    return true;
}

static enum orr_status check_possible(struct orr_arena *arena, const struct orr_conf *list,
                                      const struct wl_fitted *fitted, struct orr_diag *diag)
{
    double *half = orr_arena_array(arena, fitted->params * fitted->params + 1, sizeof *half);
    if (half == NULL) {
        return orr_diag_no_memory(diag, "fitted parameters");
    }
    return is_possible(fitted->correlation, fitted->params, half)
               ? ORR_OK
               : orr_conf_expected(list, "a positive semidefinite correlation matrix", diag);
}

/* Without the key all correlations are 0. */
static enum orr_status read_correlation(struct orr_arena *arena, const struct orr_conf *list,
                                        struct wl_fitted *out, struct orr_diag *diag)
{
    double *correlation = orr_arena_array(arena, out->params * out->params + 1, sizeof(double));
    if (correlation == NULL) {
        return orr_diag_no_memory(diag, "fitted parameters");
    }
    for (size_t i = 0; i < out->params; i++) {
        correlation[i * out->params + i] = 1;
    }
    out->correlation = correlation;
    if (list != NULL && (list->kind != ORR_CONF_LIST || list->count != out->params)) {
        return orr_conf_expected(list, "a list with a row for each of the parameters", diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t row = 0; list != NULL && row < out->params && status == ORR_OK; row++) {
        status = read_correlation_row(list->item[row], row, out->params, correlation, diag);
    }
    return status == ORR_OK && list != NULL ? check_possible(arena, list, out, diag) : status;
}

/* Whether taken_over_for is of this fit: a file beside a platform's own fit replaces the GPU that
 * was measured, and was not taken over for the platform's. */
static bool is_taken_over(const struct orr_conf *map)
{
    const struct orr_conf *gpu = orr_conf_get(map, "gpu");
    const struct orr_conf *instead = orr_conf_get(map, "taken_over_for");
    return instead != NULL && gpu != NULL && strcmp(gpu->file, instead->file) == 0;
}

enum orr_status orr_wl_fitted_read(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct wl_fitted **out, struct orr_diag *diag)
{
    struct section section = {0};
    *out = NULL;
    if (map == NULL) {
        return ORR_OK;
    }
    struct wl_fitted *fitted = orr_arena_alloc(arena, sizeof *fitted);
    if (fitted == NULL) {
        return orr_diag_no_memory(diag, "fitted parameters");
    }
    enum orr_status status =
        orr_conf_read(map, orr_wl_fitted_table.owner, keys, COUNT(keys), &section, diag);
    *fitted = (struct wl_fitted){.gpu = section.gpu,
                                 .taken_over_for = section.taken_over_for,
                                 .stack = section.stack,
                                 .source = section.source,
                                 .rows = (uint64_t)section.rows,
                                 .error = section.error,
                                 .sigma = section.sigma};
    if (status == ORR_OK) {
        status = read_parameters(arena, &section, fitted, diag);
    }
    if (status == ORR_OK) {
        status = read_correlation(arena, section.correlation, fitted, diag);
    }
    if (!is_taken_over(map)) {
        fitted->taken_over_for = NULL;
    }
    *out = fitted;
    return status;
}
