/* The difference of two results, for programs; see include/orrery/study.h. */
#include "core/arena.h"
#include "report/results/result_rows.h"
#include "study/diff_report.h"
#include "study/diff_results.h"
#include "study/study_call.h"
#include "study/study_ops.h"

extern const struct orr_study_ops orr_study_diff;

_Static_assert(sizeof(struct orr_diff) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t one(const void *of)
{
    (void)of;
    return 1;
}

static void get_runs(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_diff *)row = *(const struct orr_diff *)of;
}

static bool differs(const struct orr_diff_row *row)
{
    return row->a != row->b;
}

static size_t count_rows(const void *of)
{
    const struct orr_diff *diff = of;
    size_t count = 0;
    for (size_t i = 0; i < diff->rows; i++) {
        count += differs(&diff->row[i]) ? 1 : 0;
    }
    return count;
}

static void get_row(const void *of, size_t index, void *row)
{
    const struct orr_diff *diff = of;
    size_t at = 0;
    for (; index > 0 || !differs(&diff->row[at]); at++) {
        index -= differs(&diff->row[at]) ? 1 : 0;
    }
    *(struct orr_diff_row *)row = diff->row[at];
}

static size_t count_settings(const void *of)
{
    return ((const struct orr_diff *)of)->settings;
}

static void get_setting(const void *of, size_t index, void *row)
{
    *(struct orr_diff_setting *)row = ((const struct orr_diff *)of)->setting[index];
}

static int write_table(FILE *out, const void *of)
{
    orr_diff_table(out, of);
    return ferror(out) != 0 ? 1 : 0;
}

static void destroy(void *of)
{
    orr_diff_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_diff_run_results, one, get_runs, NULL},
    {&orr_diff_results, count_rows, get_row, NULL},
    {&orr_diff_setting_results, count_settings, get_setting, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_sources result_sources = {rows, "a comparison"};
static const struct orr_study_kind kind = {.result_sources = &result_sources,
                                           .write = {write_table, orr_diff_json, orr_diff_csv},
                                           .destroy = destroy};

static enum orr_status set_side(const struct orrery_diff_side *given, const char *name,
                                struct orr_diff_side *side, struct orr_diag *diag)
{
    char what[64];
    (void)snprintf(what, sizeof what, "path, text and job of %s", name);
    *side = (struct orr_diff_side){.name = given->path != NULL ? given->path : name,
                                   .path = given->path,
                                   .text = given->text,
                                   .job = given->job};
    return orr_study_check_one((given->path != NULL ? 1u : 0u) + (given->text != NULL ? 1u : 0u) +
                                   (given->job != NULL ? 1u : 0u),
                               what, diag);
}

enum orrery_status orrery_diff(struct orrery_study *study, const struct orrery_diff *given)
{
    struct orr_diff_side side[2];
    struct orr_diff *diff = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_diff", given, sizeof *given, &diag) == ORR_OK &&
        set_side(&given->a, "a", &side[0], &diag) == ORR_OK &&
        set_side(&given->b, "b", &side[1], &diag) == ORR_OK) {
        diff = orr_heap_calloc(1, sizeof *diff);
        (void)(diff != NULL ? orr_diff_compare(diff, side, &diag)
                            : orr_diag_no_memory(&diag, "the comparison"));
    }
    return orr_study_end(study, &kind, diff, &diag);
}

static const struct orr_result_table *const tables[] = {&orr_diff_run_results, &orr_diff_results,
                                                        &orr_diff_setting_results, NULL};

const struct orr_study_ops orr_study_diff = {
    .name = "comparison",
    .summary = "what differs between two results",
    .tables = tables,
    .kind = &kind,
};
