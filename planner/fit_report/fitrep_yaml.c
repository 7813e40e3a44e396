/* Writes a platform with fitted sections as YAML that reads back as the same. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/text_escape.h"
#include "planner/fit_report/fit_report.h"
#include "planner/plan_file/plan_yaml.h"
#include "report/results/fit_results.h"
#include "study/measured/measured.h"

void orr_fitrep_comment(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = orr_escape_format(format, values);
    va_end(values);
    (void)fprintf(out, "# %s\n", text != NULL ? text : "");
    orr_heap_free(text);
}

void orr_fitrep_comment_head(FILE *out, const struct fit_report *report)
{
    orr_fitrep_comment(out, "Made by `orrery fit %s` of %s.", report->command, report->platform);
    for (size_t i = 0; i < report->files; i++) {
        orr_fitrep_comment(out, "%s %s: %zu row%s",
                           i > 0          ? "and to"
                           : report->keep ? "Compared to"
                                          : "Fitted to",
                           report->file[i].path, report->file[i].rows,
                           orr_plural(report->file[i].rows));
    }
    if (report->keep) {
        orr_fitrep_comment(out, "of which none was fitted: all values are the platform's.");
    } else if (report->tested > 0) {
        orr_fitrep_comment(out, "of which %zu were held out: %s", report->tested, report->holdout);
    }
    for (size_t i = 0; i < report->errors; i++) {
        const struct orr_fit_error_row *error = &report->error[i];
        if (error->sizes == NULL || strcmp(error->sizes, "all") == 0) {
            orr_fitrep_comment(
                out, "Error of %" PRIu64 " %s row%s: median %.1f %%, p90 %.1f %%, bias %+.1f %%",
                error->count, error->held_out ? "held-out" : "fitted", orr_plural(error->count),
                100 * error->median, 100 * error->p90, 100 * error->bias);
        }
    }
}

const char *orr_fitrep_describe_parameter(const struct orr_fit_parameter_row *row, char *text,
                                          size_t bytes)
{
    if (row->fixed) {
        return row->would_identify != NULL || !row->used ? "as it was: not determined by these rows"
                                                         : "as it was";
    }
    (void)snprintf(text, bytes, "%.1f %% either way, %s", 100 * (exp(row->std_dev) - 1),
                   row->identified ? "identified" : "not identified");
    return text;
}

static const struct fit_section *find_section(const struct fit_section *replace, const char *name)
{
    for (; replace->name != NULL; replace++) {
        if (strcmp(replace->name, name) == 0) {
            return replace;
        }
    }
    return NULL;
}

/* The section workload is not the platform's: its paths are relative to the workload's own file. */
void orr_fitrep_platform(FILE *out, const struct orr_conf *root, const struct fit_section *replace,
                         const void *context)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct fit_section *section = find_section(replace, root->key[i]);
        if (section != NULL) {
            section->write(out, context, root->item[i]);
        } else if (strcmp(root->key[i], "workload") != 0) {
            orr_plan_yaml(out, root->key[i], root->item[i], 0);
        }
    }
    for (; replace->name != NULL; replace++) {
        if (orr_conf_get(root, replace->name) == NULL) {
            replace->write(out, context, NULL);
        }
    }
}
