/* Writes the platform with its fitted efficiency, or the efficiency alone, as YAML that reads back
 * as the same. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "planner/fit_compute/compfit_private.h"
#include "planner/plan_file/plan_yaml.h"
#include "workload/trace/trace.h"

/* ---- compute.efficiency ---- */

static void write_identification(FILE *out, const struct compfit *fit, unsigned kind)
{
    static const char *const what[COMPFIT_EFFICIENCY_PARAMS] = {"points", "constant", "points",
                                                                "bandwidth"};
    static const unsigned of[COMPFIT_EFFICIENCY_PARAMS] = {ORR_OP_GEMM, ORR_OP_GEMM,
                                                           ORR_OP_ATTENTION, ORR_OP_ELEMENTWISE};
    for (size_t k = 0; k < fit->params; k++) {
        char text[64];
        const enum compfit_kind param_kind = fit->param[k].kind;
        if (param_kind != COMPFIT_KEY && of[param_kind] == kind) {
            (void)fprintf(out, "    # %s: %s\n", what[param_kind],
                          orr_fitrep_describe_parameter(&fit->parameter[k], text, sizeof text));
        }
    }
}

static void write_efficiency(FILE *out, const struct compfit *fit)
{
    (void)fputs("  efficiency:\n", out);
    for (unsigned i = 0; i <= ORR_OP_KINDS; i++) {
        const unsigned kind = i == 0 ? ORR_OP_DEFAULT : i == 1 ? ORR_OP_KINDS : i - 1;
        if (!orr_compfit_has_entry(fit, kind)) {
            continue;
        }
        write_identification(out, fit, kind);
        (void)fputs("    - ", out);
        orr_compfit_write_entry(out, fit, kind, fit->theta, COMPFIT_DIGITS);
        (void)fputc('\n', out);
    }
}

/* ---- compute.fitted ---- */

static bool is_fitted(const struct compfit *fit, size_t k)
{
    return !fit->param[k].fixed;
}

static void write_parameters(FILE *out, const struct compfit *fit)
{
    size_t count = 0;
    for (size_t k = 0; k < fit->params; k++) {
        if (is_fitted(fit, k)) {
            (void)fprintf(out, "%s      - {name: \"%s\", spread: %.4g}\n",
                          count++ == 0 ? "    parameters:\n" : "", fit->param[k].name,
                          fit->parameter[k].std_dev);
        }
    }
    for (size_t k = 0, row = 0; k < fit->params; k++) {
        if (!is_fitted(fit, k)) {
            continue;
        }
        (void)fputs(row++ == 0 ? "    correlation:\n      - [" : "      - [", out);
        for (size_t i = 0; i < k; i++) {
            if (is_fitted(fit, i)) {
                (void)fprintf(out, "%.4f, ", fit->fit.correlation[k * fit->params + i]);
            }
        }
        (void)fputs("1]\n", out);
    }
}

/* Texts of an earlier fit, in its file, do not describe these rows. */
static bool is_of_earlier(const struct orr_conf *from_platform, const struct orr_conf *text)
{
    const struct orr_conf *rows = text != NULL ? orr_conf_get(from_platform, "rows") : NULL;
    return rows != NULL && strcmp(rows->file, text->file) == 0;
}

/* compute.fitted: GPU, software and source of the platform's own section or of --set, then rows,
 * errors and parameters. */
static void write_fitted(FILE *out, const struct compfit *fit)
{
    static const char *const texts[] = {"gpu", "stack", "source"};
    const struct orr_conf *from_platform =
        orr_compfit_find_key(fit->input.platform, "compute.fitted");
    const struct orr_conf *gpu = orr_compfit_find_key(fit->input.platform, "compute.gpu");
    (void)fputs("  fitted:\n", out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct orr_conf *text = from_platform != NULL && from_platform->kind == ORR_CONF_MAP
                                          ? orr_conf_get(from_platform, texts[i])
                                          : NULL;
        if (text == NULL || is_of_earlier(from_platform, text)) {
            text = i > 0 ? NULL : gpu != NULL ? gpu : text;
        }
        if (text != NULL) {
            orr_plan_yaml(out, texts[i], text, 4);
        }
    }
    (void)fprintf(out, "    rows: %zu\n    error: %.4g\n    sigma: %.4g\n", fit->split.fitted,
                  fit->errors > 0 ? fit->error[0].median : 0, fit->fit.sigma);
    write_parameters(out, fit);
}

static void write_section(FILE *out, const void *context, const struct orr_conf *section)
{
    const struct compfit *fit = context;
    (void)fputs("compute:\n", out);
    for (size_t i = 0; section != NULL && i < section->count; i++) {
        const char *key = section->key[i];
        if (strcmp(key, "efficiency") != 0 && strcmp(key, "fitted") != 0) {
            orr_plan_yaml(out, key, section->item[i], 2);
        }
    }
    write_efficiency(out, fit);
    write_fitted(out, fit);
}

/* ---- files ---- */

/* The tree with the other fitted keys set. */
static const struct orr_conf *with_keys(const struct compfit *fit, struct orr_arena *arena)
{
    const struct orr_conf *root = fit->input.platform;
    for (size_t k = 0; k < fit->params; k++) {
        const struct compfit_param *param = &fit->param[k];
        if (param->kind == COMPFIT_KEY && !param->of_workload && !param->fixed) {
            const char *set = orr_arena_printf(arena, "%s=%.*g%s%s", param->name, COMPFIT_DIGITS,
                                               orr_compfit_value(param, fit->theta[k]),
                                               param->unit[0] != '\0' ? " " : "", param->unit);
            if (set == NULL || orr_conf_set(arena, root, set, &root, NULL) != ORR_OK) {
                return NULL;
            }
        }
    }
    return root;
}

int orr_compfit_platform(FILE *out, const void *context)
{
    static const struct fit_section sections[] = {{"compute", write_section}, {NULL, NULL}};
    const struct compfit *fit = context;
    const struct fit_report report = orr_compfit_report(fit);
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = arena != NULL ? with_keys(fit, arena) : NULL;
    if (root != NULL) {
        orr_fitrep_comment_head(out, &report);
        orr_fitrep_platform(out, root, fit->input.keep ? &sections[1] : sections, fit);
    }
    orr_arena_destroy(arena);
    return root == NULL || ferror(out) != 0 ? 1 : 0;
}

int orr_compfit_compute(FILE *out, const void *context)
{
    const struct compfit *fit = context;
    const struct fit_report report = orr_compfit_report(fit);
    orr_fitrep_comment_head(out, &report);
    orr_fitrep_comment(out, "To be used with a platform, as include: [PLATFORM.yml, THIS.yml].");
    if (fit->input.keep) {
        const struct orr_conf *from_platform =
            orr_compfit_find_key(fit->input.platform, "compute.efficiency");
        (void)fputs("compute:\n", out);
        if (from_platform != NULL) {
            orr_plan_yaml(out, "efficiency", from_platform, 2);
        }
    } else {
        write_section(out, fit, NULL);
    }
    return ferror(out) != 0 ? 1 : 0;
}
