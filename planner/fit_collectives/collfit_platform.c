/* The platform with its fitted library, as YAML that reads back as the same. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "planner/fit_collectives/collfit_private.h"
#include "planner/plan_file/plan_yaml.h"

/* A comment of one line. */
static void comment(FILE *out, const char *format, ...) ORR_PRINTF(2, 3);
static void comment(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = orr_clean_format(format, values);
    va_end(values);
    (void)fprintf(out, "# %s\n", text != NULL ? text : "");
    orr_heap_free(text);
}

static void write_head(FILE *out, const struct collfit *fit)
{
    comment(out, "Made by `orrery fit collectives` of %s.", fit->input.platform);
    for (size_t i = 0; i < fit->measured.files; i++) {
        comment(out, "%s %s: %zu row%s",
                i > 0             ? "and to"
                : fit->input.keep ? "Compared to"
                                  : "Fitted to",
                fit->measured.file[i].path, fit->measured.file[i].rows,
                orr_plural(fit->measured.file[i].rows));
    }
    if (fit->input.keep) {
        comment(out, "of which none was fitted: all is as it was.");
    } else if (fit->split.tested > 0) {
        comment(out, "of which %zu were held out: %s", fit->split.tested, fit->input.holdout);
    }
    for (size_t i = 0; i < fit->errors; i++) {
        const struct orr_fit_error_row *error = &fit->error[i];
        if (strcmp(error->sizes, "all") == 0) {
            comment(out,
                    "Error of %" PRIu64 " %s row%s: median %.1f %%, p90 %.1f %%, bias %+.1f %%",
                    error->count, error->held_out ? "held-out" : "fitted", orr_plural(error->count),
                    100 * error->median, 100 * error->p90, 100 * error->bias);
        }
    }
}

/* ---- the library ---- */

static const struct orr_conf *library_of(const struct collfit *fit)
{
    return orr_conf_get(orr_conf_get(fit->input.root, "system"), "library");
}

/* Whether the fit says what the key is. */
static bool is_fitted(const struct collfit *fit, const char *key)
{
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        if (strcmp(fit->parameter[k].name, key) == 0) {
            return true;
        }
    }
    return strcmp(key, "nvls_tree") == 0;
}

static const char *standing(const struct orr_fit_parameter_row *row, char *text, size_t bytes)
{
    if (row->fixed) {
        return "as it was: not told by these rows";
    }
    (void)snprintf(text, bytes, "%.1f %% either way, %s", 100 * (exp(row->spread) - 1),
                   row->identified ? "identified" : "not identified");
    return text;
}

static void write_parameter(FILE *out, const struct orr_fit_parameter_row *row)
{
    char text[64], value[48];
    (void)snprintf(value, sizeof value, "%.6g%s%s", row->value, row->unit[0] != '\0' ? " " : "",
                   row->unit);
    (void)fprintf(out, "    %s: %-*s # %s\n", row->name, (int)(24 - strlen(row->name)), value,
                  standing(row, text, sizeof text));
}

/* What the library was given stays, and what rows have nothing to do with is written where it was.
 */
static void write_library(FILE *out, const struct collfit *fit)
{
    const struct orr_conf *given = library_of(fit);
    (void)fputs("  library:\n", out);
    for (size_t i = 0; i < given->count; i++) {
        if (!is_fitted(fit, given->key[i])) {
            orr_plan_yaml(out, given->key[i], given->item[i], 4);
        }
    }
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        const struct orr_fit_parameter_row *row = &fit->parameter[k];
        if (row->used || orr_conf_get(given, row->name) != NULL) {
            write_parameter(out, row);
        }
    }
    if (fit->library.nvls_tree || orr_conf_get(given, "nvls_tree") != NULL) {
        (void)fprintf(out, "    nvls_tree: %s\n", fit->library.nvls_tree ? "true" : "false");
    }
}

/* ---- the rest ---- */

static void write_system(FILE *out, const struct collfit *fit, const struct orr_conf *system)
{
    (void)fputs("system:\n", out);
    for (size_t i = 0; i < system->count; i++) {
        if (strcmp(system->key[i], "library") == 0) {
            write_library(out, fit);
        } else {
            orr_plan_yaml(out, system->key[i], system->item[i], 2);
        }
    }
}

/* A workload's files lie beside the file that it is of, and are not the platform's. */
int orr_collfit_platform(FILE *out, const void *context)
{
    const struct collfit *fit = context;
    const struct orr_conf *root = fit->input.root;
    write_head(out, fit);
    for (size_t i = 0; i < root->count; i++) {
        if (strcmp(root->key[i], "system") == 0) {
            write_system(out, fit, root->item[i]);
        } else if (strcmp(root->key[i], "workload") != 0) {
            orr_plan_yaml(out, root->key[i], root->item[i], 0);
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}
