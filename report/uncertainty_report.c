/* The uncertainty of a job's time; see uncertainty_report.h. */
#include "report/uncertainty_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/table_text.h"

enum { TEXT = 64 };

void orr_report_uncertainty(FILE *out, const struct orrery *job)
{
    struct orrery_uncertainty of;
    char low[TEXT], high[TEXT];
    if (orrery_uncertainty(job, &of) != ORRERY_OK) {
        return;
    }
    orr_print(out, "%.0f %% between %s and %s (compute as fitted", 100 * of.share,
              orr_format_time(of.low_ps, low, TEXT), orr_format_time(of.high_ps, high, TEXT));
    if (of.rows > 0) {
        orr_print(out, " to %" PRIu64 " row%s", of.rows, orr_plural(of.rows));
    }
    orr_print(out, ": parameters %.1f %%, residuals ", 100 * of.parameters);
    if (of.residuals > 0) {
        orr_print(out, "%.1f %%)\n", 100 * of.residuals);
    } else {
        orr_print(out, "not known)\n");
    }
}

void orr_report_utilization(FILE *out, const struct orrery *job)
{
    struct orrery_uncertainty of;
    if (orrery_uncertainty(job, &of) == ORRERY_OK) {
        orr_print(out, ", %.0f %% between %.1f %% and %.1f %%", 100 * of.share,
                  100 * of.low_utilization, 100 * of.high_utilization);
    }
}

/* ---- JSON ---- */

json_t *orr_json_slopes(const void *row)
{
    const struct orrery *job = ((const struct orr_uncertainty_row *)row)->job;
    json_t *array = json_array();
    struct orrery_slope slope;
    for (size_t i = 0; orrery_slope(job, i, &slope) == ORRERY_OK; i++) {
        orr_result_append_json(array, &orr_slope_results, &slope);
    }
    return array;
}

json_t *orr_json_uncertainty(const void *row)
{
    struct orr_uncertainty_row uncertainty = {.job = ((const struct orr_job_row *)row)->job};
    if (orrery_uncertainty(uncertainty.job, &uncertainty.of) != ORRERY_OK) {
        return NULL;
    }
    json_t *object = json_object();
    orr_result_add_json(object, &orr_uncertainty_results, &uncertainty);
    return object;
}
