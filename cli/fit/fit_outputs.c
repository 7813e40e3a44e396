/* Outputs and common arguments of fits; see fit_command.h. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit/fit_command.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/table_text.h"

/* ---- arguments ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), with = strlen(end);
    return length > with && strcmp(text + length - with, end) == 0;
}

static int add_report(void *context, const char *path)
{
    struct orr_fit_outputs *outputs = context;
    if (strcmp(path, "-") != 0 && !ends_with(path, ".json") && !ends_with(path, ".svg") &&
        !ends_with(path, ".html")) {
        return orr_reject_value("fit", "report", "a file that ends in .html, .json or .svg, or -",
                                path, "");
    }
    if (outputs->reports == ORR_FIT_MAX_REPORTS) {
        return orr_usage_error("fit", "too many --report options", NULL);
    }
    outputs->report[outputs->reports++] = path;
    return 0;
}

const struct orr_option orr_fit_output_rows[] = {
    {"output", "FILE|-", ORR_OUTPUT | ORR_NEEDED, "the fitted platform",
     ORR_TEXT(struct orr_fit_outputs, platform)},
    {"report", "FILE.html|.json|.svg|-", ORR_OUTPUT | ORR_REPEATED,
     "all rows, errors and parameters as a page or as JSON, or a plot of measured and modelled "
     "times; may be given several times",
     ORR_CALL(add_report)},
    ORR_ROWS_END};

static unsigned is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0 ? 1 : 0;
}

int orr_fit_check_needs(const struct orr_fit_outputs *outputs, const struct orr_fit_needs *needs)
{
    unsigned standard = is_standard(outputs->platform) + is_standard(outputs->compute);
    if (needs->files == 0) {
        return orr_usage_error("fit", "no files of measured times", NULL);
    }
    if (needs->platform == NULL) {
        return orr_usage_error("fit", "--platform is missing: which platform is fitted", NULL);
    }
    if (needs->keep != 0 && needs->holdout != NULL) {
        return orr_usage_error("fit", "--evaluate fits nothing, so no rows can be held out", NULL);
    }
    if (outputs->platform == NULL && outputs->compute == NULL && needs->keep == 0) {
        return orr_usage_error("fit", "-o is missing: where the fitted platform goes", NULL);
    }
    for (unsigned i = 0; i < outputs->reports; i++) {
        standard += is_standard(outputs->report[i]);
    }
    if (standard < 2) {
        return 0;
    }
    return orr_usage_error("fit",
                           outputs->compute != NULL
                               ? "one of -o, --save-compute and --report goes to -, not more"
                               : "one of -o and --report goes to -, not more",
                           NULL);
}

/* ---- results ---- */

static int copy(FILE *out, const void *text)
{
    return fputs(text, out) < 0 ? 1 : 0;
}

/* Opens the file only when the whole text is available. */
static int write(struct orrery_fit *fit, enum orrery_fit_view view, const char *path,
                 bool *standard)
{
    const char *text = orrery_fit_text(fit, view);
    if (text == NULL) {
        orr_print_message("%s\n", orrery_fit_error(fit));
        return 1;
    }
    return orr_write_output(&(struct orr_output){path, copy}, text, standard);
}

static int write_page(const struct orr_fit_outputs *outputs, struct orrery_fit *fit,
                      const char *path, bool *standard)
{
    const char *text = orrery_fit_text(fit, ORRERY_FIT_JSON);
    const struct orr_page_part part = {.json = copy, .context = text};
    if (text == NULL) {
        orr_print_message("%s\n", orrery_fit_error(fit));
        return 1;
    }
    return orr_write_page(path, outputs->line, &part, 1, standard);
}

int orr_fit_write_all(const struct orr_fit_outputs *outputs, struct orrery_fit *fit)
{
    bool standard = false;
    int status = outputs->platform != NULL
                     ? write(fit, ORRERY_FIT_PLATFORM, outputs->platform, &standard)
                     : 0;
    if (outputs->compute != NULL && status == 0) {
        status = write(fit, ORRERY_FIT_COMPUTE, outputs->compute, &standard);
    }
    for (unsigned i = 0; i < outputs->reports && status == 0; i++) {
        const char *path = outputs->report[i];
        const bool picture = ends_with(path, ".svg");
        status = ends_with(path, ".html")
                     ? write_page(outputs, fit, path, &standard)
                     : write(fit, picture ? ORRERY_FIT_SVG : ORRERY_FIT_JSON, path, &standard);
    }
    if (status == 0 && !standard) {
        status = write(fit, ORRERY_FIT_TEXT, "-", &standard);
    }
    return status;
}

/* Checks before the fit, which takes minutes, that its files can be written. */
static int check_outputs(const struct orr_fit_outputs *outputs)
{
    int status = orr_check_output(outputs->platform);
    status = status == 0 ? orr_check_output(outputs->compute) : status;
    for (unsigned i = 0; i < outputs->reports && status == 0; i++) {
        status = orr_check_output(outputs->report[i]);
    }
    return status;
}

int orr_fit_run(const struct orr_fit_outputs *outputs, char **file, size_t files,
                enum orrery_status (*run_fit)(struct orrery_fit *fit, void *context,
                                              const struct orrery_measured *data),
                void *context)
{
    struct orrery_measured *data = orr_heap_calloc(files, sizeof *data);
    struct orrery_fit *fit = orrery_fit_new();
    int status = check_outputs(outputs);
    if (status == 0 && (data == NULL || fit == NULL)) {
        status = 1;
        orr_print_message("orrery fit: out of memory\n");
    } else if (status == 0) {
        for (size_t i = 0; i < files; i++) {
            data[i].path = file[i];
        }
        orrery_fit_on_warning(fit, orr_print_warning, NULL);
        const enum orrery_status fitted = run_fit(fit, context, data);
        status = fitted == ORRERY_OK ? orr_fit_write_all(outputs, fit)
                                     : orr_print_api_error(fitted, orrery_fit_error(fit));
    }
    orrery_fit_free(fit);
    orr_heap_free(data);
    return status;
}
