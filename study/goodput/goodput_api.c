/* Goodput for programs; see include/orrery/goodput.h. */
#include "orrery/goodput.h"

#include "core/arena.h"
#include "core/diag.h"
#include "report/results/result_rows.h"
#include "study/goodput/goodput_study.h"
#include "study/study_call.h"
#include "study/study_ops.h"

_Static_assert(sizeof(struct orr_goodput_study) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t one(const void *of)
{
    (void)of;
    return 1;
}

static void get_goodput(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_goodput_study *)row = *(const struct orr_goodput_study *)of;
}

static size_t count_parts(const void *of)
{
    (void)of;
    return ORR_GOODPUT_PARTS;
}

static void get_part(const void *of, size_t index, void *row)
{
    orr_goodput_part_row(of, index, row);
}

static size_t count_intervals(const void *of)
{
    (void)of;
    return ORR_GOODPUT_INTERVALS;
}

static void get_interval(const void *of, size_t index, void *row)
{
    orr_goodput_interval_row(of, index, row);
}

static const struct orr_result_rows rows[] = {
    {&orr_goodput_results, one, get_goodput, NULL},
    {&orr_goodput_part_results, count_parts, get_part, NULL},
    {&orr_goodput_interval_results, count_intervals, get_interval, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {
    &orr_goodput_results, &orr_goodput_part_results, &orr_goodput_interval_results, NULL};
static const struct orr_result_sources result_sources = {rows, "a goodput study"};
static const struct orr_study_kind kind = {
    .result_sources = &result_sources,
    .write = {orr_goodput_text, orr_goodput_json, orr_goodput_csv},
    .destroy = orr_heap_free};

const struct orr_study_ops orr_study_goodput = {
    .name = "training-goodput",
    .summary = "useful time of a training job whose machines fail",
    .tables = tables,
    .kind = &kind,
};

enum orrery_status orrery_goodput(struct orrery_study *study, const struct orrery_goodput *given)
{
    struct orr_goodput_study *of = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_goodput", given, sizeof *given, &diag) == ORR_OK) {
        of = orr_heap_calloc(1, sizeof *of);
        if (of == NULL) {
            (void)orr_diag_no_memory(&diag, "a goodput study");
        }
    }
    if (of != NULL) {
        of->given = *given;
        (void)orr_goodput_study_run(of, &diag);
    }
    return orr_study_end(study, &kind, of, &diag);
}
