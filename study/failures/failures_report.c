/* Tables, JSON and CSV of failures; see failures_report.h. */
#include "study/failures/failures_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/failures/failures_results.h"

enum { MAX_ROWS = 16 };

/* ---- tables ---- */

static void print_classes(FILE *out, const struct orr_failures *failures)
{
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_failure_class_results, (struct orr_row_style){.head = NULL});
    (void)fputc('\n', out);
    const bool one = failures->classes == 1 || failures->together > 1;
    for (uint32_t i = one ? failures->classes : 0; i <= failures->classes; i++) {
        const struct orr_failure_class_row row = orr_failure_class_row(failures, i);
        orr_result_cells(out, &orr_failure_class_results, &row,
                         (struct orr_row_style){.has_waiting_split = true});
        (void)fputc('\n', out);
    }
}

/* Severity of a failure: disconnecting ones are worst. */
static double badness(const struct orr_failures *failures, uint32_t index)
{
    const struct orr_failure_row row = orr_failure_row(failures, index);
    return row.disconnected ? 1e300 : (double)row.degraded_ps;
}

/* Whether one failure is listed before another: the worse, then the first. */
static bool before(const struct orr_failures *failures, uint32_t one, uint32_t other)
{
    const double a = badness(failures, one), b = badness(failures, other);
    return a != b ? a > b : one < other;
}

static void print_failures(FILE *out, const struct orr_failures *failures)
{
    uint32_t last = UINT32_MAX;
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_failure_results, (struct orr_row_style){.head = NULL});
    (void)fputc('\n', out);
    for (uint32_t shown = 0; shown < MAX_ROWS && shown < failures->failures; shown++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < failures->failures; i++) {
            const bool left = last == UINT32_MAX || before(failures, last, i);
            next =
                left && i != last && (next == UINT32_MAX || before(failures, i, next)) ? i : next;
        }
        const struct orr_failure_row row = orr_failure_row(failures, next);
        orr_result_cells(out, &orr_failure_results, &row,
                         (struct orr_row_style){.has_waiting_split = true});
        orr_print(out, "%s\n", row.disconnected ? "  disconnected" : "");
        last = next;
    }
    if (failures->failures > MAX_ROWS) {
        orr_print(out, "and %" PRIu32 " more, which are no worse: --csv has all\n",
                  failures->failures - MAX_ROWS);
    }
}

/* Whether repaired runs take the same time as the job without failures. */
static void print_repaired(FILE *out, const struct orr_failures *failures)
{
    uint32_t same = 0, has_waiting_split = 0;
    for (uint32_t i = 0; i < failures->failures; i++) {
        has_waiting_split += failures->failure[i].repaired_ps != 0;
        same += failures->failure[i].repaired_ps == failures->healthy_ps;
    }
    if (has_waiting_split == 0) {
        orr_print(out,
                  "repaired: not run, as links of this network cannot change while a job runs\n");
    } else {
        orr_print(out, "repaired: %" PRIu32 " of %" PRIu32 " take the job's time where all works\n",
                  same, has_waiting_split);
    }
}

void orr_failures_table(FILE *out, const struct orr_failures *failures)
{
    char time[64];
    orr_print(out, "job time %s on %" PRIu32 " NPU%s where all links work\n",
              orr_format_time(failures->healthy_ps, time, sizeof time), failures->npus,
              orr_plural(failures->npus));
    print_repaired(out, failures);
    print_classes(out, failures);
    print_failures(out, failures);
    if (failures->mtbf_s > 0) {
        const struct orr_failure_class_row all = orr_failure_class_row(failures, failures->classes);
        if (failures->together == 1 && !(all.failures_per_month > 0)) {
            orr_print(out, "\nlost in 30 days: not known, as some classes have no link here\n");
        } else if (failures->together == 1) {
            orr_print(out, "\nlost in 30 days: %.6g min, by %.4g failures\n", all.lost_s / 60,
                      all.failures_per_month);
        }
    }
}

/* ---- files ---- */

int orr_failures_json(FILE *out, const void *context)
{
    const struct orr_failures *failures = context;
    json_t *root = json_object(), *classes = json_array(), *list = json_array();
    (void)json_object_set_new(root, "healthy_ps", json_integer(failures->healthy_ps));
    (void)json_object_set_new(root, "npus", json_integer(failures->npus));
    for (uint32_t i = 0; i <= failures->classes; i++) {
        const struct orr_failure_class_row row = orr_failure_class_row(failures, i);
        orr_result_append_json(classes, &orr_failure_class_results, &row);
    }
    for (uint32_t i = 0; i < failures->failures; i++) {
        const struct orr_failure_row row = orr_failure_row(failures, i);
        orr_result_append_json(list, &orr_failure_results, &row);
    }
    (void)json_object_set_new(root, "classes", classes);
    (void)json_object_set_new(root, "failures", list);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

int orr_failures_csv(FILE *out, const void *context)
{
    const struct orr_failures *failures = context;
    orr_result_csv_head(out, &orr_failure_results);
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < failures->failures; i++) {
        const struct orr_failure_row row = orr_failure_row(failures, i);
        orr_result_csv_line(out, &orr_failure_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
