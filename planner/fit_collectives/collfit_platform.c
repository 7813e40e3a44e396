/* Writes the platform with its fitted library as YAML that reads back as the same. */
#include <string.h>

#include "core/conf/conf.h"
#include "planner/fit_collectives/collfit_private.h"
#include "planner/plan_file/plan_yaml.h"

/* ---- the library ---- */

static const struct orr_conf *library_of(const struct collfit *fit)
{
    return orr_conf_get(orr_conf_get(fit->input.root, "system"), "library");
}

/* Whether the fit determines a key of the library. */
static bool is_fitted(const struct collfit *fit, const char *key)
{
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        if (strcmp(fit->parameter[k].name, key) == 0) {
            return true;
        }
    }
    return strcmp(key, "nvls_tree") == 0;
}

static void write_parameter(FILE *out, const struct orr_fit_parameter_row *row)
{
    char text[64], value[48];
    (void)snprintf(value, sizeof value, "%.6g%s%s", row->value, row->unit[0] != '\0' ? " " : "",
                   row->unit);
    (void)fprintf(out, "    %s: %-*s # %s\n", row->name, (int)(24 - strlen(row->name)), value,
                  orr_fitrep_describe_parameter(row, text, sizeof text));
}

/* Keys that the fit does not determine are kept. A parameter that no row uses is written only if
 * the platform has it. */
static void write_library(FILE *out, const struct collfit *fit)
{
    const struct orr_conf *platform_library = library_of(fit);
    (void)fputs("  library:\n", out);
    for (size_t i = 0; i < platform_library->count; i++) {
        if (!is_fitted(fit, platform_library->key[i])) {
            orr_plan_yaml(out, platform_library->key[i], platform_library->item[i], 4);
        }
    }
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        const struct orr_fit_parameter_row *row = &fit->parameter[k];
        if (row->used || orr_conf_get(platform_library, row->name) != NULL) {
            write_parameter(out, row);
        }
    }
    if (fit->library.nvls_tree || fit->platform_library->nvls_tree ||
        orr_conf_get(platform_library, "nvls_tree") != NULL) {
        (void)fprintf(out, "    nvls_tree: %s\n", fit->library.nvls_tree ? "true" : "false");
    }
}

/* ---- the other sections ---- */

static void write_system(FILE *out, const void *context, const struct orr_conf *system)
{
    (void)fputs("system:\n", out);
    for (size_t i = 0; i < system->count; i++) {
        if (strcmp(system->key[i], "library") == 0) {
            write_library(out, context);
        } else {
            orr_plan_yaml(out, system->key[i], system->item[i], 2);
        }
    }
}

int orr_collfit_platform(FILE *out, const void *context)
{
    static const struct fit_section sections[] = {{"system", write_system}, {NULL, NULL}};
    const struct collfit *fit = context;
    const struct fit_report report = orr_collfit_report(fit);
    orr_fitrep_comment_head(out, &report);
    orr_fitrep_platform(out, fit->input.root, sections, fit);
    return ferror(out) != 0 ? 1 : 0;
}
